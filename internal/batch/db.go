package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"iter"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/files"
)

// Options say where jobs are stored. Only Database is required.
type Options struct {
	Database string        // the path of a file, or postgres://…
	Own      bool          // the file is skillhand's own, in its state folder
	Existing bool          // create no database: the error for a missing file is fs.ErrNotExist, for a file with other content ErrForeign
	Locks    string        // the folder for the locks of this machine's workers; "" means a folder next to the file, and none for Postgres
	Lease    time.Duration // Postgres: how long a worker may be silent; 0 means 15 seconds
	Patience time.Duration // how long to wait for a busy or unreachable database; 0 means 15 seconds, and 2 for the first answer of a server
}

// A DB is a database of batches. Several processes may have it open at the same time.
type DB struct {
	store    store
	name     string // for messages
	locks    string
	lease    time.Duration
	patience time.Duration
}

var quiet = slog.New(slog.DiscardHandler)

// Open opens a database, and creates its tables if they do not exist.
func Open(ctx context.Context, o Options) (*DB, error) {
	if err := CheckName(o.Database); err != nil {
		return nil, err
	}
	db := &DB{name: o.Database, locks: o.Locks, patience: cmp.Or(o.Patience, 15*time.Second)}
	var err error
	if Remote(o.Database) {
		db.name = "postgres"
		db.lease = o.Lease
		if db.lease == 0 {
			db.lease = 15 * time.Second
		}
		_, rest, _ := strings.Cut(o.Database, "://")
		db.store, err = openPostgres(ctx, "postgres://"+rest, cmp.Or(o.Patience, 2*time.Second))
	} else {
		if db.locks == "" {
			db.locks = o.Database + ".workers"
		}
		db.store, err = openSQLite(o)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", db.name, err)
	}
	if err := db.retry(ctx, func() error { return db.prepare(ctx, o.Existing) }); err != nil {
		db.Close()
		return nil, fmt.Errorf("%s: %w", db.name, err)
	}
	return db, nil
}

// prepare makes sure that the tables exist and have our version.
func (db *DB) prepare(ctx context.Context, existing bool) error {
	have, err := inspect(ctx, db.store)
	switch {
	case err != nil || have == version:
		return err
	case have == 0 && existing:
		return fmt.Errorf("%w: it has no table batch_version", ErrForeign)
	}
	return db.store.migrate(ctx)
}

// ErrScheme is the error for an unknown kind of database.
var ErrScheme = errors.New("not a known kind of database: want a file or postgres://")

// CheckName returns an error if no database can be opened by this name. The error leaves out
// everything after the scheme, which may contain a password.
func CheckName(database string) error {
	if kind := scheme(database); kind != "" && !Remote(database) {
		return fmt.Errorf("%s://: %w", kind, ErrScheme)
	}
	return nil
}

// Remote reports whether a database is a server, not a file.
func Remote(database string) bool {
	kind := strings.ToLower(scheme(database))
	return kind == "postgres" || kind == "postgresql"
}

var urlLike = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*)://`)

// scheme returns the part before :// in the address of a server, or "" for anything else.
func scheme(database string) string {
	if m := urlLike.FindStringSubmatch(database); m != nil {
		return m[1]
	}
	return ""
}

// Close closes the database.
func (db *DB) Close() { db.store.close() }

// retry calls do until it works, fails for good, or patience ends. Patience starts with the first
// failure. Therefore even a long transaction is tried again when its connection breaks.
func (db *DB) retry(ctx context.Context, do func() error) error {
	var deadline time.Time
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		err := do()
		if err == nil || !db.store.passes(err) {
			return err
		}
		if deadline.IsZero() {
			deadline = time.Now().Add(db.patience)
		}
		if time.Now().Add(wait).After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(wait):
		}
	}
}

// read reads all rows of a query outside of a transaction, and tries again as retry does.
func read[T any](ctx context.Context, db *DB, scan func(r rows, v *T) error, sql string, args ...any) (list []T, err error) {
	err = db.retry(ctx, func() error {
		list, err = all(ctx, db.store, scan, sql, args...)
		return err
	})
	return list, err
}

