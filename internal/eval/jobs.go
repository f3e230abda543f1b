package eval

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/batch/jobs"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
)

// A trialJob describes a trial as the job of a batch.
type trialJob struct {
	Bundle string `json:"bundle,omitempty"` // the Bundle's file in the database; "" if only this process makes the trial
	Skill  string `json:"skill"`
	Case   string `json:"case"`
	Arm    Arm    `json:"arm"`
	Run    int    `json:"run"`
}

// A Maker makes trials that are jobs of a batch. DB is required.
type Maker struct {
	DB *batch.DB

	own    *Bundle // for trials that only this process makes
	onSaid func()  // called when a model sends something; may be nil

	folders sync.Mutex // held while folders of trials are made or removed
	last    struct {   // the bundle that was fetched last
		sync.Mutex
		name string
		data []byte
	}
}

// Do makes one attempt at a trial. The batch counts the attempts and waits between them.
func (m *Maker) Do(ctx context.Context, env here.Env, trial json.RawMessage) (json.RawMessage, batch.Retry) {
	fail := func(err error) (json.RawMessage, batch.Retry) { return nil, batch.Retry{Error: err.Error()} }
	var j trialJob
	if err := json.Unmarshal(trial, &j); err != nil {
		return fail(fmt.Errorf("not a job of this version: %w", err))
	}
	of := batch.Current(ctx)
	scratch, end, err := m.scratch(jobs.Scratch(of.Worker))
	if err != nil {
		return fail(err)
	}
	defer end()
	bundle := m.own
	if j.Bundle != "" {
		packed, err := m.fetch(ctx, j.Bundle)
		if err != nil {
			return nil, batch.Retry{Error: err.Error(), Again: !errors.Is(err, batch.ErrNoFile)}
		}
		if bundle, err = Unpack(packed, scratch, env); err != nil {
			return fail(err)
		}
	}
	if bundle == nil {
		return nil, batch.Retry{Error: "only the skillhand try that added this trial can make it", Unfit: true}
	}
	want := Trial{Skill: j.Skill, Case: j.Case, Arm: j.Arm, Run: j.Run}
	made, err := bundle.Try(ctx, want, Stage{Scratch: scratch, Env: env, MaxUSD: of.MaxUSD, OnEvent: func(e claude.Event) {
		if m.onSaid != nil && (e.Type == claude.Text || e.Type == claude.Tool) {
			m.onSaid()
		}
		jobs.NoteTool(ctx, e)
	}})
	result, marshalErr := json.Marshal(made)
	if marshalErr != nil {
		return fail(marshalErr)
	}
	retry := afterTrial(err, made.CostUSD, time.Now())
	retry.TurnUSD, retry.MostUSD = made.turn, claudecode.MostOfTurn(made.Model)
	if retry.CostUnknown && made.CostUSD == 0 {
		retry.CostUSD = min(claudecode.CostAtMost(made.Model, made.billed), of.HeldUSD)
	}
	return result, retry
}

// fetch reads a packed Bundle from the database.
func (m *Maker) fetch(ctx context.Context, name string) ([]byte, error) {
	m.last.Lock()
	defer m.last.Unlock()
	if m.last.name == name {
		return m.last.data, nil
	}
	data, err := m.DB.Get(ctx, name)
	if err == nil {
		m.last.name, m.last.data = name, data
	}
	return data, err
}

// scratch makes a folder for a trial below parent, a folder of the worker. The end of the last
// trial removes parent. The lock keeps parent while another trial begins.
func (m *Maker) scratch(parent string) (dir string, end func(), err error) {
	m.folders.Lock()
	defer m.folders.Unlock()
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(parent, "t"); err != nil {
		return "", nil, err
	}
	return dir, func() {
		RemoveTree(dir)
		m.folders.Lock()
		defer m.folders.Unlock()
		_ = os.Remove(parent) // fails while another trial has a folder there
	}, nil
}

