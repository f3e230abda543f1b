//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

// grown reports whether TestGrow has its full size: make grow.
func grown() bool { return os.Getenv("SKILLHAND_GROW") == "full" }

// TestGrow: many worker processes share a server's connections, and a batch of many jobs is added, worked on and looked
// at. It prints what it took; what must hold at any size fails.
func TestGrow(t *testing.T) {
	workers, jobs := []int{4}, 3000
	if grown() {
		workers, jobs = []int{30, 100}, 1_000_000
	} else {
		t.Parallel()
	}
	for _, n := range workers {
		t.Run(fmt.Sprintf("%d workers", n), func(t *testing.T) { growFleet(t, n) })
	}
	t.Run(fmt.Sprintf("%d jobs", jobs), func(t *testing.T) { growJobs(t, jobs) })
}

// A growing stage measures a server.
type growing struct {
	*stage
	conn *pgx.Conn
}

func newGrowing(t *testing.T, flags ...string) *growing {
	t.Helper()
	server := realpostgres.New(t, append([]string{"-c", "fsync=on"}, flags...)...)
	g := &growing{stage: newStage(t, "")}
	address := server.Database(t)
	g.env = append(g.env, "SKILLHAND_BATCH_DB="+address)
	g.write("quick.sh", "#!/bin/sh\n"+`echo '{"success": true, "confidence": 1, "deliverables": [], "metrics": {}, "errors": []}'`+"\n", 0o777)
	var err error
	if g.conn, err = pgx.Connect(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.conn.Close(context.Background()) })
	return g
}

func (g *growing) number(sql string) (n int64) {
	g.t.Helper()
	if err := g.conn.QueryRow(context.Background(), sql).Scan(&n); err != nil {
		g.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

func (g *growing) connections() int64 {
	return g.number(`SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'skillhand%'`)
}

// lines counts lines. It does not keep them: the memory that a test has is what a program that it starts has had at least.
type lines int

func (l *lines) Write(p []byte) (int, error) {
	*l += lines(bytes.Count(p, []byte("\n")))
	return len(p), nil
}

// timed runs a command to its end, says what it took, and returns how many lines it printed.
func (g *growing) timed(what string, args ...string) int {
	g.t.Helper()
	cmd := g.command(args...)
	var out lines
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	began := time.Now()
	err := cmd.Run()
	g.t.Logf("%-30s %8.2f s  %4d MB", what, time.Since(began).Seconds(), peak(cmd))
	if err != nil {
		g.t.Errorf("%s: %v: %s", what, err, stderr.String())
	}
	return int(out)
}

// peak is the most memory that a program had.
func peak(cmd *exec.Cmd) int64 {
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss >> 10
	}
	return 0
}

func (g *growing) jobFile(name string, n int) {
	g.t.Helper()
	f, err := os.Create(filepath.Join(g.dir, name))
	if err != nil {
		g.t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for i := range n {
		fmt.Fprintf(w, "{\"id\": \"job-%d\", \"run\": \"./quick.sh\", \"args\": [\"src/file%d.go\"]}\n", i, i)
	}
	if err := w.Flush(); err != nil {
		g.t.Fatal(err)
	}
}

// growFleet has many worker processes do a few jobs, and nothing.
func growFleet(t *testing.T, n int) {
	// 30 workers must do with the 100 connections that a server has by default.
	g := newGrowing(t, "-c", fmt.Sprintf("max_connections=%d", max(100, 4*n)))
	jobs := max(100, 30*n)
	g.jobFile("quick.jsonl", jobs)
	var workers []*exec.Cmd
	for i := range n {
		w := g.command("work", "--jobs", "2")
		w.Env = append(w.Environ(), fmt.Sprintf("SKILLHAND_STATE_DIR=%s/machine%d", g.dir, i%10)) // ten machines
		w.Stderr = os.Stderr
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if w.ProcessState == nil {
				_ = w.Process.Kill()
				_ = w.Wait()
			}
		})
		workers = append(workers, w)
	}
	registered := func() bool {
		return g.number(`SELECT count(*) FROM pg_tables WHERE tablename = 'batch_worker'`) == 1 &&
			g.number(`SELECT count(*) FROM batch_worker`) == int64(n)
	}
	await(t, "all there", registered)
	idle := 5 * time.Second
	if grown() {
		time.Sleep(20 * time.Second) // beats become longer
		idle = 30 * time.Second
	}
	before := g.number(`SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()`)
	time.Sleep(idle)
	after := g.number(`SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()`)
	quiet := g.connections()
	t.Logf("idle: %d connections, %.1f transactions a second", quiet, float64(after-before)/idle.Seconds())
	began := time.Now()
	g.timed(fmt.Sprintf("add %d", jobs), "add", "quick.jsonl")
	most := int64(0)
	for g.number(`SELECT done FROM batch`) < int64(jobs) { // as long as it takes
		most = max(most, g.connections())
		time.Sleep(20 * time.Millisecond)
	}
	work := g.number(`SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()`) - after
	t.Logf("%.1f transactions a job, the looks of this test among them", float64(work)/float64(jobs))
	t.Logf("busy: %d connections, %.0f jobs a second", most, float64(jobs)/time.Since(began).Seconds())
	if most > int64(3*n+2) { // add and this
		t.Errorf("%d connections of %d workers", most, n)
	}
	if runs := g.number(`SELECT count(*) FROM batch_attempt`); runs != int64(jobs) {
		t.Errorf("%d attempts of %d jobs", runs, jobs)
	}
	memory := int64(0)
	for _, w := range workers {
		_ = w.Process.Signal(syscall.SIGTERM)
	}
	for _, w := range workers {
		if err := w.Wait(); err != nil {
			t.Errorf("worker: %v", err)
		}
		memory = max(memory, peak(w))
	}
	t.Logf("a worker: %d MB", memory)
}

