package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/term"
)

// Refused stops a batch of trials because of an error that all trials have, such as an unknown
// model.
const Refused batch.Stop = "refused"

// Line shows a job in one line, for people.
func Line(r batch.Result, paint func(code, text string) string) string {
	color := map[batch.State]string{batch.Done: "32", batch.Failed: "31", batch.Canceled: "33", batch.Skipped: "33"}[r.State]
	line := paint(color, fmt.Sprintf("%-8s", r.State)) + "  " + term.Flat(r.ID)
	if r.Started != nil && r.Ended != nil && r.State != batch.Skipped {
		line += "  " + term.Duration(r.Ended.Sub(*r.Started))
	}
	if r.CostUSD > 0 {
		line += "  " + term.Dollars(r.CostUSD)
	}
	if r.Attempts > 1 {
		line += fmt.Sprintf("  %d attempts", r.Attempts)
	}
	if r.Error != "" {
		line += "  " + term.Flat(r.Error)
	}
	return line
}

// JobLine shows a job before it is added to a batch.
func JobLine(j batch.Job) string {
	needs := ""
	if len(j.Needs) > 0 {
		needs = "  needs " + strings.Join(j.Needs, ", ")
	}
	return fmt.Sprintf("%s  %s%s\n", j.Kind, term.Flat(j.ID), needs)
}