// exec runs a statement that changes something, in its own transaction, and tries again as retry
// does.
func (db *DB) exec(ctx context.Context, sql string, args ...any) (n int64, err error) {
	err = db.retry(ctx, func() error {
		n, err = db.store.exec(ctx, sql, args...)
		return err
	})
	return n, err
}

// An Addition is what Add did.
type Addition struct {
	ID     int64  // the batch
	New    int    // the jobs that the batch did not have
	Gone   int    // the jobs that the batch had from the same source, and that the list does not have
	Folder string // the folder from which the batch was added before, if that was another folder
}

// Add puts jobs into a batch, and creates the batch if it does not exist. It does not add jobs
// again that the batch has. If one of these differs from its new version, Add adds nothing. The
// order of the jobs is the order of the results. Jobs are added in chunks, each in its own
// transaction, so that workers can write in between. After an interruption the same call adds the
// rest.
func (db *DB) Add(ctx context.Context, name Name, jobs []Job, limits Limits) (Addition, error) {
	if err := sound(jobs); err != nil {
		return Addition{}, err
	}
	var sum Sum
	for _, j := range jobs {
		sum.Add(j)
	}
	return db.AddList(ctx, name, List{Sum: sum.String(), All: func(yield func(Job, error) bool) {
		for _, j := range jobs {
			if !yield(j, nil) {
				return
			}
		}
	}}, limits)
}

// A List is a list of jobs that need not be in memory all at once.
type List struct {
	All iter.Seq2[Job, error] // is read several times; ids are unique, every need is the id of a job, and needs form no circle
	Sum string                // the Sum of all jobs

	// Source names where the jobs come from, such as a file. A job that came from there before and
	// is no longer in the list is taken out of the batch: it does not count, and does not run. ""
	// means that all jobs of the batch stay in it.
	Source string
}

// AddList adds jobs as Add does, and reads the list while it adds them.
func (db *DB) AddList(ctx context.Context, name Name, jobs List, limits Limits) (Addition, error) {
	id, before, err := db.make(ctx, name)
	if err != nil {
		return Addition{}, err
	}
	added := Addition{ID: id}
	if before != name.Folder {
		added.Folder = before
	}
	same, empty := false, false
	err = db.edit(ctx, id, func(c *change) error {
		same, empty = c.b.sum == jobs.Sum, c.b.total() == 0
		c.b.limit(limits)
		return nil
	})
	if err != nil || same {
		return added, err
	}
	for part, err := range chunks(jobs.All) {
		if empty {
			break
		}
		if err == nil {
			err = db.retry(ctx, func() error {
				_, err := known(ctx, db.store, id, part)
				return err
			})
		}
		if err != nil {
			return added, err
		}
	}
	err = db.insert(ctx, id, jobs, &added)
	return added, err
}

// chunks yields jobs in portions for one statement each.
func chunks(jobs iter.Seq2[Job, error]) iter.Seq2[[]Job, error] {
	return func(yield func([]Job, error) bool) {
		part := make([]Job, 0, chunk)
		for j, err := range jobs {
			if err != nil {
				yield(nil, err)
				return
			}
			if part = append(part, j); len(part) == chunk {
				if !yield(part, nil) {
					return
				}
				part = part[:0]
			}
		}
		if len(part) > 0 {
			yield(part, nil)
		}
	}
}

// insert adds jobs in chunks, takes out the jobs that are no longer in the list, and records at the
// end which jobs need which.
func (db *DB) insert(ctx context.Context, id int64, jobs List, added *Addition) (err error) {
	seq := 0
	var needs []need
	for part, err := range chunks(jobs.All) {
		n := 0
		if err == nil {
			err = db.edit(ctx, id, func(c *change) error {
				n, err = c.insert(part, seq, jobs.Source)
				return err
			})
		}
		if err != nil {
			return err
		}
		added.New += n
		seq += len(part)
		for _, j := range part {
			for _, n := range slices.Compact(slices.Sorted(slices.Values(j.Needs))) {
				needs = append(needs, need{j.ID, n})
			}
		}
	}
	if added.Gone, err = db.takeOut(ctx, id, jobs, seq); err != nil {
		return err
	}
	return db.edit(ctx, id, func(c *change) error {
		c.b.sum = jobs.Sum
		if needs == nil {
			return nil
		}
		return c.need(needs)
	})
}

