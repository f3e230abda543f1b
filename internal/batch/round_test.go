//go:build unix

package batch

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

// TestChaosRound runs a short round of chaos: 110 jobs, three workers, and a dozen blows of all
// kinds in random order. make chaos ROUNDS=20 runs twenty rounds.
func TestChaosRound(t *testing.T) {
	if os.Getenv("SKILLHAND_CHAOS") == "" {
		return // TestChaos has a test for each blow
	}
	o := Options{Database: filepath.Join(t.TempDir(), "batch.db")}
	if rand.IntN(2) == 0 {
		o = Options{Database: realpostgres.Database(t), Locks: t.TempDir(), Lease: 3 * time.Second}
	}
	db := open(t, o)
	jobs := timed(110)
	put := func(jobs []Job) Addition {
		t.Helper()
		var sum Sum
		for _, j := range jobs {
			sum.Add(j)
		}
		list := List{Source: "jobs.yaml", Sum: sum.String(), All: func(yield func(Job, error) bool) {
			for _, j := range jobs {
				if !yield(j, nil) {
					return
				}
			}
		}}
		added, err := db.AddList(t.Context(), Name{Name: "b"}, list, Limits{BudgetUSD: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		return added
	}
	put(jobs)
	tr := newTroupe(t, o, 3)
	blows := map[string]func(){
		"kill":      func() { tr.kills(nil, 1) },
		"interrupt": func() { tr.interrupts(nil, 1) },
		"together":  func() { tr.together(nil, 1) },
		"stop": func() {
			a := tr.any()
			_ = a.cmd.Process.Signal(syscall.SIGSTOP)
			tr.busy(o.Lease + time.Second)
			_ = a.cmd.Process.Signal(syscall.SIGCONT)
		},
		"results refused": func() {
			allow := refuse(t, db, "INSERT", "batch_attempt", `NEW.job % 3 = 0`)
			tr.busy(time.Second)
			allow()
		},
		"jobs taken out": func() {
			if added := put(jobs[:len(jobs)-5]); added.Gone != 5 {
				t.Errorf("%+v", added)
			}
			jobs = jobs[:len(jobs)-5]
		},
		"jobs brought back": func() {
			jobs = timed(110)
			put(jobs)
		},
		"database of others": func() {
			file := filepath.Join(t.TempDir(), "empty.db")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(t.Context(), Options{Database: file, Existing: true}); !errors.Is(err, ErrForeign) {
				t.Error(err)
			}
		},
	}
	names := []string{
		"kill", "kill", "kill", "interrupt", "interrupt", "together", "stop", "stop",
		"results refused", "results refused", "jobs taken out", "jobs taken out", "jobs brought back", "database of others",
	}
	rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	t.Logf("%s: %q", o.Database, names)
	for _, name := range names {
		tr.busy(300 * time.Millisecond)
		blows[name]()
	}
	s := until(t, db, "over", over)
	if s.Done != len(jobs) || s.Total != len(jobs) || s.HeldUSD != 0 {
		t.Errorf("%d jobs: %+v", len(jobs), *s)
	}
	got := results(t, db)
	for _, j := range jobs {
		if r := got[j.ID]; r.State != Done || string(r.Result) != string(j.Payload) {
			t.Errorf("%s: %+v", j.ID, r)
		}
	}
	twice, err := number(t.Context(), db.store, `SELECT count(*) FROM (SELECT job FROM batch_attempt WHERE how = 'finished' GROUP BY job HAVING count(*) > 1) x`)
	if err != nil || twice != 0 {
		t.Errorf("%d jobs have two results, %v", twice, err)
	}
	spent, err := number(t.Context(), db.store, `SELECT CAST(sum(spent) AS bigint) FROM batch_job`)
	if err != nil || spent != micros(s.CostUSD) {
		t.Errorf("%d spent by the jobs, %d by the batch, %v", spent, micros(s.CostUSD), err)
	}
	for a := range slices.Values(tr.procs) {
		if a.cmd.ProcessState == nil {
			tr.interrupt(a)
		}
	}
}
