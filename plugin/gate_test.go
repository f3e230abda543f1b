//go:build unix

package plugin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// A gated project has a skill with checks, whose gate is on, and one without.
type gated struct {
	*realclaude.Claude
	t     *testing.T
	api   *fakeapi.API
	state string
}

const (
	release  = `call Skill {"skill": "release"}`
	other    = `call Skill {"skill": "other"}`
	work     = `call Bash {"command": "echo '## 1.0' > CHANGELOG.md && sh tests.sh", "description": "d"}`
	question = `{"questions": [{"question": "Publish it?", "header": "Publish", "options": [` +
		`{"label": "Yes", "description": "d"}, {"label": "No", "description": "d"}], "multiSelect": false}]}`
	reminder = "The skill release is not done."
)

// worker does what it is told in the prompt: it calls tools, one more of them after "then", ends with a question if it
// should ASK, answers one of its own if it should BOAST, and does the work once it is reminded, unless it should LIE.
func worker(q *fakeapi.Request) fakeapi.Answer {
	prompt, results := lastPrompt(q), q.Results()
	_, then, more := strings.Cut(prompt, "then call ")
	switch {
	case realclaude.Compacting(q):
	case strings.Contains(q.Prompt(), reminder) && len(results) == 0 && !strings.Contains(prompt, "LIE"):
		return fakeapi.Use("Bash", map[string]string{"command": "echo '## 1.0' > CHANGELOG.md && sh tests.sh", "description": "d"})
	case strings.Contains(q.Prompt(), reminder) && len(results) == 0:
		return fakeapi.Text("It is all done.")
	case len(results) > 0 && strings.Contains(prompt, "ASK"):
		return fakeapi.Text("Did the tests run? No.\n\n**Shall I run them now?** Please choose:\n- yes\n- no")
	case len(results) > 0 && strings.Contains(prompt, "BOAST"):
		return fakeapi.Text("Did I do it? Yes, all of it: is that not nice? It is done.")
	case len(results) > 0 && more && strings.Contains(strings.ToLower(results[0].Said()), "skill"):
		tool, input, _ := strings.Cut(then, " ")
		return fakeapi.Use(tool, json.RawMessage(strings.TrimSpace(input)))
	}
	return realclaude.Obey(q)
}

// lastPrompt returns what the user said last.
func lastPrompt(q *fakeapi.Request) string {
	for _, m := range slices.Backward(q.Messages) {
		for _, b := range slices.Backward(m.Content) {
			if m.Role == "user" && b.Type == "text" && (strings.Contains(b.Text, "call ") || strings.Contains(b.Text, "<command-name>")) {
				return b.Text
			}
		}
	}
	return ""
}

func newGated(t *testing.T) *gated {
	t.Helper()
	test.Real(t)
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(worker)
	c := realclaude.New(t, api)
	g := &gated{Claude: c, t: t, api: api, state: filepath.Join(c.Home, "state")}
	c.Env = append(c.Env, "PATH="+bin+":"+os.Getenv("PATH"), "SKILLHAND_STATE_DIR="+g.state)
	if err := os.CopyFS(filepath.Join(c.Home, "plug"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	c.Write("tests.sh", "echo tests pass\n")
	c.Write(".claude/skills/other/SKILL.md", "---\ndescription: d\n---\nSomething else.\n")
	c.Write(".claude/skills/release/SKILL.md", "---\ndescription: d\n---\nWrite a changelog, run the tests.\n")
	c.Write(".claude/skills/release/done.yaml", `checks:
  - {file: CHANGELOG.md, contains: "## "}
  - {command: "test -s CHANGELOG.md || { echo no changelog; exit 3; }", timeout: 60s}
  - {tool_used: {tool: Bash, input: "tests.sh"}}
`)
	g.skillhand("trust")
	g.on()
	return g
}

// skillhand runs skillhand in the project.
func (g *gated) skillhand(args ...string) string {
	g.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "skillhand"), args...)
	cmd.Dir, cmd.Env = g.Project, append([]string{"HOME=" + g.Home}, g.Env...)
	out, err := cmd.Output()
	if err != nil {
		g.t.Logf("skillhand %q: %v", args, err)
	}
	return string(out)
}

