package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/setup"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/trust"
)

func newInit(std *cli.Std) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make a new skill, plugin or batch",
		Long:  "Make a new skill, plugin or batch that works right away. init overwrites nothing.",
		Example: `  skillhand init skill review       in .claude/skills of this project
  skillhand init plugin toolbox     in the folder toolbox
  skillhand init batch reviews      in the folder reviews`,
	}
	cli.Group(cmd)
	group := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && setup.CheckName(args[0]) == nil && len(cli.Meant(cmd, args[0])) == 0 {
			return cli.Usagef("init %s: a new what? For a skill: skillhand init skill %s\nsee skillhand init --help", args[0], args[0])
		}
		return group(cmd, args)
	}
	cmd.AddCommand(newInitSkill(std), newInitPlugin(std), newInitBatch(std))
	return cmd
}

func newInitSkill(std *cli.Std) *cobra.Command {
	var dir string
	var launcher, gated bool
	var agents []string
	cmd := &cobra.Command{
		Use:   "skill NAME",
		Short: "Make a new skill",
		Long: `Make a new skill in .claude/skills at the top of this project: one ordinary
SKILL.md, which any agent can read without skillhand. init overwrites nothing.

With --launcher, SKILL.md calls skillhand load instead. The agent then reads the
instructions once in a session and fresh output every time, but everyone who uses
the skill needs skillhand. The skill also gets a script and a test.

With --gate, the skill also gets a done.yaml: checks that must pass when an agent
says that it is done. See skillhand gate --help.

With --for, also make a stub for an agent that reads skills but runs no directives
in them. The stub has the skill's description, and tells the agent to run skillhand
load and to follow the page. If the skill already exists, init makes only its stubs.`,
		Example: `  skillhand init skill review
  skillhand init skill review --dir plugin/skills
  skillhand init skill review --launcher
  skillhand init skill review --gate
  skillhand init skill review --for codex,gemini`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := setup.CheckName(args[0]); err != nil {
				return cli.Usagef("%v", err)
			}
			for _, agent := range agents {
				if _, err := setup.StubFolder(agent, false); err != nil {
					return cli.Usagef("--for %v", err)
				}
			}
			newSkill := setup.Maker(setup.NewSkill)
			if launcher {
				newSkill = setup.NewLauncher
			}
			if gated {
				newSkill = newSkill.WithGate
			}
			if len(agents) > 0 {
				return initStubs(std, args[0], dir, newSkill, agents)
			}
			target, err := skillFolder(dir, args[0])
			if err != nil {
				return err
			}
			made, err := newSkill(target, args[0])
			if err == nil && launcher {
				std.Say("everyone who uses this skill needs skillhand: SKILL.md calls it")
			}
			return printMade(std, made, err, "skillhand load "+hint(target))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the `folder` of skills (default .claude/skills)")
	cmd.Flags().BoolVar(&launcher, "launcher", false, "make a SKILL.md that calls skillhand load, with a script and a test")
	cmd.Flags().BoolVar(&gated, "gate", false, "also make a done.yaml, with checks to start from")
	cmd.Flags().StringSliceVar(&agents, "for", nil, "make a stub for these `agents`: "+strings.Join(setup.StubAgents(), ", "))
	cli.Values(cmd, "for", setup.StubAgents()...)
	return cmd
}

// initStubs makes a skill's stubs, and the skill if it does not exist.
func initStubs(std *cli.Std, name, dir string, newSkill setup.Maker, agents []string) error {
	h, err := here.From("", std.Env)
	if err != nil {
		return err
	}
	folder, err := skillFolder(dir, name)
	if err != nil {
		return err
	}
	made, err := setup.NewStubs(h.Finder(), files.Around(h.Dir), name, folder, dir != "", newSkill, agents)
	return printMade(std, made, err, "skillhand load "+name)
}

// skillFolder returns the folder of a new skill: in dir, or among the project's skills if dir is
// empty.
func skillFolder(dir, name string) (string, error) {
	if dir == "" {
		work, err := os.Getwd()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(files.Around(work), ".claude", "skills")
	}
	return filepath.Join(dir, name), nil
}

func newInitPlugin(std *cli.Std) *cobra.Command {
	return &cobra.Command{
		Use:     "plugin NAME",
		Short:   "Make a new plugin with one skill",
		Long:    "Make a new plugin for Claude Code, with one skill, in the folder NAME.\ninit overwrites nothing.",
		Example: "  skillhand init plugin toolbox",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := setup.CheckName(args[0]); err != nil {
				return cli.Usagef("%v", err)
			}
			made, err := setup.NewPlugin(args[0], args[0])
			first := "hello --plugin-root " + args[0]
			if h, err := here.From("", std.Env); err == nil {
				if _, err := h.Finder().Find(args[0] + ":hello"); err == nil { // not found if this folder is the home folder
					first = args[0] + ":hello"
				}
			}
			return printMade(std, made, err, "skillhand load "+first)
		},
	}
}

func newInitBatch(std *cli.Std) *cobra.Command {
	return &cobra.Command{
		Use:     "batch NAME",
		Short:   "Make a new job file, with jobs to start from",
		Long:    "Make a job file for skillhand batch, with a script and texts to start from, in\nthe folder NAME. init overwrites nothing.",
		Example: "  skillhand init batch reviews",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := setup.CheckName(args[0]); err != nil {
				return cli.Usagef("%v", err)
			}
			made, err := setup.NewBatch(args[0], args[0])
			return printMade(std, made, err, "skillhand batch run "+args[0]+"/jobs.yaml")
		},
	}
}

// printMade lists the new files and prints the next command.
func printMade(std *cli.Std, files []string, err error, next string) error {
	if err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintln(std.Out, term.Near(f))
	}
	if how := howToTrust(std, files); how != "" {
		std.Say("trust this folder first: " + how)
	}
	std.Say("try it: " + next)
	return nil
}

// howToTrust returns the command that lets the new files run. It returns "" if none of them is a
// script, or if they may already run or never will. Making a skill does not trust its folder:
// others may have put files there too.
func howToTrust(std *cli.Std, made []string) string {
	runs := slices.IndexFunc(made, func(f string) bool { return filepath.Ext(f) == ".sh" })
	rt, err := new(cli.At).Runtime(std, "")
	if err != nil || runs < 0 {
		return ""
	}
	refused, _ := errors.AsType[*trust.NotTrusted](rt.Policy(rt.Here).Now().May(made[runs]))
	return refused.Remedy(files.Real(files.Around(rt.Dir)))
}

// hint returns a path in a form that load recognizes as a path.
func hint(path string) string {
	path = term.Near(path)
	if !strings.ContainsRune(path, '/') {
		path = "./" + path
	}
	return path
}
