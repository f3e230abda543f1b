package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A change is a transaction that has locked a batch: its row, and by that all of its jobs.
type change struct {
	transaction
	ctx context.Context
	b   batchRow
	now int64
}

// batchRow is what changes of a batch.
type batchRow struct {
	id                                                 int64
	stop                                               Stop
	concurrency, gap, budget                           int64
	next, spent, reserved, event                       int64
	waiting, open, done, failed, canceled, skip, chain int64
	kinds                                              []string
}

// change locks a batch, does something to it, and saves it: all of it, or nothing.
func (db *DB) change(ctx context.Context, batch int64, do func(c *change) error) error {
	return db.retry(ctx, func() error {
		tx, err := db.store.begin(ctx)
		if err != nil {
			return err
		}
		defer tx.rollback()
		c := &change{transaction: tx, ctx: ctx}
		if err := c.load(batch); err != nil {
			return err
		}
		if err := do(c); err != nil {
			return err
		}
		if err := c.save(); err != nil {
			return err
		}
		return tx.commit(ctx)
	})
}

func (c *change) load(batch int64) error {
	type entry struct {
		batchRow
		now int64
	}
	list, err := all(c.ctx, c, func(r rows, e *entry) error {
		b := &e.batchRow
		var stop, kinds string
		err := r.Scan(&b.id, &stop, &b.concurrency, &b.gap, &b.budget, &b.next, &b.spent, &b.reserved, &b.event,
			&b.waiting, &b.open, &b.done, &b.failed, &b.canceled, &b.skip, &b.chain, &kinds, &e.now)
		b.stop = Stop(stop)
		return errors.Join(err, json.Unmarshal([]byte(kinds), &b.kinds))
	}, `SELECT id, stop, concurrency, gap, budget, next, spent, reserved, event, waiting, open, done, failed, canceled, skipped, chained, kinds, {now}
		FROM batch WHERE id = $1 {lock}`, batch)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return ErrNoBatch
	}
	c.b, c.now = list[0].batchRow, list[0].now
	return nil
}

func (c *change) save() error {
	b := &c.b
	_, err := c.exec(c.ctx, `UPDATE batch SET stop = $2, concurrency = $3, gap = $4, budget = $5, next = $6, spent = $7, reserved = $8, event = $9,
		waiting = $10, open = $11, done = $12, failed = $13, canceled = $14, skipped = $15, chained = $16, kinds = $17 WHERE id = $1`,
		b.id, string(b.stop), b.concurrency, b.gap, b.budget, b.next, b.spent, b.reserved, b.event,
		b.waiting, b.open, b.done, b.failed, b.canceled, b.skip, b.chain, list(b.kinds))
	return err
}

// list is a JSON parameter: many numbers in one, since many parameters are slow.
func list[T any](values []T) string {
	if values == nil {
		return "[]"
	}
	b, _ := json.Marshal(values)
	return string(b)
}

// count moves jobs from one state to another in the batch's numbers.
func (b *batchRow) count(from, to State, n int64) {
	*b.counter(from) -= n
	*b.counter(to) += n
}

func (b *batchRow) counter(s State) *int64 {
	switch s {
	case Waiting:
		return &b.waiting
	case Opened:
		return &b.open
	case Done:
		return &b.done
	case Failed:
		return &b.failed
	case Canceled:
		return &b.canceled
	}
	return &b.skip
}

// chunk is how many jobs go into one statement.
const chunk = 2000

// A known job is one that the batch has.
type known struct {
	id, seq   int64
	name, sum string
}

// known returns which of the jobs the batch has, by name. That one of them was something else is
// an error.
func (c *change) known(jobs []Job) (map[string]known, error) {
	have := map[string]known{}
	var faults []error
	for part := range slices.Chunk(jobs, chunk) {
		sums := make(map[string]string, len(part))
		names := make([]string, len(part))
		for i, j := range part {
			sums[j.ID], names[i] = sum(j), j.ID
		}
		found, err := all(c.ctx, c, func(r rows, k *known) error { return r.Scan(&k.id, &k.seq, &k.name, &k.sum) },
			`SELECT id, seq, name, sum FROM batch_job WHERE batch = $2 AND name IN (SELECT value ->> 'id' FROM {items})`, ids(names), c.b.id)
		if err != nil {
			return nil, err
		}
		for _, k := range found {
			have[k.name] = k
			if k.sum != sums[k.name] {
				faults = append(faults, fmt.Errorf("job %s: %w", k.name, ErrOther))
			}
		}
	}
	return have, errors.Join(faults...)
}

