package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/gate"
	"github.com/skillhand/skillhand/internal/words"
)

func doneRules() []*Rule {
	return []*Rule{
		{ID: "SK613", Name: "done-broken", Severity: Error, kinds: []Kind{Skill}, run: doneBroken,
			Summary: "done.yaml cannot be read: its checks are never asked"},
		{ID: "SK614", Name: "done-empty", Severity: Warning, kinds: []Kind{Skill}, run: doneEmpty,
			Summary: "a check of done.yaml can never fail, or the agent may not do what it wants"},
	}
}

// readDone reads the done.yaml beside a skill; src is nil if there is none.
func (p *pass) readDone() (file string, src []byte, checks []gate.Check, faults []*doc.Fault) {
	file = filepath.Join(p.folder(), gate.DoneFile)
	if !files.IsFile(p.doc.file.Path) || !files.IsFile(file) {
		return file, nil, nil, nil
	}
	p.doc.reads(file)
	src, err := files.ReadFile(file)
	if err != nil {
		return file, nil, nil, nil // which reading it tells
	}
	r := gate.Reader{Reader: doc.Reader{File: file}}
	checks = r.Done(src)
	return file, src, checks, r.Faults()
}

func doneBroken(p *pass) {
	file, src, _, faults := p.readDone()
	for _, f := range faults {
		line := min(max(f.Line, 1), 1+strings.Count(string(src), "\n"))
		p.beside(file, src, line, "%s: skillhand done and the gate ask none of these checks", f.Text)
	}
}

// doneEmpty reports checks that say nothing, and those that ask for what Claude Code does not let the agent do.
func doneEmpty(p *pass) {
	file, src, checks, faults := p.readDone()
	if src == nil || len(faults) > 0 {
		return
	}
	if p.doc.skill.Front.Context == "fork" {
		f := p.beside(file, src, 1, "the skill runs in a fork (context: fork), where gates are never asked")
		f.Help = "run skillhand done by hand, or in CI"
	}
	for _, c := range checks {
		if why := holdsAlways(&c); why != "" {
			p.beside(file, src, c.Line, "this check never fails: %s", why)
		}
		if c.Tools == nil || c.Tools.Order || c.Tools.Tool.Tool != "Bash" || c.Tools.Tool.Input == "" || c.Tools.Least() == 0 {
			continue
		}
		if v := p.doc.decide(p.doc.request(c.Tools.Tool.Input, p.doc.place())); aborts(v) {
			f := p.beside(file, src, c.Line, "the agent must run %s, and Claude Code asks first: %s; in claude -p it cannot be done",
				c.Tools.Tool.Input, reason(v))
			if f.Help = "add a rule for it to allowed-tools"; v.Suggest != nil {
				f.Help = v.Suggest.String()
			}
		}
	}
}

// holdsAlways says why a check holds whatever the agent did, or returns "".
func holdsAlways(c *gate.Check) string {
	switch {
	case c.Command != "":
		line, err := words.Parse(c.Command)
		if err != nil || len(line.Stmts) == 0 {
			return ""
		}
		name := alwaysGood(line.Stmts[len(line.Stmts)-1])
		if name != "" && !strings.Contains(c.Command, "set -e") && !strings.Contains(c.Command, "exit ") {
			return fmt.Sprintf("its command ends with %s, which succeeds", name)
		}
	case c.Tools != nil && !c.Tools.Order && c.Tools.Least() == 0 && c.Tools.Max == nil:
		return "0 uses or more are wanted"
	case c.File != "" && filepath.Clean(c.File) == "." && c.Contains == "" && c.Matches == "" && c.JSON == "" && !c.Report:
		return "the folder is always there"
	case c.File == "" && c.Matches != "" && !strings.ContainsAny(c.Matches, "^$\\"):
		if matches, err := nullable(c.Matches); err == nil && matches {
			return fmt.Sprintf("%s matches every text", c.Matches)
		}
	}
	return ""
}

// alwaysGood returns the command that ends a statement and always succeeds, or "".
func alwaysGood(s *syntax.Stmt) string {
	switch cmd := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.OrStmt {
			return alwaysGood(cmd.Y)
		}
	case *syntax.CallExpr:
		if len(cmd.Args) > 0 && !s.Negated && !s.Background {
			if name := cmd.Args[0].Lit(); slices.Contains([]string{"true", ":", "echo", "printf"}, name) {
				return name
			}
		}
	}
	return ""
}
