package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/test"
)

// TestOwnSkills: what we ship and show has no fault that we would report to others.
func TestOwnSkills(t *testing.T) {
	cmd := exec.Command("skillhand", "check", "--format", "concise", "--fail-on", "warning", "plugin", "examples",
		".claude-plugin/marketplace.json", "README.md")
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		cmd.Args = append(cmd.Args, "docs/"+filepath.Base(p))
	}
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !regexp.MustCompile(`(?m)^[0-9]{2,} files, [1-9][0-9]* directives: 0 errors`).Match(out) {
		t.Errorf("%s", out)
	}
}

// An action is what action.yml says.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []struct {
			Name, Shell, Run string
			Env              map[string]string
		}
	}
}

var expression = regexp.MustCompile(`\$\{\{ *([a-z_.-]+) *\}\}`)

// TestAction follows the steps of action.yml as a runner does, with a release on this machine.
func TestAction(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "tar", "awk", "sha256sum"} {
		_, err := exec.LookPath(tool)
		test.Found(t, err)
	}
	server := newReleases(t)
	work := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "")
	write(".claude/skills/s/SKILL.md", "---\ndescription: d\n---\n!`find . -name \\'x\\'`\n")

	out, err := runAction(t, work, server, map[string]string{"sarif": "out.sarif"})
	if err == nil || !strings.Contains(out, "::error file=.claude/skills/s/SKILL.md,line=4,") {
		t.Errorf("%v\n%s", err, out)
	}
	if data, err := os.ReadFile(filepath.Join(work, "out.sarif")); err != nil || !bytes.Contains(data, []byte(`"ruleId":"SK301"`)) {
		t.Errorf("out.sarif: %v %.200s", err, data)
	}
	if out, err := runAction(t, work, server, map[string]string{"checksum": strings.Repeat("0", 64)}); err == nil ||
		!strings.Contains(out, "checksum of skillhand-v1.2.3") {
		t.Errorf("a wrong checksum: %v\n%s", err, out)
	}
	// Paths are never run.
	if out, err := runAction(t, work, server, map[string]string{"paths": "$(touch pwned); `touch pwned`", "version": "v1.2.3"}); err == nil {
		t.Errorf("odd paths: %s", out)
	}
	if _, err := os.Stat(filepath.Join(work, "pwned")); err == nil {
		t.Error("an input was run")
	}
	write(".claude/skills/s/SKILL.md", "---\ndescription: d\n---\nText.\n")
	if out, err := runAction(t, work, server, map[string]string{"version": "v1.2.3", "paths": ".claude/skills/s"}); err != nil ||
		!strings.Contains(out, "1 file, 0 directives: 0 errors") {
		t.Errorf("%v\n%s", err, out)
	}
}

// newReleases serves a release with this program in it.
func newReleases(t *testing.T) string {
	program, err := exec.LookPath("skillhand")
	if err != nil {
		t.Fatal(err)
	}
	// The program found is this test in another role; it needs to be called by its name.
	script := fmt.Sprintf("#!/bin/sh\nexec %q \"$@\"\n", program)
	name := "skillhand-v1.2.3-" + runtime.GOOS + "-" + runtime.GOARCH
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	a := tar.NewWriter(z)
	for _, program := range []string{"/skillhand", "/skillhand-server"} {
		if err := a.WriteHeader(&tar.Header{Name: name + program, Mode: 0o755, Size: int64(len(script))}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Write([]byte(script)); err != nil {
			t.Fatal(err)
		}
	}
	a.Close()
	z.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/releases/latest", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/releases/tag/v1.2.3", http.StatusFound)
	})
	mux.HandleFunc("/releases/tag/v1.2.3", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/releases/download/v1.2.3/"+name+".tar.gz", func(w http.ResponseWriter, _ *http.Request) { w.Write(b.Bytes()) })
	mux.HandleFunc("/releases/download/v1.2.3/SHA256SUMS", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "%x  %s.tar.gz\n", sha256.Sum256(b.Bytes()), name)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// runAction runs the steps one after the other, in a folder.
func runAction(t *testing.T, dir, server string, inputs map[string]string) (string, error) {
	src, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(src, &a); err != nil {
		t.Fatal(err)
	}
	if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("%+v", a.Runs)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	fill := func(text string) string {
		return expression.ReplaceAllStringFunc(text, func(e string) string {
			name := expression.FindStringSubmatch(e)[1]
			if name == "github.server_url" {
				return server
			}
			name = strings.TrimPrefix(name, "inputs.")
			if _, ok := a.Inputs[name]; !ok {
				t.Fatalf("%s is no input", name)
			}
			if value, ok := inputs[name]; ok {
				return value
			}
			return a.Inputs[name].Default
		})
	}
	var all strings.Builder
	temp := t.TempDir()
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("%s: an expression in a script can be code: pass it in the environment", step.Name)
		}
		script := filepath.Join(temp, "step.sh")
		if err := os.WriteFile(script, []byte(step.Run), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+root, "RUNNER_TEMP="+temp)
		for name, value := range step.Env {
			// In a test the address has no owner in it.
			cmd.Env = append(cmd.Env, name+"="+strings.Replace(fill(value), "/skillhand/skillhand/", "/", 1))
		}
		out, err := cmd.CombinedOutput()
		all.Write(out)
		if err != nil {
			return all.String(), err
		}
	}
	return all.String(), nil
}

// TestPreCommit: the hook's pattern takes what check takes.
func TestPreCommit(t *testing.T) {
	src, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct{ ID, Entry, Language, Files string }
	if err := yaml.Unmarshal(src, &hooks); err != nil || len(hooks) != 2 {
		t.Fatalf("%v: %v", hooks, err)
	}
	if hooks[0].Files != hooks[1].Files || hooks[0].Entry != hooks[1].Entry {
		t.Errorf("the hooks differ in more than how they are installed: %+v", hooks)
	}
	files := regexp.MustCompile(hooks[0].Files)
	for name, want := range map[string]bool{
		"SKILL.md": true, ".claude/skills/a/SKILL.md": true, ".claude/commands/x.md": true, "plugin/agents/sub/x.md": true,
		".claude-plugin/plugin.json":        true,
		"a/.claude-plugin/marketplace.json": true, "a/hooks/hooks.json": true, "README.md": false, "docs/MYSKILL.md": false,
		"package.json": false,
	} {
		if got := files.MatchString(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("---\ndescription: d\n---\n!`find . -name \\'x\\'`\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", hooks[0].Entry)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("SKILL.md:4:16: error SK301")) {
		t.Errorf("%v\n%s", err, out)
	}
}
