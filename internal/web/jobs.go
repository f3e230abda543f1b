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

// A jobList is the jobs of a batch: running and failed ones first. The database finds them a page at a time, however
// many they are.
type jobList struct {
	visit   *visit
	db      *batch.DB
	s       *batch.Status
	running map[string]batch.Running
}

// jobGroups are jobs in the order in which they are listed. A job that is open runs, or is in a worker's queue: only
// who runs can tell.
var jobGroups = []struct {
	states []batch.State
	open   string // the word of those jobs that are open
}{
	{[]batch.State{batch.Opened}, running}, {[]batch.State{batch.Failed}, ""}, {[]batch.State{batch.Opened}, queued},
	{[]batch.State{batch.Waiting}, ""}, {[]batch.State{batch.Done, batch.Skipped, batch.Canceled}, ""},
}

// The words for jobs that have not ended.
const (
	running = "running"
	queued  = "queued"
)

// word says the state of a job as people do.
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

// stateWords are what a search may say about states, by their beginnings, and the words that it means.
var stateWords = map[string][]string{
	running: {running}, queued: {queued}, "open": {running, queued}, "waiting": {queued}, "done": {"done"}, "failed": {"failed"},
	"canceled": {"canceled"}, "skipped": {"skipped"},
}

// asked returns what a search asks for: words that begin a state's mean the state, others are looked for as they stand.
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

// table returns the page of jobs that a visit wants to see.
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

// find looks for up to limit jobs behind the one that the address names, and says of each which group it is of.
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
			q.Text = slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) }) // the fewest have it
		}
		if len(words) < 2 { // else only a look at each job tells
			q.Limit = limit - len(found)
		}
		if len(states) > 0 {
			q.States = slices.DeleteFunc(slices.Clone(q.States), func(s batch.State) bool { return !slices.Contains(states, wordOf(s, open)) })
		}
		n := j.s.Count(q.States...)
		if n == 0 {
			continue
		}
		if q.Limit > 0 {
			q.Limit = min(q.Limit+len(j.running), n) // there are no more: nothing is looked for in vain
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

// group returns the jobs of a query. Jobs that run are known by their names: to look for them among all that are open takes long.
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
				continue // it has just ended
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
			if r.Error != "" && r.Error != string(r.State) { // the next column says that
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

// squares are a batch as a field: one square a job, or several jobs if they are many.
type squares struct {
	Squares []square
	Key     []square // what the colors mean, and how many there are of each
	Each    string   // how many jobs a square stands for, if not one
	Label   string
	Few     bool // there is room for larger ones
}

type square struct{ Class, Title, Link string }

// A field has at most maxSquares. Up to largeSquares are drawn larger. In a list a batch has listSquares.
const (
	maxSquares   = 1000
	largeSquares = 300
	listSquares  = 40
)

// A squarePart is the jobs of a batch in one state.
type squarePart struct {
	n           int
	class, word string
}

// squareParts returns running jobs first, then failed ones, then what is done, then what is left.
func squareParts(s *batch.Status, now int) []squarePart {
	return []squarePart{
		{now, "run", running}, {s.Failed, "bad", "failed"}, {s.Done, "good", "done"},
		{s.Skipped, "warn", "skipped"}, {s.Canceled, "off", "canceled"}, {s.Open - now + s.Waiting, "wait", queued},
	}
}

// fewSquares shows a batch in a list: a square for each job, or for an equal share of many. A state that has a job has one.
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

// names returns the jobs of each state, if every square is one job.
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

// jobOf returns the address of the job that a run was, if it is known which.
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

// jobData is all that is kept of a job.
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

// job shows what came of a job: its report, and what it printed.
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
