package eval

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"
)

// A ClaudeReport contains the results of trials in the form of claude plugin eval's
// aggregate-result.json. A run without a verdict has an error but no score, and counts in no mean.
type ClaudeReport struct {
	SchemaVersion   int         `json:"schemaVersion"`
	ClaudeVersion   string      `json:"claudeVersion"`
	StartedAt       string      `json:"startedAt"`
	DurationSeconds float64     `json:"durationSeconds"`
	CostUSD         float64     `json:"costUsd"`
	Partial         bool        `json:"partial"`
	Suite           evalSuite   `json:"suite"`
	Cases           []evalCase  `json:"cases"`
	Aggregates      evalOverall `json:"aggregates"`
}

type evalSuite struct {
	Root        string       `json:"root"`
	Ablation    string       `json:"ablation"`
	Threshold   float64      `json:"threshold"`
	Concurrency int          `json:"concurrency"`
	Plugins     []evalPlugin `json:"plugins"`
}

type evalPlugin struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Path    string `json:"path"`
}

type evalCase struct {
	Name           string               `json:"name"`
	Dir            string               `json:"dir"`
	Source         string               `json:"source"`
	Prompt         string               `json:"promptMarkdown"`
	Model          string               `json:"model,omitempty"`
	Runs           int                  `json:"runsPerCase"`
	TimeoutSeconds int                  `json:"timeoutSeconds"`
	MaxTurns       int                  `json:"maxTurns"`
	Graders        []evalGrader         `json:"graders"`
	Arms           map[string][]evalRun `json:"arms"`
	Aggregates     evalAggregate        `json:"aggregates"`
}

type evalGrader struct {
	Name     string         `json:"name"`
	Type     string         `json:"type"`
	Weight   float64        `json:"weight"`
	Markdown string         `json:"graderMarkdown,omitempty"`
	Config   map[string]any `json:"config"`
}

type evalRun struct {
	Score           *float64     `json:"score"`
	Passed          bool         `json:"passed"`
	Turns           int          `json:"turns"`
	CostUSD         float64      `json:"costUsd"`
	JudgeCostUSD    float64      `json:"judgeCostUsd"`
	DurationSeconds float64      `json:"durationSeconds"`
	StartedAt       string       `json:"startedAt"`
	Error           *string      `json:"error"`
	TracePath       string       `json:"tracePath"`
	SkippedPaid     bool         `json:"skippedPaidGraders"`
	Graders         []evalGraded `json:"graders"`
}

type evalGraded struct {
	Name        string  `json:"name"`
	Passed      bool    `json:"passed"`
	Weight      float64 `json:"weight"`
	Explanation string  `json:"explanation"`
	WithOnly    bool    `json:"withOnly"`
	Scored      bool    `json:"scored"`
	JudgeVotes  []bool  `json:"judgeVotes,omitempty"`
}

type evalAggregate struct {
	Score           *float64 `json:"score"`
	PassRate        *float64 `json:"passRate"`
	ScoreWithout    *float64 `json:"scoreWithout,omitempty"`
	PassRateWithout *float64 `json:"passRateWithout,omitempty"`
	Delta           *float64 `json:"delta,omitempty"`
}

type evalOverall struct {
	CasesTotal      int      `json:"casesTotal"`
	CasesPassed     int      `json:"casesPassed"`
	OverallScore    *float64 `json:"overallScore"`
	OverallPassRate *float64 `json:"overallPassRate"`
	MeanDelta       *float64 `json:"meanDelta,omitempty"`
}

// stamp is the format of times in that file.
const stamp = "2006-01-02T15:04:05.000Z"

// NewClaudeReport reports the trials of one skill or plugin as claude plugin eval would.
func NewClaudeReport(o *Options, s *Subject, sum *Summary, trials []Trial) *ClaudeReport {
	r := &ClaudeReport{
		SchemaVersion: 1, StartedAt: time.Now().Add(-time.Duration(sum.DurationMS * float64(time.Millisecond))).UTC().Format(stamp),
		DurationSeconds: sum.DurationMS / 1000,
		CostUSD:         sum.CostUSD, Partial: sum.Missing > 0 || sum.Void > 0, Cases: []evalCase{},
		Suite: evalSuite{Root: s.Folder, Ablation: "none", Threshold: 1, Concurrency: max(o.Jobs, 1),
			Plugins: []evalPlugin{s.evalPlugin()}},
	}
	if o.Baseline {
		r.Suite.Ablation = "with-without"
	}
	var scores, rates, deltas []float64
	for i := range s.Cases {
		c := r.evalCase(o, s, &s.Cases[i], trials)
		r.Cases = append(r.Cases, c)
		r.Aggregates.CasesTotal++
		if a := c.Aggregates; a.Score != nil {
			scores, rates = append(scores, *a.Score), append(rates, *a.PassRate)
			if *a.Score >= r.Suite.Threshold {
				r.Aggregates.CasesPassed++
			}
			if a.Delta != nil {
				deltas = append(deltas, *a.Delta)
			}
		}
	}
	r.Aggregates.OverallScore, r.Aggregates.OverallPassRate, r.Aggregates.MeanDelta = mean(scores), mean(rates), mean(deltas)
	return r
}

