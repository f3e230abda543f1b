package claude

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// small makes long lines of shorter ones.
func small(t *testing.T) {
	held, piece := maxHeld, pieceSize
	t.Cleanup(func() { maxHeld, pieceSize = held, piece })
	maxHeld, pieceSize = 64<<10, 5000
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

// A result that is too long to be held says what it would if it were not.
func TestLargeResult(t *testing.T) {
	small(t)
	const form = `{"type":"result" , "subtype":"success","is_error":false,"num_turns":2,%s"session_id":"s{\"","usage":{"result":"no","a":[1,{"b":"]"}]},"total_cost_usd":0.5}`
	fill := func(piece string) string { return strings.Repeat(piece, 2*maxHeld/len(piece)) }
	for name, fields := range map[string]string{
		"words":         `"result":"` + fill(`words and \"words\" \\`) + `",`,
		"no spaces":     `"result" : "` + fill(`x`) + `",`,
		"escapes":       `"result":"` + fill(`\u4e2d\ud83d\ude00\n`) + `",`,
		"other scripts": `"result":"` + fill(`中文😀`) + `",`,
		"no text":       `"result":"` + fill("\x80\xff") + `",`,
		"json":          `"result":"ok","structured_output": {"a":["` + fill(`}\"]\\`) + `",{}],"result":"x"},`,
		"a list":        `"structured_output":["` + fill(`x`) + `"],"result":"` + fill(`y`) + `",`,
		"a string":      `"structured_output":"` + fill(`x`) + `","result":null,`,
		"nothing long":  `"other":"` + fill(`x`) + `","result":"short",`,
		"twice":         `"result":"` + fill(`x`) + `","result":"last",`,
	} {
		line := fmt.Sprintf(form, fields)
		var want result
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		for size, end := range map[int]string{len(line): "\n", 64 << 10: "", 1003: "\n"} {
			got := lines(t, line+end, size, nil).result
			if got == nil {
				t.Errorf("%s: no result", name)
				continue
			}
			if got.Text != want.Text || string(got.Structured) != string(want.Structured) || got.SessionID != want.SessionID ||
				got.cost() != want.cost() || got.Turns != 2 || string(got.Usage) != string(want.Usage) {
				t.Errorf("%s, in pieces of %d: got another result", name, size)
			}
		}
		if got := lines(t, line[:len(line)-10], 64<<10, nil).result; got != nil {
			t.Errorf("%s: a torn line is a result", name)
		}
	}
	bad := fmt.Sprintf(form, `"result":"`+fill(`x`)+`\q",`)
	if got := lines(t, bad, 64<<10, nil).result; got != nil {
		t.Error("what is no JSON is a result")
	}
}

// A long line that decides nothing is passed by, and told to whoever listens.
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

// TestCutBetweenWords: what is kept of long texts begins and ends with a whole word, so
// that a secret at the cut is known for one, or is not there.
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
