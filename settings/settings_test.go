package settings

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// line is a value as the status line has it.
const line = `{"type": "command", "command": "x", "padding": 0}`

// FuzzSetKey: whatever an object has, setting a key changes that key alone, and
// setting it again changes nothing. What is not one object is refused.
func FuzzSetKey(f *testing.F) {
	for _, src := range []string{
		"", " \n", "{}", "\ufeff{ }", `{"a":1}`, "{\r\n\t\"a\": [1, {\"statusLine\": 2}],\r\n\t\"b\\\"\": \"}\"\r\n}\r\n",
		`{"statusLine":1,"a":2,"statusLine":{"x":3}}`, `{"a":1}{}`, "[]", "{", `{"a"`, `{"a":1,}`, "// c\n{}", `{"status\u004cine":0}`, "\v",
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, err := setKey("settings.json", src, "statusLine", line)
		plain := bytes.TrimPrefix(src, []byte("\ufeff"))
		var before map[string]json.RawMessage
		object := json.Unmarshal(plain, &before) == nil && bytes.HasPrefix(bytes.TrimLeft(plain, jsonSpace), []byte("{"))
		if blank := len(bytes.TrimLeft(plain, jsonSpace)) == 0; err != nil {
			if object || blank {
				t.Fatalf("%q: %v", src, err)
			}
			if !strings.HasPrefix(err.Error(), "settings.json:") || !strings.Contains(err.Error(), "not JSON, left as it is: ") {
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
		if string(after["statusLine"]) != line {
			t.Fatalf("%q became %q", src, out)
		}
		delete(before, "statusLine")
		delete(after, "statusLine")
		if diff := cmp.Diff(before, after); diff != "" && len(before)+len(after) > 0 {
			t.Fatalf("%q became %q:\n%s", src, out, diff)
		}
		again, err := setKey("settings.json", out, "statusLine", line)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q became %q, and then %q (%v)", src, out, again, err)
		}
	})
}