// afterTrial returns what a failure means for a trial and for its batch.
func afterTrial(err error, cost float64, now time.Time) batch.Retry {
	r := jobs.AfterAsk(err, now)
	r.CostUSD = cost
	e, ok := errors.AsType[*claude.Error](err)
	switch {
	case !ok || r.Stop != "" || !r.Until.IsZero():
	case Hopeless(e):
		r.Stop = jobs.Refused
	default:
		r.Again = Passes(e)
	}
	if err != nil && !ok && !r.Unfit && !errors.Is(err, context.Canceled) {
		r.Stop = jobs.Refused // no trial can be made, for example because the disk is full
	}
	return r
}

// maxWait limits how long a trial of this process may be postponed. If it must wait longer, the
// command ends, and the same command makes the trial later.
const maxWait = 5 * time.Minute

// soon returns a batch.Func that postpones a job only as long as somebody waits for it.
func soon(do batch.Func) batch.Func {
	return func(ctx context.Context, payload json.RawMessage) (json.RawMessage, batch.Retry) {
		result, r := do(ctx, payload)
		if !r.Until.IsZero() {
			r.Until, r.Stop = time.Time{}, batch.Limit
		}
		r.Again = r.Again && r.After <= maxWait
		return result, r
	}
}

// An ahead makes the other trials wait until the model answers the first one. A failure that all
// trials share, such as missing credentials, then appears before anything is spent.
type ahead struct {
	begun atomic.Bool
	once  sync.Once
	over  chan struct{}
	fault batch.Retry // the first trial's failure, if it stops the batch
}

func (a *ahead) end() { a.once.Do(func() { close(a.over) }) }

func (a *ahead) do(job batch.Func) batch.Func {
	return func(ctx context.Context, payload json.RawMessage) (json.RawMessage, batch.Retry) {
		if !a.begun.Swap(true) {
			defer a.end()
			result, retry := job(ctx, payload)
			if retry.Stop != "" {
				a.once.Do(func() { a.fault = retry; close(a.over) })
			}
			return result, retry
		}
		select {
		case <-a.over:
		case <-ctx.Done():
			return nil, batch.Retry{Error: ctx.Err().Error()}
		}
		if a.fault.Stop != "" {
			return nil, batch.Retry{Error: a.fault.Error, Stop: a.fault.Stop}
		}
		return job(ctx, payload)
	}
}

// Jobs says how a batch makes trials as its jobs.
type Jobs struct {
	Open   func(ctx context.Context) (*batch.DB, error) // opens the database, if trials are missing
	Plan   string                                       // a hash of the trials: see Options.Plan
	Shared bool                                         // any worker of the database may make them; otherwise only this process does
	Fresh  bool                                         // begin a new batch instead of one that others have begun for the same plan
	Help   string                                       // the command for others to help with; "" if they cannot
	Limits batch.Limits
}

// A making turns trials into the jobs of a batch and collects their results.
type making struct {
	Jobs
	bundle *Bundle
	db     *batch.DB
	watch  *jobs.Watch
	want   map[string]Trial   // trials that have not ended, by key
	told   map[string]float64 // the cost of earlier attempts, which the results already contain
	begun  map[string]bool
	ended  func(Made) error // receives each trial that ended
	nobody error            // why no worker makes the waiting trials
}

// close closes the database.
func (b *making) close() {
	if b.db != nil {
		b.db.Close()
	}
}

// make makes trials and returns why some were not made.
func (b *making) make(ctx context.Context, missing []Trial) (stopped string, err error) {
	b.want, b.told, b.begun = map[string]Trial{}, map[string]float64{}, map[string]bool{}
	if b.db == nil {
		if b.db, err = b.Open(ctx); err != nil {
			return "", err
		}
	}
	packed := ""
	if b.Shared {
		if packed, err = b.pack(ctx); err != nil {
			return "", err
		}
	}
	name, err := b.bundle.o.Results.Batch(func() (string, error) { return b.chooseName(ctx) })
	if err != nil {
		return "", err
	}
	b.watch = &jobs.Watch{DB: b.db, Name: name, Each: b.end, Warn: b.bundle.o.warn}
	if b.bundle.o.OnStart != nil {
		b.watch.Running = b.start
	}
	if err := b.add(ctx, packed, missing); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if b.Shared {
		b.bundle.o.warn(fmt.Sprintf("the trials are in batch %s; to help, others run: %s", name, b.Help))
	}
	if stopped, err = b.run(ctx); err != nil || b.Shared {
		return stopped, err
	}
	last := context.WithoutCancel(ctx)
	if s, err := b.db.Status(last, b.watch.ID); err != nil || s.Done < s.Total {
		return stopped, err
	}
	return stopped, b.db.Remove(last, b.watch.ID) // the results folder has everything
}

