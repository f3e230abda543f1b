package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommandsAgree asks list, load, check, doctor, try, mcp and page, as people type them, about one tree: they name the same
// skills, read the same files, and count the same errors.
func TestCommandsAgree(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	names := map[string]string{ // by file: what a skill is called
		".claude/skills/own/SKILL.md": "own", ".agents/skills/shared/SKILL.md": "shared", ".cursor/skills/theirs/SKILL.md": "theirs",
		"plugins/folder/skills/made/SKILL.md": "made", "plugins/folder/skills/twice/SKILL.md": "twice",
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for file, name := range names {
		write(file, fmt.Sprintf("---\nname: %s\ndescription: Describes %[1]s when asked for it.\n---\n"+
			"BODY of %[1]s, with a [dead link](gone.md).\n", name))
	}
	write(".git/HEAD", "ref: refs/heads/main\n")
	write(".claude-plugin/marketplace.json", `{"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "flow", "source": "./plugins/folder"}]}`)
	write("plugins/folder/.claude-plugin/plugin.json", `{"name": "flow", "version": "1.0.0", "description": "d", "author": {"name": "Ada"}}`)
	write("plugins/folder/commands/twice.md", "A command.\n")
	write(".github/hooks/hooks.json", `{"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "./a.sh", "timeoutSec": 10}]}}`)

	run := func(stdin string, args ...string) (stdout, stderr string) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "skillhand"), args...)
		var out, errs bytes.Buffer
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(stdin), &out, &errs
		cmd.Env = []string{"HOME=" + home, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "SKILLHAND_TRUST=all"}
		_ = cmd.Run() // what a command prints is what is compared
		return out.String(), errs.String()
	}
	var want, listed []string
	for file := range names {
		want = append(want, file)
	}
	owners, calls := map[string][]string{}, map[string]string{}
	text, _ := run("", "list", "--json")
	for line := range strings.Lines(text) {
		var one struct {
			Call, File string
			Command    bool
			Owners     []string
		}
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		file, err := filepath.Rel(dir, one.File)
		if err != nil {
			t.Fatal(err)
		}
		if file = filepath.ToSlash(file); !one.Command {
			listed, owners[file], calls[file] = append(listed, file), one.Owners, one.Call
		}
	}
	slices.Sort(want)
	slices.Sort(listed)
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Fatalf("list (-want +got):\n%s", diff)
	}

	var checked struct {
		Findings []struct {
			Rule, Severity, File string
			Owners               []string
		}
	}
	text, _ = run("", "check", "--json")
	if err := json.Unmarshal([]byte(text), &checked); err != nil {
		t.Fatal(err)
	}
	faults, dead := 0, map[string]bool{}
	for _, f := range checked.Findings {
		if f.Severity == "error" {
			faults++
		}
		if f.Rule != "SK201" {
			continue
		}
		dead[f.File] = true
		if !slices.Equal(f.Owners, owners[f.File]) {
			t.Errorf("%s: owners are %v to check, and %v in the list", f.File, f.Owners, owners[f.File])
		}
	}
	if out, _ := run("", "doctor"); !strings.Contains(out, fmt.Sprintf("check finds %d error", faults)) {
		t.Errorf("check finds %d errors, doctor says:\n%s", faults, out)
	}
	asks := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`
	offered, _ := run(asks, "mcp")
	run("", "page", "--output", filepath.Join(home, "site.html"))
	site, err := os.ReadFile(filepath.Join(home, "site.html"))
	if err != nil {
		t.Fatal(err)
	}
	for file, name := range names {
		if isOthers := !slices.Contains(owners[file], "claude") && strings.HasPrefix(file, ".cursor/"); dead[file] == isOthers {
			t.Errorf("%s: its dead link is found: %v", file, dead[file])
		}
		described := "Describes " + name + " when"
		if out, errs := run("", "load", calls[file]); !strings.Contains(out, "BODY of "+name+",") {
			t.Errorf("load %s prints %q, %s", calls[file], out, errs)
		}
		if _, errs := run("", "try", calls[file], "--dry-run"); !strings.Contains(errs, filepath.FromSlash(filepath.Dir(file))) {
			t.Errorf("try %s looks elsewhere than in %s: %s", calls[file], filepath.Dir(file), errs)
		}
		if !strings.Contains(offered, described) {
			t.Errorf("mcp does not offer %s: %s", name, offered)
		}
		if !bytes.Contains(site, []byte(described)) {
			t.Errorf("page does not show %s", name)
		}
	}
}
