//go:build unix

package main

import (
	"bytes"
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
	"github.com/skillhand/skillhand/internal/test/realagent"
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

// TestTryBudgetAgents: what other agents spend is at most the budget and one step of one trial, or one
// trial where an agent tells its tokens at the end. Without a known price the budget is refused.
func TestTryBudgetAgents(t *testing.T) {
	for name, atEnd := range map[string]bool{"codex": true, "gemini": true, "opencode": false, "pi": false, "qwen": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			price := 1.0 // by the configuration
			if name != "opencode" && name != "pi" {
				price = 1.25 // of gpt-5 and gemini-2.5-pro
			}
			var mu sync.Mutex
			turns, spent, dearest := 0, 0.0, 0.0
			r := newSituationRun(t, name)
			if name == "qwen" {
				r.model = "gpt-5"
			}
			r.bill = func(a *realagent.Answer) {
				mu.Lock()
				defer mu.Unlock()
				turns++
				a.Tokens = 20_000 * (1 + turns%4)
				usd := float64(a.Tokens) * price / 1e6
				spent, dearest = spent+usd, max(dearest, usd)
			}
			cmd := r.try(t, []string{"many"}, "--runs", "6", "--retries", "0", "--budget-usd", "0.8")
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, _ := cmd.Output() // some are not made, which is an exit status
			most := dearest
			if atEnd {
				most = 5 * dearest // turns of a trial
			}
			t.Logf("%d turns, $%.3f spent, the dearest turn $%.3f", turns, spent, dearest)
			if spent > 0.8+most || spent < 0.5 {
				t.Errorf("spent $%.3f of $0.80, with turns of at most $%.3f\n%s%s", spent, dearest, out, errs.String())
			}
			if name == "opencode" || name == "pi" {
				return
			}
			r.model = "nobody-9"
			refused := r.try(t, []string{"many"}, "--budget-usd", "1")
			if said, err := refused.CombinedOutput(); err == nil || !bytes.Contains(said, []byte(`no price of "nobody-9"`)) {
				t.Errorf("a model without a price: %v, %s", err, said)
			}
		})
	}
}
