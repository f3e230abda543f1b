package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"

	"github.com/skillhand/skillhand/batch"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
)

func newBatchShow(std *cli.Std) *cobra.Command {
	var o batchOptions
	var failed, follow bool
	var export string
	cmd := &cobra.Command{
		Use: "show [NAME]", Short: "Show a batch, or its results", Args: cli.Args(cobra.MaximumNArgs(1)),
		Long: "Show how a batch is doing: the one named, or the latest. With --export, print\nevery job in the order of the job file.",
		Example: `  skillhand batch show reviews --failed
  skillhand batch show reviews --follow
  skillhand batch show reviews --export csv > reviews.csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if export != "" && export != "jsonl" && export != "csv" {
				return cli.Usagef("--export is %s, want jsonl or csv", export)
			}
			db, err := o.openExisting(ctx, std)
			if err != nil {
				return err
			}
			defer db.Close()
			name, err := nameOf(ctx, db, args)
			if err != nil {
				return err
			}
			switch {
			case export != "":
				return exportJobs(ctx, std, db, name, export, failed)
			case follow:
				return followBatch(ctx, std, db, name, o.json)
			}
			return showBatch(ctx, std, db, name, failed, o.json)
		},
	}
	o.dbFlag(cmd)
	f := cmd.Flags()
	f.BoolVar(&failed, "failed", false, "only the jobs that did not get done")
	f.BoolVar(&follow, "follow", false, "watch it until it ends")
	f.StringVar(&export, "export", "", "print all jobs as `jsonl` or csv")
	f.BoolVar(&o.json, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("follow", "export")
	cmd.MarkFlagsMutuallyExclusive("follow", "failed")
	return cmd
}

// nameOf is the batch that is named, or the latest.
func nameOf(ctx context.Context, db *batch.DB, args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	list, err := db.List(ctx)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", cli.Exit(cli.ExitMissing, errNoBatches)
	}
	return list[len(list)-1].Name, nil
}

func showBatch(ctx context.Context, std *cli.Std, db *batch.DB, name string, failed, asJSON bool) error {
	s, err := db.Status(ctx, name)
	if err != nil {
		return err
	}
	if !failed {
		if asJSON {
			return std.PrintJSON(s)
		}
		running, err := db.Running(ctx, name)
		if err != nil {
			return err
		}
		lines := screenLines(s, running, s.Total, 0, time.Now())
		return std.Print(strings.Join(lines, "\n") + "\n" + summary(s) + "\n")
	}
	if asJSON {
		return stdout(printResults(ctx, std.Out, db, name, notDone))
	}
	for r, err := range db.Results(ctx, name) {
		if err == nil && notDone(r.State) {
			err = std.Print(jobLine(r, std.Painter()) + "\n")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// notDone is the end of a job that has not been done.
func notDone(s batch.State) bool { return s.Ended() && s != batch.Done }

// stdout names what could not be written.
func stdout(err error) error {
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("stdout: %w", wrong.Err)
	}
	return err
}

// followBatch watches a batch that others work on.
func followBatch(ctx context.Context, std *cli.Std, db *batch.DB, name string, asJSON bool) error {
	w, err := watch(ctx, std, db, name, asJSON)
	if err != nil {
		return err
	}
	err = w.until(ctx, func(s *batch.Status) bool { return s.Left() == 0 })
	if err != nil {
		if w.screen != nil {
			w.screen.clear()
		}
		return err
	}
	if err := w.end(ctx); err != nil {
		return err
	}
	s, err := db.Status(ctx, name)
	if err != nil {
		return err
	}
	return batchError(s)
}

func exportJobs(ctx context.Context, std *cli.Std, db *batch.DB, name, format string, failed bool) error {
	wanted := func(s batch.State) bool { return !failed || notDone(s) }
	if format == "jsonl" {
		return stdout(printResults(ctx, std.Out, db, name, wanted))
	}
	table := csv.NewWriter(std.Out)
	err := table.Write([]string{"id", "state", "attempts", "cost_usd", "started", "ended", "error", "result"})
	for r, fault := range db.Results(ctx, name) {
		if fault != nil || err != nil {
			return errors.Join(fault, stdout(err))
		}
		if wanted(r.State) {
			err = table.Write([]string{
				r.ID, string(r.State), strconv.Itoa(r.Attempts), strconv.FormatFloat(r.CostUSD, 'f', -1, 64),
				stamp(r.Started), stamp(r.Ended), r.Error, string(r.Result),
			})
		}
	}
	table.Flush()
	return stdout(table.Error())
}

func stamp(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

func newBatchList(std *cli.Std) *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use: "list", Short: "List the batches", Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := o.openExisting(cmd.Context(), std)
			if errors.Is(err, errNoBatches) {
				fmt.Fprintln(std.Err, "skillhand: no batches yet")
				return nil
			}
			if err != nil {
				return err
			}
			defer db.Close()
			list, err := db.List(cmd.Context())
			if err != nil {
				return err
			}
			for _, s := range list {
				if o.json {
					err = std.PrintJSON(s)
				} else {
					err = std.Print(fmt.Sprintf("%s  %s, %s\n", term.Flat(s.Name), term.Plural(s.Total, "job"), summary(&s)))
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	o.dbFlag(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON line for each")
	return cmd
}

// screenLines are a batch on a screen: how far it is, and what is running. before is how many jobs
// had ended when the time began.
func screenLines(s *batch.Status, running []batch.Running, before int, took time.Duration, now time.Time) []string {
	ended := s.Total - s.Left()
	line := fmt.Sprintf("%s  %s %d/%d", term.Flat(s.Name), term.Meter(ended, max(s.Total, 1), 20), ended, s.Total)
	if s.Failed > 0 {
		line += fmt.Sprintf("  %d failed", s.Failed)
	}
	if len(running) > 0 {
		line += fmt.Sprintf("  %d running", len(running))
	}
	if s.CostUSD > 0 || s.Budget > 0 {
		line += "  " + term.Dollars(s.CostUSD)
		if s.Budget > 0 {
			line += " of " + term.Dollars(s.Budget)
		}
	}
	if done := ended - before; done > 0 && s.Left() > 0 {
		line += "  " + term.Duration((took / time.Duration(done) * time.Duration(s.Left())).Round(time.Second)) + " left"
	}
	lines := []string{line}
	if s.Paused != nil {
		lines = append(lines, "  a usage limit is reached: waits until "+s.Paused.Local().Format(time.DateTime))
	}
	for _, r := range running {
		line := "  " + term.Flat(r.ID)
		if !r.Started.IsZero() {
			line += "  " + term.Duration(now.Sub(r.Started).Round(time.Second))
		}
		if r.Note != "" {
			line += "  " + term.Flat(r.Note)
		}
		lines = append(lines, line)
	}
	return lines
}

// A screen is the last lines of a terminal, drawn again and again.
type screen struct {
	std  *cli.Std
	last []int // the widths of the lines that are drawn
}

// draw replaces what was drawn, in one write, each line cut to the width: one that wraps would
// leave its rest behind.
func (s *screen) draw(lines []string) {
	s.std.Screen.Lock()
	defer s.std.Screen.Unlock()
	columns, rows := s.size()
	if most := max(1, rows-2); len(lines) > most {
		lines = append(lines[:most-1:most-1], fmt.Sprintf("  and %d more", len(lines)-most+1))
	}
	var b strings.Builder
	b.WriteString(up(s.last, columns))
	s.last = s.last[:0]
	for _, line := range lines {
		line = term.Fit(line, columns-1)
		s.last = append(s.last, term.Cells(line))
		b.WriteString(line + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	fmt.Fprint(s.std.Err, b.String())
}

// clear takes the lines away.
func (s *screen) clear() {
	s.std.Screen.Lock()
	defer s.std.Screen.Unlock()
	columns, _ := s.size()
	fmt.Fprint(s.std.Err, up(s.last, columns)+"\x1b[J")
	s.last = nil
}

func (s *screen) size() (columns, rows int) {
	if f, ok := s.std.Err.(*os.File); ok {
		if w, h, err := xterm.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// up goes to the first of the lines drawn. A terminal that became narrower has wrapped them.
func up(widths []int, columns int) string {
	rows := 0
	for _, w := range widths {
		rows += max(1, (w+columns-1)/columns)
	}
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\r", rows)
}
