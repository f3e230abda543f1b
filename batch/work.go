package batch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/riverqueue/river"
)

// A Worker does jobs. DB and Do are required.
type Worker struct {
	DB      *DB
	Do      Func
	Slots   int               // jobs at the same time; 0 means 4
	Batches []string          // whose jobs; nil means all, also those that come later
	Warn    func(text string) // told of what goes wrong and is tried again; nil tells nobody
	// Orphaned is called with the id of a worker of this machine that died, before its jobs are
	// given to others: what it started may still be there.
	Orphaned func(worker string)
}

// A worker looks around this often: whether it is still one, who died, what was canceled, what
// can start.
const beat = 500 * time.Millisecond

var (
	errBuried   = errors.New("this worker was silent for too long and has been given up")
	errStopping = errors.New("the worker is being stopped")
	errTaken    = errors.New("the job is no longer this worker's")
)

// Run does jobs until the context ends. Running jobs are then ended and go back, uncounted. A
// worker that others took for dead ends its jobs and begins anew.
func (w *Worker) Run(ctx context.Context) error {
	for {
		err := w.live(ctx)
		switch {
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			return nil // it was stopped before it had begun
		case !errors.Is(err, errBuried):
			return err
		}
		w.warn(err)
	}
}

func (w *Worker) warn(err error) {
	if w.Warn != nil && err != nil {
		w.Warn(err.Error())
	}
}

// A life is a worker under one id.
type life struct {
	*Worker
	id      string
	place   string
	river   engine
	queues  map[int64]bool
	permits chan struct{} // a worker of several queues has its slots only once

	slots  atomic.Int64 // of all workers
	offset atomic.Int64 // of the database's clock from ours, in milliseconds
	since  int64        // we listen to other workers without a gap, by the database's clock
	last   time.Time    // beat that worked

	mu      sync.Mutex
	hands   map[hand]*grip
	had     map[hand]bool       // what River may still be finishing
	strange map[int64]time.Time // deliveries that nobody works on, by row: since when

	looks    chan *glance
	finishes chan submission
	broken   chan error      // the database is
	over     chan struct{}   // closed when there is nothing more to write
	hard     context.Context // ends when nothing can be written any more
}

// A hand is a delivery that we have.
type hand struct {
	job int64
	n   int
}

// A grip is how we hold it.
type grip struct {
	cancel context.CancelCauseFunc
	worker string
	batch  string // its name, once the job was looked at
	mu     sync.Mutex
	note   note
}

type submission struct {
	finish
	done chan error
}

type gripKey struct{}

// Note says what a job is doing, for people who look at the batch. ctx is the job's.
func Note(ctx context.Context, text string) {
	if g, ok := ctx.Value(gripKey{}).(*grip); ok {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.note.Text = plain(text)
	}
}

// WorkerVariable is the environment variable by which processes of a dead worker are known: a
// Func gives its value, the worker's id, to what it starts.
const WorkerVariable = "SKILLHAND_WORKER"

// Where tells which worker runs a job, and of which batch the job is. ctx is the job's.
func Where(ctx context.Context) (worker, batch string) {
	if g, ok := ctx.Value(gripKey{}).(*grip); ok {
		return g.worker, g.batch
	}
	return "", ""
}

func newID() string { return rand.Text() }

