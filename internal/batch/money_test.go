package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

// A budget of more than 2³¹ millionths of a dollar works, both from the beginning and when added to
// a running batch.
func TestLargeBudget(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		jobs := some(30)
		for i := range jobs {
			jobs[i].MaxUSD = 3000
		}
		add(t, db, jobs, Limits{BudgetUSD: 10_000})
		var raised bool
		begin(t, &Worker{DB: db, Slots: 1, Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) {
			if !raised {
				raised = true
				if _, err := addTo(t, db, "b", jobs, Limits{BudgetUSD: 100_000}); err != nil {
					t.Error(err)
				}
			}
			return nil, Retry{CostUSD: 3000}
		}})
		if s := until(t, db, "over", over); s.Done != 30 || s.CostUSD != 90_000 || s.Budget != 100_000 {
			t.Errorf("%+v", *s)
		}
	})
}

// TestParameterTypes asks Postgres which types it assumes for the parameters of our statements. It
// must not guess from a number next to a parameter that all values are small.
func TestParameterTypes(t *testing.T) {
	t.Parallel()
	db := open(t, Options{Database: realpostgres.Database(t), Locks: t.TempDir()})
	jobs := some(12)
	jobs[11].Needs = []string{"a0"}
	add(t, db, jobs, Limits{BudgetUSD: 5, Starts: 1000, Window: 1e9})
	stop := begin(t, &Worker{DB: db, Do: func(_ context.Context, p json.RawMessage) (json.RawMessage, Retry) {
		return nil, Retry{Error: map[bool]string{true: "odd"}[p[0]%2 == 1]}
	}})
	until(t, db, "over", over)
	stop()
	id := idOf(t, db, "b")
	for _, do := range []func() error{
		func() error { _, err := db.Retry(t.Context(), id, nil); return err },
		func() error { _, err := db.Cancel(t.Context(), id, []string{"a1"}); return err },
		func() error { _, err := db.Cancel(t.Context(), id, nil); return err },
		func() error { _, err := db.Retry(t.Context(), id, []string{"a1"}); return err },
		func() error { _, err := addTo(t, db, "b", append(some(13), jobs[11])[1:], Limits{}); return err },
		func() error { _, err := db.Running(t.Context(), id); return err },
		func() error { _, err := db.Events(t.Context(), id, 0); return err },
		func() error { _, _, err := db.Job(t.Context(), id, "a1"); return err },
		func() error { _, err := db.WaitingKinds(t.Context(), id); return err },
		func() error { _, err := db.Put(t.Context(), []byte("x")); return err },
		func() error {
			for _, err := range db.Jobs(t.Context(), id, Query{Text: "a", After: "a0", Limit: 3, States: []State{Waiting}}) {
				return err
			}
			return nil
		},
		func() error { _, err := db.Renew(t.Context(), Name{Name: "b"}); return err },
	} {
		if err := do(); err != nil && !strings.Contains(err.Error(), "differs") && !strings.Contains(err.Error(), "duplicate") {
			t.Error(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), db.store.(*postgresStore).pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	n := 0
	postgresDialect.texts.Range(func(_, text any) bool {
		said, err := conn.Prepare(t.Context(), fmt.Sprintf("s%d", n), text.(string))
		if err != nil {
			return true // makes what is there
		}
		n++
		for i, oid := range said.ParamOIDs {
			if oid == 23 || oid == 21 { // int4, int2
				t.Errorf("$%d is taken for a small number in\n%s", i+1, text)
			}
		}
		return true
	})
	if n < 40 {
		t.Errorf("only %d statements", n)
	}
}