// takeOut takes jobs out of a batch that have the same source and are not among the n jobs of the
// list. It returns how many.
func (db *DB) takeOut(ctx context.Context, id int64, jobs List, n int) (gone int, err error) {
	if jobs.Source == "" {
		return 0, nil
	}
	mine := ` FROM batch_job WHERE batch = $1 AND source = $2 AND gone = 0`
	have, err := read(ctx, db, scanNumber, `SELECT count(*)`+mine, id, plain(jobs.Source))
	if err != nil || have[0] == int64(n) {
		return 0, err // all jobs are in the list
	}
	listed := make(map[string]bool, n)
	for j, err := range jobs.All {
		if err != nil {
			return 0, err
		}
		listed[j.ID] = true
	}
	for last := int64(0); ; {
		page, err := read(ctx, db, func(r rows, k *knownJob) error { return r.Scan(&k.id, &k.name) },
			`SELECT id, name`+mine+` AND id > $3 ORDER BY id LIMIT $4`, id, plain(jobs.Source), last, chunk)
		if err != nil || len(page) == 0 {
			return gone, err
		}
		last = page[len(page)-1].id
		page = slices.DeleteFunc(page, func(k knownJob) bool { return listed[k.name] })
		if len(page) == 0 {
			continue
		}
		if err := db.change(ctx, id, func(c *change) error { return c.takeOut(page) }); err != nil {
			return gone, err
		}
		gone += len(page)
	}
}

// A Sum tells lists of jobs apart. The zero value is the sum of an empty list.
type Sum struct{ hash hash.Hash }

// Add adds the next job.
func (s *Sum) Add(j Job) {
	if s.hash == nil {
		s.hash = sha256.New()
	}
	fmt.Fprintf(s.hash, "%q %s\n", j.ID, sum(j))
}

func (s *Sum) String() string {
	if s.hash == nil {
		s.hash = sha256.New()
	}
	return hex.EncodeToString(s.hash.Sum(nil))
}

// sound returns an error for each fault in a list of jobs.
func sound(jobs []Job) error {
	var faults []error
	seen := make(map[string]bool, len(jobs))
	for _, j := range jobs {
		switch {
		case j.ID == "":
			faults = append(faults, errors.New("a job without an id"))
		case seen[j.ID]:
			faults = append(faults, fmt.Errorf("job %s: duplicate id", j.ID))
		case !json.Valid(j.Payload):
			faults = append(faults, fmt.Errorf("job %s: its payload is not JSON", j.ID))
		}
		seen[j.ID] = true
	}
	for _, j := range jobs {
		for _, need := range j.Needs {
			if !seen[need] {
				faults = append(faults, fmt.Errorf("job %s: needs %s, but no job has that id", j.ID, need))
			}
		}
	}
	if ring := Circle(jobs); ring != nil {
		faults = append(faults, fmt.Errorf("jobs need each other in a circle: %s", strings.Join(ring, " → ")))
	}
	return errors.Join(faults...)
}

// sum returns a string that differs for jobs that differ and have the same id.
func sum(j Job) string {
	needs := slices.Sorted(slices.Values(j.Needs))
	b, _ := json.Marshal([]any{j.Kind, cmp.Or(j.Same, string(j.Payload)), needs})
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:16])
}

// make returns the id of a batch and the folder that it was added from. It creates the batch if it
// is new.
func (db *DB) make(ctx context.Context, name Name) (id int64, folder string, err error) {
	type entry struct {
		id     int64
		folder string
	}
	private := 0
	if name.Private {
		private = 1
	}
	err = db.retry(ctx, func() error {
		if _, err := db.store.exec(ctx,
			`INSERT INTO batch (name, label, folder, private, created) VALUES ($1, $2, $3, $4, {now}) ON CONFLICT (name) DO NOTHING`,
			name.key(), plain(name.Name), plain(name.Folder), private); err != nil {
			return err
		}
		found, err := all(ctx, db.store, func(r rows, e *entry) error { return r.Scan(&e.id, &e.folder) },
			`SELECT id, folder FROM batch WHERE name = $1`, name.key())
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%s: %w", name.Name, ErrNoBatch) // somebody just removed it
		}
		if err == nil {
			id, folder = found[0].id, found[0].folder
		}
		return err
	})
	return id, folder, err
}

