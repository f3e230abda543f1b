package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/term"
)

// A jobList shows the jobs of a batch, with running and failed jobs first. The database returns
// them one page at a time, so a batch may have any number of jobs.
type jobList struct {
	visit   *visit
	db      *batch.DB
	s       *batch.Status
	running map[string]batch.Running
}

// jobGroups are the groups of jobs in the order of the list. An open job either runs or is in a
// worker's queue. The database cannot distinguish the two; the list of running jobs can.
var jobGroups = []struct {
	states []batch.State
	open   string // the word for open jobs in this group
}{
	{[]batch.State{batch.Opened}, running}, {[]batch.State{batch.Failed}, ""}, {[]batch.State{batch.Opened}, queued},
	{[]batch.State{batch.Waiting}, ""}, {[]batch.State{batch.Done, batch.Skipped, batch.Canceled}, ""},
}

// The words for unfinished jobs.
const (
	running = "running"
	queued  = "queued"
)

// word returns the word for the state of a job.
func (j *jobList) word(r batch.Result) string {
	if _, ok := j.running[r.ID]; ok && r.State == batch.Opened {
		return running
	}
	return wordOf(r.State, queued)
}

func wordOf(s batch.State, open string) string {
	switch s {
	case batch.Opened:
		return open
	case batch.Waiting:
		return queued
	}
	return string(s)
}

// stateWords are the words for states that a search recognizes, even if they are abbreviated, and
// the words that they mean.
var stateWords = map[string][]string{
	running: {running}, queued: {queued}, "open": {running, queued}, "waiting": {queued}, "done": {"done"}, "failed": {"failed"},
	"canceled": {"canceled"}, "skipped": {"skipped"},
}

// asked splits a search into states and other words. A word that begins the name of a state means
// the state. The search looks for the other words literally.
func asked(search string) (states, rest []string) {
	for _, w := range strings.Fields(strings.ToLower(search)) {
		known := false
		for word, means := range stateWords {
			if len(w) > 1 && strings.HasPrefix(word, w) {
				known = true
				states = append(states, means...)
			}
		}
		if !known {
			rest = append(rest, w)
		}
	}
	return states, rest
}

// table returns the page of jobs that the visit requests.
func (j *jobList) table() (*table, error) {
	t := &table{Action: j.visit.link("batch"), What: "jobs", Total: j.s.Total, Live: j.visit.live}
	t.Query = strings.TrimSpace(j.visit.query.Get("q"))
	t.Keep = [][2]string{{"name", j.s.Name}, {"id", strconv.FormatInt(j.s.ID, 10)}}
	at := func(pairs ...string) string { return j.visit.batchLink(j.s, pairs...) }
	t.All = at()
	const size = perPage // also in an export, which may have many batches
	page, _ := strconv.Atoi(j.visit.query.Get("p"))
	page = max(1, page)
	found, group, err := j.find(t.Query, size+1)
	if err != nil {
		return nil, err
	}
	more := len(found) > size
	found = found[:min(len(found), size)]
	t.First = (page-1)*size + 1
	t.Last = t.First + len(found) - 1
	if t.Query == "" {
		t.Matched = t.Total
	} else if !more {
		t.Matched = t.Last
	}
	if page > 1 {
		t.Previous, t.FromStart = at("q", t.Query), true
	}
	if more && j.visit.live {
		t.Next = at("q", t.Query, "p", strconv.Itoa(page+1), "group", strconv.Itoa(group[len(found)-1]), "after", found[len(found)-1].ID)
	}
	switch t.Count = counted(t.Total, "job", "jobs"); {
	case t.Query != "" && more:
		t.Count = thousands(t.Last) + " or more of " + t.Count
	case t.Query != "":
		t.Count = thousands(t.Last) + " of " + t.Count
	}
	j.rows(t, found)
	return t, nil
}

// find returns up to limit jobs after the job that the address names, and the group of each job.
func (j *jobList) find(search string, limit int) (found []batch.Result, of []int, err error) {
	states, words := asked(search)
	missing := func(r batch.Result) bool {
		text := strings.ToLower(r.ID + "\n" + r.Error)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	}
	from, _ := strconv.Atoi(j.visit.query.Get("group"))
	after := j.visit.query.Get("after")
	for g := max(0, from); g < len(jobGroups) && len(found) < limit; g++ {
		open := jobGroups[g].open
		q := batch.Query{States: jobGroups[g].states, After: after}
		if after = ""; len(words) > 0 {
			q.Text = slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) }) // few jobs match the longest word
		}
		if len(words) < 2 { // with two or more, only reading each job shows whether it matches
			q.Limit = limit - len(found)
		}
		if len(states) > 0 {
			q.States = slices.DeleteFunc(slices.Clone(q.States),
				func(s batch.State) bool { return !slices.Contains(states, wordOf(s, open)) })
		}
		n := j.s.Count(q.States...)
		if n == 0 {
			continue
		}
		if q.Limit > 0 {
			q.Limit = min(q.Limit+len(j.running), n) // only n jobs have these states; do not search for more
		}
		for r, err := range j.group(open, q) {
			if err != nil {
				return nil, nil, err
			}
			if !missing(r) {
				found, of = append(found, r), append(of, g)
			}
			if len(found) == limit {
				break
			}
		}
	}
	return found, of, nil
}