func (w *Worker) live(ctx context.Context) (err error) {
	slots := w.Slots
	if slots == 0 {
		slots = 4
	}
	hard, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	l := &life{
		Worker: w, id: newID(), queues: map[int64]bool{}, permits: make(chan struct{}, slots),
		hands: map[hand]*grip{}, had: map[hand]bool{}, strange: map[int64]time.Time{}, looks: make(chan *glance, slots), finishes: make(chan submission, slots), broken: make(chan error, 1), over: make(chan struct{}), hard: hard,
	}
	unlock, err := l.register(ctx, slots)
	if err != nil {
		return err
	}
	defer unlock()
	if err := w.DB.retry(ctx, func() error { return l.begin(ctx) }); err != nil {
		return errors.Join(err, l.sign(hard))
	}
	var writing sync.WaitGroup
	writing.Go(l.read)
	writing.Go(l.write)
	err = l.beats(ctx)

	// The end: jobs are ended, their results or returns are written, and the worker signs off.
	l.release(errStopping)
	patience := time.Minute
	if err != nil {
		giveUp() // nothing that we write counts any more, or can be written
		patience = 10 * time.Second
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if stuck := l.river.stop(stopping); stuck != nil {
		err = cmp.Or(err, stuck) // the first says why
		giveUp()
	}
	close(l.over)
	writing.Wait()
	return cmp.Or(err, l.sign(stopping))
}

// register makes the worker known. Its lock is held before anybody can look for it.
func (l *life) register(ctx context.Context, slots int) (unlock func(), err error) {
	if l.place, err = l.DB.place(); err != nil {
		return nil, err
	}
	unlock = func() {}
	if l.place != "" {
		file := l.DB.lockFile(l.id)
		lock := flock.New(file)
		if ok, err := lock.TryLock(); err != nil || !ok {
			return nil, errors.Join(fmt.Errorf("%s: cannot be locked", file), err)
		}
		unlock = func() { _, _ = os.Remove(file), lock.Unlock() }
	}
	err = l.DB.retry(ctx, func() error {
		_, err := l.DB.store.exec(ctx, `INSERT INTO batch_worker (id, place, slots, started, beat) VALUES ($1, $2, $3, {now}, {now}) ON CONFLICT (id) DO NOTHING`, l.id, l.place, slots)
		return err
	})
	if err != nil {
		unlock()
	}
	return unlock, err
}

func (db *DB) lockFile(worker string) string { return filepath.Join(db.locks, worker+".lock") }

// sign takes the worker off the list.
func (l *life) sign(ctx context.Context) error {
	return l.DB.retry(ctx, func() error {
		_, err := l.DB.store.exec(ctx, `DELETE FROM batch_worker WHERE id = $1`, l.id)
		return err
	})
}

// begin starts River.
func (l *life) begin(ctx context.Context) error {
	workers := river.NewWorkers()
	river.AddWorker(workers, &receiver{life: l})
	var err error
	l.river, err = l.DB.store.engine(&river.Config{
		ID: l.id, Workers: workers, Logger: quiet,
		Queues:        map[string]river.QueueConfig{"idle": {MaxWorkers: 1}}, // it wants one
		FetchCooldown: 2 * time.Millisecond,
		JobTimeout:    -1,
		// Whose worker died is for us to say.
		RescueStuckJobsAfter: 100 * 365 * 24 * time.Hour,
	})
	if err != nil {
		return err
	}
	return l.river.start(context.WithoutCancel(ctx))
}

// subscribe takes on the queues of batches that it does not have.
func (l *life) subscribe(ctx context.Context) error {
	type entry struct {
		id   int64
		name string
	}
	batches, err := all(ctx, l.DB.store, func(r rows, e *entry) error { return r.Scan(&e.id, &e.name) },
		`SELECT id, name FROM batch WHERE waiting + open > 0 ORDER BY id`)
	if err != nil {
		return err
	}
	for _, b := range batches {
		if l.queues[b.id] || !l.wants(b.name) {
			continue
		}
		if err := l.river.addQueue(queue(b.id), cap(l.permits)); err != nil {
			return err
		}
		l.queues[b.id] = true
	}
	return nil
}

func (w *Worker) wants(batch string) bool {
	for _, name := range w.Batches {
		if name == batch {
			return true
		}
	}
	return w.Batches == nil
}

// release ends all jobs in hand.
func (l *life) release(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.hands {
		g.cancel(why)
	}
}

// A receiver gets jobs from River.
type receiver struct {
	river.WorkerDefaults[delivery]
	*life
}

func (r *receiver) Timeout(*river.Job[delivery]) time.Duration { return -1 }

// Work runs one delivery. Once it returns nil River forgets the delivery, so that is only when
// the job's new state is written, or the delivery no longer counts.
func (r *receiver) Work(ctx context.Context, job *river.Job[delivery]) error {
	return r.take(ctx, job.Args)
}

func (l *life) take(ctx context.Context, d delivery) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g := &grip{cancel: cancel, worker: l.id, note: note{Since: l.now()}}
	h := hand{d.Job, d.N}
	l.mu.Lock()
	l.hands[h] = g
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.hands, h)
		l.had[h] = true
	}()

	f := finish{delivery: d, how: returned, worker: l.id}
	if l.slot(ctx, d.At) {
		defer func() { <-l.permits }()
		job, err := l.look(ctx, d)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			return err
		case !job.found:
			return nil // it is nobody's, or somebody else's
		case job.may:
			f.kind, f.started, f.how, g.batch = job.kind, l.now(), finished, job.batch
			g.mu.Lock()
			g.note.Since = f.started
			g.mu.Unlock()
			f.result, f.retry = l.do(context.WithValue(ctx, gripKey{}, g), job.payload)
		}
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTaken):
		return nil
	case cause != nil && f.retry.Error != "":
		f.how = returned
	}
	s := submission{f, make(chan error, 1)}
	select {
	case l.finishes <- s:
	case <-l.hard.Done():
		return l.hard.Err()
	}
	select {
	case err := <-s.done:
		return err
	case <-l.hard.Done():
		return l.hard.Err()
	}
}

// now is the database's time.
func (l *life) now() int64 { return time.Now().UnixMilli() + l.offset.Load() }

