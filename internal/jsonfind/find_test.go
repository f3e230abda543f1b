package jsonfind

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

var keys = []string{"a", "b"}

// wanted accepts objects that have both keys.
func wanted(found uint64) bool { return found == 3 }

func TestLast(t *testing.T) {
	const it = `{"a":1,"b":[]}`
	const other = `{"a":2,"b":[]}`
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"{", ""},
		{"{}", ""},
		{`{"a":1}`, ""},
		{it, it},
		{"x" + other + "y" + it + "z", it},
		{it + `{"a":1}`, it},
		{`{"x":` + it + `}`, ""},
		{it + `{"x":` + other + `}`, it},
		{`x{"x":[{"y":` + it + `}]}`, ""},
		{`x{"x":[{"y":` + it, it},
		{`x{"x":[` + it + `,{"y":` + other + `}`, it},
		{`x{"x":[` + it + `,{"y":` + other, other},
		{`{"x":` + it, ""}, // all of it breaks off
		{`{"x":` + it + `!`, it},
		{`{"x` + it, it},
		{`{"x":"` + it, it},
		{`{"x\` + it, it},
		{"{\"x\n" + it, it},
		{strings.Repeat("{", 1000) + it, it},
		{`{"\u0061":1,"b":2}`, `{"\u0061":1,"b":2}`},
		{`{"a":1,"b":2,}`, ""},
		{`{"a":1,"b":02}`, ""},
		{`{"a":1,"b":tru}`, ""},
		{`{"a":1,"b":"\x"}`, ""},
		{`{"a":1 "b":2}`, ""},
		{`{"a":1,"b":[1,]}`, ""},
		{`{"a":1,"b":[1}`, ""},
		{`{"a":1,"b":1]`, ""},
		{`{"a":1,"b":-}`, ""},
		{`{"a":1,"b":1.}`, ""},
		{`{"a":1,"b":1e}`, ""},
		{` {"a" : 1 , "b" : [ 1 , -0.5e+3 , { } , [ ] , null ] } `, `{"a" : 1 , "b" : [ 1 , -0.5e+3 , { } , [ ] , null ] }`},
	} {
		got, ok := Last([]byte(tt.text), keys, wanted)
		if string(got) != tt.want || ok != (tt.want != "") {
			t.Errorf("Last(%.80q) = %q, %v, want %q", tt.text, got, ok, tt.want)
		}
	}
}

// TestDeep: what is nested beyond reason costs little, and is no report.
func TestDeep(t *testing.T) {
	for _, text := range []string{
		strings.Repeat(`{"a":`, maxDepth+5) + "1" + strings.Repeat("}", maxDepth+5),
		`{"a":` + strings.Repeat("[", 10*maxDepth),
	} {
		if got, ok := Last([]byte(text), keys, wanted); ok {
			t.Errorf("%.40s…: found %.40s…", text, got)
		}
	}
}

// slowLast does what Last does, as it would be written if time did not matter.
// overlap says that two objects overlap, so that it is a matter of taste.
func slowLast(text []byte) (last []byte, overlap bool) {
	type object struct{ start, end int }
	var all []object
	for i := range text {
		if text[i] == '{' {
			dec := json.NewDecoder(bytes.NewReader(text[i:]))
			var raw json.RawMessage
			if dec.Decode(&raw) == nil {
				all = append(all, object{i, i + int(dec.InputOffset())})
			}
		}
	}
	if len(text) > 0 && text[0] == '{' && (len(all) == 0 || all[0].start != 0) && breaksOff(text) {
		return nil, false
	}
	end := 0
	for _, o := range all {
		if o.start < end {
			overlap = overlap || o.end > end
			continue
		}
		end = o.end
		var doc map[string]json.RawMessage
		if json.Unmarshal(text[o.start:o.end], &doc) == nil && doc["a"] != nil && doc["b"] != nil {
			last = text[o.start:o.end]
		}
	}
	return last, overlap
}

// breaksOff reports whether text is the start of a JSON document.
func breaksOff(text []byte) bool {
	var raw json.RawMessage
	err := json.NewDecoder(bytes.NewReader(text)).Decode(&raw)
	return err != nil && strings.Contains(err.Error(), "unexpected EOF")
}

func check(t *testing.T, text []byte) {
	got, ok := Last(text, keys, wanted)
	want, overlap := slowLast(text)
	if !overlap && (!bytes.Equal(got, want) || ok != (want != nil)) {
		t.Fatalf("Last(%q) = %q, want %q", text, got, want)
	}
}

// TestSlow compares Last with slowLast on texts that are nearly JSON.
func TestSlow(t *testing.T) {
	pieces := []string{`{`, `}`, `[`, `]`, `"`, `,`, `:`, `\`, `{"a":1,"b":2}`, `{"a":`, `"a"`, `"b":`, `1`, `null`, ` `, "\n", `x`, `{}`, `":{"`, `{"`, `"}`, `\"`}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var text []byte
		for range r.IntN(14) {
			text = append(text, pieces[r.IntN(len(pieces))]...)
		}
		check(t, text)
	}
}

func FuzzLast(f *testing.F) {
	f.Add([]byte(`x{"a":{"a":1,"b":"{\"}"},"b":2}{"`))
	f.Add([]byte(`{":{":":{","a":1,"b":[{"a":1,"b":2}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) < 300 { // slowLast is slow
			check(t, text)
		}
	})
}
