//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

// TestTryBatchKilled: try --batch is killed with trials in its hands, while a worker that has
// nothing but the database makes others. Started again, every trial has one result, none that
// had ended is made again, and the numbers are those of a try without batch or kill.
func TestTryBatchKilled(t *testing.T) {
	t.Parallel()
	for _, sort := range []string{"sqlite", "postgres"} {
		t.Run(sort, func(t *testing.T) {
			t.Parallel()
			testTryBatchKilled(t, sort)
		})
	}
}

// A machine has folders of its own.
type machine struct{ dir, home, state, temp string }

func testTryBatchKilled(t *testing.T, sort string) {
	api := fakeapi.New(t)
	c := realclaude.New(t, api)
	c.Write(".claude/skills/zebra/SKILL.md", "---\nname: zebra\ndescription: Counts stripes.\n---\nCount.\n")
	c.Write(".claude/skills/zebra/evals/box/in.txt", "in the box")
	c.Write(".claude/skills/zebra/evals/cases.yaml", `cases:
  - {id: fire, prompt: FIRE one, files: box, checks: [{file: in.txt, contains: box}]}
  - {id: miss, prompt: MISS two}
  - {id: quiet, prompt: HUSH three, fires: false}
`)
	model := &hanging{asked: map[string]string{}, ended: map[string]bool{}, held: 4}
	api.Handle(model.answer)
	database := filepath.Join(t.TempDir(), "own.db")
	here := machine{c.Project, c.Home, t.TempDir(), t.TempDir()}
	away := machine{t.TempDir(), t.TempDir(), t.TempDir(), here.temp} // another process of this machine
	if sort == "postgres" {
		database, away.temp = realpostgres.Database(t), t.TempDir()
	}
	command := func(m machine, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, "skillhand"), args...)
		cmd.Dir = m.dir
		cmd.Env = []string{
			"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "SKILLHAND_STATE_DIR=" + m.state, "TMPDIR=" + m.temp, "SKILLHAND_CLAUDE=" + realclaude.Program(t),
			"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-key", "CLAUDE_CODE_MAX_RETRIES=0", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		}
		cmd.Stderr = os.Stderr
		return cmd
	}
	try := []string{"try", "zebra", "--runs", "4", "--min-fired", "0", "--json", "--batch", "--db", database}
	first := command(here, try...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "four trials begun", func() bool { return model.count() == 4 })
	helper := command(away, "batch", "work", "--db", database)
	if err := helper.Start(); err != nil {
		t.Fatal(err)
	}
	defer helper.Process.Kill()
	await(t, "the others made elsewhere", func() bool { return model.done() == 8 })
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	model.release()
	out, err := command(here, try...).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n := model.count(); n != 12+4 {
		t.Errorf("asked %d times, want 12 and the 4 that were killed: %v", n, model.asked)
	}
	_ = helper.Process.Signal(syscall.SIGTERM)
	if _ = helper.Wait(); helper.ProcessState.ExitCode() != 0 {
		t.Errorf("the helper: %v", helper.ProcessState)
	}
	for _, m := range []machine{here, away} {
		if left, err := os.ReadDir(m.temp); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "skilltry-") }) {
			t.Errorf("left in %s: %v, %v", m.temp, left, err)
		}
	}
	trials := slices.Collect(bytes.Lines(out))
	for _, line := range trials[:len(trials)-1] {
		file := filepath.Join(here.state, "try")
		if !bytes.Contains(line, []byte(`"transcript":"`+file)) {
			t.Errorf("its transcript is not here: %s", line)
		}
	}
	whole, err := command(here, "try", "zebra", "--runs", "4", "--min-fired", "0", "--json", "--fresh").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, whole)
	}
	if got, want := numbers(t, out), numbers(t, whole); got != want || !strings.Contains(got, "4 of 8") {
		t.Errorf("after the kill:\n%s\nwithout:\n%s", got, want)
	}
}

// A hanging model answers the first sessions once, and no more until it is released.
type hanging struct {
	mu    sync.Mutex
	asked map[string]string // what each session was asked
	held  int               // sessions that hang
	hangs []string          // which ones
	ended map[string]bool
}

func (h *hanging) answer(q *fakeapi.Request) fakeapi.Answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, word := range []string{"FIRE", "MISS", "HUSH"} {
		if q.Count(word) > 0 {
			h.asked[q.Session] = word
		}
	}
	if len(h.asked) <= h.held && !slices.Contains(h.hangs, q.Session) {
		h.hangs = append(h.hangs, q.Session)
		return fakeapi.Use("Skill", map[string]string{"skill": "zebra"})
	}
	if h.held > 0 && slices.Contains(h.hangs, q.Session) {
		return fakeapi.Hang()
	}
	if h.asked[q.Session] == "FIRE" && len(q.Results()) == 0 {
		return fakeapi.Use("Skill", map[string]string{"skill": "zebra"})
	}
	h.ended[q.Session] = true
	return fakeapi.Text("done")
}

func (h *hanging) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.asked)
}

func (h *hanging) done() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ended)
}

func (h *hanging) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = 0
}
