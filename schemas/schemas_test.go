package schemas_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/schemas"
)

// mayBeEmpty are the schemas of files that people write, in which nothing is required.
var mayBeEmpty = []string{"skill-frontmatter-v1", "skillhand-yaml-v1"}

// TestSchemas: every schema is one, is called as its file, refuses what is no object, and an empty one unless nothing is required.
func TestSchemas(t *testing.T) {
	entries, err := schemas.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".schema.json")
		schema := test.OurSchema(t, name)
		if schema.Fault([]byte(`"text"`)) == nil {
			t.Errorf("%s accepts a text", e.Name())
		}
		if schema.Fault([]byte("{}")) == nil && !slices.Contains(mayBeEmpty, name) {
			t.Errorf("%s accepts an empty document", e.Name())
		}
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
		{"skill-frontmatter-v1", "name: a-b\ndescription: d\nallowed-tools: [Read]\nhooks: {Stop: [{hooks: [{type: " +
			"command, command: x}]}]}\nmine: 1", true},
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
		{"batch-file-v1", "name: n\ndefaults: {timeout: 20m}\njobs:\n  - {id: a, run: ./x, args: [y]}\n  - {id: b, ask: " +
			"Q, skill: s, needs: [a]}", true},
		{"batch-file-v1", "jobs:\n  - {id: a}", false},
		{"skillhand-yaml-v1", "check: {agents: [claude], rules: {SK308: off}, exclude: [x], permissions: {as: plugin}}", true},
		{"skillhand-yaml-v1", "check: {rules: {SK308: maybe}}", false},
		{"skillhand-yaml-v1", "chekc: {}", false},
		{"skillhand-yaml-v1", "roots: [skills, ../more]\nmodel: haiku\nbudget: 2.5\nagents: codex\nwrap: never", true},
		{"skillhand-yaml-v1", "budget: 0", false},
		{"skillhand-yaml-v1", "wrap: sometimes", false},
	}
	for _, tt := range tests {
		if err := test.OurSchema(t, tt.schema).FaultYAML(tt.text); (err == nil) != tt.ok {
			t.Errorf("%s: %s: %v, want ok %v", tt.schema, tt.text, err, tt.ok)
		}
	}
}
