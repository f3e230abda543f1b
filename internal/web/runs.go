package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/term"
)

type runsData struct {
	Table      *table
	Periods    []choice
	Kinds      []choice
	Charts     []chart
	Shares     []share
	Categories []share
	Slow       []share
	Costly     []share
	Flaky      []share
	Next       []string
	Live       bool
	Damaged    int
	Batch      string // the batch to list alone, or ""
	Made       string // when that batch was created, if known
	Folded     string // the address where its runs are one row
	Any        bool
	Empty      string // the text if there are no runs
	Hint       string // a command that creates a run, or ""
}

// A choice is one of several ways to see a list.
type choice struct {
	Title, Link, Count string
	Here               bool
}

// A runRow is a run, or all runs of a batch.
type runRow struct {
	activity.Record
	batch        activity.Job // the batch's name and creation time; empty for a single run
	jobs, failed int
	retried      int // the number of records of jobs that were retried
}

// fold merges all runs of a batch into one row, at the place of its latest run. The records are in
// order, the latest first.
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
		if r.Retried { // only the last attempt of a job counts
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

// batchOf returns the batch of a record's job. The creation time distinguishes batches of one name.
func batchOf(r activity.Record) (activity.Job, bool) {
	name, _, ok := strings.Cut(r.Job, "/")
	return activity.Job{Name: name, Batch: r.Batch}, ok
}

// madeAt formats the creation time of a batch in the history.
func madeAt(text string) string {
	at, _ := time.Parse(time.RFC3339Nano, text)
	return stamp(at)
}

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

func (v *visit) runs() (*view, error) {
	data, err := v.runsData("")
	if err != nil {
		return nil, err
	}
	return &view{Name: "runs", Tab: "runs", Title: "Runs and asks", Data: data}, nil
}

// runsData returns the list of runs and asks. If skill is not "", it has only those of the skill.
func (v *visit) runsData(skill string) (*runsData, error) {
	now := time.Now()
	data := &runsData{Empty: "Nothing ran in this period.", Hint: "skillhand run " + cmp.Or(skill, "NAME"), Live: v.live}
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
	records := found.Records
	if skill != "" {
		records = slices.DeleteFunc(records, func(r activity.Record) bool { return session.PlainName(r.Skill) != skill })
	}
	data.Damaged, data.Any = found.Damaged, len(records) > 0
	if name := v.query.Get("batch"); name != "" {
		made := v.query.Get("made")
		records = slices.DeleteFunc(records, func(r activity.Record) bool {
			batch, _ := batchOf(r)
			return batch.Name != name || made != "" && batch.Batch != made
		})
		data.Batch, data.Made, data.Folded = name, madeAt(made), v.runsLink("batch", "", "made", "")
	}
	l := list[runRow]{
		view: "runs", keep: []string{"since", "kind", "failed", "batch", "made"}, one: "run or ask", what: "runs and asks",
		usual: "-time", columns: v.runColumns(), sorted: true, text: searched, states: runStates, items: single(records),
	}
	if v.query.Get("tab") != "" {
		l.view, l.at = "skill", []string{"skill", v.query.Get("skill"), "tab", "runs"}
	}
	if rows := l.search(v.query.Get("q")); len(rows) > 0 {
		listed := make([]activity.Record, len(rows))
		for i, r := range rows {
			listed[i] = r.Record
		}
		v.summarize(data, listed, q.Since, now)
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
	return data, nil
}

// runsQuery returns the query of the history, and adds the available choices to data.
func (v *visit) runsQuery(data *runsData, now time.Time) (q activity.Query, err error) {
	q = activity.Query{Kind: activity.Kind(v.query.Get("kind")), Failed: v.query.Get("failed") != ""}
	switch q.Kind {
	case "", activity.Run, activity.Ask:
	case "failed":
		q.Kind, q.Failed = "", true
	default:
		return q, errMissing{"There is no kind " + string(q.Kind) + ": want run, ask or failed."}
	}
	if q.Since, _, err = v.period(); err != nil {
		return q, err
	}
	data.Periods = v.periods(func(key string) string { return v.runsLink("since", key) })
	for _, k := range [][3]string{{"", "", "all"}, {"run", "", "runs"}, {"ask", "", "asks"}, {"", "1", "failed"}} {
		here := k[0] == string(q.Kind) && (k[1] != "") == q.Failed
		data.Kinds = append(data.Kinds, choice{Title: k[2], Link: v.runsLink("kind", k[0], "failed", k[1]), Here: here})
	}
	switch {
	case q.Failed:
		data.Empty, data.Hint = "Nothing failed in this period.", ""
	case q.Kind == activity.Ask:
		data.Empty, data.Hint = "Nothing was asked in this period.", "skillhand ask PROMPT"
	}
	return q, nil
}

// runsLink returns the address of this list with another choice.
func (v *visit) runsLink(pairs ...string) string {
	view, keys := "runs", []string{"q", "since", "kind", "failed", "batch", "made", "sort"}
	if v.query.Get("tab") != "" {
		view, keys = "skill", append(keys, "skill", "tab")
	}
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == pairs[i] })
	}
	for _, k := range keys {
		all = append(all, k, v.query.Get(k))
	}
	return v.link(view, append(all, pairs...)...)
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

