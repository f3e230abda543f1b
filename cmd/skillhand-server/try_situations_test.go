//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realagent"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// A move is what the model does in one turn: it has the agent load a skill, or run a command, or
// start a subagent with a prompt, or it answers in some way.
type move struct {
	realagent.Answer
	skill, command, below string
}

func fire(skill string) move { return move{skill: skill} }

func types(command string) move { return move{command: command} }

var (
	answers = move{Answer: realagent.Answer{Text: "all done"}}
	fails   = func(status int) move { return move{Answer: realagent.Answer{Status: status}} }
	cutOff  = move{Answer: realagent.Answer{Text: "never whole", Cut: true}}
)

// situations are what may happen in a trial, by the word of the prompt: what the model does, turn by
// turn, and the outcomes that are right. The skill under test is zebra; horse is another.
var situations = map[string]struct {
	moves []move
	want  string // outcomes, by spaces; fired is read where an agent reads the skill's file
}{
	"fires":        {[]move{fire("zebra"), answers}, "fired"},
	"other":        {[]move{fire("horse"), answers}, "other"},
	"none":         {[]move{answers}, "none"},
	"429":          {[]move{fails(429)}, "void"},
	"500":          {[]move{fails(500)}, "void"},
	"500-later":    {[]move{fire("zebra"), fails(500)}, "void"},
	"hang":         {[]move{{Answer: realagent.Answer{Hang: true}}}, "void"},
	"cut":          {[]move{cutOff}, "void"},
	"cut-later":    {[]move{fire("zebra"), cutOff}, "void"},
	"half":         {[]move{{Answer: realagent.Answer{Text: "never whole", Half: true}}}, "void"},
	"html":         {[]move{{Answer: realagent.Answer{Page: "<html>log in</html>"}}}, "void"},
	"empty":        {[]move{{Answer: realagent.Answer{Half: true}}}, "void"},
	"wrong-tool":   {[]move{{Answer: realagent.Answer{Tool: "nonesuch", Input: map[string]any{"skill": "zebra"}}}, answers}, "none"},
	"two":          {[]move{fire("horse"), fire("zebra"), answers}, "fired"},
	"twice":        {[]move{fire("zebra"), fire("zebra"), answers}, "fired"},
	"unknown-name": {[]move{fire("zebrax"), answers}, "none"},
	"talk":         {[]move{{Answer: realagent.Answer{Text: "I will use the skill zebra: .agents/skills/zebra/SKILL.md"}}}, "none"},
	"long":         {[]move{{Answer: realagent.Answer{Text: strings.Repeat("no stripes. ", 250_000)}}}, "none"},
	"limit":        {[]move{fire("zebra"), {Answer: realagent.Answer{Text: "and so", Full: true}}}, "fired"},
	"many":         {[]move{fire("zebra"), fire("zebra"), fire("zebra"), fire("zebra"), answers}, "fired"},
	"below":        {[]move{{below: "SITUATION-fires."}, answers}, "fired unknown"},
	"below-none":   {[]move{{below: "SITUATION-none."}, answers}, "none unknown"},
}

// commands are ways to read a skill's file, and not to, in agents that load a skill so.
var readings = map[string]struct{ command, want string }{
	"cd":        {"cd .agents/skills/zebra && sed -n 1,200p SKILL.md", "read"},
	"find":      {"find .agents -name SKILL.md -path '*zebra*' -exec cat {} +", "read"},
	"missing":   {"cat .agents/skills/zebra/SKILL.md .agents/skills/zebra/missing.md", "read"},
	"fails":     {"cat .agents/skills/zebra/SKILL.md && git status", "read"},
	"pattern":   {"cat .agents/skills/*/SKILL.md", "read"},
	"variable":  {"f=.agents/skills/zebra; cat $f/SKILL.md", "read"},
	"numbers":   {"cat -n .agents/skills/zebra/SKILL.md", "read"},
	"its-other": {"f=.agents/skills/horse; cat $f/SKILL.md", "other"},
	"ls":        {"ls -l .agents/skills/horse/SKILL.md", "none"},
	"grep":      {"grep -l Count .agents/skills/*/SKILL.md", "none"},
	"head":      {"head -3 .agents/skills/zebra/SKILL.md", "none"},
}

// shells are the tools by which agents run commands.
var shells = map[string]func(command string) (tool string, input any){
	"codex": func(command string) (string, any) { return "exec_command", map[string]any{"cmd": command} },
	"pi":    func(command string) (string, any) { return "bash", map[string]any{"command": command} },
}

// subagents are the tools by which agents start a subagent.
var subagents = map[string]func(prompt string) (tool string, input any){
	"claude": func(prompt string) (string, any) {
		return "Agent", map[string]any{"description": "look", "prompt": prompt, "subagent_type": "general-purpose"}
	},
	"opencode": func(prompt string) (string, any) {
		return "task", map[string]any{"description": "look", "prompt": prompt, "subagent_type": "general"}
	},
	"qwen": func(prompt string) (string, any) {
		return "agent", map[string]any{"description": "look", "prompt": prompt, "subagent_type": "general-purpose"}
	},
}

