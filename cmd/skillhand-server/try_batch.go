package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/batch"
	"github.com/skillhand/skillhand/batch/jobfile"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/try"
)

// refused stops a batch of trials for a fault that all of them have, such as a model that is not there.
const refused batch.Stop = "refused"

// A tryJob is a trial as the job of a batch.
type tryJob struct {
	Kit   string  `json:"kit"` // its file in the database
	Skill string  `json:"skill"`
	Case  string  `json:"case"`
	Arm   try.Arm `json:"arm"`
	Run   int     `json:"run"`
}

// A tryBatch makes trials as jobs of a batch.
type tryBatch struct {
	std  *cli.Std
	o    *tryOptions
	db   *batch.DB
	name string
	want map[string]try.Trial // that have not ended, by their keys
	end  func(try.Made) error

	after  int64 // the last event that was told
	paused time.Time
	begun  map[string]bool
}

// inBatch makes trials as jobs, here and wherever a worker is. See try.Options.Make.
func inBatch(std *cli.Std, o *tryOptions, subjects []*try.Subject, plan string) func(context.Context, []try.Trial, func(try.Made) error) (string, error) {
	return func(ctx context.Context, missing []try.Trial, ended func(try.Made) error) (string, error) {
		limits, err := o.batch.limits()
		if err != nil {
			return "", err
		}
		kit, err := try.Pack(o.Options, subjects)
		if err != nil {
			return "", err
		}
		if len(kit) > batch.MaxFile {
			return "", cli.Usagef("the skills and the folders of their cases have %d MB, compressed: --batch takes at most %d", len(kit)>>20, batch.MaxFile>>20)
		}
		db, err := o.batch.open(ctx, std)
		if err != nil {
			return "", err
		}
		defer db.Close()
		b := &tryBatch{std: std, o: o, db: db, end: ended, want: map[string]try.Trial{}, begun: map[string]bool{}}
		if b.name, err = o.Results.Batch(func() (string, error) { return tryBatchName(ctx, db, o, subjects, plan) }); err != nil {
			return "", noDatabase(err)
		}
		if err := b.add(ctx, kit, missing, limits); err != nil {
			return "", noDatabase(fmt.Errorf("%s: %w", b.name, err))
		}
		if batch.Remote(o.batch.database(std)) {
			o.Runtime.Warn(fmt.Sprintf("the trials are the batch %s: others help with skillhand batch work --db ...", b.name))
		}
		return b.run(ctx)
	}
}

// tryBatchName is the name of a batch that others have begun for the same plan and that has trials
// left, or else of a new one. Whoever gives the same command at the same time finds the same name,
// so the trials are made once, for both.
func tryBatchName(ctx context.Context, db *batch.DB, o *tryOptions, subjects []*try.Subject, plan string) (string, error) {
	name := "try"
	if len(subjects) == 1 {
		name += "-" + subjects[0].Name
	}
	if o.fresh {
		return name + "-" + strings.ToLower(rand.Text()[:8]), nil
	}
	for n := 1; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", plan, n))
		next := name + "-" + hex.EncodeToString(sum[:4])
		s, err := db.Status(ctx, next)
		switch {
		case errors.Is(err, batch.ErrNoBatch):
			return next, nil
		case err != nil || s.Left() > 0:
			return next, err
		}
	}
}