func (v *visit) summarize(data *runsData, records []activity.Record, since, until time.Time) {
	review := activity.ReviewOf(records, since, until)
	data.Charts = runCharts(records, since, until)
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
		data.Slow = append(data.Slow, share{Name: r.Name(), Link: v.runLink(r), Text: term.ShortDuration(r.DurationMS), Sub: ago(r.Time)})
	}
	for _, r := range review.Costliest {
		if r.CostUSD > 0 {
			data.Costly = append(data.Costly, share{Name: r.Name(), Link: v.runLink(r), Text: term.Dollars(r.CostUSD), Sub: ago(r.Time)})
		}
	}
	for _, f := range review.Flaky[:min(len(review.Flaky), 5)] {
		data.Flaky = append(data.Flaky, share{
			Name: f.Name, Link: v.link("runs", "q", f.Name), Text: fmt.Sprintf("%d of %d failed", f.Failed, f.Total),
			Sub: "input " + f.Input[:min(8, len(f.Input))]})
	}
	data.Next = review.Next
}

// runCharts returns charts of the records of a period.
func runCharts(records []activity.Record, since, until time.Time) []chart {
	c := newCalendar(records[0].Time, since, until)
	ok, failed, cost := c.series("ok", "good"), c.series("failed", "bad"), c.series("", "plain")
	sure, said := c.series("", ""), c.series("", "")
	retried := 0
	for _, r := range records {
		i := c.at(r.Time)
		if r.OK {
			ok.add(i, 1)
		} else {
			failed.add(i, 1)
		}
		if r.Confidence != nil {
			sure.add(i, *r.Confidence)
			said.add(i, 1)
		}
		if r.Retried {
			retried++
		}
		cost.add(i, r.CostUSD)
	}
	runs, all := c.stack("How many run "+c.each+", and how many fail?", "", inNumbers, ok, failed)
	succeeded := 0.0
	for _, n := range ok.values {
		succeeded += n
	}
	runs.Answer = fmt.Sprintf("%s, %.1f %% ok", thousands(int(all)), succeeded*100/max(all, 1))
	if retried > 0 {
		runs.Answer += fmt.Sprintf(", %s retried", thousands(retried))
	}
	means, mean := c.means("How confident are runs?", "No run reported a confidence: see docs/reports.md.", "confidence",
		sure, said)
	if len(means.Dots) > 0 {
		means.Answer = fmt.Sprintf("%.2f", mean)
	}
	costs, sum := c.stack("What do asks cost "+c.each+"?", "No costs in this period; only asks cost money.", inDollars, cost)
	if sum > 0 {
		costs.Answer = term.Dollars(sum)
	}
	return []chart{runs, means, costs}
}

