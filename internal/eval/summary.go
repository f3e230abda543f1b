package eval

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// A Summary contains the results of trials. As JSON it is the last line of what skillhand try
// --json prints: schemas/try-v1.schema.json.
type Summary struct {
	Type       string         `json:"type"`            // summary
	OK         bool           `json:"ok"`              // every minimum was met and no trial is missing
	Agent      string         `json:"agent,omitempty"` // the agent that was asked; "" means Claude
	Skills     []SkillSummary `json:"skills"`
	Models     []string       `json:"models,omitempty"` // the models that answered, as the agent calls them
	Trials     int            `json:"trials"`
	Void       int            `json:"void"`              // trials without a verdict
	Lasting    int            `json:"lasting,omitempty"` // void trials that would fail the same way again
	Unknown    int            `json:"unknown,omitempty"` // trials for which the agent does not show what fired
	Missing    int            `json:"missing"`           // trials that were not made
	CostUSD    float64        `json:"cost_usd"`
	NoCost     bool           `json:"cost_unknown,omitempty"` // the agent does not report the cost of trials
	Tokens     int            `json:"tokens"`
	DurationMS float64        `json:"duration_ms"`
	Stopped    string         `json:"stopped,omitempty"`   // why some trials were not made
	Below      []string       `json:"below"`               // the minimums that were missed
	Uncounted  []string       `json:"uncounted,omitempty"` // the minimums that had nothing to count
	Notes      []string       `json:"notes,omitempty"`     // for saved trials: cases that have changed
	Results    string         `json:"results"`             // the folder with transcripts

	again bool // for saved trials: nobody was asked
}

// A SkillSummary contains the results of one skill's trials. Trials without a verdict count in none
// of its rates.
type SkillSummary struct {
	Skill         string        `json:"skill"`
	Fired         Rate          `json:"fired"` // how often it fired where it should
	Quiet         Rate          `json:"quiet"` // how often it did not fire where it should not
	Passed        Rate          `json:"passed"`
	Without       *Rate         `json:"passed_without,omitempty"` // passed without the skill
	Help          *Difference   `json:"help,omitempty"`           // passed minus passed without
	Judged        Rate          `json:"judged"`                   // the share of questions to a judge that the judge answered with yes
	JudgedWithout *Rate         `json:"judged_without,omitempty"` // the same without the skill
	Arms          []SkillArm    `json:"arms,omitempty"`
	Differences   []Comparison  `json:"differences,omitempty"`
	Cases         []CaseSummary `json:"cases"`
	Misses        []Miss        `json:"misses"`
}

// A SkillArm contains the results of a skill's trials in one arm.
type SkillArm struct {
	Arm    Arm  `json:"arm"`
	Fired  Rate `json:"fired"`
	Quiet  Rate `json:"quiet"`
	Passed Rate `json:"passed"`
	Judged Rate `json:"judged"`

	fired, quiet, passed, judged []Rate // the rates of its cases
}

// A CaseSummary contains the results of the trials of one case.
type CaseSummary struct {
	Case   string       `json:"case"`
	Prompt string       `json:"prompt,omitempty"`
	Fires  bool         `json:"fires"`
	Open   bool         `json:"open,omitempty"`   // the case does not say whether the skill should fire: it counts in no rate of firing
	Called bool         `json:"called,omitempty"` // the prompt calls the skill by name: it counts in no rate of firing
	Arms   []ArmSummary `json:"arms"`
	Help   *Difference  `json:"help,omitempty"`
}

// An ArmSummary contains the results of a case's trials in one arm.
type ArmSummary struct {
	Arm        Arm            `json:"arm"`
	Outcomes   []Outcome      `json:"outcomes"` // by run
	Right      Rate           `json:"right"`    // it fired exactly if it should
	Passed     Rate           `json:"passed"`
	Judged     Rate           `json:"judged"`
	Score      *float64       `json:"score,omitempty"`  // the mean score of the graders
	Failed     map[string]int `json:"failed,omitempty"` // how often each check failed
	Unjudged   []Unjudged     `json:"unjudged,omitempty"`
	Void       int            `json:"void"`
	CostUSD    float64        `json:"cost_usd"`
	Tokens     int            `json:"tokens"`
	DurationMS float64        `json:"duration_ms"` // the mean
}

// An Unjudged is a check whose result is unknown.
type Unjudged struct {
	Check  string `json:"check"`
	Why    string `json:"why"`
	Trials int    `json:"trials"`
}

