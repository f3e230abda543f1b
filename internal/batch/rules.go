package batch

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// The rules of the state machine. Every function here depends only on its arguments. Times are
// milliseconds of the database's clock, money is in millionths of a dollar.

// maxKills is how many workers may die while they run a job before the job fails.
const maxKills = 5

// aloneAfter is how many workers may die while they run a job before the job runs alone in its
// worker. A job that kills its worker then affects no other jobs.
const aloneAfter = 2

// A delivery is a permit to run a job once, as River stores it. It has the data that cannot change
// while the job is open.
type delivery struct {
	Batch   int64 `json:"b"`
	Job     int64 `json:"j"`
	N       int   `json:"n"` // the delivery's number, from 1
	Tries   int   `json:"tries,omitempty"`
	Kills   int   `json:"kills,omitempty"`
	Retries int   `json:"retries,omitempty"`
	Cost    int64 `json:"cost,omitempty"`  // set aside
	Limit   int64 `json:"limit,omitempty"` // the most that it may cost
}

// Kind returns the name of our deliveries among the rows of River.
func (delivery) Kind() string { return "skillhand" }

// A how says how a delivery ended.
type how string

const (
	finished how = "finished" // the function returned
	returned how = "returned" // the worker gave it back
	lost     how = "lost"     // its worker died
)

// A step is a job's next state after a delivery has ended.
type step struct {
	state        State
	due          int64
	tries, kills int
	spent        int64
	fault        string
	pause        int64 // jobs of this kind start no earlier than this
	stop         Stop
}

// An ending says how a delivery ended.
type ending struct {
	how   how
	began bool // as far as is known, the function was called
	retry Retry
}

func next(d delivery, e ending, now int64) step {
	r := e.retry
	s := step{state: Waiting, due: now, tries: d.Tries, kills: d.Kills, spent: micros(r.CostUSD), fault: r.Error}
	if r.CostUnknown && s.spent == 0 {
		s.spent = d.Cost
	}
	switch {
	case e.how == lost && !e.began:
		s.fault = "its worker died before it began"
	case e.how == lost:
		s.spent = d.Cost // the cost is unknown: all of the reservation counts
		s.kills++
		s.fault = "its worker died"
		if s.kills >= maxKills {
			s.state, s.fault = Failed, fmt.Sprintf("its worker died %d times", s.kills)
		}
	case e.how == returned:
		if e.began && s.spent == 0 {
			s.spent = d.Cost // the job was cut off and did not report its cost
		}
	case r.Error == "":
		s.state = Done
		s.tries++
	case r.Unfit:
	case r.Stop != "":
		s.stop = r.Stop
	case !r.Until.IsZero():
		s.due = r.Until.UnixMilli()
		s.pause = s.due
	case r.Again && d.Tries < d.Retries:
		s.tries++
		s.due = now + max(r.After, backoff(s.tries, d.Job)).Milliseconds()
	default:
		s.state = Failed
		s.tries++
	}
	return s
}

// backoff returns how long to wait after a number of failures, if nothing else was asked for. It is
// a second, doubled after each failure up to a minute. It is shortened by up to a quarter, so that
// jobs that failed together start at different times.
func backoff(tries int, job int64) time.Duration {
	wait := time.Second << min(tries-1, 6)
	return min(wait, time.Minute) * time.Duration(100-uint64(job)*37%25) / 100
}

// room returns how many more deliveries may be open. These are as many as the limit allows. Without
// a limit they are enough to keep all slots of all workers busy while the next deliveries arrive.
// Deliveries wake all workers, so many workers get many at a time.
func room(concurrency, slots, open int) int {
	if concurrency > 0 {
		return max(0, concurrency-open)
	}
	free := max(0, 2*slots+8-open)
	if free < slots/4 {
		return 0
	}
	return free
}

// pause returns how long a worker waits between two looks for deliveries. All workers together look
// as often as one worker would alone.
func pause(workers int) time.Duration {
	return min(2*time.Millisecond*time.Duration(max(workers, 1)), 2*time.Second)
}

// An account is the state of a budget when another job wants to start.
type account struct {
	left     int64 // neither spent nor set aside
	alone    bool  // nothing is set aside: no other job with a cost is open
	free     int   // jobs that may start now
	attempt  int64 // the most expensive attempt so far; 0 if none has ended
	turn     int64 // the most expensive turn so far
	mostTurn int64 // 0: jobs obey their limits; above 0: a turn costs at most this; -1: unknown
}

