package jobs

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
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
)

// Refused stops a batch of trials for a fault that all of them have, such as an unknown model.
const Refused batch.Stop = "refused"

// A Trial is a trial as the job of a batch.
type Trial struct {
	Kit   string   `json:"kit,omitempty"` // its file in the database; "" for trials that only their own process makes
	Skill string   `json:"skill"`
	Case  string   `json:"case"`
	Arm   eval.Arm `json:"arm"`
	Run   int      `json:"run"`
}

func (t Trial) trial() eval.Trial {
	return eval.Trial{Skill: t.Skill, Case: t.Case, Arm: t.Arm, Run: t.Run}
}

// A MakeTrial makes one attempt at a trial. The error is a *claude.Error if Claude gave no verdict.
type MakeTrial func(ctx context.Context, t eval.Trial, at eval.Stage) (eval.Made, error)

// trial makes one attempt at a trial. The batch counts attempts, and waits between them.
func (r *Runner) trial(ctx context.Context, env here.Env, t Trial) (json.RawMessage, batch.Retry) {
	fail := func(err error) (json.RawMessage, batch.Retry) { return nil, batch.Retry{Error: err.Error()} }
	of := batch.Current(ctx)
	scratch, end, err := r.scratch(scratchOf(of.Worker))
	if err != nil {
		return fail(err)
	}
	defer end()
	at := eval.Stage{Scratch: scratch, Env: env, MaxUSD: of.MaxUSD, OnEvent: func(e claude.Event) {
		if r.OnSaid != nil && (e.Type == claude.Text || e.Type == claude.Tool) {
			r.OnSaid()
		}
		noteTool(ctx, e)
	}}
	makeTrial := r.MakeTrial
	if t.Kit != "" {
		packed, err := r.kits.get(ctx, r.DB, t.Kit)
		if err != nil {
			return nil, batch.Retry{Error: err.Error(), Again: !errors.Is(err, batch.ErrNoFile)}
		}
		kit, err := eval.Unpack(packed, scratch)
		if err != nil {
			return fail(err)
		}
		makeTrial = kit.Try
	}
	if makeTrial == nil {
		return nil, batch.Retry{Error: "only the skillhand try that added this trial can make it", Unfit: true}
	}
	made, err := makeTrial(ctx, t.trial(), at)
	result, marshalErr := json.Marshal(made)
	if marshalErr != nil {
		return fail(marshalErr)
	}
	retry := AfterTrial(err, made.CostUSD, time.Now())
	retry.TurnUSD, retry.MostUSD = made.TurnUSD, made.MostUSD
	if retry.CostUnknown && made.CostUSD == 0 {
		retry.CostUSD = min(made.AtMostUSD, of.HeldUSD)
	}
	return result, retry
}

// scratch makes a folder for a trial below one of the worker, which goes with the last of them. The lock keeps it from
// going while another trial begins.
func (r *Runner) scratch(parent string) (dir string, end func(), err error) {
	r.folders.Lock()
	defer r.folders.Unlock()
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(parent, "t"); err != nil {
		return "", nil, err
	}
	return dir, func() {
		eval.RemoveTree(dir)
		r.folders.Lock()
		defer r.folders.Unlock()
		_ = os.Remove(parent) // fails while another trial has a folder there
	}, nil
}

// scratchOf returns the folder in which the trials of a worker have theirs. It is not in a project:
// agents read what is in the folders above.
func scratchOf(worker string) string {
	return filepath.Join(files.Real(os.TempDir()), "skilltry-"+worker)
}

// AfterTrial says what a failure means for a trial and for its batch.
func AfterTrial(err error, cost float64, now time.Time) batch.Retry {
	r := AfterAsk(err, now)
	r.CostUSD = cost
	e, ok := errors.AsType[*claude.Error](err)
	switch {
	case !ok || r.Stop != "" || !r.Until.IsZero():
	case eval.Hopeless(e):
		r.Stop = Refused
	default:
		r.Again = eval.Passes(e)
	}
	if err != nil && !ok && !r.Unfit && !errors.Is(err, context.Canceled) {
		r.Stop = Refused // no trial can be made, as on a full disk
	}
	return r
}