// A Miss is a case that should have fired the skill but did not, or the reverse.
type Miss struct {
	Case    string   `json:"case"`
	Model   string   `json:"model,omitempty"`   // the arm's model, if there are several models
	Quiet   bool     `json:"quiet,omitempty"`   // the skill should not have fired, but fired or was called
	Instead string   `json:"instead"`           // the skill that fired, or ""
	Refused string   `json:"refused,omitempty"` // the first answer that came instead of the skill's text when the skill was called
	Trials  int      `json:"trials"`
	Cut     string   `json:"cut,omitempty"` // how the agent's list of skills cut the description
	Shared  []string `json:"shared"`        // words of the prompt that are in the description of the skill that fired instead
	Lacking []string `json:"lacking"`       // words of the prompt that are missing from the skill's own description
}

// Summarize sums up trials. descriptions are the descriptions of other skills, by name.
func Summarize(subjects []*Subject, trials []Trial, descriptions map[string]string) *Summary {
	s := &Summary{Type: "summary", Skills: []SkillSummary{}, Below: []string{}}
	slices.SortStableFunc(trials, func(a, b Trial) int { return a.Run - b.Run })
	for _, t := range trials {
		s.Trials++
		if t.Model != "" && !slices.Contains(s.Models, t.Model) {
			s.Models = append(s.Models, t.Model)
		}
		s.CostUSD += t.CostUSD
		s.NoCost = s.NoCost || t.NoCost
		s.Tokens += t.Tokens
		s.Void += count(t.Outcome == Void)
		s.Lasting += count(t.Outcome == Void && t.Lasting)
		s.Unknown += count(t.Outcome == Unknown && t.Arm.Kind() != Without && !t.Open)
	}
	slices.Sort(s.Models)
	for _, subject := range subjects {
		s.Skills = append(s.Skills, summarizeSkill(subject, trials, descriptions))
	}
	return s
}

func summarizeSkill(subject *Subject, trials []Trial, descriptions map[string]string) SkillSummary {
	s := SkillSummary{Skill: subject.Name, Cases: []CaseSummary{}, Misses: []Miss{}}
	trials = slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return t.Skill != subject.Name })
	arms := armsOf(trials)
	for _, arm := range arms {
		s.Arms = append(s.Arms, SkillArm{Arm: arm})
	}
	for i := range subject.Cases {
		c := &subject.Cases[i]
		cs := CaseSummary{Case: c.ID, Prompt: c.Prompt, Fires: c.Fires, Open: c.Open, Arms: []ArmSummary{}}
		_, cs.Called = subject.called(c.Prompt)
		for n, arm := range arms {
			mine := slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return t.Case != c.ID || t.Arm != arm })
			if len(mine) == 0 {
				continue
			}
			a := summarizeArm(arm, mine)
			cs.Arms = append(cs.Arms, a)
			s.Arms[n].add(a, &cs)
			switch {
			case arm.Kind() != With || cs.Called || c.Open:
			case c.Fires:
				s.Misses = append(s.Misses, misses(subject, c, mine, descriptions)...)
			default:
				s.Misses = append(s.Misses, overFirings(c, mine)...)
			}
		}
		cs.Help = help(cs.Arms)
		s.Cases = append(s.Cases, cs)
	}
	s.total(arms)
	s.compare(arms)
	return s
}

// help compares the arm without the skill to the first arm, for the same model, if both have
// something to compare.
func help(arms []ArmSummary) *Difference {
	for _, a := range arms {
		if a.Arm.Kind() == Without && a.Arm.Model() == arms[0].Arm.Model() && arms[0].Passed.Of > 0 && a.Passed.Of > 0 {
			d := Compare(arms[0].Passed, a.Passed)
			return &d
		}
	}
	return nil
}

// add adds a case's trials to the arm.
func (k *SkillArm) add(a ArmSummary, c *CaseSummary) {
	k.passed, k.judged = append(k.passed, a.Passed), append(k.judged, a.Judged)
	switch {
	case a.Arm.Kind() == Without || c.Called || c.Open:
	case c.Fires:
		k.fired = append(k.fired, a.Right)
	default:
		k.quiet = append(k.quiet, a.Right)
	}
}

// total sums up each arm. The rates of the skill are those of the first model's arms.
func (s *SkillSummary) total(arms []Arm) {
	none := RateOver(nil)
	s.Fired, s.Quiet, s.Passed, s.Judged = none, none, none, none
	for i := range s.Arms {
		k := &s.Arms[i]
		k.Fired, k.Quiet, k.Passed, k.Judged = RateOver(k.fired), RateOver(k.quiet), RateOver(k.passed), RateOver(k.judged)
		switch {
		case k.Arm.Model() != arms[0].Model():
		case k.Arm.Kind() == With:
			s.Fired, s.Quiet, s.Passed, s.Judged = k.Fired, k.Quiet, k.Passed, k.Judged
		case k.Arm.Kind() == Without:
			if k.Judged.Of > 0 {
				s.JudgedWithout = &k.Judged
			}
			if k.Passed.Of > 0 {
				s.Without = &k.Passed
			}
		}
	}
}

