package batch

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// The rules of the state machine. Everything here is a function of what it is given; times are
// milliseconds of the database's clock, money is millionths of a dollar.

// maxKills is how many workers may die with a job in their hands before the job is to blame.
const maxKills = 5

// aloneAfter is how many workers may die with a job in their hands before it runs alone in its
// worker, so that a job which kills takes no others with it.
const aloneAfter = 2

// A delivery is a permit to run a job once, as River keeps it. It carries what cannot change
// while the job is open.
type delivery struct {
	Batch   int64 `json:"b"`
	Job     int64 `json:"j"`
	N       int   `json:"n"` // the delivery's number, from 1
	Tries   int   `json:"tries,omitempty"`
	Kills   int   `json:"kills,omitempty"`
	Retries int   `json:"retries,omitempty"`
	Cost    int64 `json:"cost,omitempty"`  // set aside
	Limit   int64 `json:"limit,omitempty"` // what it may cost
}

// Kind names our deliveries among the rows of River.
func (delivery) Kind() string { return "skillhand" }

// How a delivery ended.
type how string

const (
	finished how = "finished" // the function returned
	returned how = "returned" // the worker gave it back
	lost     how = "lost"     // its worker died
)

// A step is what becomes of a job when a delivery has ended.
type step struct {
	state        State
	due          int64
	tries, kills int
	spent        int64
	fault        string
	pause        int64 // jobs of this kind start no earlier
	stop         Stop
}

// An ending is how a delivery ended.
type ending struct {
	how   how
	began bool // the function was called, as far as is known
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
		s.spent = d.Cost // nobody knows: all that it may have been
		s.kills++
		s.fault = "its worker died"
		if s.kills >= maxKills {
			s.state, s.fault = Failed, fmt.Sprintf("its worker died %d times", s.kills)
		}
	case e.how == returned:
		if e.began && s.spent == 0 {
			s.spent = d.Cost // it was cut off and did not tell
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

// backoff returns how long to wait after a number of failures, if nobody said: a second, doubled each
// time up to a minute, less up to a quarter so that jobs that failed together come back apart.
func backoff(tries int, job int64) time.Duration {
	wait := time.Second << min(tries-1, 6)
	return min(wait, time.Minute) * time.Duration(100-uint64(job)*37%25) / 100
}

// room returns how many further deliveries may be out: those that the limit allows, or else enough to
// keep every slot of every worker busy while the next ones are on their way. Deliveries wake all
// workers, so many workers get many at a time.
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

// pause returns how long a worker waits between two looks for deliveries: all workers together look as
// often as one would alone.
func pause(workers int) time.Duration {
	return min(2*time.Millisecond*time.Duration(max(workers, 1)), 2*time.Second)
}

// An account is what a budget knows when a further job wants to start.
type account struct {
	left     int64 // neither spent nor set aside
	alone    bool  // nothing is set aside: no other job that costs is open
	free     int   // jobs that may start now
	attempt  int64 // the dearest attempt so far; 0 if none has ended
	turn     int64 // the dearest turn so far
	mostTurn int64 // 0: jobs keep to their limits; above: a turn costs at most this; -1: nobody knows
}

// setAside decides what a job may cost and how much of the budget to set aside for it, given the
// job's own limit, or -1 for a share of what is left. Nothing set aside means that the job cannot
// start now.
//
// A job with turns stops after the turn that passes its limit. Several run at the same time only
// while what is left covers the limit and the dearest possible turn of each. Otherwise one runs
// alone, with its limit and the dearest turn seen set aside: if its last turn is dearer than that,
// what is spent passes the budget by part of this one turn.
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

// interval returns the time between two starts. It is a little longer than the rate asks for: a start
// that comes late must not bring one too many into a window.
func (l Limits) interval() int64 {
	if l.Starts <= 0 || l.Window <= 0 {
		return 0
	}
	return int64(math.Ceil(float64(l.Window.Milliseconds()) / float64(l.Starts) * 1.02))
}

// A holder is what a lock file says about its worker.
type holder int

const (
	unknown holder = iota // not a file of this machine
	held                  // there is a process
	free                  // there is none any more
)

// dead reports whether a worker is no more. A free lock proves it at once. Silence proves it only
// while the worker could have been heard: since the database is up, and since we listen.
func dead(lock holder, beat, now, up, since, lease int64) bool {
	if lock == free {
		return true
	}
	return lease > 0 && now-max(beat, up, since) > lease
}

// A sighting is an open job beside its delivery, or either of them alone.
type sighting struct {
	batch, job int64 // 0: a delivery without an open job
	kind       string
	n          int
	begun      int    // the last delivery that is known to have begun
	row        int64  // River's; 0: an open job without a delivery
	running    bool   // else waiting to be taken
	worker     string // that took it
	live       bool   // that worker is alive
	rowJob     int64  // what the delivery is for
	rowN       int
	d          delivery
}

// An action is what to do about a sighting.
type action int

const (
	leave  action = iota
	drop          // a delivery that no longer counts
	giveUp        // the job goes back: its delivery is no more, or was taken by nobody
	adopt         // the job goes back: its worker died
)

// decide says what to do about a sighting. Missing means that we took the delivery and never saw
// it: the database answered, and the answer was lost. Old means that this or the worker's death has
// lasted for long. A delivery is dropped only then: River must not find it changed while it is
// finishing it, which it may if we alone took the worker for dead. Nobody means that no worker can
// do its kind.
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

// began reports whether the job of a delivery that was lost may have begun. That is recorded only
// for jobs with which a worker has died before.
func (s sighting) began() bool { return s.d.Kills == 0 || s.begun == s.n }

// Circle returns ids of jobs that need each other in a ring, the first one again at the end, or
// nil if the jobs form no ring.
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

// micros rounds up: what is counted is never less than what was spent.
func micros(usd float64) int64 {
	if usd <= 0 || math.IsNaN(usd) {
		return 0
	}
	return int64(math.Ceil(math.Min(usd, 1e9)*1e6 - 1e-6))
}

func dollars(micros int64) float64 { return float64(micros) / 1e6 }
