package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

// Options say how to try skills. The zero value tries each case once. A packed Bundle contains the
// fields that JSON has.
type Options struct {
	Runtime skillhand.Runtime `json:"-"` // where the user is, and how to ask Claude

	Runs         int      `json:"-"`                     // of each case; 0 means 1
	RunsSet      bool     `json:"-"`                     // Runs also applies to cases of claude plugin eval, which have their own number
	TimeoutSet   bool     `json:"timeout_set,omitempty"` // the timeout also applies to them
	Scaffold     bool     `json:"scaffold,omitempty"`    // run the scripts that fill the folders of such cases
	Baseline     bool     `json:"baseline,omitempty"`    // also try without the skill
	Against      bool     `json:"against,omitempty"`     // also try the skill as it was: see Subject.At
	Jobs         int      `json:"-"`                     // trials at the same time; 0 means 1
	Retries      int      `json:"retries,omitempty"`     // more attempts at a trial without a verdict
	MaxUSD       float64  `json:"max_usd,omitempty"`     // the most that one attempt at a trial may cost; 0 means no limit
	WithMine     bool     `json:"-"`                     // add the user's other skills
	Judge        bool     `json:"judge,omitempty"`       // a model judges expectations
	JudgeModel   string   `json:"judge_model,omitempty"` // the judge; "" means the model that is tried
	Keep         bool     `json:"-"`                     // keep the folders of trials
	Agent        string   `json:"agent,omitempty"`       // the agent to ask: see agents.Names; "" means Claude
	Model        string   `json:"model,omitempty"`
	Models       []string `json:"models,omitempty"` // if there are several, each is an arm
	MaxTurns     int      `json:"max_turns,omitempty"`
	AllowedTools []string `json:"allowed_tools,omitempty"`
	Args         []string `json:"args,omitempty"` // more arguments for the CLI
	Env          []string `json:"env,omitempty"`  // the names of more variables for trials

	// UntilSure ends the trials when every question of the minimums and arms is decided. Runs is
	// then a maximum.
	UntilSure *Minimums `json:"-"`

	// Results is the folder that trials are saved in and found again: see Plan.
	Results *Results `json:"-"`
	// Batch says how to make the trials.
	Batch Jobs `json:"-"`
	// OnStart, if not nil, gets each trial that begins.
	OnStart func(t Trial) `json:"-"`
	// OnTrial gets each trial, one at a time. Trials of earlier runs come first.
	OnTrial func(t Trial, found bool) `json:"-"`
}

// Plan returns a hash of everything that decides the results of trials, except their number. An
// error says that something cannot be copied for them.
func (o *Options) Plan(subjects []*Subject) (string, error) {
	some := Options{
		Runtime: o.Runtime, WithMine: o.WithMine, Judge: o.Judge, JudgeModel: o.JudgeModel, Model: o.Model, MaxTurns: o.MaxTurns,
		AllowedTools: o.AllowedTools, Args: o.Args,
	}
	some.Runtime.Claude = claude.Client{}
	if o.Agent != agents.Claude {
		some.Agent = o.Agent
	}
	if slices.ContainsFunc(subjects, func(s *Subject) bool { return s.HasSuite() }) {
		some.Baseline, some.Scaffold = o.Baseline, o.Scaffold // the score depends on these
	}
	b, err := NewBundle(some, subjects)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, 3, o.Keep)
	err = b.write(h)
	return hex.EncodeToString(h.Sum(nil)), err
}

func (o *Options) trusts(user here.Here, s *Subject) bool {
	return s.Trusted || o.Runtime.Policy(user).May(filepath.Join(s.Folder, "SKILL.md")) == nil
}

