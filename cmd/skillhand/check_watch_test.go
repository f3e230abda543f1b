package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
)

// TestCheckWatch: what a finding is about may lie beside the skill, or elsewhere in the project.
func TestCheckWatch(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "")
	write(".claude/skills/x/SKILL.md", "---\ndescription: Shows x. Use when x is asked for.\nallowed-tools: Bash\n---\n"+
		"[y](y.md), [z](../../docs/z.md)\n!`${CLAUDE_SKILL_DIR}/scripts/a.sh`\n")
	cmd := exec.Command("skillhand", "check", "--watch", "--severity", "error")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill() // it has no other end
		_ = cmd.Wait()
	}()
	lines := bufio.NewReader(out)
	wait := func(want string) {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err == io.EOF {
				t.Fatal("it ended before it said " + want)
			}
			if sum := regexp.MustCompile(`: (\d+) errors?,`).FindStringSubmatch(line); sum != nil {
				if sum[1] != want {
					t.Fatalf("%s errors, want %s: %s", sum[1], want, line)
				}
				return
			}
		}
	}
	wait("3")
	write(".claude/skills/x/y.md", "y")
	wait("2")
	write(".claude/docs/z.md", "z")
	wait("1")
	write("unrelated.txt", "this is told to nobody")
	write(".claude/skills/x/scripts/a.sh", "#!/bin/sh\n")
	if runtime.GOOS != "windows" { // where files have a bit for it
		wait("1") // it cannot be executed
		if err := os.Chmod(at(".claude/skills/x/scripts/a.sh"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	wait("0")
	if err := os.Remove(at(".claude/skills/x/y.md")); err != nil {
		t.Fatal(err)
	}
	wait("1")
}
