package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A change is a transaction that has locked a batch: its row, and therefore all of its jobs.
type change struct {
	tx  transaction
	ctx context.Context
	b   batchRow
	now int64
}

func (c *change) exec(sql string, args ...any) (int64, error) { return c.tx.exec(c.ctx, sql, args...) }

// A batchRow has the columns of a batch that change.
type batchRow struct {
	id                                                 int64
	stop                                               Stop
	concurrency, gap, starts, per, budget              int64
	next, spent, reserved, dearest, event, ended       int64
	turn, mostTurn                                     int64 // see account
	waiting, open, done, failed, canceled, skip, chain int64
	kinds                                              []string
	sum                                                string
}

// change locks a batch, calls do to change it, and saves everything or nothing.
func (db *DB) change(ctx context.Context, batch int64, do func(c *change) error) error {
	return db.retry(ctx, func() error {
		tx, err := db.store.begin(ctx)
		if err != nil {
			return err
		}
		defer tx.rollback()
		c := &change{tx: tx, ctx: ctx}
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
	found, err := all(c.ctx, c.tx, func(r rows, b *batchRow) error {
		var stop, kinds string
		err := r.Scan(&b.id, &stop, &b.concurrency, &b.gap, &b.starts, &b.per, &b.budget, &b.next, &b.spent, &b.reserved, &b.dearest,
			&b.turn, &b.mostTurn, &b.event, &b.ended,
			&b.waiting, &b.open, &b.done, &b.failed, &b.canceled, &b.skip, &b.chain, &kinds, &b.sum, &c.now)
		b.stop = Stop(stop)
		return errors.Join(err, json.Unmarshal([]byte(kinds), &b.kinds))
	}, `SELECT id, stop, concurrency, gap, starts, per, budget, next, spent, reserved, dearest, turn, most_turn, event, ended,
			waiting, open, done, failed, canceled, skipped, chained, kinds, sum, {now}
		FROM batch WHERE id = $1 {lock}`, batch)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return ErrNoBatch
	}
	c.b = found[0]
	return nil
}

func (c *change) save() error {
	b := &c.b
	switch {
	case b.waiting+b.open > 0:
		b.ended = 0
	case b.ended == 0:
		b.ended = c.now
	}
	_, err := c.exec(`UPDATE batch SET stop = $2, concurrency = $3, gap = $4, starts = $5, per = $6, budget = $7, next = $8, spent = $9, reserved = $10,
		dearest = $11, event = $12, ended = $13, waiting = $14, open = $15, done = $16, failed = $17, canceled = $18, skipped = $19, chained = $20,
		kinds = $21, sum = $22, turn = $23, most_turn = $24 WHERE id = $1`,
		b.id, string(b.stop), b.concurrency, b.gap, b.starts, b.per, b.budget, b.next, b.spent, b.reserved,
		b.dearest, b.event, b.ended, b.waiting, b.open, b.done, b.failed, b.canceled, b.skip, b.chain, jsonList(b.kinds), b.sum,
		b.turn, b.mostTurn)
	return err
}

func (b *batchRow) total() int64 {
	return b.waiting + b.open + b.done + b.failed + b.canceled + b.skip
}

func (b *batchRow) limit(l Limits) {
	if l.Concurrency != 0 {
		b.concurrency = int64(max(l.Concurrency, 0))
	}
	if l.Starts != 0 {
		b.starts, b.per, b.gap = int64(max(l.Starts, 0)), l.Window.Milliseconds(), l.interval()
	}
	if l.BudgetUSD != 0 {
		b.budget = micros(l.BudgetUSD)
	}
}

// jsonList encodes many values as one parameter, because many parameters are slow.
func jsonList[T any](values []T) string {
	if values == nil {
		return "[]"
	}
	b, _ := json.Marshal(values)
	return string(b)
}

// count moves n jobs from one state to another in the batch's counters.
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

// A knownJob is a job that the batch already has.
type knownJob struct {
	id, seq, gone    int64
	name, sum, state string
}

// known returns the jobs that the batch already has, by name. It returns an error if one of them
// differs from the new job.
func known(ctx context.Context, q querier, batch int64, jobs []Job) (map[string]knownJob, error) {
	have := map[string]knownJob{}
	sums := make(map[string]string, len(jobs))
	names := make([]string, len(jobs))
	for i, j := range jobs {
		sums[j.ID], names[i] = sum(j), j.ID
	}
	found, err := all(ctx, q, func(r rows, k *knownJob) error { return r.Scan(&k.id, &k.seq, &k.gone, &k.name, &k.sum, &k.state) },
		`SELECT id, seq, gone, name, sum, state FROM batch_job WHERE batch = $2 AND name IN (SELECT value ->> 'id' FROM {items})`,
		ids(names), batch)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, k := range found {
		have[k.name] = k
		if k.sum != sums[k.name] {
			faults = append(faults, fmt.Errorf("job %s: %w", k.name, ErrOther))
		}
	}
	return have, errors.Join(faults...)
}

// ids encodes names as a JSON parameter. The items are objects because Postgres and SQLite read
// strings differently.
func ids(names []string) string {
	type item struct {
		ID string `json:"id"`
	}
	items := make([]item, len(names))
	for i, n := range names {
		items[i].ID = n
	}
	return jsonList(items)
}

// insert adds the jobs that the batch does not have, and orders all of the jobs from seq on. Jobs
// that need others wait until need has recorded which. Jobs that were taken out of the batch belong
// to it again. It returns how many jobs are new.
func (c *change) insert(jobs []Job, seq int, source string) (int, error) {
	type item struct {
		Seq     int    `json:"seq"`
		Name    string `json:"name"`
		Kind    string `json:"kind"`
		Sum     string `json:"sum"`
		Payload string `json:"payload"`
		Retries int    `json:"retries"`
		Cost    int64  `json:"cost"`
		Wants   int    `json:"wants"`
	}
	type move struct {
		Job int64 `json:"j"`
		Seq int   `json:"seq"`
	}
	have, err := known(c.ctx, c.tx, c.b.id, jobs)
	if err != nil {
		return 0, err
	}
	var added []item
	var moved []move
	var back []knownJob
	for _, j := range jobs {
		cost := micros(j.MaxUSD)
		if j.Share {
			cost = -1
		}
		if j.Turns && c.b.mostTurn == 0 {
			c.b.mostTurn = -1
		}
		if k, ok := have[j.ID]; !ok {
			added = append(added, item{seq, j.ID, j.Kind, sum(j), string(j.Payload), j.Retries, cost, len(j.Needs)})
		} else {
			if k.seq != int64(seq) {
				moved = append(moved, move{k.id, seq})
			}
			if k.gone != 0 {
				back = append(back, k)
			}
		}
		seq++
		if !slices.Contains(c.b.kinds, j.Kind) {
			c.b.kinds = append(c.b.kinds, j.Kind)
		}
	}
	c.b.waiting += int64(len(added))
	if len(added) > 0 {
		if _, err := c.exec(`INSERT INTO batch_job (batch, source, seq, name, kind, sum, payload, retries, cost, wants)
			SELECT $2, CAST($3 AS text), CAST(value ->> 'seq' AS bigint), value ->> 'name', value ->> 'kind', value ->> 'sum', value ->> 'payload',
				CAST(value ->> 'retries' AS bigint), CAST(value ->> 'cost' AS bigint), CAST(value ->> 'wants' AS bigint) FROM {items}`,
			jsonList(added), c.b.id, plain(source)); err != nil {
			return 0, err
		}
	}
	if len(moved) > 0 {
		if _, err := c.exec(`UPDATE batch_job SET seq = v.at
			FROM (SELECT CAST(value ->> 'j' AS bigint) AS j, CAST(value ->> 'seq' AS bigint) AS at FROM {items}) v WHERE id = v.j`,
			jsonList(moved)); err != nil {
			return 0, err
		}
	}
	return len(added), c.bringBack(back)
}

// takeOut takes jobs out of the batch. It cancels jobs that have not ended.
func (c *change) takeOut(jobs []knownJob) error {
	list := make([]int64, len(jobs))
	for i, k := range jobs {
		list[i] = k.id
	}
	left, err := all(c.ctx, c.tx, scanCancelable,
		`SELECT id, seq, held, state FROM batch_job WHERE id IN {list} AND state IN ('waiting', 'open')`, jsonList(list))
	if err != nil {
		return err
	}
	if err := c.cancel(left); err != nil {
		return err
	}
	states, err := all(c.ctx, c.tx, scanString,
		`UPDATE batch_job SET gone = 1 WHERE id IN {list} AND gone = 0 RETURNING state`, jsonList(list))
	for _, state := range states {
		*c.b.counter(State(state))--
	}
	return err
}

// bringBack puts jobs that were taken out back into the batch. Canceled and skipped jobs then wait
// again.
func (c *change) bringBack(jobs []knownJob) error {
	var list, again []int64
	for _, k := range jobs {
		list = append(list, k.id)
		state := State(k.state)
		if state == Canceled || state == Skipped {
			state = Waiting
			again = append(again, k.id)
		}
		*c.b.counter(state)++
	}
	if list == nil {
		return nil
	}
	_, err := c.exec(`UPDATE batch_job SET gone = 0 WHERE id IN {list}`, jsonList(list))
	if err == nil && again != nil {
		_, err = c.exec(requeueSQL+`WHERE id IN {list}`, jsonList(again))
	}
	return err
}

// A need says that a job needs another.
type need struct {
	Job  string `json:"job"`
	Need string `json:"need"`
}

func (c *change) need(needs []need) error {
	c.b.chain = 1
	for part := range slices.Chunk(needs, chunk) {
		// SQLite evaluates a cross join from left to right. With another join it may read all jobs.
		if _, err := c.exec(`INSERT INTO batch_need (job, need) SELECT j.id, n.id FROM {items} CROSS JOIN batch_job j CROSS JOIN batch_job n
			WHERE j.batch = $2 AND j.name = value ->> 'job' AND n.batch = $2 AND n.name = value ->> 'need'
			ON CONFLICT (job, need) DO NOTHING`, jsonList(part), c.b.id); err != nil {
			return err
		}
	}
	return c.rewant(nil)
}

// rewant counts again how many needs of jobs are not done. The jobs are those that need a job in of
// or, if of is nil, all that wait. It skips jobs with a need that ended without being done.
func (c *change) rewant(of []int64) error {
	which := `batch = $2`
	if of != nil {
		which = `batch = $2 AND id IN (SELECT job FROM batch_need WHERE need IN {list})`
	}
	if _, err := c.exec(`UPDATE batch_job SET wants = (SELECT count(*) FROM batch_need n JOIN batch_job d ON d.id = n.need
			WHERE n.job = batch_job.id AND d.state <> 'done')
		WHERE CAST($1 AS text) <> '' AND state = 'waiting' AND `+which, jsonList(of), c.b.id); err != nil {
		return err
	}
	return c.skip(of)
}

// skip skips the jobs that wait for a job that will not be done: for a job in of or, if of is nil,
// for any.
func (c *change) skip(of []int64) error {
	type entry struct {
		id   int64
		need string
	}
	for {
		which := `d.batch = $2`
		if of != nil {
			which = `d.batch = $2 AND d.id IN {list}`
		}
		hopeless, err := all(c.ctx, c.tx, func(r rows, e *entry) error { return r.Scan(&e.id, &e.need) },
			`SELECT j.id, min(d.name) FROM batch_job d JOIN batch_need n ON n.need = d.id JOIN batch_job j ON j.id = n.job
				WHERE CAST($1 AS text) <> '' AND `+which+` AND d.state IN ('failed', 'canceled', 'skipped') AND j.state = 'waiting'
				GROUP BY j.id ORDER BY j.id`, jsonList(of), c.b.id)
		if err != nil || len(hopeless) == 0 {
			return err
		}
		ends := make([]end, len(hopeless))
		of = make([]int64, len(hopeless)) // the next round is about the jobs that need these
		for i, e := range hopeless {
			of[i] = e.id
			ends[i] = c.ended(end{Job: e.id, State: Skipped, Fault: "needs " + e.need + ", which was not done"})
		}
		if err := c.close(ends, Waiting); err != nil {
			return err
		}
	}
}

// An end is a job's new state, with or without a delivery before it.
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
	Log     string `json:"log"`
	How     how    `json:"how"`
	Worker  string `json:"worker"`
}

