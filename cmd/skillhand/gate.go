package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/gate"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/internal/words"
)

type gateOptions struct {
	at   cli.At
	json bool
}

func newGate(std *cli.Std) *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Send an agent back to work until a skill's checks pass",
		Long: `When Claude Code is about to stop, a gate runs the checks in a skill's done.yaml. If
a check fails, the agent learns which one and continues, at most twice in a turn.
The gate runs only if the agent got the skill in this turn, and only in folders that
you trust. If a check has no clear result, the agent may stop.

Gates are off until you switch them on; a project cannot switch them on. They need
skillhand's plugin in Claude Code.

Without a command, gate lists the skills here that have a done.yaml.`,
		Example: `  skillhand gate                  list the skills here that have checks
  skillhand gate on release       switch on the gate of one skill
  skillhand gate on               switch on the gates of all skills
  skillhand gate off              switch all gates off`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return listGates(std, o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print a line of JSON for each skill")
	o.at.Flags(cmd)
	cmd.AddCommand(newGateSwitch(std, true), newGateSwitch(std, false))
	return cmd
}

func newGateSwitch(std *cli.Std, on bool) *cobra.Command {
	var at cli.At
	use, short, long := "off [SKILL]", "Switch off the gate of a skill, or all gates", "Switch off the gate of a skill, or all gates."
	if on {
		use, short = "on [SKILL]", "Switch on the gate of a skill, or all gates"
		long = `Switch on the gate of a skill, or of all skills. skillhand first shows the commands
of the skill's checks and asks you on the terminal. Without a terminal it switches
nothing on, because a model could run this command.`
	}
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long,
		Example:           "  skillhand gate " + strings.Fields(use)[0] + " release",
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: at.CompleteSkills(std, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return switchGate(cmd.Context(), std, &at, on, strings.Join(args, ""))
		},
	}
	at.Flags(cmd)
	return cmd
}

// switchGate switches a gate on or off; an empty name means all gates.
func switchGate(ctx context.Context, std *cli.Std, at *cli.At, on bool, name string) error {
	h, err := at.Here(std.Env)
	if err != nil {
		return err
	}
	folder, what, commands := "", "all skills", []string(nil)
	if name != "" {
		found, err := h.Finder().Look(name)
		if err != nil {
			return cli.Exit(cli.ExitMissing, err)
		}
		folder, what = files.Real(found.Folder), found.Name
		done, err := gate.ReadDone(folder, nil)
		switch {
		case !on:
		case errors.Is(err, fs.ErrNotExist):
			return cli.Exit(cli.ExitMissing, fmt.Errorf("%s: there is no %s beside SKILL.md", term.Near(folder), gate.DoneFile))
		case err != nil:
			return err
		default:
			commands = done.Commands()
			if err := h.Policy().Now().May(done.File); err != nil {
				return cli.Exit(cli.ExitFailed, err)
			}
		}
	}
	if on {
		if !std.Interactive() {
			return cli.Exit(cli.ExitFailed, fmt.Errorf("gate of %s: not switched on: there is no terminal to ask you on", what))
		}
		text := "When an agent that got the skill stops, skillhand runs the skill's checks."
		if len(commands) > 0 {
			text += "\nThey run these commands:"
		}
		std.Say(text)
		for _, c := range commands {
			std.Say(term.Indent(term.Visible(c)))
		}
		yes, err := std.Ask(ctx, fmt.Sprintf("\nSwitch on the gate of %s? [y/N] ", what))
		if err == nil && !yes {
			err = cli.Exit(cli.ExitFailed, fmt.Errorf("gate of %s: not switched on", what))
		}
		if err != nil {
			return err
		}
	}
	if err := (trust.Store{Dir: h.TrustDir()}).SetGate(folder, on); err != nil {
		return err
	}
	return std.Print(fmt.Sprintf("gate of %s: %s\n", what, map[bool]string{true: "on", false: "off"}[on]))
}

// A gateLine describes the gate of a skill. It is described by schemas/gate-v1.schema.json.
type gateLine struct {
	Skill   string `json:"skill"`
	File    string `json:"file"`
	Checks  int    `json:"checks"`
	On      bool   `json:"on"`
	Trusted bool   `json:"trusted"`
	Fault   string `json:"fault,omitempty"` // why the gate never runs
}

func listGates(std *cli.Std, o gateOptions) error {
	h, err := o.at.Here(std.Env)
	if err != nil {
		return err
	}
	lines := gatesHere(h)
	if len(lines) == 0 {
		std.Say("no skill here has a done.yaml; to make one: skillhand init skill NAME --gate")
	}
	return cli.PrintEach(std, o.json, lines, func(g gateLine) string {
		state := "off"
		switch {
		case g.Fault != "":
			state = "broken: " + g.Fault
		case g.On && !g.Trusted:
			state = "on, but never runs: not trusted; run: skillhand trust " + words.Quote(trust.Root(g.File))
		case g.On:
			state = "on"
		}
		return fmt.Sprintf("%s  %s, %s  %s\n", g.Skill, term.Near(g.File), term.Plural(g.Checks, "check"), term.Flat(state))
	})
}

// gatesHere lists the skills here that have checks.
func gatesHere(h here.Here) (lines []gateLine) {
	all, _ := h.Finder().List() // doctor reports unreadable skills
	policy := h.Policy().Now()
	for _, loc := range all {
		folder := files.Real(loc.Folder)
		done, err := gate.ReadDone(folder, nil)
		if errors.Is(err, fs.ErrNotExist) || done == nil && err == nil {
			continue
		}
		line := gateLine{Skill: loc.Call, File: filepath.Join(folder, gate.DoneFile)}
		if err != nil {
			line.Fault = err.Error()
		} else {
			line.Checks = len(done.Checks)
		}
		line.Trusted = policy.May(line.File) == nil
		if line.On, err = policy.GateOn(folder); err != nil {
			line.Fault = err.Error()
		}
		lines = append(lines, line)
	}
	return lines
}