// add puts the trials into the database, and takes those again that failed there.
func (b *tryBatch) add(ctx context.Context, kit []byte, missing []try.Trial, limits batch.Limits) error {
	file, err := b.db.Put(ctx, kit)
	if err != nil {
		return err
	}
	jobs := make([]batch.Job, len(missing))
	for i, t := range missing {
		id := t.Key()
		payload, err := json.Marshal(map[string]any{"id": id, "trial": tryJob{file, t.Skill, t.Case, t.Arm, t.Run}})
		if err != nil {
			return err
		}
		// A trial has the same limit of usage as a question. What it is, the results folder says:
		// a later command may have other limits of time.
		jobs[i] = batch.Job{ID: id, Kind: jobfile.Ask, Payload: payload, Same: id, Retries: b.o.Retries, MaxUSD: b.o.MaxUSD}
		b.want[id] = t
	}
	if _, err := b.db.Add(ctx, b.name, jobs, limits); err != nil {
		return err
	}
	var again []string
	for r, err := range b.db.Results(ctx, b.name) {
		if err != nil {
			return err
		}
		if _, wanted := b.want[r.ID]; wanted && (r.State == batch.Failed || r.State == batch.Canceled) {
			again = append(again, r.ID)
		}
	}
	if len(again) > 0 {
		_, err = b.db.Retry(ctx, b.name, again)
	} else {
		_, err = b.db.Resume(ctx, b.name)
	}
	return err
}