// Renew keeps a batch as history, so that a new batch can have its name. It reports whether the
// batch existed.
func (db *DB) Renew(ctx context.Context, name Name) (bool, error) {
	n, err := db.exec(ctx, `UPDATE batch SET name = name || '
#' || CAST(id AS text), old = 1 WHERE name = $1`, name.key())
	return n > 0, err
}

// Remove removes a batch and all data of its jobs. It fails while jobs are running.
func (db *DB) Remove(ctx context.Context, id int64) error {
	err := db.change(ctx, id, func(c *change) error {
		if c.b.open > 0 {
			return ErrRunning
		}
		c.b.stop = Removing // from now on nothing starts
		return nil
	})
	if err != nil {
		return err
	}
	some := `(SELECT id FROM batch_job WHERE batch = $1 ORDER BY id LIMIT 5000)`
	for {
		var n int64
		for _, statement := range []string{
			`DELETE FROM batch_need WHERE job IN ` + some, `DELETE FROM batch_need WHERE need IN ` + some,
			`DELETE FROM batch_attempt WHERE job IN ` + some, `DELETE FROM batch_job WHERE id IN ` + some,
		} {
			var err error
			if n, err = db.exec(ctx, statement, id); err != nil {
				return err
			}
		}
		if n == 0 {
			break
		}
	}
	_, err = db.exec(ctx, `DELETE FROM batch WHERE id = $1`, id)
	return err
}

// Resume lets a stopped batch continue. It returns why the batch was stopped, or "".
func (db *DB) Resume(ctx context.Context, id int64) (stopped Stop, err error) {
	err = db.edit(ctx, id, func(c *change) error {
		stopped, c.b.stop = c.b.stop, ""
		return nil
	})
	return stopped, err
}

// Retry sets jobs that were not done back to waiting: the named jobs and, if ids is nil, all failed
// jobs in chunks. Jobs that were skipped because of them wait for them again. It returns the number
// of jobs.
func (db *DB) Retry(ctx context.Context, id int64, ids []string) (n int, err error) {
	for some := chunk; ids == nil && some == chunk; n += some {
		err = db.edit(ctx, id, func(c *change) error {
			c.b.stop = ""
			some, err = c.reopenFailed()
			return err
		})
		if err != nil {
			return n, err
		}
	}
	named := 0
	err = db.edit(ctx, id, func(c *change) error {
		c.b.stop = ""
		if named, err = c.reopenNamed(ids); err != nil {
			return err
		}
		return c.reopenSkipped()
	})
	return n + named, err
}

// Cancel cancels jobs that have not ended: the named jobs or, if ids is nil, all. Workers stop the
// running jobs at their next beat. All jobs are canceled in chunks, each in its own transaction, so
// that workers can write in between. Nothing of the batch starts until all jobs have ended. If this
// process dies, a worker cancels the rest. Cancel returns the number of jobs.
func (db *DB) Cancel(ctx context.Context, id int64, ids []string) (n int, err error) {
	if ids != nil {
		err = db.edit(ctx, id, func(c *change) error {
			n, err = c.cancelNamed(ids)
			return err
		})
		return n, err
	}
	before, canceled := int64(-1), int64(0)
	for at := first; at != last; {
		var next position
		err = db.change(ctx, id, func(c *change) error {
			if before < 0 {
				before = c.b.canceled
			}
			next, err = c.cancelSome(at)
			canceled = c.b.canceled
			return err
		})
		if err != nil {
			return 0, err
		}
		at = next
	}
	return int(canceled - before), nil
}

// edit changes a batch, and then delivers the jobs that can be delivered.
func (db *DB) edit(ctx context.Context, id int64, do func(c *change) error) error {
	crew, err := db.crew(ctx)
	if err != nil {
		return err
	}
	return db.change(ctx, id, func(c *change) error {
		if err := do(c); err != nil {
			return err
		}
		return c.feed(crew)
	})
}

