package batch

import (
	"bytes"
	"cmp"
	"context"
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
	"golang.org/x/sync/semaphore"
)

// A session is a run of a worker, with its own id.
type session struct {
	worker *Worker
	db     *DB
	id     string
	place  string // the id of the folder of lock files that it shares with others
	host   string
	slots  int64
	room   *semaphore.Weighted // a worker with several queues has its slots only once
	river  engine

	crew   atomic.Pointer[crew] // of all workers
	offset atomic.Int64         // from our clock to the database's, in milliseconds
	since  int64                // since this time of the database's clock we have heard other workers without a gap
	last   time.Time            // the time of the last beat that worked
	beats  int

	crewText string    // the keeper's last count of all workers
	shown    string    // what we last wrote about ourselves
	shownAt  time.Time // when we wrote it

	mu          sync.Mutex
	hands       map[deliveryID]*running
	finishing   map[deliveryID]bool // deliveries that River may still be finishing
	orphanSince map[int64]time.Time // since when no worker works on a delivery, by row
	missing     map[int64]time.Time // since when a delivery of ours has not arrived, by row
	queues      map[string]*subscription
	unfit       map[string]string // the reason, by kind
	turns       map[int64]*semaphore.Weighted

	looks    chan *lookup
	finishes chan submission
	broken   chan error      // gets the error if the database is broken
	over     chan struct{}   // closed when nothing more has to be written
	hard     context.Context // ends when nothing can be written any more
}

// A deliveryID identifies a delivery that we have.
type deliveryID struct {
	job int64
	n   int
}

// A running is a delivery that we are running.
type running struct {
	cancel   context.CancelCauseFunc
	delivery Delivery
	mu       sync.Mutex
	note     note
}

type runningKey struct{}

type submission struct {
	finish finish
	done   chan error
}

