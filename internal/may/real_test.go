//go:build unix

package may

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
	"github.com/skillhand/skillhand/permit"
)

// TestChainsReal has the model use the tools of every case in the real CLI, in each mode. -update records what came of it.
func TestChainsReal(t *testing.T) {
	test.Cases(t, "testdata/chains/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		got := map[string]string{}
		for _, mode := range claudecode.Modes() {
			got["want/"+mode] = play(t, c, mode)
		}
		return got
	})
}

// play returns a line for each use: the decision, the use, and what the model was told instead of a result.
func play(t *testing.T, c test.Case, mode string) string {
	api := fakeapi.New(t)
	claude := realclaude.New(t, api)
	place := func(text string) string {
		return strings.NewReplacer("{{PROJECT}}", claude.Project, "{{HOME}}", claude.Home).Replace(text)
	}
	shell := filepath.Join(filepath.Dir(claude.Home), "bash") // does nothing, so that whatever is allowed is harmless
	writeFiles(t, c, claude.Home, claude.Project, place)
	if err := os.WriteFile(shell, []byte("#!/bin/sh\nexit 0\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	claude.Env = append(claude.Env, "CLAUDE_CODE_SHELL="+shell, "IS_SANDBOX=1") // root may bypass in a sandbox alone
	p := player{uses: usesOf(c), place: place, project: claude.Project}
	api.Handle(p.answer)
	args := []string{"--permission-mode", mode}
	if flag := c.Files["flag"]; flag != "" {
		args = append(args, "--settings", flag)
	}
	if c.Files["project/mcp.sh"] != "" {
		args = append(args, "--mcp-config", `{"mcpServers":{"notes":{"command":"sh","args":["`+claude.Project+`/mcp.sh"]}}}`)
	}
	s := claude.Start(args...)
	why := map[string]string{} // by the call
	for p.next < len(p.uses) {
		for _, e := range s.Send("go").Events {
			var denied struct {
				ID   string `json:"tool_use_id"`
				Type string `json:"decision_reason_type"`
			}
			if e.Subtype == "permission_denied" && json.Unmarshal(e.Raw, &denied) == nil {
				why[denied.ID] = denied.Type
			}
		}
	}
	s.Close()
	var b strings.Builder
	for i, r := range p.results {
		said := strings.NewReplacer(claude.Project, "{{PROJECT}}", claude.Home, "{{HOME}}", filepath.Dir(claude.Home), "{{TEMP}}").
			Replace(strings.Join(strings.Fields(r.Said()), " "))
		d := decisionOf(r.IsError, said, why[r.ToolUseID])
		if d == permit.Allow && !r.IsError {
			said = ""
		}
		fmt.Fprintln(&b, strings.TrimSuffix(fmt.Sprintf("%s\t%s\t%.50s", d, p.uses[i], said), "\t"))
	}
	return b.String()
}

// decisionOf returns what a result of a tool tells of the decision.
func decisionOf(failed bool, said, why string) permit.Decision {
	has := func(all ...string) bool {
		return slices.ContainsFunc(all, func(s string) bool { return strings.Contains(said, s) })
	}
	switch {
	case why == "classifier":
		return permit.Classifier
	case failed && has("has been denied", "denied by", "No such tool available", "while in plan mode", "is in a directory that is denied"):
		return permit.Deny
	case why != "", failed && has("haven't granted", "needs approval", "requires approval", "require approval", "requires manual approval"):
		return permit.Ask
	case failed && has("<tool_use_error>"):
		return "?"
	}
	return permit.Allow
}

// turnUses says how many tools a turn uses: in auto mode a turn ends when ten calls had no classifier.
const turnUses = 8

// A player is a model that uses one tool after the other.
type player struct {
	uses    []string
	place   func(string) string
	project string

	mu      sync.Mutex
	next    int
	inTurn  int
	reading bool // a tool that edits wants the file read first
	waiting bool // for the result of a use
	results []fakeapi.Block
}

func (p *player) answer(q *fakeapi.Request) fakeapi.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !q.HasTool("Bash") {
		return fakeapi.Text("ok")
	}
	if results := q.Results(); len(results) > 0 && p.waiting {
		p.results = append(p.results, results[0])
		p.waiting = false
	}
	if p.next == len(p.uses) || p.inTurn == turnUses {
		p.inTurn = 0
		return fakeapi.Text("done")
	}
	tool, argument := Parse(p.place(p.uses[p.next]))
	if tool == "Edit" && !p.reading {
		p.reading = true
		return fakeapi.Use("Read", map[string]any{"file_path": p.in(argument)})
	}
	p.reading, p.waiting = false, true
	p.next++
	p.inTurn++
	return fakeapi.Use(tool, p.input(tool, argument))
}

func (p *player) in(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(p.project, file)
}

func (p *player) input(tool, argument string) any {
	switch tool {
	case "Bash":
		return map[string]any{"command": argument, "description": "d"}
	case "Read":
		return map[string]any{"file_path": p.in(argument)}
	case "Write":
		return map[string]any{"file_path": p.in(argument), "content": "new\n"}
	case "Edit":
		return map[string]any{"file_path": p.in(argument), "old_string": "old", "new_string": "old old"}
	case "WebFetch":
		return map[string]any{"url": argument, "prompt": "p"}
	}
	return map[string]any{}
}
