package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

// onBoth runs a test on a fresh database of each kind. The tests on Postgres share a server. On a
// busy machine a worker may be silent for long, so the lease is long too: the locks show who died.
func onBoth(t *testing.T, test func(t *testing.T, o Options)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, Options{Database: filepath.Join(t.TempDir(), "batch.db")})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, Options{Database: realpostgres.Database(t), Locks: t.TempDir(), Lease: 10 * time.Minute})
	})
}

func open(t *testing.T, o Options) *DB {
	t.Helper()
	db, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// some returns n jobs named a0, a1, …; the payload of each is its number.
func some(n int) []Job {
	jobs := make([]Job, n)
	for i := range jobs {
		jobs[i] = Job{ID: "a" + strconv.Itoa(i), Kind: "test", Payload: json.RawMessage(strconv.Itoa(i))}
	}
	return jobs
}

// addTo adds jobs to a batch, and returns how many are new.
func addTo(t *testing.T, db *DB, name string, jobs []Job, l Limits) (int, error) {
	t.Helper()
	added, err := db.Add(t.Context(), Name{Name: name}, jobs, l)
	return added.New, err
}

// idOf returns the id of the batch with a name.
func idOf(t *testing.T, db *DB, name string) int64 {
	t.Helper()
	found, err := db.Find(t.Context(), name)
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %v", name, err)
	}
	return found[len(found)-1].ID
}

func add(t *testing.T, db *DB, jobs []Job, l Limits) {
	t.Helper()
	n, err := addTo(t, db, "b", jobs, l)
	if err != nil || n != len(jobs) {
		t.Fatalf("added %d of %d: %v", n, len(jobs), err)
	}
}

