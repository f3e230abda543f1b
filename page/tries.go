package page

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/try"
)

// An arm is what came of one side of a try.
type arm struct {
	trials, fired, right, passed, checked int
	duration                              float64
}

func (a *arm) add(t *try.Trial) {
	if t.Outcome == try.Void {
		return // it says nothing about the skill
	}
	a.trials++
	if t.Outcome == try.Fired {
		a.fired++
	}
	if t.Right() {
		a.right++
	}
	if t.Passed != nil {
		a.checked++
		if *t.Passed {
			a.passed++
		}
	}
	a.duration += t.DurationMS
}

// A tried is a skill, or one of its cases, with both arms.
type tried struct {
	name, id      string // id is the folder of the results, below that of all
	fires         bool   // a case: the skill should
	with, without arm
	void          int
	cost          float64
	time          time.Time
}

func (r *tried) add(t *try.Trial) {
	a := &r.with
	if t.Arm == try.Without {
		a = &r.without
	}
	a.add(t)
	r.cost += t.CostUSD
	if t.Outcome == try.Void {
		r.void++
	}
}

// share is how often something happened. Without a trial nobody knows.
func (r tried) share(hits, of int) cell {
	if of == 0 {
		return cell{Text: "–", Mark: "dim"}
	}
	c := cell{Text: fmt.Sprintf("%d of %d", hits, of), Title: try.NewRate(hits, of).String()}
	switch {
	case hits == of:
		c.Mark = "good"
	case hits == 0:
		c.Mark = "bad"
	default:
		c.Mark = "warn"
	}
	return c
}

// group adds trials up by a key, in the order in which keys come first.
func group(trials []try.Trial, key func(*try.Trial) string) []tried {
	var all []tried
	for i := range trials {
		t := &trials[i]
		at := slices.IndexFunc(all, func(r tried) bool { return r.name == key(t) })
		if at < 0 {
			at = len(all)
			all = append(all, tried{name: key(t), fires: t.Fires})
		}
		all[at].add(t)
	}
	return all
}

func (v *visit) triesDir() string { return filepath.Join(v.Runtime.State, "try") }

func (v *visit) tries() (*view, error) {
	data := &listData{
		Lead:  "Does a skill fire when it should, and does it help? Each try counts, with the skill and without it.",
		Empty: "There are no tries yet.", Hints: []string{"skillhand try --init NAME", "skillhand try NAME --baseline"},
		Then: "The first writes cases to begin with, the second asks Claude: see docs/trying.md.",
	}
	l := list[tried]{view: "tries", what: "tries", usual: "-time", text: func(r tried) string { return r.name }}
	folders, err := filepath.Glob(filepath.Join(v.triesDir(), "*", "[0-9]*"))
	if err != nil {
		return nil, err
	}
	for _, dir := range folders {
		trials, err := try.ReadResults(dir)
		if err != nil {
			continue // one that has just begun has no results
		}
		info, err := os.Stat(dir)
		if err != nil {
			continue
		}
		for _, r := range group(trials, func(t *try.Trial) string { return t.Skill }) {
			r.id, r.time = filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir), info.ModTime()
			l.items = append(l.items, r)
		}
	}
	l.columns = append([]column[tried]{
		{key: "name", title: "Skill", compare: by(func(r tried) string { return r.name }), cell: func(r tried) cell {
			return cell{Text: r.name, Link: v.link("try", "id", r.id, "skill", r.name)}
		}}}, armColumns()...)
	l.columns = append(l.columns, column[tried]{key: "time", title: "When", number: true, compare: func(a, b tried) int { return a.time.Compare(b.time) }, cell: func(r tried) cell { return cell{Text: ago(r.time)} }})
	data.Table = l.table(v)
	return &view{Name: "list", Tab: "tries", Title: "Tries", Data: data}, nil
}

// armColumns show both arms side by side.
func armColumns() []column[tried] {
	rate := func(hits, of int) float64 { return float64(hits) / float64(max(of, 1)) }
	return []column[tried]{
		{key: "right", title: "Fired as it should", number: true, compare: by(func(r tried) float64 { return rate(r.with.right, r.with.trials) }), cell: func(r tried) cell { return r.share(r.with.right, r.with.trials) }},
		{key: "with", title: "Passed with it", number: true, compare: by(func(r tried) float64 { return rate(r.with.passed, r.with.checked) }), cell: func(r tried) cell { return r.share(r.with.passed, r.with.checked) }},
		{key: "without", title: "Passed without", number: true, compare: by(func(r tried) float64 { return rate(r.without.passed, r.without.checked) }), cell: func(r tried) cell { return r.share(r.without.passed, r.without.checked) }},
		{key: "trials", title: "Trials", number: true, compare: by(func(r tried) int { return r.with.trials + r.without.trials }), cell: func(r tried) cell {
			c := cell{Text: fmt.Sprint(r.with.trials + r.without.trials)}
			if r.void > 0 {
				c.Sub = fmt.Sprintf("%d without a verdict", r.void)
			}
			return c
		}},
		{key: "cost", title: "Cost", number: true, compare: by(func(r tried) float64 { return r.cost }), cell: func(r tried) cell { return cell{Text: term.Dollars(r.cost)} }},
	}
}

// tryID is what the folder of a try's results looks like, so that an address leads nowhere else.
var tryID = regexp.MustCompile(`^[0-9A-Za-z_-]+/[0-9]+$`)

// try shows the cases of one skill.
func (v *visit) try() (*view, error) {
	id, name := v.query.Get("id"), v.query.Get("skill")
	if !tryID.MatchString(id) {
		return nil, errMissing{"This address names no try."}
	}
	trials, err := try.ReadResults(filepath.Join(v.triesDir(), filepath.FromSlash(id)))
	if err != nil {
		return nil, errMissing{err.Error()}
	}
	trials = slices.DeleteFunc(trials, func(t try.Trial) bool { return t.Skill != name })
	l := list[tried]{view: "try", keep: []string{"id", "skill"}, what: "cases", usual: "name", text: func(r tried) string { return r.name }}
	l.items = group(trials, func(t *try.Trial) string { return t.Case })
	l.columns = append([]column[tried]{
		{key: "name", title: "Case", compare: by(func(r tried) string { return r.name }), cell: func(r tried) cell {
			return cell{Text: r.name, Sub: map[bool]string{true: "the skill should fire", false: "the skill should stay quiet"}[r.fires]}
		}}}, armColumns()...)
	with, without := arm{}, arm{}
	for _, r := range l.items {
		with.passed, with.checked = with.passed+r.with.passed, with.checked+r.with.checked
		without.passed, without.checked = without.passed+r.without.passed, without.checked+r.without.checked
	}
	data := &listData{Table: l.table(v), Empty: "This try has no cases of " + cmp.Or(name, "a skill without a name") + "."}
	if with.checked > 0 && without.checked > 0 {
		help := try.Compare(try.NewRate(with.passed, with.checked), try.NewRate(without.passed, without.checked))
		data.Facts = [][2]string{{"Does it help?", help.String()}}
	}
	return &view{Name: "list", Tab: "tries", Title: "Try of " + name, Data: data}, nil
}
