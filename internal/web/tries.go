package web

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/words"
)

// An arm is what came of one side of a try, by case. Trials without a verdict say nothing about the
// skill.
type arm map[string]ran

// A ran is what came of a case.
type ran struct{ right, passed eval.Rate }

// over returns the rate of all cases, that of its runs if there is one.
func (a arm) over(of func(ran) eval.Rate) eval.Rate {
	var all []eval.Rate
	for _, id := range slices.Sorted(maps.Keys(a)) {
		all = append(all, of(a[id]))
	}
	if len(all) == 1 {
		return all[0]
	}
	return eval.RateOver(all)
}

func (a arm) right() eval.Rate  { return a.over(func(r ran) eval.Rate { return r.right }) }
func (a arm) passed() eval.Rate { return a.over(func(r ran) eval.Rate { return r.passed }) }

// A tried is a skill, or one of its cases, with both arms.
type tried struct {
	name, id      string // id is the folder of the results, below that of all
	fires         bool   // a case: the skill should
	with, without arm
	void          int
	cost          float64
	time          time.Time
}

// newTried returns one without trials.
func newTried(name string) tried { return tried{name: name, with: arm{}, without: arm{}} }

// trials counts those with a verdict.
func (r tried) trials() int { return r.with.right().Of + r.without.right().Of }

// side returns the arm that something belongs to.
func (r *tried) side(of eval.Arm) arm {
	if of.Kind() == eval.Without {
		return r.without
	}
	return r.with
}

// addTrial adds one trial. An older skill has no side here.
func (r *tried) addTrial(t *eval.Trial) {
	r.cost += t.CostUSD
	switch {
	case t.Outcome == eval.Void, t.Outcome == eval.Unknown:
		r.void++
	case t.Arm.Kind() != eval.Against:
		one := r.side(t.Arm)[t.Case]
		one.right.See(t.Right())
		if t.Passed != nil {
			one.passed.See(*t.Passed)
		}
		r.side(t.Arm)[t.Case] = one
	}
}

// addCase adds what the trials of a case came to; of several models, in the first.
func (r *tried) addCase(c *eval.CaseSummary) {
	for _, s := range c.Arms {
		if _, ok := r.side(s.Arm)[c.Case]; !ok && s.Arm.Kind() != eval.Against {
			r.side(s.Arm)[c.Case] = ran{s.Right, s.Passed}
		}
		r.void, r.cost = r.void+s.Void, r.cost+s.CostUSD
	}
}

// rated is how often something happened. Without a trial nobody knows.
func rated(r eval.Rate) cell {
	if r.Of == 0 {
		return nothing
	}
	c := cell{Text: fmt.Sprintf("%d of %d", r.Hits, r.Of), Title: r.String()}
	switch {
	case r.Rate >= 0.9:
		c.Mark = "good"
	case r.Rate < 0.5:
		c.Mark = "bad"
	}
	return c
}

// help is how much more often the skill's cases pass with it than without; nil if one arm has no verdict.
func (r tried) help() *eval.Difference {
	var with, without []eval.Rate
	for id, one := range r.with {
		if other := r.without[id]; one.passed.Of > 0 && other.passed.Of > 0 {
			with, without = append(with, one.passed), append(without, other.passed)
		}
	}
	var d eval.Difference
	switch len(with) {
	case 0:
		return nil
	case 1:
		d = eval.Compare(with[0], without[0])
	default:
		d = eval.CompareOver(with, without)
	}
	return &d
}

// helps says so in words and as an interval.
func (r tried) helps() cell {
	d := r.help()
	if d == nil {
		return cell{Text: "–", Mark: "dim", Title: "only a try with --baseline can tell"}
	}
	c := cell{Text: fmt.Sprintf("%+.0f (%+.0f to %+.0f)", d.Difference*100, d.Low*100, d.High*100), Title: d.String()}
	class := "unsure"
	switch {
	case !d.Told:
		c.Sub = "may be chance"
	case d.Difference > 0:
		class, c.Mark = "good", "good"
	default:
		class, c.Mark = "bad", "bad"
	}
	at := func(x float64) string { return fmt.Sprintf("%.1f%%", 5+(x+1)*45) } // from -1 to 1
	c.Draw = &drawing{
		Label: d.String(),
		Lines: []drawn{{at(0), at(0), "zero"}, {at(d.Low), at(d.High), class}},
		Dots:  []drawn{{X: at(d.Difference), Class: class}},
	}
	return c
}

// dots draws how often cases pass, with the skill and without.
func (r tried) dots() cell {
	with, without := r.with.passed(), r.without.passed()
	if with.Of+without.Of == 0 {
		return nothing
	}
	at := func(r eval.Rate) string { return fmt.Sprintf("%.1f%%", 5+float64(r.Hits)*90/float64(r.Of)) }
	c := cell{Text: rated(without).Text + " → " + rated(with).Text}
	d := &drawing{Label: "passed without it " + rated(without).Text + ", with it " + rated(with).Text, Lines: []drawn{{"5%", "95%", "axis"}}}
	if with.Of > 0 && without.Of > 0 {
		d.Lines = append(d.Lines, drawn{at(without), at(with), "between"})
	}
	if without.Of > 0 {
		d.Dots = append(d.Dots, drawn{X: at(without), Class: "hollow"})
	}
	if with.Of > 0 {
		d.Dots = append(d.Dots, drawn{X: at(with), Class: "full"})
	}
	c.Draw = d
	return c
}

// group adds trials up by a key, in the order in which keys come first.
func group(trials []eval.Trial, key func(*eval.Trial) string) []tried {
	var all []tried
	index := map[string]int{}
	for i := range trials {
		t := &trials[i]
		at, ok := index[key(t)]
		if !ok {
			at = len(all)
			index[key(t)] = at
			all = append(all, newTried(key(t)))
			all[at].fires = t.Fires
		}
		all[at].addTrial(t)
	}
	return all
}