// Run makes the trials that the results do not have yet. With an error, such as no claude, no
// credentials or interrupted, it also returns the results so far.
func Run(ctx context.Context, o Options, subjects []*Subject) (*Summary, error) {
	began := time.Now()
	o.Runs = max(o.Runs, 1)
	m, err := NewBundle(o, subjects)
	if err != nil {
		return nil, err
	}
	trials, missing, err := m.found()
	stopped, sure := "", false
	making := &making{Jobs: o.Batch, bundle: m, ended: func(made Made) error {
		t, err := o.Results.take(made)
		if err == nil {
			trials = append(trials, t)
			m.tell(t, false)
		}
		return err
	}}
	defer making.close()
	for _, round := range o.rounds(missing) {
		if err != nil || stopped != "" {
			break
		}
		if sure = o.UntilSure != nil && Summarize(subjects, trials, nil).decides(*o.UntilSure); sure {
			break
		}
		stopped, err = making.make(ctx, round)
		if _, said := errors.AsType[*Stopped](err); err != nil && !said && ctx.Err() == nil {
			err = &Stopped{Missing, err} // for example, a database that is gone
		}
	}
	arms := o.Arms() // trials end in any order, but reports follow the order of the arms
	slices.SortStableFunc(trials, func(a, b Trial) int { return slices.Index(arms, a.Arm) - slices.Index(arms, b.Arm) })
	s := Summarize(subjects, trials, m.describe())
	s.Agent, s.Results, s.DurationMS = o.Agent, o.Results.Dir, float64(time.Since(began).Microseconds())/1000
	s.Missing = len(o.listJobs(subjects)) - s.Trials
	switch {
	case sure:
		s.Notes = append(s.Notes, fmt.Sprintf("stopped early: %s would not change the result", term.Plural(s.Missing, "more trial")))
		s.Missing = 0
	case s.Missing == 0:
	case err == nil:
		s.Stopped = stopped
	default:
		s.Stopped = m.hide.Text(err.Error())
	}
	if err == nil && s.Missing == 0 && s.Void == 0 && !sure {
		err = o.Results.write(summaryFile, s)
	}
	return s, err
}

// rounds groups trials in the order in which they are made: all at once or, if they may end early,
// run by run.
func (o *Options) rounds(missing []Trial) [][]Trial {
	if o.UntilSure == nil {
		return slices.DeleteFunc([][]Trial{missing}, func(round []Trial) bool { return len(round) == 0 })
	}
	var all [][]Trial
	for i, t := range missing {
		if i == 0 || t.Run != missing[i-1].Run {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], t)
	}
	return all
}

// found returns the trials that the results have, and the trials that are missing.
func (m *Bundle) found() (found, missing []Trial, err error) {
	if err := m.o.Results.ask(m.subjects); err != nil {
		return nil, nil, err
	}
	for _, j := range m.o.listJobs(m.subjects) {
		want := j.trial()
		t, ok := m.o.Results.get(want)
		if ok && t.Outcome != Void {
			found = append(found, t)
			m.tell(t, true)
			continue
		}
		want.CostUSD, want.Tries = t.CostUSD, t.Tries
		missing = append(missing, want)
	}
	return found, missing, nil
}

// warn passes a warning to the caller, if the caller wants warnings.
func (o *Options) warn(text string) {
	if o.Runtime.Warn != nil {
		o.Runtime.Warn(text)
	}
}

func (m *Bundle) tell(t Trial, found bool) {
	if m.o.OnTrial != nil {
		m.o.OnTrial(t, found)
	}
}

const scratchPrefix = "skilltry-"

// listJobs returns all trials in the order in which they are made. If they end early, each case has
// had its turn.
func (o *Options) listJobs(subjects []*Subject) []job {
	most := 1
	for _, s := range subjects {
		for i := range s.Cases {
			most = max(most, o.RunsOf(&s.Cases[i]))
		}
	}
	var all []job
	for run := 1; run <= most; run++ {
		for _, s := range subjects {
			for i := range s.Cases {
				for _, arm := range o.ArmsOf(&s.Cases[i]) {
					if j := (job{subject: s, c: &s.Cases[i], arm: arm, run: run}); run <= o.RunsOf(j.c) && j.prompt() != "" {
						all = append(all, j)
					}
				}
			}
		}
	}
	return all
}

// describe returns the descriptions of the other skills that may fire, by name.
func (m *Bundle) describe() map[string]string {
	all := map[string]string{}
	add := func(folder, prefix string) {
		loc := skill.Location{File: filepath.Join(folder, "SKILL.md"), Folder: folder, Name: filepath.Base(folder)}
		if front, summary, err := loc.Front(); err == nil {
			all[prefix+filepath.Base(folder)] = summary + " " + front.WhenToUse
		}
	}
	for _, n := range m.mine {
		n.describe(add)
	}
	for _, s := range m.subjects {
		if s.Plugin != "" {
			describePlugin(s.Plugin, add)
		}
		for _, c := range s.Cases {
			for _, file := range c.Files {
				for _, folder := range files.Glob(file, ".claude/skills/*") {
					add(folder, "")
				}
			}
		}
	}
	return all
}

