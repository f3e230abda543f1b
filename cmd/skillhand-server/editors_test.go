package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/test"
)

// neovimScript opens a file, waits for what is found, hovers, and applies the first fix. The server
// is started by what docs/editors.md has people put into init.lua.
const neovimScript = `
local ok, fault = pcall(function()
local out = {}
vim.cmd('edit ' .. vim.env.FILE)
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
out.found = {}
for _, d in ipairs(vim.diagnostic.get(0)) do
  table.insert(out.found, d.code .. ':' .. (d.lnum + 1) .. ':' .. (d.col + 1))
end
local at = {textDocument = vim.lsp.util.make_text_document_params(), position = {line = 4, character = 5}}
for _, r in pairs(vim.lsp.buf_request_sync(0, 'textDocument/hover', at, 60000) or {}) do
  out.hover = r.result and r.result.contents.value
end
local here = vim.diagnostic.get(0, {lnum = 3})[1]
local range = {start = {line = here.lnum, character = here.col}, ['end'] = {line = here.lnum, character = here.end_col}}
local params = {textDocument = at.textDocument, range = range, context = {diagnostics = {}}}
for _, r in pairs(vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 60000) or {}) do
  vim.lsp.util.apply_workspace_edit(r.result[1].edit, 'utf-16')
end
vim.cmd('write')
vim.fn.writefile({vim.fn.json_encode(out)}, vim.env.OUT)
end)
if not ok then io.stderr:write(tostring(fault)) vim.cmd('cquit 1') end
vim.cmd('qall!')
`

// snippets are the blocks of docs/editors.md in a language.
func snippets(t *testing.T, language string) []string {
	src, err := os.ReadFile("../../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, block := range strings.Split(string(src), "```"+language+"\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		all = append(all, text)
	}
	if len(all) == 0 {
		t.Fatalf("docs/editors.md has no %s", language)
	}
	return all
}

// TestSnippets: what docs/editors.md shows can be read by what it is for.
func TestSnippets(t *testing.T) {
	var task string
	for _, text := range snippets(t, "json") {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Errorf("%v:\n%s", err, text)
		}
		for _, url := range regexp.MustCompile(`schemas/[\w-]+-v1\.schema\.json`).FindAllString(text, -1) {
			if _, err := os.Stat("../../" + url); err != nil {
				t.Error(err)
			}
		}
		if strings.Contains(text, "problemMatcher") {
			task = text
		}
	}
	holdTask(t, task)
	python, err := exec.LookPath("python3")
	test.Found(t, err)
	for _, text := range snippets(t, "toml") {
		cmd := exec.Command(python, "-c", "import sys, tomllib; tomllib.loads(sys.stdin.read())")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// holdTask runs the task for VS Code, and reads what it prints as VS Code would.
func holdTask(t *testing.T, text string) {
	var file struct {
		Tasks []struct {
			Args           []string
			ProblemMatcher struct {
				Pattern    struct{ Regexp string }
				Background struct{ BeginsPattern, EndsPattern string }
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	task := file.Tasks[0]
	dir := t.TempDir()
	skill := filepath.Join(dir, ".claude", "skills", "s", "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(skill), 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(skill, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("---\ndescription: d\n---\n!`find . -name \\'x\\'`\n")
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "skillhand"), task.Args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stop(); cmd.Wait() }()
	m := task.ProblemMatcher
	lines := bufio.NewScanner(out)
	until := func(pattern string) (found []string) {
		re := regexp.MustCompile(pattern)
		for lines.Scan() {
			if re.MatchString(lines.Text()) {
				return found
			}
			if p := regexp.MustCompile(m.Pattern.Regexp).FindStringSubmatch(lines.Text()); p != nil {
				found = append(found, strings.Join(p[1:6], " "))
			}
		}
		t.Fatalf("no line like %s", pattern)
		return nil
	}
	if got := strings.Join(until(m.Background.EndsPattern), "\n"); got != ".claude/skills/s/SKILL.md 4 16 error SK301" {
		t.Errorf("found %s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, ".skillhand.yaml"), []byte("check: {rules: {SK301: warning}}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	until(m.Background.BeginsPattern)
	if got := strings.Join(until(m.Background.EndsPattern), "\n"); got != ".claude/skills/s/SKILL.md 4 16 warning SK301" {
		t.Errorf("with another configuration: found %s", got)
	}
	write("---\ndescription: d\n---\nText that is longer than it was, and has nothing wrong.\n")
	until(m.Background.BeginsPattern)
	if got := until(m.Background.EndsPattern); len(got) > 0 {
		t.Errorf("found %s", got)
	}
}

// TestNeovim: a real editor with the snippet of docs/editors.md opens a file, sees the finding,
// hovers, and applies the fix.
func TestNeovim(t *testing.T) {
	nvim, err := exec.LookPath("nvim")
	test.Found(t, err)
	dir := t.TempDir()
	init := filepath.Join(dir, ".config", "nvim", "init.lua")
	if err := os.MkdirAll(filepath.Dir(init), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(init, []byte(snippets(t, "lua")[0]), 0o666); err != nil {
		t.Fatal(err)
	}
	file, script, result := filepath.Join(dir, ".claude", "skills", "s", "SKILL.md"), filepath.Join(dir, "test.lua"), filepath.Join(dir, "out.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{file: "---\ndescription: d\n---\n日本 !`find . -name \\'x\\'`\n!`kubectl get pods || true`\n", script: neovimScript} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, nvim, "--headless", "-n", "-S", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+filepath.Join(dir, ".config"),
		"XDG_DATA_HOME="+dir, "XDG_STATE_HOME="+dir, "PATH="+bin+":"+os.Getenv("PATH"), "FILE="+file, "OUT="+result, "LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Found []string
		Hover string
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	// Neovim counts columns in bytes.
	if all := strings.Join(got.Found, " "); !strings.Contains(all, "SK301:4:23") || !strings.Contains(all, "SK401:5:3") {
		t.Errorf("found %s", all)
	}
	if !strings.Contains(got.Hover, "**abort** in `claude -p`, **defer** in auto mode: Claude Code") {
		t.Errorf("hover: %s", got.Hover)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "日本 !`find . -name 'x'`\n") {
		t.Errorf("%v: %s", err, text)
	}
}