// A crew is what all workers can do together, as counted by their keeper.
type crew struct {
	Workers int            `json:"workers"`
	Slots   int            `json:"slots"`
	Unfit   map[string]int `json:"unfit,omitempty"` // the slots of workers that do no jobs of a kind
}

// nobody reports whether there are workers and none of them does jobs of a kind.
func (c crew) nobody(kind string) bool { return c.Slots > 0 && c.Unfit[kind] >= c.Slots }

func (db *DB) crew(ctx context.Context) (c crew, err error) {
	said, err := read(ctx, db, scanString, `SELECT crew FROM batch_keeper WHERE id = 1`)
	if err == nil && len(said) == 1 {
		err = json.Unmarshal([]byte(said[0]), &c)
	}
	return c, err
}

// Crew returns which workers are there, and what some of them cannot do.
func (db *DB) Crew(ctx context.Context) (c Crew, err error) {
	type entry struct{ host, unfit string }
	found, err := read(ctx, db, func(r rows, e *entry) error { return r.Scan(&e.host, &e.unfit) },
		`SELECT host, unfit FROM batch_worker ORDER BY started, id`)
	c.Workers = len(found)
	for _, e := range found {
		var why map[string]string
		_ = json.Unmarshal([]byte(e.unfit), &why) // written by a worker
		for _, kind := range slices.Sorted(maps.Keys(why)) {
			c.Unfit = append(c.Unfit, Unfit{Host: e.host, Kind: kind, Why: why[kind]})
		}
	}
	return c, err
}

// Status returns the state of a batch.
func (db *DB) Status(ctx context.Context, id int64) (*Status, error) {
	found, err := db.statuses(ctx, `WHERE id = $1`, id)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%d: %w", id, ErrNoBatch)
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// Find returns the batches with a name in all folders, the oldest first.
func (db *DB) Find(ctx context.Context, name string) ([]Status, error) {
	return db.statuses(ctx, `WHERE label = $1 ORDER BY id`, plain(name))
}

// List returns the state of all batches that are not private, the oldest first.
func (db *DB) List(ctx context.Context) ([]Status, error) {
	return db.statuses(ctx, `WHERE private = 0 ORDER BY id`)
}

func (db *DB) statuses(ctx context.Context, where string, args ...any) ([]Status, error) {
	return read(ctx, db, scanStatus,
		`SELECT id, label, folder, CASE WHEN name = label THEN 1 ELSE 0 END, old, created, ended, waiting, open, done, failed, canceled, skipped,
		spent, reserved, budget, concurrency, starts, per, stop, event,
		(SELECT COALESCE(min(until), 0) FROM batch_limit WHERE until > {now} AND kinds LIKE '%"' || kind || '"%'),
		CASE WHEN budget > 0 AND open = 0 AND waiting > 0 AND EXISTS (
			SELECT 1 FROM batch_job j WHERE j.batch = batch.id AND j.state = 'waiting' AND j.wants = 0 AND j.due <= {now}
				AND (j.cost > 0 AND j.cost + batch.turn > batch.budget - batch.spent - batch.reserved
					OR j.cost < 0 AND batch.budget - batch.spent - batch.reserved < batch.dearest
					OR j.cost <> 0 AND batch.budget - batch.spent - batch.reserved <= batch.turn)) THEN 1 ELSE 0 END
		FROM batch `+where, args...)
}

func scanStatus(r rows, s *Status) error {
	var byName, old, created, ended, spent, reserved, budget, until, short int64
	var stop string
	err := r.Scan(&s.ID, &s.Name, &s.Folder, &byName, &old, &created, &ended,
		&s.Waiting, &s.Open, &s.Done, &s.Failed, &s.Canceled, &s.Skipped,
		&spent, &reserved, &budget, &s.Most, &s.Starts, &s.WindowMS, &stop, &s.Event, &until, &short)
	s.ByName, s.Old, s.Ended = byName != 0, old != 0, moment(ended)
	s.Created = time.UnixMilli(created).UTC()
	s.Total = s.Waiting + s.Open + s.Done + s.Failed + s.Canceled + s.Skipped
	s.CostUSD, s.HeldUSD, s.Budget, s.Stopped = dollars(spent), dollars(reserved), dollars(budget), Stop(stop)
	s.Short = short != 0
	s.Paused = moment(until)
	return err
}

func moment(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	t := time.UnixMilli(ms).UTC()
	return &t
}

// A Query selects jobs of a batch. The zero value selects all jobs, in the order of the file.
type Query struct {
	States []State // nil means every state
	Text   string  // only jobs with this string in their id or error
	After  string  // only jobs after the job with this id
	Limit  int     // how many at most; 0 means all
}

// Jobs yields the jobs of a batch in their order.
func (db *DB) Jobs(ctx context.Context, id int64, q Query) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		seq, job := int64(-1), int64(0)
		if q.After != "" {
			type entry struct{ seq, job int64 }
			found, err := all(ctx, db.store, func(r rows, e *entry) error { return r.Scan(&e.seq, &e.job) },
				`SELECT seq, id FROM batch_job WHERE batch = $1 AND name = $2`, id, plain(q.After))
			if err == nil && len(found) == 0 {
				err = fmt.Errorf("%s: %w", q.After, ErrNoJob)
			}
			if err != nil {
				yield(Result{}, err)
				return
			}
			seq, job = found[0].seq, found[0].job
		}
		// It reads a page at a time, so that the database is free while the results are written.
		for left := q.Limit; ; {
			page, err := db.page(ctx, id, q, seq, job, left)
			if err != nil {
				yield(Result{}, err)
				return
			}
			for _, e := range page {
				if !yield(e.result, nil) {
					return
				}
				seq, job = e.seq, e.job
			}
			if left -= len(page); len(page) == 0 || q.Limit > 0 && left <= 0 {
				return
			}
		}
	}
}