// ids is a JSON parameter of names: objects, since Postgres and SQLite read strings differently.
func ids(names []string) string {
	type item struct {
		ID string `json:"id"`
	}
	items := make([]item, len(names))
	for i, n := range names {
		items[i].ID = n
	}
	return list(items)
}

// insert adds the jobs that the batch does not have, and puts all of them into their order.
func (c *change) insert(jobs []Job, have map[string]known) error {
	type item struct {
		Seq     int    `json:"seq"`
		Name    string `json:"name"`
		Kind    string `json:"kind"`
		Sum     string `json:"sum"`
		Payload string `json:"payload"`
		Retries int    `json:"retries"`
		Cost    int64  `json:"cost"`
	}
	type move struct {
		Job int64 `json:"j"`
		Seq int   `json:"seq"`
	}
	seq := 0
	for part := range slices.Chunk(jobs, chunk) {
		var added []item
		var moved []move
		for _, j := range part {
			if k, ok := have[j.ID]; !ok {
				added = append(added, item{seq, j.ID, j.Kind, sum(j), string(j.Payload), j.Retries, micros(j.MaxUSD)})
			} else if k.seq != int64(seq) {
				moved = append(moved, move{k.id, seq})
			}
			seq++
			if !slices.Contains(c.b.kinds, j.Kind) {
				c.b.kinds = append(c.b.kinds, j.Kind)
			}
		}
		c.b.waiting += int64(len(added))
		if len(added) > 0 {
			if _, err := c.exec(c.ctx, `INSERT INTO batch_job (batch, seq, name, kind, sum, payload, retries, cost)
				SELECT $2, CAST(value ->> 'seq' AS bigint), value ->> 'name', value ->> 'kind', value ->> 'sum', value ->> 'payload',
					CAST(value ->> 'retries' AS bigint), CAST(value ->> 'cost' AS bigint) FROM {items}`, list(added), c.b.id); err != nil {
				return err
			}
		}
		if len(moved) > 0 {
			if _, err := c.exec(c.ctx, `UPDATE batch_job SET seq = v.at FROM (SELECT CAST(value ->> 'j' AS bigint) AS j, CAST(value ->> 'seq' AS bigint) AS at FROM {items}) v
				WHERE id = v.j`, list(moved)); err != nil {
				return err
			}
		}
	}
	return c.need(jobs, have)
}

// need says which jobs need which, of those that are new.
func (c *change) need(jobs []Job, have map[string]known) error {
	type need struct {
		Job  string `json:"job"`
		Need string `json:"need"`
	}
	var needs []need
	for _, j := range jobs {
		if _, ok := have[j.ID]; ok {
			continue
		}
		for _, n := range slices.Compact(slices.Sorted(slices.Values(j.Needs))) {
			needs = append(needs, need{j.ID, n})
		}
	}
	if len(needs) == 0 {
		return nil
	}
	c.b.chain = 1
	for part := range slices.Chunk(needs, chunk) {
		// A cross join goes from left to right in SQLite, which else may look through all jobs.
		if _, err := c.exec(c.ctx, `INSERT INTO batch_need (job, need) SELECT j.id, n.id FROM {items} CROSS JOIN batch_job j CROSS JOIN batch_job n
			WHERE j.batch = $2 AND j.name = value ->> 'job' AND n.batch = $2 AND n.name = value ->> 'need'`, list(part), c.b.id); err != nil {
			return err
		}
	}
	return c.rewant(nil)
}

// rewant counts afresh how many needs are not done: of the jobs that need one of those given, or
// of all that wait. A job that needs one that ended otherwise is skipped.
func (c *change) rewant(of []int64) error {
	which := `batch = $2`
	if of != nil {
		which = `batch = $2 AND id IN (SELECT job FROM batch_need WHERE need IN {list})`
	}
	if _, err := c.exec(c.ctx, `UPDATE batch_job SET wants = (SELECT count(*) FROM batch_need n JOIN batch_job d ON d.id = n.need WHERE n.job = batch_job.id AND d.state <> 'done')
		WHERE CAST($1 AS text) <> '' AND state = 'waiting' AND `+which, list(of), c.b.id); err != nil {
		return err
	}
	return c.skip()
}

