package eval

import (
	"math"
	"slices"
	"strings"
)

// An Arm is one way to try a case: with the skill, without it, or with the skill as it was at a
// revision. If there are several models, the model follows an @: with, without, against,
// with@haiku.
type Arm string

// The kinds of arms.
const (
	With    Arm = "with"
	Without Arm = "without"
	Against Arm = "against" // the skill as it was at a git revision
)

// Kind returns the arm's name without its model.
func (a Arm) Kind() Arm {
	kind, _, _ := strings.Cut(string(a), "@")
	return Arm(kind)
}

// Model returns the model that an arm names, or "".
func (a Arm) Model() string {
	_, model, _ := strings.Cut(string(a), "@")
	return model
}

// Arms returns the arms that the options ask for, in the order of reports.
func (o *Options) Arms() []Arm {
	kinds := []Arm{With}
	if o.Baseline {
		kinds = append(kinds, Without)
	}
	if o.Against {
		kinds = append(kinds, Against)
	}
	if len(o.Models) == 0 {
		return kinds
	}
	var all []Arm
	for _, model := range o.Models {
		for _, kind := range kinds {
			all = append(all, kind+"@"+Arm(model))
		}
	}
	return all
}

// armsOf returns the arms that the trials belong to, in the order of reports.
func armsOf(trials []Trial) []Arm {
	var all []Arm
	for _, t := range trials {
		if !slices.Contains(all, t.Arm) {
			all = append(all, t.Arm)
		}
	}
	rank := map[Arm]int{With: 0, Without: 1, Against: 2}
	var models []string
	for _, a := range all {
		if !slices.Contains(models, a.Model()) {
			models = append(models, a.Model())
		}
	}
	slices.SortStableFunc(all, func(a, b Arm) int {
		if d := slices.Index(models, a.Model()) - slices.Index(models, b.Model()); d != 0 {
			return d
		}
		return rank[a.Kind()] - rank[b.Kind()]
	})
	return all
}

// pairs returns the arms to compare. The arm with the skill is compared to the other arms of its
// model. Each further model is compared to the first one, both with the skill.
func pairs(arms []Arm) [][2]Arm {
	var all [][2]Arm
	for _, a := range arms {
		switch {
		case a.Kind() == With && a != arms[0] && arms[0].Kind() == With:
			all = append(all, [2]Arm{a, arms[0]})
		case a.Kind() != With:
			with := With
			if a.Model() != "" {
				with += "@" + Arm(a.Model())
			}
			if slices.Contains(arms, with) {
				all = append(all, [2]Arm{with, a})
			}
		}
	}
	return all
}

// A Comparison says how much better one arm did than another, over the cases that both have.
type Comparison struct {
	Arm        Arm        `json:"arm"`
	Than       Arm        `json:"than"`
	Of         string     `json:"of"` // fired or passed
	Cases      int        `json:"cases"`
	Difference Difference `json:"difference"`
	MoreCases  int        `json:"more_cases,omitempty"` // how many more cases would show a difference of Tells
	MoreRuns   int        `json:"more_runs,omitempty"`  // how many more runs of each case would show it too; 0 if they would not help
	Tells      float64    `json:"tells,omitempty"`
}

// compareArms compares two arms case by case; of returns the rate to compare.
func compareArms(cases []CaseSummary, arm, than Arm, of func(*CaseSummary, ArmSummary) Rate) (Comparison, bool) {
	var first, second []Rate
	for i := range cases {
		c := &cases[i]
		var a, b Rate
		for _, s := range c.Arms {
			switch s.Arm {
			case arm:
				a = of(c, s)
			case than:
				b = of(c, s)
			}
		}
		if a.Of > 0 && b.Of > 0 {
			first, second = append(first, a), append(second, b)
		}
	}
	c := Comparison{Arm: arm, Than: than, Cases: len(first), Difference: CompareOver(first, second)}
	if !c.Difference.Told {
		c.more(first, second)
	}
	return c, len(first) > 0
}

// power is the quantile of the normal distribution for an 80 % chance to see a difference.
const power = 0.8416212335729143

// leastTold is the smallest difference for which skillhand proposes more trials.
const leastTold = 0.2

// more computes how many more cases or runs would probably show a difference: the observed one, but
// at least leastTold. More runs help only if the cases differ no more than the runs of one case do.
func (c *Comparison) more(first, second []Rate) {
	if len(first) == 0 {
		return
	}
	a, b := RateOver(first), RateOver(second)
	d := max(math.Abs(a.Rate-b.Rate), leastTold)
	middle := (a.Rate + b.Rate) / 2
	p, q := min(middle+d/2, 1), max(middle-d/2, 0)
	if p-q < d { // at the end of the scale
		p, q = min(q+d, 1), max(p-d, 0)
	}
	mean := (p + q) / 2
	n := (z*math.Sqrt(2*mean*(1-mean)) + power*math.Sqrt(p*(1-p)+q*(1-q))) / d
	cases, worth := float64(len(first)), min(worth(first, a.Rate), worth(second, b.Rate))
	c.MoreCases, c.Tells = max(int(math.Ceil(n*n*cases/worth))-len(first), 1), d
	if trials := float64(min(a.Of, b.Of)); len(first) > 1 && worth > 0.9*trials {
		c.MoreRuns = max(int(math.Ceil((n*n-trials)/cases)), 1)
	}
}

// ArmsOf returns the arms of a case. A case that continues a session has no arm without the skill.
func (o *Options) ArmsOf(c *Case) []Arm {
	all := o.Arms()
	if c.Suite != nil && c.Suite.History != "" {
		all = slices.DeleteFunc(all, func(a Arm) bool { return a.Kind() == Without })
	}
	return all
}

// RunsOf returns how often a case is tried in each arm.
func (o *Options) RunsOf(c *Case) int {
	if c.Suite != nil && !o.RunsSet {
		return c.Suite.Runs
	}
	return max(o.Runs, 1)
}

// withOnly reports whether a grader is shown for arms with the skill but does not count in any
// score. If the case has an arm without the skill, this holds for a use of the Skill tool, unless
// nothing else is scored.
func (o *Options) withOnly(c *Case, g *Grader) bool {
	if g.Weight == 0 || !g.ofSkill() || !slices.ContainsFunc(o.ArmsOf(c), func(a Arm) bool { return a.Kind() == Without }) {
		return false
	}
	return slices.ContainsFunc(c.Checks, func(other Check) bool { return other.Grader != nil && !other.Grader.ofSkill() })
}

// ofSkill reports whether a grader checks the skill itself, not the work that the skill helped
// with.
func (g *Grader) ofSkill() bool {
	return g.WithOnly || !g.Both && g.Type == toolUsed && g.Tool.Tool == "Skill"
}
