package doc

import (
	"strings"
	"testing"
)

func TestParseYAML(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Fault
	}{
		{"", Fault{}},
		{"# nothing\n", Fault{}},
		{"---\na: 1\n", Fault{}},
		{"a: 1\n---\n", Fault{}},
		{"---\n---\na: 1\n---\n# nothing\n---\n", Fault{}},
		{"a: 1\n---\n---\nb: 2\n", Fault{"", 3, "a second document; only one per file is read"}},
		{"a: 1\n---\nb: 2\n", Fault{"", 2, "a second document; only one per file is read"}},
		{"a: 1\n---\nb: [\nc: 2\n", Fault{"", 3, "not YAML: did not find expected ',' or ']'"}},
		{"a:\n  - {b: c\n  - {b: c}\n", Fault{"", 2, "not YAML: did not find expected ',' or '}'"}},
		{"a: 1\nb: c: d\ne: 2\n", Fault{"", 2, "not YAML: mapping values are not allowed in this context"}},
		{"a: 1\n}\nb: 2\n", Fault{"", 2, "not YAML: did not find expected key"}},
		{"a: 1\nb: \x01\n", Fault{"", 2, "not YAML: control characters are not allowed"}},
		{strings.Repeat("a: 1\n", 200) + "b: \x01\n", Fault{"", 0, "not YAML: control characters are not allowed"}},
	} {
		root, fault := ParseYAML([]byte(tt.text))
		if fault == nil {
			fault = &Fault{}
		}
		if *fault != tt.want || root != nil && *fault != (Fault{}) {
			t.Errorf("Parse(%.40q) = %v, %v, want %v", tt.text, root, *fault, tt.want)
		}
	}
	if root, _ := ParseYAML([]byte("\n\na: 1\n")); root == nil || root.Line != 3 || root.Content[1].Value != "1" {
		t.Errorf("Parse = %v, want the root with its lines", root)
	}
}

// FuzzParseYAML checks that every text either is YAML or has a fault on one of its lines.
func FuzzParseYAML(f *testing.F) {
	for _, seed := range []string{
		"", "# a\n", "---\n", "...\n", "a: [\n", "a: 1\n---\nb: 2\n", "&a *a\n", "a: \x01\n", "%YAML 1.1\n---\n", "\ufeffa: 1\r\nb: }\r\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, fault := ParseYAML([]byte(text))
		if fault != nil && (root != nil || fault.Text == "" || fault.Line < 0 ||
			fault.Line > 1+strings.Count(text, "\n")+strings.Count(text, "\r")) {
			t.Errorf("Parse(%q) = %v, %+v", text, root, fault)
		}
	})
}
