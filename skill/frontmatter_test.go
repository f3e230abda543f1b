package skill

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitFrontmatter(t *testing.T) {
	for _, tt := range []struct{ src, header, body string }{
		{"", "", ""},
		{"text\n", "", "text\n"},
		{"---\nname: x\n---\nbody\n", "---\nname: x\n---\n", "body\n"},
		{"---\r\nname: x\r\n---\r\nbody\r\n", "---\r\nname: x\r\n---\r\n", "body\r\n"},
		{"\ufeff---\nname: x\n---\nbody", "\ufeff---\nname: x\n---\n", "body"},
		{"\ufefftext", "\ufeff", "text"},
		{"---  \nname: x\n---\t\nbody", "---  \nname: x\n---\t\n", "body"},
		{"---\nname: x\n---", "---\nname: x\n---", ""},
		{"---\n---\nbody", "---\n---\n", "body"},
		{"---\nname: x\nbody\n", "", "---\nname: x\nbody\n"},
		{"---\nname: x\n...\nbody\n", "", "---\nname: x\n...\nbody\n"},
		{"----\nname: x\n----\n", "", "----\nname: x\n----\n"},
		{"\n---\nname: x\n---\n", "", "\n---\nname: x\n---\n"},
		{"---\na: |\n  ---\n---\nbody", "---\na: |\n  ---\n---\n", "body"},
		{"---\nname: x\n---\na\n---\nb\n", "---\nname: x\n---\n", "a\n---\nb\n"},
	} {
		header, body := splitFrontmatter([]byte(tt.src))
		if string(header) != tt.header || string(body) != tt.body {
			t.Errorf("splitFrontmatter(%q) = %q, %q; want %q, %q", tt.src, header, body, tt.header, tt.body)
		}
	}
}

func TestParseFrontmatter(t *testing.T) {
	header := `---
name: review
description: >
  Reviews code.
when_to_use: when asked
license: MIT
compatibility: any
metadata:
  version: 1.10
argument-hint: [file]
arguments: file, mode
disable-model-invocation: yes
user-invocable: "false"
allowed-tools: Bash(git log:*), Read Grep
disallowed-tools:
  - Write
model: haiku
effort: low
context: fork
agent: Explore
background: true
paths: "src/**, *.go"
shell: bash
hooks: {}
colour: blue
---
`
	got, warnings := parseFrontmatter("f", []byte(header))
	if len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
	if got.Lines["name"] != 2 || got.Lines["colour"] != 25 {
		t.Errorf("name is on line %d and colour on %d, want 2 and 25", got.Lines["name"], got.Lines["colour"])
	}
	got.Lines = nil
	want := Frontmatter{
		Name: "review", Description: "Reviews code.\n", WhenToUse: "when asked", License: "MIT", Compatibility: "any",
		Metadata: map[string]string{"version": "1.10"}, ArgumentHint: "[file]", Arguments: []string{"file", "mode"},
		DisableModelInvocation: true, UserInvocable: false, AllowedTools: []string{"Bash(git log:*)", "Read", "Grep"}, DisallowedTools: []string{"Write"},
		Model: "haiku", Effort: "low", Context: "fork", Agent: "Explore", Background: true, Paths: []string{"src/**", "*.go"}, Shell: "bash", HasHooks: true,
		Unknown: []string{"colour"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFrontmatterFaults(t *testing.T) {
	for _, tt := range []struct{ header, want string }{
		{"---\n\n---\n", ""},
		{"---\n# only a comment\n---\n", ""},
		{"---\ndescription: [unclosed\n---\n", "f:2: frontmatter is not valid YAML: did not find expected ',' or ']'"},
		{"---\nname: a\n\tdescription: b\n---\n", "f:3: frontmatter is not valid YAML: "},
		{"---\n- a\n- b\n---\n", "f:2: frontmatter is not a list of fields, want key: value"},
		{"---\nname: [a]\n---\n", "f:2: name is a list, want a text"},
		{"---\na: 1\nbackground: maybe\n---\n", `f:3: background is "maybe", want true or false`},
		{"---\narguments:\n  - name: x\n---\n", "f:2: arguments is a list, want a list of texts"},
		{"---\nallowed-tools: {a: b}\n---\n", "f:2: allowed-tools is a list of fields, want a text or a list of texts"},
		{"---\nmetadata: x\n---\n", `f:2: metadata is "x", want a list of fields`},
	} {
		_, warnings := parseFrontmatter("f", []byte(tt.header))
		got := strings.Join(warnings, "\n")
		if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.header, got, tt.want)
		}
	}
}

func TestUnclosed(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want bool
	}{
		{"---\ndescription: d\nbody\n", true},
		{"---\ndescription: d\n---\nbody\n", false},
		{"---\n\nA rule, then: text\n", false},
		{"---\n", false},
		{"text\n", false},
	} {
		s, err := Parse("f", []byte(tt.src))
		if err != nil || (len(s.Warnings) > 0) != tt.want {
			t.Errorf("%q: warnings %q, %v", tt.src, s.Warnings, err)
		}
	}
}

func FuzzFrontmatter(f *testing.F) {
	f.Add("---\nname: x\narguments: [a]\n---\nbody")
	f.Add("\ufeff---\r\nallowed-tools: Bash(a:*), b\r\n---")
	f.Add("---\n&a [*a]\n---\n")
	f.Fuzz(func(t *testing.T, src string) {
		header, body := splitFrontmatter([]byte(src))
		if string(header)+string(body) != src {
			t.Errorf("%q was cut into %q and %q", src, header, body)
		}
		parseFrontmatter("f", header)
	})
}
