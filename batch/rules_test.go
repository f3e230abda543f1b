package batch

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

func TestNext(t *testing.T) {
	t.Parallel()
	const now = 1_000_000
	reset := time.UnixMilli(now + 3_600_000)
	fresh := delivery{Job: 25, N: 1, Retries: 2, Cost: 500_000} // backoff of job 25 is whole
	tried := fresh
	tried.Tries = 2
	killed := fresh
	killed.Kills = 4
	tests := []struct {
		name string
		d    delivery
		how  how
		r    Retry
		want step
	}{
		{"done", fresh, finished, Retry{CostUSD: 0.1}, step{state: Done, due: now, tries: 1, spent: 100_000}},
		{"failed", fresh, finished, Retry{Error: "no"}, step{state: Failed, due: now, tries: 1, fault: "no"}},
		{"again", fresh, finished, Retry{Error: "busy", Again: true}, step{state: Waiting, due: now + 1000, tries: 1, fault: "busy"}},
		{"again, later", fresh, finished, Retry{Error: "busy", Again: true, After: time.Minute}, step{state: Waiting, due: now + 60_000, tries: 1, fault: "busy"}},
		{"again, not before the backoff", fresh, finished, Retry{Error: "busy", Again: true, After: 1}, step{state: Waiting, due: now + 1000, tries: 1, fault: "busy"}},
		{"once too often", tried, finished, Retry{Error: "busy", Again: true}, step{state: Failed, due: now, tries: 3, fault: "busy"}},
		{"a limit with a reset costs no attempt", tried, finished, Retry{Error: "limit", Until: reset}, step{state: Waiting, due: now + 3_600_000, tries: 2, fault: "limit", pause: now + 3_600_000}},
		{"credentials stop the batch", tried, finished, Retry{Error: "401", Stop: Credentials}, step{state: Waiting, due: now, tries: 2, fault: "401", stop: Credentials}},
		{"given back", tried, returned, Retry{Error: "interrupted", CostUSD: 0.25}, step{state: Waiting, due: now, tries: 2, spent: 250_000, fault: "interrupted"}},
		{"a worker died: no attempt, all the money", tried, lost, Retry{}, step{state: Waiting, due: now, tries: 2, kills: 1, spent: 500_000, fault: "its worker died"}},
		{"the fifth worker died", killed, lost, Retry{}, step{state: Failed, due: now, kills: 5, spent: 500_000, fault: "its worker died 5 times"}},
		{"done in spite of four deaths", killed, finished, Retry{}, step{state: Done, due: now, tries: 1, kills: 4}},
	}
	for _, tt := range tests {
		if got := next(tt.d, tt.how, tt.r, now); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for tries, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 7: time.Minute, 70: time.Minute} {
		if got := backoff(tries, 0); got != want {
			t.Errorf("backoff(%d) = %v, want %v", tries, got, want)
		}
	}
	for job := range int64(1000) {
		if got := backoff(1, job); got > time.Second || got <= 750*time.Millisecond {
			t.Errorf("backoff of job %d = %v", job, got)
		}
	}
}

func TestRoom(t *testing.T) {
	t.Parallel()
	tests := []struct{ concurrency, slots, open, want int }{
		{4, 100, 0, 4},
		{4, 1, 3, 1},
		{4, 1, 4, 0},
		{4, 1, 9, 0}, // the limit was lowered
		{0, 0, 0, 8}, // nobody is there yet
		{0, 8, 0, 24},
		{0, 8, 24, 0},
	}
	for _, tt := range tests {
		if got := room(tt.concurrency, tt.slots, tt.open); got != tt.want {
			t.Errorf("room(%d, %d, %d) = %d, want %d", tt.concurrency, tt.slots, tt.open, got, tt.want)
		}
	}
}

