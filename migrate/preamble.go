package migrate

import (
	"embed"
	"strings"
)

//go:embed preamble/*.bash
var parts embed.FS

func part(name string) string {
	text, err := parts.ReadFile("preamble/" + name + ".bash")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// A preamble is what a migrated script begins with. It has no more than the
// script needs.
type preamble struct {
	fd      string // where the real stdout is kept
	hears   bool   // statements are recorded
	traps   bool   // the script has an EXIT trap of its own
	signals bool   // an end by a signal can be told
}

const (
	firstLine = "# skillhand: stdout is for one JSON report at the end; all other output goes to stderr.\n"
	lastLine  = "# skillhand: the script itself begins here.\n\n"
)

func (p preamble) text() string {
	text := firstLine + part("report") + part("exit")
	if p.signals {
		text += part("end")
	}
	if p.traps {
		text += part("trap")
	}
	if p.hears {
		text += part("say")
	}
	text += part("begin") + lastLine
	given := func(name string, ok bool) string {
		if !ok {
			return ""
		}
		return part(name)
	}
	return strings.NewReplacer(
		"@HEAR@", given("hear", p.hears),
		"@SIGNAL@", given("signal", p.signals),
		"@OWN@", given("own", p.traps),
		"@FD@", p.fd,
	).Replace(text)
}