func (s *Subject) evalPlugin() evalPlugin {
	p := evalPlugin{Name: s.Name, Path: s.Folder}
	if s.Plugin != "" {
		p.Path = s.Plugin
		if m, err := readManifest(s.Plugin); err == nil {
			p.Name, p.Version = m.Name, m.Version
		}
	}
	return p
}

// mean returns the mean of all, or nil if there are none.
func mean(all []float64) *float64 {
	if len(all) == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	sum /= float64(len(all))
	return &sum
}

func (r *ClaudeReport) evalCase(o *Options, s *Subject, c *Case, trials []Trial) evalCase {
	e := evalCase{
		Name: c.ID, Source: "skillhand", Prompt: c.Prompt, Model: o.Model, Runs: o.RunsOf(c), MaxTurns: o.MaxTurns, Graders: []evalGrader{},
		Arms: map[string][]evalRun{"with": {}}, TimeoutSeconds: int(o.Runtime.Claude.Timeout.Seconds()),
	}
	if dir, err := filepath.Rel(s.Folder, filepath.Dir(c.File)); err == nil {
		e.Dir = filepath.ToSlash(dir)
	}
	if su := c.Suite; su != nil {
		e.Dir, e.Source = su.Dir, su.Source
		e.Model, e.MaxTurns = cmp.Or(e.Model, su.Model), cmp.Or(e.MaxTurns, su.MaxTurns)
		if !o.TimeoutSet {
			e.TimeoutSeconds = su.TimeoutSeconds
		}
	}
	for _, check := range c.Checks {
		e.Graders = append(e.Graders, check.evalGrader())
	}
	for _, kind := range []Arm{With, Without} {
		if !slices.ContainsFunc(o.ArmsOf(c), func(a Arm) bool { return a.Kind() == kind }) {
			continue
		}
		var scores, passed []float64
		runs := []evalRun{}
		for i := range trials {
			t := &trials[i]
			if t.Skill != s.Name || t.Case != c.ID || t.Arm.Kind() != kind {
				continue
			}
			run := t.evalRun(c, r)
			runs = append(runs, run)
			if run.Score != nil {
				scores, passed = append(scores, *run.Score), append(passed, float64(count(run.Passed)))
			}
		}
		e.Arms[string(kind)] = runs
		if kind == With {
			e.Aggregates.Score, e.Aggregates.PassRate = mean(scores), mean(passed)
			continue
		}
		if e.Aggregates.ScoreWithout, e.Aggregates.PassRateWithout = mean(scores), mean(passed); len(scores) > 0 &&
			e.Aggregates.Score != nil {
			delta := *e.Aggregates.Score - *e.Aggregates.ScoreWithout
			e.Aggregates.Delta = &delta
		}
	}
	return e
}

func (c *Check) evalGrader() evalGrader {
	if g := c.Grader; g != nil && g.Weight > 0 {
		return evalGrader{Name: g.Name, Type: g.Type, Weight: g.Weight, Markdown: g.Criteria, Config: g.Config}
	}
	return evalGrader{Name: c.Text, Type: "skillhand", Weight: 1, Config: map[string]any{}}
}

func (t *Trial) evalRun(c *Case, r *ClaudeReport) evalRun {
	e := evalRun{
		CostUSD: t.CostUSD, JudgeCostUSD: t.JudgeUSD, DurationSeconds: t.DurationMS / 1000,
		StartedAt: r.StartedAt, TracePath: t.Transcript, Graders: []evalGraded{},
	}
	started := ""
	_ = events(t.Transcript, nil, func(line *event) { // a transcript that is gone adds nothing
		r.ClaudeVersion, started = cmp.Or(r.ClaudeVersion, line.Version), cmp.Or(started, line.Timestamp)
		e.Turns = cmp.Or(line.Turns, e.Turns)
	})
	e.StartedAt = cmp.Or(started, e.StartedAt)
	if t.Outcome == Void {
		why := "no verdict: " + t.Why
		e.Error = &why
		return e
	}
	e.Score = t.Score
	if e.Score == nil && t.Passed != nil { // a case without weights
		score := float64(count(*t.Passed))
		e.Score = &score
	}
	e.Passed = e.Score != nil && *e.Score == 1
	for _, res := range t.Checks {
		g := evalGraded{
			Name:        res.Check,
			Weight:      max(res.Weight, 1),
			Passed:      res.OK != nil && *res.OK,
			Explanation: res.Why,
			WithOnly:    res.WithOnly,
			Scored:      !res.WithOnly && res.OK != nil,
			JudgeVotes:  res.Votes,
		}
		for _, check := range c.Checks {
			if check.Text == res.Check && check.Grader != nil && check.Grader.Name != "" {
				g.Name, g.Weight = check.Grader.Name, check.Grader.Weight
			}
		}
		e.Graders = append(e.Graders, g)
	}
	return e
}
