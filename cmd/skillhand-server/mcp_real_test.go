package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// greet is a skill that shows that its page was rendered, and what its
// arguments were.
const greet = "---\nname: greet\ndescription: Greets somebody.\n---\nSay hello to [$ARGUMENTS], at !`echo right-now`.\n"

// odd has what splitting, quoting or a shell would spoil.
const odd = "\"Ada Lovelace\" it's\n`touch no` $(no) \\ sunny"

const greeted = "Say hello to [" + odd + "], at right-now."

// TestClaude: the real Claude Code lists the tools, loads a skill, and its model
// gets the page; what a user types after a prompt's name arrives whole.
func TestClaude(t *testing.T) {
	api := fakeapi.New(t, fakeapi.Use("mcp__skillhand__load_skill", map[string]any{"name": "greet", "arguments": odd}), fakeapi.Text("done"))
	c := realclaude.New(t, api)
	writeFile(t, filepath.Join(c.Home, ".claude/skills/greet/SKILL.md"), greet)
	config := c.Write("mcp.json", fmt.Sprintf(`{"mcpServers":{"skillhand":{"command":%q,"args":["mcp"]}}}`, filepath.Join(bin, "skillhand")))
	out := c.Run("-p", "go", "--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__skillhand__load_skill")
	if out.Exit != 0 || strings.TrimSpace(out.Stdout) != "done" {
		t.Fatalf("%+v", out)
	}
	var about string
	for _, tool := range api.Requests()[0].Tools {
		if tool.Name == "mcp__skillhand__load_skill" {
			about = tool.Description
		}
	}
	if !strings.Contains(about, "- greet: Greets somebody.") {
		t.Errorf("the model reads about the tool: %q", about)
	}
	if results := api.Last().Results(); len(results) != 1 || strings.TrimSpace(results[0].Said()) != greeted {
		t.Errorf("the model got %+v", results)
	}

	typed := strings.Repeat("word ", 50) + "\"Ada Lovelace\" `x` it's sunny"
	api.Script(fakeapi.Text("done"))
	out = c.Run("-p", "/mcp__skillhand__greet "+typed, "--mcp-config", config, "--strict-mcp-config")
	if got := api.Last().Find("Say hello to [" + typed + "], at right-now."); out.Exit != 0 || len(got) != 1 {
		t.Errorf("the prompt gave %+v, %q", out, got)
	}
	before := len(api.Requests())
	out = c.Run("-p", "/mcp__skillhand__greet "+strings.Repeat("word ", 80), "--mcp-config", config, "--strict-mcp-config")
	if !strings.Contains(out.Stdout, "more than 63 words") || len(api.Requests()) != before {
		t.Errorf("too many words: %+v", out)
	}
}

// TestCodex: the real Codex lists the tools, loads a skill, and its model gets
// the page.
func TestCodex(t *testing.T) {
	program := filepath.Join(test.Bin(t, test.Tool{Name: "codex", Packages: []string{agents.Get("codex").Package}}), "codex")
	api := newResponses(t,
		`{"type":"function_call","id":"fc_1","call_id":"call_1","namespace":"mcp__skillhand","name":"load_skill","arguments":`+
			quoted(quoted(map[string]string{"name": "greet", "arguments": odd}))+`}`,
		`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"done"}]}`)
	home, project := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(home, ".agents/skills/greet/SKILL.md"), greet)
	writeFile(t, filepath.Join(home, ".codex/config.toml"), fmt.Sprintf(`
model = "gpt-5"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "%s/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.skillhand]
command = %q
args = ["mcp"]
default_tools_approval_mode = "approve"
`, api.URL, filepath.Join(bin, "skillhand")))
	env := []string{"HOME=" + home, "CODEX_HOME=" + filepath.Join(home, ".codex"), "PATH=" + os.Getenv("PATH")}
	if exit, out := runTool(t, project, env, filepath.Join(bin, "skillhand"), "init", "skill", "stubbed", "--for", "codex"); exit != 0 {
		t.Fatal(out)
	}
	exit, out := runTool(t, project, env, program, "exec", "--json", "--skip-git-repo-check", "go")
	api.mu.Lock()
	defer api.mu.Unlock()
	if exit != 0 || len(api.bodies) != 2 {
		t.Fatalf("exit status %d, %d requests\n%s", exit, len(api.bodies), out)
	}
	if !strings.Contains(api.bodies[0], `- greet: Greets somebody.`) {
		t.Error("the model does not see the catalogue")
	}
	if !strings.Contains(api.bodies[0], "- stubbed: ") {
		t.Error("the model does not see the stub")
	}
	var got struct {
		Input []struct {
			Output []struct{ Text string }
		}
	}
	_ = json.Unmarshal([]byte(api.bodies[1]), &got) // other inputs have outputs of other kinds
	last := got.Input[len(got.Input)-1].Output
	if len(last) == 0 || strings.TrimSpace(last[len(last)-1].Text) != greeted {
		t.Errorf("the model got %+v", last)
	}
}

