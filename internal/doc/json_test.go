package doc

import (
	"encoding/json"
	"testing"
)

// TestParseJSON checks that every value has the bytes that it was read from.
func TestParseJSON(t *testing.T) {
	src := "\ufeff" + `{"a": [1, "x", true, null, {}], "b": {"c": "d"}, "b": {"c": "e"}}`
	root, fault := ParseJSON(src)
	if fault != nil {
		t.Fatal(fault)
	}
	var kinds []string
	for _, item := range root.Get("a").Items {
		kinds = append(kinds, src[item.Start:item.End]+" "+item.Kind())
	}
	want := []string{"1 a number", `"x" a string`, "true true or false", "null null", "{} an object"}
	for i := range want {
		if kinds[i] != want[i] {
			t.Errorf("item %d is %s, want %s", i, kinds[i], want[i])
		}
	}
	b := root.Get("b")
	if text, ok := b.Get("c").Text(); !ok || text != "e" || src[b.KeyAt:b.KeyAt+3] != `"b"` {
		t.Errorf("the last b is %q, %v, at %d", text, ok, b.KeyAt)
	}
	var none *Node
	if _, ok := none.Get("x").Text(); ok || none.IsObject() || none.IsList() || none.Kind() != Null {
		t.Error("a missing value has something")
	}
}

func TestJSONFaults(t *testing.T) {
	for _, tt := range []struct {
		src  string
		at   int
		text string
	}{
		{``, 0, "unexpected end of file"},
		{`{"a": `, 5, "unexpected end of file"},
		{`{"a": x}`, 6, "invalid character 'x' looking for beginning of value"},
		{`{} {}`, 3, "more text after the value"},
	} {
		if _, fault := ParseJSON(tt.src); fault == nil || fault.Text != tt.text || fault.Offset != tt.at {
			t.Errorf("Parse(%q): %+v, want %d: %s", tt.src, *fault, tt.at, tt.text)
		}
	}
}

// FuzzParseJSON checks that a text is accepted exactly if it is JSON that is not too deep, and that
// each value's bytes are JSON too.
func FuzzParseJSON(f *testing.F) {
	f.Add(`{"a": [1, "x", {"b": null}]}`)
	f.Add("[")
	f.Fuzz(func(t *testing.T, src string) {
		root, fault := ParseJSON(src)
		if fault != nil {
			if fault.Offset < 0 || fault.Offset > len(src) {
				t.Errorf("Parse(%q): %+v", src, fault)
			}
			return
		}
		if !json.Valid([]byte(src[root.Start:root.End])) {
			t.Errorf("Parse(%q) = %q", src, src[root.Start:root.End])
		}
	})
}
