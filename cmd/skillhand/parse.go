package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/files"
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
		Long: `Read the report in each file, or on stdin: a JSON object of five fields, alone or
last among other text. Without one, parse reads older plain-text forms such as
SUCCESS, Confidence: 0.92 and Created: FILE. It lists every problem in a report.

The exit status is 0 if every input has a valid report, whether of success or of
failure; 1 if an input has none; and 3 if a file is missing.`,
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
	f.Float64Var(&o.defaultConfidence, "default-confidence", 0.5, "the confidence, a `number`, of legacy output that states none")
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
	debug.SetGCPercent(400) // the process is short and keeps little memory
	in := &inputs{opt: o.Options, stdin: std.In}
	head := ""
	if o.json {
		in.show = func(lines []byte, input string, result report.Result) []byte {
			return append(result.AppendJSON(lines, input), '\n')
		}
	} else {
		table := newReportTable(files, std.Painter())
		head, in.show = table.header(), table.append
	}
	for chunk := range slices.Chunk(files, chunkSize) {
		lines, err := in.parse(ctx, chunk)
		if err != nil {
			return err
		}
		if err := std.Print(head + string(lines)); err != nil {
			return err
		}
		head = ""
	}
	switch {
	case in.missing.Load():
		return cli.Said(cli.ExitMissing)
	case in.invalid.Load():
		return cli.Said(cli.ExitFailed)
	}
	return nil
}

// chunkSize is how many inputs are read before their lines are printed.
const chunkSize = 512

// inputs reads the reports in files.
type inputs struct {
	opt     report.Options
	stdin   io.Reader // nil once it was read
	show    func(lines []byte, input string, result report.Result) []byte
	invalid atomic.Bool // an input has no valid report
	missing atomic.Bool // a file does not exist
}

// parse reads several files at the same time, and returns the lines to print, in the order of the
// files.
func (in *inputs) parse(ctx context.Context, files []string) ([]byte, error) {
	lines := make([][]byte, len(files))
	var group sync.WaitGroup
	var next atomic.Int64
	for range min(len(files), runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if files[i] != "-" {
					lines[i] = in.one(files[i], readFile)
				}
			}
		})
	}
	group.Wait()
	for i, file := range files {
		if file == "-" && ctx.Err() == nil {
			lines[i] = in.one(file, func(string) ([]byte, error) { return in.readStdin(ctx) })
		}
	}
	return slices.Concat(lines...), context.Cause(ctx)
}

// one reads an input and returns the lines to print about it.
func (in *inputs) one(input string, read func(string) ([]byte, error)) []byte {
	text, err := read(input)
	var result report.Result
	if err == nil {
		result = report.Parse(text, in.opt)
	} else {
		fault := report.Fault{Code: report.Unreadable, Message: "Unreadable: " + files.Cause(err).Error()}
		result = report.Result{Method: report.None, Faults: []report.Fault{fault}}
	}
	if errors.Is(err, fs.ErrNotExist) {
		in.missing.Store(true)
	}
	if result.Report == nil {
		in.invalid.Store(true)
	}
	return in.show(nil, input, result)
}

// readFile reads at most as many bytes as Parse looks at, and one more.
func readFile(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, report.MaxSize+1))
}

// readStdin reads stdin once. The goroutine is needed because a read from a terminal does not end
// with the context.
func (in *inputs) readStdin(ctx context.Context) ([]byte, error) {
	stdin := in.stdin
	if in.stdin = nil; stdin == nil {
		return nil, errors.New("stdin can be read only once")
	}
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(stdin, report.MaxSize+1))
		done <- read{text, err}
	}()
	select {
	case all := <-done:
		return all.text, all.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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
