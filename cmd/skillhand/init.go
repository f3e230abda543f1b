package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/scaffold"
	"github.com/skillhand/skillhand/skill"
)

func newInit(std *stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make a new skill, plugin or batch",
		Long:  "Make a new skill, plugin or batch that works right away. Nothing is overwritten.",
		Example: `  skillhand init skill review       in .claude/skills of this project
  skillhand init plugin toolbox     in the folder toolbox
  skillhand init batch reviews      in the folder reviews`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newInitSkill(std), newInitPlugin(std), newInitBatch(std))
	return cmd
}

func newInitSkill(std *stdio) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "skill NAME",
		Short: "Make a new skill",
		Long: `Make a new skill that loads and runs right away, in .claude/skills at the top of
this project. Nothing is overwritten.`,
		Example: `  skillhand init skill review
  skillhand init skill review --dir plugin/skills`,
		Args: cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := scaffold.CheckName(args[0]); err != nil {
				return cli.Usagef("%v", err)
			}
			if dir == "" {
				here, err := os.Getwd()
				if err != nil {
					return err
				}
				if top := skill.Top(here); top != "" {
					here = top
				}
				dir = filepath.Join(here, ".claude", "skills")
			}
			target := filepath.Join(dir, args[0])
			made, err := scaffold.Skill(target, args[0])
			return std.made(made, err, "skillhand load "+hint(target))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the `folder` of skills (default .claude/skills)")
	return cmd
}

func newInitPlugin(std *stdio) *cobra.Command {
	return &cobra.Command{
		Use:     "plugin NAME",
		Short:   "Make a new plugin with one skill",
		Long:    "Make a new plugin for Claude Code, with one skill, in the folder NAME.\nNothing is overwritten.",
		Example: "  skillhand init plugin toolbox",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := scaffold.CheckName(args[0]); err != nil {
				return cli.Usagef("%v", err)
			}
			made, err := scaffold.Plugin(args[0], args[0])
			return std.made(made, err, "skillhand load hello --plugin-root "+args[0])
		},
	}
}

func newInitBatch(std *stdio) *cobra.Command {
	return &cobra.Command{
		Use:     "batch NAME",
		Short:   "Make a new job file, with jobs to start from",
		Long:    "Make a job file for skillhand batch, with a script and texts to start from, in\nthe folder NAME. Nothing is overwritten.",
		Example: "  skillhand init batch reviews",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := scaffold.CheckName(args[0]); err != nil {
				return cli.Usagef("%v", err)
			}
			made, err := scaffold.Batch(args[0], args[0])
			return std.made(made, err, "skillhand batch run "+args[0]+"/jobs.yaml")
		},
	}
}

// made lists what was written and says what to do next.
func (std *stdio) made(files []string, err error, next string) error {
	if err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintln(std.Out, term.Near(f))
	}
	fmt.Fprintf(std.Err, "try it: %s\n", next)
	return nil
}

// hint writes a path so that load takes it for one.
func hint(path string) string {
	path = term.Near(path)
	if !strings.ContainsRune(path, '/') {
		path = "./" + path
	}
	return path
}