// compare compares arms by how often the skill fired rightly, if both have the skill, and by how
// often the checks passed.
func (s *SkillSummary) compare(arms []Arm) {
	right := func(c *CaseSummary, a ArmSummary) Rate {
		if c.Called || c.Open {
			return Rate{}
		}
		return a.Right
	}
	passed := func(_ *CaseSummary, a ArmSummary) Rate { return a.Passed }
	for _, p := range pairs(arms) {
		if p[1].Kind() != Without {
			if c, ok := compareArms(s.Cases, p[0], p[1], right); ok {
				c.Of = "fired"
				s.Differences = append(s.Differences, c)
			}
		}
		c, ok := compareArms(s.Cases, p[0], p[1], passed)
		if !ok {
			continue
		}
		c.Of = "passed"
		s.Differences = append(s.Differences, c)
		if p[1].Kind() == Without && p[0] == arms[0] {
			s.Help = &c.Difference
		}
	}
}

func summarizeArm(arm Arm, trials []Trial) ArmSummary {
	none := NewRate(0, 0)
	a := ArmSummary{Arm: arm, Outcomes: []Outcome{}, Right: none, Passed: none, Judged: none}
	var scores []float64
	answered := 0
	for _, t := range trials {
		a.Outcomes = append(a.Outcomes, t.Outcome)
		a.CostUSD += t.CostUSD
		a.Tokens += t.Tokens
		if t.Outcome == Void {
			a.Void++
			continue
		}
		answered++
		a.DurationMS += t.DurationMS
		if t.Outcome.told() {
			a.Right.See(t.Right())
		}
		if t.Passed != nil {
			a.Passed.See(*t.Passed)
		}
		if t.Score != nil {
			scores = append(scores, *t.Score)
		}
		for _, c := range t.Checks {
			if c.OK == nil {
				a.unjudged(c)
				continue
			}
			if c.Judge && c.Weight == 0 {
				a.Judged.See(*c.OK)
			}
			if !*c.OK {
				if a.Failed == nil {
					a.Failed = map[string]int{}
				}
				a.Failed[c.Check]++
			}
		}
	}
	a.Score = mean(scores)
	a.DurationMS /= float64(max(answered, 1))
	return a
}