// pack saves the packed Bundle in the database and returns the name of its file there.
func (b *making) pack(ctx context.Context) (string, error) {
	packed, err := b.bundle.Pack()
	if err != nil {
		return "", err
	}
	if len(packed) > batch.MaxFile {
		return "", &Stopped{TooLarge,
			fmt.Errorf("the skills and the folders of their cases are %d MB compressed; the limit is %d MB",
				len(packed)>>20, batch.MaxFile>>20)}
	}
	return b.db.Put(ctx, packed)
}

// chooseName returns the name of a batch that others have begun for the same plan and not finished,
// or else a new name. People who run the same command at the same time get the same name, so the
// trials are made only once.
func (b *making) chooseName(ctx context.Context) (string, error) {
	name := "try"
	if len(b.bundle.subjects) == 1 {
		name += "-" + b.bundle.subjects[0].Name
	}
	if b.Fresh || !b.Shared {
		return name + "-" + strings.ToLower(rand.Text()[:8]), nil
	}
	for n := 1; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", b.Plan, n))
		next := name + "-" + hex.EncodeToString(sum[:4])
		found, err := b.db.Find(ctx, next)
		if err != nil || len(found) == 0 || found[0].Left() > 0 {
			return next, err
		}
	}
}

// add adds the trials to the database and retries those that failed there.
func (b *making) add(ctx context.Context, packed string, missing []Trial) error {
	o := &b.bundle.o
	all := make([]batch.Job, len(missing))
	for i, t := range missing {
		id := t.Key()
		payload, err := json.Marshal(map[string]any{"id": id, "trial": trialJob{packed, t.Skill, t.Case, t.Arm, t.Run}})
		if err != nil {
			return err
		}
		// A trial has the same limit of usage as a question. Same is only the trial's key, because
		// the results folder says what the trial is, and a later command may have other limits of
		// time.
		all[i] = batch.Job{
			ID:      id,
			Kind:    jobs.KindOf(o.Agent),
			Payload: payload,
			Same:    id,
			Retries: o.Retries,
			MaxUSD:  o.MaxUSD,
			Share:   o.MaxUSD == 0,
			Turns:   true,
		}
		b.want[id] = t
	}
	added, err := b.db.Add(ctx, batch.Name{Name: b.watch.Name, ByName: true, Private: !b.Shared}, all, b.Limits)
	if err != nil {
		return err
	}
	b.watch.ID = added.ID
	var again []string
	for r, err := range b.db.Jobs(ctx, added.ID, batch.Query{States: []batch.State{batch.Failed, batch.Canceled}}) {
		if err != nil {
			return err
		}
		if t, wanted := b.want[r.ID]; wanted {
			again = append(again, r.ID)
			b.told[r.ID] = min(t.CostUSD, r.CostUSD)
		}
	}
	if len(again) > 0 {
		_, err = b.db.Retry(ctx, added.ID, again)
	} else {
		_, err = b.db.Resume(ctx, added.ID)
	}
	return err
}

// run works on the batch until nothing more happens in it. It returns why some trials are not made.
func (b *making) run(ctx context.Context) (string, error) {
	stuck, err := b.watch.Work(ctx, b.worker().Run)
	if stuck != "" {
		b.nobody = errors.New(stuck)
	}
	last := context.WithoutCancel(ctx)
	s, endErr := b.watch.End(last) // finished trials are reported even if the run failed
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if err := errors.Join(err, endErr); err != nil {
		return "", err
	}
	return b.left(last, s)
}

func (b *making) worker() *batch.Worker {
	o := &b.bundle.o
	ahead := &ahead{over: make(chan struct{})}
	maker := &Maker{DB: b.db, own: b.bundle, onSaid: ahead.end}
	r := &jobs.Runner{DB: b.db, Env: o.Runtime.Env, Trial: maker.Do}
	if path := o.Runtime.Claude.Path; path != "" {
		r.Env = r.Env.With("SKILLHAND_CLAUDE", path)
	}
	w := r.Worker()
	w.Slots, w.Warn, w.Batches, w.Alone = max(o.Jobs, 1), o.warn, []int64{b.watch.ID}, !b.Shared
	w.Do = ahead.do(r.Do)
	if !b.Shared {
		w.Do = soon(w.Do)
	}
	return w
}

