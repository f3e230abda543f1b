package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/schemas"
)

type parseOptions struct {
	report.Options
	defaultConfidence float64
	schema, json      bool
}

func newParse(std *stdio) *cobra.Command {
	var o parseOptions
	cmd := &cobra.Command{
		Use:   "parse [FILE...]",
		Short: "Read reports out of script output",
		Long: `Read the report in each file, or in stdin: a JSON object of five fields, alone or
the last one among other text; else lines of the older forms, such as SUCCESS,
Confidence: 0.92 and Created: FILE. Everything that is wrong with it is named.

The exit status is 0 if every input has a valid report, whatever it says.`,
		Example: `  ./execute.sh | skillhand parse
  skillhand parse out/*.txt --json
  skillhand parse --strict --no-legacy out.json
  skillhand parse --schema > report.schema.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runParse(cmd.Context(), std, cmd, o, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.NoLegacy, "no-legacy", false, "read JSON only")
	f.BoolVar(&o.Strict, "strict", false, "refuse unknown fields, duplicate keys and malformed error codes")
	f.Float64Var(&o.defaultConfidence, "default-confidence", 0.5, "the confidence of legacy `output` that states none")
	f.BoolVar(&o.schema, "schema", false, "print the JSON Schema of a report")
	f.BoolVar(&o.json, "json", false, "print a JSON document for each input")
	return cmd
}

func runParse(ctx context.Context, std *stdio, cmd *cobra.Command, o parseOptions, files []string) error {
	if o.schema {
		return printSchema(std, files)
	}
	if !(o.defaultConfidence >= 0 && o.defaultConfidence <= 1) {
		return usagef("--default-confidence %v: want 0 to 1", o.defaultConfidence)
	}
	o.DefaultConfidence = &o.defaultConfidence
	if len(files) == 0 {
		files = []string{"-"}
	}
	p := &parsing{o: o, std: std, files: files, printer: newParseTable(std, files)}
	if o.json {
		p.printer = parseLines{}
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	if p.invalid.Load() > 0 {
		return &statusError{status: exitFailed}
	}
	return nil
}

func printSchema(std *stdio, files []string) error {
	if len(files) > 0 {
		return usagef("--schema stands alone")
	}
	schema, err := schemas.Files.ReadFile("skill-output-v1.schema.json")
	if err != nil {
		return err
	}
	if _, err := std.out.Write(schema); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

// A parsing is many inputs on their way from files to stdout.
type parsing struct {
	o       parseOptions
	std     *stdio
	files   []string
	invalid atomic.Int64 // inputs without a valid report
	printer interface {
		header() string
		print(w *bytes.Buffer, input string, r report.Result) error
	}
}

// window is how many inputs are read before what they came to is printed, in order.
const window = 256

func (p *parsing) run(ctx context.Context) error {
	out := bufio.NewWriterSize(p.std.out, 64<<10)
	_, err := out.WriteString(p.printer.header())
	for start := 0; start < len(p.files) && err == nil; start += window {
		var lines [][]byte
		if lines, err = p.parse(ctx, p.files[start:min(start+window, len(p.files))]); err != nil {
			return err
		}
		for _, line := range lines {
			if _, werr := out.Write(line); werr != nil {
				err = werr
				break
			}
		}
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

// parse reads inputs at once and returns what is to be printed about each.
func (p *parsing) parse(ctx context.Context, files []string) ([][]byte, error) {
	lines := make([][]byte, len(files))
	var next atomic.Int64
	var workers sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range min(len(files), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			var text bytes.Buffer
			for i := next.Add(1) - 1; i < int64(len(files)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				var line bytes.Buffer
				result := p.input(ctx, files[i], &text)
				if result.Report == nil {
					p.invalid.Add(1)
				}
				if err := p.printer.print(&line, files[i], result); err != nil {
					mu.Lock()
					failed = errors.Join(failed, err)
					mu.Unlock()
				}
				lines[i] = line.Bytes()
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return lines, failed
}

// input reads one file, by way of text, and parses it.
func (p *parsing) input(ctx context.Context, file string, text *bytes.Buffer) report.Result {
	text.Reset()
	err := p.read(ctx, file, text)
	if err != nil {
		message := "Unreadable: " + err.Error()
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			message = "Unreadable: " + pathErr.Err.Error()
		}
		return report.Result{Method: report.None, Faults: []report.Fault{{Code: report.Unreadable, Message: message}}}
	}
	return report.Parse(text.Bytes(), p.o.Options)
}

// read reads as much of a file as Parse would look at, and one byte more.
func (p *parsing) read(ctx context.Context, file string, text *bytes.Buffer) error {
	const most = report.MaxSize + 1
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = text.ReadFrom(io.LimitReader(f, most))
		return err
	}
	// A read from a terminal does not end by itself when the context does.
	done := make(chan error, 1)
	var all bytes.Buffer
	go func() {
		_, err := all.ReadFrom(io.LimitReader(p.std.in, most))
		done <- err
	}()
	select {
	case err := <-done:
		text.Write(all.Bytes())
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A parseDocument is a line of what parse --json prints: schemas/parse-v1.schema.json.
type parseDocument struct {
	Input    string         `json:"input"`
	Success  bool           `json:"success"`
	Method   report.Method  `json:"parse_method"`
	Output   *report.Report `json:"output"`
	Errors   []report.Fault `json:"errors"`
	Warnings []report.Fault `json:"warnings"`
}

// parseLines prints results for programs.
type parseLines struct{}

func (parseLines) header() string { return "" }

func (parseLines) print(w *bytes.Buffer, input string, r report.Result) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(parseDocument{
		Input: input, Success: r.Report != nil, Method: r.Method, Output: r.Report,
		Errors: append([]report.Fault{}, r.Faults...), Warnings: append([]report.Fault{}, r.Warnings...),
	})
}

// A parseTable prints results for people.
type parseTable struct {
	std   *stdio
	width int // of the first column
}

func newParseTable(std *stdio, files []string) *parseTable {
	t := &parseTable{std: std, width: len("INPUT")}
	for _, f := range files {
		t.width = max(t.width, min(60, utf8.RuneCountInString(f)))
	}
	return t
}

func (t *parseTable) header() string {
	return fmt.Sprintf("%-*s  %-7s  %-7s  %-14s  %12s  %6s\n", t.width, "INPUT", "SAYS", "FORM", "CONFIDENCE", "DELIVERABLES", "ERRORS")
}

func (t *parseTable) print(w *bytes.Buffer, input string, r report.Result) error {
	paint := t.std.painter()
	if r.Report == nil {
		fmt.Fprintf(w, "%-*s  %s  %s\n", t.width, visible(input), paint("31", "invalid"), r.Method)
	} else {
		says := paint("32", "success")
		if !r.Report.Success {
			says = paint("31", "failure")
		}
		confidence := fmt.Sprintf("%.2f %s", r.Report.Confidence, report.Band(r.Report.Confidence))
		fmt.Fprintf(w, "%-*s  %s  %-7s  %-14s  %12d  %6d\n", t.width, visible(input), says, r.Method, confidence, len(r.Report.Deliverables), len(r.Report.Errors))
	}
	for _, f := range r.Faults {
		fmt.Fprintf(w, "  %s\n", describe(f))
	}
	for _, f := range r.Warnings {
		fmt.Fprintf(w, "  %s %s\n", paint("33", "warning:"), describe(f))
	}
	return nil
}

// describe is a fault in one line.
func describe(f report.Fault) string {
	where := ""
	if f.Path != "" {
		where = f.Path + ": "
	}
	return strings.ReplaceAll(visible(fmt.Sprintf("%s%s (%s)", where, f.Message, f.Code)), "\n", " ")
}

// painter returns a function that colours text if stdout may have colour.
func (std *stdio) painter() func(code, text string) string {
	if !std.outColor {
		return func(_, text string) string { return text }
	}
	return func(code, text string) string { return "\x1b[" + code + "m" + text + "\x1b[0m" }
}
