// Package reports answers one question: what do the reports in many files say?
package reports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/skillhand/skillhand/internal/cause"
	"github.com/skillhand/skillhand/report"
)

// A Reading is many inputs on their way from files to a stream, in their order.
type Reading struct {
	Options report.Options
	In      io.Reader // what the file - stands for
	Out     io.Writer
	Head    string                                                        // comes before the first
	Append  func(lines []byte, input string, result report.Result) []byte // appends what is to be printed about an input

	invalid atomic.Int64 // inputs without a valid report
	missing atomic.Bool  // a file is not there
}

// Run reads the files, several at the same time, and says how many have no valid report and whether one is not there.
func (r *Reading) Run(ctx context.Context, files []string) (invalid int, missing bool, err error) {
	files = slices.Clone(files)
	if first := slices.Index(files, "-"); first >= 0 {
		for i, file := range files[first+1:] {
			if file == "-" {
				files[first+1+i] = stdinAgain
			}
		}
	}
	err = r.run(ctx, files)
	return int(r.invalid.Load()), r.missing.Load(), err
}

// A few inputs are one worker's share. It may be some shares ahead of what is
// printed.
const (
	share = 64
	ahead = 4
)

// run lets each worker take every nth share, and prints what comes of them in
// the order of the inputs.
func (r *Reading) run(ctx context.Context, files []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shares := slices.Collect(slices.Chunk(files, share))
	workers := make([]worker, min(len(shares), runtime.GOMAXPROCS(0)))
	for first := range workers {
		w := worker{done: make(chan []byte, ahead), used: make(chan []byte, ahead)}
		workers[first] = w
		go func() {
			parser := &report.Parser{Options: r.Options}
			var text []byte
			for i := first; i < len(shares) && ctx.Err() == nil; i += len(workers) {
				var lines []byte
				select {
				case lines = <-w.used:
				default:
				}
				lines, text = r.parse(ctx, parser, shares[i], lines[:0], text)
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
				if err := r.write([]byte(r.Head)); err != nil {
					return err
				}
			}
			if err := r.write(lines); err != nil {
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

// A worker hands over the lines of one share after the other, and gets
// their memory back.
type worker struct{ done, used chan []byte }

// stdinAgain stands for a second - among the files; no file has such a name.
const stdinAgain = "-\x00"

func (r *Reading) write(text []byte) error {
	if _, err := r.Out.Write(text); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

// parse reads inputs, by way of text, and appends what is to be printed about
// them to lines. It returns both, to be used again.
func (r *Reading) parse(ctx context.Context, parser *report.Parser, inputs []string, lines, text []byte) (_, _ []byte) {
	for _, input := range inputs {
		var err error
		switch input {
		case "-":
			text, err = r.readStdin(ctx)
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
			r.missing.Store(true)
		}
		if result.Report == nil {
			r.invalid.Add(1)
		}
		lines = r.Append(lines, input, result)
	}
	return lines, text
}

func unreadable(err error) report.Result {
	return report.Result{Method: report.None, Faults: []report.Fault{{Code: report.Unreadable, Message: "Unreadable: " + cause.Of(err).Error()}}}
}

// readStdin reads as much as Parse looks at, and one byte more. A read from a
// terminal does not end by itself when the context does.
func (r *Reading) readStdin(ctx context.Context) ([]byte, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(r.In, report.MaxSize+1))
		done <- read{text, err}
	}()
	select {
	case all := <-done:
		return all.text, all.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
