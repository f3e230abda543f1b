package claudecode_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// A recording is a manifest, and whether the real Claude Code loaded a plugin that has it.
type recording struct {
	Name     string          `json:"name"`
	Manifest json.RawMessage `json:"manifest"`
	Loads    bool            `json:"loads"`
	Field    string          `json:"field,omitempty"` // the field that it complained of first
}

const recordings = "testdata/manifests.json"

func readRecordings(t *testing.T) []recording {
	src, err := os.ReadFile(recordings)
	if err != nil {
		t.Fatal(err)
	}
	var all []recording
	if err := json.Unmarshal(src, &all); err != nil || len(all) < 500 {
		t.Fatalf("%d recordings, %v", len(all), err)
	}
	return all
}

func writeRecordings(t *testing.T, all []recording) {
	var b bytes.Buffer
	for i, c := range all {
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(map[bool]string{true: "[\n  ", false: ",\n  "}[i == 0])
		b.Write(line)
	}
	b.WriteString("\n]\n")
	if err := os.WriteFile(recordings, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestParseManifest: a plugin loads here if and only if it loaded in Claude Code, and the fault is in the same field.
func TestParseManifest(t *testing.T) {
	for _, c := range readRecordings(t) {
		_, faults := claudecode.ParseManifest(c.Manifest)
		if (len(faults) == 0) != c.Loads {
			t.Errorf("%s: %s: Claude Code loads it: %v; faults: %v", c.Name, c.Manifest, c.Loads, faults)
			continue
		}
		top, _, _ := strings.Cut(c.Field, ".")
		if !c.Loads && faults[0].Top() != top {
			t.Errorf("%s: %s: the fault is in %q, want %q", c.Name, c.Manifest, faults[0].Field, c.Field)
		}
		for _, f := range faults {
			if f.Start < 0 || f.Start >= f.End || f.End > len(c.Manifest) || f.String() == "" {
				t.Errorf("%s: %s: %+v", c.Name, c.Manifest, f)
			}
		}
	}
}

func TestFault(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{`{"name": "a", "author": {"email": "x@y"}}`, "author.name is missing"},
		{`{"name": "a", "keywords": [1]}`, "keywords.0 is a number, want a string"},
		{`{"name": "a/b"}`, `name must be a name without blanks, invisible characters, @, :, / and \`},
		{`{"name": "a", "mcpServers": {"s": {"url": "https://example.com/"}}}`, "mcpServers.s.type is missing"},
		{
			`{"name": "a", "lspServers": {"s": {"command": "x", "extensionToLanguage": {".go": "go"}, "foo": 1}}}`,
			"lspServers.s.foo is not a key that Claude Code takes there",
		},
		{`[]`, "it is a list, want an object"},
		{`{"name": }`, "not JSON: invalid character '}' looking for beginning of value"},
		{``, "not JSON: unexpected end of file"},
	} {
		_, faults := claudecode.ParseManifest([]byte(tt.src))
		if len(faults) != 1 || faults[0].String() != tt.want {
			t.Errorf("%s: %v, want %s", tt.src, faults, tt.want)
		}
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(`{"name": "a", "hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}, "dependencies": [1, {"name": 1}]}`))
	f.Add([]byte(`{"name": 1, "commands": {"a": 1, "b": {}}, "monitors": [1, {"name": "x"}, {"name": "x"}], "userConfig": {"": null}}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		_, faults := claudecode.ParseManifest(src)
		for _, fault := range faults {
			if fault.Start < 0 || fault.End < fault.Start || fault.String() == "" {
				t.Errorf("%q: %+v", src, fault)
			}
		}
	})
}