// growJobs adds many jobs, does half of them, and looks.
func growJobs(t *testing.T, n int) {
	g := newGrowing(t, "-c", "max_connections=100")
	g.jobFile("many.jsonl", n)
	g.timed("add", "add", "many.jsonl")
	g.timed("add again", "add", "many.jsonl")
	g.half(n)
	if done := g.number(`SELECT count(*) FROM batch_job WHERE state = 'done'`); done < int64(n/2) || done != g.number(`SELECT done FROM batch`) {
		t.Errorf("%d done", done)
	}
	for _, args := range [][]string{
		{"list"}, {"show"}, {"show", "many"}, {"show", "many", "--json"}, {"show", "many", "--failed"}, {"show", "many", fmt.Sprintf("job-%d", n-1)},
	} {
		g.timed(strings.Join(args, " "), args...)
	}
	export := func(what string) {
		if got := g.timed(what, "show", "many", "--format", "jsonl"); got != n {
			t.Errorf("%d lines of %d", got, n)
		}
	}
	export("show --format jsonl")
	g.look(n)
	g.statistics()
	worker := g.command("work")
	worker.Stderr = os.Stderr
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	done := `SELECT done FROM batch`
	before := g.number(done)
	await(t, "a worker at work", func() bool { return g.number(done) > before })
	export("show --format jsonl, at work")
	g.timed("cancel, at work", "cancel", "many")
	if left := g.number(`SELECT waiting + open FROM batch`); left != 0 {
		t.Errorf("%d are left", left)
	}
	t.Logf("the worker did %d jobs meanwhile", g.number(done)-before)
	_ = worker.Process.Signal(syscall.SIGTERM)
	if err := worker.Wait(); err != nil {
		t.Errorf("worker: %v", err)
	}
	g.timed("show many after", "show", "many")
	cmd := g.command("run", "many.jsonl", "-o", "results.jsonl")
	began := time.Now()
	_ = cmd.Run() // 1: some were canceled
	results, err := os.ReadFile(filepath.Join(g.dir, "results.jsonl"))
	t.Logf("%-30s %8.2f s  %4d MB", "run -o", time.Since(began).Seconds(), peak(cmd))
	if lines := bytes.Count(results, []byte("\n")); lines != n || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v, %d results of %d: %v", cmd.ProcessState, lines, n, err)
	}
}