// maxWait is how long a trial of one process may be put off. Beyond that the command ends, and the
// same command makes the trial later.
const maxWait = 5 * time.Minute

// soon returns a batch.Func whose job is not put off for longer than somebody waits for it.
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

// An ahead lets one trial go ahead until the model says something: a fault that all of them have,
// such as credentials, then shows before anything is spent.
type ahead struct {
	begun atomic.Bool
	once  sync.Once
	over  chan struct{}
	fault batch.Retry // of the first, if it stops the batch
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

// Trials makes the trials of try as jobs: here alone, or here and wherever a worker is. DB, Options
// and Subjects are required.
type Trials struct {
	DB       *batch.DB
	Options  eval.Options
	Subjects []*eval.Subject
	Plan     string
	Fresh    bool   // begin anew
	Shared   bool   // any worker of the database may make them; else only this process does
	Help     string // the command with which others help, if they may
	Limits   batch.Limits
	Warn     func(text string)
	OnStart  func(eval.Trial)

	id     int64
	name   string
	want   map[string]eval.Trial // trials that have not ended, by their keys
	told   map[string]float64    // cost of earlier attempts that the results have
	end    func(eval.Made) error
	after  int64 // the last event that was told
	paused time.Time
	begun  map[string]bool
	nobody error // why no worker makes the trials that wait
}

// ErrTooLarge is the error of skills that are too much for a database.
var ErrTooLarge = errors.New("too large")

// Make makes trials. It is what eval.Options.Make asks for.
func (b *Trials) Make(ctx context.Context, missing []eval.Trial, ended func(eval.Made) error) (string, error) {
	b.end, b.want, b.told, b.begun = ended, map[string]eval.Trial{}, map[string]float64{}, map[string]bool{}
	kit := ""
	if b.Shared {
		packed, err := eval.Pack(b.Options, b.Subjects)
		if err != nil {
			return "", err
		}
		if len(packed) > batch.MaxFile {
			return "", fmt.Errorf("the skills and the folders of their cases have %d MB, compressed, and a batch takes at most %d: %w",
				len(packed)>>20, batch.MaxFile>>20, ErrTooLarge)
		}
		if kit, err = b.DB.Put(ctx, packed); err != nil {
			return "", err
		}
	}
	var err error
	if b.name, err = b.Options.Results.Batch(func() (string, error) { return b.chooseName(ctx) }); err != nil {
		return "", err
	}
	if err := b.add(ctx, kit, missing); err != nil {
		return "", fmt.Errorf("%s: %w", b.name, err)
	}
	if b.Shared && b.Warn != nil {
		b.Warn(fmt.Sprintf("the trials are the batch %s: others help with %s", b.name, b.Help))
	}
	stopped, err := b.run(ctx)
	if err != nil || b.Shared {
		return stopped, err
	}
	last := context.WithoutCancel(ctx)
	if s, err := b.DB.Status(last, b.id); err != nil || s.Done < s.Total {
		return stopped, err
	}
	return stopped, b.DB.Remove(last, b.id) // the results folder has it all
}

// chooseName returns the name of a batch that others have begun for the same plan and that has trials
// left, or else of a new one. Whoever gives the same command at the same time finds the same name,
// so the trials are made once, for both.
func (b *Trials) chooseName(ctx context.Context) (string, error) {
	name := "try"
	if len(b.Subjects) == 1 {
		name += "-" + b.Subjects[0].Name
	}
	if b.Fresh || !b.Shared {
		return name + "-" + strings.ToLower(rand.Text()[:8]), nil
	}
	for n := 1; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", b.Plan, n))
		next := name + "-" + hex.EncodeToString(sum[:4])
		found, err := b.DB.Find(ctx, next)
		if err != nil || len(found) == 0 || found[0].Left() > 0 {
			return next, err
		}
	}
}

