package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/activity/view"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/reports"
	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/schemas"
)

type parseOptions struct {
	report.Options
	defaultConfidence float64
	schema, json      bool
}

func newParse(std *cli.Std) *cobra.Command {
	var o parseOptions
	cmd := &cobra.Command{
		Use:   "parse [FILE...]",
		Short: "Read reports out of script output",
		Long: `Read the report in each file, or in stdin: a JSON object of five fields, alone
or the last one among other text; otherwise older plain-text forms such as
SUCCESS, Confidence: 0.92 and Created: FILE. Every fault in a report is listed.

The exit status is 0 if every input has a valid report, whatever it says, 1 if one
has none, and 3 if a file is missing.`,
		Example: `  ./execute.sh | skillhand parse
  skillhand parse out/*.txt --json
  skillhand parse --strict --no-legacy out.json
  skillhand parse --schema > report.schema.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runParse(cmd.Context(), std, o, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.NoLegacy, "no-legacy", false, "read JSON only")
	f.BoolVar(&o.Strict, "strict", false, "refuse unknown fields, duplicate keys and malformed error codes")
	f.Float64Var(&o.defaultConfidence, "default-confidence", 0.5, "confidence for legacy output that states none, a `number`")
	f.BoolVar(&o.schema, "schema", false, "print the JSON Schema of a report")
	f.BoolVar(&o.json, "json", false, "print a line of JSON for each input")
	return cmd
}

func runParse(ctx context.Context, std *cli.Std, o parseOptions, files []string) error {
	if o.schema {
		return printSchema(std, files)
	}
	if !(o.defaultConfidence >= 0 && o.defaultConfidence <= 1) {
		return cli.Usagef("--default-confidence %v: want 0 to 1", o.defaultConfidence)
	}
	o.DefaultConfidence = &o.defaultConfidence
	if len(files) == 0 {
		files = []string{"-"}
	}
	if slices.Contains(files, "-") {
		std.Waiting("reading a script's output from stdin, Ctrl-D ends it")
	}
	r := &reports.Reading{Options: o.Options, In: std.In, Out: std}
	if o.json {
		r.Append = func(lines []byte, input string, result report.Result) []byte {
			return append(result.AppendJSON(lines, input), '\n')
		}
	} else {
		table := view.NewReports(files, std.Painter())
		r.Head, r.Append = table.Header(), table.Append
	}
	invalid, missing, err := r.Run(ctx, files)
	switch {
	case err != nil:
		return err
	case missing:
		return cli.Said(cli.ExitMissing)
	case invalid > 0:
		return cli.Said(cli.ExitFailed)
	}
	return nil
}

func printSchema(std *cli.Std, files []string) error {
	if len(files) > 0 {
		return cli.Usagef("--schema takes no file")
	}
	schema, err := schemas.Files.ReadFile("skill-output-v1.schema.json")
	if err != nil {
		return err
	}
	return std.Print(string(schema))
}