// run works on the batch until nothing happens in it any more. It returns why
// some of it is left.
func (b *tryBatch) run(ctx context.Context) (string, error) {
	own, stop := context.WithCancel(ctx)
	defer stop()
	worker := b.o.batch.worker(b.std, b.db, []string{b.name})
	worker.Slots, worker.Warn = b.o.Jobs, b.o.Runtime.Warn
	env := here.Env(b.std.Env)
	if b.o.client.Path != "" {
		env = env.With("SKILLHAND_CLAUDE", b.o.client.Path)
	}
	ahead := &ahead{over: make(chan struct{})}
	worker.Do = ahead.do(doJob(env, b.db, ahead.end))
	ended := make(chan error, 1)
	go func() {
		defer stop() // without a worker nothing happens any more
		ended <- noDatabase(worker.Run(own))
	}()
	err := b.watch(own)
	stop()
	if errors.Is(err, context.Canceled) {
		err = nil // the worker or the caller knows why
	}
	err = errors.Join(err, <-ended)
	// What was done stays done, and is told, however this ended.
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

// An ahead lets one trial go ahead until the model says something: what is wrong for all of them,
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

// watch tells what happens until nothing does.
func (b *tryBatch) watch(ctx context.Context) error {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := b.db.Status(ctx, b.name)
		if err == nil {
			err = b.events(ctx)
		}
		if err != nil || still(s) {
			return err
		}
		if s.Paused != nil && !s.Paused.Equal(b.paused) {
			b.paused = *s.Paused
			b.o.Runtime.Warn(fmt.Sprintf("%s: a usage limit is reached: waits until %s", b.name, s.Paused.Local().Format(time.DateTime)))
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
func (b *tryBatch) starts(ctx context.Context) {
	running, err := b.db.Running(ctx, b.name)
	if err != nil {
		return // the worker says so, if it lasts
	}
	for _, r := range running {
		if t, ok := b.want[r.ID]; ok && !b.begun[r.ID] {
			b.begun[r.ID] = true
			b.o.OnStart(t)
		}
	}
}

// events hands over the trials that have ended.
func (b *tryBatch) events(ctx context.Context) error {
	for {
		list, err := b.db.Events(ctx, b.name, b.after)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, r := range list {
			b.after = r.Event
			t, wanted := b.want[r.ID]
			if !wanted || r.State == batch.Canceled {
				continue
			}
			made, err := readMade(t, r)
			if err != nil {
				return err
			}
			if err := b.end(made); err != nil {
				return err
			}
			delete(b.want, r.ID)
		}
	}
}

// readMade reads a job's result. One that failed has no verdict.
func readMade(t try.Trial, r batch.Result) (try.Made, error) {
	made := try.Made{Trial: t}
	if len(r.Result) > 0 {
		if err := json.Unmarshal(r.Result, &made); err != nil {
			return made, fmt.Errorf("job %s: not a result of this version: %w", r.ID, err)
		}
	}
	if r.State != batch.Done {
		made.Outcome, made.Instead, made.Passed, made.Checks = try.Void, nil, nil, []try.CheckResult{}
		made.Why = r.Error
	}
	made.CostUSD, made.Tries = r.CostUSD, r.Attempts
	return made, nil
}

// left says why trials were not made: an error if the same command would not make them.
func (b *tryBatch) left(ctx context.Context) (string, error) {
	s, err := b.db.Status(ctx, b.name)
	if err != nil || len(b.want) == 0 {
		return "", err
	}
	why := b.fault(ctx)
	switch {
	case s.Left() == 0:
		return "they were canceled", nil
	case s.Stopped == batch.Credentials, s.Stopped == batch.Limit:
		return "", cli.Exit(cli.ExitAccount, why)
	case s.Stopped == missing:
		return "", cli.Exit(cli.ExitMissing, why)
	case s.Stopped == refused:
		return "", cli.Exit(cli.ExitFailed, why)
	case s.Short:
		return fmt.Sprintf("the budget of %s allows no more", term.Dollars(s.Budget)), nil
	}
	return "the batch has stopped", nil
}

// fault is what went wrong in a job that waits.
func (b *tryBatch) fault(ctx context.Context) error {
	for r, err := range b.db.Results(ctx, b.name) {
		if err != nil {
			return err
		}
		if !r.State.Ended() && r.Error != "" {
			return errors.New(r.Error)
		}
	}
	return fmt.Errorf("%s: the batch has stopped", b.name)
}

// kits are those that a worker has unpacked last.
type kits struct {
	db   *batch.DB
	mu   sync.Mutex
	name string
	data []byte
}

func (k *kits) get(ctx context.Context, name string) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.name == name {
		return k.data, nil
	}
	data, err := k.db.Get(ctx, name)
	if err == nil {
		k.name, k.data = name, data
	}
	return data, err
}

// tryScratch is where the trials of a worker have their folders.
func tryScratch(worker string) string {
	return filepath.Join(os.TempDir(), "skilltry-"+worker)
}

// doTrial makes one try of a trial. The batch counts tries, and waits between them. heard, if not
// nil, is called when the model says something.
func doTrial(ctx context.Context, k *kits, env here.Env, j *tryJob, heard func()) (json.RawMessage, batch.Retry) {
	fail := func(err error) (json.RawMessage, batch.Retry) { return nil, batch.Retry{Error: err.Error()} }
	packed, err := k.get(ctx, j.Kit)
	if err != nil {
		return nil, batch.Retry{Error: err.Error(), Again: !errors.Is(err, batch.ErrNoFile)}
	}
	worker, _ := batch.Where(ctx)
	parent := tryScratch(worker)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return fail(err)
	}
	defer os.Remove(parent) // if it was the last one there
	scratch, err := os.MkdirTemp(parent, "t")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(scratch)
	kit, err := try.Unpack(packed, scratch)
	if err != nil {
		return fail(err)
	}
	rt := skillhand.Runtime{Here: here.Here{Dir: scratch, Env: env}, Claude: claude.Client{OnEvent: func(e claude.Event) {
		if heard != nil && (e.Type == claude.Text || e.Type == claude.Tool) {
			heard()
		}
		if e.Tool != "" {
			batch.Note(ctx, fmt.Sprintf("turn %d: %s", e.Turn, e.Tool))
		}
	}}}
	made, err := kit.Try(ctx, rt, try.Trial{Skill: j.Skill, Case: j.Case, Arm: j.Arm, Run: j.Run}, scratch)
	result, marshalErr := json.Marshal(made)
	if marshalErr != nil {
		return fail(marshalErr)
	}
	return result, afterTrial(err, made.CostUSD, time.Now())
}

// afterTrial says what a failure means for a trial and for its batch.
func afterTrial(err error, cost float64, now time.Time) batch.Retry {
	r := afterAsk(err, now)
	r.CostUSD = cost
	e, ok := errors.AsType[*claude.Error](err)
	switch {
	case !ok || r.Stop != "" || !r.Until.IsZero():
	case try.Hopeless(e):
		r.Stop = refused
	default:
		r.Again = try.Passes(e)
	}
	return r
}