// add puts the trials into the database, and takes those again that failed there.
func (b *Trials) add(ctx context.Context, kit string, missing []eval.Trial) error {
	all := make([]batch.Job, len(missing))
	for i, t := range missing {
		id := t.Key()
		payload, err := json.Marshal(map[string]any{"id": id, "trial": Trial{kit, t.Skill, t.Case, t.Arm, t.Run}})
		if err != nil {
			return err
		}
		// A trial has the same limit of usage as a question. The results folder says what it is: a
		// later command may have other limits of time.
		all[i] = batch.Job{
			ID:      id,
			Kind:    KindOf(b.Options.Agent),
			Payload: payload,
			Same:    id,
			Retries: b.Options.Retries,
			MaxUSD:  b.Options.MaxUSD,
			Share:   b.Options.MaxUSD == 0,
			Turns:   true,
		}
		b.want[id] = t
	}
	added, err := b.DB.Add(ctx, batch.Name{Name: b.name, ByName: true, Private: !b.Shared}, all, b.Limits)
	if err != nil {
		return err
	}
	b.id = added.ID
	var again []string
	for r, err := range b.DB.Jobs(ctx, b.id, batch.Query{States: []batch.State{batch.Failed, batch.Canceled}}) {
		if err != nil {
			return err
		}
		if t, wanted := b.want[r.ID]; wanted {
			again = append(again, r.ID)
			b.told[r.ID] = min(t.CostUSD, r.CostUSD)
		}
	}
	if len(again) > 0 {
		_, err = b.DB.Retry(ctx, b.id, again)
	} else {
		_, err = b.DB.Resume(ctx, b.id)
	}
	return err
}

// run works on the batch until nothing happens in it any more. It returns why some of it is left.
func (b *Trials) run(ctx context.Context) (string, error) {
	own, stop := context.WithCancel(ctx)
	defer stop()
	worker, err := b.worker()
	if err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() {
		defer stop() // without a worker nothing happens any more
		ended <- worker.Run(own)
	}()
	err = b.watch(own)
	stop()
	if errors.Is(err, context.Canceled) {
		err = nil // the worker or the caller knows why
	}
	err = errors.Join(err, <-ended)
	// Report finished trials even if the run failed.
	last := context.WithoutCancel(ctx)
	err = errors.Join(err, b.events(last))
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if err != nil {
		return "", err
	}
	return b.left(last)
}

func (b *Trials) worker() (*batch.Worker, error) {
	ahead := &ahead{over: make(chan struct{})}
	r := &Runner{DB: b.DB, Env: b.Options.Runtime.Env}
	if path := b.Options.Runtime.Claude.Path; path != "" {
		r.Env = r.Env.With("SKILLHAND_CLAUDE", path)
	}
	maker, err := eval.NewMaker(b.Options, b.Subjects)
	if err != nil {
		return nil, err
	}
	r.MakeTrial, r.OnSaid = maker.Try, ahead.end
	w := r.Worker()
	w.Slots, w.Warn, w.Batches, w.Alone = max(b.Options.Jobs, 1), b.Warn, []int64{b.id}, !b.Shared
	w.Do = ahead.do(r.Do)
	if !b.Shared {
		w.Do = soon(w.Do)
	}
	return w, nil
}

