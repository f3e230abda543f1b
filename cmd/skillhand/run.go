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
		Long: `Run a script, read the report that it prints on stdout, and check the report against
what happened: each deliverable must exist and must have been made or changed by
this run, and success needs exit status 0. You see the script's stderr live.

SKILL is a name, plugin:name, or the path of a skill's folder; its script is
execute.* or scripts/execute.*. SCRIPT is a path. The script runs in this folder,
and only from folders that you trust.

Put flags of run before the name: run passes everything after the name to the
script, flags too. skillhand warns if you pass the script a flag that run also has.
Put -- before the flag to silence the warning.

When the script ends, the processes that it started must end too. A process that
keeps the output open may stay silent for a second; then skillhand stops it and
warns.

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
