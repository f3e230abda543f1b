package skill

import (
	"fmt"
	"strconv"
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
		n := splitFrontmatter(tt.src)
		if header, body := tt.src[:n], tt.src[n:]; header != tt.header || body != tt.body {
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
	got, notes := parseFrontmatter(header)
	if len(notes) > 0 {
		t.Errorf("notes: %v", notes)
	}
	if first, last := got.Fields[0], got.Fields[len(got.Fields)-1]; first.Line != 2 || last.Key != "colour" || last.Line != 25 {
		t.Errorf("name is on line %d and %s on %d, want 2 and 25", first.Line, last.Key, last.Line)
	}
	got.Fields = nil
	want := Frontmatter{
		Name: "review", Description: "Reviews code.\n", WhenToUse: "when asked", License: "MIT", Compatibility: "any",
		Metadata: map[string]string{"version": "1.10"}, ArgumentHint: "[file]", Arguments: []string{"file", "mode"},
		DisableModelInvocation: true, UserInvocable: false, AllowedTools: []string{"Bash(git log:*)", "Read", "Grep"},
		DisallowedTools: []string{"Write"},
		Model:           "haiku", Effort: "low", Context: "fork", Agent: "Explore", Background: true,
		Paths: []string{"src/**", "*.go"}, Shell: "bash", HasHooks: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFrontmatterFaults(t *testing.T) {
	for _, tt := range []struct{ header, want string }{
		{"---\n\n---\n", ""},
		{"---\n# only a comment\n---\n", ""},
		{"---\ndescription: [unclosed\n---\n", "f:2: frontmatter is not valid YAML: the [ that opens here is not closed"},
		{"---\nname: a\nargument-hint: [file] [mode]\nmodel: b\n---\n", "f:3: frontmatter is not valid YAML: text follows the closing ]"},
		{"---\nname: a\nargument-hint: [\"x]\", y\nmodel: b\n---\n", "f:3: frontmatter is not valid YAML: did not find expected ',' or ']'"},
		{"---\nname: a\nmetadata:\n  b: {c: d\n  e: f\n---\n", "f:4: frontmatter is not valid YAML: did not find expected"},
		{"---\nname: a\ndescription: >\n  One.\n Two.\n---\n",
			"f:5: frontmatter is not valid YAML: the line is indented less than the one above it, and more than a field"},
		{"---\nname: a\n\tdescription: b\n---\n", "f:3: frontmatter is not valid YAML: "},
		{"---\n- a\n- b\n---\n", "f:2: frontmatter is not a list of fields, want key: value"},
		{"---\nname: [a]\n---\n", "f:2: name is a list, want a string"},
		{"---\na: 1\nbackground: maybe\n---\n", `f:3: background is "maybe", want true or false`},
		{"---\narguments:\n  - name: x\n---\n", "f:2: arguments is a list, want a list of strings"},
		{"---\nallowed-tools: {a: b}\n---\n", "f:2: allowed-tools is a list of fields, want a string or a list of strings"},
		{"---\nmetadata: x\n---\n", `f:2: metadata is "x", want a list of fields`},
	} {
		var got string
		_, notes := parseFrontmatter(tt.header)
		for _, n := range notes {
			got += (&Skill{File: "f"}).Say(n)
		}
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
		s := Parse("f", []byte(tt.src))
		if (len(s.Notes) > 0) != tt.want {
			t.Errorf("%q: notes %v", tt.src, s.Notes)
		}
	}
}

func FuzzFrontmatter(f *testing.F) {
	f.Add("---\nname: x\narguments: [a]\n---\nbody")
	f.Add("\ufeff---\r\nallowed-tools: Bash(a:*), b\r\n---")
	f.Add("---\n&a [*a]\n---\n")
	f.Fuzz(func(t *testing.T, src string) {
		f, _ := parseFrontmatter(src[:splitFrontmatter(src)])
		checkFields(t, src, f.Fields)
	})
}

// checkFields fails unless fields lie in order and say what is written there.
func checkFields(t *testing.T, src string, all []Field) {
	t.Helper()
	last := 0
	for _, f := range all {
		if f.Offset < last || f.End < f.Offset || f.ValueOffset < f.End || f.ValueEnd < f.ValueOffset || f.ValueEnd > len(src) {
			t.Fatalf("%+v after %d in %q", f, last, src)
		}
		if f.Raw != src[f.ValueOffset:f.ValueEnd] || f.Line != 1+strings.Count(src[:f.Offset], "\n") {
			t.Fatalf("%+v is not what is written in %q", f, src)
		}
		checkFields(t, src, f.Fields)
		last = f.Offset
	}
}

// TestFields shows what is taken for a field's key and value.
func TestFields(t *testing.T) {
	src := "\ufeff---\r\n" + `# first
name: review   # the folder's
"description": "Use: \"é\" # no comment"
when_to_use: ünïcode, then
  more of it  # end
license:
compatibility: |
  a
  # no comment

# a comment
metadata: # two
  version: 1.10
  'k': [a, "b]", {c: d}, [] ]   # list
allowed-tools:
  - Bash(git log:*)
  -   # which one
    'Read'
  - |
    x
  - - y
paths: &p src/**
model: *p
hooks: {PreToolUse: [{matcher: Bash}] , Stop: }
` + "---\n"
	f, notes := parseFrontmatter(src)
	if len(notes) != 1 || f.Model != "src/**" { // allowed-tools has a list in a list
		t.Errorf("model %q, notes %v", f.Model, notes)
	}
	checkFields(t, src, f.Fields)
	var got []string
	var list func(indent string, all []Field)
	list = func(indent string, all []Field) {
		for _, x := range all {
			got = append(got, fmt.Sprintf("%s%d %s=%s", indent, x.Line, src[x.Offset:x.End], strconv.Quote(x.Raw)))
			list(indent+"  ", x.Fields)
		}
	}
	list("", f.Fields)
	want := `3 name="review"
4 "description"="\"Use: \\\"é\\\" # no comment\""
5 when_to_use="ünïcode, then\n  more of it"
7 license=""
8 compatibility="|\n  a\n  # no comment"
13 metadata="version: 1.10\n  'k': [a, \"b]\", {c: d}, [] ]"
  14 version="1.10"
  15 'k'="[a, \"b]\", {c: d}, [] ]"
    15 ="a"
    15 ="\"b]\""
    15 ="{c: d}"
      15 c="d"
    15 ="[]"
16 allowed-tools="- Bash(git log:*)\n  -   # which one\n    'Read'\n  - |\n    x\n  - - y"
  17 ="Bash(git log:*)"
  19 ="'Read'"
  20 ="|\n    x"
  22 ="- y"
    22 ="y"
23 paths="&p src/**"
24 model="*p"
25 hooks="{PreToolUse: [{matcher: Bash}] , Stop: }"
  25 PreToolUse="[{matcher: Bash}]"
    25 ="{matcher: Bash}"
      25 matcher="Bash"
  25 Stop=""`
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBrokenFields shows that a fault in the YAML can still be pointed at.
func TestBrokenFields(t *testing.T) {
	src := "---\nname: x\ndescription: Use when: asked\n  for it\nmodel:haiku\nlicense:\n---\n"
	f, notes := parseFrontmatter(src)
	if len(notes) != 1 || notes[0].Code != NoteYAML || f.Name != "" {
		t.Errorf("name %q, notes %v", f.Name, notes)
	}
	var got []string
	for _, x := range f.Fields {
		got = append(got, fmt.Sprintf("%d %s=%q", x.Line, src[x.Offset:x.End], x.Raw))
	}
	want := []string{`2 name="x"`, `3 description="Use when: asked\n  for it"`, `6 license=""`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
