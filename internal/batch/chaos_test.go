//go:build unix

package batch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

// A troupe is a group of workers, each in its own process, that tests treat badly.
type troupe struct {
	t     *testing.T
	p     playing
	procs []*actor
}

type actor struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
	killed bool
	gone   time.Time // when it was certainly dead
}

func newTroupe(t *testing.T, o Options, n int) *troupe {
	t.Helper()
	diary := filepath.Join(t.TempDir(), "diary")
	if err := os.WriteFile(diary, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	tr := &troupe{t: t, p: playing{Options: o, Diary: diary, Slots: 4}}
	for range n {
		tr.start()
	}
	t.Cleanup(func() {
		for _, a := range tr.procs {
			if a.cmd.ProcessState == nil {
				_ = a.cmd.Process.Kill()
				_ = a.cmd.Wait()
			}
		}
	})
	return tr
}

func (tr *troupe) start() *actor {
	tr.t.Helper()
	a := &actor{cmd: exec.Command(os.Args[0])}
	b, _ := json.Marshal(tr.p)
	a.cmd.Env = append(os.Environ(), "BATCH_PLAY="+string(b))
	a.cmd.Stderr = &a.stderr
	if err := a.cmd.Start(); err != nil {
		tr.t.Fatal(err)
	}
	tr.procs = append(tr.procs, a)
	return a
}

// any returns a living worker.
func (tr *troupe) any() *actor {
	for {
		if a := tr.procs[rand.IntN(len(tr.procs))]; a.cmd.ProcessState == nil {
			return a
		}
	}
}

func (tr *troupe) kill(a *actor) {
	a.killed = true
	_ = a.cmd.Process.Kill()
	_ = a.cmd.Wait()
	a.gone = time.Now()
}

func (tr *troupe) interrupt(a *actor) {
	tr.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- a.cmd.Wait() }()
	for {
		// It sends the signal repeatedly: tests in the background ignore SIGINT until the worker
		// listens.
		_ = a.cmd.Process.Signal(syscall.SIGINT)
		select {
		case err := <-ended:
			if err != nil && a.listened() {
				tr.t.Errorf("interrupted worker: %v\n%s", err, a.stderr.String())
			}
			return
		case <-time.After(time.Second):
		}
	}
}

// listened reports whether a worker had started when it was interrupted.
func (a *actor) listened() bool {
	status, ok := a.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return !ok || !status.Signaled() || status.Signal() != syscall.SIGINT
}

// A span is the time in which a worker runs a job.
type span struct {
	pid        int
	start, end int64
	how        string
}

// diary returns what happened to each job, by payload.
func (tr *troupe) diary() (spans map[string][]span, warnings []string) {
	tr.t.Helper()
	f, err := os.Open(tr.p.Diary)
	if err != nil {
		tr.t.Fatal(err)
	}
	defer f.Close()
	gone := map[int]int64{}
	for _, a := range tr.procs {
		if a.killed {
			gone[a.cmd.Process.Pid] = a.gone.UnixNano()
		}
	}
	spans = map[string][]span{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		at, rest, _ := strings.Cut(lines.Text(), " ")
		pidText, rest, _ := strings.Cut(rest, " ")
		what, job, _ := strings.Cut(rest, " ")
		when, _ := strconv.ParseInt(at, 10, 64)
		pid, _ := strconv.Atoi(pidText)
		switch what {
		case "warn":
			warnings = append(warnings, job)
		case "start":
			spans[job] = append(spans[job], span{pid: pid, start: when, end: gone[pid]})
		default:
			for i := range spans[job] {
				if s := &spans[job][i]; s.pid == pid && s.how == "" {
					s.end, s.how = when, what
				}
			}
		}
	}
	return spans, warnings
}