// watch tells what happens until nothing does.
func (b *Trials) watch(ctx context.Context) error {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := b.DB.Status(ctx, b.id)
		if err == nil {
			err = b.events(ctx)
		}
		if err != nil || s.Still() {
			return err
		}
		if why := Stuck(ctx, b.DB, s); why != "" {
			b.nobody = errors.New(why)
			return nil
		}
		if s.Paused != nil && !s.Paused.Equal(b.paused) {
			b.paused = *s.Paused
			b.Warn(fmt.Sprintf("%s: usage limit reached, waiting until %s", b.name, s.Paused.Local().Format(time.DateTime)))
		}
		b.starts(ctx)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// starts tells of the trials that have begun.
func (b *Trials) starts(ctx context.Context) {
	if b.OnStart == nil {
		return
	}
	running, err := b.DB.Running(ctx, b.id)
	if err != nil {
		return // the worker says so, if it lasts
	}
	for _, r := range running {
		if t, ok := b.want[r.ID]; ok && !b.begun[r.ID] {
			b.begun[r.ID] = true
			b.OnStart(t)
		}
	}
}

// events hands over the trials that have ended.
func (b *Trials) events(ctx context.Context) error {
	for {
		ended, err := b.DB.Events(ctx, b.id, b.after)
		if err != nil || len(ended) == 0 {
			return err
		}
		for _, r := range ended {
			b.after = r.Event
			t, wanted := b.want[r.ID]
			if !wanted || r.State == batch.Canceled {
				continue
			}
			made, err := readMade(t, r)
			if err != nil {
				return err
			}
			// Databases count millionths.
			made.CostUSD, made.Tries = math.Round((t.CostUSD+r.CostUSD-b.told[r.ID])*1e6)/1e6, t.Tries+r.Attempts
			if err := b.end(made); err != nil {
				return err
			}
			delete(b.want, r.ID)
		}
	}
}

// readMade reads a job's result. A trial whose job failed has no verdict.
func readMade(t eval.Trial, r batch.Result) (eval.Made, error) {
	made := eval.Made{Trial: t}
	if len(r.Result) > 0 {
		if err := json.Unmarshal(r.Result, &made); err != nil {
			return made, fmt.Errorf("job %s: not a result of this version: %w", r.ID, err)
		}
	}
	if r.State != batch.Done {
		made.Outcome, made.Instead, made.Passed, made.Checks = eval.Void, nil, nil, []eval.CheckResult{}
		made.Why = r.Error
	}
	return made, nil
}

// A Stopped error says why trials were not made, and would not be made by the same command.
type Stopped struct {
	Why batch.Stop // Missing if there is no claude
	Err error
}

func (s *Stopped) Error() string { return s.Err.Error() }
func (s *Stopped) Unwrap() error { return s.Err }

// Missing is why trials stop that no machine can make.
const Missing batch.Stop = "missing"

// left says why trials were not made: an error if the same command would not make them.
func (b *Trials) left(ctx context.Context) (string, error) {
	s, err := b.DB.Status(ctx, b.id)
	if err != nil || len(b.want) == 0 {
		return "", err
	}
	if b.nobody != nil {
		return "", &Stopped{Missing, b.nobody}
	}
	switch {
	case s.Left() == 0:
		return "they were canceled", nil
	case s.Stopped != "":
		return "", &Stopped{s.Stopped, b.fault(ctx)}
	case s.Short:
		return fmt.Sprintf("the budget of %s allows no more", term.Dollars(s.Budget)), nil
	}
	return "the batch has stopped", nil
}

// fault returns what went wrong in a job that waits.
func (b *Trials) fault(ctx context.Context) error {
	for r, err := range b.DB.Jobs(ctx, b.id, batch.Query{States: []batch.State{batch.Waiting, batch.Opened}}) {
		if err != nil {
			return err
		}
		if r.Error != "" {
			return errors.New(r.Error)
		}
	}
	return fmt.Errorf("%s: the batch has stopped", b.name)
}

// LockedOut adds to an error how trials can log in, if no credentials are set.
func LockedOut(err error, why batch.Stop, env here.Env, goos string) error {
	keys := []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}
	if why != batch.Credentials || slices.ContainsFunc(keys, func(name string) bool { return env.Get(name) != "" }) {
		return err
	}
	hint := "to log in, run claude auth login, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN (claude setup-token makes one)"
	if goos == "darwin" {
		hint += "; trials have a HOME of their own, where a login in the keychain is not found"
	}
	return fmt.Errorf("%w\n%s", err, hint)
}

// kits are those that a worker has unpacked last.
type kits struct {
	mu   sync.Mutex
	name string
	data []byte
}

func (k *kits) get(ctx context.Context, db *batch.DB, name string) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.name == name {
		return k.data, nil
	}
	data, err := db.Get(ctx, name)
	if err == nil {
		k.name, k.data = name, data
	}
	return data, err
}
