package batch

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// workers starts n workers, each with its own connection, as processes would have.
func workers(t *testing.T, o Options, n int, w Worker) (stop func()) {
	t.Helper()
	var stops []func()
	for range n {
		one := w
		one.DB = open(t, o)
		stops = append(stops, begin(t, &one))
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(24), Limits{Concurrency: 3})
		var now, top atomic.Int64
		workers(t, o, 3, Worker{Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) {
			n := now.Add(1)
			for old := top.Load(); n > old && !top.CompareAndSwap(old, n); old = top.Load() {
			}
			time.Sleep(5 * time.Millisecond)
			now.Add(-1)
			return nil, Retry{}
		}})
		until(t, db, "over", over)
		if got := top.Load(); got < 1 || got > 3 {
			t.Errorf("%d jobs at the same time", got)
		}
	})
}

// paced compares start times with a rate: the nth start is not earlier than n intervals after from.
// A busy machine may be late, but never early.
func paced(t *testing.T, db *DB, from int64, skip, n int, gap int64) {
	t.Helper()
	at, err := all(t.Context(), db.store, scanNumber, `SELECT started FROM batch_attempt WHERE started >= $1 AND how = 'finished' ORDER BY 1`, from)
	if err != nil || len(at) != n {
		t.Fatalf("%d starts, want %d, %v", len(at), n, err)
	}
	for i, a := range at {
		if early := from + int64(i-skip)*gap - a; early > 5 {
			t.Errorf("start %d came %d ms early", i, early)
		}
	}
}

func dbNow(t *testing.T, db *DB) int64 {
	t.Helper()
	now, err := number(t.Context(), db.store, `SELECT {now}`)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

func TestRate(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		limits := Limits{Starts: 10, Window: time.Second}
		from := dbNow(t, db)
		add(t, db, some(25), limits)
		workers(t, o, 3, Worker{Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) { return nil, Retry{} }})
		until(t, db, "over", over)
		paced(t, db, from, 0, 25, limits.interval())
	})
}

// Jobs that wait for a slot do not start at the same time when a worker with many slots joins.
func TestRateJoin(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		limits := Limits{Starts: 10, Window: time.Second}
		add(t, db, some(18), limits)
		started, letGo := make(chan bool, 20), make(chan bool)
		begin(t, &Worker{DB: open(t, o), Slots: 2, Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) {
			started <- true
			<-letGo
			return nil, Retry{}
		}})
		<-started
		<-started
		// With the rate alone, all others could have started by now.
		for from := dbNow(t, db); dbNow(t, db) < from+16*limits.interval(); {
			time.Sleep(50 * time.Millisecond)
		}
		from := dbNow(t, db)
		begin(t, &Worker{DB: open(t, o), Slots: 16, Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) { return nil, Retry{} }})
		until(t, db, "done but for two", func(s *Status) bool { return s.Done == 16 })
		paced(t, db, from, 0, 16, limits.interval())
		close(letGo)
	})
}

// Workers that leave while they wait for their start take no start with them. New workers do not
// start at the same time.
func TestRateLeave(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		limits := Limits{Starts: 10, Window: time.Second}
		from := dbNow(t, db)
		add(t, db, some(50), limits)
		started := make(chan bool, 100)
		w := Worker{Slots: 20, Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) {
			started <- true
			return nil, Retry{}
		}}
		leave := workers(t, o, 2, w)
		for range 5 {
			<-started
		}
		leave()
		ahead, err := number(t.Context(), db.store, `SELECT next - {now} FROM batch`)
		if err != nil || ahead > limits.interval() {
			t.Errorf("the next start is %d ms ahead, %v", ahead, err)
		}
		w.Slots = 40
		workers(t, o, 1, w)
		until(t, db, "over", over)
		paced(t, db, from, 0, 50, limits.interval())
	})
}

