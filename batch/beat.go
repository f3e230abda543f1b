package batch

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// beats keeps the worker alive until the context ends, others have given it up, or the database
// is broken.
func (l *life) beats(ctx context.Context) error {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		// A beat that hangs, as on a database that is stopped, must not be the last.
		one, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := l.beat(one)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errBuried):
			return err
		case err != nil:
			l.failed(err)
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-l.broken:
			return err
		case <-tick.C:
		}
	}
}

func (l *life) beat(ctx context.Context) error {
	s := l.DB.store
	known, err := s.exec(ctx, `UPDATE batch_worker SET beat = {now}, notes = $2 WHERE id = $1`, l.id, l.notes())
	if err != nil {
		return err
	}
	if known == 0 {
		return errBuried
	}
	asked := time.Now()
	now, err := number(ctx, s, `SELECT {now}`)
	if err != nil {
		return err
	}
	l.offset.Store(now - time.Now().UnixMilli())
	if l.last.IsZero() || asked.Sub(l.last) > max(l.DB.lease/3, 2*beat) {
		l.since = now
		if l.last.IsZero() {
			l.since = 0 // a worker that begins may bury those who died before
		}
	}
	l.last = asked
	live, err := l.bury(ctx, now)
	if err != nil {
		return err
	}
	if err := l.heed(ctx); err != nil {
		return err
	}
	if err := l.reconcile(ctx, live); err != nil {
		return err
	}
	if err := l.subscribe(ctx); err != nil {
		return err
	}
	return l.feed(ctx)
}

// notes is what our jobs are doing.
func (l *life) notes() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	notes := make(map[int64]note, len(l.hands))
	for h, g := range l.hands {
		g.mu.Lock()
		notes[h.job] = g.note
		g.mu.Unlock()
	}
	b, _ := json.Marshal(notes)
	return string(b)
}

// bury takes the dead off the list of workers, and returns the others.
func (l *life) bury(ctx context.Context, now int64) (live map[string]bool, err error) {
	type entry struct {
		id, place string
		slots     int64
		beat, up  int64
	}
	workers, err := all(ctx, l.DB.store, func(r rows, e *entry) error { return r.Scan(&e.id, &e.place, &e.slots, &e.beat, &e.up) },
		`SELECT id, place, slots, beat, {up} FROM batch_worker`)
	if err != nil {
		return nil, err
	}
	live = map[string]bool{}
	var slots int64
	for _, w := range workers {
		lock := held
		if w.id != l.id {
			lock = l.holder(w.id, w.place)
		}
		if w.id == l.id || !dead(lock, w.beat, now, w.up, l.since, l.DB.lease.Milliseconds()) {
			live[w.id] = true
			slots += w.slots
			continue
		}
		if l.Orphaned != nil && w.place == l.place {
			l.Orphaned(w.id)
		}
		// One that was heard just now is spared; one without a process cannot be.
		if _, err := l.DB.store.exec(ctx, `DELETE FROM batch_worker WHERE id = $1 AND beat = $2`, w.id, w.beat); err != nil {
			return nil, err
		}
		if lock == free {
			_ = os.Remove(l.DB.lockFile(w.id))
		}
	}
	l.slots.Store(slots)
	return live, nil
}

