package activity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawTokens draws the tokens of a request.
func drawTokens(t *rapid.T) Tokens {
	n := rapid.Int64Range(0, 5000)
	return Tokens{n.Draw(t, "input"), n.Draw(t, "output"), n.Draw(t, "read"), n.Draw(t, "write"), n.Draw(t, "hour")}
}

var (
	drawModel = rapid.SampledFrom([]string{"claude-opus-5-5", "claude-haiku-4-5-20251001", "mystery"})
	drawSkill = rapid.SampledFrom([]string{"card", "kit", "plug:kit"})
)

// randomFile creates random events in one file, and returns the tokens of its requests by model.
func randomFile(t *rapid.T, f *tally, id string) map[string]Tokens {
	sum := map[string]Tokens{}
	when := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i := range rapid.IntRange(0, 12).Draw(t, "events") {
		when = when.Add(time.Duration(rapid.IntRange(0, 30).Draw(t, "hours")) * time.Hour)
		f.begin(when, fmt.Sprint(id, "-", i))
		skill := drawSkill.Draw(t, "skill")
		switch rapid.IntRange(0, 7).Draw(t, "event") {
		case 0:
			f.prompt()
		case 1:
			f.called(fmt.Sprint(i), skill)
			f.finish(fmt.Sprint(i), rapid.IntRange(0, 40_000).Draw(t, "size"), "")
		case 2:
			f.prompt()
			f.typed(skill)
		case 3:
			f.compacted()
		case 4:
			f.spawned("spawn")
		default:
			u, model := drawTokens(t), drawModel.Draw(t, "model")
			request := keyOf(id, fmt.Sprint(i))
			f.turn(request, turn{Model: model, Tokens: u})
			f.turn(request, turn{Model: model, Tokens: Tokens{Input: u.Input}}) // another line about the request has less data
			sum[model] = sum[model].plus(u)
		}
	}
	return sum
}

// TestAddsUp checks for any sessions that all skills and the rest cost as much as the sessions,
// token by token.
func TestAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newAccountant(Options{})
		want, dollars := map[string]Tokens{}, 0.0
		for i := range 100 { // in each of 100 checks
			name := fmt.Sprint("session", i)
			main := &tally{Agent: "claude", Session: name}
			sum := randomFile(t, main, name)
			r.addTally(main, name)
			if rapid.Bool().Draw(t, "subagent") {
				sub := &tally{Agent: "claude", Session: name, AgentID: "a", Spawn: "spawn"}
				for model, u := range randomFile(t, sub, name+"sub") {
					sum[model] = sum[model].plus(u)
				}
				r.addTally(sub, name+"sub")
			}
			recorded := rapid.Bool().Draw(t, "recorded")
			for model, u := range sum {
				price, known := findPrice(model)
				cost := costOf(u, price)
				if recorded && u != (Tokens{}) { // the agent recorded more requests, and its own price
					more := drawTokens(t)
					cost = rapid.Float64Range(0.001, 9).Draw(t, "dollars")
					u = u.plus(more)
					main.records(model, paid{u, cost})
					known = true
				}
				want[model] = want[model].plus(u)
				if known {
					dollars += cost
				}
			}
		}
		report := r.account()
		addsUp(t, report)
		var all Tokens
		for _, u := range want {
			all = all.plus(u)
		}
		if got := report.Total.Text.plus(report.Total.Work); got != all {
			t.Errorf("%+v tokens, want %+v", got, all)
		}
		if math.Abs(report.Total.Known()-dollars) > 1e-6 {
			t.Errorf("$%v, want $%v", report.Total.Known(), dollars)
		}
		for _, s := range report.Skills {
			for _, n := range []int64{s.Cost.Text.Input, s.Cost.Text.CacheRead, s.Cost.Work.Input, s.Cost.Work.CacheRead,
				s.Cost.Work.CacheWrite} {
				if n < 0 {
					t.Errorf("%s: %+v", s.Name, s.Cost)
				}
			}
		}
	})
}

