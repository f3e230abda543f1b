package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/term"
)

type runsData struct {
	Table      *table
	Periods    []choice
	Kinds      []choice
	Plots      []plot
	Shares     []share
	Categories []share
	Slow       []mention
	Costly     []mention
	Flaky      []mention
	Next       []string
	Damaged    int
	Batch      string // whose runs are listed alone, or ""
	Made       string // when that batch was made, if that is known
	Folded     string // the address at which they are one row
	Any        bool
	Empty      string // what to say if there is nothing
	Hint       string // a command that changes that, or ""
}

// A choice is one of several ways to look.
type choice struct {
	Title, Link string
	Here        bool
}

// A mention is a thing worth looking at.
type mention struct{ Name, Link, Text, Sub string }

// A runRow is a run, or all that a batch ran.
type runRow struct {
	activity.Record
	batch        activity.Job // its name, and when it was made; none: this is one run
	jobs, failed int
	retried      int // records of jobs that were tried again
}

// fold makes one row of all that a batch ran, where its latest run stands. The latest come first.
func fold(records []activity.Record) []runRow {
	var all []runRow
	index := map[activity.Job]int{}
	for _, r := range records {
		batch, ok := batchOf(r)
		if !ok {
			all = append(all, runRow{Record: r})
			continue
		}
		at, known := index[batch]
		if !known {
			at = len(all)
			index[batch] = at
			all = append(all, runRow{Record: activity.Record{Time: r.Time, Kind: r.Kind, OK: true}, batch: batch})
		}
		row := &all[at]
		if r.Retried { // the job counts as it ended last
			row.retried++
			row.CostUSD, row.DurationMS = row.CostUSD+r.CostUSD, row.DurationMS+r.DurationMS
			continue
		}
		row.jobs, row.CostUSD, row.DurationMS = row.jobs+1, row.CostUSD+r.CostUSD, row.DurationMS+r.DurationMS
		if !r.OK {
			row.failed, row.OK = row.failed+1, false
		}
	}
	return all
}

// batchOf is the batch that a record is a job's of. Batches of one name are told apart by when they were made.
func batchOf(r activity.Record) (activity.Job, bool) {
	name, _, ok := strings.Cut(r.Job, "/")
	return activity.Job{Name: name, Batch: r.Batch}, ok
}

// madeAt shows when a batch was made, as history has it.
func madeAt(text string) string {
	at, _ := time.Parse(time.RFC3339Nano, text)
	return stamp(at)
}

// single makes a row of each record.
func single(records []activity.Record) []runRow {
	all := make([]runRow, len(records))
	for i, r := range records {
		all[i].Record = r
	}
	return all
}

func (r runRow) name() string {
	return cmp.Or(r.batch.Name, r.Name())
}

// usualSpan is the period that is shown if nobody says which.
const usualSpan = "30d"

// spans are the periods to choose from.
var spans = []struct {
	key, title string
	days       int
}{{"1d", "1 day", 1}, {"7d", "7 days", 7}, {"30d", "30 days", 30}, {"90d", "90 days", 90}, {"all", "all", 0}}

func (v *visit) runs() (*view, error) {
	now := time.Now()
	data := &runsData{Empty: "Nothing ran in this period.", Hint: "skillhand run NAME"}
	q, err := v.runsQuery(data, now)
	if err != nil {
		return nil, err
	}
	store := activity.Store{Dir: v.site.Runtime.HistoryDir()}
	v.watch(false, store.Dir)
	found, err := store.Read(q)
	if err != nil {
		return nil, err
	}
	data.Damaged, data.Any = found.Damaged, len(found.Records) > 0
	records := found.Records
	if name := v.query.Get("batch"); name != "" {
		made := v.query.Get("made")
		records = slices.DeleteFunc(records, func(r activity.Record) bool {
			batch, _ := batchOf(r)
			return batch.Name != name || made != "" && batch.Batch != made
		})
		data.Batch, data.Made, data.Folded = name, madeAt(made), v.runsLink("batch", "", "made", "")
	}
	l := list[runRow]{
		view: "runs", keep: []string{"since", "kind", "failed", "skill", "batch", "made"}, one: "run or ask", what: "runs and asks",
		usual: "-time", columns: v.runColumns(), sorted: true, text: searched, states: runStates, items: single(records),
	}
	if rows := l.search(v.query.Get("q")); len(rows) > 0 {
		listed := make([]activity.Record, len(rows))
		for i, r := range rows {
			listed[i] = r.Record
		}
		v.summarize(data, listed, q.Since, now)
	}
	if q.Failed && data.Plots != nil {
		data.Plots = data.Plots[1:] // how many succeed is known
	}
	records = slices.Clone(records)
	slices.Reverse(records)
	if l.items = single(records); v.query.Get("q") == "" && data.Batch == "" {
		l.items = fold(records)
	}
	data.Table = l.table(v)
	if folded := len(records) - len(l.items); folded > 0 {
		data.Table.Count = counted(len(records), "run or ask", "runs and asks")
	}
	return &view{Name: "runs", Tab: "runs", Title: "Runs and asks", Data: data}, nil
}

