package schemas_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/schemas"
)

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	data, err := schemas.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return schema
}

// TestCompile: every schema is one, and is called as its file.
func TestCompile(t *testing.T) {
	entries, err := schemas.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		compile(t, e.Name())
		data, _ := schemas.Files.ReadFile(e.Name())
		var head struct {
			ID string `json:"$id"`
		}
		if err := json.Unmarshal(data, &head); err != nil || !strings.HasSuffix(head.ID, "/"+e.Name()) {
			t.Errorf("%s: $id is %q: %v", e.Name(), head.ID, err)
		}
	}
}

// TestFiles: the schemas of files that people write take what is right and refuse what is not.
func TestFiles(t *testing.T) {
	tests := []struct {
		schema, text string
		ok           bool
	}{
		{"skill-frontmatter-v1", "name: a-b\ndescription: d\nallowed-tools: [Read]\nhooks: {Stop: [{hooks: [{type: command, command: x}]}]}\nmine: 1", true},
		{"skill-frontmatter-v1", "name: A", false},
		{"skill-frontmatter-v1", "effort: huge", false},
		{"skill-frontmatter-v1", "allowedTools: [Read]", false},
		{"skill-frontmatter-v1", "allowed_tools: Read", false},
		{"skill-frontmatter-v1", "when-to-use: w", false},
		{"skill-frontmatter-v1", "Description: d", false},
		{"skill-frontmatter-v1", "allowed-tool: Read", false},
		{"skill-frontmatter-v1", "userInvocable: true", false},
		{"skill-frontmatter-v1", "tools-allowed: 1\ncategory: x\nauthor: me\ntags: [a]", true},
		{"skill-frontmatter-v1", "hooks: {Stopp: []}", false},
		{"plugin-json-v1", `{"name": "p", "author": {"name": "x"}, "agents": ["./a.md"], "hooks": "./h.json", "mcpServers": {"x": {}}}`, true},
		{"plugin-json-v1", `{"name": "p", "author": "x"}`, false},
		{"plugin-json-v1", `{"name": "p", "agents": "./agents"}`, false},
		{"plugin-json-v1", `{"name": "p q"}`, false},
		{"hooks-json-v1", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}}`, true},
		{"hooks-json-v1", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}`, false},
		{"hooks-json-v1", `{"PreToolUse": []}`, false},
		{"evals-json-v1", `{"skill_name": "s", "evals": [{"id": 1, "prompt": "p", "files": [], "expectations": ["x"]}]}`, true},
		{"evals-json-v1", `[{"query": "q", "should_trigger": true}]`, true},
		{"evals-json-v1", `{"evals": [{"id": 1}]}`, false},
		{"batch-file-v1", "name: n\ndefaults: {timeout: 20m}\njobs:\n  - {id: a, run: ./x, args: [y]}\n  - {id: b, ask: Q, skill: s, needs: [a]}", true},
		{"batch-file-v1", "jobs:\n  - {id: a}", false},
		{"skillhand-yaml-v1", "check: {agents: [claude], rules: {SK308: off}, exclude: [x], permissions: {as: plugin}}", true},
		{"skillhand-yaml-v1", "check: {rules: {SK308: maybe}}", false},
		{"skillhand-yaml-v1", "chekc: {}", false},
	}
	for _, tt := range tests {
		var value any
		if err := yaml.Unmarshal([]byte(tt.text), &value); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := compile(t, tt.schema+".schema.json").Validate(doc); (err == nil) != tt.ok {
			t.Errorf("%s: %s: %v, want ok %v", tt.schema, tt.text, err, tt.ok)
		}
	}
}