// skip ends the jobs that wait for one that will not be done.
func (c *change) skip() error {
	type entry struct {
		id   int64
		need string
	}
	for {
		hopeless, err := all(c.ctx, c, func(r rows, e *entry) error { return r.Scan(&e.id, &e.need) },
			`SELECT j.id, min(d.name) FROM batch_job d JOIN batch_need n ON n.need = d.id JOIN batch_job j ON j.id = n.job
				WHERE d.batch = $1 AND d.state IN ('failed', 'canceled', 'skipped') AND j.state = 'waiting' GROUP BY j.id ORDER BY j.id`, c.b.id)
		if err != nil || len(hopeless) == 0 {
			return err
		}
		ends := make([]end, len(hopeless))
		for i, e := range hopeless {
			ends[i] = c.ended(end{Job: e.id, State: Skipped, Fault: "needs " + e.need + ", which was not done"})
		}
		if err := c.close(ends, Waiting); err != nil {
			return err
		}
	}
}

// An end is a job's new state after a delivery, or without one.
type end struct {
	Job     int64  `json:"j"`
	N       int    `json:"n"`
	State   State  `json:"state"`
	Due     int64  `json:"due"`
	Tries   int    `json:"tries"`
	Kills   int    `json:"kills"`
	Event   int64  `json:"event"`
	Started int64  `json:"started"`
	Ended   int64  `json:"ended"`
	Spent   int64  `json:"spent"`
	Fault   string `json:"fault"`
	Result  string `json:"result"`
	How     how    `json:"how"`
	Worker  string `json:"worker"`
}

// ended gives a job that is over its time and its number among the events.
func (c *change) ended(e end) end {
	c.b.event++
	e.Event, e.Ended = c.b.event, c.now
	return e
}

// close ends jobs in a state in which nobody has them in hand.
func (c *change) close(ends []end, from State) error {
	for part := range slices.Chunk(ends, chunk) {
		if _, err := c.exec(c.ctx, `UPDATE batch_job SET state = v.st, event = v.ev, ended = v.en, fault = v.fa
			FROM (SELECT CAST(value ->> 'j' AS bigint) AS j, value ->> 'state' AS st, CAST(value ->> 'event' AS bigint) AS ev,
				CAST(value ->> 'ended' AS bigint) AS en, value ->> 'fault' AS fa FROM {items}) v WHERE id = v.j`, list(part)); err != nil {
			return err
		}
		for _, e := range part {
			c.b.count(from, e.State, 1)
		}
	}
	return nil
}

// A finish is a delivery that ended, and how.
type finish struct {
	delivery
	how     how
	retry   Retry
	kind    string
	worker  string
	started int64
	result  string
}

// finish settles deliveries that ended. A delivery that is not its job's latest any more changes
// nothing. What can start now is delivered.
func (c *change) finish(list_ []finish, slots int) error {
	ends := make([]end, 0, len(list_))
	byJob := make(map[int64]finish, len(list_))
	for _, f := range list_ {
		s := next(f.delivery, f.how, f.retry, c.now)
		e := end{
			Job: f.Job, N: f.N, State: s.state, Due: s.due, Tries: s.tries, Kills: s.kills, Started: min(f.started, c.now), Ended: c.now,
			Spent: s.spent, Fault: plain(s.fault), Result: f.result, How: f.how, Worker: f.worker,
		}
		if s.state.Ended() {
			e = c.ended(e)
		}
		if _, twice := byJob[f.Job]; twice {
			continue // the same delivery, lost and finished in one go
		}
		byJob[f.Job] = f
		ends = append(ends, e)
	}
	current, err := all(c.ctx, c, scanNumber, `UPDATE batch_job SET state = v.st, due = v.du, tries = v.tr, kills = v.ki, event = v.ev, spent = spent + v.sp,
		started = CASE WHEN v.sta > 0 THEN v.sta ELSE started END, ended = CASE WHEN v.ev > 0 THEN v.en ELSE 0 END,
		fault = CASE WHEN v.ho = 'returned' THEN fault ELSE v.fa END, result = CASE WHEN v.re <> '' THEN v.re ELSE result END
		FROM (SELECT CAST(value ->> 'j' AS bigint) AS j, CAST(value ->> 'n' AS bigint) AS n, value ->> 'state' AS st, CAST(value ->> 'due' AS bigint) AS du,
			CAST(value ->> 'tries' AS bigint) AS tr, CAST(value ->> 'kills' AS bigint) AS ki, CAST(value ->> 'event' AS bigint) AS ev,
			CAST(value ->> 'spent' AS bigint) AS sp, CAST(value ->> 'started' AS bigint) AS sta, CAST(value ->> 'ended' AS bigint) AS en,
			value ->> 'fault' AS fa, value ->> 'result' AS re, value ->> 'how' AS ho FROM {items}) v
		WHERE id = v.j AND delivery = v.n AND state = 'open' RETURNING id`, list(ends))
	if err != nil {
		return err
	}
	ends = slices.DeleteFunc(ends, func(e end) bool { return !slices.Contains(current, e.Job) })
	if len(ends) > 0 {
		if err := c.settle(ends, byJob); err != nil {
			return err
		}
	}
	return c.feed(slots)
}