// states lists the wanted states for an SQL statement, without unknown states.
func (q Query) states() string {
	var all []string
	for _, s := range []State{Waiting, Opened, Done, Failed, Canceled, Skipped} {
		if slices.Contains(q.States, s) {
			all = append(all, "'"+string(s)+"'")
		}
	}
	return cmp.Or(strings.Join(all, ", "), "''")
}

type pageEntry struct {
	result   Result
	seq, job int64
}

func (db *DB) page(ctx context.Context, id int64, q Query, seq, job int64, left int) (page []pageEntry, err error) {
	limit := 1000
	if q.Limit > 0 {
		limit = min(limit, left)
	}
	sql := `SELECT ` + resultColumns + `, seq, id FROM batch_job WHERE batch = $1 AND gone = 0 AND (seq, id) > ($2, $3)`
	args := []any{id, seq, job, limit}
	if len(q.States) > 0 {
		sql += ` AND state IN (` + q.states() + `)` // as constants: the database chooses an index by their values
	}
	if q.Text != "" {
		sql += ` AND (lower(name) LIKE $5 ESCAPE '!' OR lower(fault) LIKE $5 ESCAPE '!')`
		args = append(args, "%"+strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(q.Text))+"%")
	}
	return read(ctx, db, func(r rows, e *pageEntry) error { return scanResult(r, &e.result, &e.seq, &e.job) },
		sql+` ORDER BY seq, id LIMIT $4`, args...)
}

