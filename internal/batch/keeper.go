package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

// keeperLease is how long the worker that looks after the others may be silent, in milliseconds.
const keeperLease = 5000

// keeps reports whether this worker is the keeper. The keeper looks after the others: it finds out
// who died, which jobs go back, and which can start. There is one keeper at a time, so that a beat
// costs the same with any number of workers.
func (s *session) keeps(ctx context.Context) (bool, error) {
	type entry struct {
		worker, place, crew string
		known, until, now   int64
	}
	found, err := all(ctx, s.db.store, func(r rows, e *entry) error {
		return r.Scan(&e.worker, &e.place, &e.known, &e.until, &e.crew, &e.now)
	}, `SELECT k.worker, COALESCE(w.place, ''), CASE WHEN w.id IS NULL THEN 0 ELSE 1 END, k.until, k.crew, {now}
		FROM batch_keeper k LEFT JOIN batch_worker w ON w.id = k.worker WHERE k.id = 1`)
	if err != nil || len(found) == 0 {
		return false, err
	}
	k := found[0]
	s.heard(k.now)
	var c crew
	if json.Unmarshal([]byte(k.crew), &c) == nil && c.Slots > 0 {
		s.crew.Store(&c)
	}
	s.crewText = k.crew
	left := k.until - k.now
	if k.worker == s.id && left > keeperLease*2/3 && left <= keeperLease {
		return true, nil // the lease is renewed in time, but not at every beat
	}
	if k.worker != s.id {
		// A lease that ends too late was written before the clock was set back.
		alive := k.known == 1 && left > 0 && left <= 2*keeperLease && s.holder(k.worker, k.place) != free
		if alive {
			return false, nil
		}
	}
	n, err := s.db.store.exec(ctx, `UPDATE batch_keeper SET worker = $1, until = {now} + $2 WHERE id = 1 AND worker = $3 AND until = $4`,
		s.id, keeperLease, k.worker, k.until)
	return n == 1, err
}

// heard records the database's time, and that we heard from the database.
func (s *session) heard(now int64) {
	asked := time.Now()
	s.offset.Store(now - asked.UnixMilli())
	if s.last.IsZero() || asked.Sub(s.last) > max(s.db.lease/3, 2*idleBeat) {
		s.since = now
		if s.last.IsZero() {
			s.since = 0 // a worker that starts may remove workers that died before
		}
	}
	s.last = asked
}

// keep looks after all workers and jobs.
func (s *session) keep(ctx context.Context) error {
	if err := s.removeDead(ctx, s.now()); err != nil {
		return err
	}
	return errors.Join(s.reconcile(ctx), s.cancel(ctx), s.feed(ctx))
}

// cancel continues to cancel batches whose jobs somebody has begun to cancel.
func (s *session) cancel(ctx context.Context) error {
	batches, err := all(ctx, s.db.store, scanNumber, `SELECT id FROM batch WHERE stop = '`+string(Canceling)+`' ORDER BY id`)
	if err != nil {
		return err
	}
	return s.changeEach(ctx, slices.Values(batches), func(c *change) error {
		if c.b.stop != Canceling {
			return nil
		}
		_, err := c.cancelSome(first)
		return err
	})
}

// changeEach changes batches one after the other. It continues after a batch that cannot be
// changed.
func (s *session) changeEach(ctx context.Context, batches iter.Seq[int64], do func(c *change) error) error {
	var faults []error
	for id := range batches {
		if ctx.Err() != nil {
			break
		}
		if err := s.db.change(ctx, id, do); err != nil && !errors.Is(err, ErrNoBatch) {
			faults = append(faults, fmt.Errorf("batch %d: %w", id, err))
		}
	}
	return errors.Join(faults...)
}

// removeDead removes dead workers from the list, and counts what the others can do.
func (s *session) removeDead(ctx context.Context, now int64) error {
	type entry struct {
		id, place, unfit string
		slots            int
		beat, up         int64
	}
	workers, err := all(ctx, s.db.store, func(r rows, e *entry) error {
		return r.Scan(&e.id, &e.place, &e.slots, &e.unfit, &e.beat, &e.up)
	}, `SELECT id, place, slots, unfit, beat, {up} FROM batch_worker`)
	if err != nil {
		return err
	}
	var c crew
	for _, w := range workers {
		lock := held
		if w.id != s.id {
			lock = s.holder(w.id, w.place)
		}
		if w.id == s.id || !dead(lock, w.beat, now, w.up, s.since, s.db.lease.Milliseconds()) {
			c.add(w.slots, w.unfit)
			continue
		}
		if s.worker.Orphaned != nil && w.place == s.place {
			s.worker.Orphaned(w.id)
		}
		// A worker that beat in the meantime is spared. A worker without a process cannot have
		// beaten.
		if _, err := s.db.store.exec(ctx, `DELETE FROM batch_worker WHERE id = $1 AND beat = $2`, w.id, w.beat); err != nil {
			return err
		}
		if lock == free {
			_ = os.Remove(s.db.lockFile(w.id))
		}
	}
	s.crew.Store(&c)
	text, err := json.Marshal(c)
	if err != nil || string(text) == s.crewText {
		return err
	}
	_, err = s.db.store.exec(ctx, `UPDATE batch_keeper SET crew = $2 WHERE worker = $1`, s.id, string(text))
	return err
}