// settle does what follows from deliveries that counted.
func (c *change) settle(ends []end, of map[int64]finish) error {
	if _, err := c.exec(c.ctx, `INSERT INTO batch_attempt (job, delivery, worker, started, ended, how, spent, fault)
		SELECT CAST(value ->> 'j' AS bigint), CAST(value ->> 'n' AS bigint), value ->> 'worker', CAST(value ->> 'started' AS bigint),
			CAST(value ->> 'ended' AS bigint), value ->> 'how', CAST(value ->> 'spent' AS bigint), value ->> 'fault' FROM {items}`, list(ends)); err != nil {
		return err
	}
	var over []int64
	for _, e := range ends {
		f := of[e.Job]
		s := next(f.delivery, f.how, f.retry, c.now)
		c.b.count(Opened, e.State, 1)
		c.b.spent += e.Spent
		c.b.reserved -= f.Cost
		if e.State.Ended() {
			over = append(over, e.Job)
		}
		if s.stop != "" {
			c.b.stop = s.stop
		}
		if s.pause > c.now {
			if _, err := c.exec(c.ctx, `INSERT INTO batch_limit (kind, until) VALUES ($1, $2) ON CONFLICT (kind) DO UPDATE
				SET until = CASE WHEN batch_limit.until > excluded.until THEN batch_limit.until ELSE excluded.until END`, f.kind, s.pause); err != nil {
				return err
			}
		}
	}
	if c.b.chain == 0 || len(over) == 0 {
		return nil
	}
	return c.rewant(over)
}

