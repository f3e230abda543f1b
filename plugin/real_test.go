//go:build unix

// Package plugin_test uses the plugin in the real Claude Code, against a fake
// Messages API, and looks at what the model is sent.
package plugin_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// bin is a folder with the programs that are tested.
var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "skillhand-bin-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		build := exec.Command("go", "build", "-o", dir, "../cmd/...")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
			return 1
		}
		bin = dir
		return m.Run()
	}())
}

// The skill of these tests says the first text once, and the second every time.
const instructions = "PROBE INSTRUCTIONS"

const stub = `---
name: probe
description: Probes.
allowed-tools: Bash(skillhand load:*)
---
` + "```!" + `
skillhand load probe --plugin-root "${CLAUDE_PLUGIN_ROOT}" --session "${CLAUDE_SESSION_ID}" FLAGS --args - <<'END_OF_ARGUMENTS_test'
$ARGUMENTS
END_OF_ARGUMENTS_test
` + "```" + `
`

const text = `<skill name="probe">
` + instructions + `
</skill>

<output name="probe">
` + "Fresh: !`cat fresh`, arguments: !`printf '[%s]' \"$ARGUMENTS\"`" + `
</output>
`

// A probe is a session of the real CLI with the plugin and a skill of its own.
type probe struct {
	*realclaude.Session
	t      *testing.T
	api    *fakeapi.API
	claude *realclaude.Claude
	use    int
}

// newProbe starts a session. flags are further flags of load in the skill's stub.
func newProbe(t *testing.T, model fakeapi.Func, flags string, env ...string) *probe {
	t.Helper()
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(model)
	c := realclaude.New(t, api)
	c.Env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "SKILLHAND_STATE_DIR=" + filepath.Join(c.Home, "state")}, env...)
	if err := os.CopyFS(filepath.Join(c.Project, "plug"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	c.Write("plug/skills/probe/SKILL.md", strings.ReplaceAll(stub, "FLAGS", flags))
	c.Write("plug/skills/probe/first-use.md", text)
	c.Write("plug/agents/preloaded.md", "---\nname: preloaded\ndescription: d\nskills: skillhand:probe\n---\nYou probe.\n")
	// A plugin under development is trusted like any folder.
	trust := exec.Command(filepath.Join(bin, "skillhand"), "trust", filepath.Join(c.Project, "plug"))
	trust.Env = append(os.Environ(), c.Env...)
	if out, err := trust.CombinedOutput(); err != nil && !slices.Contains(c.Env, "SKILLHAND_TRUST=all") {
		t.Fatalf("%v\n%s", err, out)
	}
	p := &probe{t: t, api: api, claude: c}
	p.trust()
	p.start()
	return p
}

// trust has the user trust the plugin, as one does with a plugin under development. Where there is
// nowhere to remember it, the environment says so.
func (p *probe) trust() {
	p.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "skillhand"), "trust")
	cmd.Dir, cmd.Env = p.claude.Project, append([]string{"HOME=" + p.claude.Home}, p.claude.Env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Logf("skillhand trust: %v: %s", err, out)
		p.claude.Env = append(p.claude.Env, "SKILLHAND_TRUST=all")
	}
}

func (p *probe) start() {
	p.Session = p.claude.Start("--plugin-dir", "plug", "--allowedTools", "Skill,Agent")
}

// say sends a prompt that uses the skill, and returns the pages that agents were
// sent because of it. What a directive prints is different each time.
func (p *probe) say(prompt string) []string {
	p.t.Helper()
	p.use++
	p.claude.Write("fresh", fmt.Sprint("fresh-", p.use))
	before := len(p.api.Requests())
	if turn := p.Send(prompt); turn.Result.Subtype != "success" || turn.Result.IsError {
		p.t.Errorf("%s: %s", prompt, turn.Result.Raw)
	}
	var pages []string
	for _, q := range p.api.Requests()[before:] {
		for _, news := range p.api.News(q) {
			if i := strings.Index(news, "Base directory for this skill: "); i >= 0 && strings.Contains(news, "skills/probe") &&
				!strings.Contains(news, "invoked EARLIER") {
				pages = append(pages, news)
			}
		}
	}
	return pages
}

// want checks that a prompt had one page, with or without the instructions, and fresh output.
func (p *probe) want(prompt string, whole bool) {
	p.t.Helper()
	p.wantPages(p.say(prompt), prompt, 1, whole)
}