// check compares what happened with what must have happened. It returns how many runs were in vain
// and how many jobs ran twice at the same time.
func (tr *troupe) check(db *DB, jobs []Job) (rerun, overlaps int) {
	tr.t.Helper()
	s := until(tr.t, db, "over", over)
	if s.Done != len(jobs) || s.Open != 0 || s.Waiting != 0 || s.HeldUSD != 0 {
		tr.t.Errorf("status: %+v", *s)
	}
	all := results(tr.t, db)
	for _, j := range jobs {
		if r := all[j.ID]; r.State != Done || string(r.Result) != string(j.Payload) {
			tr.t.Errorf("%s: %+v", j.ID, r)
		}
	}
	for what, want := range map[string]int{
		`SELECT count(*) FROM batch_attempt WHERE how = 'finished'`:             len(jobs), // one result each
		`SELECT count(DISTINCT job) FROM batch_attempt WHERE how = 'finished'`:  len(jobs),
		`SELECT count(*) FROM batch_job WHERE state = 'open'`:                   0,
		`SELECT count(*) FROM batch_job WHERE state = 'done'`:                   s.Done,
		`SELECT CAST(sum(spent) AS bigint) FROM batch_job`:                      int(micros(s.CostUSD)),
		`SELECT CAST(sum(spent) AS bigint) FROM batch_attempt WHERE spent >= 0`: int(micros(s.CostUSD)),
	} {
		if got, err := number(tr.t.Context(), db.store, what); err != nil || int(got) != want {
			tr.t.Errorf("%s: %d, want %d, %v", what, got, want, err)
		}
	}
	spans, warnings := tr.diary()
	for _, w := range warnings {
		if strings.Contains(w, "busy") || strings.Contains(w, "locked") || strings.Contains(w, "deadlock") {
			tr.t.Errorf("a worker said: %s", w)
		}
	}
	for _, list := range spans {
		rerun += len(list) - 1
		for i, a := range list {
			for _, b := range list[:i] {
				if b.end > a.start {
					overlaps++
				}
			}
		}
	}
	return rerun, overlaps
}

// full reports whether the tests here may take a long time.
func full() bool { return os.Getenv("SKILLHAND_CHAOS") == "full" }

// size returns how many processes, jobs and blows there are.
func size() (procs, jobs, blows int) {
	if full() {
		return 4, 500, 30
	}
	return 2, 60, 4
}

// timed returns n jobs that take 50 to 200 ms.
func timed(n int) []Job {
	jobs := make([]Job, n)
	for i := range jobs {
		jobs[i] = Job{ID: "a" + strconv.Itoa(i), Kind: "test", MaxUSD: 2, Retries: 0,
			Payload: json.RawMessage(fmt.Sprint(i*1000 + 50 + i*37%150))}
	}
	return jobs
}

// elsewhere lists rounds that duplicate the path of another round. For example, an interrupted
// worker gives its jobs back whoever looks for the dead, and a stopped worker keeps its lock on
// either database. Only make chaos runs them.
var elsewhere = map[string]bool{
	"interrupt postgres by lease": true, "stop postgres by locks": true, "together postgres by lease": true,
	"crash postgres by locks": true,
}

func TestChaos(t *testing.T) {
	t.Parallel()
	// Only a test that crashes its server has its own server.
	server := func(t *testing.T, own bool) (string, *realpostgres.Server) {
		if !own {
			return realpostgres.Database(t), nil
		}
		s := realpostgres.New(t)
		return s.Database(t), s
	}
	places := map[string]func(t *testing.T, own bool) (Options, *realpostgres.Server){
		"sqlite": func(t *testing.T, _ bool) (Options, *realpostgres.Server) {
			return Options{Database: filepath.Join(t.TempDir(), "batch.db")}, nil
		},
		"postgres by locks": func(t *testing.T, own bool) (Options, *realpostgres.Server) {
			db, s := server(t, own)
			return Options{Database: db, Locks: t.TempDir(), Lease: 3 * time.Second}, s
		},
		"postgres by lease": func(t *testing.T, own bool) (Options, *realpostgres.Server) {
			db, s := server(t, own)
			return Options{Database: db, Lease: 3 * time.Second}, s
		},
	}
	blows := map[string]func(tr *troupe, pg *realpostgres.Server, n int){
		"kill":      (*troupe).kills,
		"stop":      (*troupe).stops,
		"interrupt": (*troupe).interrupts,
		"together":  (*troupe).together,
		"crash":     (*troupe).crashes,
	}
	for place, make := range places {
		for blow, strike := range blows {
			if blow == "crash" && place == "sqlite" || !full() && elsewhere[blow+" "+place] {
				continue
			}
			t.Run(blow+" "+place, func(t *testing.T) {
				if !full() {
					t.Parallel()
				}
				rounds := 1
				if full() && blow == "kill" {
					rounds = 5
				}
				for range rounds {
					procs, n, times := size()
					o, pg := make(t, blow == "crash")
					db := open(t, o)
					jobs := timed(n)
					add(t, db, jobs, Limits{})
					tr := newTroupe(t, o, procs)
					strike(tr, pg, times)
					rerun, overlaps := tr.check(db, jobs)
					t.Logf("%d jobs, %d processes, %d run again, %d at the same time", n, len(tr.procs), rerun, overlaps)
					if overlaps > 0 && !(blow == "stop" && place != "sqlite") {
						t.Errorf("%d jobs ran twice at the same time", overlaps)
					}
					if blow == "together" {
						tr.uncut()
					}
					for _, a := range tr.procs {
						if a.cmd.ProcessState == nil {
							tr.interrupt(a)
						}
					}
				}
			})
		}
	}
}

