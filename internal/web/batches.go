package web

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/term"
)

// batchForm is what can be done with a batch.
type batchForm struct {
	Name          string
	ID            int64
	Retry, Cancel string // how many jobs that would be; "" for none
}

// db is the database of batches, nil if there is none.
func (v *visit) db() (*batch.DB, error) {
	if v.site.Batches == nil {
		return nil, nil
	}
	if v.site.BatchFile != "" {
		v.watch(false, v.site.BatchFile, v.site.BatchFile+"-wal") // SQLite writes to that one first
	}
	return v.site.Batches()
}

// every is how often to look again at a database that gives no news, while there is something to wait for.
func (v *visit) every(left bool) int {
	if left && v.site.BatchFile == "" {
		return 5
	}
	return 0
}

func (v *visit) batches() (*view, error) {
	data := &listData{
		Lead:  "Many runs and asks as jobs. A batch that was stopped, even by a crash, goes on where it was.",
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
		return column[batch.Status]{key: key, title: title, number: true, compare: by(n), cell: func(s batch.Status) cell {
			c := cell{Text: thousands(n(s)), Mark: mark}
			if n(s) == 0 {
				c.Mark = "dim"
			}
			return c
		}}
	}
	l.columns = []column[batch.Status]{
		{key: "name", title: "Batch", compare: by(func(s batch.Status) string { return s.Name }), cell: func(s batch.Status) cell {
			return cell{Text: s.Name, Sub: v.standing(db, &s), Link: v.link("batch", "name", s.Name, "id", strconv.FormatInt(s.ID, 10))}
		}},
		number("total", "Jobs", "", func(s batch.Status) int { return s.Total }),
		number("done", "Done", "good", func(s batch.Status) int { return s.Done }),
		number("failed", "Failed", "bad", func(s batch.Status) int { return s.Failed }),
		number("left", "Left", "warn", func(s batch.Status) int { return s.Left() }),
		{key: "cost", title: "Cost", number: true, compare: by(func(s batch.Status) float64 { return s.CostUSD }), cell: batchCost},
		timed("created", "Created", func(s batch.Status) time.Time { return s.Created }),
	}
	data.Table = l.table(v)
	left := slices.ContainsFunc(l.items, func(s batch.Status) bool { return s.Left() > 0 })
	return &view{Name: "list", Tab: "batches", Title: "Batches", Data: data, Every: v.every(left)}, nil
}

// standing says in words how a batch is doing.
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
		running, err := db.Running(v.ctx, s.ID) // open jobs may be in nobody's hands
		if err != nil {
			return err.Error()
		}
		if len(running) > 0 {
			return thousands(len(running)) + " running"
		}
	}
	return "waiting; if no worker runs, start one: skillhand batch work"
}

// found is the batch that is asked for, by its id or else the latest of its name.
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
	}
	if s.CostUSD > 0 && s.Budget == 0 {
		data.Facts = append(data.Facts, [2]string{"Cost", term.Dollars(s.CostUSD)})
	}
	if len(running) > 0 {
		pace, err := v.pace(db, s)
		if err != nil {
			return nil, err
		}
		data.Facts = append(data.Facts, pace...)
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

// batchCost is what a batch has cost, and may cost.
func batchCost(s batch.Status) cell {
	c := costCell(s.CostUSD)
	if b := budgetOf(&s); b != nil {
		c.Text, c.Mark, c.Bar = b.Text, "", b.Part
	}
	return c
}

// A budget is what a batch has spent of what it may.
type budget struct {
	Text string
	Part string // in percent
	Why  string // nothing more is started, if so
	Go   string // the command that goes on then
}

func budgetOf(s *batch.Status) *budget {
	if s.Budget <= 0 {
		return nil
	}
	b := &budget{Text: term.Dollars(s.CostUSD) + " of " + term.Dollars(s.Budget), Part: fmt.Sprintf("%.1f%%", min(100, s.CostUSD*100/s.Budget))}
	if s.Short && s.Left() > 0 {
		b.Why = "No further job fits into the rest."
		b.Go = fmt.Sprintf("skillhand batch run FILE --budget-usd %.2f", s.Budget*2)
	}
	return b
}

// pace says how fast jobs end, and how long the rest takes at that pace. The last few hundred count.
func (v *visit) pace(db *batch.DB, s *batch.Status) ([][2]string, error) {
	const recent = 200
	last, err := db.Events(v.ctx, s.ID, max(0, s.Event-recent))
	if err != nil || len(last) < 2 {
		return nil, err
	}
	first, end := last[0].Ended, last[len(last)-1].Ended
	if first == nil || end == nil || !end.After(*first) {
		return nil, nil
	}
	each := end.Sub(*first) / time.Duration(len(last)-1)
	return [][2]string{
		{"Pace", paced(time.Minute.Seconds()/each.Seconds()) + " a minute"},
		{"Time left", "about " + term.ShortDuration(float64((each * time.Duration(s.Left())).Milliseconds()))},
	}, nil
}

// paced is a pace with two figures that count.
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

// editBatch takes failed jobs again, or ends what is left.
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
		err = errMissing{"Nothing is known by that name: want retry or cancel."}
	}
	return v.link("batch", "name", name, "id", strconv.FormatInt(s.ID, 10)), err
}
