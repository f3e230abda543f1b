//go:build unix

package plugin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/realagent"
)

// TestCodexStop: the real Codex has a Stop hook, which can block with a reason, but runs no hook that its user has not
// reviewed in Codex. docs/gates.md says so.
func TestCodexStop(t *testing.T) {
	codex := agents.Get("codex")
	model := realagent.NewModel(t, func(realagent.Request) realagent.Answer { return realagent.Answer{Text: "It is done."} })
	home := t.TempDir()
	setup := realagent.New(t, codex, model.URL, home)
	hooks := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":` +
		`"grep -q '\"stop_hook_active\":true' || echo '{\"decision\":\"block\",\"reason\":\"ZEBRA is missing\"}'"}]}]}}`
	if err := os.WriteFile(filepath.Join(home, ".codex/hooks.json"), []byte(hooks), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, reviewed := range []bool{false, true} {
		args, stdin := codex.Command(agents.Question{Prompt: "hello", Model: setup.Model})
		if reviewed {
			args = append([]string{args[0], "--dangerously-bypass-hook-trust"}, args[1:]...)
		}
		cmd := exec.Command(setup.Program, args...)
		cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(stdin)
		cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, setup.Env...)
		if out, err := cmd.CombinedOutput(); err != nil || model.Sent("ZEBRA is missing") != reviewed {
			t.Errorf("reviewed %v: %v, the model read the reason: %v\n%s", reviewed, err, !reviewed, out)
		}
	}
}

// TestCodex installs the plugin into the real Codex, from this repository's marketplace. Codex lists the skills that are meant
// for it, and their command prints a page, or says how to get skillhand.
func TestCodex(t *testing.T) {
	codex := filepath.Join(test.Bin(t, test.Tool{Name: "codex", Packages: []string{agents.Get("codex").Package}}), "codex")
	home, repository, project := t.TempDir(), t.TempDir(), t.TempDir()
	for from, to := range map[string]string{"../.claude-plugin": ".claude-plugin", ".": "plugin"} {
		if err := os.CopyFS(filepath.Join(repository, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(path string, words ...string) string {
		t.Helper()
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir, cmd.Env = project, []string{"HOME=" + home, "PATH=" + path}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", words, err, out)
		}
		return string(out)
	}
	path := os.Getenv("PATH")
	run(path, codex, "plugin", "marketplace", "add", repository)
	run(path, codex, "plugin", "add", "skillhand@skillhand")
	listed := run(path, codex, "debug", "prompt-input", "hello")
	for _, name := range []string{"skillhand:skillhand", "skillhand:status", "skillhand:run-retrospective"} {
		if !strings.Contains(listed, "- "+name+": ") {
			t.Errorf("Codex does not list %s", name)
		}
	}
	if strings.Contains(listed, "skillhand:statusline") {
		t.Error("Codex lists the status line, which is Claude Code's")
	}

	installed, err := filepath.Glob(filepath.Join(home, ".codex/plugins/cache/skillhand/skillhand/*/codex/*/SKILL.md"))
	if err != nil || len(installed) != 3 {
		t.Fatalf("installed are %q, %v", installed, err)
	}
	for _, file := range installed {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindSubmatch(text)
		script := strings.NewReplacer("FOLDER", filepath.Dir(file), "WHAT WAS ASKED", `the last "week" $(x)`).Replace(string(block[1]))
		page := run(bin+":"+path, "sh", "-c", script)
		if !strings.Contains(page, "<skill name=") || !strings.Contains(page, "\n<skill-output>\n") || strings.Contains(page, "<error>not run") {
			t.Errorf("%s prints\n%s", file, page)
		}
		if strings.Contains(file, "/status/") && !strings.Contains(page, `What was asked: the last "week" $(x)`) {
			t.Errorf("the arguments are lost:\n%s", page)
		}
		if none := run("/usr/bin:/bin", "sh", "-c", script); !strings.HasPrefix(none, "skillhand is not installed. Get it with: npm install") {
			t.Errorf("without skillhand %s prints\n%s", file, none)
		}
	}
}

// TestCodexDescriptions: a skill says the same of itself in both agents.
func TestCodexDescriptions(t *testing.T) {
	files, err := filepath.Glob("codex/*/SKILL.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	description := regexp.MustCompile(`(?m)^description: .*$`)
	for _, file := range files {
		one, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		two, err := os.ReadFile(filepath.Join("skills", filepath.Base(filepath.Dir(file)), "SKILL.md"))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := description.Find(one), description.Find(two); string(got) != string(want) {
			t.Errorf("%s: %s\nwant %s", file, got, want)
		}
	}
}