// begin starts a worker. It returns a function that stops the worker and waits for its end.
func begin(t *testing.T, w *Worker) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	if w.Warn == nil {
		w.Warn = func(text string) { t.Logf("worker: %s", text) }
	}
	go func() { ended <- w.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("worker: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// until waits until a batch is as wanted.
func until(t *testing.T, db *DB, what string, ok func(s *Status) bool) *Status {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		s, err := db.Status(t.Context(), idOf(t, db, "b"))
		if err != nil {
			t.Fatal(err)
		}
		if ok(s) {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("not %s: %+v", what, *s)
		}
	}
}

func over(s *Status) bool { return s.Left() == 0 }

func results(t *testing.T, db *DB) map[string]Result {
	t.Helper()
	all := map[string]Result{}
	for r, err := range db.Jobs(t.Context(), idOf(t, db, "b"), Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := all[r.ID]; twice {
			t.Errorf("%s is given twice", r.ID)
		}
		all[r.ID] = r
	}
	return all
}

func TestAllDone(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(100), Limits{})
		begin(t, &Worker{DB: db, Do: func(_ context.Context, p json.RawMessage) (json.RawMessage, Retry) {
			return json.RawMessage(`{"was": ` + string(p) + `}`), Retry{CostUSD: 0.01}
		}})
		s := until(t, db, "over", over)
		if s.Done != 100 || s.CostUSD != 1 || s.Total != 100 || s.HeldUSD != 0 {
			t.Errorf("status: %+v", *s)
		}
		i := 0
		for r, err := range db.Jobs(t.Context(), idOf(t, db, "b"), Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf(`{"was":%d}`, i); r.ID != "a"+strconv.Itoa(i) || string(r.Result) != want || r.State != Done ||
				r.Attempts != 1 || r.Ended.Before(*r.Started) {
				t.Errorf("result %d: %+v %s", i, r, r.Result)
			}
			i++
		}
		events, err := db.Events(t.Context(), idOf(t, db, "b"), 0)
		if err != nil || len(events) != 100 {
			t.Errorf("%d events, %v", len(events), err)
		}
	})
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		jobs := []Job{
			{ID: "ok", Payload: json.RawMessage(`"ok"`)},
			{ID: "fails", Payload: json.RawMessage(`"fails"`), Retries: 3},
			{ID: "passes", Payload: json.RawMessage(`"passes"`), Retries: 2},
			{ID: "never passes", Payload: json.RawMessage(`"never"`), Retries: 1},
			{ID: "panics", Payload: json.RawMessage(`"panics"`)},
			{ID: "no json", Payload: json.RawMessage(`"no json"`)},
			{ID: "after ok", Payload: json.RawMessage(`"after"`), Needs: []string{"ok", "passes", "ok"}},
			{ID: "after fails", Payload: json.RawMessage(`"after"`), Needs: []string{"ok", "fails"}},
			{ID: "after that", Payload: json.RawMessage(`"after"`), Needs: []string{"after fails"}},
		}
		add(t, db, jobs, Limits{})
		var passes atomic.Int64
		mended := atomic.Bool{}
		begin(t, &Worker{DB: db, Do: func(_ context.Context, p json.RawMessage) (json.RawMessage, Retry) {
			switch string(p) {
			case `"fails"`:
				if mended.Load() {
					return nil, Retry{}
				}
				return json.RawMessage(`{"why":"it does"}`), Retry{Error: "broken\x00\xff"}
			case `"passes"`:
				if passes.Add(1) < 3 {
					return nil, Retry{Error: "busy", Again: true, After: time.Millisecond}
				}
			case `"never"`:
				return nil, Retry{Error: "busy", Again: true, After: time.Millisecond}
			case `"panics"`:
				panic("oh")
			case `"no json"`:
				return json.RawMessage(`{`), Retry{}
			}
			return nil, Retry{}
		}})
		until(t, db, "over", over)
		check := func(want map[string]string) {
			t.Helper()
			got := map[string]string{}
			for id, r := range results(t, db) {
				got[id] = fmt.Sprintf("%s %d %s %s", r.State, r.Attempts, r.Error, r.Result)
			}
			for id, w := range want {
				if got[id] != w {
					t.Errorf("%s: %s, want %s", id, got[id], w)
				}
			}
		}
		check(map[string]string{
			"ok":           "done 1  ",
			"fails":        "failed 1 broken\uFFFD\uFFFD {\"why\":\"it does\"}",
			"passes":       "done 3  ",
			"never passes": "failed 2 busy ",
			"panics":       "failed 1 panic: oh ",
			"no json":      "failed 1 its result is not JSON: unexpected end of JSON input ",
			"after ok":     "done 1  ",
			"after fails":  "skipped 0 needs fails, which was not done ",
			"after that":   "skipped 0 needs after fails, which was not done ",
		})
		mended.Store(true)
		if n, err := db.Retry(t.Context(), idOf(t, db, "b"), []string{"fails"}); n != 1 || err != nil {
			t.Errorf("retry: %d, %v", n, err)
		}
		s := until(t, db, "over again", over)
		check(map[string]string{"fails": "done 1  ", "after fails": "done 1  ", "after that": "done 1  ", "panics": "failed 1 panic: oh "})
		if s.Failed != 3 || s.Skipped != 0 || s.Done != 6 {
			t.Errorf("status: %+v", *s)
		}
		if _, err := db.Retry(t.Context(), idOf(t, db, "b"), []string{"nobody"}); !errors.Is(err, ErrNoJob) {
			t.Errorf("retry of a job that is not there: %v", err)
		}
		if n, err := db.Retry(t.Context(), idOf(t, db, "b"), nil); n != 3 || err != nil {
			t.Errorf("retry of all: %d, %v", n, err)
		}
		until(t, db, "over for good", over)
	})
}

func TestAddAgain(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(3), Limits{})
		more := slices.Concat([]Job{{ID: "first", Payload: json.RawMessage(`0`)}}, some(5))
		if n, err := addTo(t, db, "b", more, Limits{}); n != 3 || err != nil {
			t.Errorf("added %d, %v", n, err)
		}
		var order []string
		for r, err := range db.Jobs(t.Context(), idOf(t, db, "b"), Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			order = append(order, r.ID)
		}
		if got := strings.Join(order, " "); got != "first a0 a1 a2 a3 a4" {
			t.Errorf("order: %s", got)
		}
		other := some(8)
		other[1].Payload, other[2].Needs = json.RawMessage(`"other"`), []string{"a0"}
		_, err := addTo(t, db, "b", other, Limits{})
		if err == nil || err.Error() != "job a1: differs from the job already in this batch\njob a2: differs from the job already in this batch" {
			t.Errorf("other content: %v", err)
		}
		if s := until(t, db, "there", func(*Status) bool { return true }); s.Total != 6 {
			t.Errorf("%d jobs", s.Total)
		}
	})
}