// on switches the gate on, as the user does on a terminal.
func (g *gated) on() {
	g.t.Helper()
	cmd := exec.Command("script", "-qec", filepath.Join(bin, "skillhand")+" gate on release", os.DevNull)
	cmd.Dir, cmd.Env = g.Project, append([]string{"HOME=" + g.Home, "SHELL=/bin/sh"}, g.Env...)
	cmd.Stdin = strings.NewReader("y\n")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "gate of release: on") {
		g.t.Fatalf("gate on: %v\n%s", err, out)
	}
}

func (g *gated) flags(more ...string) []string {
	return append([]string{"--plugin-dir", filepath.Join(g.Home, "plug"), "--allowedTools", "Skill,Agent,Bash"}, more...)
}

func (g *gated) ask(prompt string, more ...string) {
	g.t.Helper()
	if out := g.Run(append([]string{"-p", prompt}, g.flags(more...)...)...); out.Exit != 0 {
		g.t.Errorf("%q: exit status %d\n%s%s", prompt, out.Exit, out.Stdout, out.Stderr)
	}
}

// reminded counts how often an agent was told that the skill is not done.
func (g *gated) reminded() (n int) {
	for _, q := range g.api.Requests() {
		if strings.Contains(q.Prompt(), reminder) && len(q.Results()) == 0 && !realclaude.Compacting(q) {
			n++
		}
	}
	return n
}

// want checks how often agents were reminded, and the ends that the history knows: held or not-done and how many reminders.
func (g *gated) want(reminders int, ends ...string) {
	g.t.Helper()
	if n := g.reminded(); n != reminders {
		g.t.Errorf("%d reminders, want %d", n, reminders)
	}
	var got []string
	for line := range strings.Lines(g.skillhand("history", "--json", "--kind", "gate")) {
		var r struct {
			OK        bool
			Category  string
			Reminders int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			g.t.Fatalf("%v: %s", err, line)
		}
		end := "held"
		if !r.OK {
			end = r.Category
		}
		got = append(got, fmt.Sprint(end, " ", r.Reminders))
	}
	if !slices.Equal(got, ends) {
		g.t.Errorf("the history has %q, want %q", got, ends)
	}
}

// TestGate: an agent that skips a step is told so, at most twice, and nobody else is.
func TestGate(t *testing.T) {
	t.Run("skips", func(t *testing.T) {
		g := newGated(t)
		g.ask(release)
		g.want(1, "held 1")
		if q := g.api.Requests(); len(q[len(q)-1].Find("CHANGELOG.md does not exist")) == 0 {
			t.Error("it is not told what was seen")
		}
	})
	for name, play := range map[string]struct {
		prompt, mode string
		reminders    int
		ends         []string
	}{
		"lies":      {release + "\nLIE", "", 2, []string{"not-done 2"}},
		"does":      {release + "\nthen " + work, "", 0, []string{"held 0"}},
		"slash":     {"/release", "", 1, []string{"held 1"}},
		"subagent":  {subagent("general-purpose", release), "", 1, []string{"held 1"}},
		"delegates": {release + "\n" + subagent("general-purpose", work), "", 0, []string{"held 0"}},
		"asks":      {release + "\nASK", "", 0, nil},
		"boasts":    {release + "\nBOAST", "", 1, []string{"held 1"}},
		"asks user": {release + "\nthen call AskUserQuestion " + question, "", 0, nil},
		"no skill":  {"hello", "", 0, nil},
		"other":     {other, "", 0, nil},
		"not given": {subagent("general-purpose", other), "", 0, nil},
		"plan":      {release, "plan", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGated(t)
			var more []string
			if play.mode != "" {
				more = []string{"--permission-mode", play.mode}
			}
			g.ask(play.prompt, more...)
			g.want(play.reminders, play.ends...)
		})
	}
}