// A start time from before the database's clock was set back does not block the batch.
func TestClockBack(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(3), Limits{Starts: 100, Window: time.Second})
		if _, err := db.store.exec(t.Context(), `UPDATE batch SET next = {now} + 3600000`); err != nil {
			t.Fatal(err)
		}
		if _, err := db.store.exec(t.Context(), `UPDATE batch_keeper SET worker = 'gone', until = {now} + 3600000`); err != nil {
			t.Fatal(err)
		}
		// The worker that looked after the others is on another machine, and silent.
		_, err := db.store.exec(t.Context(), `INSERT INTO batch_worker (id, place, slots, started, beat) VALUES ('gone', 'elsewhere', 1, {now}, {now})`)
		if err != nil {
			t.Fatal(err)
		}
		begin(t, &Worker{DB: db, Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) { return nil, Retry{} }})
		until(t, db, "over", over)
		until(t, db, "looked after", func(*Status) bool {
			n, err := number(t.Context(), db.store, `SELECT count(*) FROM batch_keeper WHERE worker <> 'gone'`)
			return n == 1 && err == nil
		})
	})
}

// Only the latest delivery of a job counts. A late end of an older delivery neither adds a second
// result nor returns the job.
func TestFence(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(1), Limits{}) // which delivers it
		id := idOf(t, db, "b")
		job, err := number(t.Context(), db.store, `SELECT id FROM batch_job`)
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			n      int
			ending ending
			result string
			state  State
			want   string
		}{
			{1, ending{how: lost, began: true}, "", Opened, ""}, // and delivered again
			{1, ending{how: finished, began: true}, "1", Opened, ""},
			{1, ending{how: returned, began: true}, "", Opened, ""},
			{2, ending{how: finished, began: true}, "2", Done, "2"},
			{2, ending{how: finished, began: true}, "3", Done, "2"},
			{1, ending{how: lost, began: true}, "", Done, "2"},
		} {
			err := db.change(t.Context(), id, func(c *change) error {
				if err := c.finish([]finish{{d: delivery{Batch: id, Job: job, N: tt.n}, ending: tt.ending, kind: "test", worker: "w", result: tt.result}}); err != nil {
					return err
				}
				return c.feed(crew{})
			})
			r := results(t, db)["a0"]
			if err != nil || r.State != tt.state || string(r.Result) != tt.want {
				t.Errorf("delivery %d %s: %+v, %v", tt.n, tt.ending.how, r, err)
			}
		}
	})
}

// Adding jobs without limits keeps the batch's limits.
func TestLimitsStay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(2), Limits{Concurrency: 2, Starts: 3, Window: time.Minute, BudgetUSD: 2})
		limits := func(l Limits, want Status) {
			t.Helper()
			if _, err := addTo(t, db, "b", some(2), l); err != nil {
				t.Fatal(err)
			}
			s, err := db.Status(t.Context(), idOf(t, db, "b"))
			if err != nil || s.Most != want.Most || s.Starts != want.Starts || s.Budget != want.Budget {
				t.Errorf("after %+v: %+v, %v", l, *s, err)
			}
		}
		limits(Limits{}, Status{Most: 2, Starts: 3, Budget: 2})
		limits(Limits{BudgetUSD: 5}, Status{Most: 2, Starts: 3, Budget: 5})
		limits(Limits{Concurrency: -1}, Status{Starts: 3, Budget: 5})
		limits(Limits{Starts: -1, BudgetUSD: -1}, Status{})
	})
}

// A budget counts the possible cost of a job that was cut off.
func TestCutOff(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		jobs := some(8)
		for i := range jobs {
			jobs[i].MaxUSD = 0.5
		}
		add(t, db, jobs, Limits{BudgetUSD: 2})
		started := make(chan bool, 20)
		stop := begin(t, &Worker{DB: db, Do: func(ctx context.Context, p json.RawMessage) (json.RawMessage, Retry) {
			started <- true
			<-ctx.Done()
			if string(p) == "0" {
				return nil, Retry{Error: "interrupted", CostUSD: 0.1} // it reported its cost
			}
			return nil, Retry{Error: "interrupted"}
		}})
		for range 4 {
			<-started
		}
		stop()
		s, err := db.Status(t.Context(), idOf(t, db, "b"))
		if err != nil || s.CostUSD != 1.6 || s.HeldUSD != 0 || s.Waiting != 8 {
			t.Errorf("%+v, %v", *s, err)
		}
	})
}

