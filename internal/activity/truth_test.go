package activity

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/test"
)

// machine writes files to a new home folder and reads them.
func machine(t *testing.T, files map[string]string) *Account {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		file := filepath.Join(home, ".claude/projects", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return read(t, at(t, home), Options{})
}

// The lines of a session, in the form of Claude Code 2.1.325.
const (
	sayHello = `{"type":"user","uuid":"u1","sessionId":"S","timestamp":"2026-11-16T09:00:00Z","message":{"content":"hello"}}` + "\n"
	callCard = `{"type":"assistant","uuid":"u2","sessionId":"S","timestamp":"2026-11-16T09:00:01Z","message":{"id":"m1","model":"claude-opus-5-5",` +
		`"usage":{"input_tokens":1000},"content":[{"type":"tool_use","id":"c1","name":"Skill","input":{"skill":"card"}}]}}` + "\n"
	gotCard = `{"type":"user","uuid":"u3","sessionId":"S","timestamp":"2026-11-16T09:00:02Z","message":{"content":[{"type":"tool_result","tool_use_id":"c1"}]},` +
		`"toolUseResult":{"success":true}}` + "\n"
	typeCard = `{"type":"user","uuid":"u4","sessionId":"S","timestamp":"2026-11-16T09:00:03Z","message":{"content":"<command-message>card</command-message>\n` +
		`<command-name>/card</command-name>"}}` + "\n" +
		`{"type":"user","uuid":"u5","isMeta":true,"sessionId":"S","timestamp":"2026-11-16T09:00:03Z","message":{"content":[{"type":"text","text":"Make a card."}]}}` + "\n"
)

// answer returns a line of a request with an id.
func answer(id, more string) string {
	return `{"type":"assistant","uuid":"` + id + `","sessionId":"S","timestamp":"2026-11-16T09:00:09Z",` + more +
		`"message":{"id":"` + id + `","model":"claude-opus-5-5","usage":{"input_tokens":1000},"content":[]}}` + "\n"
}

// TestCopies checks that a copied session counts once, however it was copied.
func TestCopies(t *testing.T) {
	whole := sayHello + callCard + gotCard + answer("m2", "") + typeCard + answer("m3", "")
	as := func(session string) string {
		return strings.ReplaceAll(whole, `"sessionId":"S"`, `"sessionId":"`+session+`"`)
	}
	branch := strings.ReplaceAll(as("B"), `"uuid"`, `"forkedFrom":{"sessionId":"S"},"uuid"`)
	moved := strings.NewReplacer("T09:", "T11:", `"uuid":"u`, `"uuid":"new-`).Replace(as("M")) // as 2.0.21 copies
	for name, files := range map[string]map[string]string{
		"alone":            {"p/S.jsonl": whole},
		"/branch":          {"p/S.jsonl": whole, "p/B.jsonl": branch + answer("m4", "")},
		"interactive fork": {"p/S.jsonl": whole, "p/F.jsonl": as("F") + answer("m4", "")},
		"2.0.21's fork":    {"p/S.jsonl": whole, "p/M.jsonl": moved + answer("m4", "")},
		"fork of a fork": {"p/S.jsonl": whole, "p/F.jsonl": as("F") + answer("m4", ""),
			"p/G.jsonl": as("G") + answer("m4", "") + answer("m5", "")},
		"a renamed project":  {"p/S.jsonl": whole, "q/S.jsonl": whole},
		"the original gone":  {"p/B.jsonl": branch + answer("m4", "")},
		"continued and torn": {"p/S.jsonl": whole + answer("m6", ""), "p/F.jsonl": as("F") + answer("m4", "") + `{"type":"assist`},
	} {
		t.Run(name, func(t *testing.T) {
			a := machine(t, files)
			requests := map[string]bool{}
			for _, text := range files {
				for _, id := range []string{"m1", "m2", "m3", "m4", "m5", "m6"} {
					if strings.Contains(text, `"id":"`+id+`"`) {
						requests[id] = true
					}
				}
			}
			if a.Total.Turns != len(requests) || a.Total.Work.Input+a.Total.Text.Input != int64(1000*len(requests)) {
				t.Errorf("%d turns, %d tokens, want %d requests", a.Total.Turns, a.Total.Work.Input, len(requests))
			}
			want := map[string]Counts{"card": {ByModel: 1, ByPerson: 1, Delivered: 2}}
			if diff := cmp.Diff(want, used(a, want)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestTruth checks small sessions whose truth is known. Each case was once reported wrongly.
func TestTruth(t *testing.T) {
	result := func(text string) string {
		return sayHello + callCard + `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","is_error":true}]},"toolUseResult":"Error: ` + text + `"}` + "\n"
	}
	command := func(text string) string {
		return `{"type":"user","uuid":"x1","sessionId":"S","timestamp":"2026-11-16T09:00:00Z","message":{"content":"<command-name>/card</command-name>"}}` + "\n" +
			`{"type":"system","subtype":"local_command","uuid":"x2","content":"<local-command-stderr>` + text +
			`</local-command-stderr>"}` + "\n"
	}
	notice := `{"type":"user","message":{"content":"<task-notification>\n<task-id>a1</task-id></task-notification>"}}` + "\n"
	spawn := func(id, call string) string {
		return `{"type":"assistant","sessionId":"S","timestamp":"2026-11-16T09:00:05Z","message":{"id":"` + id +
			`","model":"claude-opus-5-5",` +
			`"usage":{"input_tokens":1000},"content":[{"type":"tool_use","id":"` + call + `","name":"Task","input":{}}]}}` + "\n"
	}
	side := func(uuid, parent, rest string) string {
		return `{"isSidechain":true,"uuid":"` + uuid + `","parentUuid":` + parent +
			`,"sessionId":"S","timestamp":"2026-11-16T09:00:06Z",` + rest + "}\n"
	}
	sideTurn := func(id string) string {
		return `"type":"assistant","message":{"id":"` + id + `","model":"claude-opus-5-5","usage":{"input_tokens":1000},"content":[]}`
	}
	sub := `{"type":"user","sessionId":"S","timestamp":"2026-11-16T09:00:06Z","isSidechain":true,"message":{"content":"do it"}}` + "\n"
	spawned := sayHello + callCard + gotCard + spawn("m2", "t1")
	for _, tt := range []struct {
		name  string
		files map[string]string
		card  Counts
		turns int // of card
		rest  int
	}{
		{"refused by a rule", map[string]string{"p/S.jsonl": result("Skill execution blocked by permission rules")},
			Counts{ByModel: 1, Refused: 1}, 0, 1},
		{"hidden", map[string]string{"p/S.jsonl": result("Skill card cannot be used with Skill tool due to disable-model-invocation. Ask the user.")},
			Counts{ByModel: 1, Refused: 1}, 0, 1},
		{"a page that no rule allows", map[string]string{"p/S.jsonl": result("Shell command permission check failed for pattern x: denied")},
			Counts{ByModel: 1, Failed: 1, Blocked: 1}, 0, 1},
		{"a command that says permission denied", map[string]string{"p/S.jsonl": result("Shell command failed for pattern x: [stderr]permission denied, rejected")},
			Counts{ByModel: 1, Failed: 1}, 0, 1},
		{"unknown", map[string]string{"p/S.jsonl": result("Unknown skill: card")}, Counts{ByModel: 1, Unknown: 1}, 0, 1},
		{"a person's page that no rule allows", map[string]string{"p/S.jsonl": command("Shell command permission check failed for pattern x")},
			Counts{ByPerson: 1, Failed: 1, Blocked: 1}, 0, 0},
		{"a person's page that fails", map[string]string{"p/S.jsonl": command("Shell command failed for pattern x: permission denied")},
			Counts{ByPerson: 1, Failed: 1}, 0, 0},
		{"after a notification", map[string]string{"p/S.jsonl": sayHello + callCard + gotCard +
			answer("m2", "") + notice + answer("m3", "")},
			Counts{ByModel: 1, Delivered: 1}, 2, 1},
		{"a subagent of a subagent", map[string]string{"p/S.jsonl": spawned,
			"p/S/subagents/agent-a1.jsonl": sub + spawn("m3", "t2"), "p/S/subagents/agent-a1.meta.json": `{"toolUseId":"t1"}`,
			"p/S/subagents/agent-a2.jsonl": sub + answer("m4", ""), "p/S/subagents/agent-a2.meta.json": `{"toolUseId":"t2"}`},
			Counts{ByModel: 1, Delivered: 1}, 3, 1},
		{"a flat file of a subagent", map[string]string{
			"p/S.jsonl":        spawned + `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]},"toolUseResult":{"agentId":"a1"}}` + "\n",
			"p/agent-a1.jsonl": sub + answer("m3", "")}, Counts{ByModel: 1, Delivered: 1}, 2, 1},
		{"a sidechain in the main file", map[string]string{"p/S.jsonl": spawned +
			side("s1", "null", `"type":"user","message":{"content":"do it"}`) +
			side("s2", `"s1"`, sideTurn("m3")) + side("s3", `"s2"`, sideTurn("m4"))},
			Counts{ByModel: 1, Delivered: 1}, 3, 1},
		{"a prompt that names a command", map[string]string{"p/S.jsonl": `{"type":"user","sessionId":"S","message":{"content":"why <command-name>/card</command-name>?"}}` + "\n" +
			`{"type":"user","isMeta":true,"message":{"content":[{"type":"text","text":"a hook's words"}]}}` + "\n" + answer("m1", "")},
			Counts{}, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := machine(t, tt.files)
			var card Skill
			for _, s := range a.Skills {
				if s.Name == "" {
					t.Error("a skill without a name")
				}
				if s.Name == "card" {
					card = s
				}
			}
			if diff := cmp.Diff(tt.card, card.Counts); diff != "" || card.Cost.Turns != tt.turns || a.Rest.Turns != tt.rest {
				t.Errorf("%d turns of card, %d of none, want %d and %d; -want +got:\n%s", card.Cost.Turns, a.Rest.Turns,
					tt.turns, tt.rest, diff)
			}
			if card.Counts.Fired() > 0 && card.Last.IsZero() {
				t.Error("it was called, and never")
			}
		})
	}
}

// TestAskedFor checks that Claude Code's record is matched by the requested model.
func TestAskedFor(t *testing.T) {
	for _, tt := range []struct{ asked, recorded string }{
		{`"requestedModel":"claude-haiku-4-5",`, "claude-haiku-4-5"}, {`"requestedModel":"claude-haiku-4-5[1m]",`, "claude-haiku-4-5[1m]"},
		{"", "claude-haiku-4-5"}, {`"requestedModel":"mine",`, "mine"},
	} {
		text := strings.ReplaceAll(sayHello+answer("m1", tt.asked), "claude-opus-5-5", "claude-haiku-4-5-20251001")
		a := machine(t, map[string]string{"p/S.jsonl": text +
			`{"type":"cost-state","sessionId":"S","modelUsage":{"` + tt.recorded + `":{"inputTokens":1000,"costUSD":0.0043}}}` + "\n"})
		if math.Abs(a.Total.Known()-0.0043) > 1e-12 || a.Total.Work.Input != 1000 || len(a.Unpriced) > 0 {
			t.Errorf("%s: $%v, %d tokens, want $0.0043 and 1000", tt.recorded, a.Total.Known(), a.Total.Work.Input)
		}
	}
}

// randomMachine creates sessions with forks, branches and copies. It returns their requests, and
// how often the skill was called.
func randomMachine(t *rapid.T, r *accountant) (requests map[string]Tokens, calls int) {
	requests = map[string]Tokens{}
	type line func(f *tally)
	var sessions [][]line
	for i := range rapid.IntRange(1, 6).Draw(t, "sessions") {
		name := fmt.Sprint("s", i)
		var lines []line
		copied := 0
		if len(sessions) > 0 && rapid.Bool().Draw(t, "copy") {
			of := rapid.SampledFrom(sessions).Draw(t, "of")
			lines = append(lines, of[:rapid.IntRange(0, len(of)).Draw(t, "lines")]...)
			copied = len(lines)
		}
		for j := range rapid.IntRange(0, 8).Draw(t, "own") {
			id := fmt.Sprint(name, "-", j)
			when := time.Date(2026, 11, 1, 0, 0, i*100+j, 0, time.UTC)
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				lines = append(lines, func(f *tally) { f.begin(when, id); f.prompt() })
			case 1:
				calls++
				u := drawTokens(t)
				u.Input++
				requests[id] = u
				lines = append(lines, func(f *tally) {
					f.begin(when, id)
					f.turn(keyOf(id), turn{Model: "claude-opus-5-5", Tokens: u})
					f.called(id, "card")
					f.finish(id, 400, "")
				})
			default:
				u := drawTokens(t)
				u.Input++
				requests[id] = u
				lines = append(lines, func(f *tally) { f.begin(when, id); f.turn(keyOf(id), turn{Model: "claude-opus-5-5", Tokens: u}) })
			}
		}
		sessions = append(sessions, lines)
		f := &tally{Agent: "claude", Session: name, Branch: copied > 0 && rapid.Bool().Draw(t, "said")}
		for _, l := range lines {
			l(f)
		}
		for k := range rapid.IntRange(1, 2).Draw(t, "folders") { // cp -r
			r.addTally(f, fmt.Sprint(name, k))
		}
	}
	return requests, calls
}

// TestSums checks that the account has each request and each call once, whatever was copied.
func TestSums(t *testing.T) {
	rapid.Check(t, sums)
}

// TestManySums runs the check of TestSums for 10,000 machines.
func TestManySums(t *testing.T) {
	test.Torture(t)
	for range 100 { // of 100 checks each
		rapid.Check(t, sums)
	}
}

func sums(t *rapid.T) {
	r := newAccountant(Options{})
	requests, calls := randomMachine(t, r)
	a := r.account()
	addsUp(t, a)
	var all Tokens
	for _, u := range requests {
		all = all.plus(u)
	}
	price, _ := claudecode.FindPrice("claude-opus-5-5")
	if got := a.Total.Text.plus(a.Total.Work); got != all || a.Total.Turns != len(requests) ||
		math.Abs(a.Total.Known()-costOf(all, price)) > 1e-9 {
		t.Errorf("%d turns of %+v, $%v; want %d of %+v", a.Total.Turns, got, a.Total.Known(), len(requests), all)
	}
	got := 0
	for _, s := range a.Skills {
		got += s.Counts.ByModel
		if s.Counts.Delivered != s.Counts.ByModel {
			t.Errorf("%+v", s.Counts)
		}
	}
	if got != calls {
		t.Errorf("%d calls, want %d", got, calls)
	}
}