// ended adds the time and the number of the event to the end of a job.
func (c *change) ended(e end) end {
	c.b.event++
	e.Event, e.Ended = c.b.event, c.now
	return e
}

// close ends jobs that no worker has in its hands.
func (c *change) close(ends []end, from State) error {
	for part := range slices.Chunk(ends, chunk) {
		if _, err := c.exec(`UPDATE batch_job SET state = v.st, event = v.ev, ended = v.en, fault = v.fa, held = 0, spent = spent + held
			FROM (SELECT CAST(value ->> 'j' AS bigint) AS j, value ->> 'state' AS st, CAST(value ->> 'event' AS bigint) AS ev,
				CAST(value ->> 'ended' AS bigint) AS en, value ->> 'fault' AS fa FROM {items}) v WHERE id = v.j`, jsonList(part)); err != nil {
			return err
		}
		for _, e := range part {
			c.b.count(from, e.State, 1)
		}
	}
	return nil
}

// A finish is a delivery that has ended, and how it ended.
type finish struct {
	d       delivery
	ending  ending
	kind    string
	worker  string
	started int64
	result  string
}

// finish records deliveries that have ended. A delivery that is no longer its job's latest changes
// nothing.
func (c *change) finish(done []finish) error {
	ends := make([]end, 0, len(done))
	byJob := make(map[int64]finish, len(done))
	for _, f := range done {
		if _, twice := byJob[f.d.Job]; twice {
			continue // the same delivery was both lost and finished
		}
		byJob[f.d.Job] = f
		s := next(f.d, f.ending, c.now)
		e := end{
			Job: f.d.Job, N: f.d.N, State: s.state, Due: s.due, Tries: s.tries, Kills: s.kills,
			Started: min(f.started, c.now), Ended: c.now,
			Spent: s.spent, Fault: plain(s.fault), Result: f.result, Log: plain(f.ending.retry.Log), How: f.ending.how, Worker: f.worker,
		}
		if s.state.Ended() {
			e = c.ended(e)
		}
		ends = append(ends, e)
	}
	current, err := all(c.ctx, c.tx, scanNumber, `UPDATE batch_job SET state = v.st, due = v.du, tries = v.tr, kills = v.ki, event = v.ev,
		spent = spent + v.sp, held = 0,
		started = CASE WHEN v.sta > 0 THEN v.sta ELSE started END, ended = CASE WHEN v.ev > 0 THEN v.en ELSE 0 END,
		fault = CASE WHEN v.ho = 'returned' THEN fault ELSE v.fa END, result = CASE WHEN v.re <> '' THEN v.re ELSE result END,
		log = CASE WHEN v.ho = 'finished' THEN v.lo ELSE log END
		FROM (SELECT CAST(value ->> 'j' AS bigint) AS j, CAST(value ->> 'n' AS bigint) AS n, value ->> 'state' AS st, CAST(value ->> 'due' AS bigint) AS du,
			CAST(value ->> 'tries' AS bigint) AS tr, CAST(value ->> 'kills' AS bigint) AS ki, CAST(value ->> 'event' AS bigint) AS ev,
			CAST(value ->> 'spent' AS bigint) AS sp, CAST(value ->> 'started' AS bigint) AS sta, CAST(value ->> 'ended' AS bigint) AS en,
			value ->> 'fault' AS fa, value ->> 'result' AS re, value ->> 'log' AS lo, value ->> 'how' AS ho FROM {items}) v
		WHERE id = v.j AND delivery = v.n AND state = 'open' RETURNING id`, jsonList(ends))
	if err != nil {
		return err
	}
	counts := make(map[int64]bool, len(current))
	for _, job := range current {
		counts[job] = true
	}
	ends = slices.DeleteFunc(ends, func(e end) bool { return !counts[e.Job] })
	if len(ends) == 0 {
		return nil
	}
	return c.settle(ends, byJob)
}