// TestGateSessions: what was delivered in an earlier turn holds nobody back.
func TestGateSessions(t *testing.T) {
	t.Run("compaction", func(t *testing.T) {
		g := newGated(t)
		s := g.Start(g.flags()...)
		s.Send(release + "\nLIE")
		g.want(2, "not-done 2")
		s.Send("/compact")
		s.Send("go on")
		g.want(2, "not-done 2")
		s.Send("/release") // again
		g.want(3, "not-done 2", "held 1")
	})
	t.Run("resume", func(t *testing.T) {
		g := newGated(t)
		const id = "11111111-2222-4333-8444-555555555555"
		g.ask(release+"\nLIE", "--session-id", id)
		g.ask("go on", "--resume", id)
		g.ask("go on", "--resume", id, "--fork-session")
		g.want(2, "not-done 2")
		if out := g.skillhand("done", "release", "--session", id, "--json"); !strings.Contains(out, `"done":false`) ||
			!strings.Contains(out, "Bash used 0 times") {
			t.Errorf("done says afterwards: %s", out)
		}
	})
	t.Run("terminal", func(t *testing.T) {
		g := newGated(t)
		term := g.Open(g.flags("--permission-mode", "default")...) // a fake API has no classifier for auto mode
		term.Type("hello")
		term.Await("Stop")
		g.want(0)
		term.Type(release)
		for range 2 {
			term.Await("Stop")
		}
		term.Type("thanks")
		term.Await("Stop")
		g.want(1, "held 1")
	})
	t.Run("interrupted", func(t *testing.T) {
		g := newGated(t)
		term := g.Open(g.flags()...)
		g.api.Handle(func(q *fakeapi.Request) fakeapi.Answer {
			if len(q.Results()) > 0 {
				return fakeapi.Hang()
			}
			return worker(q)
		})
		term.Type(release)
		term.Shows("release")
		for g.api.Sent("Write a changelog") == nil {
			term.Shows("release")
		}
		term.Press("\x1b")
		term.Shows("Interrupted")
		g.api.Handle(worker)
		term.Type("never mind")
		term.Await("Stop")
		g.want(0)
	})
}

// TestGateFaults: whatever is wrong with us, the session goes on.
func TestGateFaults(t *testing.T) {
	for name, spoil := range map[string]func(g *gated){
		"off":       func(g *gated) { g.skillhand("gate", "off") },
		"untrusted": func(g *gated) { g.skillhand("trust", "--revoke") },
		"broken":    func(g *gated) { g.Write(".claude/skills/release/done.yaml", "checks: [{file: x, contians: y}]\n") },
		"gone":      func(g *gated) { g.wrap("exec rm /nowhere/at/all") },
		"killed":    func(g *gated) { g.wrap("kill -9 $$") },
		"panics":    func(g *gated) { g.wrap("exit 2") },
		"babbles":   func(g *gated) { g.wrap("echo '{\"decision\":\"block\"}'; echo x") },
		"disk full": func(g *gated) {
			for _, dir := range []string{"sessions", "history"} { // root can write to any folder, but not below a file
				os.RemoveAll(filepath.Join(g.state, dir))
				if err := os.WriteFile(filepath.Join(g.state, dir), nil, 0o600); err != nil {
					g.t.Fatal(err)
				}
			}
		},
		"slow check": func(g *gated) {
			g.Write(".claude/skills/release/done.yaml", "checks: [{command: sleep 60, timeout: 1s}]\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGated(t)
			spoil(g)
			g.ask(release)
			if n := g.reminded(); n != 0 {
				t.Errorf("%d reminders", n)
			}
			if _, err := os.Stat(filepath.Join(g.Project, "CHANGELOG.md")); err == nil {
				t.Error("it was made to work")
			}
		})
	}
}

// wrap puts a second program beside skillhand that does something else.
func (g *gated) wrap(script string) {
	g.t.Helper()
	dir := filepath.Join(g.Home, "bin")
	if err := os.Mkdir(dir, 0o777); err != nil {
		g.t.Fatal(err)
	}
	program, err := os.ReadFile(filepath.Join(bin, "skillhand"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "skillhand"), program, 0o777)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "skillhand-server"), []byte("#!/bin/sh\n"+script+"\n"), 0o777)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	g.Env = append(g.Env, "PATH="+dir+":"+os.Getenv("PATH"))
}

