package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/here"
)

func newRetro(std *cli.Std) *cobra.Command {
	var req activity.RetroRequest
	var since string
	var asJSON, markdown bool
	cmd := &cobra.Command{
		Use:   "retro",
		Short: "Look back: what failed, why, and what to do",
		Long: `Summarize the runs and asks of this project: failures by category and by skill,
confidence over time, the slowest and the most expensive, the same input with
different results, and what to do about it.`,
		Example: `  skillhand history retro
  skillhand history retro --since 30d --all
  skillhand history retro --markdown > retro.md
  skillhand history retro --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			var err error
			if req.Since, err = activity.Since(since, time.Now()); err != nil {
				return cli.Usagef("--since %v", err)
			}
			h, err := here.From("", std.Env)
			if err != nil {
				return err
			}
			retro, err := activity.NewRetro(h, req)
			switch {
			case err != nil:
				return err
			case asJSON:
				return std.PrintJSON(retro)
			case markdown:
				return std.Print(retro.Markdown())
			}
			return std.Print(retro.Box(look(std)))
		},
	}
	f := cmd.Flags()
	f.StringVar(&since, "since", activity.DefaultPeriod, "a `period` such as 12h, 7d or 4w, or a day such as 2026-11-01")
	f.StringVar(&req.Skill, "skill", "", "only this skill or script, by `name`")
	f.BoolVar(&req.All, "all", false, "every project, not only this one")
	f.BoolVar(&asJSON, "json", false, "print one JSON document")
	f.BoolVar(&markdown, "markdown", false, "print Markdown")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	cli.ValuesFrom(cmd, "skill", func() []string { return new(cli.At).SkillNames(std) })
	return cmd
}