// A worker that cannot do a kind of job leaves it to others, and warns about it.
func TestUnfit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		jobs := some(20)
		for i := range jobs {
			jobs[i].Kind = []string{"ask", "run"}[i%2]
		}
		add(t, db, jobs, Limits{})
		said := make(chan string, 100)
		var asked atomic.Int64
		without := Worker{Warn: func(text string) { said <- text }, Do: func(_ context.Context, p json.RawMessage) (json.RawMessage, Retry) {
			if n, _ := strconv.Atoi(string(p)); n%2 == 0 {
				asked.Add(1)
				return nil, Retry{Error: "there is no claude program", Unfit: true}
			}
			return nil, Retry{}
		}}
		workers(t, o, 1, without)
		id := idOf(t, db, "b")
		s := until(t, db, "done but for asks", func(s *Status) bool { return s.Done == 10 && s.Open == 0 })
		if s.Waiting != 10 || s.Stopped != "" {
			t.Errorf("%+v", *s)
		}
		if text := <-said; !strings.Contains(text, "takes no ask jobs: there is no claude program") || len(said) > 0 {
			t.Errorf("said %q, and %d more", text, len(said))
		}
		crew, err := db.Crew(t.Context())
		if err != nil || len(crew.Unfit) != 1 || crew.Unfit[0].Kind != "ask" || crew.Unfit[0].Host == "" {
			t.Errorf("%+v, %v", crew, err)
		}
		before := asked.Load()
		workers(t, o, 1, Worker{Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) { return nil, Retry{} }})
		until(t, db, "over", over)
		if n := asked.Load(); n != before {
			t.Errorf("asked %d times, then %d", before, n)
		}
		for r, err := range db.Jobs(t.Context(), id, Query{}) {
			if err != nil || r.State != Done || r.Attempts != 1 {
				t.Errorf("%+v, %v", r, err)
			}
		}
	})
}

// A job without its own limit gets a share of the budget.
func TestShares(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		jobs := some(20)
		for i := range jobs {
			jobs[i].Share = true
		}
		add(t, db, jobs, Limits{BudgetUSD: 1})
		var most atomic.Int64
		workers(t, o, 1, Worker{Do: func(ctx context.Context, _ json.RawMessage) (json.RawMessage, Retry) {
			held := int64(Current(ctx).HeldUSD * 1e6)
			for old := most.Load(); held > old && !most.CompareAndSwap(old, held); old = most.Load() {
			}
			return nil, Retry{CostUSD: 0.15}
		}})
		s := until(t, db, "short", func(s *Status) bool { return s.Short })
		if s.Done != 6 || s.CostUSD > 1 || most.Load() > 1_000_000 || most.Load() == 0 {
			t.Errorf("%+v, most set aside: %d", *s, most.Load())
		}
	})
}

