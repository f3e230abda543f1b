package jsonfind

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
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
		{`{"x":` + it, ""}, // the document breaks off
		{`x{"x":[{"y":` + it, ""},
		{it + ` x{"x":[` + other + `,{"y":` + other + `}`, it},
		{`{"x":` + it + `!`, it},
		{`x{"x":[{"y":` + it + `!`, it},
		{`x{"x":[` + it + `,{"y":` + other + `}!`, it},
		{`x{"x":[` + it + `,{"y":` + other + `!`, other},
		{`{"x` + it, it},
		{`{"x":"` + it, it},
		{`{"x\` + it, it},
		{"{\"x\n" + it, it},
		{strings.Repeat("{", 1000) + it, it},
		{`{"\u0061":1,"b":2}`, `{"\u0061":1,"b":2}`},
		{it + "\nretry after " + other, it},
		{"log " + it + "\nlog " + other, other},
		{it + "\n\t" + other + "\nlog " + it, other},
		{"50%\r" + it + "\nlog " + other, it},
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

// TestDeep: a text that is nested too deep costs little, and contains no report.
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

var (
	lineStart = regexp.MustCompile(`(?:^|[\n\r])[ \t]*$`)
	lineEnd   = regexp.MustCompile(`^[ \t]*(?:$|[\n\r])`)
)

// slowLast returns what Last returns, without regard to time. overlap says that two objects
// overlap; then either answer is fine.
func slowLast(text []byte) (last []byte, overlap bool) {
	end := 0
	line := false // the last object has its lines to itself
	for i := range text {
		if text[i] != '{' {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(text[i:]))
		var raw json.RawMessage
		err := dec.Decode(&raw)
		own := i + int(dec.InputOffset())
		switch {
		case i < end:
			overlap = overlap || err == nil && own > end || errors.Is(err, io.ErrUnexpectedEOF)
		case err == nil:
			end = own
			var doc map[string]json.RawMessage
			begins := lineStart.Match(text[:i]) && lineEnd.Match(text[end:])
			if json.Unmarshal(text[i:end], &doc) == nil && doc["a"] != nil && doc["b"] != nil && (begins || !line) {
				last, line = text[i:end], begins
			}
		case errors.Is(err, io.ErrUnexpectedEOF): // the document breaks off
			return last, overlap
		}
	}
	return last, overlap
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
	pieces := []string{
		`{`, `}`, `[`, `]`, `"`, `,`, `:`, `\`, `{"a":1,"b":2}`, `{"a":3,"b":4}`, "\n{\"a\":5,\"b\":6}", `{"a":`, `"a"`, `"b":`, `1`,
		`null`, ` `, "\n", `x`, `{}`, `":{"`, `{"`, `"}`, `\"`,
	}
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
