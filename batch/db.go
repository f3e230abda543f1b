package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Options say where jobs are kept. Only Database is required.
type Options struct {
	Database string        // a file, or postgres://…
	Existing bool          // a file that is not there is not made: the error is fs.ErrNotExist
	Locks    string        // a folder for the locks of this machine's workers; "" for a file means one beside it, for Postgres none
	Lease    time.Duration // Postgres: how long a worker may be silent; 0 means 15 seconds
	Patience time.Duration // how long to wait for a database that is busy or away; 0 means 15 seconds
}

// A DB is a database of batches. Several processes may have it open.
type DB struct {
	store    store
	name     string // for messages
	locks    string
	lease    time.Duration
	patience time.Duration
}

var quiet = slog.New(slog.DiscardHandler)

// Open opens a database, and makes its tables if they are not there.
func Open(ctx context.Context, o Options) (*DB, error) {
	if err := CheckName(o.Database); err != nil {
		return nil, err
	}
	db := &DB{name: o.Database, locks: o.Locks, patience: o.Patience}
	if db.patience == 0 {
		db.patience = 15 * time.Second
	}
	var err error
	if Remote(o.Database) {
		db.name = "postgres"
		db.lease = o.Lease
		if db.lease == 0 {
			db.lease = 15 * time.Second
		}
		_, rest, _ := strings.Cut(o.Database, "://")
		db.store, err = openPostgres(ctx, "postgres://"+rest)
	} else {
		if db.locks == "" {
			db.locks = o.Database + ".workers"
		}
		db.store, err = openSQLite(o.Database, o.Existing)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", db.name, err)
	}
	if err := db.retry(ctx, func() error { return db.store.migrate(ctx) }); err != nil {
		db.Close()
		return nil, fmt.Errorf("%s: %w", db.name, err)
	}
	return db, nil
}

// ErrScheme is the error of a database of a kind that is not known.
var ErrScheme = errors.New("not a known kind of database: want a file or postgres://")

// CheckName says whether a database can be opened by its name. What is wrong with it is said without
// what follows the scheme, which may be a password.
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

// scheme is what stands before :// in the address of a server; "" if it is none.
func scheme(database string) string {
	if m := urlLike.FindStringSubmatch(database); m != nil {
		return m[1]
	}
	return ""
}

// Close closes the database.
func (db *DB) Close() { db.store.close() }

// retry does something until it works or fails for good, or patience ends.
func (db *DB) retry(ctx context.Context, do func() error) error {
	deadline := time.Now().Add(db.patience)
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		err := do()
		if err == nil || !db.store.passes(err) || time.Now().Add(wait).After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(wait):
		}
	}
}

// Add puts jobs into a batch, which is made if there is none of that name. Jobs that it has are
// not added again; if one of them was something else, nothing is added. The order of the jobs is
// the order of the results. It returns how many are new. Limits replace those of the batch.
func (db *DB) Add(ctx context.Context, name string, jobs []Job, limits Limits) (added int, err error) {
	if err := sound(jobs); err != nil {
		return 0, err
	}
	id, err := db.make(ctx, name)
	if err != nil {
		return 0, err
	}
	slots, err := number(ctx, db.store, `SELECT CAST(COALESCE(sum(slots), 0) AS bigint) FROM batch_worker`)
	if err != nil {
		return 0, err
	}
	err = db.change(ctx, id, func(c *change) error {
		have, err := c.known(jobs)
		if err != nil {
			return err
		}
		added = len(jobs) - len(have)
		c.b.concurrency, c.b.gap, c.b.budget = int64(limits.Concurrency), limits.interval(), micros(limits.BudgetUSD)
		if err := c.insert(jobs, have); err != nil {
			return err
		}
		return c.feed(int(slots))
	})
	if err != nil {
		return 0, err
	}
	return added, nil
}

// sound finds what is wrong with jobs by themselves.
func sound(jobs []Job) error {
	var faults []error
	seen := make(map[string]bool, len(jobs))
	for _, j := range jobs {
		switch {
		case j.ID == "":
			faults = append(faults, errors.New("a job without an id"))
		case seen[j.ID]:
			faults = append(faults, fmt.Errorf("job %s: its id is there twice", j.ID))
		case !json.Valid(j.Payload):
			faults = append(faults, fmt.Errorf("job %s: its payload is not JSON", j.ID))
		}
		seen[j.ID] = true
	}
	for _, j := range jobs {
		for _, need := range j.Needs {
			if !seen[need] {
				faults = append(faults, fmt.Errorf("job %s: needs %s, which is not there", j.ID, need))
			}
		}
	}
	if ring := circle(jobs); ring != nil {
		faults = append(faults, fmt.Errorf("jobs need each other in a circle: %s", strings.Join(ring, " → ")))
	}
	return errors.Join(faults...)
}

