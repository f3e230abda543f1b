//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// TestTryBudget: whatever turns cost, a try spends at most its budget and one turn of one trial:
// with and without --batch, with a limit for each trial and without, killed and started again.
// What was spent is what the played model counted.
func TestTryBudget(t *testing.T) {
	plays := 3
	if test.AskAll() {
		plays = 50
	}
	for n := range plays {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			play := newMoneyPlay(uint64(n))
			play.run(t)
		})
	}
}

// A moneyPlay is one try: what its turns cost, and what its flags are.
type moneyPlay struct {
	budget, limit float64
	batch         bool
	kills         int
	cheap         int // turns before the dear ones
	dear          int // tokens

	mu          sync.Mutex
	rand        *rand.Rand
	turns       int
	spent, most float64
	killed      chan bool
}

func newMoneyPlay(n uint64) *moneyPlay {
	r := rand.New(rand.NewPCG(n, 20261116))
	p := &moneyPlay{rand: r, batch: n%2 == 1, cheap: r.IntN(6), dear: 2_000 + r.IntN(90_000), kills: int(n) % 3, killed: make(chan bool, 9)}
	if p.budget = []float64{0.05, 0.2, 0.5, 1}[r.IntN(4)]; r.IntN(3) == 0 {
		p.limit = 0.02
	}
	if n == 0 { // as it was once: two cheap trials, then turns of $0.32
		p.budget, p.limit, p.cheap, p.dear, p.kills = 0.2, 0, 4, 80_000, 0
	}
	return p
}

func (p *moneyPlay) answer(q *fakeapi.Request) fakeapi.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := fakeapi.Text("done")
	if len(q.Results()) == 0 && p.rand.IntN(3) > 0 {
		m = fakeapi.Use("Skill", map[string]string{"skill": "zebra"})
	}
	p.turns++
	m.Usage = fakeapi.Usage{Input: 200, Output: 1}
	if p.turns > p.cheap {
		m.Usage.Input = p.dear/2 + p.rand.IntN(p.dear)
	}
	price, _ := claudecode.FindPrice(q.Model)
	usd := (float64(m.Usage.Input)*price.Input + float64(m.Usage.Output)*price.Output) / 1e6
	p.spent, p.most = p.spent+usd, max(p.most, usd)
	if p.kills > 0 && p.rand.IntN(3) == 0 {
		p.kills--
		p.killed <- true
	}
	return m
}

func (p *moneyPlay) run(t *testing.T) {
	api := fakeapi.New(t)
	api.Handle(p.answer)
	c := realclaude.New(t, api)
	c.Write(".claude/skills/zebra/SKILL.md", "---\nname: zebra\ndescription: Counts stripes.\n---\nCount.\n")
	c.Write(".claude/skills/zebra/evals/q.json", `[{"query": "one", "should_trigger": true}, {"query": "two", "should_trigger": true}]`)
	args := []string{"try", "zebra", "--runs", "4", "--retries", "1", "--budget-usd", fmt.Sprint(p.budget), "--model", "claude-opus-5-5"}
	if p.batch {
		args = append(args, "--batch", "--db", filepath.Join(t.TempDir(), "own.db"))
	}
	if p.limit > 0 {
		args = append(args, "--max-budget-usd", fmt.Sprint(p.limit))
	}
	state, temp := t.TempDir(), t.TempDir()
	for again := true; again; {
		cmd := exec.Command(filepath.Join(bin, "skillhand"), args...)
		cmd.Dir = c.Project
		cmd.Env = []string{
			"HOME=" + c.Home, "PATH=" + os.Getenv("PATH"), "SKILLHAND_STATE_DIR=" + state, "TMPDIR=" + temp, "SKILLHAND_CLAUDE=" + realclaude.Program(t),
			"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-key", "CLAUDE_CODE_MAX_RETRIES=0", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan bool)
		go func() {
			_ = cmd.Wait() // the money counts, not how it ends
			close(ended)
		}()
		select {
		case <-p.killed:
			_ = cmd.Process.Kill() // it may have ended just then
			<-ended
		case <-ended:
			again = false
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Logf("budget $%.2f, limit $%.2f, batch %v: %d turns, $%.3f spent, the dearest turn $%.3f", p.budget, p.limit, p.batch, p.turns, p.spent, p.most)
	if p.spent > p.budget+p.most || p.turns == 0 {
		t.Errorf("spent $%.4f, want at most $%.4f", p.spent, p.budget+p.most)
	}
}