// slot waits for the job's time and for a slot, and reports whether it has one.
func (l *life) slot(ctx context.Context, at int64) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(at-l.now()) * time.Millisecond):
	}
	select {
	case <-ctx.Done():
		return false
	case l.permits <- struct{}{}:
		return true
	}
}

// A glance is a look at a delivered job before it starts.
type glance struct {
	of            delivery
	done          chan error
	found, may    bool // the delivery counts; the job may start now
	payload, kind string
	batch         string
}

// look reads a job that was delivered to us.
func (l *life) look(ctx context.Context, d delivery) (*glance, error) {
	g := &glance{of: d, done: make(chan error, 1)}
	select {
	case l.looks <- g:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case err := <-g.done:
		return g, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// read looks at jobs, all that were delivered meanwhile in one go.
func (l *life) read() {
	for first := range each(l.looks, l.over) {
		group := gather(l.looks, first)
		err := l.DB.retry(l.hard, func() error { return l.lookAll(group) })
		for _, g := range group {
			g.done <- err
		}
	}
}

func (l *life) lookAll(group []*glance) error {
	type entry struct {
		glance
		alive, may int64
	}
	of := make(map[hand]*glance, len(group))
	jobs := make([]int64, len(group))
	for i, g := range group {
		of[hand{g.of.Job, g.of.N}] = g
		jobs[i] = g.of.Job
	}
	found, err := all(l.hard, l.DB.store, func(r rows, e *entry) error {
		return r.Scan(&e.of.Job, &e.of.N, &e.payload, &e.kind, &e.batch, &e.alive, &e.may)
	}, `SELECT j.id, j.delivery, j.payload, j.kind, b.name, (SELECT count(*) FROM batch_worker WHERE id = $2),
			CASE WHEN b.stop = '' AND NOT EXISTS (SELECT 1 FROM batch_limit l WHERE l.kind = j.kind AND l.until > {now}) THEN 1 ELSE 0 END
			FROM batch_job j JOIN batch b ON b.id = j.batch WHERE j.id IN {list} AND j.state = 'open'`, list(jobs), l.id)
	for _, e := range found {
		if g := of[hand{e.of.Job, e.of.N}]; g != nil {
			g.found, g.may, g.payload, g.kind, g.batch = e.alive == 1, e.may == 1, e.payload, e.kind, e.batch
		}
	}
	return err
}

// each yields what comes, until there is nothing more to come.
func each[T any](from <-chan T, over <-chan struct{}) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			select {
			case v := <-from:
				if !yield(v) {
					return
				}
			case <-over:
				return
			}
		}
	}
}

// most is how many are read or written in one go.
const most = 200

// gather adds to the first what else is there already.
func gather[T any](from <-chan T, first T) []T {
	group := []T{first}
	for len(group) < most {
		select {
		case v := <-from:
			group = append(group, v)
		default:
			return group
		}
	}
	return group
}

// do calls the function. A panic in it is its failure.
func (l *life) do(ctx context.Context, payload string) (result string, retry Retry) {
	defer func() {
		if p := recover(); p != nil {
			result, retry = "", Retry{Error: fmt.Sprintf("panic: %v", p)}
		}
	}()
	raw, retry := l.Do(ctx, json.RawMessage(payload))
	if len(raw) == 0 {
		return "", retry
	}
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		if retry.Error == "" {
			retry.Error = "its result is not JSON: " + err.Error()
		}
		return "", retry
	}
	return plain(line.String()), retry
}

// write settles what ends, all that has ended meanwhile in one transaction.
func (l *life) write() {
	for first := range each(l.finishes, l.over) {
		group := gather(l.finishes, first)
		byBatch := map[int64][]finish{}
		for _, s := range group {
			byBatch[s.Batch] = append(byBatch[s.Batch], s.finish)
		}
		failed := map[int64]error{}
		for batch, list := range byBatch {
			failed[batch] = l.settle(batch, list)
		}
		for _, s := range group {
			s.done <- failed[s.Batch]
		}
	}
}

// failed tells of an error that does not pass. A broken database is the worker's end.
func (l *life) failed(err error) {
	switch {
	case l.hard.Err() != nil:
		return // its end has begun
	case !l.DB.store.broken(err):
		l.warn(err)
		return
	}
	select {
	case l.broken <- fmt.Errorf("%s: %w", l.DB.name, err):
	default: // it is known
	}
}

// settle writes results, however long the database is away.
func (l *life) settle(batch int64, list []finish) error {
	for {
		err := l.DB.change(l.hard, batch, func(c *change) error { return c.finish(list, int(l.slots.Load())) })
		switch {
		case err == nil:
			return nil
		case l.hard.Err() != nil || !l.DB.store.passes(err):
			l.failed(err)
			return err
		}
		l.warn(fmt.Errorf("results wait to be written: %w", err))
	}
}
