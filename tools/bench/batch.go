package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// batches measures jobs: compared to the engine below them, compared to GNU parallel, and the
// waiting times of people.
func (b *bench) batches(binary, dir string) error {
	if err := noops(); err != nil {
		return err
	}
	dir = filepath.Join(dir, "batch")
	report := `echo '{"success": true, "confidence": 1, "deliverables": [], "metrics": {}, "errors": []}'` + "\n"
	var many, large strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, "{\"id\": \"%d\", \"run\": \"./job.sh\", \"args\": [\"%d\"]}\n", i, i)
	}
	for i := range 100_000 {
		fmt.Fprintf(&large, "{\"id\": \"%d\", \"run\": \"./job.sh\", \"args\": [\"%d\"]}\n", i, i)
	}
	err := put(dir, map[string]string{
		"job.sh":      "#!/bin/sh\nsleep 0.1\n" + report,
		"long.sh":     "#!/bin/sh\necho $$ >>started\nexec sleep 1000\n",
		"long.jsonl":  `{"id": "a", "run": "./long.sh"}` + "\n",
		"many.jsonl":  many.String(),
		"large.jsonl": large.String(),
	})
	if err != nil {
		return err
	}
	own := &bench{env: b.env, dir: dir}
	if err := own.scripts(binary); err != nil {
		return err
	}
	if err := own.hundredThousand(binary); err != nil {
		return err
	}
	return own.deaths(binary)
}

// noops compares jobs that do nothing to River alone, by the best of three runs each.
func noops() error {
	out, err := exec.Command("go", "test", "-run", "^$", "-bench", "BenchmarkNoop", "-benchtime", "2000x", "-count", "3",
		"./internal/batch").Output()
	if err != nil {
		return fmt.Errorf("go test ./internal/batch: %w: %s", err, out)
	}
	best := map[string]time.Duration{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 4 || f[3] != "ns/op" {
			continue
		}
		parts := strings.Split(strings.TrimSuffix(f[0], "-"+strconv.Itoa(runtime.GOMAXPROCS(0))), "/")
		ns, err := strconv.ParseFloat(f[2], 64)
		if err != nil || len(parts) != 3 {
			return fmt.Errorf("go test ./internal/batch: %s", line)
		}
		key := parts[1] + "/" + parts[2]
		if d := time.Duration(ns); best[key] == 0 || d < best[key] {
			best[key] = d
		}
	}
	for _, place := range []string{"sqlite", "postgres"} {
		ours, peer := best[place+"/batch"], best[place+"/river"]
		if ours == 0 || peer == 0 {
			fmt.Printf("%-52s not measured: %s is not there\n", "batch: a job that does nothing, "+place, place)
			continue
		}
		speed("batch: a job that does nothing, "+place+" / River alone", ours, peer, "at least 0.5 of its speed")
	}
	return nil
}

// scripts compares 200 scripts, 8 at a time, to GNU parallel.
func (b *bench) scripts(binary string) error {
	if _, err := exec.LookPath("parallel"); err != nil {
		fmt.Printf("%-52s not measured: parallel is not there\n", "batch: 200 scripts, 8 side by side")
		return nil
	}
	var ours, peer []time.Duration
	for i := range 3 { // in turns, each time with a new database
		t := b.medians(1, []string{binary, "batch", "run", "many.jsonl", "--db", fmt.Sprint("many", i, ".db"), "--concurrency", "8"},
			[]string{"sh", "-c", "seq 200 | parallel -j 8 ./job.sh >/dev/null"})
		ours, peer = append(ours, t[0]), append(peer, t[1])
	}
	o, p := median(ours), median(peer)
	cost("batch: 200 scripts, 8 side by side / GNU parallel", o, p, "at most 1.2")
	return b.err
}

// hundredThousand measures a large batch.
func (b *bench) hundredThousand(binary string) error {
	took, memory, _, err := b.spent(binary, "batch", "add", "large.jsonl", "--db", "large.db")
	if err != nil {
		return err
	}
	cost("batch: add 100,000 jobs", took, 15*time.Second, fmt.Sprintf("at most 1; %d MB, at most 200", memory>>20))
	show := b.medians(3, []string{binary, "batch", "show", "--db", "large.db"})[0]
	cost("batch: show one of 100,000 jobs", show, time.Second, "at most 1")
	page, err := b.looks(binary, "/batch?name=large", "--db", "large.db")
	if err != nil {
		return err
	}
	cost("batch: the page of one of 100,000 jobs", page, time.Second, "at most 1")
	return b.err
}

// deaths measures how soon a job of a killed worker runs again, and how soon a canceled job ends.
func (b *bench) deaths(binary string) error {
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(binary, append(append([]string{"batch"}, args...), "--db", "long.db")...)
		cmd.Dir, cmd.Env = b.dir, b.env
		return cmd
	}
	if out, err := command("add", "long.jsonl").CombinedOutput(); err != nil {
		return fmt.Errorf("batch add: %w: %s", err, out)
	}
	first, second := command("work"), command("work")
	if err := first.Start(); err != nil {
		return err
	}
	if _, err := b.started(1); err != nil {
		return errors.Join(err, first.Process.Kill())
	}
	if err := second.Start(); err != nil {
		return errors.Join(err, first.Process.Kill())
	}
	defer func() {
		_ = second.Process.Signal(os.Interrupt)
		_ = second.Wait()
	}()
	time.Sleep(2 * time.Second) // it is working too by then
	began := time.Now()
	_ = first.Process.Kill()
	_ = first.Wait()
	pid, err := b.started(2)
	if err != nil {
		return err
	}
	took := time.Since(began)
	cost("batch: a killed worker's job runs again", took, time.Second, "at most 1")
	began = time.Now()
	if out, err := command("cancel", "long").CombinedOutput(); err != nil {
		return fmt.Errorf("batch cancel: %w: %s", err, out)
	}
	job, err := os.FindProcess(pid)
	for err == nil && job.Signal(syscall.Signal(0)) == nil && time.Since(began) < time.Minute {
		time.Sleep(5 * time.Millisecond)
	}
	took = time.Since(began)
	cost("batch: a canceled job's process is gone", took, 2*time.Second, "at most 1")
	return nil
}

// started waits until the long job has started n times, and returns its process id.
func (b *bench) started(n int) (pid int, err error) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(b.dir, "started"))
		if lines := bytes.Fields(text); len(lines) >= n {
			return strconv.Atoi(string(lines[n-1]))
		}
	}
	return 0, fmt.Errorf("batch: the job was not started %d times", n)
}