func (a *ArmSummary) unjudged(c CheckResult) {
	if c.Unasked {
		return // as wanted
	}
	for i := range a.Unjudged {
		if a.Unjudged[i].Check == c.Check && a.Unjudged[i].Why == c.Why {
			a.Unjudged[i].Trials++
			return
		}
	}
	a.Unjudged = append(a.Unjudged, Unjudged{Check: c.Check, Why: c.Why, Trials: 1})
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// misses returns what fired instead of the skill, and the words that may be the reason.
func misses(subject *Subject, c *Case, trials []Trial, descriptions map[string]string) []Miss {
	var all []Miss
	prompt := contentWords(c.Prompt)
	own := contentWords(subject.Description + " " + strings.Join(subject.Names, " "))
	add := func(instead, refused, cut string) {
		for i := range all {
			if all[i].Instead == instead && all[i].Cut == cut && (all[i].Refused == "") == (refused == "") {
				all[i].Trials++
				return
			}
		}
		m := Miss{Case: c.ID, Model: trials[0].Arm.Model(), Instead: instead, Refused: refused, Cut: cut,
			Trials: 1, Shared: []string{}, Lacking: []string{}}
		theirs := contentWords(descriptions[instead] + " " + instead)
		for _, w := range prompt {
			if instead != "" && slices.Contains(theirs, w) {
				m.Shared = append(m.Shared, w)
			}
			if refused == "" && cut == "" && !slices.Contains(own, w) {
				m.Lacking = append(m.Lacking, w)
			}
		}
		all = append(all, m)
	}
	for _, t := range trials {
		switch {
		case t.Outcome == None, t.Outcome == Called && len(t.Instead) == 0:
			add("", t.Refused, t.Cut)
		case t.Outcome == Other, t.Outcome == Called:
			for _, name := range t.Instead {
				add(name, t.Refused, t.Cut)
			}
		}
	}
	return all
}

// overFirings counts the trials in which a skill fired that should not have, and the trials in
// which it was called but its page failed.
func overFirings(c *Case, trials []Trial) []Miss {
	fired := Miss{Case: c.ID, Model: trials[0].Arm.Model(), Quiet: true, Shared: []string{}, Lacking: []string{}}
	called := fired
	for _, t := range trials {
		switch {
		case t.Outcome.delivered():
			fired.Trials++
		case t.Outcome == Called:
			called.Trials++
			called.Refused = cmp.Or(called.Refused, t.Refused)
		}
	}
	return slices.DeleteFunc([]Miss{fired, called}, func(m Miss) bool { return m.Trials == 0 })
}

// contentWords returns the meaningful words of a text, each once, in order. It turns plurals into
// singulars.
func contentWords(text string) []string {
	var all []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && len(w) > 3 {
			w = w[:len(w)-1]
		}
		if len([]rune(w)) > 2 && !slices.Contains(common, w) && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// common lists words that occur in every description, in the form that contentWords gives them.
var common = strings.Fields(`let about after all also and any are ask been before but can could did do doe done each for from get give go had
have help her here him how into its just like make may more need new not now one only other our out over please question shall she should started
skill some such than that the their them then there these they thi those user use used using want wa were what when where which
while who why will with would you your`)

// Minimums are the results that a try must reach. The zero value requires nothing.
type Minimums struct {
	Fired, Pass           float64 // shares of trials with a verdict, in arms with the skill
	FiredGiven, PassGiven bool    // the user asked for them, so there must be something to count
}

// Require compares a summary with minimums. A skill that should not fire somewhere must be quiet
// there as often as it must fire elsewhere.
func (s *Summary) Require(want Minimums) {
	s.Below, s.Uncounted = []string{}, nil
	var firing, checked int
	for _, k := range s.Skills {
		for _, a := range k.Arms {
			s.Below = append(s.Below, a.below(k.Skill, want)...)
		}
		firing, checked = firing+k.Fired.Of+k.Quiet.Of, checked+k.Passed.Of+k.Judged.Of
		if want.Pass > 0 && k.Passed.Of+k.Judged.Of == 0 && k.unjudged() {
			s.Uncounted = append(s.Uncounted, k.Skill+": no check could be judged, want "+exact(want.Pass)+" of them to pass")
		}
	}
	if want.PassGiven && want.Pass > 0 && checked == 0 && len(s.Uncounted) == 0 {
		s.Uncounted = append(s.Uncounted, "no check to count, want "+exact(want.Pass)+" of them to pass")
	}
	if want.FiredGiven && want.Fired > 0 && firing == 0 {
		s.Uncounted = append(s.Uncounted, "no trial to count, want the skill to fire in "+exact(want.Fired)+" of them")
	}
	s.OK = len(s.Below) == 0 && len(s.Uncounted) == 0 && s.Void == 0 && s.Unknown == 0 && s.Missing == 0
}

func (k *SkillArm) below(skill string, want Minimums) (all []string) {
	if k.Arm.Kind() != With {
		return nil
	}
	if model := k.Arm.Model(); model != "" {
		skill += " with " + model
	}
	for _, m := range []struct {
		what string
		rate Rate
		min  float64
	}{
		{"fired where it should", k.Fired, want.Fired}, {"stayed quiet where it should", k.Quiet, want.Fired},
		{"passed", k.Passed, want.Pass}, {"got a model's yes", k.Judged, want.Pass},
	} {
		if m.min > 0 && m.rate.Of > 0 && m.rate.Rate < m.min-1e-9 {
			all = append(all, skill+" "+m.what+" in "+exact(m.rate.Rate)+", want "+exact(m.min))
		}
	}
	return all
}

// decides reports whether the trials answer every question: whatever more cases show, a minimum is
// missed or all are met, and no difference between arms can be chance.
func (s *Summary) decides(want Minimums) bool {
	missed, open := false, s.Trials == s.Void
	for _, k := range s.Skills {
		for _, a := range k.Arms {
			for _, q := range []struct {
				rate Rate
				min  float64
			}{{a.Fired, want.Fired}, {a.Quiet, want.Fired}, {a.Passed, want.Pass}, {a.Judged, want.Pass}} {
				switch {
				case a.Arm.Kind() != With || q.min == 0 || q.rate.Of == 0:
				case q.rate.High < q.min, q.min == 1 && q.rate.Rate < 1:
					missed = true
				case q.rate.Low < q.min:
					open = true
				}
			}
		}
		if slices.ContainsFunc(k.Differences, func(c Comparison) bool { return !c.Difference.Told }) {
			return false
		}
	}
	return missed || !open
}

// unjudged reports whether the skill has checks that should count but could not be judged.
func (k *SkillSummary) unjudged() bool {
	for _, c := range k.Cases {
		for _, a := range c.Arms {
			if a.Arm.Kind() == With && len(a.Unjudged) > 0 {
				return true
			}
		}
	}
	return false
}
