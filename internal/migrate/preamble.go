package migrate

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/legacy"
)

// ReportFile is the name of the file that migrated scripts source, one in a tree.
const ReportFile = "skillhand-report.bash"

const (
	reportHead = "# Made by skillhand migrate: a script that sources this file prints one JSON report on\n# stdout when it ends. Keep it with the scripts.\n\n"
	firstLine  = "# skillhand: stdout is for one JSON report at the end; all other output goes to stderr.\n"
	lastLine   = "# skillhand: the script itself begins here.\n\n"
)

//go:embed preamble/report.bash
var preambleText string

// reportText returns the content of a ReportFile.
var reportText = sync.OnceValue(func() string { return reportHead + preambleCode(1) })

// preambleCode returns the code that reports. depth is 1 for a file of its own, which is one level
// below the script that sources it.
func preambleCode(depth int) string {
	var words, signs, rules strings.Builder
	var marks []string
	for _, r := range legacy.ReadRules() {
		switch r.Kind {
		case "word":
			all := strings.Fields(r.Text)
			for i, word := range all {
				all[i] = quote(word)
			}
			fmt.Fprintf(&words, "\t%s) letter=%s ;;\n", strings.Join(all, " | "), r.Name)
		case "sign":
			for sign := range strings.FieldsSeq(r.Text) {
				fmt.Fprintf(&signs, "\t\t%s*) letter=%s n=%d ;;\n", quote(sign), quote(r.Name), len(sign))
				if r.Name == "X" || r.Name == "Y" {
					marks = append(marks, sign)
				}
			}
		case "marks":
			for mark := range strings.FieldsSeq(r.Text) {
				marks = append(marks, regexp.QuoteMeta(strings.ReplaceAll(mark, "_", " ")))
			}
		case "rule":
			fmt.Fprintf(&rules, "skillhand_rules+=(%s %s)\n", r.Name, quote(r.Text))
		default:
			fmt.Fprintf(&rules, "skillhand_%s=%s\n", strings.ReplaceAll(r.Kind, "-", "_"), quote(r.Text))
		}
	}
	fmt.Fprintf(&rules, "skillhand_marks=%s\n", quote(strings.Join(marks, "|")))
	return strings.NewReplacer(
		"@WORDS@", words.String(),
		"@SIGNS@", signs.String(),
		"@RULES@", "skillhand_rules=()\n"+rules.String(),
		"@DEPTH@", fmt.Sprint(depth),
	).Replace(preambleText)
}

func quote(word string) string {
	quoted, err := syntax.Quote(word, syntax.LangBash)
	if err != nil {
		panic(err) // cannot happen: the words are skillhand's own
	}
	return quoted
}

// A preamble is the code at the beginning of a migrated script.
type preamble struct {
	fd      string // the file descriptor that leads to the listener; the next one is for its answer
	ends    bool   // the end of the file is marked, so that an end by a signal can be recognized
	asks    bool   // it prints JSON if its caller asks for it: that JSON is passed on instead of a report
	trapped bool   // a file that it sources sets an EXIT trap
	up      string // the path from the script's folder to that of the ReportFile; "" puts the code into the script
}

func (p preamble) text() string {
	set := "skillhand_fd=" + p.fd + " skillhand_ends="
	if p.ends {
		set += "1"
	}
	if p.asks {
		set += " skillhand_json=$$" // only this script's id, in case the variable is exported
	}
	if p.trapped {
		set += " skillhand_traps=$$"
	}
	if p.up == "" {
		return firstLine + set + "\n" + preambleCode(0) + lastLine
	}
	// The path starts at the script's own folder: its name as it was called, with links followed.
	return firstLine + set +
		` skillhand=${BASH_SOURCE[0]-}; [[ -L $skillhand ]] && skillhand=$(PATH=$PATH:/usr/bin:/bin readlink -f "$skillhand"); ` +
		`. "${skillhand%"${skillhand##*/}"}` + p.up + ReportFile + `" || exit 1` + "\n\n"
}

// withoutPreamble returns a migrated script without the code that was put into it. The remaining
// lines keep their numbers.
func withoutPreamble(src []byte) []byte {
	before, rest, ok := bytes.Cut(src, []byte(firstLine))
	code, after, ends := bytes.Cut(rest, []byte(lastLine))
	if !ok || !ends {
		return src
	}
	return slices.Concat(before, bytes.Repeat([]byte("\n"), 1+bytes.Count(code, []byte("\n"))+strings.Count(lastLine, "\n")), after)
}