// Only a worker that names a private batch takes its jobs, and List does not return the batch.
func TestPrivate(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		added, err := db.Add(t.Context(), Name{Name: "mine", Private: true}, some(3), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		add(t, db, some(3), Limits{})
		var n atomic.Int64
		do := func(context.Context, json.RawMessage) (json.RawMessage, Retry) { n.Add(1); return nil, Retry{} }
		workers(t, o, 1, Worker{Do: do})
		until(t, db, "over", over)
		if list, err := db.List(t.Context()); err != nil || len(list) != 1 || n.Load() != 3 {
			t.Errorf("%+v, %v, %d ran", list, err, n.Load())
		}
		workers(t, o, 1, Worker{Do: do, Batches: []int64{added.ID}})
		for {
			s, err := db.Status(t.Context(), added.ID)
			if err != nil {
				t.Fatal(err)
			}
			if s.Done == 3 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if err := db.Remove(t.Context(), added.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Status(t.Context(), added.ID); !errors.Is(err, ErrNoBatch) {
			t.Errorf("after its end: %v", err)
		}
	})
}

// The same name in another folder is another batch. A batch that starts over keeps the old one.
func TestNames(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		put := func(n Name, want int) Addition {
			t.Helper()
			added, err := db.Add(t.Context(), n, some(2), Limits{})
			if err != nil || added.New != want {
				t.Errorf("%+v: %+v, %v", n, added, err)
			}
			return added
		}
		one, two := Name{Name: "n", Folder: "/one"}, Name{Name: "n", Folder: "/two"}
		put(one, 2)
		put(two, 2)
		put(one, 0)
		put(Name{Name: "n", Folder: "/one", ByName: true}, 2)
		if added := put(Name{Name: "n", Folder: "/two", ByName: true}, 0); added.Folder != "/one" {
			t.Errorf("%+v", added)
		}
		if was, err := db.Renew(t.Context(), one); !was || err != nil {
			t.Errorf("renew: %v, %v", was, err)
		}
		put(one, 2)
		found, err := db.Find(t.Context(), "n")
		if err != nil || len(found) != 4 || !found[0].Old || found[3].Old || found[3].Folder != "/one" {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

func TestBudget(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		jobs := some(40)
		for i := range jobs {
			if jobs[i].MaxUSD = 0.5; i >= 35 {
				jobs[i].MaxUSD = 0
			}
		}
		add(t, db, jobs, Limits{BudgetUSD: 2})
		var starts atomic.Int64
		do := func(_ context.Context, p json.RawMessage) (json.RawMessage, Retry) {
			starts.Add(1)
			time.Sleep(20 * time.Millisecond)
			if len(p) == 2 && p[0] == '3' && p[1] >= '5' {
				return nil, Retry{}
			}
			return nil, Retry{CostUSD: 0.4}
		}
		stop := workers(t, o, 3, Worker{Do: do})
		s := until(t, db, "short", func(s *Status) bool { return s.Short })
		// Four cost 1.6, and a fifth could cost more than the rest of the budget. Free jobs
		// continue.
		if s.CostUSD != 1.6 || s.Done != 9 || s.Waiting != 31 || s.HeldUSD != 0 {
			t.Errorf("status: %+v", *s)
		}
		stop()
		if starts.Load() != 9 {
			t.Errorf("%d starts", starts.Load())
		}
		// With a larger budget it continues.
		if n, err := addTo(t, db, "b", jobs, Limits{BudgetUSD: 20}); n != 0 || err != nil {
			t.Errorf("added %d, %v", n, err)
		}
		workers(t, o, 1, Worker{Do: do})
		if s := until(t, db, "over", over); s.Done != 40 || s.CostUSD != 14 {
			t.Errorf("status: %+v", *s)
		}
	})
}

func TestPause(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		jobs := some(20)
		for i := range jobs {
			if i%2 == 0 {
				jobs[i].Kind = "free"
			}
		}
		add(t, db, jobs, Limits{})
		var reset, hits, after atomic.Int64
		workers(t, o, 2, Worker{Do: func(_ context.Context, p json.RawMessage) (json.RawMessage, Retry) {
			if n := int(p[len(p)-1] - '0'); n%2 == 0 {
				return nil, Retry{}
			}
			reset.CompareAndSwap(0, time.Now().Add(3*time.Second).UnixMilli())
			if at := time.UnixMilli(reset.Load()); time.Now().Before(at.Add(-50 * time.Millisecond)) {
				hits.Add(1)
				return nil, Retry{Error: "limit reached", Until: at}
			}
			after.Add(1)
			return nil, Retry{}
		}})
		until(t, db, "over", over)
		// After the first job has met the limit, all know it, except perhaps jobs that had started.
		if n := hits.Load(); n == 0 || n > 8 || after.Load() != 10 {
			t.Errorf("%d met the limit, %d ran after it", n, after.Load())
		}
		for _, r := range results(t, db) {
			if r.State != Done || r.Attempts != 1 {
				t.Errorf("%+v", r)
			}
		}
	})
}