// sum tells jobs apart that have the same id.
func sum(j Job) string {
	needs := slices.Sorted(slices.Values(j.Needs))
	b, _ := json.Marshal([]any{j.Kind, cmp.Or(j.Same, string(j.Payload)), needs})
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:16])
}

// make returns the id of a batch, and makes it first if it is new.
func (db *DB) make(ctx context.Context, name string) (id int64, err error) {
	err = db.retry(ctx, func() error {
		if _, err := db.store.exec(ctx, `INSERT INTO batch (name, created) VALUES ($1, {now}) ON CONFLICT (name) DO NOTHING`, name); err != nil {
			return err
		}
		id, err = number(ctx, db.store, `SELECT id FROM batch WHERE name = $1`, name)
		return err
	})
	return id, err
}

func (db *DB) id(ctx context.Context, name string) (id int64, err error) {
	err = db.retry(ctx, func() error {
		id, err = number(ctx, db.store, `SELECT id FROM batch WHERE name = $1`, name)
		return err
	})
	if err == nil && id == 0 {
		err = fmt.Errorf("%s: %w", name, ErrNoBatch)
	}
	return id, err
}

// Resume lets a batch go on that was stopped, and reports whether it was.
func (db *DB) Resume(ctx context.Context, name string) (stopped Stop, err error) {
	err = db.edit(ctx, name, func(c *change) error {
		stopped, c.b.stop = c.b.stop, ""
		return nil
	})
	return stopped, err
}

// Retry takes jobs again that did not get done: those named, or all that failed. What was skipped
// for their sake waits for them again. It returns how many there were.
func (db *DB) Retry(ctx context.Context, name string, ids []string) (n int, err error) {
	err = db.edit(ctx, name, func(c *change) error {
		c.b.stop = ""
		n, err = c.reopen(ids)
		return err
	})
	return n, err
}

// Cancel ends jobs that have not ended: those named, or all. Workers end the running ones at
// their next beat. It returns how many there were.
func (db *DB) Cancel(ctx context.Context, name string, ids []string) (n int, err error) {
	err = db.edit(ctx, name, func(c *change) error {
		n, err = c.cancel(ids)
		return err
	})
	return n, err
}

// edit changes a batch by its name, and delivers what can be delivered then.
func (db *DB) edit(ctx context.Context, name string, do func(c *change) error) error {
	id, err := db.id(ctx, name)
	if err != nil {
		return err
	}
	slots, err := number(ctx, db.store, `SELECT CAST(COALESCE(sum(slots), 0) AS bigint) FROM batch_worker`)
	if err != nil {
		return err
	}
	return db.change(ctx, id, func(c *change) error {
		if err := do(c); err != nil {
			return err
		}
		return c.feed(int(slots))
	})
}

// Status says how a batch is doing.
func (db *DB) Status(ctx context.Context, name string) (*Status, error) {
	list, err := db.statuses(ctx, `WHERE name = $1`, name)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: %w", name, ErrNoBatch)
	}
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// List says how all batches are doing, the oldest first.
func (db *DB) List(ctx context.Context) ([]Status, error) {
	return db.statuses(ctx, `ORDER BY id`)
}

func (db *DB) statuses(ctx context.Context, where string, args ...any) (list []Status, err error) {
	err = db.retry(ctx, func() error {
		list, err = all(ctx, db.store, scanStatus, `SELECT name, created, waiting, open, done, failed, canceled, skipped, spent, reserved, budget, stop, event,
			(SELECT COALESCE(min(until), 0) FROM batch_limit WHERE until > {now} AND kinds LIKE '%"' || kind || '"%'),
			CASE WHEN budget > 0 AND open = 0 AND waiting > 0 AND EXISTS (
				SELECT 1 FROM batch_job j WHERE j.batch = batch.id AND j.state = 'waiting' AND j.wants = 0 AND j.due <= {now}
					AND j.cost > 0 AND j.cost > batch.budget - batch.spent - batch.reserved) THEN 1 ELSE 0 END
			FROM batch `+where, args...)
		return err
	})
	return list, err
}

