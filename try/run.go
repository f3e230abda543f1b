package try

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

// Options say how skills are tried. The zero value tries each case once.
type Options struct {
	Runtime skillhand.Runtime // where the user is, and how Claude is asked

	Runs         int  // of each case; 0 means 1
	Baseline     bool // also without the skill
	Jobs         int  // trials at a time; 0 means 1
	Retries      int  // further tries of a trial without a verdict
	BudgetUSD    float64
	MaxUSD       float64 // what one try of a trial may cost; 0 means any amount
	WithMine     bool    // the user's other skills are there too
	Judge        bool    // a model judges expectations
	Keep         bool    // keep the folders of trials
	Model        string
	MaxTurns     int
	AllowedTools []string
	Args         []string // further ones for the CLI
	Env          []string // names of further variables that trials have

	// Results is where trials are kept, and found again; see Plan.
	Results *Results
	// Make makes trials elsewhere, of which only Skill, Case, Arm, Run and Fires are given, and
	// hands over each that has ended. It says why some were not made. nil: they are made here.
	Make func(ctx context.Context, missing []Trial, ended func(Made) error) (stopped string, err error)
	// OnTrial is told of each trial, one at a time: of those found first.
	OnTrial func(t Trial, found bool)
	// OnStart is told of each trial that begins, one at a time.
	OnStart func(t Trial)

	sleep func(ctx context.Context, d time.Duration) error // nil: as long as that takes
}