// TestSplit checks that the parts of a request are not negative and that they add up.
func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		u     Tokens
		texts []held
		part  Tokens
	}{
		{Tokens{Input: 10, CacheWrite: 100, CacheRead: 1000}, []held{{"card", 50, true}}, Tokens{CacheWrite: 50}},
		{Tokens{Input: 10, CacheWrite: 100, CacheRead: 1000}, []held{{"card", 50, false}}, Tokens{CacheRead: 50}},
		{Tokens{Input: 10, CacheWrite: 20}, []held{{"card", 50, true}}, Tokens{CacheWrite: 20, Input: 10}},
		{Tokens{Input: 10, CacheRead: 5}, []held{{"card", 8, false}}, Tokens{CacheRead: 5, Input: 3}},
	} {
		if parts := split(tt.u, tt.texts); len(parts) != 1 || parts[0].Tokens != tt.part {
			t.Errorf("split(%+v, %+v) = %+v", tt.u, tt.texts, parts)
		}
	}
}

// TestInPieces checks that a transcript that is read while it grows, even in mid-line, gives the
// same result as the whole.
func TestInPieces(t *testing.T) {
	const name = "079bb23b-a71a-4504-bc42-2bb6af7a05a9.jsonl"
	whole, err := os.ReadFile(filepath.Join("testdata/claude/one/projects/-home-ada-project", name))
	if err != nil {
		t.Fatal(err)
	}
	counts := func(r *Account) string {
		r.Read = 0
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	home := t.TempDir()
	file := filepath.Join(home, ".claude/projects/p", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	want := counts(read(t, at(t, home), Options{}))
	rapid.Check(t, func(rt *rapid.T) {
		h := at(t, home)
		if err := os.Remove(file); err != nil {
			rt.Fatal(err)
		}
		var got string
		for end := 0; end < len(whole); {
			end = min(len(whole), end+rapid.IntRange(1, 9000).Draw(rt, "bytes"))
			if err := os.WriteFile(file, whole[:end], 0o666); err != nil {
				rt.Fatal(err)
			}
			got = counts(read(t, h, Options{}))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Error(diff)
		}
	})
}

// TestDamaged checks that a line that was cut by a crash is counted and skipped, and that a
// replaced file is read anew.
func TestDamaged(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, ".claude/projects/p/s.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	turn := func(id string) string {
		return `{"type":"assistant","timestamp":"2026-11-16T05:23:42Z","sessionId":"s","requestRef":"` + id +
			`","message":{"model":"claude-opus-5-5","usage":{"input_tokens":10}}}` + "\n"
	}
	long := append(append([]byte(`{"type":"user","message":"`), bytes.Repeat([]byte("x"), maxLine)...), "\"}\n"...)
	wide := append(append([]byte(`{"type":"user","message":[`), bytes.Repeat([]byte("1,"), maxLine/2)...), "1]}\n"...)
	for _, tt := range []struct {
		text           string
		turns, damaged int
	}{
		{turn("a"), 1, 0},
		{turn("a") + `{"type":"assist` + turn("b") + turn("c"), 2, 1},
		{turn("d"), 1, 0},
		{turn("e") + string(long) + turn("f") + `{"type":"assistant"`, 2, 0},
		{turn("g") + string(wide) + turn("h"), 2, 1},
		{"", 0, 0},
	} {
		if err := os.WriteFile(file, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		h := at(t, home)
		if r := read(t, h, Options{}); r.Total.Turns != tt.turns || r.Damaged != tt.damaged {
			t.Errorf("%.40q: %d turns, %d damaged lines", tt.text, r.Total.Turns, r.Damaged)
		}
		if err := os.WriteFile(file, []byte(turn("z")+turn("y")), 0o666); err != nil {
			t.Fatal(err)
		}
		if r := read(t, h, Options{}); r.Total.Turns != 2 || r.Damaged != 0 {
			t.Errorf("replaced: %d turns, %d damaged lines", r.Total.Turns, r.Damaged)
		}
	}
}

func FuzzFields(f *testing.F) {
	f.Add([]byte(`{"a": [1, {"b": "\"}"}], "c": "x\\", "d": null}`))
	f.Add([]byte(`{"a" 1`))
	f.Fuzz(func(t *testing.T, line []byte) {
		got := map[string]json.RawMessage{}
		whole := value(line).fields(func(key, v value) bool {
			v.items(func(value) {})
			v.size()
			v.str()
			got[string(key)] = json.RawMessage(v)
			return true
		})
		var want map[string]json.RawMessage
		if json.Unmarshal(line, &want) != nil || want == nil || bytes.ContainsRune(line, '\\') {
			(&job{folder: &folder{reader: &claudeReader}}).take(&indexed{Tally: &tally{}}, line)
			return
		}
		if !whole || !cmp.Equal(got, want) {
			t.Errorf("%s: %v, %q; want %q", line, whole, got, want)
		}
	})
}