// runsQuery is what is asked of history, with the choices that there are.
func (v *visit) runsQuery(data *runsData, now time.Time) (activity.Query, error) {
	q := activity.Query{Kind: activity.Kind(v.query.Get("kind")), Failed: v.query.Get("failed") != "", Skill: v.query.Get("skill")}
	switch q.Kind {
	case "", activity.Run, activity.Ask:
	case "failed":
		q.Kind, q.Failed = "", true
	default:
		return q, errMissing{"There is no kind " + string(q.Kind) + ": want run, ask or failed."}
	}
	since := cmp.Or(v.query.Get("since"), usualSpan)
	known := false
	for _, s := range spans {
		here := since == s.key
		if known = known || here; here && s.days > 0 {
			q.Since = now.AddDate(0, 0, -s.days)
		}
		data.Periods = append(data.Periods, choice{s.title, v.runsLink("since", s.key), here})
	}
	if !known {
		return q, errMissing{"There is no period " + since + ": want 1d, 7d, 30d, 90d or all."}
	}
	for _, k := range [][3]string{{"", "", "all"}, {"run", "", "runs"}, {"ask", "", "asks"}, {"", "1", "failed"}} {
		here := k[0] == string(q.Kind) && (k[1] != "") == q.Failed
		data.Kinds = append(data.Kinds, choice{k[2], v.runsLink("kind", k[0], "failed", k[1]), here})
	}
	switch {
	case q.Failed:
		data.Empty, data.Hint = "Nothing failed in this period.", ""
	case q.Kind == activity.Ask:
		data.Empty, data.Hint = "Nothing was asked in this period.", "skillhand ask PROMPT"
	}
	return q, nil
}

// runsLink is this list with another choice.
func (v *visit) runsLink(pairs ...string) string {
	all := []string{"q", v.query.Get("q")}
	for _, k := range []string{"since", "kind", "failed", "skill", "batch", "made", "sort"} {
		if !slices.Contains(pairs, k) {
			all = append(all, k, v.query.Get(k))
		}
	}
	return v.link("runs", append(all, pairs...)...)
}

func searched(r runRow) string {
	return strings.Join([]string{r.name(), r.Skill, r.Category, r.Detail, r.Project, r.Session, r.Job}, "\n")
}

func runStates(r runRow) []string {
	verdict := "failed"
	if r.OK {
		verdict = "ok"
	}
	return []string{string(r.Kind), verdict}
}

// summarize says what the records came to.
func (v *visit) summarize(data *runsData, records []activity.Record, since, until time.Time) {
	review := activity.ReviewOf(records, since, until)
	data.Plots = plots(records, since, until)
	data.Shares = v.bySkill(review)
	most := 1
	for _, c := range review.Categories {
		most = max(most, c.Failed)
	}
	for _, c := range review.Categories {
		data.Categories = append(data.Categories, share{
			Name: c.Category,
			Link: v.runsLink("q", c.Category, "failed", "1"),
			Text: thousands(c.Failed),
			Part: float64(c.Failed) * 100 / float64(most),
		})
	}
	for _, r := range review.Slowest {
		data.Slow = append(data.Slow, mention{r.Name(), v.runLink(r), term.ShortDuration(r.DurationMS), stamp(r.Time)})
	}
	for _, r := range review.Costliest {
		if r.CostUSD > 0 {
			data.Costly = append(data.Costly, mention{r.Name(), v.runLink(r), term.Dollars(r.CostUSD), stamp(r.Time)})
		}
	}
	for _, f := range review.Flaky[:min(len(review.Flaky), 5)] {
		data.Flaky = append(data.Flaky,
			mention{f.Name, v.link("runs", "q", f.Name), fmt.Sprintf("%d of %d failed", f.Failed, f.Total), "input " + f.Input[:min(8, len(f.Input))]})
	}
	data.Next = review.Next
}

// recordID tells records of one moment apart.
func recordID(r activity.Record) string {
	data, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	return short(string(data))
}

func (v *visit) runLink(r activity.Record) string {
	return v.link("run", "at", r.Time.UTC().Format(time.RFC3339Nano), "id", recordID(r))
}