// WaitingKinds returns the kinds of the jobs that wait for a worker.
func (db *DB) WaitingKinds(ctx context.Context, id int64) (kinds []string, err error) {
	known, err := read(ctx, db, scanString, `SELECT kinds FROM batch WHERE id = $1`, id)
	if err != nil || len(known) == 0 {
		return nil, err
	}
	var every []string
	if err := json.Unmarshal([]byte(known[0]), &every); err != nil {
		return nil, err
	}
	for _, kind := range every {
		waits, err := read(ctx, db, scanNumber,
			`SELECT 1 FROM batch_job WHERE batch = $1 AND kind = $2 AND state = 'waiting' AND wants = 0 LIMIT 1`, id, kind)
		if err != nil {
			return nil, err
		}
		if len(waits) == 1 {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

// Job returns the state of one job, and its attempts.
func (db *DB) Job(ctx context.Context, id int64, name string) (r Result, attempts []Attempt, err error) {
	found, err := read(ctx, db, func(r rows, v *Result) error { return scanResult(r, v) },
		`SELECT `+resultColumns+` FROM batch_job WHERE batch = $1 AND name = $2`, id, name)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: %w", name, ErrNoJob)
	}
	if err != nil {
		return Result{}, nil, err
	}
	attempts, err = read(ctx, db, func(r rows, a *Attempt) error {
		var started, ended, spent int64
		err := r.Scan(&a.Worker, &started, &ended, &a.How, &spent, &a.Error)
		a.Started, a.Ended, a.CostUSD = moment(started), moment(ended), dollars(spent)
		return err
	}, `SELECT worker, started, ended, how, spent, fault FROM batch_attempt
		WHERE job = (SELECT id FROM batch_job WHERE batch = $1 AND name = $2) ORDER BY delivery`, id, name)
	return found[0], attempts, err
}

// Events returns up to a thousand jobs that ended after an event, in the order in which they ended.
func (db *DB) Events(ctx context.Context, id, after int64) (found []Result, err error) {
	return read(ctx, db, func(r rows, v *Result) error { return scanResult(r, v) },
		`SELECT `+resultColumns+` FROM batch_job WHERE batch = $1 AND event > $2 AND event > 0 ORDER BY event LIMIT 1000`, id, after)
}

const resultColumns = `name, kind, state, tries + kills, spent, started, ended, fault, log, result, event`

func scanResult(r rows, v *Result, more ...any) error {
	var spent, started, ended int64
	var state, result string
	err := r.Scan(append([]any{&v.ID, &v.Kind, &state, &v.Attempts, &spent, &started, &ended,
		&v.Error, &v.Log, &result, &v.Event}, more...)...)
	v.State, v.CostUSD, v.Started, v.Ended = State(state), dollars(spent), moment(started), moment(ended)
	if result != "" {
		v.Result = json.RawMessage(result)
	}
	return err
}

// Running returns the jobs of a batch that workers are running.
func (db *DB) Running(ctx context.Context, id int64) (running []Running, err error) {
	type delivered struct {
		job                     int64
		id, worker, host, notes string
	}
	taken, err := read(ctx, db, func(r rows, t *delivered) error { return r.Scan(&t.job, &t.id, &t.worker, &t.host, &t.notes) },
		`SELECT j.id, j.name, w.id, w.host, w.notes FROM (`+liveRows+`) r JOIN batch_job j ON j.id = r.job AND j.delivery = r.n
			JOIN batch_worker w ON w.id = r.worker WHERE j.state = 'open' AND r.state = 'running' AND j.batch = $1 ORDER BY j.seq, j.id`, id)
	for _, t := range taken {
		notes := map[int64]note{}
		_ = json.Unmarshal([]byte(t.notes), &notes) // written by a worker
		n := notes[t.job]
		r := Running{ID: t.id, Worker: t.worker, Host: t.host, Note: n.Text}
		if n.Since != 0 {
			r.Started = time.UnixMilli(n.Since).UTC()
		}
		running = append(running, r)
	}
	return running, err
}

// A note is what a job reports that it is doing.
type note struct {
	Since int64  `json:"since"`
	Text  string `json:"text,omitempty"`
}

// locksID returns an id of the folder of locks. Workers with the same id can tell whether the
// others are alive.
func (db *DB) locksID() (string, error) {
	if db.locks == "" {
		return "", nil
	}
	if err := files.MakeState(db.locks); err != nil {
		return "", err
	}
	file := filepath.Join(db.locks, "place")
	for {
		b, err := os.ReadFile(file)
		if err == nil && len(b) > 0 {
			return string(b), nil
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if err := settle(file, newID()); err != nil {
			return "", err
		}
	}
}

// settle writes a file at once, unless the file exists.
func settle(file, text string) error {
	temp := file + "." + newID()
	if err := os.WriteFile(temp, []byte(text), 0o600); err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := os.Link(temp, file); err != nil && !errors.Is(err, os.ErrExist) {
		return os.Rename(temp, file) // the file system has no links
	}
	return nil
}