func TestStop(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(10), Limits{Concurrency: 1})
		var starts atomic.Int64
		var mended atomic.Bool
		workers(t, o, 2, Worker{Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) {
			if starts.Add(1); mended.Load() {
				return nil, Retry{}
			}
			return nil, Retry{Error: "401", Stop: Credentials}
		}})
		s := until(t, db, "stopped", func(s *Status) bool { return s.Stopped != "" })
		if s.Stopped != Credentials || s.Waiting != 10 || starts.Load() != 1 {
			t.Errorf("%d starts, status: %+v", starts.Load(), *s)
		}
		mended.Store(true)
		if was, err := db.Resume(t.Context(), idOf(t, db, "b")); was != Credentials || err != nil {
			t.Errorf("resume: %q, %v", was, err)
		}
		if s := until(t, db, "over", over); s.Done != 10 {
			t.Errorf("status: %+v", *s)
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		jobs := some(10)
		jobs[9].Needs = []string{"a0"}
		add(t, db, jobs, Limits{})
		started, cut := make(chan string, 20), make(chan string, 20)
		begin(t, &Worker{DB: open(t, o), Slots: 2, Do: func(ctx context.Context, p json.RawMessage) (json.RawMessage, Retry) {
			Note(ctx, "thinking of "+string(p))
			started <- string(p)
			<-ctx.Done()
			cut <- string(p)
			return nil, Retry{Error: "cut"}
		}})
		first := []string{<-started, <-started}
		slices.Sort(first)
		if got := strings.Join(first, " "); got != "0 1" {
			t.Errorf("the first to start were %s", got)
		}
		for range 1000 { // until the worker has reported
			running, err := db.Running(t.Context(), idOf(t, db, "b"))
			if err != nil {
				t.Fatal(err)
			}
			if len(running) == 2 && running[0].Note == "thinking of 0" && running[1].ID == "a1" && !running[0].Started.IsZero() {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if n, err := db.Cancel(t.Context(), idOf(t, db, "b"), []string{"a0", "a5"}); n != 2 || err != nil {
			t.Errorf("cancel: %d, %v", n, err)
		}
		if got := <-cut; got != "0" {
			t.Errorf("%s was ended", got)
		}
		if got := <-started; got != "2" {
			t.Errorf("%s took its place", got)
		}
		r := results(t, db)
		if r["a0"].State != Canceled || r["a5"].State != Canceled || r["a9"].State != Skipped || r["a1"].State != Opened {
			t.Errorf("results: %+v", r)
		}
		if n, err := db.Cancel(t.Context(), idOf(t, db, "b"), nil); n != 7 || err != nil {
			t.Errorf("cancel all: %d, %v", n, err)
		}
		<-cut
		<-cut
		if s := until(t, db, "over", over); s.Canceled != 9 || s.Skipped != 1 {
			t.Errorf("status: %+v", *s)
		}
	})
}

// A stopped worker returns its jobs, and their attempts do not count.
func TestGiveBack(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(4), Limits{})
		started := make(chan bool, 10)
		stop := begin(t, &Worker{DB: db, Do: func(ctx context.Context, p json.RawMessage) (json.RawMessage, Retry) {
			started <- true
			<-ctx.Done()
			if string(p) == "0" {
				return nil, Retry{} // just finished
			}
			return nil, Retry{Error: "interrupted"}
		}})
		for range 4 {
			<-started
		}
		stop()
		if s := until(t, db, "given back", func(s *Status) bool { return s.Open+s.Waiting == 3 }); s.Done != 1 {
			t.Errorf("status: %+v", *s)
		}
		begin(t, &Worker{DB: db, Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) { return nil, Retry{} }})
		until(t, db, "over", over)
		for _, r := range results(t, db) {
			if r.State != Done || r.Attempts != 1 || r.Error != "" {
				t.Errorf("%+v", r)
			}
		}
	})
}