// Overview shows the state of a batch: what runs, what is done, its limits, and workers that do not
// take its jobs.
func Overview(ctx context.Context, db *batch.DB, s *batch.Status) (string, error) {
	running, err := db.Running(ctx, s.ID)
	if err != nil {
		return "", err
	}
	lines := append(Screen(s, running, s.Total, 0, time.Now()), Summary(s))
	if text := Limits(s); text != "" {
		lines = append(lines, text)
	}
	crew, err := db.Crew(ctx)
	if err != nil {
		return "", err
	}
	for _, u := range crew.Unfit {
		lines = append(lines, fmt.Sprintf("%s takes no %s jobs: %s", u.Host, u.Kind, u.Why))
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// tableRows is how many jobs Table lists.
const tableRows = 50

// Table lists jobs: first the failed jobs, then running, canceled, skipped and waiting jobs, then
// the jobs that are done.
func Table(ctx context.Context, db *batch.DB, s *batch.Status, paint func(code, text string) string) (string, error) {
	var b strings.Builder
	shown := 0
	for _, states := range [][]batch.State{{batch.Failed}, {batch.Opened}, {batch.Canceled, batch.Skipped}, {batch.Waiting}, {batch.Done}} {
		n := s.Count(states...)
		if shown == tableRows || n == 0 {
			continue
		}
		for r, err := range db.Jobs(ctx, s.ID, batch.Query{States: states, Limit: min(tableRows-shown, n)}) {
			if err != nil {
				return "", err
			}
			b.WriteString(Line(r, paint) + "\n")
			shown++
		}
	}
	if more := s.Total - shown; more > 0 {
		fmt.Fprintf(&b, "and %d more: skillhand batch show %s --format jsonl\n", more, Called(s))
	}
	return b.String(), nil
}

// Tail returns the end of a job's output, to print below the job's line.
func Tail(log string, most int) string {
	if log == "" {
		return ""
	}
	lines := strings.Split(log, "\n")
	lines = lines[max(0, len(lines)-most):]
	text := ""
	for _, line := range lines {
		text += "          " + term.Flat(line) + "\n"
	}
	return text
}

// Summary shows a batch in one line.
func Summary(s *batch.Status) string {
	text := fmt.Sprintf("%d done", s.Done)
	for _, part := range []struct {
		n    int
		what string
	}{{s.Failed, "failed"}, {s.Canceled, "canceled"}, {s.Skipped, "skipped"}, {s.Left(), "left"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	if s.CostUSD > 0 {
		text += ", " + term.Dollars(s.CostUSD)
	}
	switch {
	case s.Left() == 0:
	case s.Stopped == batch.Credentials:
		text += ": stopped, Claude rejects the credentials or the account: log in, then run it again"
	case s.Stopped == batch.Limit:
		text += ": stopped, usage limit reached: run it again later"
	case s.Stopped == Refused:
		text += ": stopped, no trial can be made: skillhand try says why"
	case s.Stopped == batch.Canceling:
		text += ": being canceled"
	case s.Stopped == batch.Removing:
		text += ": being removed"
	case s.Short:
		text += fmt.Sprintf(": the budget of %s allows no more", term.Dollars(s.Budget))
	}
	return text
}

// ListLine shows a batch in a list of batches. It adds the id if the batch was started over, and
// the folder if that is not the current folder.
func ListLine(s *batch.Status) string {
	name := term.Flat(s.Name)
	if s.Old {
		name = Called(s)
		if s.Ended != nil {
			name += fmt.Sprintf("  (until %s)", s.Ended.Local().Format(time.DateTime))
		}
	}
	if dir, err := os.Getwd(); s.Folder != "" && !s.ByName && (err != nil || s.Folder != files.Real(dir)) {
		name += "  " + term.Near(s.Folder)
	}
	return fmt.Sprintf("%s  %s, %s\n", name, term.Plural(s.Total, "job"), Summary(s))
}

// Screen shows the progress of a batch and its running jobs, as lines for a screen. before is how
// many jobs had already ended when the time began.
func Screen(s *batch.Status, running []batch.Running, before int, took time.Duration, now time.Time) []string {
	ended := s.Total - s.Left()
	line := fmt.Sprintf("%s  %s %d/%d", Called(s), term.Meter(ended, max(s.Total, 1), 20), ended, s.Total)
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
		lines = append(lines, "  usage limit reached, waiting until "+s.Paused.Local().Format(time.DateTime))
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

// answer returns the answer in the result of an ask, or any other result formatted.
func answer(result json.RawMessage) string {
	if len(result) == 0 {
		return ""
	}
	var doc struct {
		Output *string `json:"output"`
	}
	if json.Unmarshal(result, &doc) == nil && doc.Output != nil {
		return strings.TrimRight(*doc.Output, "\n")
	}
	var b bytes.Buffer
	if json.Indent(&b, result, "", "  ") != nil {
		return string(result)
	}
	return b.String()
}

// Limits returns the limits of a batch in words.
func Limits(s *batch.Status) string {
	var parts []string
	if s.Most > 0 {
		parts = append(parts, fmt.Sprintf("%d at the same time", s.Most))
	}
	if s.Starts > 0 {
		window := time.Duration(s.WindowMS) * time.Millisecond
		parts = append(parts, fmt.Sprintf("%s in %s", term.Plural(s.Starts, "start"), term.Duration(window)))
	}
	if s.Budget > 0 {
		parts = append(parts, fmt.Sprintf("%s in all", term.Dollars(s.Budget)))
	}
	if parts == nil {
		return ""
	}
	return "at most " + strings.Join(parts, ", ")
}

// Text shows everything that is known about one job, for people.
func Text(r batch.Result, attempts []batch.Attempt, paint func(code, text string) string) string {
	text := Line(r, paint) + "\n"
	if r.Log != "" {
		text += "\nstderr:\n" + Tail(r.Log, 1000)
	}
	if answer := answer(r.Result); answer != "" {
		text += "\n" + answer + "\n"
	}
	if len(attempts) > 0 {
		text += "\nattempts:\n"
	}
	for _, a := range attempts {
		line := "  " + a.How
		if a.Ended != nil {
			line += "  " + a.Ended.Local().Format(time.DateTime)
		}
		if a.Started != nil && a.Ended != nil {
			line += "  " + term.Duration(a.Ended.Sub(*a.Started))
		}
		if a.CostUSD > 0 {
			line += "  " + term.Dollars(a.CostUSD)
		}
		if a.Error != "" {
			line += "  " + term.Flat(a.Error)
		}
		text += line + "\n"
	}
	return text
}

// Done says that all jobs of a batch have ended, and what to do if some were not done.
func Done(s *batch.Status) string {
	when := ""
	if s.Ended != nil {
		when = " on " + s.Ended.Local().Format("2006-01-02 15:04")
	}
	switch {
	case s.Done < s.Total:
		return fmt.Sprintf("nothing to do: it ended%s with %s; skillhand batch retry %s, then run it again", when, Summary(s), s.Name)
	case s.Total == 1:
		return "nothing to do: its job was done" + when
	}
	return fmt.Sprintf("nothing to do: all %d were done%s", s.Total, when)
}
