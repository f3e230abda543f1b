package web

import (
	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/setup"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/term"
)

// A needs says whether a skill works here: what Claude Code decides about its directives, and what it needs.
type needs struct {
	Live        bool
	Version     string // of Claude Code
	Directives  []verdict
	Needs       []need
	May, Doctor string // the commands that print the same
	Faults      []string
}

type verdict struct {
	check.Verdict
	Why string
}

type need struct {
	setup.Need
	Kind, Mark string
}

// Mark returns the class of what Claude Code does with a directive.
func (verdict) Mark(e check.Effect) string {
	return map[check.Effect]string{check.Runs: "good", check.Aborts: "bad"}[e]
}

// needs says what may --skill and doctor print. It runs nothing.
func (l *look) needs() *needs {
	v, file := l.visit, l.loc.Main().File
	d := &needs{
		Live: v.live, Version: claudecode.Version,
		May:    shell.Quote([]string{"skillhand", "may", "--skill", l.name}),
		Doctor: shell.Quote([]string{"skillhand", "doctor", l.name}),
	}
	if c, err := check.At(v.site.Runtime.Here, []string{file}); err != nil {
		d.Faults = append(d.Faults, "check: "+err.Error())
	} else if all, err := c.Files(); err != nil {
		d.Faults = append(d.Faults, "check: "+err.Error())
	} else {
		for _, one := range check.Run(v.ctx, all, c.Options).Verdicts {
			d.Directives = append(d.Directives, verdict{one, one.Why()})
		}
	}
	n, err := setup.NeedsOf(l.loc.Main())
	if err != nil {
		d.Faults = append(d.Faults, err.Error())
		return d
	}
	n.Look(setup.WhatIsHere(v.site.Runtime.Here, v.site.Runtime.Policy(v.site.Runtime.Here)))
	for _, kind := range n.Kinds() {
		for _, one := range kind.Needs {
			mark := map[string]string{"here": "good", "missing": "bad", "optional": "warn"}[one.Status()]
			d.Needs = append(d.Needs, need{one, kind.Name, mark})
		}
	}
	for _, u := range n.Unread {
		d.Faults = append(d.Faults, term.Flat(u.File)+": "+u.Why)
	}
	return d
}