// situationOf finds the word of a situation in what was asked.
var situationWord = regexp.MustCompile(`SITUATION-([\w-]+)\.`)

// A situationRun is an agent in all situations.
type situationRun struct {
	agent   *agents.Agent // nil: Claude Code
	project string
	env     []string
	args    []string
	model   string // "" is the agent's own choice
	yolo    []string
	asked   atomic.Int32            // how often the model was, in a situation
	bill    func(*realagent.Answer) // says what an answer costs; may be nil

	mu    sync.Mutex
	tools []string // the most that it was offered
}

func (r *situationRun) name() string {
	if r.agent == nil {
		return agents.Claude
	}
	return r.agent.Name
}

// moves are those of a word.
func (r *situationRun) moves(word string) []move {
	if read, ok := readings[word]; ok {
		return []move{types(read.command), answers}
	}
	return situations[word].moves
}

// words are the situations that can be had in the agent.
func (r *situationRun) words() (all []string) {
	for _, word := range slices.Sorted(maps.Keys(situations)) {
		if needs := situations[word].moves[0]; needs.below == "" || subagents[r.name()] != nil {
			all = append(all, word)
		}
	}
	if shells[r.name()] != nil {
		all = append(all, slices.Sorted(maps.Keys(readings))...)
	}
	return all
}

// right are the outcomes that are right for a word.
func (r *situationRun) right(word string) []string {
	if read, ok := readings[word]; ok {
		return []string{read.want}
	}
	want := situations[word].want
	if r.agent != nil && r.agent.Fires == agents.ByRead {
		want = strings.ReplaceAll(want, "fired", "read")
	}
	return strings.Fields(want)
}

// play makes an agent's tool calls of a move.
func (r *situationRun) play(m move) realagent.Answer {
	a := m.Answer
	switch {
	case m.skill != "" && r.agent == nil:
		a.Tool, a.Input = "Skill", map[string]string{"skill": m.skill}
	case m.skill != "":
		a.Tool, a.Input = realagent.Fire(r.agent, m.skill, ".agents/skills/"+m.skill+"/SKILL.md")
	case m.command != "":
		a.Tool, a.Input = shells[r.name()](m.command)
	case m.below != "":
		a.Tool, a.Input = subagents[r.name()](m.below)
	}
	return a
}

// TestTrySituations: whatever happens to an agent, a trial's outcome is right, or there is no verdict.
func TestTrySituations(t *testing.T) {
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testSituations(t, name)
		})
	}
}

func testSituations(t *testing.T, name string) {
	r := newSituationRun(t, name)
	words := r.words()
	if only := os.Getenv("SITUATIONS"); only != "" {
		words = strings.Split(only, ",")
	}
	cmd := r.try(t, words, "--retries", "0", "--timeout", "150s", "--idle-timeout", "60s", "-j", "4")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, _ := cmd.Output() // void trials are an exit status
	seen := map[string]bool{}
	for line := range bytes.Lines(out) {
		var trial struct{ Type, Case, Outcome, Why, Refused string }
		if json.Unmarshal(line, &trial) != nil || trial.Type != "trial" {
			continue
		}
		seen[trial.Case] = true
		t.Logf("%s: %s (%.200s%.200s)", trial.Case, trial.Outcome, trial.Why, trial.Refused)
		if want := r.right(trial.Case); !slices.Contains(want, trial.Outcome) {
			t.Errorf("%s: %s, want %s: %s%s", trial.Case, trial.Outcome, strings.Join(want, " or "), trial.Why, trial.Refused)
		}
	}
	if len(seen) != len(words) {
		t.Errorf("%d of %d trials\n%s", len(seen), len(words), errs.String())
	}
	if t.Failed() {
		t.Logf("tools: %s", strings.Join(r.tools, " "))
	}
}

// TestTryGone: kill -9 of skillhand ends the agents with all that they started: npm's launchers as
// well as the programs that go on asking, and spending, without them.
func TestTryGone(t *testing.T) {
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newSituationRun(t, name)
			cmd := r.try(t, []string{"hang"}, "--env", "SKILLHAND_TEST")
			cmd.Env = append(cmd.Env, "SKILLHAND_TEST="+t.Name())
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, name+" asked its model", func() bool { return r.asked.Load() > 0 })
			all := running(t.Name())
			if len(all) < 2 {
				t.Errorf("running %q, want skillhand and the agent", all)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			await(t, "no process left", func() bool { return running(t.Name()) == nil })
			t.Logf("gone: %q", all)
		})
	}
}

