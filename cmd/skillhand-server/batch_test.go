//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

func TestBatchStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		s    batch.Status
		want int
	}{
		{batch.Status{Done: 3}, cli.ExitOK},
		{batch.Status{Done: 3, Failed: 1}, cli.ExitFailed},
		{batch.Status{Done: 3, Skipped: 1}, cli.ExitFailed},
		{batch.Status{Done: 3, Canceled: 1}, cli.ExitFailed},
		{batch.Status{Failed: 1, Waiting: 1}, cli.ExitLater},
		{batch.Status{Waiting: 1, Stopped: batch.Limit}, cli.ExitLater},
		{batch.Status{Waiting: 1, Stopped: batch.Credentials}, cli.ExitAccount},
	}
	for _, tt := range tests {
		if got := batchStatus(&tt.s); got != tt.want {
			t.Errorf("%+v: %d, want %d", tt.s, got, tt.want)
		}
	}
}

// A stage is a folder with a job file, and what is needed to run it.
type stage struct {
	t   *testing.T
	dir string
	env []string
}

func newStage(t *testing.T, jobs string) *stage {
	t.Helper()
	s := &stage{t: t, dir: t.TempDir()}
	s.env = append(os.Environ(), "HOME="+s.dir, "SKILLHAND_STATE_DIR="+filepath.Join(s.dir, "state"), "SKILLHAND_TRUST=all", "SKILLHAND_BATCH_DB=", "NO_COLOR=1")
	s.write("jobs.yaml", jobs, 0o666)
	s.write("job.sh", `#!/bin/bash
echo "start $1 $$" >>log
sleep "$2" & wait
echo "end $1 $$" >>log
echo '{"success": true, "confidence": 1, "deliverables": [], "metrics": {}, "errors": []}'
`, 0o777)
	return s
}

func (s *stage) write(name, text string, mode os.FileMode) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), mode); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(bin, "skillhand"), append([]string{"batch"}, args...)...)
	cmd.Dir, cmd.Env = s.dir, s.env
	return cmd
}

// run runs a command to its end.
func (s *stage) run(args ...string) (stdout, stderr string, exit int) {
	s.t.Helper()
	cmd := s.command(args...)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	_ = cmd.Run()
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// log counts the lines of the jobs' log by their first words.
func (s *stage) log() map[string]int {
	n := map[string]int{}
	b, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		f := strings.Fields(lines.Text())
		n[f[0]]++
		n[f[0]+" "+f[1]]++
	}
	return n
}

// await waits until something is so.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never %s", what)
		}
	}
}

// sleepers counts the processes that jobs of this stage left.
func (s *stage) sleepers() int {
	out, _ := exec.Command("pgrep", "-f", "-c", "job.sh .*"+s.dir).Output()
	n, _ := strconv.Atoi(strings.TrimSpace(string(out)))
	return n
}

func manyJobs(n int, seconds float64, dir string) string {
	var b strings.Builder
	b.WriteString("name: many\njobs:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: j%d, run: ./job.sh, args: [j%d, \"%v\", %q]}\n", i, i, seconds, dir)
	}
	return b.String()
}

// A run that is killed again and again comes to its end, with every result once.
func TestBatchKilled(t *testing.T) {
	t.Parallel()
	// So many that some are left after the last kill: of the last few, one could be running at
	// five kills, and a job that five workers died with fails.
	const jobs, kills = 240, 20
	s := newStage(t, "")
	s.write("jobs.yaml", manyJobs(jobs, 0.1, s.dir), 0o666)
	for range kills {
		cmd := s.command("run", "jobs.yaml", "-o", "results.jsonl")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(100+rand.IntN(200)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	if _, stderr, exit := s.run("run", "jobs.yaml", "-o", "results.jsonl"); exit != 0 {
		t.Fatalf("exit %d: %s", exit, stderr)
	}
	for _, from := range []string{"results.jsonl", "export"} {
		text, _, _ := s.run("show", "--format", "jsonl")
		if from == "results.jsonl" {
			b, err := os.ReadFile(filepath.Join(s.dir, from))
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		i := 0
		for line := range strings.Lines(text) {
			var r batch.Result
			if err := json.Unmarshal([]byte(line), &r); err != nil || r.ID != "j"+strconv.Itoa(i) || r.State != batch.Done {
				t.Errorf("%s, line %d: %v, %s", from, i, err, line)
			}
			i++
		}
		if i != jobs {
			t.Errorf("%s has %d lines", from, i)
		}
	}
	if n := s.sleepers(); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

// Ctrl-C ends what runs, and gives it back.
func TestBatchInterrupted(t *testing.T) {
	t.Parallel()
	s := newStage(t, "")
	s.write("jobs.yaml", manyJobs(6, 1000, s.dir), 0o666)
	cmd := s.command("run", "jobs.yaml", "-o", "results.jsonl", "--jobs", "2")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "started", func() bool { return s.log()["start"] == 2 })
	_ = cmd.Process.Signal(syscall.SIGINT)
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("%v: %s", cmd.ProcessState, stderr.String())
	}
	if n := s.sleepers(); n != 0 {
		t.Errorf("%d processes are left", n)
	}
	out, _, _ := s.run("show", "--json")
	var st batch.Status
	if err := json.Unmarshal([]byte(out), &st); err != nil || st.Left() != 6 || st.Total != 6 {
		t.Errorf("%v: %s", err, out)
	}
}

// A cancel from another process ends the job's processes, on either database.
func TestBatchCancelElsewhere(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"sqlite", "postgres"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "")
			s.write("jobs.yaml", manyJobs(2, 1000, s.dir), 0o666)
			if place == "postgres" {
				s.env = append(s.env, "SKILLHAND_BATCH_DB="+realpostgres.Database(t))
			}
			cmd := s.command("run", "jobs.yaml")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, "started", func() bool { return s.log()["start"] == 2 })
			if _, stderr, exit := s.run("cancel", "many", "j0"); exit != 0 {
				t.Errorf("cancel: exit %d, %s", exit, stderr)
			}
			await(t, "one left", func() bool { return s.sleepers() == 1 })
			if _, stderr, exit := s.run("cancel", "many"); exit != 0 {
				t.Errorf("cancel: exit %d, %s", exit, stderr)
			}
			if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("%v", cmd.ProcessState)
			}
			if n := s.sleepers(); n != 0 {
				t.Errorf("%d processes are left", n)
			}
		})
	}
}

