package web

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/term"
)

// A batchForm offers the actions on a batch.
type batchForm struct {
	Name          string
	ID            int64
	Retry, Cancel string // how many jobs the action would change; "" if there are none
}

// db returns the database of batches, or nil if there is none.
func (v *visit) db() (*batch.DB, error) {
	if v.site.Batches == nil {
		return nil, nil
	}
	if v.site.BatchFile != "" {
		v.watch(false, v.site.BatchFile, v.site.BatchFile+"-wal") // SQLite writes to this file first
	}
	return v.site.Batches()
}

// every returns after how many seconds to reload a view while a batch is unfinished and its
// database cannot be watched.
func (v *visit) every(left bool) int {
	if left && v.site.BatchFile == "" {
		return 5
	}
	return 0
}

func (v *visit) batches() (*view, error) {
	data := &listData{
		Lead:  "Many runs and asks as jobs. A batch that was stopped, even by a crash, resumes where it stopped.",
		Empty: "There are no batches yet.",
		Hints: []string{"skillhand batch run jobs.yaml"},
		Then:  "A job file says what to do: skillhand batch --help has one to begin with.",
	}
	l := list[batch.Status]{view: "batches", one: "batch", what: "batches", usual: "-created"}
	db, err := v.db()
	if err == nil && db != nil {
		l.items, err = db.List(v.ctx)
	}
	if err != nil {
		return nil, err
	}
	l.text = func(s batch.Status) string { return s.Name }
	number := func(key, title, mark string, n func(batch.Status) int) column[batch.Status] {
		col := numbered(key, title, n)
		plain := col.cell
		col.cell = func(s batch.Status) cell {
			c := plain(s)
			c.Mark = cmp.Or(c.Mark, mark)
			return c
		}
		return col
	}
	l.columns = []column[batch.Status]{
		{key: "name", title: "Batch", compare: by(func(s batch.Status) string { return s.Name }),
			cell: func(s batch.Status) cell {
				return cell{Text: s.Name, Sub: v.standing(db, &s), Link: v.batchLink(&s), Squares: fewSquares(&s)}
			}},
		number("total", "Jobs", "", func(s batch.Status) int { return s.Total }),
		number("done", "Done", "good", func(s batch.Status) int { return s.Done }),
		number("failed", "Failed", "bad", func(s batch.Status) int { return s.Failed }),
		number("left", "Left", "", func(s batch.Status) int { return s.Left() }),
		{key: "cost", title: "Cost", number: true, fold: true,
			compare: by(func(s batch.Status) float64 { return s.CostUSD }), cell: batchCost},
		timed("created", "Created", func(s batch.Status) time.Time { return s.Created }),
	}
	data.Table = l.table(v)
	left := slices.ContainsFunc(l.items, func(s batch.Status) bool { return s.Left() > 0 })
	return &view{Name: "list", Tab: "batches", Title: "Batches", Data: data, Every: v.every(left)}, nil
}

// batchLink returns the address of a batch, or of a part of its jobs.
func (v *visit) batchLink(s *batch.Status, pairs ...string) string {
	return v.link("batch", append([]string{"name", s.Name, "id", strconv.FormatInt(s.ID, 10)}, pairs...)...)
}

// standing describes the state of a batch.
func (v *visit) standing(db *batch.DB, s *batch.Status) string {
	switch {
	case s.Left() == 0 && s.Failed+s.Skipped+s.Canceled == 0:
		return "all done"
	case s.Left() == 0:
		return "ended"
	case s.Stopped == batch.Canceling:
		return "being canceled"
	case s.Stopped == batch.Removing:
		return "being removed"
	case s.Stopped != "":
		return "stopped: " + string(s.Stopped)
	case s.Paused != nil:
		return "paused until " + stamp(*s.Paused)
	case s.Short && s.Open == 0:
		return fmt.Sprintf("the budget of %s allows no more", term.Dollars(s.Budget))
	case s.Open > 0:
		running, err := db.Running(v.ctx, s.ID) // a worker that is not running may have opened jobs
		if err != nil {
			return err.Error()
		}
		if len(running) > 0 {
			return thousands(len(running)) + " running"
		}
	}
	return "waiting; if no worker runs, start one: skillhand batch work"
}

// found returns the batch that the address names: by its id, or otherwise the latest of its name.
func (v *visit) found(db *batch.DB) (*batch.Status, error) {
	name := v.query.Get("name")
	missing := errMissing{"There is no batch " + name + "."}
	if text := v.query.Get("id"); text != "" {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, missing
		}
		s, err := db.Status(v.ctx, id)
		if errors.Is(err, batch.ErrNoBatch) {
			err = missing
		}
		return s, err
	}
	all, err := db.Find(v.ctx, name)
	if err == nil && len(all) == 0 {
		err = missing
	}
	if err != nil {
		return nil, err
	}
	return &all[len(all)-1], nil
}