// Plan is a hash of all that decides what trials find, but for their number. An error says that
// something cannot be copied for them.
func (o *Options) Plan(subjects []*Subject) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "2 %q %d %q %q %v %v %v\n", o.Model, o.MaxTurns, o.AllowedTools, o.Args, o.WithMine, o.Judge, o.Keep)
	user, err := o.Runtime.Complete()
	if err != nil {
		return "", err
	}
	for _, s := range subjects {
		sum, err := s.hash()
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.Name, err)
		}
		fmt.Fprintln(h, s.Name, sum, o.trusts(user, s))
	}
	if o.WithMine {
		mine, err := neighbours(user)
		if err != nil {
			return "", err
		}
		for _, n := range mine {
			if err := n.hash(h); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// trusts reports whether the user trusts the place that a skill is in.
func (o *Options) trusts(user here.Here, s *Subject) bool {
	return s.trusted || o.Runtime.Policy(user).May(filepath.Join(s.folder, "SKILL.md")) == nil
}

// A runner is Options at work.
type runner struct {
	Options
	user    here.Here
	hide    *redact.Redactor
	mine    []neighbour
	scratch string

	mu    sync.Mutex
	spent float64

	heard chan struct{} // closed when a model has answered: the others may begin
	letGo sync.Once
}

// Run makes the trials that the results do not have yet. What it returns is what
// is known, also with an error: no claude, no credentials, interrupted.
func Run(ctx context.Context, o Options, subjects []*Subject) (*Summary, error) {
	began := time.Now()
	r := &runner{Options: o, heard: make(chan struct{})}
	o.Runs = max(o.Runs, 1)
	trials, missing, err := r.begin(subjects)
	stopped := fmt.Sprintf("the budget of $%.2f is used up", o.BudgetUSD)
	if err == nil && len(missing) > 0 {
		var more []Trial
		if o.Make != nil {
			more, stopped, err = r.elsewhere(ctx, missing)
		} else {
			more, err = r.all(ctx, missing)
		}
		trials = append(trials, more...)
	}
	if r.scratch != "" {
		removeTree(r.scratch)
	}
	s := Summarize(subjects, trials, r.describe(subjects))
	s.Results, s.DurationMS = o.Results.Dir, float64(time.Since(began).Microseconds())/1000
	s.Missing = len(jobs(subjects, o.Runs, o.Baseline)) - s.Trials
	switch {
	case s.Missing == 0:
	case err == nil:
		s.Stopped = stopped
	case r.hide != nil:
		s.Stopped = r.hide.Text(err.Error())
	}
	if err == nil && s.Missing == 0 && s.Void == 0 {
		err = o.Results.finish(s)
	}
	return s, err
}

// begin finds out where the user is, and which trials are there already.
func (r *runner) begin(subjects []*Subject) (found []Trial, missing []job, err error) {
	if r.user, err = r.Runtime.Complete(); err != nil {
		return nil, nil, err
	}
	r.hide = redact.New(r.user.Env)
	if r.sleep == nil {
		r.sleep = sleep
	}
	if r.WithMine {
		if r.mine, err = neighbours(r.user); err != nil {
			return nil, nil, err
		}
	}
	if err := r.Results.ask(subjects); err != nil {
		return nil, nil, err
	}
	for _, j := range jobs(subjects, r.Runs, r.Baseline) {
		t, ok := r.Results.get(j.trial())
		if ok {
			r.spent += t.CostUSD
		}
		if ok && t.Outcome != Void {
			found = append(found, t)
			r.told(t, true)
			continue
		}
		j.cost, j.tries = t.CostUSD, t.Tries
		missing = append(missing, j)
	}
	return found, missing, r.newScratch()
}

// newScratch makes the folder in which trials have theirs, and removes what a
// process that was killed left of it. It is not in the project: agents read what
// is in the folders above.
func (r *runner) newScratch() error {
	note := filepath.Join(r.Results.Dir, "scratch")
	parent := paths.Real(os.TempDir())
	if old, err := os.ReadFile(note); err == nil && filepath.Dir(string(old)) == parent && strings.HasPrefix(filepath.Base(string(old)), scratchPrefix) {
		removeTree(string(old))
	}
	dir, err := os.MkdirTemp(parent, scratchPrefix)
	if err != nil {
		return err
	}
	r.scratch = dir
	return os.WriteFile(note, []byte(dir), 0o600)
}

const scratchPrefix = "skilltry-"

// jobs are all trials, in the order in which they are made: if they come to an
// early end, each case has had its turn.
func jobs(subjects []*Subject, runs int, baseline bool) []job {
	arms := []Arm{With}
	if baseline {
		arms = append(arms, Without)
	}
	var all []job
	for run := 1; run <= max(runs, 1); run++ {
		for _, s := range subjects {
			for i := range s.Cases {
				for _, arm := range arms {
					if j := (job{subject: s, c: &s.Cases[i], arm: arm, run: run}); j.prompt() != "" {
						all = append(all, j)
					}
				}
			}
		}
	}
	return all
}

// all makes trials side by side. The first goes ahead until the model says
// something: what is wrong for all of them, such as credentials, then shows
// before anything is spent.
func (r *runner) all(ctx context.Context, missing []job) ([]Trial, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var trials []Trial
	queue := make(chan job)
	var workers sync.WaitGroup
	for range max(r.Jobs, 1) {
		workers.Go(func() {
			for j := range queue {
				if r.overBudget() || ctx.Err() != nil {
					continue
				}
				t, err := r.one(ctx, j)
				if err != nil {
					stop(err)
					continue
				}
				r.mu.Lock()
				trials = append(trials, t)
				r.mu.Unlock()
				r.told(t, false)
			}
		})
	}
	for i, j := range missing {
		if i == 1 {
			select {
			case <-r.heard:
			case <-ctx.Done():
			}
		}
		queue <- j
	}
	close(queue)
	workers.Wait()
	return trials, context.Cause(ctx)
}

// elsewhere has trials made by others, and keeps them.
func (r *runner) elsewhere(ctx context.Context, missing []job) (trials []Trial, stopped string, err error) {
	wanted := make([]Trial, len(missing))
	for i, j := range missing {
		wanted[i] = j.trial()
	}
	stopped, err = r.Make(ctx, wanted, func(m Made) error {
		t, err := r.Results.take(m)
		if err != nil {
			return err
		}
		trials = append(trials, t)
		r.told(t, false)
		return nil
	})
	return trials, stopped, err
}

// one makes a trial and keeps it.
func (r *runner) one(ctx context.Context, j job) (Trial, error) {
	if r.OnStart != nil {
		r.mu.Lock()
		r.OnStart(j.trial())
		r.mu.Unlock()
	}
	t, err := r.trial(ctx, j, func(usd float64) {
		r.mu.Lock()
		r.spent += usd
		r.mu.Unlock()
	})
	if err != nil {
		return t, err
	}
	return t, r.Results.add(&t)
}

// open lets the other trials begin.
func (r *runner) open() { r.letGo.Do(func() { close(r.heard) }) }

func (r *runner) told(t Trial, found bool) {
	if r.OnTrial == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.OnTrial(t, found)
}

// left is what a question may cost in a try that has cost something; 0 means any amount.
func (r *runner) left(cost float64) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := math.Inf(1)
	if r.BudgetUSD > 0 {
		left = r.BudgetUSD - r.spent
	}
	if r.MaxUSD > 0 {
		left = min(left, r.MaxUSD)
	}
	if math.IsInf(left, 1) {
		return 0
	}
	return max(left-cost, 0.0001)
}

func (r *runner) overBudget() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.BudgetUSD > 0 && r.spent >= r.BudgetUSD
}

