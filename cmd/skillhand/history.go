package main

import (
	"bufio"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
)

type historyOptions struct {
	activity.Query
	since, kind, project string
	all, json            bool
}

func newHistory(std *cli.Std) *cobra.Command {
	var o historyOptions
	cmd := &cobra.Command{
		Use:   "history [VIEW] [flags]",
		Short: "List past runs and asks, or summarize them (status, retro)",
		Long: `List the recorded runs and asks of this project, the latest last; --all lists those
of every project. A record says what ran, where, how it ended, how long it took and
what it cost. It contains no text of a prompt or a page, and nothing from the
environment. Set SKILLHAND_HISTORY=off to record nothing.

Two views summarize the records. status shows what this session has loaded and how
the last runs went. retro shows what failed, why, and what to do.`,
		Example: `  skillhand history
  skillhand history --failed --since 7d
  skillhand history --skill deploy --last 5
  skillhand history --json | jq .duration_ms
  skillhand history status
  skillhand history retro --since 30d`,
		Args: cli.NoCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case cmd.Flags().Changed("last") && o.Last <= 0:
				return cli.Usagef("--last %d: want more than 0", o.Last)
			case cmd.Flags().Changed("since") && o.since == "":
				return cli.Usagef("--since: the value is empty")
			case !cmd.Flags().Changed("last") && !o.json:
				o.Last = 20
			}
			return runHistory(std, o)
		},
	}
	cmd.AddCommand(newStatus(std), newRetro(std))
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "", "a `period` such as 12h, 7d or 4w, or a day such as 2026-11-01")
	cli.OneOf(cmd, &o.kind, "kind", "only one `kind`", string(activity.Run), string(activity.Ask), string(activity.Gate))
	f.StringVar(&o.Skill, "skill", "", "only this skill or script, by `name`")
	f.StringVar(&o.project, "project", "", "only the project of this `folder`")
	f.BoolVar(&o.all, "all", false, "every project, not only this one")
	f.StringVar(&o.Session, "session", "", "only this session, by `id`")
	f.BoolVar(&o.Failed, "failed", false, "only what failed")
	f.IntVar(&o.Last, "last", 0, "only the latest `n` (default 20, or all with --json)")
	f.BoolVar(&o.json, "json", false, "print a line of JSON for each record")
	cmd.MarkFlagsMutuallyExclusive("all", "project")
	cli.ValuesFrom(cmd, "skill", func() []string { return new(cli.At).SkillNames(std) })
	return cmd
}

func runHistory(std *cli.Std, o historyOptions) error {
	var err error
	if o.since != "" {
		if o.Since, err = activity.Since(o.since, time.Now()); err != nil {
			return cli.Usagef("--since %v", err)
		}
	}
	o.Kind = activity.Kind(o.kind)
	if !o.all {
		if o.project == "" {
			o.project = "."
		}
		if o.Project, err = activity.ProjectOf(o.project); err != nil {
			return err
		}
	}
	h, err := here.From("", std.Env)
	if err != nil {
		return err
	}
	found, err := activity.Store{Dir: h.HistoryDir()}.Read(o.Query)
	if err != nil {
		return err
	}
	if found.Damaged > 0 {
		std.Warn("history: skipped " + term.Plural(found.Damaged, "line") + " that cannot be read")
	}
	if all := (activity.Query{Project: o.Project, Last: o.Last}); len(found.Records) == 0 && !o.json && o.Query == all {
		where := "in this project"
		if o.all {
			where = "on this machine"
		}
		std.Say("nothing is recorded " + where + " yet: run, ask, try and batch leave records")
		return nil
	}
	return printRecords(std, found.Records, o.json)
}

func printRecords(std *cli.Std, records []activity.Record, asJSON bool) error {
	if !asJSON {
		if len(records) == 0 {
			fmt.Fprintln(std.Err, "no matching records")
		}
		return std.Print(activity.Records(records, look(std)))
	}
	out := bufio.NewWriter(std)
	if err := errors.Join(activity.WriteLines(out, records), out.Flush()); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}