func (w *Worker) live(ctx context.Context) (err error) {
	slots := cmp.Or(w.Slots, 4)
	hard, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	s := &session{
		worker: w, db: w.DB, id: newID(), slots: int64(slots), room: semaphore.NewWeighted(int64(slots)),
		hands: map[deliveryID]*running{}, finishing: map[deliveryID]bool{}, orphanSince: map[int64]time.Time{},
		queues: map[string]*subscription{}, unfit: map[string]string{}, turns: map[int64]*semaphore.Weighted{},
		looks: make(chan *lookup, slots), finishes: make(chan submission, slots), broken: make(chan error, 1),
		over: make(chan struct{}), hard: hard,
	}
	s.host, _ = os.Hostname() // only for people
	s.crew.Store(&crew{Slots: slots})
	unlock, err := s.register(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.db.retry(ctx, func() error { return s.begin(ctx) }); err != nil {
		return errors.Join(err, s.sign(hard))
	}
	var writing sync.WaitGroup
	writing.Go(s.read)
	writing.Go(s.write)
	err = s.beatUntil(ctx)

	// The end: cancel the jobs, write their results or return them, and sign off the worker.
	s.release(errStopping)
	patience := time.Minute
	if err != nil {
		giveUp() // nothing that we write counts any more, or nothing can be written
		patience = 10 * time.Second
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if stuck := s.river.stop(stopping); stuck != nil {
		err = cmp.Or(err, stuck) // the first error says why
		giveUp()
	}
	close(s.over)
	writing.Wait()
	return cmp.Or(err, s.sign(stopping))
}

// register adds the worker to the list. It takes the worker's lock before others can check the
// lock.
func (s *session) register(ctx context.Context) (unlock func(), err error) {
	if s.place, err = s.db.locksID(); err != nil {
		return nil, err
	}
	unlock = func() {}
	if s.place != "" {
		file := s.db.lockFile(s.id)
		lock := flock.New(file)
		if ok, err := lock.TryLock(); err != nil || !ok {
			return nil, errors.Join(fmt.Errorf("%s: cannot be locked", file), err)
		}
		unlock = func() { _, _ = os.Remove(file), lock.Unlock() }
	}
	_, err = s.db.exec(ctx, `INSERT INTO batch_worker (id, place, host, slots, started, beat) VALUES ($1, $2, $3, $4, {now}, {now})
		ON CONFLICT (id) DO NOTHING`, s.id, s.place, plain(s.host), s.slots)
	if err != nil {
		unlock()
	}
	return unlock, err
}

func (db *DB) lockFile(worker string) string { return filepath.Join(db.locks, worker+".lock") }

// sign removes the worker from the list.
func (s *session) sign(ctx context.Context) error {
	if _, err := s.db.exec(ctx, `UPDATE batch_keeper SET until = 0 WHERE worker = $1`, s.id); err != nil {
		return err
	}
	_, err := s.db.exec(ctx, `DELETE FROM batch_worker WHERE id = $1`, s.id)
	return err
}

func (s *session) begin(ctx context.Context) error {
	workers := river.NewWorkers()
	river.AddWorker(workers, &receiver{session: s})
	var err error
	s.river, err = s.db.store.engine(&river.Config{
		ID: s.id, Workers: workers, Logger: quiet,
		Queues:        map[string]river.QueueConfig{"idle": {MaxWorkers: 1}}, // River wants at least one
		FetchCooldown: 2 * time.Millisecond,
		JobTimeout:    -1,
		// We decide when a worker is dead, not River.
		RescueStuckJobsAfter: 100 * 365 * 24 * time.Hour,
		// Our own tables hold the outcome of a job.
		CompletedJobRetentionPeriod: 10 * time.Minute, CancelledJobRetentionPeriod: 10 * time.Minute,
		DiscardedJobRetentionPeriod: 10 * time.Minute,
	})
	if err != nil {
		return err
	}
	return s.river.start(context.WithoutCancel(ctx))
}

// release cancels all jobs that the worker is running.
func (s *session) release(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.hands {
		r.cancel(why)
	}
}

// A receiver gets jobs from River.
type receiver struct {
	river.WorkerDefaults[delivery]
	session *session
}

func (r *receiver) Timeout(*river.Job[delivery]) time.Duration { return -1 }

// Work runs one delivery. When it returns nil, River forgets the delivery. It therefore returns nil
// only when the job's new state is written, or the delivery no longer counts.
func (r *receiver) Work(ctx context.Context, job *river.Job[delivery]) error {
	return r.session.take(ctx, job.Args)
}

func (s *session) take(ctx context.Context, d delivery) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &running{cancel: cancel, delivery: Delivery{Worker: s.id, MaxUSD: dollars(d.Limit), HeldUSD: dollars(d.Cost)},
		note: note{Since: s.now()}}
	defer s.hold(deliveryID{d.Job, d.N}, r)()

	f := finish{d: d, ending: ending{how: returned}, worker: s.id}
	weight := int64(1)
	if d.Kills >= aloneAfter {
		weight = s.slots
	}
	if s.room.Acquire(ctx, weight) == nil {
		defer s.room.Release(weight)
		if counts, err := s.attempt(ctx, r, &f); err != nil || !counts {
			return err
		}
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTaken):
		return nil
	case cause != nil && f.ending.retry.Error != "":
		f.ending.how = returned
	}
	return s.submit(ctx, f)
}

// hold records that we have a delivery, until its caller calls letGo.
func (s *session) hold(id deliveryID, r *running) (letGo func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hands[id] = r
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.hands, id)
		s.finishing[id] = true
	}
}

// attempt runs a delivery that has a slot, if its job may start, and records in f how that ended.
// It reports whether the delivery counts.
func (s *session) attempt(ctx context.Context, r *running, f *finish) (counts bool, err error) {
	job, err := s.look(ctx, f.d)
	if err == nil && job.found && job.may && job.gap > 0 {
		if err := s.wait(ctx, f.d.Batch); err != nil {
			return true, nil // the job goes back
		}
		job, err = s.look(ctx, f.d)
	}
	switch {
	case ctx.Err() != nil:
		return true, nil
	case err != nil:
		return false, err
	case !job.found:
		return false, nil // it belongs to nobody, or to another worker
	case !job.may || s.unfitFor(job.kind) != "":
		return true, nil
	}
	if f.d.Kills > 0 {
		if _, err := s.db.store.exec(ctx, `UPDATE batch_job SET begun = $2 WHERE id = $1 AND delivery = $2`, f.d.Job, f.d.N); err != nil {
			return true, nil
		}
	}
	f.kind, f.started, f.ending = job.kind, s.now(), ending{how: finished, began: true}
	r.mu.Lock()
	r.delivery.Batch, r.delivery.Made, r.note.Since = job.batch, time.UnixMilli(job.made).UTC(), f.started
	r.mu.Unlock()
	f.result, f.ending.retry = s.do(context.WithValue(ctx, runningKey{}, r), job.payload)
	if f.ending.retry.Unfit {
		s.setUnfit(job.kind, f.ending.retry.Error)
	}
	return true, nil
}