func (v *visit) batch() (*view, error) {
	name := v.query.Get("name")
	db, err := v.db()
	if err != nil {
		return nil, err
	}
	if db == nil {
		return nil, errMissing{"There is no batch " + name + "."}
	}
	s, err := v.found(db)
	if err != nil {
		return nil, err
	}
	running, err := db.Running(v.ctx, s.ID)
	if err != nil {
		return nil, err
	}
	jobs := &jobList{visit: v, db: db, s: s, running: map[string]batch.Running{}}
	for _, r := range running {
		jobs.running[r.ID] = r
	}
	t, err := jobs.table()
	if err != nil {
		return nil, err
	}
	data := &listData{
		Table: t,
		Facts: [][2]string{{"State", v.standing(db, s)}, {"Done", fmt.Sprintf("%s of %s", thousands(s.Done), thousands(s.Total))}},
		Empty: "This batch has no jobs.",
		Back:  &choice{Title: "Batches", Link: v.link("batches")},
	}
	if s.CostUSD > 0 && s.Budget == 0 {
		data.Facts = append(data.Facts, [2]string{"Cost", term.Dollars(s.CostUSD)})
	}
	if len(running) > 0 {
		pace, note, err := v.pace(db, s, running)
		if err != nil {
			return nil, err
		}
		data.Facts = append(data.Facts, pace...)
		data.Note = note
	}
	data.Budget = budgetOf(s)
	if data.Field, err = jobs.squares(); err != nil {
		return nil, err
	}
	if v.live {
		data.Form = &batchForm{Name: s.Name, ID: s.ID}
		if s.Failed > 0 {
			data.Form.Retry = counted(s.Failed, "failed job", "failed jobs")
		}
		if s.Left() > 0 {
			data.Form.Cancel = counted(s.Left(), "remaining job", "remaining jobs")
		}
	}
	return &view{Name: "list", Tab: "batches", Title: "Batch " + s.Name, Data: data, Every: v.every(s.Left() > 0)}, nil
}

// batchCost shows the cost of a batch and its budget.
func batchCost(s batch.Status) cell {
	c := costCell(s.CostUSD)
	if b := budgetOf(&s); b != nil {
		c.Text, c.Mark, c.Bar = b.Text, "", b.Part
	}
	return c
}

// A budget shows how much of its budget a batch has spent.
type budget struct {
	Text string
	Part string // in percent
	Why  string // why no more jobs are started, or ""
	Go   string // the command that continues then
}

func budgetOf(s *batch.Status) *budget {
	if s.Budget <= 0 {
		return nil
	}
	b := &budget{Text: term.Dollars(s.CostUSD) + " of " + term.Dollars(s.Budget),
		Part: fmt.Sprintf("%.1f%%", min(100, s.CostUSD*100/s.Budget))}
	if s.Short && s.Left() > 0 {
		b.Why = "The remaining budget is too small for another job."
		b.Go = fmt.Sprintf("skillhand batch run FILE --budget-usd %.2f", s.Budget*2)
	}
	return b
}

// pace returns how fast jobs end and how long the rest takes, calculated from the last few hundred
// jobs. If a job has been running for longer than any of these, its remaining time is unknown.
func (v *visit) pace(db *batch.DB, s *batch.Status, running []batch.Running) (rows [][2]string, note string, err error) {
	const recent = 200
	last, err := db.Events(v.ctx, s.ID, max(0, s.Event-recent))
	if err != nil {
		return nil, "", err
	}
	var each, longest time.Duration
	for _, r := range last {
		longest = max(longest, took(r))
	}
	if n := len(last); n > 1 && last[0].Ended != nil && last[n-1].Ended != nil && last[n-1].Ended.After(*last[0].Ended) {
		each = last[n-1].Ended.Sub(*last[0].Ended) / time.Duration(n-1)
		rows = append(rows, [2]string{"Pace", paced(time.Minute.Seconds()/each.Seconds()) + " a minute"})
	}
	left, note, _ := strings.Cut(timeLeft(each, longest, s.Left(), running, time.Now()), ": ")
	if left != "" {
		rows = append(rows, [2]string{"Time left", left})
	}
	return rows, note, nil
}

// timeLeft describes how long the rest of a batch takes. One job ends in each time each, and the
// longest job took longest.
func timeLeft(each, longest time.Duration, left int, running []batch.Running, now time.Time) string {
	var oldest batch.Running
	for _, r := range running {
		if !r.Started.IsZero() && (oldest.Started.IsZero() || r.Started.Before(oldest.Started)) {
			oldest = r
		}
	}
	since := now.Sub(oldest.Started)
	short := func(d time.Duration) string { return term.ShortDuration(float64(d.Milliseconds())) }
	switch rest := each * time.Duration(left-len(running)); {
	case each == 0 || longest == 0:
		return ""
	case !oldest.Started.IsZero() && since > longest:
		text := fmt.Sprintf("unknown: %s has been running for %s, no other took more than %s", oldest.ID, short(since), short(longest))
		if rest > 0 {
			text += "; the queue takes about " + short(rest)
		}
		return text
	case !oldest.Started.IsZero():
		return "about " + short(max(each*time.Duration(left), longest-since))
	}
	return "about " + short(each*time.Duration(left))
}

// paced returns a pace with two significant digits.
func paced(n float64) string {
	if n < 10 {
		return fmt.Sprintf("%.2g", n)
	}
	return thousands(int(n))
}

var jobMarks = map[batch.State]string{
	batch.Done: "good", batch.Failed: "bad", batch.Skipped: "warn", batch.Canceled: "warn", batch.Opened: "dim",
	batch.Waiting: "dim",
}

func took(r batch.Result) time.Duration {
	if r.Started == nil || r.Ended == nil {
		return 0
	}
	return r.Ended.Sub(*r.Started)
}

// editBatch retries the failed jobs of a batch or cancels the remaining jobs.
func (v *visit) editBatch() (string, error) {
	name := v.query.Get("name")
	db, err := v.db()
	switch {
	case err != nil:
		return "", err
	case db == nil:
		return "", errMissing{"There is no batch " + name + "."}
	}
	s, err := v.found(db)
	if err != nil {
		return "", err
	}
	switch v.query.Get("do") {
	case "retry":
		_, err = db.Retry(v.ctx, s.ID, nil)
	case "cancel":
		_, err = db.Cancel(v.ctx, s.ID, nil)
	default:
		err = errMissing{"Unknown action: want retry or cancel."}
	}
	return v.batchLink(s), err
}