func scanStatus(r rows, s *Status) error {
	var created, spent, reserved, budget, until, short int64
	var stop string
	err := r.Scan(&s.Name, &created, &s.Waiting, &s.Open, &s.Done, &s.Failed, &s.Canceled, &s.Skipped, &spent, &reserved, &budget, &stop, &s.Event, &until, &short)
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

// Results are the jobs of a batch in their order.
func (db *DB) Results(ctx context.Context, name string) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		id, err := db.id(ctx, name)
		if err != nil {
			yield(Result{}, err)
			return
		}
		// A page at a time: nobody holds the database while the results are written somewhere.
		seq, job := int64(-1), int64(0)
		for {
			type entry struct {
				Result
				seq, job int64
			}
			var page []entry
			err := db.retry(ctx, func() error {
				page, err = all(ctx, db.store, func(r rows, e *entry) error {
					return scanResult(r, &e.Result, &e.seq, &e.job)
				}, `SELECT `+resultColumns+`, seq, id FROM batch_job WHERE batch = $1 AND (seq > $2 OR seq = $2 AND id > $3) ORDER BY seq, id LIMIT 1000`, id, seq, job)
				return err
			})
			if err != nil {
				yield(Result{}, err)
				return
			}
			for _, e := range page {
				if !yield(e.Result, nil) {
					return
				}
				seq, job = e.seq, e.job
			}
			if len(page) == 0 {
				return
			}
		}
	}
}

// Events are up to a thousand jobs that ended after an event, in the order in which they did.
func (db *DB) Events(ctx context.Context, name string, after int64) (list []Result, err error) {
	err = db.retry(ctx, func() error {
		list, err = all(ctx, db.store, func(r rows, v *Result) error { return scanResult(r, v) },
			`SELECT `+resultColumns+` FROM batch_job WHERE batch = (SELECT id FROM batch WHERE name = $1) AND event > $2 AND event > 0 ORDER BY event LIMIT 1000`, name, after)
		return err
	})
	return list, err
}

const resultColumns = `name, state, tries + kills, spent, started, ended, fault, result, event`

func scanResult(r rows, v *Result, more ...any) error {
	var spent, started, ended int64
	var state, result string
	err := r.Scan(append([]any{&v.ID, &state, &v.Attempts, &spent, &started, &ended, &v.Error, &result, &v.Event}, more...)...)
	v.State, v.CostUSD, v.Started, v.Ended = State(state), dollars(spent), moment(started), moment(ended)
	if result != "" {
		v.Result = json.RawMessage(result)
	}
	return err
}

// Running are the jobs of a batch that workers have in hand.
func (db *DB) Running(ctx context.Context, name string) (list []Running, err error) {
	type delivered struct {
		job               int64
		id, worker, notes string
	}
	var taken []delivered
	err = db.retry(ctx, func() error {
		taken, err = all(ctx, db.store, func(r rows, t *delivered) error {
			return r.Scan(&t.job, &t.id, &t.worker, &t.notes)
		}, `SELECT j.id, j.name, w.id, w.notes FROM (`+liveRows+`) r JOIN batch_job j ON j.id = r.job AND j.delivery = r.n
			JOIN batch_worker w ON w.id = r.worker WHERE j.state = 'open' AND r.state = 'running' AND j.batch = (SELECT id FROM batch WHERE name = $1) ORDER BY j.seq, j.id`, name)
		return err
	})
	for _, t := range taken {
		notes := map[int64]note{}
		_ = json.Unmarshal([]byte(t.notes), &notes)
		n := notes[t.job]
		r := Running{ID: t.id, Worker: t.worker, Note: n.Text}
		if n.Since != 0 {
			r.Started = time.UnixMilli(n.Since).UTC()
		}
		list = append(list, r)
	}
	return list, err
}

// A note is what a job says it is doing.
type note struct {
	Since int64  `json:"since"`
	Text  string `json:"text,omitempty"`
}

// place names the folder of locks: workers of the same place can tell whether another is alive.
func (db *DB) place() (string, error) {
	if db.locks == "" {
		return "", nil
	}
	if err := os.MkdirAll(db.locks, 0o700); err != nil {
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

// settle writes a file whole, unless it is there.
func settle(file, text string) error {
	temp := file + "." + newID()
	if err := os.WriteFile(temp, []byte(text), 0o600); err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := os.Link(temp, file); err != nil && !errors.Is(err, os.ErrExist) {
		return os.Rename(temp, file) // a file system without links
	}
	return nil
}
