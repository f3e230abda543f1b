package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/report/verdict"
)

type runOptions struct {
	skillhand.RunRequest
	at   cli.At
	json bool
}

func newRun(std *cli.Std) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [flags] SKILL|SCRIPT [ARG...]",
		Short: "Run a skill's script and judge its report",
		Long: `Run a script, read the report it prints on stdout, and check it against what
happened: each deliverable must exist and have been made or changed by this run,
and success must go with exit status 0. The script's stderr is shown live.

SKILL is a name, plugin:name, or the path of a skill's folder; its script is
execute.* or scripts/execute.*. SCRIPT is a path. Everything after it, flags
too, is passed to the script: flags of run come before it. One that the script
gets and run has too is named; after -- it is not. The script runs in this folder,
and only from folders that you trust.

When the script ends, the processes it started must end too. One that keeps the
output open may stay silent for a second; then it is ended, with a warning.

The exit status is 0 only if every check passes, and 124 after a timeout.`,
		Example: `  skillhand run deploy staging
  skillhand run ./skills/deploy/execute.sh --dry-run
  skillhand run --timeout 30s --json deploy`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: o.at.CompleteSkills(std, false),
		RunE:              func(cmd *cobra.Command, args []string) error { return runRun(cmd.Context(), cmd, std, o, args) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.DurationVar(&o.Timeout, "timeout", 10*time.Minute, "time limit for the whole run")
	f.StringVar(&o.Cwd, "cwd", "", "work in this `folder` instead of here; deliverables are relative to it")
	o.at.RootFlags(cmd)
	f.BoolVar(&o.json, "json", false, "print one JSON document: the verdict")
	return cmd
}

func runRun(ctx context.Context, cmd *cobra.Command, std *cli.Std, o runOptions, args []string) error {
	if o.Timeout <= 0 {
		return cli.Usagef("--timeout %s: want more than 0", o.Timeout)
	}
	o.Script, o.Args = args[0], args[1:]
	if flag := cli.Misplaced(cmd, o.Args); flag != "" {
		std.Note(fmt.Sprintf("%s was passed to the script; to give it to skillhand: skillhand run %[1]s %s …", flag, o.Script))
	}
	rt, err := o.at.Runtime(std, "Running "+term.Visible(o.Script))
	if err != nil {
		return err
	}
	spinner := std.Spin("running " + term.Visible(o.Script))
	rt.Stdin, rt.Stderr = std.In, spinner
	v, err := rt.Run(ctx, o.RunRequest)
	spinner.End()
	if err != nil {
		if o.json {
			if perr := std.PrintJSON(verdict.NotRun(err)); perr != nil {
				return perr
			}
		}
		return err
	}
	if o.json {
		err = std.PrintJSON(v)
	} else {
		err = std.Print(formatVerdict(v, std.Painter()))
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case v.TimedOut:
		return cli.Said(cli.ExitTimeout)
	case !v.OK:
		return cli.Said(cli.ExitFailed)
	}
	return nil
}