// plain is text that every database can keep.
func plain(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// horizon is how far ahead of their start jobs are delivered: until after the next beat.
const horizon = 1500

// feed delivers the jobs that may start.
func (c *change) feed(slots int) error {
	n := room(int(c.b.concurrency), slots, int(c.b.open))
	if n == 0 || c.b.waiting == 0 || c.b.stop != "" {
		return nil
	}
	ready, err := c.ready(n)
	if err != nil {
		return err
	}
	at, _ := starts(c.b.next, c.now, c.b.gap, horizon, len(ready))
	var out []delivery
	var jobs []int64
	for _, r := range ready {
		if len(out) == len(at) {
			break
		}
		if !affordable(c.b.budget, c.b.spent, c.b.reserved, r.Cost) {
			continue
		}
		r.At = at[len(out)]
		c.b.reserved += r.Cost
		out, jobs = append(out, r.delivery), append(jobs, r.Job)
	}
	if len(out) == 0 {
		return nil
	}
	_, c.b.next = starts(c.b.next, c.now, c.b.gap, horizon, len(out))
	c.b.count(Waiting, Opened, int64(len(out)))
	if _, err := c.exec(c.ctx, `UPDATE batch_job SET state = 'open', delivery = delivery + 1 WHERE id IN {list}`, list(jobs)); err != nil {
		return err
	}
	return c.deliver(c.ctx, queue(c.b.id), out)
}

// queue names a batch's queue in River.
func queue(batch int64) string { return "batch" + strconv.FormatInt(batch, 10) }

type readyJob struct {
	delivery
	seq int64
}

// ready returns up to n jobs that only wait for room, in their order. Those with which workers
// died come last: one of them may have killed it, and the others get away from that one.
func (c *change) ready(n int) ([]readyJob, error) {
	left := int64(-1)
	if c.b.budget > 0 {
		left = max(0, c.b.budget-c.b.spent-c.b.reserved)
	}
	var ready []readyJob
	for _, kind := range c.b.kinds {
		list, err := all(c.ctx, c, func(r rows, j *readyJob) error {
			j.Batch = c.b.id
			err := r.Scan(&j.Job, &j.seq, &j.N, &j.Tries, &j.Kills, &j.Retries, &j.Cost)
			j.N++
			return err
		}, `SELECT id, seq, delivery, tries, kills, retries, cost FROM batch_job WHERE batch = $1 AND kind = $2 AND state = 'waiting' AND wants = 0
			AND due <= $3 AND (cost = 0 OR $4 < 0 OR cost <= $4) AND NOT EXISTS (SELECT 1 FROM batch_limit l WHERE l.kind = $2 AND l.until > $3) ORDER BY kills, seq, id LIMIT $5`, c.b.id, kind, c.now, left, n)
		if err != nil {
			return nil, err
		}
		ready = append(ready, list...)
	}
	slices.SortFunc(ready, func(a, b readyJob) int {
		return cmp.Or(cmp.Compare(a.Kills, b.Kills), cmp.Compare(a.seq, b.seq), cmp.Compare(a.Job, b.Job))
	})
	return ready[:min(n, len(ready))], nil
}

// reopen makes jobs wait again that were not done.
func (c *change) reopen(names []string) (int, error) {
	which := `state = 'failed'`
	if names != nil {
		if err := c.named(names); err != nil {
			return 0, err
		}
		which = `state IN ('failed', 'canceled', 'skipped') AND name IN (SELECT value ->> 'id' FROM {items})`
	}
	n := 0
	for _, from := range []State{Failed, Canceled, Skipped} {
		moved, err := c.exec(c.ctx, `UPDATE batch_job SET state = 'waiting', tries = 0, kills = 0, due = 0, event = 0, ended = 0, fault = '', result = ''
			WHERE CAST($1 AS text) <> '' AND batch = $2 AND state = $3 AND `+which, ids(names), c.b.id, string(from))
		if err != nil {
			return 0, err
		}
		c.b.count(from, Waiting, moved)
		n += int(moved)
	}
	// What was skipped for their sake: all that is skipped waits again, and what is hopeless
	// all the same is skipped again.
	moved, err := c.exec(c.ctx, `UPDATE batch_job SET state = 'waiting', event = 0, ended = 0, fault = '' WHERE batch = $1 AND state = 'skipped'`, c.b.id)
	if err != nil {
		return 0, err
	}
	c.b.count(Skipped, Waiting, moved)
	if c.b.chain == 0 {
		return n, nil
	}
	return n, c.rewant(nil)
}

// cancel ends jobs that have not ended.
func (c *change) cancel(names []string) (int, error) {
	which := `TRUE`
	if names != nil {
		if err := c.named(names); err != nil {
			return 0, err
		}
		which = `name IN (SELECT value ->> 'id' FROM {items})`
	}
	type entry struct {
		id, cost int64
		state    string
	}
	jobs, err := all(c.ctx, c, func(r rows, e *entry) error { return r.Scan(&e.id, &e.cost, &e.state) },
		`SELECT id, cost, state FROM batch_job WHERE CAST($1 AS text) <> '' AND batch = $2 AND state IN ('waiting', 'open') AND `+which+` ORDER BY seq, id`, ids(names), c.b.id)
	if err != nil {
		return 0, err
	}
	var waiting, open []end
	for _, j := range jobs {
		e := c.ended(end{Job: j.id, State: Canceled, Fault: "canceled"})
		if State(j.state) == Waiting {
			waiting = append(waiting, e)
			continue
		}
		open = append(open, e)
		// What it cost until now nobody knows: all that it may have been.
		c.b.reserved -= j.cost
		c.b.spent += j.cost
	}
	if err := errors.Join(c.close(waiting, Waiting), c.close(open, Opened)); err != nil {
		return 0, err
	}
	if c.b.chain == 0 {
		return len(jobs), nil
	}
	return len(jobs), c.skip()
}

// named finds the names that no job of the batch has.
func (c *change) named(names []string) error {
	have, err := all(c.ctx, c, scanString, `SELECT name FROM batch_job WHERE batch = $2 AND name IN (SELECT value ->> 'id' FROM {items})`, ids(names), c.b.id)
	if err != nil {
		return err
	}
	var faults []error
	for _, n := range names {
		if !slices.Contains(have, n) {
			faults = append(faults, fmt.Errorf("%s: %w", n, ErrNoJob))
		}
	}
	return errors.Join(faults...)
}