// wait waits until the rate of a batch allows a start, and takes that start. Only one of our slots
// waits at a time. Nothing is taken in advance: a start would be lost if its worker died.
func (s *session) wait(ctx context.Context, batch int64) error {
	turn := s.turn(batch)
	if err := turn.Acquire(ctx, 1); err != nil {
		return err
	}
	defer turn.Release(1)
	for {
		var wait time.Duration
		err := s.db.retry(ctx, func() (err error) {
			wait, err = s.db.start(ctx, batch)
			return err
		})
		if err != nil || wait <= 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// turn returns the semaphore that a slot holds while it waits for a start in a batch.
func (s *session) turn(batch int64) *semaphore.Weighted {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turns[batch] == nil {
		s.turns[batch] = semaphore.NewWeighted(1)
	}
	return s.turns[batch]
}

// start takes the next start that the rate of a batch allows, or returns how long to wait before
// asking again. A start that is a little late does not move the next one: see interval. A next
// start that is more than one gap ahead is from before the clock was set back, or from before the
// rate was raised.
func (db *DB) start(ctx context.Context, batch int64) (wait time.Duration, err error) {
	type entry struct{ gap, wait int64 }
	found, err := all(ctx, db.store, func(r rows, e *entry) error { return r.Scan(&e.gap, &e.wait) },
		`SELECT gap, next - {now} FROM batch WHERE id = $1`, batch)
	if err != nil || len(found) == 0 || found[0].gap == 0 {
		return 0, err // without a batch or a rate there is no wait
	}
	if e := found[0]; e.wait > 0 && e.wait <= e.gap {
		return time.Duration(e.wait) * time.Millisecond, nil
	}
	taken, err := number(ctx, db.store,
		`UPDATE batch SET next = CASE WHEN next BETWEEN {now} - per / 50 AND {now} THEN next ELSE {now} END + gap
		WHERE id = $1 AND (next <= {now} OR next > {now} + gap) RETURNING 1`, batch)
	if err != nil || taken == 1 {
		return 0, err
	}
	return time.Millisecond, nil // another worker has taken it
}

// submit passes on the end of a delivery to write, and waits until it is written. A result that
// cannot be written is kept, because it may have cost money, and tried again after longer and
// longer waits. Meanwhile its slot takes no other job.
func (s *session) submit(ctx context.Context, f finish) error {
	said := ""
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 10*time.Second) {
		sub := submission{f, make(chan error, 1)}
		select {
		case s.finishes <- sub:
		case <-s.hard.Done():
			return s.hard.Err()
		}
		var err error
		select {
		case err = <-sub.done:
		case <-s.hard.Done():
			return s.hard.Err()
		}
		if err == nil || errors.Is(err, ErrNoBatch) || s.db.store.broken(err) {
			return err
		}
		if err.Error() != said {
			said = err.Error()
			s.worker.warn(fmt.Errorf("cannot write a result yet; it is kept for later: %w", err))
		}
		select {
		case <-s.hard.Done():
			return errors.Join(s.hard.Err(), err)
		case <-time.After(wait):
		}
		if errors.Is(context.Cause(ctx), errTaken) {
			return nil
		}
	}
}

func (s *session) now() int64 { return time.Now().UnixMilli() + s.offset.Load() }

// A lookup reads a delivered job before the job starts.
type lookup struct {
	of            delivery
	done          chan error
	found, may    bool // the delivery counts; the job may start now
	payload, kind string
	batch         string
	made          int64 // when the batch was created
	gap           int64 // the time between two starts
}

// look returns a job that was delivered to us.
func (s *session) look(ctx context.Context, d delivery) (*lookup, error) {
	g := &lookup{of: d, done: make(chan error, 1)}
	select {
	case s.looks <- g:
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

// read reads delivered jobs, all that arrived in the meantime at once.
func (s *session) read() {
	for first := range each(s.looks, s.over) {
		group := drain(s.looks, first)
		err := s.db.retry(s.hard, func() error { return s.lookAll(group) })
		for _, g := range group {
			g.done <- err
		}
	}
}

func (s *session) lookAll(group []*lookup) error {
	type entry struct {
		g          lookup
		alive, may int64
	}
	of := make(map[deliveryID][]*lookup, len(group))
	jobs := make([]int64, len(group))
	for i, g := range group {
		id := deliveryID{g.of.Job, g.of.N}
		of[id] = append(of[id], g)
		jobs[i] = g.of.Job
	}
	found, err := all(s.hard, s.db.store, func(r rows, e *entry) error {
		return r.Scan(&e.g.of.Job, &e.g.of.N, &e.g.payload, &e.g.kind, &e.g.batch, &e.g.made, &e.g.gap, &e.alive, &e.may)
	}, `SELECT j.id, j.delivery, j.payload, j.kind, b.label, b.created, b.gap, (SELECT count(*) FROM batch_worker WHERE id = $2),
			CASE WHEN b.stop = '' AND NOT EXISTS (SELECT 1 FROM batch_limit l WHERE l.kind = j.kind AND l.until > {now}) THEN 1 ELSE 0 END
			FROM batch_job j JOIN batch b ON b.id = j.batch WHERE j.id IN {list} AND j.state = 'open'`, jsonList(jobs), s.id)
	for _, e := range found {
		for _, g := range of[deliveryID{e.g.of.Job, e.g.of.N}] {
			g.found, g.may, g.payload, g.kind, g.gap = e.alive == 1, e.may == 1, e.g.payload, e.g.kind, e.g.gap
			g.batch, g.made = e.g.batch, e.g.made
		}
	}
	return err
}

// each yields the values of a channel until over is closed.
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

// most is how many items are read or written at once.
const most = 200

// drain returns first and whatever else is already queued.
func drain[T any](from <-chan T, first T) []T {
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

// do calls the worker's function. A panic in it is a failure of the job.
func (s *session) do(ctx context.Context, payload string) (result string, retry Retry) {
	defer func() {
		if p := recover(); p != nil {
			result, retry = "", Retry{Error: fmt.Sprintf("panic: %v", p)}
		}
	}()
	raw, retry := s.worker.Do(ctx, json.RawMessage(payload))
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

// write records deliveries that have ended, all that ended in the meantime in one transaction.
func (s *session) write() {
	for first := range each(s.finishes, s.over) {
		byBatch := map[int64][]submission{}
		for _, sub := range drain(s.finishes, first) {
			batch := sub.finish.d.Batch
			byBatch[batch] = append(byBatch[batch], sub)
		}
		for batch, group := range byBatch {
			s.settle(batch, group)
		}
	}
}

// failed reports an error that does not go away. A broken database stops the worker.
func (s *session) failed(err error) {
	switch {
	case s.hard.Err() != nil:
		return // the worker is already stopping
	case !s.db.store.broken(err):
		s.worker.warn(err)
		return
	}
	select {
	case s.broken <- fmt.Errorf("%s: %w", s.db.name, err):
	default: // already reported
	}
}

// settle writes the results of a batch, and delivers the jobs that can start then. If that fails
// for good, it writes each result alone and leaves the rest to the keeper. Neither another result
// nor a job that cannot be delivered keeps a result from being written.
func (s *session) settle(batch int64, group []submission) {
	done := make([]finish, len(group))
	for i, sub := range group {
		done[i] = sub.finish
	}
	err := s.record(batch, done, true)
	for _, sub := range group {
		if err != nil && s.hard.Err() == nil && !errors.Is(err, ErrNoBatch) {
			sub.done <- s.record(batch, []finish{sub.finish}, false)
			continue
		}
		sub.done <- err
	}
}

// record writes results. It waits as long as the database is unreachable.
func (s *session) record(batch int64, done []finish, feed bool) error {
	for {
		err := s.db.change(s.hard, batch, func(c *change) error {
			if err := c.finish(done); err != nil || !feed {
				return err
			}
			return c.feed(*s.crew.Load())
		})
		if err == nil || s.hard.Err() != nil || !s.db.store.passes(err) {
			if s.db.store.broken(err) {
				s.failed(err)
			}
			return err
		}
		s.worker.warn(fmt.Errorf("cannot write results yet; they are kept for later: %w", err))
	}
}
