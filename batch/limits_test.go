package batch

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// workers starts n workers, each with a connection of its own, as processes would have.
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
		add(t, db, some(60), Limits{Concurrency: 3})
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

func TestRate(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		const perWindow, window = 10, time.Second
		add(t, db, some(35), Limits{Starts: perWindow, Window: window})
		workers(t, o, 3, Worker{Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) { return nil, Retry{} }})
		until(t, db, "over", over)
		// As the batch allotted them: when a busy machine comes to it is not ours to say.
		at, err := all(t.Context(), db.store, scanNumber, `SELECT CAST(args ->> 'at' AS bigint) FROM river_job ORDER BY 1`)
		if err != nil || len(at) != 35 {
			t.Fatalf("%d starts, %v", len(at), err)
		}
		for i, first := range at {
			n := 0
			for _, a := range at[i:] {
				if a < first+window.Milliseconds() {
					n++
				}
			}
			if n > perWindow {
				t.Errorf("%d starts in the window at %d", n, first)
			}
		}
		// None began before its time.
		for _, r := range results(t, db) {
			if !slices.ContainsFunc(at, func(a int64) bool { return a <= r.Started.UnixMilli()+1 }) {
				t.Errorf("%s began at %v", r.ID, r.Started)
			}
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
		// Four cost 1.6; a fifth could cost more than is left. What is free goes on.
		if s.CostUSD != 1.6 || s.Done != 9 || s.Waiting != 31 || s.HeldUSD != 0 {
			t.Errorf("status: %+v", *s)
		}
		stop()
		if starts.Load() != 9 {
			t.Errorf("%d starts", starts.Load())
		}
		// With more money it goes on.
		if n, err := db.Add(t.Context(), "b", jobs, Limits{BudgetUSD: 20}); n != 0 || err != nil {
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
		// The limit is known to all once the first has met it, give or take those under way.
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
		add(t, db, some(50), Limits{Concurrency: 1})
		var starts atomic.Int64
		var mended atomic.Bool
		workers(t, o, 2, Worker{Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) {
			if starts.Add(1); mended.Load() {
				return nil, Retry{}
			}
			return nil, Retry{Error: "401", Stop: Credentials}
		}})
		s := until(t, db, "stopped", func(s *Status) bool { return s.Stopped != "" })
		if s.Stopped != Credentials || s.Waiting != 50 || starts.Load() != 1 {
			t.Errorf("%d starts, status: %+v", starts.Load(), *s)
		}
		mended.Store(true)
		if was, err := db.Resume(t.Context(), "b"); was != Credentials || err != nil {
			t.Errorf("resume: %q, %v", was, err)
		}
		if s := until(t, db, "over", over); s.Done != 50 {
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
		for range 1000 { // until the worker has told
			running, err := db.Running(t.Context(), "b")
			if err != nil {
				t.Fatal(err)
			}
			if len(running) == 2 && running[0].Note == "thinking of 0" && running[1].ID == "a1" && !running[0].Started.IsZero() {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if n, err := db.Cancel(t.Context(), "b", []string{"a0", "a5"}); n != 2 || err != nil {
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
		if n, err := db.Cancel(t.Context(), "b", nil); n != 7 || err != nil {
			t.Errorf("cancel all: %d, %v", n, err)
		}
		<-cut
		<-cut
		if s := until(t, db, "over", over); s.Canceled != 9 || s.Skipped != 1 {
			t.Errorf("status: %+v", *s)
		}
	})
}

// A worker that is stopped gives its jobs back, uncounted.
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
				return nil, Retry{} // just done
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

// A worker of one batch leaves the others alone; one of all takes those that come.
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
			if _, err := db.Add(t.Context(), name, []Job{{ID: "x", Payload: json.RawMessage(payload)}}, Limits{}); err != nil {
				t.Fatal(err)
			}
		}
		put("other", `"other"`)
		put("b", `"b"`)
		stop := begin(t, &Worker{DB: db, Do: do, Batches: []string{"b"}})
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