// holder tells whether a worker of this machine has its lock.
func (l *life) holder(id, place string) holder {
	// A file is shared on one machine only: who has no lock beside it is not there.
	missing := unknown
	if l.DB.lease == 0 {
		missing = free
	}
	if l.place == "" || place != l.place {
		return missing
	}
	file := l.DB.lockFile(id)
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

// heed ends the jobs that are no longer ours: canceled, or given to another worker.
func (l *life) heed(ctx context.Context) error {
	type item struct {
		Job int64 `json:"j"`
		N   int   `json:"n"`
	}
	l.mu.Lock()
	var mine []item
	for h := range l.hands {
		mine = append(mine, item{h.job, h.n})
	}
	l.mu.Unlock()
	if len(mine) == 0 {
		return nil
	}
	taken, err := all(ctx, l.DB.store, func(r rows, h *hand) error { return r.Scan(&h.job, &h.n) },
		`SELECT v.j, v.n FROM (SELECT CAST(value ->> 'j' AS bigint) AS j, CAST(value ->> 'n' AS bigint) AS n FROM {items}) v
			JOIN batch_job b ON b.id = v.j WHERE b.state <> 'open' OR b.delivery <> v.n`, list(mine))
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range taken {
		if g := l.hands[h]; g != nil {
			g.cancel(errTaken)
		}
	}
	return nil
}

// liveRows are the deliveries that River has not done with.
const liveRows = `SELECT id, CAST(state AS text) AS state, COALESCE({worker}, '') AS worker, CAST(args ->> 'j' AS bigint) AS job, CAST(args ->> 'n' AS bigint) AS n
	FROM river_job WHERE state IN ('available', 'running', 'pending', 'retryable', 'scheduled') AND kind = 'skillhand'`

// reconcile compares open jobs with their deliveries, in one look, and sends back the jobs whose
// delivery will come to nothing: its worker is not alive, or there is none.
func (l *life) reconcile(ctx context.Context, live map[string]bool) error {
	seen, err := all(ctx, l.DB.store, func(r rows, s *sighting) error {
		var state string
		err := r.Scan(&s.batch, &s.job, &s.n, &s.d.Tries, &s.d.Kills, &s.d.Retries, &s.d.Cost, &s.row, &state, &s.worker, &s.rowJob, &s.rowN)
		s.running = state == "running"
		s.d.Batch, s.d.Job, s.d.N = s.batch, s.job, s.n
		return err
	}, `SELECT COALESCE(j.batch, 0), COALESCE(j.id, 0), COALESCE(j.delivery, 0), COALESCE(j.tries, 0), COALESCE(j.kills, 0), COALESCE(j.retries, 0), COALESCE(j.cost, 0),
			COALESCE(r.id, 0), COALESCE(r.state, ''), COALESCE(r.worker, ''), COALESCE(r.job, 0), COALESCE(r.n, 0)
		FROM (SELECT * FROM batch_job WHERE state = 'open') j FULL JOIN (`+liveRows+`) r ON r.job = j.id AND r.n = j.delivery`)
	if err != nil {
		return err
	}
	back := map[int64][]finish{}
	var drops []int64
	strange := map[int64]time.Time{}
	for _, s := range seen {
		missing := l.missing(s)
		if s.running && (!live[s.worker] || missing) {
			if strange[s.row] = l.strange[s.row]; strange[s.row].IsZero() {
				strange[s.row] = time.Now()
			}
		}
		since := time.Since(strange[s.row])
		switch judge(s, live[s.worker], missing && since > 5*time.Second, since > time.Minute) {
		case drop:
			drops = append(drops, s.row)
		case giveUp:
			back[s.batch] = append(back[s.batch], finish{delivery: s.d, how: returned, worker: s.worker})
		case adopt:
			back[s.batch] = append(back[s.batch], finish{delivery: s.d, how: lost, worker: s.worker})
		}
	}
	l.strange = strange
	l.forget(seen)
	for batch, list := range back {
		if err := l.DB.change(ctx, batch, func(c *change) error { return c.finish(list, int(l.slots.Load())) }); err != nil {
			return err
		}
	}
	return closeRows(ctx, l.DB.store, drops)
}

// closeRows ends deliveries that nobody works on. River's own way of doing so is for the worker
// that has them.
func closeRows(ctx context.Context, q querier, rows []int64) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := q.exec(ctx, `UPDATE river_job SET state = 'cancelled', finalized_at = {finalized} WHERE id IN {list} AND state = 'running'`, list(rows))
	return err
}

// missing reports whether a delivery is ours and never came.
func (l *life) missing(s sighting) bool {
	if !s.running || s.worker != l.id {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	h := hand{s.rowJob, s.rowN}
	return l.hands[h] == nil && !l.had[h]
}

// forget drops from memory what River has done with.
func (l *life) forget(seen []sighting) {
	l.mu.Lock()
	defer l.mu.Unlock()
	had := map[hand]bool{}
	for _, s := range seen {
		if h := (hand{s.rowJob, s.rowN}); l.had[h] {
			had[h] = true
		}
	}
	l.had = had
}

// feed delivers what became due, or what nobody was there to deliver.
func (l *life) feed(ctx context.Context) error {
	batches, err := all(ctx, l.DB.store, scanNumber, `SELECT id FROM batch WHERE stop = '' AND waiting > 0 AND (concurrency = 0 OR open < concurrency)
		AND EXISTS (SELECT 1 FROM batch_job j WHERE j.batch = batch.id AND j.state = 'waiting' AND j.wants = 0 AND j.due <= {now}) ORDER BY id`)
	if err != nil {
		return err
	}
	for _, id := range batches {
		if err := l.DB.change(ctx, id, func(c *change) error { return c.feed(int(l.slots.Load())) }); err != nil {
			return err
		}
	}
	return nil
}