// running are the command lines of processes with a test's name in their environment.
func running(test string) (all []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, _ := os.ReadFile(file) // it may have ended since
		if slices.Contains(strings.Split(string(env), "\x00"), "SKILLHAND_TEST="+test) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			all = append(all, fmt.Sprintf("%.80s", bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
		}
	}
	return all
}

// newSituationRun sets up an agent whose model plays situations.
func newSituationRun(t *testing.T, name string) *situationRun {
	t.Helper()
	a, err := agents.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	r := &situationRun{agent: a, project: t.TempDir()}
	home := t.TempDir()
	r.args = []string{"try", "zebra", "--runs", "1", "--min-fired", "0", "--json", "--agent", name}
	r.env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SKILLHAND_STATE_DIR=" + t.TempDir(), "TMPDIR=" + t.TempDir()}
	if a == nil {
		api := fakeapi.New(t)
		api.Handle(r.answerClaude)
		r.env = append(r.env, "SKILLHAND_CLAUDE="+realclaude.Program(t), "ANTHROPIC_BASE_URL="+api.URL, "ANTHROPIC_API_KEY=dummy-key",
			"CLAUDE_CODE_MAX_RETRIES=0", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1")
		return r
	}
	s := realagent.New(t, a, realagent.NewModel(t, r.answer).URL, home)
	r.env = append(append(r.env, s.Env...), a.Variable()+"="+s.Program)
	r.args, r.model, r.yolo = append(r.args, "--env", "PLAYED_KEY"), s.Model, s.Yolo
	return r
}

// try is the command that tries the skill in some situations, a case for each.
func (r *situationRun) try(t *testing.T, words []string, args ...string) *exec.Cmd {
	t.Helper()
	var cases strings.Builder
	cases.WriteString("cases:\n")
	for _, word := range words {
		fmt.Fprintf(&cases, "  - {id: %q, prompt: Please look. SITUATION-%s., files: box}\n", word, word)
	}
	const horse = "---\nname: horse\ndescription: Counts hooves.\n---\nHORSEBODY Count hooves.\n"
	for file, text := range map[string]string{
		"SKILL.md":         "---\nname: zebra\ndescription: Counts stripes.\n---\nZEBRABODY Count the stripes.\nWrite stripes.txt.\n",
		"evals/cases.yaml": cases.String(),
		"evals/box/.agents/skills/horse/SKILL.md": horse,
		"evals/box/.claude/skills/horse/SKILL.md": horse,
	} {
		file = filepath.Join(r.project, ".claude/skills/zebra", file)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(bin, "skillhand"), slices.Concat(r.args, args, r.modelArgs(), []string{"--"}, r.yolo)...)
	cmd.Env, cmd.Dir = r.env, r.project
	return cmd
}

// modelArgs name the model.
func (r *situationRun) modelArgs() []string {
	if r.model == "" {
		return nil
	}
	return []string{"--model", r.model}
}

// answer plays a model of other agents. Requests without tools are about titles and the like.
func (r *situationRun) answer(q realagent.Request) realagent.Answer {
	r.mu.Lock()
	if len(q.Tools) > len(r.tools) {
		r.tools = q.Tools
	}
	r.mu.Unlock()
	all := situationWord.FindAllStringSubmatch(q.Body, -1)
	if all == nil {
		return answers.Answer
	}
	r.asked.Add(1)
	moves := r.moves(all[0][1])
	a := r.play(moves[min(q.Results, len(moves)-1)])
	if a.Tool != "" && a.Tool != "nonesuch" && !slices.Contains(q.Tools, a.Tool) {
		return answers.Answer
	}
	if r.bill != nil {
		r.bill(&a)
	}
	return a
}

// answerClaude plays Claude Code's model.
func (r *situationRun) answerClaude(q *fakeapi.Request) fakeapi.Answer {
	all := situationWord.FindAllStringSubmatch(strings.Join(q.Texts(), "\n"), -1)
	if all == nil {
		return sayDone
	}
	r.asked.Add(1)
	turn := 0
	for _, m := range q.Messages {
		if m.Role == "assistant" {
			turn++
		}
	}
	moves := r.moves(all[0][1])
	a := r.play(moves[min(turn, len(moves)-1)])
	m := fakeapi.Text(a.Text)
	switch {
	case a.Tool != "":
		return fakeapi.Use(a.Tool, a.Input)
	case a.Status != 0:
		return fakeapi.Status(a.Status, "played")
	case a.Hang:
		return fakeapi.Hang()
	case a.Page != "":
		return fakeapi.Raw(200, a.Page, "Content-Type", "text/html")
	case a.Half && a.Text == "":
		return fakeapi.Raw(200, "", "Content-Type", "text/event-stream")
	case a.Half, a.Cut:
		return fakeapi.Reset(m)
	case a.Full:
		m.Stop = "max_tokens"
	}
	return m
}