// busy reports whether there is still work for more than a moment.
func (tr *troupe) busy(wait time.Duration) bool {
	time.Sleep(wait)
	return true
}

// kills kills workers, except a worker with a job that would soon fail because so many workers died
// with it.
func (tr *troupe) kills(_ *realpostgres.Server, n int) {
	for range n {
		tr.busy(300 * time.Millisecond)
		a := tr.any()
		for tr.unlucky(a) {
			a = tr.any()
		}
		tr.kill(a)
		tr.start()
	}
}

// unlucky reports whether a worker runs a job with which more workers have died than is safe. One
// death may be missing in the diary: of a worker that had a job and had not begun to write.
func (tr *troupe) unlucky(a *actor) bool {
	spans, _ := tr.diary()
	for _, list := range spans {
		deaths, runs := 0, false
		for _, s := range list {
			switch {
			case s.how != "":
			case s.end != 0:
				deaths++
			default:
				runs = runs || s.pid == a.cmd.Process.Pid
			}
		}
		if runs && deaths >= maxKills-2 {
			return true
		}
	}
	return false
}

func (tr *troupe) interrupts(_ *realpostgres.Server, n int) {
	for range n {
		tr.busy(300 * time.Millisecond)
		tr.interrupt(tr.any())
		tr.start()
	}
}

func (tr *troupe) stops(_ *realpostgres.Server, n int) {
	for range max(1, n/10) {
		tr.busy(300 * time.Millisecond)
		a := tr.any()
		_ = a.cmd.Process.Signal(syscall.SIGSTOP)
		tr.busy(tr.p.Lease + 2*time.Second)
		_ = a.cmd.Process.Signal(syscall.SIGCONT)
	}
}

// together kills all workers and starts as many at the same time.
func (tr *troupe) together(_ *realpostgres.Server, n int) {
	for range min(n, 3) {
		tr.busy(700 * time.Millisecond)
		alive := 0
		for _, a := range tr.procs {
			if a.cmd.ProcessState == nil {
				tr.kill(a)
				alive++
			}
		}
		for range alive {
			tr.start()
		}
	}
}

// uncut checks that no living worker lost a job.
func (tr *troupe) uncut() {
	tr.t.Helper()
	spans, _ := tr.diary()
	for job, all := range spans {
		for _, s := range all {
			if s.how == "cut" {
				tr.t.Errorf("job %s was cut off in a living worker", job)
			}
		}
	}
}

// A job that kills its worker fails, and its neighbors do not.
func TestKiller(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		db := open(t, o)
		jobs := timed(8)
		for i := range jobs { // when the killer strikes, each has started and none has ended
			jobs[i].Payload = json.RawMessage(strconv.Itoa(600 + i))
		}
		jobs[0].Payload = json.RawMessage("-200")
		add(t, db, jobs, Limits{})
		tr := newTroupe(t, o, 1)
		var mu sync.Mutex // guards over and the troupe
		over := false
		latest := tr.procs[0]
		var restarts sync.WaitGroup
		restarts.Go(func() {
			for {
				mu.Lock()
				a := latest
				mu.Unlock()
				_ = a.cmd.Wait() // it was killed, or interrupted at the end
				mu.Lock()
				if over {
					mu.Unlock()
					return
				}
				a.killed, a.gone = true, time.Now()
				latest = tr.start()
				mu.Unlock()
			}
		})
		until(t, db, "over", func(s *Status) bool { return s.Left() == 0 })
		mu.Lock()
		over = true
		_ = latest.cmd.Process.Kill()
		mu.Unlock()
		restarts.Wait()
		for id, r := range results(t, db) {
			if want := map[bool]State{true: Failed, false: Done}[id == "a0"]; r.State != want {
				t.Errorf("%s: %s, %s", id, r.State, r.Error)
			}
		}
	})
}

func (tr *troupe) crashes(pg *realpostgres.Server, n int) {
	for range min(n, 3) {
		tr.busy(500 * time.Millisecond)
		pg.Stop(tr.t, "immediate")
		tr.kill(tr.any())
		tr.start()
		tr.busy(300 * time.Millisecond)
		pg.Start(tr.t)
	}
}

// Eight processes open a fresh database at the same time, and none fails.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		tr := &troupe{t: t, p: playing{Options: o, Only: true}}
		var all sync.WaitGroup
		for range 8 {
			a := tr.start()
			all.Go(func() {
				if err := a.cmd.Wait(); err != nil {
					t.Errorf("%v: %s", err, a.stderr.String())
				}
			})
		}
		all.Wait()
	})
}