// half has half of the jobs done: those that this process does within some minutes, where a job is a call that returns, and
// the rest by decree.
func (g *growing) half(n int) {
	var done atomic.Int64
	half := int64(n / 2)
	ctx, stop := context.WithTimeout(g.t.Context(), 4*time.Minute)
	defer stop()
	db, err := batch.Open(ctx, batch.Options{Database: strings.TrimPrefix(g.env[len(g.env)-1], "SKILLHAND_BATCH_DB=")})
	if err != nil {
		g.t.Fatal(err)
	}
	defer db.Close()
	w := &batch.Worker{DB: db, Slots: 64, Do: func(context.Context, json.RawMessage) (json.RawMessage, batch.Retry) {
		if done.Add(1) >= half {
			stop()
		}
		return json.RawMessage(`{"success": true}`), batch.Retry{}
	}}
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	began := time.Now()
	var pace []string
	for at := int64(0); ctx.Err() == nil; {
		from := time.Now()
		select {
		case <-ctx.Done():
		case <-time.After(30 * time.Second):
		}
		now := done.Load()
		pace = append(pace, fmt.Sprintf("%.0f", float64(now-at)/time.Since(from).Seconds()))
		at = now
	}
	if err := <-ended; err != nil {
		g.t.Error(err)
	}
	g.t.Logf("%d jobs in %.0f s: %s a second", done.Load(), time.Since(began).Seconds(), strings.Join(pace, ", "))
	g.statistics()
	if missing := half - g.number(`SELECT done FROM batch`); missing > 0 {
		g.t.Logf("%d more are set to done", missing)
		if _, err := g.conn.Exec(g.t.Context(), `WITH part AS (SELECT id, row_number() OVER (ORDER BY seq) AS n FROM batch_job
				WHERE state = 'waiting' ORDER BY seq LIMIT $1),
			moved AS (UPDATE batch_job j SET state = 'done', tries = 1, delivery = 1, started = b.created, ended = b.created + 1000,
				event = b.event + part.n, result = '{"success": true}' FROM part, batch b WHERE j.id = part.id RETURNING 1)
			UPDATE batch SET done = done + $1, waiting = waiting - $1, event = event + $1`, missing); err != nil {
			g.t.Fatal(err)
		}
	}
}

// look opens the batch's page.
func (g *growing) look(n int) {
	cmd := exec.Command(filepath.Join(bin, "skillhand"), "page", "--no-open")
	cmd.Dir, cmd.Env = g.dir, g.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		g.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		g.t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar}
	base, _, _ := strings.Cut(strings.TrimSpace(address), "/?")
	for what, where := range map[string]string{
		"": strings.TrimSpace(address), "page of batches": base + "/batches", "page of the batch": base + "/batch?name=many",
		"page, search for an id": base + "/batch?name=many&q=job-" + strconv.Itoa(n-1), "page, search for failed": base + "/batch?name=many&q=failed",
		"page, queued jobs": base + "/batch?name=many&q=queued",
	} {
		if what == "" {
			continue
		}
		if _, err := client.Get(strings.TrimSpace(address)); err != nil {
			g.t.Fatal(err)
		}
		began := time.Now()
		resp, err := client.Get(where)
		if err != nil {
			g.t.Fatal(err)
		}
		var body bytes.Buffer
		_, _ = body.ReadFrom(resp.Body)
		resp.Body.Close()
		g.t.Logf("%-30s %8.2f s  %d, %d KB", what, time.Since(began).Seconds(), resp.StatusCode, body.Len()>>10)
		if resp.StatusCode != http.StatusOK {
			g.t.Errorf("%s: %s", what, resp.Status)
		}
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait()
	g.t.Logf("%-30s %16d MB", "page", peak(cmd))
}

// statistics prints what the server knows of our tables.
func (g *growing) statistics() {
	rows, err := g.conn.Query(g.t.Context(), `SELECT relname, pg_size_pretty(pg_table_size(relid)), pg_size_pretty(pg_indexes_size(relid)),
		n_live_tup, n_dead_tup, seq_scan, seq_tup_read, COALESCE(idx_scan, 0), autovacuum_count
		FROM pg_stat_user_tables WHERE n_live_tup + n_dead_tup > 0 ORDER BY pg_total_relation_size(relid) DESC LIMIT 8`)
	if err != nil {
		g.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name, size, indexes string
		var live, dead, scans, read, index, vacuums int64
		if err := rows.Scan(&name, &size, &indexes, &live, &dead, &scans, &read, &index, &vacuums); err != nil {
			g.t.Fatal(err)
		}
		g.t.Logf("%-14s %8s, indexes %8s; %d rows, %d dead; %d scans of %d rows, %d by index; vacuumed %d times",
			name, size, indexes, live, dead, scans, read, index, vacuums)
	}
	var hit float64
	if err := g.conn.QueryRow(g.t.Context(), `SELECT round(100.0 * sum(idx_blks_hit) / greatest(sum(idx_blks_hit + idx_blks_read), 1), 2)::float8
		FROM pg_statio_user_tables`).Scan(&hit); err == nil {
		g.t.Logf("%.2f %% of index pages were in memory", hit)
	}
}
