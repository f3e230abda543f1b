package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/setup"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

type doctorOptions struct {
	at               cli.At
	all, write, json bool
}

// diagnoseSkills prints what skills need, and whether it is here.
func diagnoseSkills(cmd *cobra.Command, std *cli.Std, o doctorOptions, names []string) error {
	h, err := o.at.Here(std.Env)
	if err != nil {
		return err
	}
	list, err := doctorList(std, h, o, names)
	if err != nil {
		return err
	}
	missing := 0
	for _, loc := range list {
		n, err := setup.NeedsOf(loc)
		if err != nil {
			if !o.all {
				return err
			}
			std.Warn(err.Error())
			continue
		}
		n.Look(setup.WhatIsHere(h, std.Runtime(h).Policy(h)))
		if len(n.Missing()) > 0 {
			missing++
		}
		text := func() string { return n.Text(std.Edge(), std.Painter()) }
		if o.all {
			text = n.Row
		}
		if err := std.PrintEither(o.json, n, text); err != nil {
			return err
		}
		if o.write {
			if err := writeCompatibility(cmd, std, n); err != nil {
				return err
			}
		}
	}
	if o.all {
		std.Say(fmt.Sprintf("skillhand: %s, %d with something missing", term.Plural(len(list), "skill"), missing))
	}
	if missing > 0 {
		return cli.Said(cli.ExitMissing)
	}
	return nil
}

func doctorList(std *cli.Std, h here.Here, o doctorOptions, names []string) (list []skill.Location, err error) {
	if !o.all {
		loc, err := h.Finder().Find(names[0])
		if err != nil {
			return nil, cli.Exit(cli.ExitMissing, err)
		}
		return []skill.Location{loc}, nil
	}
	all, faults := h.Finder().List()
	for _, err := range faults {
		std.Warn(err.Error())
	}
	list = slices.DeleteFunc(all, skill.Location.IsOwn)
	if len(list) == 0 {
		return nil, cli.Exit(cli.ExitMissing, errors.New("there are no skills here; doctor NAME says what one of yours needs"))
	}
	return list, nil
}

// writeCompatibility shows the change to a SKILL.md, and writes it if a person at the terminal
// agrees. Without a terminal it writes nothing.
func writeCompatibility(cmd *cobra.Command, std *cli.Std, n *setup.Needs) error {
	edit, err := n.Write()
	if err != nil {
		return err
	}
	if edit == nil {
		std.Say("skillhand: compatibility says so already")
		return nil
	}
	edit.Name = term.Near(n.File)
	return std.WriteShown(cmd.Context(), n.File, edit)
}
