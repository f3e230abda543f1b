package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cause"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/schemas"
	"github.com/skillhand/skillhand/view"
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
	if first := slices.Index(files, "-"); first >= 0 {
		std.Waiting("reading a script's output from stdin, Ctrl-D ends it")
		for i, file := range files[first+1:] {
			if file == "-" {
				files[first+1+i] = stdinAgain
			}
		}
	}
	p := &parsing{o: o, std: std, files: files}
	if !o.json {
		p.table = view.NewReports(files, std.Painter())
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	switch {
	case p.missing.Load():
		return cli.Said(cli.ExitMissing)
	case p.invalid.Load() > 0:
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
	if _, err := std.Out.Write(schema); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

// A parsing is many inputs on their way from files to stdout.
type parsing struct {
	o       parseOptions
	std     *cli.Std
	files   []string
	table   *view.Reports
	invalid atomic.Int64 // inputs without a valid report
	missing atomic.Bool  // a file is not there
}

// A few inputs are one worker's share. It may be some shares ahead of what is
// printed.
const (
	share = 64
	ahead = 4
)

// run lets each worker take every nth share, and prints what comes of them in
// the order of the inputs.
func (p *parsing) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shares := slices.Collect(slices.Chunk(p.files, share))
	workers := make([]parseWorker, min(len(shares), runtime.GOMAXPROCS(0)))
	for first := range workers {
		w := parseWorker{done: make(chan []byte, ahead), used: make(chan []byte, ahead)}
		workers[first] = w
		go func() {
			parser := &report.Parser{Options: p.o.Options}
			var text []byte
			for i := first; i < len(shares) && ctx.Err() == nil; i += len(workers) {
				var lines []byte
				select {
				case lines = <-w.used:
				default:
				}
				lines, text = p.parse(ctx, parser, shares[i], lines[:0], text)
				select {
				case w.done <- lines:
				case <-ctx.Done():
				}
			}
		}()
	}
	for i := range shares {
		w := workers[i%len(workers)]
		select {
		case lines := <-w.done:
			if i == 0 {
				if err := p.write([]byte(p.header())); err != nil {
					return err
				}
			}
			if err := p.write(lines); err != nil {
				return err
			}
			select {
			case w.used <- lines:
			default:
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// A parseWorker hands over the lines of one share after the other, and gets
// their memory back.
type parseWorker struct{ done, used chan []byte }

// stdinAgain stands for a second - among the files; no file has such a name.
const stdinAgain = "-\x00"

func (p *parsing) write(text []byte) error {
	if _, err := p.std.Out.Write(text); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

func (p *parsing) header() string {
	if p.o.json {
		return ""
	}
	return p.table.Header()
}

// parse reads inputs, by way of text, and appends what is to be printed about
// them to lines. It returns both, to be used again.
func (p *parsing) parse(ctx context.Context, parser *report.Parser, inputs []string, lines, text []byte) (_, _ []byte) {
	for _, input := range inputs {
		var err error
		switch input {
		case "-":
			text, err = p.readStdin(ctx)
		case stdinAgain:
			input, err = "-", errors.New("stdin can be read only once")
		default:
			text, err = readFile(input, text, report.MaxSize+1)
		}
		var result report.Result
		if err == nil {
			result = parser.Parse(text)
		} else {
			result = unreadable(err)
		}
		if errors.Is(err, fs.ErrNotExist) {
			p.missing.Store(true)
		}
		if result.Report == nil {
			p.invalid.Add(1)
		}
		if p.o.json {
			lines = append(result.AppendJSON(lines, input), '\n')
		} else {
			lines = p.table.Append(lines, input, result)
		}
	}
	return lines, text
}

func unreadable(err error) report.Result {
	return report.Result{Method: report.None, Faults: []report.Fault{{Code: report.Unreadable, Message: "Unreadable: " + cause.Of(err).Error()}}}
}

// readStdin reads as much as Parse looks at, and one byte more. A read from a
// terminal does not end by itself when the context does.
func (p *parsing) readStdin(ctx context.Context) (text []byte, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		text, err = io.ReadAll(io.LimitReader(p.std.In, report.MaxSize+1))
	}()
	select {
	case <-done:
		return text, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
