package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// beatUntil beats, which keeps the worker alive, until the context ends, others have declared the
// worker dead, or the database is broken.
func (s *session) beatUntil(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	idle := 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-s.broken:
			return err
		case <-timer.C:
		}
		began := time.Now()
		// A beat that hangs, for example because the database is stopped, must not be the last
		// beat.
		longest := s.db.longestBeat()
		one, cancel := context.WithTimeoutCause(ctx, longest, errNoAnswer)
		busy, err := s.beat(one)
		if err != nil && errors.Is(context.Cause(one), errNoAnswer) {
			err = fmt.Errorf("%s: no answer within %s, trying again", s.db.name, longest)
		}
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errDeclaredDead):
			return err
		case err != nil:
			s.failed(err)
		}
		wait := beat
		if idle++; busy || err != nil {
			idle = 0
		}
		if idle > 10 {
			wait = idleBeat
		}
		// If a beat is slow, beats still leave most of the time to the jobs.
		timer.Reset(max(wait, min(3*time.Since(began), s.db.showEvery())))
	}
}

// beat does the worker's regular duties. It reports whether the worker has work or must look after
// other workers.
func (s *session) beat(ctx context.Context) (busy bool, err error) {
	s.beats++
	if err := s.showLife(ctx); err != nil {
		return false, err
	}
	keeper, err := s.keeps(ctx)
	if err != nil {
		return false, err
	}
	// An error while looking after the batches does not keep this worker from its own work.
	var kept, returned error
	if keeper {
		kept = s.keep(ctx)
	}
	hands, lost := s.cancelLost(ctx)
	if s.beats%20 == 0 {
		returned = s.returnMissing(ctx)
	}
	batches, err := s.subscribe(ctx)
	return hands > 0 || keeper && batches > 0, errors.Join(kept, lost, returned, err)
}

// showLife writes that the worker is alive and what its jobs are doing. While neither has changed,
// it only checks whether the worker is still listed, which locks nothing.
func (s *session) showLife(ctx context.Context) (err error) {
	notes, unfit := s.notes(), s.unfitText()
	known := int64(0)
	if notes+unfit == s.shown && time.Since(s.shownAt) < s.db.showEvery() {
		known, err = number(ctx, s.db.store, `SELECT 1 FROM batch_worker WHERE id = $1`, s.id)
	} else {
		known, err = s.db.exec(ctx, `UPDATE batch_worker SET beat = {now}, notes = $2, unfit = $3 WHERE id = $1`, s.id, notes, unfit)
		s.shown, s.shownAt = notes+unfit, time.Now()
	}
	if err == nil && known == 0 {
		err = errDeclaredDead
	}
	return err
}

// notes returns what our jobs are doing, as JSON.
func (s *session) notes() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	notes := make(map[int64]note, len(s.hands))
	for id, r := range s.hands {
		r.mu.Lock()
		notes[id.job] = r.note
		r.mu.Unlock()
	}
	b, _ := json.Marshal(notes)
	return string(b)
}

func (s *session) unfitText() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, _ := json.Marshal(s.unfit)
	return string(b)
}

func (s *session) unfitFor(kind string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unfit[kind]
}

// setUnfit records that this worker takes no more jobs of a kind.
func (s *session) setUnfit(kind, why string) {
	s.mu.Lock()
	before := s.unfit[kind]
	s.unfit[kind] = plain(why)
	s.mu.Unlock()
	if before == "" && !s.worker.Alone {
		s.worker.warn(fmt.Errorf("%s takes no %s jobs: %s", s.host, kind, why))
	}
}