// recordID returns an id that distinguishes records of the same moment.
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
				return cell{Text: r.batch.Name, Sub: "a batch: show its " + counted(r.jobs, "run", "runs"),
					Link: v.runsLink("batch", r.batch.Name, "made", r.batch.Batch)}
			}
			c := cell{Text: r.Name(), Link: v.runLink(r.Record)}
			if r.Skill != r.Name() {
				c.Sub = r.Skill
			}
			return c
		}},
		{key: "kind", title: "Kind", fold: true, compare: by(func(r runRow) string { return string(r.Kind) }),
			cell: func(r runRow) cell {
				if r.batch.Name != "" {
					return cell{Text: "batch"}
				}
				return cell{Text: string(r.Kind)}
			}},
		{key: "verdict", title: "Verdict", compare: by(func(r runRow) string { return fmt.Sprint(r.OK) + r.Category }),
			cell: func(r runRow) cell {
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
		{key: "confidence", title: "Confidence", number: true, fold: true, compare: by(confidence),
			cell: func(r runRow) cell {
				if r.Confidence == nil {
					return nothing
				}
				return cell{Text: fmt.Sprintf("%.2f", *r.Confidence)}
			}},
		{key: "duration", title: "Time", number: true, compare: by(func(r runRow) float64 { return r.DurationMS }),
			cell: func(r runRow) cell {
				return cell{Text: term.ShortDuration(r.DurationMS)}
			}},
		priced(func(r runRow) float64 { return r.CostUSD }),
		{key: "time", title: "When", number: true, compare: func(a, b runRow) int { return a.Time.Compare(b.Time) },
			cell: func(r runRow) cell {
				return cell{At: r.Time}
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
	Facts []runFact
	JSON  string
	Same  string // the address of other runs with the same name
	Again string // the command that shows the report and stderr, or ""
}

type runFact struct{ Name, Value, Link string }

// run shows everything that the history has about one run. The history has no prompt and no output.
func (v *visit) run() (*view, error) {
	at, err := time.Parse(time.RFC3339Nano, v.query.Get("at"))
	if err != nil {
		return nil, errMissing{"This address names no run."}
	}
	var found *activity.Record
	_, err = activity.Store{Dir: v.site.Runtime.HistoryDir()}.
		Each(activity.Query{Since: at.Add(-time.Millisecond)}, func(r *activity.Record) {
			if found == nil && r.Time.Equal(at) && recordID(*r) == v.query.Get("id") {
				one := *r
				found = &one
			}
		})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, errMissing{"This run is no longer in the history."}
	}
	r := *found
	data := &runData{Name: r.Name(), OK: r.OK, Same: v.link("runs", "q", r.Name(), "since", "all")}
	link := func(name, value, link string) {
		if value != "" {
			data.Facts = append(data.Facts, runFact{name, value, link})
		}
	}
	add := func(name, value string) { link(name, value, "") }
	add("When", r.Time.Local().Format("2006-01-02 15:04:05 MST"))
	add("Kind", string(r.Kind))
	link("Skill", r.Skill, v.link("skill", "skill", r.Skill, "tab", "runs"))
	add("Label", r.Label)
	link("Job", r.Job, v.jobOf(r))
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
	link("Session", r.Session, v.link("session", "id", r.Session))
	add("Input hash", r.InputHash)
	if r.Kind == activity.Run && r.Job == "" {
		data.Again = shell.Quote([]string{"skillhand", "run", r.Skill, "--json"})
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	data.JSON = string(text)
	return &view{Name: "run", Tab: "runs", Title: data.Name, Data: data}, nil
}

// A share is a row of a table, with a bar if it is a part of a whole.
type share struct {
	Name, Link, Text, Sub string
	Part                  float64 // of 100
}

// After the first minShares rows, skills with less than minShare percent of the time are merged
// into one row. There are many prompts, and most of them are used once.
const (
	minShare  = 1.0
	minShares = 3
	maxShares = 12
)

// bySkill returns the share of the time for each skill.
func (v *visit) bySkill(review *activity.Review) []share {
	most := 0.0 // bars are scaled to the longest
	row := func(name, link string, s activity.Ran) share {
		part := 0.0
		if review.DurationMS > 0 {
			part = s.DurationMS * 100 / review.DurationMS
		}
		most = max(most, part)
		return share{
			Name: name,
			Link: link,
			Text: term.ShortDuration(s.DurationMS),
			Sub:  counted(s.Total, "run", "runs") + ", " + thousands(s.Failed) + " failed",
			Part: part,
		}
	}
	skills := slices.Clone(review.Skills)
	slices.SortStableFunc(skills, func(a, b activity.Ran) int { return cmp.Compare(b.DurationMS, a.DurationMS) })
	var all []share
	var rest activity.Ran
	folded := 0
	for i, s := range skills {
		one := row(s.Name, v.link("runs", "q", s.Name), s)
		last := i == len(skills)-1 && folded == 0 // the row "others" would need as much room as this row
		if i < minShares || i < maxShares && (one.Part >= minShare || last) {
			all = append(all, one)
			continue
		}
		folded++
		rest.Total, rest.Failed, rest.DurationMS = rest.Total+s.Total, rest.Failed+s.Failed, rest.DurationMS+s.DurationMS
	}
	if folded > 0 {
		all = append(all, row(counted(folded, "other", "others"), "", rest))
	}
	for i := range all {
		if most > 0 {
			all[i].Part *= 100 / most
		}
	}
	return all
}
