package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/report"
)

type emitOptions struct {
	report        report.Report
	success, fail bool
	since         string
}

func newEmit(std *cli.Std) *cobra.Command {
	var o emitOptions
	cmd := &cobra.Command{
		Use:   "emit",
		Short: "Print a valid report, from a shell script",
		Long: `Print a report made from flags. emit escapes all values. If the flags do not make a
valid report, emit prints nothing on stdout and exits with status 2.

Without flags, the report is a success with confidence 1. --error makes it a failure
with confidence 0. --success and --confidence override this.`,
		Example: `  skillhand emit --deliverable src/auth.ts --metric files_created=1
  skillhand emit --confidence 0.8 --since "$START_MS"
  skillhand emit --error FILE_NOT_FOUND="no $file" --context "file=$file"`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runEmit(std, cmd, &o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.success, "success", false, "report a success, despite errors")
	f.BoolVar(&o.fail, "fail", false, "report a failure")
	f.Float64Var(&o.report.Confidence, "confidence", 1, "how good the result is, 0 to 1 (default 1, or 0 for a failure)")
	f.Lookup("confidence").DefValue = "0" // hides it in the help, because there are two defaults
	f.Var(collect("path", o.report.AddDeliverable), "deliverable", "a file or folder that the script made or changed; repeatable")
	f.Var(collect("name=number", o.report.AddMetric), "metric", "a measured value; repeatable")
	f.Var(collect("CODE=message", o.report.AddError), "error", "an error; repeatable")
	f.Var(collect("key=value", o.addContext), "context", "a detail of the preceding --error; repeatable")
	f.StringVar(&o.since, "since", "", "set execution_time_ms from `START`: milliseconds since 1970, as date +%s%3N prints them")
	return cmd
}

func runEmit(std *cli.Std, cmd *cobra.Command, o *emitOptions) error {
	r, saysSuccess, saysFail := &o.report, cmd.Flags().Changed("success"), cmd.Flags().Changed("fail")
	switch {
	case saysSuccess && saysFail && o.success == o.fail:
		return cli.Usagef("--success and --fail cannot be used together")
	case saysSuccess:
		r.Success = o.success
	case o.fail:
		r.Success = false
	default:
		r.Success = len(r.Errors) == 0
	}
	if !r.Success && !cmd.Flags().Changed("confidence") {
		r.Confidence = 0
	}
	if cmd.Flags().Changed("since") {
		if err := r.Began(o.since, time.Now()); err != nil {
			return cli.Usagef("--since %q: %v", o.since, err)
		}
	}
	if faults := r.Check(); len(faults) > 0 {
		var all []error
		for _, f := range faults {
			text := formatFault(f)
			if f.Path == "/confidence" {
				text = fmt.Sprintf("--confidence %v: %s", r.Confidence, f.Message)
			}
			all = append(all, errors.New(text))
		}
		return cli.Exit(cli.ExitUsage, errors.Join(all...))
	}
	return std.PrintJSON(r)
}

func (o *emitOptions) addContext(text string) error {
	err := o.report.AddContext(text)
	if errors.Is(err, report.ErrNoError) {
		err = errors.New("no --error comes before it")
	}
	return err
}

// A collected flag passes each of its values to a function, in the order of the command line.
type collected struct {
	kind string
	add  func(value string) error
}

func collect(kind string, add func(string) error) *collected { return &collected{kind, add} }

func (c *collected) Set(value string) error { return c.add(value) }
func (c *collected) String() string         { return "" }
func (c *collected) Type() string           { return c.kind }