// start reports that a trial has begun.
func (b *making) start(r batch.Running) {
	if t, ok := b.want[r.ID]; ok && !b.begun[r.ID] {
		b.begun[r.ID] = true
		b.bundle.o.OnStart(t)
	}
}

// end passes on a trial that has ended.
func (b *making) end(r batch.Result) error {
	t, wanted := b.want[r.ID]
	if !wanted || r.State == batch.Canceled {
		return nil
	}
	made, err := readMade(t, r)
	if err != nil {
		return err
	}
	// Databases count in millionths.
	made.CostUSD, made.Tries = math.Round((t.CostUSD+r.CostUSD-b.told[r.ID])*1e6)/1e6, t.Tries+r.Attempts
	delete(b.want, r.ID)
	return b.ended(made)
}

// readMade reads a job's result. A trial whose job failed has no verdict.
func readMade(t Trial, r batch.Result) (Made, error) {
	made := Made{Trial: t}
	if len(r.Result) > 0 {
		if err := json.Unmarshal(r.Result, &made); err != nil {
			return made, fmt.Errorf("job %s: not a result of this version: %w", r.ID, err)
		}
	}
	if r.State != batch.Done {
		made.Outcome, made.Instead, made.Passed, made.Checks = Void, nil, nil, []CheckResult{}
		made.Why = r.Error
	}
	return made, nil
}

// A Stopped is the error that trials were not made and that the same command would not make them.
type Stopped struct {
	Why batch.Stop // a reason of package batch, or a constant below
	Err error
}

// Reasons why trials were not made, besides those of package batch.
const (
	Missing  batch.Stop = "missing"   // no machine can make them
	TooLarge batch.Stop = "too large" // the skills and cases do not fit into the database
)

func (s *Stopped) Error() string { return s.Err.Error() }
func (s *Stopped) Unwrap() error { return s.Err }

// budgetShort begins the message that the budget allows no more trials. The same command would make
// none.
const budgetShort = "the budget of "

// left returns why trials were not made. The reason is an error if the same command would not make
// them.
func (b *making) left(ctx context.Context, s *batch.Status) (string, error) {
	switch {
	case len(b.want) == 0:
		return "", nil
	case b.nobody != nil:
		return "", &Stopped{Missing, b.nobody}
	case s.Left() == 0:
		return "they were canceled", nil
	case s.Stopped != "":
		return "", &Stopped{s.Stopped, b.fault(ctx)}
	case s.Short:
		return fmt.Sprintf("%s%s allows no more after %s", budgetShort, term.Dollars(s.Budget), term.Dollars(s.CostUSD)), nil
	}
	return "the batch has stopped", nil
}

// fault returns the error of a job that waits.
func (b *making) fault(ctx context.Context) error {
	for r, err := range b.db.Jobs(ctx, b.watch.ID, batch.Query{States: []batch.State{batch.Waiting, batch.Opened}}) {
		if err != nil {
			return err
		}
		if r.Error != "" {
			return errors.New(r.Error)
		}
	}
	return fmt.Errorf("%s: the batch has stopped", b.watch.Name)
}

// LockedOut adds to an error how trials in an agent can log in, if no credentials are set.
func LockedOut(err error, why batch.Stop, agent string, env here.Env, goos string) error {
	keys := []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}
	if why != batch.Credentials || slices.ContainsFunc(keys, func(name string) bool { return agent == "" && env.Get(name) != "" }) {
		return err
	}
	hint := "to log in, run claude auth login, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN (from claude setup-token)"
	switch {
	case agent != "":
		hint = "trials use your " + agent + " login and few of your variables; log in to " + agent +
			", or pass the variable with the key: --env NAME"
	case goos == "darwin":
		hint += "; trials have their own HOME, so they do not find a login in the keychain"
	}
	return fmt.Errorf("%w\n%s", err, hint)
}
