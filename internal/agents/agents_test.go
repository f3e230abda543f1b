package agents

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/words"
)

// A recorded run of a real agent. Everything that reads its stream shares it.
type recorded struct {
	RC     int `json:"rc"`
	Stdout []json.RawMessage
}

// read gives the lines to the agent's reader, and returns one line for each event.
func read(t *testing.T, a *Agent, lines []json.RawMessage, ended bool) []string {
	t.Helper()
	r := a.Reader(Question{})
	var all []string
	tell := func(line []byte) {
		var e struct {
			Type, Subtype string
			IsError       bool `json:"is_error"`
			Status        int  `json:"api_error_status"`
			Turns         int  `json:"num_turns"`
			Result        string
			Cost          *float64 `json:"total_cost_usd"`
			Usage         *tokens
			Message       struct{ Content any }
			ToolUseResult *struct {
				Success     bool
				CommandName string
			} `json:"tool_use_result"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		short := object{"type": e.Type}
		switch e.Type {
		case "result":
			short["is_error"], short["status"], short["turns"], short["result"] = e.IsError, e.Status, e.Turns, e.Result
			if e.Usage != nil {
				short["usage"] = *e.Usage
			}
			if e.Cost != nil {
				short["cost"] = *e.Cost
			}
		case "user":
			if e.ToolUseResult != nil {
				short["delivered"], short["success"] = e.ToolUseResult.CommandName, e.ToolUseResult.Success
			}
		case "assistant":
			parts, _ := e.Message.Content.([]any)
			for _, p := range parts {
				part, _ := p.(map[string]any)
				if part["type"] == "tool_use" {
					short["tool"] = part["name"]
					if part["name"] == "Skill" {
						short["input"] = part["input"]
					}
				} else {
					short["text"] = part["text"]
				}
			}
		case "stream_event":
			return
		}
		out, err := json.Marshal(short)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(out))
	}
	for _, line := range lines {
		r.Line(line, tell)
	}
	if ended {
		r.End(tell)
	}
	return all
}

// TestRecorded: each reader reads what a real agent printed as testdata/AGENT.txt says, one block
// for each run.
func TestRecorded(t *testing.T) {
	for _, a := range Driven() {
		t.Run(a.Name, func(t *testing.T) {
			var runs map[string]recorded
			load(t, a.Name+".json", &runs)
			var got strings.Builder
			for _, name := range sortedKeys(runs) {
				run := runs[name]
				got.WriteString("# " + name + "\n")
				for _, line := range read(t, a, run.Stdout, run.RC != -1) {
					got.WriteString(line + "\n")
				}
			}
			file := filepath.Join("testdata", a.Name+".txt")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, []byte(got.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func load(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func sortedKeys[T any](m map[string]T) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func TestCheck(t *testing.T) {
	for _, a := range Driven() {
		err := a.Check(Question{Prompt: "p", Turns: true})
		if err == nil || err.Error() != "--max-turns: "+a.Name+" has no such option" {
			t.Errorf("%s: turns: %v", a.Name, err)
		}
	}
	if _, err := Find("cline"); err == nil || !strings.Contains(err.Error(), "want one of claude, codex, copilot") {
		t.Errorf("an unknown agent: %v", err)
	}
}

// FuzzLines: no stream makes a reader panic.
func FuzzLines(f *testing.F) {
	for _, a := range Driven() {
		data, err := os.ReadFile(filepath.Join("testdata", a.Name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		for _, a := range Driven() {
			r := a.Reader(Question{})
			for line := range strings.Lines(string(data)) {
				r.Line([]byte(line), func([]byte) {})
			}
			r.End(func([]byte) {})
		}
	})
}

// TestEnv: a program that Node runs waits until its pipe has accepted a long answer, and the user's
// options stay.
func TestEnv(t *testing.T) {
	if env := Get("pi").Env([]string{"A=b"}); len(env) != 1 {
		t.Errorf("pi has %q", env)
	}
	env := Get("qwen").Env(append(os.Environ(), "NODE_OPTIONS=--no-deprecation"))
	if got, _ := words.Getenv(env, "NODE_OPTIONS"); got != "--no-deprecation "+waitForPipe || strings.ContainsAny(waitForPipe, " ?") {
		t.Errorf("qwen has %q", got)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		test.Lacking(t, err)
	}
	cmd := exec.Command(node, "-e", `process.stdout.write("x".repeat(3e6)); process.exit()`)
	cmd.Env = env
	if out, err := cmd.Output(); err != nil || len(out) != 3e6 {
		t.Errorf("%v, %d bytes", err, len(out))
	}
}

// TestQwenLoop: if Qwen stops a model that makes the same call again and again, the model had its
// chance.
func TestQwenLoop(t *testing.T) {
	const line = `{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"Loop detection halted the run (x)."}}`
	said := ""
	Get("qwen").Reader(Question{}).Line([]byte(line), func(line []byte) { said = string(line) })
	if !strings.Contains(said, `"subtype":"error_max_turns"`) || !strings.Contains(said, `"result":"Loop detection`) {
		t.Error(said)
	}
}
