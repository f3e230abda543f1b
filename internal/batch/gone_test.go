package batch

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

// A job that is no longer in its file does not count and is not retried. If it comes back, its
// state is as before, and a job that had not ended runs.
func TestTakenOut(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		put := func(source string, jobs []Job) Addition {
			t.Helper()
			var sum Sum
			for _, j := range jobs {
				sum.Add(j)
			}
			added, err := db.AddList(t.Context(), Name{Name: "b"}, List{Source: source, Sum: sum.String(), All: func(yield func(Job, error) bool) {
				for _, j := range jobs {
					if !yield(j, nil) {
						return
					}
				}
			}}, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			return added
		}
		jobs := some(6)
		jobs[5].Needs = []string{"a1"}
		put("jobs.yaml", jobs)
		others := []Job{{ID: "other", Kind: "test", Payload: json.RawMessage(`0`)}}
		if a := put("more.yaml", others); a.Gone != 0 || a.New != 1 {
			t.Errorf("another file: %+v", a)
		}
		stop := begin(t, &Worker{DB: open(t, o), Do: func(_ context.Context, p json.RawMessage) (json.RawMessage, Retry) {
			if string(p) == "1" || string(p) == "2" {
				return nil, Retry{Error: "broken", CostUSD: 1}
			}
			return p, Retry{CostUSD: 1}
		}})
		until(t, db, "over", over)
		stop()
		// a0 (done), a1 (failed) and a5 (skipped) are removed. a2 (failed) stays.
		a := put("jobs.yaml", jobs[2:5])
		s := until(t, db, "there", func(*Status) bool { return true })
		if a.Gone != 3 || s.Total != 4 || s.Failed != 1 || s.Done != 3 || s.Skipped != 0 || s.CostUSD != 6 {
			t.Errorf("%+v: %+v", a, *s)
		}
		if n, err := db.Retry(t.Context(), s.ID, nil); n != 1 || err != nil {
			t.Errorf("retried %d, %v", n, err)
		}
		if _, err := db.Retry(t.Context(), s.ID, []string{"a1"}); !errors.Is(err, ErrNoJob) {
			t.Errorf("retried a1: %v", err)
		}
		if got := results(t, db); len(got) != 4 {
			t.Errorf("%d jobs", len(got))
		}
		a = put("jobs.yaml", slices.Concat(jobs[:2], jobs[3:])) // a2 is removed while it waits
		s = until(t, db, "there", func(*Status) bool { return true })
		if a.Gone != 1 || a.New != 0 || s.Total != 6 || s.Failed != 1 || s.Done != 4 || s.Skipped != 1 {
			t.Errorf("%+v: %+v", a, *s)
		}
		put("jobs.yaml", jobs)
		s = until(t, db, "there", func(*Status) bool { return true })
		if s.Total != 7 || s.Left() != 1 || s.Failed != 1 {
			t.Errorf("%+v", *s)
		}
		if n, err := number(t.Context(), db.store, `SELECT count(*) FROM batch_job WHERE gone = 1`); n != 0 || err != nil {
			t.Errorf("%d are gone, %v", n, err)
		}
	})
}