// A batch of several chunks is canceled completely while a worker works on it. Nothing of it starts
// in the meantime.
func TestCancelMany(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(2*chunk+10), Limits{})
		started := make(chan bool, chunk)
		begin(t, &Worker{DB: open(t, o), Slots: 2, Do: func(ctx context.Context, _ json.RawMessage) (json.RawMessage, Retry) {
			started <- true
			<-ctx.Done()
			return nil, Retry{Error: "cut"}
		}})
		<-started
		<-started
		if n, err := db.Cancel(t.Context(), idOf(t, db, "b"), nil); n != 2*chunk+10 || err != nil {
			t.Errorf("cancel: %d, %v", n, err)
		}
		s := until(t, db, "over", over)
		if s.Canceled != 2*chunk+10 || s.Stopped != "" || s.HeldUSD != 0 {
			t.Errorf("%+v", *s)
		}
		if n := len(started); n > room(0, 2, 0) {
			t.Errorf("%d more started", n)
		}
		if n, err := db.Cancel(t.Context(), idOf(t, db, "b"), nil); n != 0 || err != nil {
			t.Errorf("again: %d, %v", n, err)
		}
	})
}

// A worker completes the work of a process that died: it cancels the remaining jobs, and starts
// nothing.
func TestCancelBegun(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		add(t, db, some(chunk+10), Limits{})
		if err := db.change(t.Context(), idOf(t, db, "b"), func(c *change) error {
			_, err := c.cancelSome(first)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		s := until(t, db, "begun", func(*Status) bool { return true })
		if s.Canceled != chunk || s.Waiting != 10 || s.Stopped != Canceling || s.Still() {
			t.Errorf("%+v", *s)
		}
		begin(t, &Worker{DB: open(t, o), Do: func(_ context.Context, p json.RawMessage) (json.RawMessage, Retry) {
			t.Errorf("%s ran", p)
			return nil, Retry{}
		}})
		if s := until(t, db, "over", over); s.Canceled != chunk+10 || s.Stopped != "" {
			t.Errorf("%+v", *s)
		}
	})
}

// A transaction that takes longer than our patience and then loses its connection is tried again.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &DB{store: busy{}, patience: 15 * time.Second}
		for _, tt := range []struct {
			failures    int
			tries, want time.Duration // how long each failure takes; how long everything takes
			ok          bool
		}{
			{1, 20 * time.Second, 20 * time.Second, true},
			{2, 20 * time.Second, 40 * time.Second, false},
			{1000, 0, 15 * time.Second, false},
			{10, 0, 2 * time.Second, true},
		} {
			began, n := time.Now(), 0
			err := db.retry(t.Context(), func() error {
				if n++; n > tt.failures {
					return nil
				}
				time.Sleep(tt.tries)
				return errors.New("connection lost")
			})
			if took := time.Since(began).Round(time.Second); (err == nil) != tt.ok || took != tt.want {
				t.Errorf("%d failures of %v: %v after %v, want %v", tt.failures, tt.tries, err, took, tt.want)
			}
		}
	})
}

// A busy is a database whose errors all pass.
type busy struct{ store }

func (busy) passes(error) bool { return true }

// A worker of one batch ignores the others. A worker of all batches also takes new ones.
func TestBatches(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		var mu sync.Mutex
		seen := map[string]int{}
		do := func(_ context.Context, p json.RawMessage) (json.RawMessage, Retry) {
			mu.Lock()
			defer mu.Unlock()
			seen[string(p)]++
			return nil, Retry{}
		}
		put := func(name, payload string) {
			if _, err := addTo(t, db, name, []Job{{ID: "x", Payload: json.RawMessage(payload)}}, Limits{}); err != nil {
				t.Fatal(err)
			}
		}
		put("other", `"other"`)
		put("b", `"b"`)
		stop := begin(t, &Worker{DB: db, Do: do, Batches: []int64{idOf(t, db, "b")}})
		until(t, db, "over", over)
		stop()
		if seen[`"other"`] != 0 || seen[`"b"`] != 1 {
			t.Errorf("seen: %v", seen)
		}
		begin(t, &Worker{DB: db, Do: do})
		put("late", `"late"`)
		for {
			list, err := db.List(t.Context())
			if err != nil || len(list) != 3 {
				t.Fatalf("%v, %v", list, err)
			}
			if list[0].Done+list[2].Done == 2 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
}