func (v *visit) runColumns() []column[runRow] {
	return []column[runRow]{
		{key: "name", title: "What", compare: by(runRow.name), cell: func(r runRow) cell {
			if r.batch.Name != "" {
				return cell{Text: r.batch.Name, Sub: "a batch: show its " + counted(r.jobs, "run", "runs"), Link: v.runsLink("batch", r.batch.Name, "made", r.batch.Batch)}
			}
			c := cell{Text: r.Name(), Link: v.runLink(r.Record)}
			if r.Skill != r.Name() {
				c.Sub = r.Skill
			}
			return c
		}},
		{key: "kind", title: "Kind", compare: by(func(r runRow) string { return string(r.Kind) }), cell: func(r runRow) cell {
			if r.batch.Name != "" {
				return cell{Text: "batch"}
			}
			return cell{Text: string(r.Kind)}
		}},
		{key: "verdict", title: "Verdict", compare: by(func(r runRow) string { return fmt.Sprint(r.OK) + r.Category }), cell: func(r runRow) cell {
			switch {
			case r.batch.Name != "" && !r.OK:
				return cell{Text: fmt.Sprintf("%s of %s failed", thousands(r.failed), thousands(r.jobs)), Mark: "bad"}
			case r.batch.Name != "":
				c := cell{Text: "all " + thousands(r.jobs) + " ok", Mark: "good"}
				if r.retried > 0 {
					c.Sub = thousands(r.retried) + " retried"
				}
				return c
			case r.OK:
				return cell{Text: "ok", Mark: "good"}
			}
			c := cell{Text: cmp.Or(r.Category, "failed"), Sub: r.Detail, Mark: "bad"}
			if r.Retried {
				c.Sub = strings.TrimSpace(c.Sub + " (retried)")
			}
			return c
		}},
		{key: "confidence", title: "Confidence", number: true, compare: by(confidence), cell: func(r runRow) cell {
			if r.Confidence == nil {
				return nothing
			}
			return cell{Text: fmt.Sprintf("%.2f", *r.Confidence)}
		}},
		{key: "duration", title: "Time", number: true, compare: by(func(r runRow) float64 { return r.DurationMS }), cell: func(r runRow) cell {
			return cell{Text: term.ShortDuration(r.DurationMS)}
		}},
		priced(func(r runRow) float64 { return r.CostUSD }),
		{key: "time", title: "When", number: true, compare: func(a, b runRow) int { return a.Time.Compare(b.Time) }, cell: func(r runRow) cell {
			return cell{Text: stamp(r.Time), Title: r.Time.Format(time.RFC3339)}
		}},
	}
}

func confidence(r runRow) float64 {
	if r.Confidence == nil {
		return -1
	}
	return *r.Confidence
}

type runData struct {
	Name  string
	OK    bool
	Facts [][2]string
	JSON  string
	Same  string // the address of other runs of the same thing
}

// run shows all that history has of one run. It has no prompt and no output.
func (v *visit) run() (*view, error) {
	at, err := time.Parse(time.RFC3339Nano, v.query.Get("at"))
	if err != nil {
		return nil, errMissing{"This address names no run."}
	}
	var found *activity.Record
	_, err = activity.Store{Dir: v.site.Runtime.HistoryDir()}.Each(activity.Query{Since: at.Add(-time.Millisecond)}, func(r *activity.Record) {
		if found == nil && r.Time.Equal(at) && recordID(*r) == v.query.Get("id") {
			one := *r
			found = &one
		}
	})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, errMissing{"History has no such run any more."}
	}
	r := *found
	data := &runData{Name: r.Name(), OK: r.OK, Same: v.link("runs", "q", r.Name(), "since", "all")}
	add := func(name, value string) {
		if value != "" {
			data.Facts = append(data.Facts, [2]string{name, value})
		}
	}
	add("When", r.Time.Local().Format("2006-01-02 15:04:05 MST"))
	add("Kind", string(r.Kind))
	add("Skill", r.Skill)
	add("Label", r.Label)
	add("Job", r.Job)
	if !r.OK {
		add("Failed by", cmp.Or(r.Category, "unknown"))
		add("Detail", r.Detail)
	}
	if r.Confidence != nil {
		add("Confidence", fmt.Sprintf("%.2f", *r.Confidence))
	}
	add("Time", term.ShortDuration(r.DurationMS))
	if r.CostUSD > 0 {
		add("Cost", term.Dollars(r.CostUSD))
	}
	add("Project", r.Project)
	add("Session", r.Session)
	add("Input hash", r.InputHash)
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	data.JSON = string(text)
	return &view{Name: "run", Tab: "runs", Title: data.Name, Data: data}, nil
}
