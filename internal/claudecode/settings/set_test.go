package settings

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSet(t *testing.T) {
	for _, tt := range []struct {
		src  string
		path string
		want string
	}{
		{"", "a", "{\n  \"a\": 1\n}\n"},
		{"{}", "a", "{\n  \"a\": 1\n}"},
		{"{}", "a.b", "{\n  \"a\": {\n    \"b\": 1\n  }\n}"},
		{"{\n\t\"x\": 0\n}\n", "a.b", "{\n\t\"x\": 0,\n\t\"a\": {\n\t  \"b\": 1\n\t}\n}\n"},
		{"{\n  \"a\": {}\n}\n", "a.b", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
		{"{\n  \"a\": {\n    \"x\" : [ ]\n  }, \"y\":2\n}\n", "a.b", "{\n  \"a\": {\n    \"x\" : [ ],\n    \"b\": 1\n  }, \"y\":2\n}\n"},
		{`{"a":{"b":{"c":0},"d":2}}`, "a.b", `{"a":{"b":1,"d":2}}`},
		{`{"a":0,"a":{"b":2}}`, "a.b", `{"a":0,"a":{"b":1}}`}, // the last counts
		{`{"x":0}`, `q"`, `{"x":0,"q\"": 1}`},
	} {
		got, err := Set("f.json", []byte(tt.src), "1", strings.Split(tt.path, ".")...)
		if err != nil || string(got) != tt.want {
			t.Errorf("Set(%q, %s) = %q, %v, want %q", tt.src, tt.path, got, err, tt.want)
		}
	}
	for src, want := range map[string]string{
		"{\n\"a\": 1}":      "f.json:2: a is not an object, left as it is",
		"// note\n{}":       "f.json:1: not JSON: invalid character '/' looking for beginning of value",
		"{\n\"a\": 1,\n}":   "f.json:3: not JSON: invalid character '}' looking for beginning of object key string",
		"\n[]":              "f.json:2: not JSON: it is not an object",
		"{}\n{}":            "f.json:2: not JSON: more text after the value",
		"{\n\"a\": \n":      "f.json:2: not JSON: unexpected end of file",
		"\ufeff{\n\"a\" 1}": "f.json:2: not JSON: invalid character '1' after object key",
	} {
		if got, err := Set("f.json", []byte(src), "1", "a", "b"); err == nil || err.Error() != want {
			t.Errorf("Set(%q) = %q, %v, want %s", src, got, err, want)
		}
	}
}

// TestSetFile: a file keeps its mode and the link that leads to it; a folder is made; a file that
// is no JSON stays.
func TestSetFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "new", "settings.json")
	if err := SetFile(name, `"x"`, "model"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(name); string(got) != "{\n  \"model\": \"x\"\n}\n" {
		t.Errorf("a new file has %q", got)
	}
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte("{,}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := SetFile(bad, "1", "a"); err == nil {
		t.Error("a file that is no JSON was changed")
	}
	if got, _ := os.ReadFile(bad); string(got) != "{,}" {
		t.Errorf("it now has %q", got)
	}
}

// FuzzSet: whatever an object has, setting a key changes that key alone, and
// setting it again changes nothing. What is not one object is refused.
func FuzzSet(f *testing.F) {
	const setting = `{"type": "command", "command": "skillhand statusline", "padding": 0}`
	for _, src := range []string{
		"", " \n", "{}", "\ufeff{ }", `{"a":1}`, "{\r\n\t\"a\": [1, {\"statusLine\": 2}],\r\n\t\"b\\\"\": \"}\"\r\n}\r\n",
		`{"statusLine":1,"a":2,"statusLine":{"x":3}}`, `{"a":1}{}`, "[]", "{", `{"a"`, `{"a":1,}`, "// c\n{}", `{"status\u004cine":0}`, "\v",
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, err := Set("settings.json", src, setting, "statusLine")
		plain := bytes.TrimPrefix(src, []byte("\ufeff"))
		var before map[string]json.RawMessage
		object := json.Unmarshal(plain, &before) == nil && bytes.HasPrefix(bytes.TrimLeft(plain, " \t\r\n"), []byte("{"))
		if blank := len(bytes.TrimLeft(plain, " \t\r\n")) == 0; err != nil {
			if object || blank {
				t.Fatalf("%q: %v", src, err)
			}
			if !strings.HasPrefix(err.Error(), "settings.json:") || !strings.Contains(err.Error(), "not JSON: ") {
				t.Fatalf("%q: %v", src, err)
			}
			return
		} else if !object && !blank {
			t.Fatalf("%q was edited: %q", src, out)
		}
		var after map[string]json.RawMessage
		if err := json.Unmarshal(bytes.TrimPrefix(out, []byte("\ufeff")), &after); err != nil {
			t.Fatalf("%q became %q: %v", src, out, err)
		}
		if string(after["statusLine"]) != setting {
			t.Fatalf("%q became %q", src, out)
		}
		delete(before, "statusLine")
		delete(after, "statusLine")
		if diff := cmp.Diff(before, after); diff != "" && len(before)+len(after) > 0 {
			t.Fatalf("%q became %q:\n%s", src, out, diff)
		}
		again, err := Set("settings.json", out, setting, "statusLine")
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q became %q, and then %q (%v)", src, out, again, err)
		}
		if _, err := Parse("settings.json", out); err != nil && !strings.HasPrefix(err.Error(), "settings.json:") {
			t.Fatalf("%q: %v", out, err)
		}
	})
}

func TestAddItems(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"", "{\n  \"p\": {\n    \"allow\": [\"a\", \"b && <c>\"]\n  }\n}\n"},
		{`{"p":{"allow":[]},"x": 1 }`, `{"p":{"allow":["a", "b && <c>"]},"x": 1 }`},
		{`{"p":{"allow":["x"]}}`, `{"p":{"allow":["x", "a", "b && <c>"]}}`},
		{"{\"p\": {\n  \"allow\": [\n    \"x\",\n    \"y\"\n  ], \"deny\": []}}\n", "{\"p\": {\n  \"allow\": [\n    \"x\",\n    \"y\",\n    \"a\",\n    \"b && <c>\"\n  ], \"deny\": []}}\n"},
		{"{\"p\": {\"allow\": [\n\t\"x\"\n]}}", "{\"p\": {\"allow\": [\n\t\"x\",\n\t\"a\",\n\t\"b && <c>\"\n]}}"},
	} {
		got, err := AddItems("f.json", []byte(tt.src), []string{"a", "b && <c>"}, "p", "allow")
		if err != nil || string(got) != tt.want {
			t.Errorf("AddItems(%q) = %q, %v, want %q", tt.src, got, err, tt.want)
		}
	}
	for src, want := range map[string]string{
		`{"p": {"allow": 1}}`:    "f.json:1: p.allow is not a list, left as it is",
		"// note\n{\"p\": {}}\n": "f.json:1: not JSON: invalid character '/' looking for beginning of value",
	} {
		if _, err := AddItems("f.json", []byte(src), []string{"a"}, "p", "allow"); err == nil || err.Error() != want {
			t.Errorf("AddItems(%q): %v, want %s", src, err, want)
		}
	}
}