func TestSound(t *testing.T) {
	t.Parallel()
	p := json.RawMessage(`1`)
	tests := []struct {
		jobs []Job
		want string
	}{
		{[]Job{{ID: "a", Payload: p}, {ID: "b", Payload: p, Needs: []string{"a"}}}, ""},
		{[]Job{{Payload: p}, {ID: "b"}}, "a job without an id\njob b: its payload is not JSON"},
		{[]Job{{ID: "a", Payload: p}, {ID: "a", Payload: p}}, "job a: duplicate id"},
		{[]Job{{ID: "a", Payload: p, Needs: []string{"x"}}}, "job a: needs x, but no job has that id"},
		{[]Job{{ID: "a", Payload: p, Needs: []string{"a"}}}, "jobs need each other in a circle: a → a"},
		{
			[]Job{
				{ID: "z", Payload: p, Needs: []string{"b"}}, {ID: "a", Payload: p, Needs: []string{"b"}},
				{ID: "b", Payload: p, Needs: []string{"c"}}, {ID: "c", Payload: p, Needs: []string{"a"}},
			},
			"jobs need each other in a circle: b → c → a → b",
		},
	}
	for _, tt := range tests {
		got := ""
		if err := sound(tt.jobs); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("sound(%v) = %q, want %q", tt.jobs, got, tt.want)
		}
	}
}

// A database of a newer version stays unchanged.
func TestNewer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		if _, err := db.store.exec(t.Context(), `UPDATE batch_version SET version = version + 1`); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), o)
		if want := fmt.Sprintf(": made by a newer version of this program: its tables have version %d, and this one reads at most %d",
			version+1, version); !errors.Is(err, ErrNewer) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}

// Files that jobs share are stored by their content. A database of an older version is updated to
// our version, with its content.
func TestFiles(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(3), Limits{})
		// The tables of the first version.
		statements := []string{`DROP INDEX batch_job_state`, `DROP TABLE batch_file`, `DROP TABLE batch_keeper`,
			`UPDATE batch SET name = 'b'`,
			`UPDATE batch_version SET version = 1`}
		for table, columns := range map[string][]string{
			"batch":        {"label", "folder", "private", "old", "starts", "per", "dearest", "turn", "most_turn", "sum", "ended"},
			"batch_job":    {"begun", "held", "log", "source", "gone"},
			"batch_worker": {"host", "unfit"},
		} {
			for _, column := range columns {
				statements = append(statements, `ALTER TABLE `+table+` DROP COLUMN `+column)
			}
		}
		for _, statement := range statements {
			if _, err := db.store.exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		db = open(t, o)
		if s, err := db.Status(t.Context(), idOf(t, db, "b")); err != nil || s.Total != 3 {
			t.Errorf("%+v, %v", s, err)
		}
		data := []byte("a\x00b\xff")
		name, err := db.Put(t.Context(), data)
		again, err2 := db.Put(t.Context(), data)
		if err := errors.Join(err, err2); err != nil || name != again {
			t.Fatalf("%q, %q, %v", name, again, err)
		}
		if got, err := db.Get(t.Context(), name); err != nil || string(got) != string(data) {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := db.Get(t.Context(), "none"); !errors.Is(err, ErrNoFile) {
			t.Errorf("%v", err)
		}
		if _, err := db.store.exec(t.Context(), `UPDATE batch_file SET data = 'AAAA'`); err != nil {
			t.Fatal(err)
		}
		if got, err := db.Get(t.Context(), name); err == nil {
			t.Errorf("%q is not what was put there", got)
		}
		if _, err := db.Put(t.Context(), make([]byte, MaxFile+1)); err == nil {
			t.Error("there is no limit")
		}
	})
}