func (p *probe) wantPages(pages []string, prompt string, n int, whole bool) {
	p.t.Helper()
	if len(pages) != n {
		p.t.Errorf("%s: %d pages, want %d: %q", prompt, len(pages), n, pages)
	}
	for _, page := range pages {
		if strings.Contains(page, instructions) != whole {
			p.t.Errorf("%s: the whole text is there: %v, want %v:\n%s", prompt, !whole, whole, page)
		}
		if want := fmt.Sprintf("Fresh: fresh-%d,", p.use); !strings.Contains(page, want) {
			p.t.Errorf("%s: no %q in:\n%s", prompt, want, page)
		}
	}
}

const (
	slash = "/skillhand:probe"
	model = `call Skill {"skill": "skillhand:probe", "args": "x"}`
)

func subagent(kind, prompt string) string {
	return fmt.Sprintf(`call Agent {"description": "d", "subagent_type": %q, "run_in_background": false, "prompt": %q}`, kind, prompt)
}

func TestInstructionsOnce(t *testing.T) {
	p := newProbe(t, realclaude.Obey, "")
	p.want(slash, true)
	p.want(slash, false)
	p.want(model, false)
	p.want(slash, false)
	p.Close()

	// Another session has not seen them; nor has this one any more, since it ended.
	p.start()
	p.want(model, true)
	p.want(model, false)
}

func TestArguments(t *testing.T) {
	p := newProbe(t, realclaude.Obey, "")
	for _, args := range []string{`it's "quoted" $(touch pwned) ; touch pwned`, "two\nlines; touch pwned", "`touch pwned`",
		"$HOME ${PATH} \\n *"} {
		pages := p.say(slash + " " + args)
		if len(pages) != 1 || !strings.Contains(pages[0], "arguments: ["+args+"]") {
			t.Errorf("%q became %q", args, pages)
		}
		if _, err := os.Stat(filepath.Join(p.claude.Project, "pwned")); err == nil {
			t.Fatalf("%q ran", args)
		}
	}
}

func TestCompaction(t *testing.T) {
	p := newProbe(t, realclaude.Obey, "")
	p.want(slash, true)
	p.want(slash, false)
	p.Send("/compact")
	p.Send("go on")
	last := p.api.Last()
	if found := last.Find("load it again"); len(found) != 1 || !strings.Contains(found[0], "\n- skillhand:probe") {
		t.Errorf("after compaction the model is told: %q", found)
	}
	p.want(slash, true)
	p.want(slash, false)
	p.want(model, false)
}

func TestAutomaticCompaction(t *testing.T) {
	p := newProbe(t, func(q *fakeapi.Request) fakeapi.Answer {
		if !realclaude.Compacting(q) && strings.HasSuffix(q.Prompt(), "fill up") {
			return fakeapi.Message{Text: "done", Usage: fakeapi.Usage{Input: 190_000, Output: 500}}
		}
		return realclaude.Obey(q)
	}, "", "CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000")
	p.want(slash, true)
	p.want(slash, false)
	p.Send("fill up")
	p.Send("go on")
	compacted := false
	for _, q := range p.api.Requests() {
		compacted = compacted || realclaude.Compacting(q)
	}
	if !compacted {
		t.Fatal("it was not compacted")
	}
	p.want(slash, true)
	p.want(slash, false)
}

func TestClear(t *testing.T) {
	p := newProbe(t, realclaude.Obey, "")
	p.want(slash, true)
	p.Send("/clear")
	p.want(slash, true)
	p.want(slash, false)
}

func TestSubagents(t *testing.T) {
	p := newProbe(t, realclaude.Obey, "")
	p.want(slash, true)
	p.want(subagent("general-purpose", model), true)
	p.want(slash, false) // the parent keeps its own marks

	two := subagent("general-purpose", model) + "\n" + subagent("general-purpose", model)
	p.wantPages(p.say(two), "two at once", 2, true)
	p.want(model, false)

	// A skill that an agent's file preloads has no hook of its own.
	p.want(subagent("skillhand:preloaded", "go"), true)
	p.want(slash, false)
}

// TestCompanion: the text of a skill in a companion folder is a skill of its
// own, which an agent's file can preload with no loader at all.
func TestCompanion(t *testing.T) {
	p := newProbe(t, realclaude.Obey, "")
	p.Close()
	if err := os.Remove(filepath.Join(p.claude.Project, "plug/skills/probe/first-use.md")); err != nil {
		t.Fatal(err)
	}
	p.claude.Write("plug/skills/probe-first-use/SKILL.md", "---\ndescription: d\nuser-invocable: false\nallowed-tools: Bash\n---\n"+text)
	p.claude.Write("plug/agents/preloaded.md", "---\nname: preloaded\ndescription: d\nskills: skillhand:probe-first-use\n---\nYou probe.\n")
	p.start()
	p.want(slash, true)
	p.want(slash, false)
	p.want(subagent("skillhand:preloaded", "go"), true)
	p.want(slash, false)
}

