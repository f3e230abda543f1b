package claude

import (
	"context"
	"strings"
	"testing"
)

// small makes the limits for the length of lines small.
func small(t *testing.T) {
	held, result := maxHeld, maxResult
	t.Cleanup(func() { maxHeld, maxResult = held, result })
	maxHeld, maxResult = 64<<10, 1<<20
}

// lines returns the record of lines that come in pieces of some size.
func lines(t *testing.T, text string, size int, emit func(Event)) *record {
	t.Helper()
	out := newStdout(context.Background(), nil, 0, emit)
	for text != "" {
		n := min(size, len(text))
		if _, err := out.Write([]byte(text[:n])); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	return out.finish()
}

// A result may be longer than other lines, up to a limit.
func TestLargeResult(t *testing.T) {
	small(t)
	for size, want := range map[int]bool{maxHeld: true, maxResult / 2: true, maxResult + 1: false} {
		for _, first := range []string{`"type":"result",`, `"num_turns":2,"type":"result",`} {
			text := strings.Repeat("x", size)
			rec := lines(t, `{`+first+`"subtype":"success","is_error":false,"result":"`+text+`"}`+"\n", 1003, nil)
			if got := rec.result != nil && rec.result.Text == text; got != want {
				t.Errorf("%s of %d bytes: kept is %v, want %v", first, size, got, want)
			}
		}
	}
}

// A long line that decides nothing is skipped, and reported to listeners.
func TestLongLines(t *testing.T) {
	small(t)
	long := strings.Repeat("x", 40*maxHeld)
	result := `{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"done","session_id":"s"}` + "\n"
	for name, tt := range map[string]struct {
		line  string
		texts int
	}{
		"a message":    {`{"type":"assistant","message":{"content":[{"type":"text","text":"` + long + `"}]}}`, 1},
		"tool output":  {`{"type":"user","message":{"content":"` + long + `"}}`, 0},
		"no event":     {long, 0},
		"no type":      {`{"a":"` + long + `"}`, 0},
		"another type": {`{"type":"system","a":"` + long + `"}`, 0},
	} {
		texts := 0
		rec := lines(t, tt.line+"\n"+result, 64<<10, func(e Event) {
			if e.Type == Text {
				texts++
			}
		})
		if rec.result == nil || rec.result.Text != "done" || texts != tt.texts {
			t.Errorf("%s: got %+v and %d texts, want %d", name, rec.result, texts, tt.texts)
		}
		if len(rec.plain) > maxPlain+1 || (name == "no event") != (len(rec.plain) > 0) && name != "no type" {
			t.Errorf("%s: %d bytes are kept as no event", name, len(rec.plain))
		}
	}
}

// TestCutBetweenWords checks that the kept part of a long text begins and ends with a whole word. A
// secret at the cut is then either recognized or missing.
func TestCutBetweenWords(t *testing.T) {
	word := strings.Repeat("0a1B2c3D", 10)
	errs := &tail{touch: func() {}}
	for range 200 {
		if _, err := errs.Write([]byte(word + " ")); err != nil {
			t.Fatal(err)
		}
	}
	rec := &record{}
	rec.noEvent([]byte(strings.Repeat(word+" ", 200)))
	for name, text := range map[string]string{"the end of stderr": errs.text(), "a long line": string(rec.plain)} {
		if left := strings.TrimSpace(strings.ReplaceAll(text, word, "")); len(text) < maxPlain/2 || left != "" {
			t.Errorf("%s has a part of a word: %q", name, left)
		}
	}
}