// setAside decides what a job may cost and how much of the budget to set aside for it. own is the
// job's own limit, or -1 for a share of the remaining budget. If held is 0, the job cannot start
// now.
//
// A job with turns stops after the turn that exceeds its limit. Several such jobs run at the same
// time only while the remaining budget covers the limit and the most expensive possible turn of
// each. Otherwise one runs alone, with its limit and the most expensive turn so far set aside. If
// its last turn is more expensive than that, the batch exceeds the budget by a part of that turn.
func (a account) setAside(own int64) (limit, held int64) {
	most := max(a.mostTurn, 0)
	if a.left <= 0 {
		return 0, 0
	}
	if a.mostTurn >= 0 {
		switch fit := min(a.free, int(a.left/(max(a.attempt, 1)+most))); {
		case own > 0 && own+most <= a.left:
			return own, own + most
		case own < 0 && a.attempt > 0 && fit > 0:
			held = a.left / int64(fit)
			return held - most, held
		}
	}
	switch {
	case !a.alone || a.left <= a.turn:
	case own > 0 && own+a.turn <= a.left:
		return own, own + a.turn
	case own < 0 && a.left >= a.attempt:
		return a.left - a.turn, a.left
	}
	return 0, 0
}

// interval returns the time between two starts. It is a little longer than the rate requires: a
// late start must not bring one start too many into a window.
func (l Limits) interval() int64 {
	if l.Starts <= 0 || l.Window <= 0 {
		return 0
	}
	return int64(math.Ceil(float64(l.Window.Milliseconds()) / float64(l.Starts) * 1.02))
}

// A holder says who holds a worker's lock file.
type holder int

const (
	unknown holder = iota // not a file of this machine
	held                  // a process holds it
	free                  // no process holds it any more
)

// dead reports whether a worker is dead. A free lock proves it at once. Silence proves it only if
// we could have heard the worker: while the database was up, and while we listened.
func dead(lock holder, beat, now, up, since, lease int64) bool {
	if lock == free {
		return true
	}
	return lease > 0 && now-max(beat, up, since) > lease
}

// A sighting is an open job together with its delivery, or one of the two alone.
type sighting struct {
	batch, job int64 // 0 means a delivery without an open job
	kind       string
	n          int
	begun      int    // the last delivery that is known to have begun
	row        int64  // of River; 0 means an open job without a delivery
	running    bool   // if false, it waits to be taken
	worker     string // the worker that took it
	live       bool   // that worker is alive
	rowJob     int64  // the job and number of the delivery
	rowN       int
	d          delivery
}

// An action says what to do about a sighting.
type action int

const (
	leave  action = iota
	drop          // remove a delivery that no longer counts
	giveUp        // send the job back: its delivery does not exist, or no worker took it
	adopt         // send the job back: its worker died
)

// decide returns what to do about a sighting. missing means that we took the delivery and never got
// it: the database sent it, and its response was lost. old means that this, or the death of the
// worker, was long ago. Only then decide drops a delivery. The worker may be dead only in our view,
// and then River must not find a delivery changed while it finishes it. nobody means that no worker
// can do jobs of this kind.
func decide(s sighting, missing, old, nobody bool) action {
	gone := s.running && (!s.live || missing)
	switch {
	case s.row == 0:
		return giveUp
	case gone && s.job == 0 && old:
		return drop
	case s.job != 0 && !s.running && nobody:
		return giveUp
	case !gone || s.job == 0:
		return leave
	case s.live:
		return giveUp
	}
	return adopt
}

// began reports whether the job of a lost delivery may have begun. That is recorded only for jobs
// with which a worker has died before.
func (s sighting) began() bool { return s.d.Kills == 0 || s.begun == s.n }

// Circle returns the ids of jobs that need each other in a circle, the first id again at the end.
// It returns nil if there is no circle.
func Circle(jobs []Job) []string {
	const (
		entered = 1
		left    = 2
	)
	needs := make(map[string][]string, len(jobs))
	for _, j := range jobs {
		needs[j.ID] = j.Needs
	}
	mark := map[string]int{}
	type step struct {
		id string
		at int // of its needs
	}
	for _, j := range jobs {
		if mark[j.ID] != 0 {
			continue
		}
		path := []step{{id: j.ID}}
		mark[j.ID] = entered
		for len(path) > 0 {
			p := &path[len(path)-1]
			if p.at == len(needs[p.id]) {
				mark[p.id] = left
				path = path[:len(path)-1]
				continue
			}
			need := needs[p.id][p.at]
			p.at++
			switch mark[need] {
			case 0:
				mark[need] = entered
				path = append(path, step{id: need})
			case entered:
				from := slices.IndexFunc(path, func(q step) bool { return q.id == need })
				var ring []string
				for _, q := range path[from:] {
					ring = append(ring, q.id)
				}
				return append(ring, need)
			}
		}
	}
	return nil
}

// micros returns millionths of a dollar, rounded up: the sum is never less than what was spent.
func micros(usd float64) int64 {
	if usd <= 0 || math.IsNaN(usd) {
		return 0
	}
	return int64(math.Ceil(math.Min(usd, 1e9)*1e6 - 1e-6))
}

func dollars(micros int64) float64 { return float64(micros) / 1e6 }