// TestGateDocs runs the story of docs/gates.md as one session. What stands in it of a model is what the model is sent.
func TestGateDocs(t *testing.T) {
	test.Real(t)
	t.Parallel()
	page, err := os.ReadFile("../docs/gates.md")
	if err != nil {
		t.Fatal(err)
	}
	api := fakeapi.New(t)
	api.Handle(func(q *fakeapi.Request) fakeapi.Answer {
		insists := len(q.Find("and insist")) > 0
		switch told, acted := strings.Contains(q.Prompt(), reminder), len(q.Results()) > 0; {
		case told && insists:
			return fakeapi.Text("It is all done.")
		case told:
			return fakeapi.Use("Bash", map[string]string{"command": "echo '## 1.0' > CHANGELOG.md && sh tests.sh", "description": "d"})
		case !acted:
			return fakeapi.Use("Skill", map[string]string{"skill": "release"})
		case len(q.Find(reminder)) > 0:
			return fakeapi.Text("Now 1.0 is released: I wrote the changelog, and the tests pass.")
		}
		return fakeapi.Text("It is released.")
	})
	c := realclaude.New(t, api)
	for name, text := range map[string]string{
		"claude": "exec env " + strings.Join(c.Variables(), " ") + " " + realclaude.Program(t) + ` "$@" --allowedTools Skill,Bash --plugin-dir ` + c.Write("plug", ""),
		// A person types y on a terminal, which shows it.
		"skillhand": `case "$1 $2" in "gate on") echo y | COLUMNS=120 SHELL=/bin/sh script -E never -qec "` + bin + `/skillhand $*" /dev/null |
			tr -d '\r' | sed 's/\[y\/N\] /&y\n/';; *) exec ` + bin + `/skillhand "$@";; esac`,
	} {
		c.Write("bin/"+name, "#!/bin/sh\n"+text+"\n")
	}
	if err := errors.Join(os.Remove(filepath.Join(c.Project, "plug")), os.CopyFS(filepath.Join(c.Project, "plug"), os.DirFS("."))); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), "```console gate", "```console server")
	work := test.RunConsole(t, filepath.Join(c.Project, "bin")+":"+os.Getenv("PATH"), test.ConsoleBlocks(text, "console server", "sh server"))
	_, read, _ := strings.Cut(string(page), "```text\n")
	read, _, _ = strings.Cut(read, "\n```")
	if read = strings.ReplaceAll(read, "/home/ada/shop", work); !slices.ContainsFunc(api.Requests(), func(q *fakeapi.Request) bool {
		return strings.Contains(q.Prompt(), read)
	}) {
		for _, q := range api.Requests() {
			t.Logf("it read: %s", q.Prompt())
		}
		t.Errorf("the model did not read\n%s", read)
	}
	if n := strings.Count(string(page), "Claude Code "+claudecode.Version); n == 0 {
		t.Error("the page names another version")
	}
}

// TestGateUntrusted: the checks of a project that nobody trusts run nothing, whatever the user's gates are.
func TestGateUntrusted(t *testing.T) {
	g := newGated(t)
	g.skillhand("trust", "--revoke")
	g.Write(".claude/skills/release/done.yaml", "checks: [{command: touch pwned}]\n")
	g.ask(release)
	g.skillhand("done", "release")
	if _, err := os.Stat(filepath.Join(g.Project, "pwned")); err == nil {
		t.Error("its command ran")
	}
}

// TestGatePlays plays at random: who has not got the skill in this turn, asks something, or has done the work is never
// stopped; who skips it always is.
func TestGatePlays(t *testing.T) {
	plays := 6
	if test.AskAll() || test.Tortured() {
		plays = 200
	}
	seed := rand.Uint64()
	if given, err := strconv.ParseUint(os.Getenv("SKILLHAND_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	g := newGated(t)
	s := g.Start(g.flags()...)
	reminders := 0
	for i := range plays {
		prompt := []string{"hello", other, release + "\nASK %d", subagent("general-purpose", other), "/other", "/compact", "skips",
			release + "\nthen " + work, release + "\n" + work, subagent("general-purpose", release+"\n"+work)}[random.IntN(10)]
		again := prompt == "/compact" || i%20 == 19 // after it, the text of a skill is not sent again
		if prompt == "skips" {
			prompt = release
			reminders++
			os.Remove(filepath.Join(g.Project, "CHANGELOG.md"))
		}
		prompt = strings.ReplaceAll(prompt, "%d", fmt.Sprint(i))
		s.Send(prompt)
		if n := g.reminded(); n != reminders {
			for _, q := range g.api.Requests() {
				for _, r := range q.Results() {
					if r.IsError {
						t.Logf("a tool failed: %s", r.Said())
					}
				}
			}
			t.Fatalf("play %d, %q: %d reminders, want %d", i, prompt, n, reminders)
		}
		if again {
			s.Close()
			s = g.Start(g.flags()...)
		}
	}
}