func TestStarts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		next, now, interval, horizon int64
		n                            int
		at                           []int64
		after                        int64
	}{
		{0, 100, 0, 50, 3, []int64{100, 100, 100}, 0},
		{0, 100, 20, 50, 9, []int64{100, 120, 140}, 160},
		{0, 100, 20, 50, 2, []int64{100, 120}, 140},
		{130, 100, 20, 50, 9, []int64{130, 150}, 170},
		{151, 100, 20, 50, 9, nil, 151},
		{0, 100, 1000, 50, 9, []int64{100}, 1100},
	}
	for _, tt := range tests {
		at, after := starts(tt.next, tt.now, tt.interval, tt.horizon, tt.n)
		if !reflect.DeepEqual(at, tt.at) || after != tt.after {
			t.Errorf("starts(%d, %d, %d, %d, %d) = %d, %d, want %d, %d", tt.next, tt.now, tt.interval, tt.horizon, tt.n, at, after, tt.at, tt.after)
		}
	}
}

func TestAffordable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		budget, spent, reserved, cost int64
		want                          bool
	}{
		{0, 9, 9, 9, true}, // no budget
		{10, 4, 4, 2, true},
		{10, 4, 4, 3, false},
		{10, 11, 0, 0, true}, // what costs nothing
		{10, 11, 0, 1, false},
	}
	for _, tt := range tests {
		if got := affordable(tt.budget, tt.spent, tt.reserved, tt.cost); got != tt.want {
			t.Errorf("affordable(%d, %d, %d, %d) = %v", tt.budget, tt.spent, tt.reserved, tt.cost, got)
		}
	}
}

func TestDead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                        string
		lock                        holder
		beat, now, up, since, least int64
		want                        bool
	}{
		{"its lock is free", free, 100, 100, 0, 0, 0, true},
		{"its lock is held, for however long", held, 0, 1000, 0, 0, 0, false},
		{"silent for less than the lease", unknown, 100, 110, 0, 0, 15, false},
		{"silent for longer", unknown, 100, 116, 0, 0, 15, true},
		{"a process that is stopped holds its lock", held, 100, 116, 0, 0, 15, true},
		{"the database was away meanwhile", unknown, 100, 130, 120, 0, 15, false},
		{"the database has been back long enough", unknown, 100, 136, 120, 0, 15, true},
		{"we were away ourselves", unknown, 100, 130, 0, 120, 15, false},
	}
	for _, tt := range tests {
		if got := dead(tt.lock, tt.beat, tt.now, tt.up, tt.since, tt.least); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		s             sighting
		live, missing bool
		old           bool
		want          action
	}{
		{"waits to be taken", sighting{job: 1, row: 1}, false, false, false, leave},
		{"runs", sighting{job: 1, row: 1, running: true}, true, false, true, leave},
		{"its worker died", sighting{job: 1, row: 1, running: true}, false, false, false, adopt},
		{"its worker never got it", sighting{job: 1, row: 1, running: true}, true, true, false, giveUp},
		{"no delivery", sighting{job: 1}, false, false, false, giveUp},
		{"a delivery of the past runs", sighting{row: 1, running: true}, true, false, true, leave},
		{"a delivery of the past, its worker died", sighting{row: 1, running: true}, false, false, false, leave},
		{"a delivery of the past, its worker died long ago", sighting{row: 1, running: true}, false, false, true, drop},
		{"a delivery of the past, never got", sighting{row: 1, running: true}, true, true, true, drop},
		{"a delivery of the past, not yet taken", sighting{row: 1}, false, false, true, leave}, // who takes it sees
	}
	for _, tt := range tests {
		if got := judge(tt.s, tt.live, tt.missing, tt.old); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestMicros(t *testing.T) {
	t.Parallel()
	for usd, want := range map[float64]int64{0: 0, -1: 0, 0.1: 100_000, 0.3: 300_000, 0.5: 500_000, 25: 25_000_000, 0.0000001: 1, 0.1234567: 123_457} {
		if got := micros(usd); got != want {
			t.Errorf("micros(%v) = %d, want %d", usd, got, want)
		}
	}
}

func TestInterval(t *testing.T) {
	t.Parallel()
	for want, l := range map[int64]Limits{
		0:    {},
		2040: {Starts: 30, Window: time.Minute},
		102:  {Starts: 10, Window: time.Second},
		1020: {Starts: 1, Window: time.Second},
	} {
		if got := l.interval(); got != want {
			t.Errorf("%s: interval %d, want %d", fmt.Sprint(l), got, want)
		}
	}
}
