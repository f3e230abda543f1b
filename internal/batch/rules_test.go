package batch

import (
	"fmt"
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
		{
			"cut off without a word of its cost", tried, returned, Retry{Error: "interrupted"},
			step{state: Waiting, due: now, tries: 2, spent: 500_000, fault: "interrupted"},
		},
		{
			"a time-out whose cost is unknown", fresh, finished, Retry{Error: "slow", CostUnknown: true},
			step{state: Failed, due: now, tries: 1, spent: 500_000, fault: "slow"},
		},
		{"cannot be done here", tried, finished, Retry{Error: "no claude", Unfit: true},
			step{state: Waiting, due: now, tries: 2, fault: "no claude"}},
		{"done", fresh, finished, Retry{CostUSD: 0.1}, step{state: Done, due: now, tries: 1, spent: 100_000}},
		{"failed", fresh, finished, Retry{Error: "no"}, step{state: Failed, due: now, tries: 1, fault: "no"}},
		{"again", fresh, finished, Retry{Error: "busy", Again: true}, step{state: Waiting, due: now + 1000, tries: 1, fault: "busy"}},
		{"again, later", fresh, finished, Retry{Error: "busy", Again: true, After: time.Minute},
			step{state: Waiting, due: now + 60_000, tries: 1, fault: "busy"}},
		{
			"again, not before the backoff", fresh, finished, Retry{Error: "busy", Again: true, After: 1},
			step{state: Waiting, due: now + 1000, tries: 1, fault: "busy"},
		},
		{"once too often", tried, finished, Retry{Error: "busy", Again: true}, step{state: Failed, due: now, tries: 3, fault: "busy"}},
		{
			"a limit with a reset costs no attempt", tried, finished, Retry{Error: "limit", Until: reset},
			step{state: Waiting, due: now + 3_600_000, tries: 2, fault: "limit", pause: now + 3_600_000},
		},
		{
			"credentials stop the batch", tried, finished, Retry{Error: "401", Stop: Credentials},
			step{state: Waiting, due: now, tries: 2, fault: "401", stop: Credentials},
		},
		{"given back", tried, returned, Retry{Error: "interrupted", CostUSD: 0.25},
			step{state: Waiting, due: now, tries: 2, spent: 250_000, fault: "interrupted"}},
		{
			"a worker died: no attempt, all the money", tried, lost, Retry{},
			step{state: Waiting, due: now, tries: 2, kills: 1, spent: 500_000, fault: "its worker died"},
		},
		{"the fifth worker died", killed, lost, Retry{}, step{state: Failed, due: now, kills: 5, spent: 500_000,
			fault: "its worker died 5 times"}},
		{"done in spite of four deaths", killed, finished, Retry{}, step{state: Done, due: now, tries: 1, kills: 4}},
	}
	for _, tt := range tests {
		if got := next(tt.d, ending{how: tt.how, began: true, retry: tt.r}, now); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// A job that had not started is not to blame, and has cost nothing.
func TestNotBegun(t *testing.T) {
	t.Parallel()
	d := delivery{Job: 1, N: 3, Kills: 2, Cost: 500_000}
	if got := next(d, ending{how: lost}, 7); got.kills != 2 || got.spent != 0 || got.state != Waiting {
		t.Errorf("its worker died: %+v", got)
	}
	if got := next(d, ending{how: returned}, 7); got.spent != 0 || got.state != Waiting {
		t.Errorf("given back: %+v", got)
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for tries, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second, 7: time.Minute,
		70: time.Minute} {
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
		{0, 0, 0, 8}, // there are no workers yet
		{0, 8, 0, 24},
		{0, 8, 24, 0},
		{0, 8, 23, 0}, // one more delivery would wake all
		{0, 8, 22, 2},
		{0, 200, 359, 0}, // all have enough
		{0, 200, 358, 50},
	}
	for _, tt := range tests {
		if got := room(tt.concurrency, tt.slots, tt.open); got != tt.want {
			t.Errorf("room(%d, %d, %d) = %d, want %d", tt.concurrency, tt.slots, tt.open, got, tt.want)
		}
	}
	for workers, want := range map[int]time.Duration{0: 2 * time.Millisecond, 1: 2 * time.Millisecond, 100: 200 * time.Millisecond,
		5000: 2 * time.Second} {
		if got := pause(workers); got != want {
			t.Errorf("pause(%d) = %v, want %v", workers, got, want)
		}
	}
}

func TestSetAside(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		own   int64
		a     account
		limit int64
		held  int64
	}{
		{"nobody knows what one costs", -1, account{left: 100, alone: true, free: 4}, 100, 100},
		{"an equal part each", -1, account{left: 100, free: 4, attempt: 10}, 25, 25},
		{"two can start", -1, account{left: 100, free: 4, attempt: 40}, 50, 50},
		{"one can", -1, account{left: 100, free: 4, attempt: 60}, 100, 100},
		{"none can", -1, account{left: 100, free: 4, attempt: 101, alone: true}, 0, 0},
		{"nothing is left", -1, account{alone: true, free: 1}, 0, 0},
		{"its own limit", 40, account{left: 100, free: 4}, 40, 40},
		{"its own limit is too much", 101, account{left: 100, free: 4, alone: true}, 0, 0},
		{"a turn of any price: the first, alone", -1, account{left: 100, free: 4, alone: true, mostTurn: -1}, 100, 100},
		{"a turn of any price: alone", -1, account{left: 100, free: 4, alone: true, attempt: 20, turn: 10, mostTurn: -1}, 90, 100},
		{"a turn of any price: not beside another", -1, account{left: 100, free: 4, attempt: 20, turn: 10, mostTurn: -1}, 0, 0},
		{"a turn of any price: its own limit, alone", 40, account{left: 100, free: 4, alone: true, turn: 10, mostTurn: -1}, 40, 50},
		{"a turn of any price: its own limit, not beside another", 40, account{left: 100, free: 4, turn: 10, mostTurn: -1}, 0, 0},
		{"the dearest turn would be too much", 40, account{left: 100, free: 4, alone: true, turn: 61, mostTurn: -1}, 0, 0},
		{"what is left covers no turn", -1, account{left: 10, free: 4, alone: true, attempt: 10, turn: 10, mostTurn: -1}, 0, 0},
		{"turns have a price: as many as are covered", -1, account{left: 100, free: 4, attempt: 10, turn: 5, mostTurn: 30}, 20, 50},
		{"turns have a price: its own limit", 10, account{left: 100, free: 4, turn: 5, mostTurn: 30}, 10, 40},
		{"turns have a price: again one alone", -1, account{left: 35, free: 4, alone: true, attempt: 10, turn: 5, mostTurn: 30}, 30, 35},
		{"turns have a price: again not beside another", -1, account{left: 35, free: 4, attempt: 10, turn: 5, mostTurn: 30}, 0, 0},
	}
	for _, tt := range tests {
		if limit, held := tt.a.setAside(tt.own); limit != tt.limit || held != tt.held {
			t.Errorf("%s: setAside(%d) = %d, %d, want %d, %d", tt.name, tt.own, limit, held, tt.limit, tt.held)
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

func TestDecide(t *testing.T) {
	t.Parallel()
	running, alive := sighting{job: 1, row: 1, running: true}, sighting{job: 1, row: 1, running: true, live: true}
	past, pastAlive := sighting{row: 1, running: true}, sighting{row: 1, running: true, live: true}
	tests := []struct {
		name                 string
		s                    sighting
		missing, old, nobody bool
		want                 action
	}{
		{"waits to be taken", sighting{job: 1, row: 1}, false, false, false, leave},
		{"waits to be taken, and no worker can", sighting{job: 1, row: 1}, false, false, true, giveUp},
		{"runs", alive, false, true, false, leave},
		{"runs, though no worker can begin another", alive, false, true, true, leave},
		{"its worker died", running, false, false, false, adopt},
		{"its worker never got it", alive, true, false, false, giveUp},
		{"no delivery", sighting{job: 1}, false, false, false, giveUp},
		{"a delivery of the past runs", pastAlive, false, true, false, leave},
		{"a delivery of the past, its worker died", past, false, false, false, leave},
		{"a delivery of the past, its worker died long ago", past, false, true, false, drop},
		{"a delivery of the past, never got", pastAlive, true, true, false, drop},
		{"a delivery of the past, not yet taken", sighting{row: 1}, false, true, true, leave}, // the worker that takes it will notice
	}
	for _, tt := range tests {
		if got := decide(tt.s, tt.missing, tt.old, tt.nobody); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestMicros(t *testing.T) {
	t.Parallel()
	for usd, want := range map[float64]int64{0: 0, -1: 0, 0.1: 100_000, 0.3: 300_000, 0.5: 500_000, 25: 25_000_000, 0.0000001: 1,
		0.1234567: 123_457} {
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