// TestInspector: the protocol's own tool lists, reads and verifies, and gets
// nothing from outside a skill's folder.
func TestInspector(t *testing.T) {
	tools := test.Bin(t, test.Inspector)
	home, project := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(home, "secret.md"), "secret")
	skills := filepath.Join(home, ".claude/skills")
	writeFile(t, filepath.Join(skills, "greet/SKILL.md"), greet)
	writeFile(t, filepath.Join(skills, "static/SKILL.md"),
		"---\nname: static\ndescription: \"Reads: [forms](references/FORMS.md)\"\nlicense: MIT\n"+
			"metadata:\n  version: 1.10\n  since: 2024-01-31\n  tags: [a, b, 0x10, yes, ~]\n---\n\nRead references/FORMS.md.\n")
	writeFile(t, filepath.Join(skills, "static/references/FORMS.md"), "forms")
	writeFile(t, filepath.Join(skills, "static/a b#c.bin"), "\xff\xfe\x00")
	writeFile(t, filepath.Join(skills, "static/.env"), "TOKEN=secret")
	if err := os.Symlink(filepath.Join(home, "secret.md"), filepath.Join(skills, "static/link.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(home, filepath.Join(skills, "static/linked")); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "PATH=" + tools + string(os.PathListSeparator) + os.Getenv("PATH")}
	for _, tt := range []struct {
		args []string
		exit bool   // 0
		want string // in what it prints
	}{
		{[]string{"tools/list"}, true, "- greet: Greets somebody."},
		{
			[]string{"tools/call", "--tool-name", "load_skill", "--tool-arg", "name=greet", "--tool-arg", "arguments=it's `Ada`"}, true,
			"Say hello to [it's `Ada`], at right-now.",
		},
		{[]string{"prompts/list"}, true, `"name": "greet"`},
		{[]string{"prompts/get", "--prompt-name", "greet", "--prompt-args", "arguments=it's `Ada`"}, true, "Say hello to [it's `Ada`], at right-now."},
		{[]string{"resources/list"}, true, `"uri": "skill://static/SKILL.md"`},
		{[]string{"resources/read", "--uri", "skill://static/references/FORMS.md"}, true, `"text": "forms"`},
		{[]string{"resources/read", "--uri", "skill://greet/SKILL.md"}, true, "at right-now."},
		{[]string{"resources/read", "--uri", "skill://static/../greet/SKILL.md"}, false, "not a file of a skill"},
		{[]string{"resources/read", "--uri", "skill://static/%2e%2e/greet/SKILL.md"}, false, "not a file of a skill"},
		{[]string{"resources/read", "--uri", "skill://static/link.md"}, false, "path escapes from parent"},
		{[]string{"resources/read", "--uri", "skill://static/linked/secret.md"}, false, "path escapes from parent"},
		{[]string{"resources/read", "--uri", "skill://static/.env"}, false, "not a file of a skill"},
		{[]string{"skills/list", "--verify"}, true, `"outcome":"verified"`},
	} {
		args := append([]string{filepath.Join(tools, "mcp-inspector"), "--cli", filepath.Join(bin, "skillhand"), "mcp", "--method"}, tt.args...)
		exit, out := runTool(t, project, env, args...)
		if (exit == 0) != tt.exit || !strings.Contains(out, tt.want) {
			t.Errorf("%q: exit status %d, want %q in\n%s", tt.args, exit, tt.want, out)
		}
	}
}

// TestInstalled: the hosts themselves read what --install wrote.
func TestInstalled(t *testing.T) {
	for _, name := range []string{"claude", "codex"} {
		t.Run(name, func(t *testing.T) {
			program := ""
			if name == "claude" {
				program = realclaude.Program(t)
			} else {
				program = filepath.Join(test.Bin(t, test.Tool{Name: "codex", Packages: []string{agents.Get("codex").Package}}), "codex")
			}
			home, project := t.TempDir(), t.TempDir()
			env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
			if exit, out := runTool(t, project, env, filepath.Join(bin, "skillhand"), "mcp", "--install", name); exit != 0 {
				t.Fatal(out)
			}
			exit, out := runTool(t, project, env, program, "mcp", "get", "skillhand")
			if exit != 0 || !strings.Contains(out, filepath.Join(bin, "skillhand")) {
				t.Errorf("exit status %d\n%s", exit, out)
			}
		})
	}
}

// responses plays a model that speaks the Responses API: each request is
// answered with the next of its items.
type responses struct {
	*httptest.Server
	mu     sync.Mutex
	items  []string
	bodies []string
}

func newResponses(t *testing.T, items ...string) *responses {
	r := &responses{items: items}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		if req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, "/responses") {
			http.NotFound(w, req)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.bodies) == len(r.items) {
			http.Error(w, "nothing left to say", http.StatusBadRequest)
			return
		}
		item := r.items[len(r.bodies)]
		r.bodies = append(r.bodies, string(body))
		w.Header().Set("Content-Type", "text/event-stream")
		for _, ev := range [][2]string{
			{"response.created", `"response":{"id":"r"}`},
			{"response.output_item.done", `"item":` + item},
			{
				"response.completed",
				`"response":{"id":"r","usage":{"input_tokens":1,"input_tokens_details":null,"output_tokens":1,"output_tokens_details":null,"total_tokens":2}}`,
			},
		} {
			fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q,%s}\n\n", ev[0], ev[0], ev[1])
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// quoted is a value as JSON.
func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// runTool runs a program to its end.
func runTool(t *testing.T, dir string, env []string, args ...string) (exit int, out string) {
	t.Helper()
	var both bytes.Buffer
	res, err := proc.Run(t.Context(), proc.Cmd{Args: args, Dir: dir, Env: env, Stdout: &both, Stderr: &both, Timeout: 2 * time.Minute})
	if err != nil || res.Cut != proc.Not {
		t.Fatalf("%q: %v, %+v\n%s", args, err, res, both.String())
	}
	return res.Exit, both.String()
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