// TestMigrated: a skill of an older loader, migrated, is loaded by ours and preloaded by Claude
// Code itself, which runs the launcher by the rule that migrate wrote.
func TestMigrated(t *testing.T) {
	p := newProbe(t, realclaude.Obey, "")
	p.Close()
	old := "---\nname: probe\ndescription: Probes.\n" +
		"---\n!`\"${CLAUDE_PLUGIN_ROOT}/scripts/load-skill.sh\" \"${CLAUDE_PLUGIN_ROOT}\" probe \"${CLAUDE_SESSION_ID}\"`\n"
	p.claude.Write("plug/skills/probe/SKILL.md", old)
	p.claude.Write("plug/skills/probe/first-use.md", instructions+"\n\n${OUT}\n")
	p.claude.Write("plug/skills/probe/bindings.json", `{"OUT": "org.example.GetProbeOutput"}`)
	p.claude.Write("plug/hooks/bin/show-probe", "#!/bin/sh\nexec \"$(dirname \"$0\")/java\" -m "+
		"org.example/org.example.GetProbeOutput \"$@\"\n")
	p.claude.Write("plug/hooks/bin/java", "#!/bin/sh\necho \"Fresh: $(cat fresh),\"\n")
	for _, name := range []string{"show-probe", "java"} {
		if err := os.Chmod(filepath.Join(p.claude.Project, "plug/hooks/bin", name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	migrate := exec.Command(filepath.Join(bin, "skillhand"), "migrate", "--companion", "--no-backup", "plug/skills/probe")
	migrate.Dir, migrate.Env = p.claude.Project, append([]string{"HOME=" + p.claude.Home}, p.claude.Env...)
	if out, err := migrate.CombinedOutput(); err != nil || !strings.Contains(string(out), "probe-first-use/SKILL.md") {
		t.Fatalf("%v\n%s", err, out)
	}
	p.claude.Write("plug/agents/preloaded.md", "---\nname: preloaded\ndescription: d\nskills: skillhand:probe-first-use\n---\nYou probe.\n")
	p.start()
	p.want(slash, true)
	p.want(slash, false)
	p.want(subagent("skillhand:preloaded", "go"), true)
}

// TestFailedLoad: what did not arrive was not seen.
func TestFailedLoad(t *testing.T) {
	p := newProbe(t, realclaude.Obey, "--strict")
	if err := os.Mkdir(filepath.Join(p.claude.Project, "gone"), 0o777); err != nil {
		t.Fatal(err)
	}
	p.claude.Write("plug/skills/probe/first-use.md", strings.Replace(text, "cat fresh", "cat gone fresh", 1))
	p.Send("/reload-skills")
	if pages := p.say(slash); len(pages) != 0 {
		t.Errorf("a failed load sent %q", pages)
	}
	p.claude.Write("plug/skills/probe/first-use.md", text)
	p.want(slash, true)
	p.want(slash, false)
}

// TestHooksNeverBreak: with nowhere to keep anything the session goes on as if nothing were installed.
func TestHooksNeverBreak(t *testing.T) {
	for name, dir := range map[string]string{"impossible": "/proc/nowhere", "a file": "/dev/null/x"} {
		t.Run(name, func(t *testing.T) {
			p := newProbe(t, realclaude.Obey, "", "SKILLHAND_STATE_DIR="+dir, "SKILLHAND_TRUST=all")
			p.want(slash, true)
			p.want(model, true)
			p.Send("/compact")
			p.want(slash, true)
		})
	}
	t.Run("no skillhand", func(t *testing.T) {
		p := newProbe(t, realclaude.Obey, "", "PATH="+os.Getenv("PATH"))
		if turn := p.Send("hello"); turn.Result.Subtype != "success" || turn.Result.Result != "done" {
			t.Errorf("%s", turn.Result.Raw)
		}
		// A skill of the plugin says in one line how to get the program.
		if turn := p.Send("/skillhand:status"); turn.Result.Subtype != "success" {
			t.Errorf("%s", turn.Result.Raw)
		}
		if found := p.api.Last().Find("npm install --global skillhand"); len(found) != 1 || !strings.Contains(found[0], "Tell the user so") {
			t.Errorf("the skill says: %q", found)
		}
	})
}

// TestSaved measures what ten uses of the bundled skill send, with skillhand and
// without: without it, the whole text is what Claude Code sends each time.
func TestSaved(t *testing.T) {
	p := newProbe(t, realclaude.Obey, "")
	sent := func(skill string) (bytes int) {
		for range 10 {
			before := len(p.api.Requests())
			p.Send("/skillhand:" + skill)
			for _, q := range p.api.Requests()[before:] {
				for _, news := range p.api.News(q) {
					if strings.Contains(news, "Base directory for this skill: ") && strings.Contains(news, "skills/"+skill) {
						bytes += len(news)
					}
				}
			}
		}
		return bytes
	}
	src, err := os.ReadFile("skills/skillhand/first-use.md")
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	p.claude.Write("plug/skills/plain/SKILL.md", "---\nname: plain\ndescription: d\nallowed-tools: Bash\n---\n"+strings.NewReplacer(`\!`, "!",
		"!`\"", "!`CLAUDE_PLUGIN_ROOT=\"${CLAUDE_PLUGIN_ROOT}\" \"").Replace(string(src))) // so that it lists the same skills
	p.start()
	with, without := sent("skillhand"), sent("plain")
	t.Logf("ten uses of the bundled skill: %d bytes with skillhand, %d without", with, without)
	instructions, _, _ := strings.Cut(string(src), "<output")
	if with == 0 || without < 10*len(src) || without-with < 8*len(instructions) { // the reference text costs a little
		t.Errorf("%d bytes with skillhand, %d without", with, without)
	}
}

// TestHistorySkills uses the three skills about what happened. Each use is one
// process: the launchers on the page start none.
func TestHistorySkills(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	wrapper := fmt.Sprintf("#!/bin/sh\necho \"$1 $2\" >> '%s'\nexec '%s' \"$@\"\n", log, filepath.Join(bin, "skillhand"))
	if err := os.WriteFile(filepath.Join(dir, "skillhand"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	p := newProbe(t, realclaude.Obey, "", "PATH="+dir+":"+os.Getenv("PATH"))
	for _, tt := range []struct{ skill, args, instructions, output string }{
		{"status", "", "# Status of skills and runs", "╭─ skillhand status ─"},
		{"statusline", "", "# A status line for Claude Code", `{"status":"NONE","file":"`},
		{"run-retrospective", "30d", "# Retrospective\n\nBelow is", "# Retrospective, "},
	} {
		for _, whole := range []bool{true, false} {
			before := len(p.api.Requests())
			p.Send("/skillhand:" + tt.skill + " " + tt.args)
			var pages []string
			for _, q := range p.api.Requests()[before:] {
				for _, news := range p.api.News(q) {
					if strings.Contains(news, "Base directory for this skill: ") && strings.Contains(news, "skills/"+tt.skill+"\n") {
						pages = append(pages, news)
					}
				}
			}
			if len(pages) != 1 {
				t.Fatalf("%s: %d pages: %q", tt.skill, len(pages), pages)
			}
			if !strings.Contains(pages[0], "<output name=\""+tt.skill+"\">\n<skill-output>\n"+tt.output) ||
				strings.Contains(pages[0], tt.instructions) != whole {
				t.Errorf("%s: first use %v:\n%s", tt.skill, whole, pages[0])
			}
		}
	}
	calls, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(calls), "load "); n != 6 || strings.Contains(string(calls), "builtin") {
		t.Errorf("%d loads for six uses:\n%s", n, calls)
	}
}

// TestValid: the plugin is what Claude Code's own check wants.
func TestValid(t *testing.T) {
	t.Parallel()
	c := realclaude.New(t, fakeapi.New(t))
	if err := os.CopyFS(filepath.Join(c.Project, "plug"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	if out := c.Run("plugin", "validate", "--strict", "--profile", "directory", "plug"); out.Exit != 0 {
		t.Errorf("exit %d\n%s%s", out.Exit, out.Stdout, out.Stderr)
	}
	if err := os.CopyFS(filepath.Join(c.Project, ".claude-plugin"), os.DirFS("../.claude-plugin")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(c.Project, "plug"), filepath.Join(c.Project, "plugin")); err != nil {
		t.Fatal(err)
	}
	if out := c.Run("plugin", "validate", "--strict", "."); out.Exit != 0 {
		t.Errorf("the marketplace: exit %d\n%s%s", out.Exit, out.Stdout, out.Stderr)
	}
}
