package may

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/permit"
)

// A Case is a line of a permissions.test: what is wanted of a use of a tool in a mode.
type Case struct {
	Line int
	Want permit.Decision
	Mode string
	Use  string // as Parse takes it
}

// Shared reads the rules that a project shares with everybody, and no others, as they hold once the folder is trusted.
func Shared(w settings.Where) *Place {
	w.Dir = files.Real(w.Dir)
	p := &Place{Where: w, Files: settings.Read(w)}
	for _, f := range p.Files.Files {
		if f.Source == settings.Project {
			for _, r := range f.Rules {
				r.File, r.Source = f.Name, f.Source
				p.add(r)
			}
			p.dirs = append(p.dirs, f.Dirs...)
		}
	}
	return p
}

// ParseCases reads a permissions.test: DECISION [MODE:] COMMAND on each line, the command as it is. Lines that are empty or
// begin with # say nothing.
func ParseCases(name, src string) (cases []Case, err error) {
	decisions := []permit.Decision{permit.Allow, permit.Ask, permit.Deny, permit.Classifier, permit.Unknown}
	var faults []error
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(src, "\ufeff")) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, use, _ := strings.Cut(line, " ")
		c := Case{Line: n, Want: permit.Decision(word), Mode: "default", Use: strings.TrimSpace(use)}
		if mode, rest, ok := strings.Cut(c.Use, ": "); ok && slices.Contains(claudecode.Modes(), mode) {
			c.Mode, c.Use = mode, strings.TrimSpace(rest)
		}
		switch {
		case !slices.Contains(decisions, c.Want):
			faults = append(faults, fmt.Errorf("%s:%d: %q is no decision; write allow, ask, deny, classifier or unknown", name, n, word))
		case c.Use == "":
			faults = append(faults, fmt.Errorf("%s:%d: there is no command after %s", name, n, word))
		default:
			cases = append(cases, c)
		}
	}
	return cases, errors.Join(faults...)
}

// Try returns how the decision differs from what is wanted, or "".
func (p *Place) Try(c Case) string {
	got := p.Ask(c.Use).In(c.Mode)
	if got.Decision == c.Want {
		return ""
	}
	why := got.Reason
	if got.RuleFile != "" {
		why += " (" + got.RuleFile + ")"
	}
	return fmt.Sprintf("line %d: want %s in mode %s, got %s: %s\n  %s\n", c.Line, c.Want, c.Mode, got.Decision, c.Use, why)
}