// describe maps the skills that may fire instead to their descriptions.
func (r *runner) describe(subjects []*Subject) map[string]string {
	all := map[string]string{}
	add := func(folder, prefix string) {
		loc := skill.Location{File: filepath.Join(folder, "SKILL.md"), Folder: folder, Name: filepath.Base(folder)}
		if front, summary, err := loc.Front(); err == nil {
			all[prefix+filepath.Base(folder)] = summary + " " + front.WhenToUse
		}
	}
	for _, n := range r.mine {
		n.describe(add)
	}
	for _, s := range subjects {
		if s.plugin != "" {
			describePlugin(s.plugin, add)
		}
		for _, c := range s.Cases {
			for _, file := range c.Files {
				below, _ := filepath.Glob(filepath.Join(escape(file), ".claude", "skills", "*"))
				for _, folder := range below {
					add(folder, "")
				}
			}
		}
	}
	return all
}

// Again judges the trials of a results folder once more, by cases as they are
// now. Nobody is asked and no command is run: what came of those, and what was
// found in folders that are gone, stays as it was; so does a trial without transcript.
func Again(ctx context.Context, o Options, dir string, subjects []*Subject) (*Summary, error) {
	r := &runner{Options: o}
	var err error
	if r.user, err = r.Runtime.Complete(); err != nil {
		return nil, err
	}
	r.hide = redact.New(r.user.Env)
	kept, err := ReadResults(dir)
	if err != nil {
		return nil, err
	}
	asked, err := readPrompts(dir)
	if err != nil {
		return nil, err
	}
	var trials []Trial
	var out []leftOut
	for _, t := range kept {
		s, c := lookUp(subjects, t.Skill, t.Case)
		prompt, known := asked[t.Skill][t.Case]
		switch {
		case s == nil:
			continue // of a skill that is not judged now
		case c == nil:
			out = leave(out, t, "the case is gone")
			continue
		case known && prompt != c.Prompt:
			out = leave(out, t, "the prompt has changed since")
			continue
		}
		if err := r.again(ctx, &t, s, c); err != nil {
			return nil, err
		}
		trials = append(trials, t)
		r.told(t, false)
	}
	if len(trials) == 0 {
		return nil, fmt.Errorf("%s: none of its trials is of a case as it is now: %w", dir, fs.ErrNotExist)
	}
	s := Summarize(subjects, trials, r.describe(subjects))
	s.Results, s.again = dir, true
	for _, l := range out {
		s.Notes = append(s.Notes, l.note())
	}
	s.Notes = append(s.Notes, untried(subjects, kept)...)
	return s, nil
}

// A leftOut is a case whose kept trials do not count any more.
type leftOut struct {
	skill, id, why string
	trials         int
}

func (l *leftOut) note() string {
	return fmt.Sprintf("%s %s: %s: %s not counted", l.skill, l.id, l.why, term.Plural(l.trials, "trial"))
}

// leave adds a trial to those that do not count.
func leave(out []leftOut, t Trial, why string) []leftOut {
	for i := range out {
		if out[i].skill == t.Skill && out[i].id == t.Case {
			out[i].trials++
			return out
		}
	}
	return append(out, leftOut{t.Skill, t.Case, why, 1})
}

// untried names the cases that have no kept trial.
func untried(subjects []*Subject, kept []Trial) []string {
	var notes []string
	for _, s := range subjects {
		for _, c := range s.Cases {
			if !slices.ContainsFunc(kept, func(t Trial) bool { return t.Skill == s.Name && t.Case == c.ID }) {
				notes = append(notes, fmt.Sprintf("%s %s: no trial of it is kept", s.Name, c.ID))
			}
		}
	}
	return notes
}

func (r *runner) again(ctx context.Context, t *Trial, s *Subject, c *Case) error {
	before := *t
	reading, err := r.read(t, s, c)
	if errors.Is(err, fs.ErrNotExist) { // too long to come from where it was made
		*t = before
		t.Transcript, t.Fires = "", c.Fires
		return nil
	}
	if err != nil {
		return err
	}
	t.Fires = c.Fires
	if t.Checks, t.Passed = []CheckResult{}, nil; t.Outcome == Void {
		return nil
	}
	r.check(ctx, t, c, nil, scene{dir: t.Kept, answer: reading.Answer})
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
