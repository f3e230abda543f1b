package batch

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
)

// refuse makes the database refuse a change of a table, as after an administrator's mistake, until
// the returned function is called.
func refuse(t *testing.T, db *DB, when, table, condition string) (allow func()) {
	t.Helper()
	run := func(statements ...string) {
		t.Helper()
		for _, sql := range statements {
			if _, err := db.store.exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, ok := db.store.(*postgresStore); ok {
		run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not today''; END'`,
			`CREATE TRIGGER refuse BEFORE `+when+` ON `+table+` FOR EACH ROW WHEN (`+condition+`) EXECUTE FUNCTION refuse()`)
		return func() { run(`DROP TRIGGER refuse ON `+table, `DROP FUNCTION refuse`) }
	}
	run(`CREATE TRIGGER refuse BEFORE ` + when + ` ON ` + table + ` WHEN ` + condition + ` BEGIN SELECT RAISE(ABORT, 'not today'); END`)
	return func() { run(`DROP TRIGGER refuse`) }
}

// A result that the database refuses is kept, and written once the database accepts it. Its job is
// not done again. Other results are written in the meantime.
func TestKeptResult(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(20), Limits{})
		allow := refuse(t, db, "INSERT", "batch_attempt", `NEW.fault = 'odd'`)
		said := make(chan string, 100)
		var calls atomic.Int64
		begin(t, &Worker{DB: open(t, o), Slots: 8, Warn: func(text string) { said <- text },
			Do: func(_ context.Context, p json.RawMessage) (json.RawMessage, Retry) {
				calls.Add(1)
				if string(p) == "3" || string(p) == "5" {
					return json.RawMessage(`"dear"`), Retry{Error: "odd", CostUSD: 1}
				}
				return nil, Retry{CostUSD: 1}
			}})
		until(t, db, "done but for two", func(s *Status) bool { return s.Done == 18 })
		if text := <-said; !strings.Contains(text, "cannot write a result yet") || !strings.Contains(text, "not today") {
			t.Errorf("said %q", text)
		}
		allow()
		s := until(t, db, "over", over)
		if s.Failed != 2 || s.CostUSD != 20 || calls.Load() != 20 {
			t.Errorf("%d calls, %+v", calls.Load(), *s)
		}
		if r := results(t, db)["a3"]; string(r.Result) != `"dear"` {
			t.Errorf("%+v", r)
		}
	})
}

// A batch whose jobs cannot be delivered blocks neither its own results nor other batches.
func TestUnfedBatch(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		if _, err := addTo(t, db, "stuck", some(40), Limits{Concurrency: 4}); err != nil {
			t.Fatal(err)
		}
		begun := make(chan bool, 100)
		goOn := make(chan bool)
		begin(t, &Worker{DB: open(t, o), Warn: func(string) {}, Do: func(ctx context.Context, _ json.RawMessage) (json.RawMessage, Retry) {
			if Current(ctx).Batch == "stuck" {
				begun <- true
				<-goOn
			}
			return nil, Retry{}
		}})
		for range 4 {
			<-begun
		}
		id := idOf(t, db, "stuck")
		allow := refuse(t, db, "UPDATE", "batch_job", `NEW.state = 'open' AND OLD.state = 'waiting' AND NEW.batch = 1`)
		add(t, db, some(10), Limits{})
		close(goOn)
		until(t, db, "over", over)
		stuck := func(want int) {
			t.Helper()
			until(t, db, "written", func(*Status) bool {
				s, err := db.Status(t.Context(), id)
				return err == nil && s.Done == want
			})
		}
		stuck(4)
		allow()
		stuck(40)
	})
}