// readTry is what came of the skills of a try. Its trials are read only if they are not all there yet:
// they are many.
func readTry(dir string) []tried {
	s, err := eval.ReadSummary(dir)
	if err != nil {
		trials, _ := eval.ReadResults(dir) // a try that has just begun has none
		return group(trials, func(t *eval.Trial) string { return t.Skill })
	}
	var all []tried
	for _, one := range s.Skills {
		r := newTried(one.Skill)
		for i := range one.Cases {
			r.addCase(&one.Cases[i])
		}
		all = append(all, r)
	}
	return all
}

func (v *visit) triesDir() string { return filepath.Join(v.site.Runtime.State, "try") }

func (v *visit) tries() (*view, error) {
	data := &listData{
		Lead: "Does a skill fire when it should, and does it help? Points are percentage points of cases that pass, " +
			"with their 95 % interval: where it holds 0, the difference may be chance.",
		Empty: "There are no tries yet.", Hints: []string{"skillhand try --init NAME", "skillhand try NAME --baseline"},
		Then: "The first writes cases to begin with, the second asks Claude: see docs/trying.md.",
	}
	l := list[tried]{view: "tries", one: "try", what: "tries", usual: "-time", text: func(r tried) string { return r.name }}
	l.items = v.triedAll()
	l.watch = func(r tried) []string { return eval.Folders(filepath.Join(v.triesDir(), filepath.FromSlash(r.id))) }
	l.columns = append([]column[tried]{
		{key: "name", title: "Skill", compare: by(func(r tried) string { return r.name }), cell: func(r tried) cell {
			return cell{Text: r.name, Link: v.link("try", "id", r.id, "skill", r.name)}
		}}}, armColumns()...)
	l.columns = append(l.columns, timed("time", "When", func(r tried) time.Time { return r.time }))
	data.Table = l.table(v)
	return &view{Name: "list", Tab: "tries", Title: "Tries", Data: data}, nil
}

// triedAll are the skills of all tries, the latest first.
func (v *visit) triedAll() []tried {
	v.watch(false, append(files.Glob(v.triesDir(), "*"), v.triesDir())...)
	var all []tried
	for _, dir := range files.Glob(v.triesDir(), "*/[0-9]*") {
		info, err := os.Stat(dir)
		if err != nil {
			continue // it is being removed
		}
		for _, r := range readTry(dir) {
			r.id, r.time = filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir), info.ModTime()
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b tried) int { return b.time.Compare(a.time) })
	return all
}

// armColumns show both arms side by side.
func armColumns() []column[tried] {
	return []column[tried]{
		{
			key:     "right",
			title:   "As expected",
			number:  true,
			compare: by(func(r tried) float64 { return r.with.right().Rate }),
			cell:    func(r tried) cell { return rated(r.with.right()) },
		},
		{
			key:     "with",
			title:   "Passed without ○ and with it ●",
			number:  true,
			compare: by(func(r tried) float64 { return r.with.passed().Rate }),
			cell:    tried.dots,
		},
		{key: "help", title: "Helps by", number: true, compare: by(helped), cell: tried.helps},
		{key: "trials", title: "Trials", number: true, compare: by(tried.trials), cell: func(r tried) cell {
			c := cell{Text: thousands(r.trials())}
			if r.void > 0 {
				c.Sub = fmt.Sprintf("%d without a verdict", r.void)
			}
			return c
		}},
		priced(func(r tried) float64 { return r.cost }),
	}
}

// helped orders by how much a skill helps; what is not known comes last.
func helped(r tried) float64 {
	if d := r.help(); d != nil {
		return d.Difference
	}
	return -2
}

// tryID is what the folder of a try's results looks like, so that an address leads nowhere else.
var tryID = words.Regexp(`^[0-9A-Za-z_-]+/[0-9]+$`)

// try shows the cases of one skill.
func (v *visit) try() (*view, error) {
	id, name := v.query.Get("id"), v.query.Get("skill")
	if !tryID.Get().MatchString(id) {
		return nil, errMissing{"This address names no try."}
	}
	dir := filepath.Join(v.triesDir(), filepath.FromSlash(id))
	v.watch(false, eval.Folders(dir)...)
	trials, err := eval.ReadResults(dir)
	if err != nil {
		return nil, errMissing{err.Error()}
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, errMissing{err.Error()}
	}
	trials = slices.DeleteFunc(trials, func(t eval.Trial) bool { return t.Skill != name })
	l := list[tried]{view: "try", keep: []string{"id", "skill"}, one: "case", what: "cases", usual: "name", text: func(r tried) string { return r.name }}
	l.items = group(trials, func(t *eval.Trial) string { return t.Case })
	l.columns = append([]column[tried]{
		{key: "name", title: "Case", compare: by(func(r tried) string { return r.name }), cell: func(r tried) cell {
			return cell{Text: r.name, Sub: map[bool]string{true: "the skill should fire", false: "the skill should stay quiet"}[r.fires]}
		}}}, armColumns()...)
	all := newTried(name)
	for i := range trials {
		all.addTrial(&trials[i])
	}
	data := &listData{
		Table: l.table(v),
		Facts: [][2]string{{"When", stamp(info.ModTime())}},
		Empty: "This try has no cases of " + cmp.Or(name, "a skill without a name") + ".",
	}
	if help := all.help(); help != nil {
		data.Facts = append(data.Facts, [2]string{"Does it help? (95 % interval)", help.String()})
	}
	return &view{Name: "list", Tab: "tries", Title: "Try of " + name, Data: data}, nil
}