// cancelLost cancels the jobs that are no longer ours: somebody canceled them, or another worker
// got them. It returns how many jobs we have.
func (s *session) cancelLost(ctx context.Context) (int, error) {
	type item struct {
		Job int64 `json:"j"`
		N   int   `json:"n"`
	}
	s.mu.Lock()
	var mine []item
	for id := range s.hands {
		mine = append(mine, item{id.job, id.n})
	}
	s.mu.Unlock()
	if len(mine) == 0 {
		return 0, nil
	}
	// A job that no longer exists was removed with its batch.
	lost, err := all(ctx, s.db.store, func(r rows, id *deliveryID) error { return r.Scan(&id.job, &id.n) },
		`SELECT v.j, v.n FROM (SELECT CAST(value ->> 'j' AS bigint) AS j, CAST(value ->> 'n' AS bigint) AS n FROM {items}) v
			LEFT JOIN batch_job b ON b.id = v.j WHERE b.id IS NULL OR b.state <> 'open' OR b.delivery <> v.n`, jsonList(mine))
	if err != nil {
		return len(mine), err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range lost {
		if r := s.hands[id]; r != nil {
			r.cancel(errTaken)
		}
	}
	return len(mine), nil
}

// returnMissing returns the jobs that River assigned to us and that never arrived: the database
// sent them, and its response was lost.
func (s *session) returnMissing(ctx context.Context) error {
	seen, err := s.sightings(ctx, `JOIN`, `WHERE r.worker = $1`, s.id)
	if err != nil {
		return err
	}
	back := map[int64][]finish{}
	orphans := map[int64]time.Time{}
	s.mu.Lock()
	finishing := map[deliveryID]bool{}
	for _, seen := range seen {
		id := deliveryID{seen.rowJob, seen.rowN}
		if s.finishing[id] {
			finishing[id] = true
		}
		if !seen.running || s.hands[id] != nil || s.finishing[id] {
			continue
		}
		first := s.missing[seen.row]
		if first.IsZero() {
			first = time.Now()
		}
		orphans[seen.row] = first
		if decide(seen, time.Since(first) > 5*time.Second, false, false) == giveUp {
			back[seen.batch] = append(back[seen.batch], finish{d: seen.d, ending: ending{how: returned}, worker: seen.worker})
		}
	}
	s.finishing, s.missing = finishing, orphans
	s.mu.Unlock()
	return s.sendBack(ctx, back)
}

// A subscription is a queue of River that we take jobs from.
type subscription struct {
	kind     string
	removing bool
}

// subscribe adds the queues of batches that have work for us, and removes the others. It returns
// how many batches have work for any worker.
func (s *session) subscribe(ctx context.Context) (int, error) {
	type entry struct {
		id, private int64
		kinds       []string
	}
	batches, err := all(ctx, s.db.store, func(r rows, e *entry) error {
		var kinds string
		err := r.Scan(&e.id, &e.private, &kinds)
		return errors.Join(err, json.Unmarshal([]byte(kinds), &e.kinds))
	}, `SELECT id, private, kinds FROM batch WHERE waiting + open > 0 ORDER BY id`)
	if err != nil {
		return 0, err
	}
	wanted := map[string]string{}
	for _, b := range batches {
		if !s.worker.wants(b.id, b.private != 0) {
			continue
		}
		for i, kind := range b.kinds {
			if s.fit(kind) {
				wanted[queue(b.id, i)] = kind
			}
		}
	}
	return len(batches), s.resubscribe(ctx, wanted)
}

func (s *session) resubscribe(ctx context.Context, wanted map[string]string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, kind := range wanted {
		if s.queues[name] != nil {
			continue
		}
		if err := s.river.addQueue(name, int(s.slots), pause(s.crew.Load().Workers)); err != nil {
			return err
		}
		s.queues[name] = &subscription{kind: kind}
	}
	for name, sub := range s.queues {
		if _, ok := wanted[name]; !ok && !sub.removing {
			sub.removing = true
			go s.unsubscribe(context.WithoutCancel(ctx), name) // it waits for the jobs in the worker's hands
		}
	}
	return nil
}

func (s *session) unsubscribe(ctx context.Context, name string) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.hard, stop)()
	if err := s.river.removeQueue(ctx, name); err == nil {
		s.mu.Lock()
		delete(s.queues, name)
		s.mu.Unlock()
	}
}

// fit reports whether this worker can do jobs of a kind. If not, it warns once.
func (s *session) fit(kind string) bool {
	if s.unfitFor(kind) != "" {
		return false
	}
	if s.worker.Fit == nil {
		return true
	}
	if err := s.worker.Fit(kind); err != nil {
		s.setUnfit(kind, err.Error())
		return false
	}
	return true
}

func (w *Worker) wants(batch int64, private bool) bool {
	if w.Batches == nil {
		return !private
	}
	return slices.Contains(w.Batches, batch)
}