// The commands of the compose file in docs/batch.md: three workers on one Postgres, which somebody
// else gives jobs and watches.
func TestBatchCompose(t *testing.T) {
	t.Parallel()
	s := newStage(t, "")
	s.write("jobs.yaml", manyJobs(60, 0.05, s.dir), 0o666)
	s.env = append(s.env, "SKILLHAND_BATCH_DB="+realpostgres.Database(t))
	var workers []*exec.Cmd
	for i := range 3 {
		w := s.command("work", "--jobs", "4")
		w.Env = append(slices.Clone(s.env), fmt.Sprintf("SKILLHAND_STATE_DIR=%s/machine%d", s.dir, i)) // no locks in common
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		workers = append(workers, w)
	}
	if _, stderr, exit := s.run("add", "jobs.yaml"); exit != 0 {
		t.Errorf("add: exit %d, %s", exit, stderr)
	}
	out, stderr, exit := s.run("show", "--follow", "--json")
	if exit != 0 || !strings.Contains(out, `"event":"end",`) {
		t.Errorf("show: exit %d, %s%s", exit, out, stderr)
	}
	for _, w := range workers {
		_ = w.Process.Signal(syscall.SIGTERM)
		if _ = w.Wait(); w.ProcessState.ExitCode() != 0 {
			t.Errorf("worker: %v", w.ProcessState)
		}
	}
	if log := s.log(); log["start"] != 60 || log["end"] != 60 {
		t.Errorf("%d starts, %d ends", log["start"], log["end"])
	}
	if st := s.status(); st.Done != 60 {
		t.Errorf("%+v", st)
	}
}

// newAsks is a stage with the real CLI, which asks a fake API.
func newAsks(t *testing.T, jobs string, answers ...fakeapi.Answer) (*stage, *fakeapi.API) {
	t.Helper()
	program := realclaude.Program(t)
	api := fakeapi.New(t, answers...)
	s := newStage(t, jobs)
	s.env = append(s.env, "SKILLHAND_CLAUDE="+program, "ANTHROPIC_BASE_URL="+api.URL, "ANTHROPIC_API_KEY=dummy-key",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_MAX_RETRIES=0")
	return s, api
}

// The real CLI: what an account cannot do stops the batch, and a budget holds.
func TestBatchAsks(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("name: asks\ndefaults: {max_budget_usd: 0.5, retries: 1}\njobs:\n")
	for i := range 8 {
		fmt.Fprintf(&b, "  - {id: q%d, ask: what is %d}\n", i, i)
	}
	t.Run("credentials", func(t *testing.T) {
		t.Parallel()
		s, _ := newAsks(t, b.String(), fakeapi.Status(401, "invalid x-api-key"))
		_, stderr, exit := s.run("run", "jobs.yaml", "--jobs", "1")
		if exit != 5 || !strings.Contains(stderr, "asks: 0 done, 8 left: stopped") {
			t.Errorf("exit %d: %s", exit, stderr)
		}
	})
	t.Run("budget", func(t *testing.T) {
		t.Parallel()
		s, _ := newAsks(t, b.String(), fakeapi.Text("an answer"))
		_, stderr, exit := s.run("run", "jobs.yaml", "--budget-usd", "1.2", "--jobs", "3")
		out, _, _ := s.run("show", "--json")
		var st batch.Status
		if err := json.Unmarshal([]byte(out), &st); err != nil || st.CostUSD > 1.2 || st.CostUSD == 0 {
			t.Errorf("%v, exit %d: %s%s", err, exit, out, stderr)
		}
		if want := map[bool]int{true: 4, false: 0}[st.Left() > 0]; exit != want {
			t.Errorf("exit %d, %d left", exit, st.Left())
		}
	})
}