// settle records the consequences of the deliveries that count.
func (c *change) settle(ends []end, of map[int64]finish) error {
	if _, err := c.exec(`INSERT INTO batch_attempt (job, delivery, worker, started, ended, how, spent, fault)
		SELECT CAST(value ->> 'j' AS bigint), CAST(value ->> 'n' AS bigint), value ->> 'worker', CAST(value ->> 'started' AS bigint),
			CAST(value ->> 'ended' AS bigint), value ->> 'how', CAST(value ->> 'spent' AS bigint), value ->> 'fault' FROM {items}`, jsonList(ends)); err != nil {
		return err
	}
	var over []int64
	for _, e := range ends {
		f := of[e.Job]
		s := next(f.d, f.ending, c.now)
		c.b.count(Opened, e.State, 1)
		c.b.spent += e.Spent
		c.b.reserved -= f.d.Cost
		if f.ending.how == finished {
			c.b.dearest = max(c.b.dearest, e.Spent, 1)
			c.b.turn = max(c.b.turn, micros(f.ending.retry.TurnUSD))
			if c.b.mostTurn != 0 && f.ending.retry.MostUSD > 0 {
				c.b.mostTurn = max(c.b.mostTurn, micros(f.ending.retry.MostUSD))
			}
		}
		if e.State.Ended() {
			over = append(over, e.Job)
		}
		if s.stop != "" {
			c.b.stop = s.stop
		}
		if s.pause > c.now {
			if _, err := c.exec(`INSERT INTO batch_limit (kind, until) VALUES ($1, $2) ON CONFLICT (kind) DO UPDATE
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

// plain replaces characters that some databases cannot store.
func plain(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// feed delivers the jobs that may start.
func (c *change) feed(crew crew) error {
	n := room(int(c.b.concurrency), crew.Slots, int(c.b.open))
	if n == 0 || c.b.waiting == 0 || c.b.stop != "" {
		return nil
	}
	ready, err := c.ready(n, crew)
	if err != nil {
		return err
	}
	type item struct {
		Job  int64 `json:"j"`
		Held int64 `json:"held"`
	}
	var opened []item
	byKind := map[int][]delivery{}
	for _, r := range ready {
		if own := r.d.Cost; c.b.budget > 0 && own != 0 {
			a := account{
				left: c.b.budget - c.b.spent - c.b.reserved, alone: c.b.reserved == 0, free: max(min(n, crew.Slots)-len(opened), 1),
				attempt: c.b.dearest, turn: c.b.turn, mostTurn: c.b.mostTurn,
			}
			if r.d.Limit, r.d.Cost = a.setAside(own); r.d.Cost == 0 {
				continue
			}
		} else {
			r.d.Cost = max(own, 0)
			r.d.Limit = r.d.Cost
		}
		c.b.reserved += r.d.Cost
		opened = append(opened, item{r.d.Job, r.d.Cost})
		byKind[r.kind] = append(byKind[r.kind], r.d)
	}
	if len(opened) == 0 {
		return nil
	}
	c.b.count(Waiting, Opened, int64(len(opened)))
	if _, err := c.exec(`UPDATE batch_job SET state = 'open', delivery = delivery + 1, held = v.he
		FROM (SELECT CAST(value ->> 'j' AS bigint) AS j, CAST(value ->> 'held' AS bigint) AS he FROM {items}) v WHERE id = v.j`, jsonList(opened)); err != nil {
		return err
	}
	for kind, out := range byKind {
		if err := c.tx.deliver(c.ctx, queue(c.b.id, kind), out); err != nil {
			return err
		}
	}
	return nil
}

// queue returns the name of River's queue for a batch's jobs of one kind. kind is an index into the
// kinds.
func queue(batch int64, kind int) string {
	return "batch" + strconv.FormatInt(batch, 10) + "-" + strconv.Itoa(kind)
}

type readyJob struct {
	d    delivery
	seq  int64
	kind int
}

// ready returns up to n jobs that only wait for a free slot, in their order. Jobs with which
// workers died come last. Such a job may have killed its worker, and the others should not share a
// worker with it.
func (c *change) ready(n int, crew crew) ([]readyJob, error) {
	left := int64(-1)
	if c.b.budget > 0 {
		left = max(0, c.b.budget-c.b.spent-c.b.reserved)
	}
	var ready []readyJob
	for i, kind := range c.b.kinds {
		if crew.nobody(kind) {
			continue
		}
		found, err := all(c.ctx, c.tx, func(r rows, j *readyJob) error {
			j.d.Batch, j.kind = c.b.id, i
			err := r.Scan(&j.d.Job, &j.seq, &j.d.N, &j.d.Tries, &j.d.Kills, &j.d.Retries, &j.d.Cost)
			j.d.N++
			return err
		}, `SELECT id, seq, delivery, tries, kills, retries, cost FROM batch_job WHERE batch = $1 AND kind = $2 AND state = 'waiting' AND wants = 0
			AND due <= $3 AND (cost <= 0 OR CAST($4 AS bigint) < 0 OR cost <= CAST($4 AS bigint)) AND NOT EXISTS (SELECT 1 FROM batch_limit l WHERE l.kind = $2 AND l.until > $3)
			ORDER BY kills, seq, id LIMIT $5`, c.b.id, kind, c.now, left, n)
		if err != nil {
			return nil, err
		}
		ready = append(ready, found...)
	}
	slices.SortFunc(ready, func(a, b readyJob) int {
		return cmp.Or(cmp.Compare(a.d.Kills, b.d.Kills), cmp.Compare(a.seq, b.seq), cmp.Compare(a.d.Job, b.d.Job))
	})
	return ready[:min(n, len(ready))], nil
}

// requeueSQL sets an unfinished job back to waiting.
const requeueSQL = `UPDATE batch_job SET state = 'waiting', tries = 0, kills = 0, due = 0, event = 0, ended = 0, fault = '', result = '', log = '' `

// reopenFailed sets a chunk of the failed jobs back to waiting.
func (c *change) reopenFailed() (int, error) {
	moved, err := c.exec(requeueSQL+
		`WHERE id IN (SELECT id FROM batch_job WHERE batch = $1 AND state = 'failed' AND gone = 0 ORDER BY seq, id LIMIT $2)`,
		c.b.id, chunk)
	c.b.count(Failed, Waiting, moved)
	return int(moved), err
}

// reopenNamed sets the named jobs that were not done back to waiting.
func (c *change) reopenNamed(names []string) (int, error) {
	if err := c.named(names); err != nil {
		return 0, err
	}
	n := 0
	for _, from := range []State{Failed, Canceled, Skipped} {
		moved, err := c.exec(requeueSQL+
			`WHERE batch = $2 AND state = $3 AND gone = 0 AND name IN (SELECT value ->> 'id' FROM {items})`,
			ids(names), c.b.id, string(from))
		if err != nil {
			return 0, err
		}
		c.b.count(from, Waiting, moved)
		n += int(moved)
	}
	return n, nil
}

// reopenSkipped sets jobs that were skipped because of others back to waiting. It skips those again
// whose needs still cannot be done.
func (c *change) reopenSkipped() error {
	moved, err := c.exec(
		`UPDATE batch_job SET state = 'waiting', event = 0, ended = 0, fault = '' WHERE batch = $1 AND state = 'skipped' AND gone = 0`,
		c.b.id)
	if err != nil {
		return err
	}
	c.b.count(Skipped, Waiting, moved)
	if c.b.chain == 0 {
		return nil
	}
	return c.rewant(nil)
}

// A position is a job's place in the order of its batch.
type position struct{ seq, id int64 }

// The positions before the first job and after the last.
var first, last = position{-1, 0}, position{math.MaxInt64, 0}

// A cancelable is a job that has not ended.
type cancelable struct {
	position
	held  int64
	state State
}

func scanCancelable(r rows, v *cancelable) error {
	var state string
	err := r.Scan(&v.id, &v.seq, &v.held, &state)
	v.state = State(state)
	return err
}

// cancelNamed cancels the named jobs that have not ended.
func (c *change) cancelNamed(names []string) (int, error) {
	if err := c.named(names); err != nil {
		return 0, err
	}
	jobs, err := all(c.ctx, c.tx, scanCancelable, `SELECT id, seq, held, state FROM batch_job
		WHERE batch = $2 AND state IN ('waiting', 'open') AND name IN (SELECT value ->> 'id' FROM {items}) ORDER BY seq, id`, ids(names), c.b.id)
	if err != nil {
		return 0, err
	}
	if err := c.cancel(jobs); err != nil {
		return 0, err
	}
	if c.b.chain == 0 {
		return len(jobs), nil
	}
	return len(jobs), c.skip(nil)
}

// cancelSome cancels a chunk of the jobs that have not ended: first the open jobs, then the waiting
// jobs after a position. Until all are canceled, no job of the batch can start. It returns the
// position after which the next chunk begins.
func (c *change) cancelSome(after position) (position, error) {
	c.b.stop = Canceling
	at, room := after, chunk
	for _, from := range []struct {
		state State
		after position
	}{{Opened, first}, {Waiting, after}} {
		jobs, err := all(c.ctx, c.tx, scanCancelable, `SELECT id, seq, held, state FROM batch_job
			WHERE batch = $1 AND state = '`+string(from.state)+`' AND (seq, id) > ($2, $3) ORDER BY seq, id LIMIT $4`,
			c.b.id, from.after.seq, from.after.id, room)
		if err != nil {
			return at, err
		}
		if err := c.cancel(jobs); err != nil {
			return at, err
		}
		if room -= len(jobs); from.state == Waiting && len(jobs) > 0 {
			at = jobs[len(jobs)-1].position
		}
	}
	if room > 0 {
		c.b.stop = ""
		return last, nil
	}
	return at, nil
}

func (c *change) cancel(jobs []cancelable) error {
	var waiting, open []end
	for _, j := range jobs {
		e := c.ended(end{Job: j.id, State: Canceled, Fault: "canceled"})
		if j.state == Waiting {
			waiting = append(waiting, e)
			continue
		}
		open = append(open, e)
		// Its cost so far is unknown, so the whole reservation counts.
		c.b.reserved -= j.held
		c.b.spent += j.held
	}
	return errors.Join(c.close(waiting, Waiting), c.close(open, Opened))
}

// named returns an error for each name that no job of the batch has.
func (c *change) named(names []string) error {
	have, err := all(c.ctx, c.tx, scanString,
		`SELECT name FROM batch_job WHERE batch = $2 AND gone = 0 AND name IN (SELECT value ->> 'id' FROM {items})`,
		ids(names), c.b.id)
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