// Again judges the trials of a results folder again, by the current cases. It asks no agent and
// runs no command. Results of commands, and of checks in folders that are gone, stay the same. So
// does a trial without a transcript.
func Again(ctx context.Context, o Options, dir string, subjects []*Subject) (*Summary, error) {
	o.WithMine = false // no agent is asked
	m, err := NewBundle(o, subjects)
	if err != nil {
		return nil, err
	}
	kept, err := ReadResults(dir)
	if err != nil {
		return nil, err
	}
	asked, err := readPrompts(dir)
	if err != nil {
		return nil, err
	}
	var trials []Trial
	var out []string // for each trial that does not count, the reason
	for _, t := range kept {
		s, c := lookUp(subjects, t.Skill, t.Case)
		prompt, known := asked[t.Skill][t.Case]
		switch {
		case s == nil:
			continue // its skill is not judged now
		case c == nil:
			out = append(out, fmt.Sprintf("%s %s: the case no longer exists", t.Skill, t.Case))
			continue
		case known && prompt != c.Prompt:
			out = append(out, fmt.Sprintf("%s %s: the prompt has changed since", t.Skill, t.Case))
			continue
		}
		if err := m.again(ctx, &t, s, c); err != nil {
			return nil, err
		}
		trials = append(trials, t)
		m.tell(t, false)
	}
	if len(trials) == 0 {
		return nil, fmt.Errorf("%s: no saved trial matches the current cases: %w", dir, fs.ErrNotExist)
	}
	s := Summarize(subjects, trials, m.describe())
	s.Results, s.again = dir, true
	for i, why := range out {
		if slices.Index(out, why) == i {
			n := len(slices.DeleteFunc(slices.Clone(out), func(other string) bool { return other != why }))
			s.Notes = append(s.Notes, fmt.Sprintf("%s: %s not counted", why, term.Plural(n, "trial")))
		}
	}
	s.Notes = append(s.Notes, untried(subjects, kept)...)
	return s, nil
}

// untried names the cases that have no saved trial.
func untried(subjects []*Subject, kept []Trial) []string {
	var notes []string
	for _, s := range subjects {
		for _, c := range s.Cases {
			if !slices.ContainsFunc(kept, func(t Trial) bool { return t.Skill == s.Name && t.Case == c.ID }) {
				notes = append(notes, fmt.Sprintf("%s %s: no saved trial", s.Name, c.ID))
			}
		}
	}
	return notes
}

func (m *Bundle) again(ctx context.Context, t *Trial, s *Subject, c *Case) error {
	before := *t
	reading, err := m.read(t, s, c)
	if errors.Is(err, fs.ErrNotExist) { // the transcript was too long to send from the machine that made it
		*t = before
		t.Transcript, t.Fires, t.Open = "", c.Fires, c.Open
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case before.Outcome == ReadFile && t.Outcome == None: // the skill's text has changed since
		t.Outcome = ReadFile
	case t.Outcome == Unknown && before.Outcome != "": // the sessions showed the outcome then
		t.Outcome, t.Why = before.Outcome, before.Why
	}
	t.Fires, t.Open = c.Fires, c.Open
	if t.Checks, t.Passed = []CheckResult{}, nil; t.Outcome == Void {
		return nil
	}
	_ = m.check(ctx, t, c, nil, scene{
		prompted:   job{subject: s, c: c, arm: t.Arm}.prompted(),
		other:      m.other,
		subject:    s.in(t.Arm),
		dir:        t.Kept,
		answer:     reading.Answer,
		transcript: t.Transcript,
	})
	for i, now := range t.Checks {
		for _, then := range before.Checks {
			if now.OK == nil && then.Check == now.Check {
				t.Checks[i] = then
			}
		}
	}
	t.sum()
	return ctx.Err()
}

func lookUp(subjects []*Subject, name, id string) (*Subject, *Case) {
	for _, s := range subjects {
		if s.Name != name {
			continue
		}
		for i := range s.Cases {
			if s.Cases[i].ID == id {
				return s, &s.Cases[i]
			}
		}
		return s, nil
	}
	return nil, nil
}
