//go:build unix

package eval

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/gate"
)

// TestPrinted: the output of commands, as bash prints it, shows whether an agent without a tool for
// skills has read a skill. The spelling of the command, its folder and its exit status do not
// matter. A grader that asks for the tool Skill sees the same.
func TestPrinted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, ".agents/skills", name, "SKILL.md")
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("hare", "---\nname: hare\ndescription: Counts hares.\n---\n# Hares\n\nLook for tracks in the snow.\nWrite hares.txt, a line for each.\n")
	write("fox", "---\nname: fox\ndescription: Counts foxes.\n---\nLook for the fox's den.\nWrite foxes.txt.\n")
	subject := &Subject{Name: "hare", Names: Names{"hare"}, Dir: "hare", Folder: filepath.Join(dir, ".agents/skills/hare")}
	for _, tt := range []struct {
		command string
		want    Outcome
	}{
		{`cat .agents/skills/hare/SKILL.md`, ReadFile},
		{`cd .agents/skills/hare && sed -n 1,200p SKILL.md`, ReadFile},
		{`cd .agents/skills/hare; cat SKILL.md`, ReadFile},
		{`find .agents -name SKILL.md -path '*hare*' -exec cat {} +`, ReadFile},
		{`cat .agents/skills/hare/SKILL.md .agents/skills/hare/missing.md`, ReadFile},
		{`cat .agents/skills/hare/SKILL.md && false`, ReadFile},
		{`cat .agents/skills/*/SKILL.md`, ReadFile},
		{`f=.agents/skills/hare; cat "$f/SKILL.md"`, ReadFile},
		{`cat -n .agents/skills/hare/SKILL.md`, ReadFile},
		{`tail -n +5 .agents/skills/hare/SKILL.md`, ReadFile},
		{`cat .agents/skills/fox/SKILL.md`, Other},
		{`for f in .agents/skills/f*; do cat $f/SKILL.md; done`, Other},
		{`ls .agents/skills/*/SKILL.md`, None},
		{`ls -l .agents/skills/fox/SKILL.md`, None},
		{`grep -l Look .agents/skills/*/SKILL.md`, None},
		{`grep -rn description: .agents/skills/fox/SKILL.md`, None},
		{`grep Hares .agents/skills/hare/SKILL.md`, None},
		{`head -3 .agents/skills/hare/SKILL.md`, None},
		{`cat .agents/skills/hare/nothing`, None},
	} {
		out, err := command(dir, tt.command)
		exit := 0
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			exit = failed.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"codex", "pi"} {
			by, err := agents.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "t.jsonl")
			if err := os.WriteFile(file, runOf(t, name, tt.command, out, exit), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := readTranscript(file, by, subject, subject.Names)
			if err != nil || r.Outcome != tt.want {
				t.Errorf("%s: %s: %s (%s), %v, want %s\n%s", name, tt.command, r.Outcome, r.Why, err, tt.want, out)
			}
			g := gate.Tools{Tool: gate.ToolMatch{Tool: "Skill", InputMatch: "hare"}}
			used, why, err := g.Hold((&scene{transcript: file, other: by, subject: subject}).shared())
			if err != nil || used != (tt.want == ReadFile) {
				t.Errorf("%s: %s: used %v: %s, %v", name, tt.command, used, why, err)
			}
		}
	}
}

func command(dir, line string) (string, error) {
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// runOf returns a run of an agent that uses its shell once, in the agent's own format.
func runOf(t *testing.T, agent, command, out string, exit int) []byte {
	t.Helper()
	type object = map[string]any
	lines := []object{
		{"type": "thread.started", "thread_id": "1"}, {"type": "turn.started"},
		{"type": "item.completed", "item": object{"id": "i", "type": "command_execution", "command": command,
			"aggregated_output": out, "exit_code": exit}},
		{"type": "item.completed", "item": object{"id": "j", "type": "agent_message", "text": "done"}},
		{"type": "turn.completed", "usage": object{"input_tokens": 9, "output_tokens": 9}},
	}
	if agent == "pi" {
		usage := object{"input": 9, "output": 9, "cost": object{"total": 0.1}}
		lines = []object{
			{"type": "session", "id": "1"}, {"type": "turn_start"},
			{"type": "message_end", "message": object{"role": "assistant", "stopReason": "toolUse", "usage": usage}},
			{"type": "tool_execution_start", "toolCallId": "i", "toolName": "bash", "args": object{"command": command}},
			{"type": "tool_execution_end", "toolCallId": "i", "toolName": "bash", "isError": exit != 0,
				"result": object{"content": []object{{"type": "text", "text": out}}}},
			{"type": "turn_start"},
			{"type": "message_end", "message": object{"role": "assistant", "stopReason": "stop", "usage": usage,
				"content": []object{{"type": "text", "text": "done"}}}},
			{"type": "agent_end"},
		}
	}
	var all []byte
	for _, l := range lines {
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, text...), '\n')
	}
	return all
}
