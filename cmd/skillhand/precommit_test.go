package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/test"
)

// TestPreCommitRuns: the real pre-commit builds our hook from our own repository and runs it,
// with no more of the network than the modules that a build needs.
func TestPreCommitRuns(t *testing.T) {
	for _, tool := range []string{"pre-commit", "git", "go"} {
		_, err := exec.LookPath(tool)
		test.Found(t, err)
	}
	t.Parallel()
	root := t.TempDir()
	ours, theirs := filepath.Join(root, "ours"), filepath.Join(root, "theirs")
	p := precommit{t: t, env: append(os.Environ(), "PRE_COMMIT_HOME="+filepath.Join(root, "cache"), "GOPROXY=off",
		"GOFLAGS=-buildvcs=false -trimpath",
		"GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOCACHE="+goEnv(t, "GOCACHE"), // else all is fetched and built again, as without -trimpath
		"HOME="+root, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=A",
		"GIT_COMMITTER_EMAIL=a@b")}
	copyTree(t, ours)
	rev := p.commit(ours)

	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(theirs, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("README.md", "Text.\n")
	write(".claude/skills/s/SKILL.md", "---\ndescription: d\n---\n!`find . -name \\'x\\'`\n")
	for _, id := range []string{"skillhand-check-system", "skillhand-check"} {
		write(".pre-commit-config.yaml", "repos:\n  - repo: "+ours+"\n    rev: "+rev+"\n    hooks: [{id: "+id+"}]\n")
		p.commit(theirs)
		if out, ok := p.run(theirs, "pre-commit", "run", "--all-files"); ok ||
			!strings.Contains(out, ".claude/skills/s/SKILL.md:4:16: error SK301") {
			t.Fatalf("%s: %v\n%s", id, ok, out)
		}
		if out, ok := p.run(theirs, "pre-commit", "run", "--files", "README.md"); !ok || !strings.Contains(out, "Skipped") {
			t.Errorf("%s: a file that is none of ours: %v\n%s", id, ok, out)
		}
	}
	write(".claude/skills/s/SKILL.md", "---\ndescription: d\n---\n!`find . -name 'x'`\n")
	if out, ok := p.run(theirs, "pre-commit", "run", "--all-files"); !ok || !strings.Contains(out, "Passed") {
		t.Errorf("nothing is wrong: %v\n%s", ok, out)
	}
}

type precommit struct {
	t   *testing.T
	env []string
}

func (p precommit) run(dir string, args ...string) (out string, ok bool) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.t.Context(), 25*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, p.env
	b, err := cmd.CombinedOutput()
	return string(b), err == nil
}

// commit makes a repository of a folder, or commits what is new in it, and returns its version.
func (p precommit) commit(dir string) string {
	p.t.Helper()
	out := ""
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "x"}, {"rev-parse", "HEAD"}} {
		var ok bool
		if out, ok = p.run(dir, append([]string{"git"}, args...)...); !ok {
			p.t.Fatalf("git %v: %s", args, out)
		}
	}
	return strings.TrimSpace(out)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(out))
}

// copyTree copies our sources: what Go builds, and the file of hooks.
func copyTree(t *testing.T, to string) {
	t.Helper()
	from := "../.."
	err := filepath.WalkDir(from, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			switch rel {
			case ".git", ".tools", "bin", "dist":
				return filepath.SkipDir
			}
			if e.Name() == "testdata" { // tests' alone
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		if !e.Type().IsRegular() || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}