// group returns the jobs of a query. It finds running jobs by their names, because a search among
// all open jobs takes long.
func (j *jobList) group(open string, q batch.Query) iter.Seq2[batch.Result, error] {
	if open != running {
		return func(yield func(batch.Result, error) bool) {
			for r, err := range j.db.Jobs(j.visit.ctx, j.s.ID, q) {
				if err == nil && open != "" && j.word(r) != open {
					continue
				}
				if !yield(r, err) {
					return
				}
			}
		}
	}
	return func(yield func(batch.Result, error) bool) {
		for _, id := range slices.Sorted(maps.Keys(j.running)) {
			if id <= q.After {
				continue
			}
			r, _, err := j.db.Job(j.visit.ctx, j.s.ID, id)
			if errors.Is(err, batch.ErrNoJob) || err == nil && j.word(r) != running {
				continue // the job has just ended
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func (j *jobList) rows(t *table, found []batch.Result) {
	columns := j.columns()
	if !slices.ContainsFunc(found, func(r batch.Result) bool { return r.Attempts > 1 }) {
		columns = slices.DeleteFunc(columns, func(c column[batch.Result]) bool { return c.title == "Attempts" })
	}
	if j.s.CostUSD == 0 {
		columns = columns[:len(columns)-1]
	}
	for _, c := range columns {
		t.Heads = append(t.Heads, head{Title: c.title, Number: c.number})
	}
	for _, r := range found {
		one := rowOf(r, columns)
		one.Key = short(r.ID)
		t.Rows = append(t.Rows, one)
	}
}

func (j *jobList) columns() []column[batch.Result] {
	return []column[batch.Result]{
		{title: "Job", cell: func(r batch.Result) cell {
			c := cell{Text: r.ID, Sub: j.running[r.ID].Note, Link: j.jobLink(r.ID)}
			if r.Error != "" && r.Error != string(r.State) { // the next column shows the state
				c.Sub = r.Error
			}
			return c
		}},
		{title: "State", cell: func(r batch.Result) cell {
			c := cell{Text: j.word(r), Mark: jobMarks[r.State]}
			if now, ok := j.running[r.ID]; ok {
				c.Mark, c.Sub = "run", "by worker "+now.Worker[:min(6, len(now.Worker))]
				if now.Host != "" {
					c.Sub += " on " + now.Host
				}
			}
			return c
		}},
		{title: "Attempts", number: true,
			cell: func(r batch.Result) cell { return cell{Text: fmt.Sprint(r.Attempts)} }},
		{title: "Time", number: true, cell: func(r batch.Result) cell {
			if now, ok := j.running[r.ID]; ok && !now.Started.IsZero() {
				return cell{Text: "for " + term.ShortDuration(float64(time.Since(now.Started).Milliseconds()))}
			}
			if took(r) == 0 {
				return nothing
			}
			return cell{Text: term.ShortDuration(float64(took(r).Milliseconds()))}
		}},
		{title: "Cost", number: true, cell: func(r batch.Result) cell { return costCell(r.CostUSD) }},
	}
}

// A squares draws a batch as a field of squares. Each square is one job, or several jobs if the
// batch is large.
type squares struct {
	Squares []square
	Key     []square // the meaning of the colors, and the number of jobs of each
	Each    string   // how many jobs a square represents, if it is more than one
	Label   string
	Few     bool // the squares are drawn larger
}

type square struct{ Class, Title, Link string }

// A field has at most maxSquares squares. Up to largeSquares squares are drawn larger. In a list, a
// batch has listSquares squares.
const (
	maxSquares   = 1000
	largeSquares = 300
	listSquares  = 40
)

// A squarePart is the number of jobs in one state.
type squarePart struct {
	n           int
	class, word string
}

// squareParts returns the numbers of running, failed and done jobs, then of the others.
func squareParts(s *batch.Status, now int) []squarePart {
	return []squarePart{
		{now, "run", running}, {s.Failed, "bad", "failed"}, {s.Done, "good", "done"},
		{s.Skipped, "warn", "skipped"}, {s.Canceled, "off", "canceled"}, {s.Open - now + s.Waiting, "wait", queued},
	}
}

// fewSquares draws a batch in a list. A square is one job, or an equal share of a large batch.
// Every state with a job has a square.
func fewSquares(s *batch.Status) (all []square) {
	for _, p := range squareParts(s, s.Open) {
		n := p.n
		if s.Total > listSquares && n > 0 {
			n = max(1, n*listSquares/s.Total)
		}
		for range n {
			all = append(all, square{Class: p.class, Title: thousands(p.n) + " " + p.word})
		}
	}
	return all
}

func (j *jobList) squares() (*squares, error) {
	s := j.s
	if s.Total == 0 {
		return nil, nil
	}
	parts := squareParts(s, min(len(j.running), s.Open))
	f := &squares{Few: s.Total <= largeSquares}
	each := (s.Total + maxSquares - 1) / maxSquares
	if each > 1 {
		f.Each = "a square is up to " + thousands(each) + " jobs"
	}
	names, err := j.names(each)
	if err != nil {
		return nil, err
	}
	var said []string
	for _, p := range parts {
		if p.n == 0 {
			continue
		}
		said = append(said, thousands(p.n)+" "+p.word)
		f.Key = append(f.Key, square{p.class, thousands(p.n) + " " + p.word, j.visit.batchLink(s, "q", p.word)})
		for i := range (p.n + each - 1) / each {
			one := square{Class: p.class}
			if all := names[p.word]; i < len(all) {
				one.Title, one.Link = all[i]+": "+p.word, j.jobLink(all[i])
			}
			f.Squares = append(f.Squares, one)
		}
	}
	f.Label = strings.Join(said, ", ")
	return f, nil
}

// names returns the jobs of each state if every square is one job.
func (j *jobList) names(each int) (map[string][]string, error) {
	all := map[string][]string{}
	if each > 1 {
		return all, nil
	}
	for r, err := range j.db.Jobs(j.visit.ctx, j.s.ID, batch.Query{}) {
		if err != nil {
			return nil, err
		}
		all[j.word(r)] = append(all[j.word(r)], r.ID)
	}
	return all, nil
}

func (j *jobList) jobLink(id string) string {
	return j.visit.link("job", "name", j.s.Name, "id", strconv.FormatInt(j.s.ID, 10), "job", id)
}

// jobOf returns the address of the job of a run, or "" if the job is unknown.
func (v *visit) jobOf(r activity.Record) string {
	name, id, ok := strings.Cut(r.Job, "/")
	db, err := v.db()
	if !ok || err != nil || db == nil {
		return ""
	}
	made, _ := time.Parse(time.RFC3339Nano, r.Batch)
	all, err := db.Find(v.ctx, name)
	if err != nil {
		return ""
	}
	for _, s := range all {
		if s.Created.Equal(made) || made.IsZero() && len(all) == 1 {
			return v.link("job", "name", name, "id", strconv.FormatInt(s.ID, 10), "job", id)
		}
	}
	return ""
}

// A jobData has everything that the database keeps of a job.
type jobData struct {
	ID, State, Mark, Back string
	Facts                 [][2]string
	Error, Log, Result    string
	Tries                 []jobTry
}

type jobTry struct {
	At    time.Time
	Text  string
	Error string
}

// job shows the result of a job: its report and its output.
func (v *visit) job() (*view, error) {
	id := v.query.Get("job")
	missing := errMissing{"There is no job " + id + "."}
	db, err := v.db()
	if err != nil {
		return nil, err
	}
	if db == nil {
		return nil, missing
	}
	s, err := v.found(db)
	if err != nil {
		return nil, err
	}
	r, attempts, err := db.Job(v.ctx, s.ID, id)
	if errors.Is(err, batch.ErrNoJob) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	d := &jobData{ID: r.ID, State: wordOf(r.State, queued), Mark: jobMarks[r.State], Error: r.Error, Log: r.Log}
	d.Back = v.batchLink(s)
	add := func(name, value string) { d.Facts = append(d.Facts, [2]string{name, value}) }
	add("Batch", s.Name)
	add("Attempts", thousands(r.Attempts))
	if took(r) > 0 {
		add("Time", term.ShortDuration(float64(took(r).Milliseconds())))
	}
	if r.CostUSD > 0 {
		add("Cost", term.Dollars(r.CostUSD))
	}
	if r.Ended != nil {
		add("Ended", stamp(*r.Ended))
	}
	var text bytes.Buffer
	if json.Indent(&text, r.Result, "", "  ") == nil {
		d.Result, _ = shown(text.String())
	}
	for _, a := range attempts {
		one := jobTry{Text: a.How, Error: a.Error}
		if a.Started != nil {
			one.At = *a.Started
			if a.Ended != nil {
				one.Text += " after " + term.ShortDuration(float64(a.Ended.Sub(*a.Started).Milliseconds()))
			}
		}
		d.Tries = append(d.Tries, one)
	}
	return &view{Name: "job", Tab: "batches", Title: r.ID, Data: d, Every: v.every(!r.State.Ended())}, nil
}