func (c *crew) add(slots int, unfit string) {
	c.Workers++
	c.Slots += slots
	var why map[string]string
	_ = json.Unmarshal([]byte(unfit), &why) // written by a worker
	for kind := range why {
		if c.Unfit == nil {
			c.Unfit = map[string]int{}
		}
		c.Unfit[kind] += slots
	}
}

// holder returns whether a worker of this machine holds its lock.
func (s *session) holder(id, place string) holder {
	// The processes of one machine share a file. A worker without a lock next to it is dead.
	missing := unknown
	if s.db.lease == 0 {
		missing = free
	}
	if s.place == "" || place != s.place {
		return missing
	}
	file := s.db.lockFile(id)
	if _, err := os.Stat(file); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return missing
		}
		return unknown
	}
	lock := flock.New(file)
	ok, err := lock.TryLock()
	switch {
	case err != nil:
		return unknown
	case !ok:
		return held
	}
	_ = lock.Unlock()
	return free
}

// liveRows selects the deliveries that River has not finished.
const liveRows = `SELECT id, CAST(state AS text) AS state, COALESCE({worker}, '') AS worker,
	CAST(args ->> 'j' AS bigint) AS job, CAST(args ->> 'n' AS bigint) AS n
	FROM river_job WHERE state IN ('available', 'running', 'pending', 'retryable', 'scheduled') AND kind = 'skillhand'`

// reconcile compares open jobs with their deliveries, in one query. It sends back the jobs whose
// delivery does not exist or belongs to a dead worker. A worker registers before it takes
// deliveries, so a query that returns a delivery also returns its worker.
func (s *session) reconcile(ctx context.Context) error {
	seen, err := s.sightings(ctx, `FULL JOIN`, ``)
	if err != nil {
		return err
	}
	crew := s.crew.Load()
	back := map[int64][]finish{}
	var drops []int64
	orphans := map[int64]time.Time{}
	for _, seen := range seen {
		if seen.running && !seen.live {
			if orphans[seen.row] = s.orphanSince[seen.row]; orphans[seen.row].IsZero() {
				orphans[seen.row] = time.Now()
			}
		}
		f := finish{d: seen.d, worker: seen.worker}
		switch decide(seen, false, time.Since(orphans[seen.row]) > time.Minute, crew.nobody(seen.kind)) {
		case leave:
			continue
		case drop:
			drops = append(drops, seen.row)
			continue
		case giveUp:
			f.ending.how = returned
		case adopt:
			f.ending = ending{how: lost, began: seen.began()}
		}
		back[seen.batch] = append(back[seen.batch], f)
	}
	s.orphanSince = orphans
	return errors.Join(s.sendBack(ctx, back), closeRows(ctx, s.db.store, drops))
}

func (s *session) sendBack(ctx context.Context, back map[int64][]finish) error {
	return s.changeEach(ctx, maps.Keys(back), func(c *change) error { return c.finish(back[c.b.id]) })
}

// sightings reads the open jobs together with their deliveries.
func (s *session) sightings(ctx context.Context, join, where string, args ...any) ([]sighting, error) {
	return all(ctx, s.db.store, func(r rows, v *sighting) error {
		var state string
		var live int64
		err := r.Scan(&v.batch, &v.job, &v.kind,
			&v.n, &v.begun, &v.d.Tries, &v.d.Kills, &v.d.Retries, &v.d.Cost, &v.row, &state, &v.worker, &live, &v.rowJob, &v.rowN)
		v.running, v.live = state == "running", live == 1
		v.d.Batch, v.d.Job, v.d.N = v.batch, v.job, v.n
		return err
	}, `SELECT COALESCE(j.batch, 0), COALESCE(j.id, 0), COALESCE(j.kind, ''), COALESCE(j.delivery, 0), COALESCE(j.begun, 0), COALESCE(j.tries, 0),
			COALESCE(j.kills, 0), COALESCE(j.retries, 0), COALESCE(j.held, 0),
			COALESCE(r.id, 0), COALESCE(r.state, ''), COALESCE(r.worker, ''), CASE WHEN w.id IS NULL THEN 0 ELSE 1 END, COALESCE(r.job, 0), COALESCE(r.n, 0)
		FROM (SELECT * FROM batch_job WHERE state = 'open') j `+join+` (`+liveRows+`) r ON r.job = j.id AND r.n = j.delivery
		LEFT JOIN batch_worker w ON w.id = r.worker `+where, args...)
}

// closeRows ends deliveries that no worker works on. River's own function for that is only for the
// worker that has them.
func closeRows(ctx context.Context, q querier, rows []int64) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := q.exec(ctx,
		`UPDATE river_job SET state = 'cancelled', finalized_at = {finalized} WHERE id IN {list} AND state = 'running'`, jsonList(rows))
	return err
}

// feed delivers jobs that became due, or that no worker was there to deliver.
func (s *session) feed(ctx context.Context) error {
	batches, err := all(ctx, s.db.store, scanNumber, `SELECT id FROM batch WHERE stop = '' AND waiting > 0 AND (concurrency = 0 OR open < concurrency)
		AND EXISTS (SELECT 1 FROM batch_job j WHERE j.batch = batch.id AND j.state = 'waiting' AND j.wants = 0 AND j.due <= {now}) ORDER BY id`)
	if err != nil {
		return err
	}
	return s.changeEach(ctx, slices.Values(batches), func(c *change) error { return c.feed(*s.crew.Load()) })
}
