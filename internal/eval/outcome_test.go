package eval

import (
	"strings"
	"testing"
)

// read reads a transcript for TestRead, whose streams follow the events of the real CLI.
func read(text string, names ...string) Reading {
	s := &stream{}
	for _, line := range strings.SplitAfter(text, "\n") {
		if e := decodeEvent([]byte(line)); e != nil {
			s.event(e)
		}
	}
	return s.reading(names)
}

func TestRead(t *testing.T) {
	const (
		init   = `{"type":"system","subtype":"init","skills":["greet"]}`
		ok     = `{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"hello","total_cost_usd":0.5,"usage":{"input_tokens":2,"output_tokens":3,"cache_read_input_tokens":5}}`
		launch = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"ID","content":"Launching skill: NAME"}]},"tool_use_result":{"success":true,"commandName":"NAME"}}`
		body   = `{"type":"user","message":{"content":[{"type":"text","text":"Base directory for this skill: /x/skills/NAME\n\nBODY"}]},"isSynthetic":true}`
	)
	use := func(id, name string) string {
		return `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"` + id +
			`","name":"Skill","input":{"skill":"` + name + `"}}]}}`
	}
	of := func(line, id, name string) string {
		return strings.NewReplacer("ID", id, "NAME", name).Replace(line)
	}
	below := func(line string) string { return strings.Replace(line, `{`, `{"parent_tool_use_id":"agent",`, 1) }
	fail := func(subtype, rest string) string {
		return `{"type":"result","subtype":"` + subtype + `","num_turns":2,` + rest + `}`
	}
	greet := []string{use("a", "greet"), of(launch, "a", "greet"), of(body, "a", "greet")}
	other := []string{use("b", "other"), of(launch, "b", "other"), of(body, "b", "other")}
	join := func(parts ...any) string {
		var lines []string
		for _, p := range parts {
			switch p := p.(type) {
			case string:
				lines = append(lines, p)
			case []string:
				lines = append(lines, p...)
			}
		}
		return strings.Join(lines, "\n") + "\n"
	}
	bash := `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"x","name":"Bash","input":{"command":"ls \"Skill\""}}]}}` + "\n" +
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"\"Skill\" \"result\""}]}}`
	for _, tt := range []struct {
		name, stream string
		want         Outcome
		skills       string
	}{
		{"fired", join(init, greet, ok), Fired, "greet"},
		{"after Bash and another", join(init, bash, other, greet, ok), Fired, "other greet"},
		{"another", join(init, bash, other, ok), Other, "other"},
		{"another after it", join(init, greet, other, ok), Fired, "greet other"},
		{"none", join(init, bash, ok), None, ""},
		{"called, refused", join(init,
			use("a", "greet"),
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"<tool_use_error>Unknown skill: greet</tool_use_error>"}]},`+
				`"tool_use_result":"Error: Unknown skill: greet"}`,
			ok), Called, ""},
		{"called, refused, called again", join(init, use("x", "greet"),
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","is_error":true,"content":"not now"}]}}`, greet, ok), Fired, "greet"},
		{"below a subagent", join(init, below(greet[0]), below(greet[1]), ok), Fired, "greet"},
		{"below a subagent, refused", join(init, below(greet[0]), below(strings.Replace(greet[1], "true", "false", 1)), ok), Called, ""},
		{"below a subagent, without a word of success", join(init,
			below(greet[0]),
			`{"type":"user","parent_tool_use_id":"agent","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"Launching skill: greet"}]}}`,
			ok), Called, ""},
		{"below a subagent, another", join(init, below(other[0]), below(other[1]), ok), Other, "other"},
		{"called, no answer", join(init, use("a", "greet"), ok), Called, ""},
		{"launched, no text", join(init, greet[:2], ok), Called, ""},
		{"launched, the text of another", join(init, greet[:2], other, ok), Called, "other"},
		{"not a success", join(init, use("a", "greet"), strings.Replace(of(launch, "a", "greet"), "true", "false", 1),
			of(body, "a", "greet"), ok), Called, ""},
		{"two at once", join(init, use("a", "greet"), use("b", "other"), other[1:], greet[1:], ok), Fired, "greet other"},
		{"by its full name", join(init, use("a", "plug:greet"), of(launch, "a", "plug:greet"), of(body, "a", "greet"), ok), Fired,
			"plug:greet"},
		{"a command, no base line", join(init, greet[:2], `{"type":"user","message":{"content":[{"type":"text","text":"BODY"}]}}`,
			ok), Fired, "greet"},
		{"a slash before its name", join(init,
			use("a", "/greet"),
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"Launching skill: greet"}]}}`,
			of(body, "a", "greet"), ok), Fired, "greet"},
		{"forked", join(init, use("a", "greet"), `{"type":"user","parent_tool_use_id":"a","message":{"content":[{"type":"text","text":"BODY"}]}}`,
			of(launch, "a", "greet"), ok), Fired, "greet"},
		{"no result", join(init, greet), Void, "greet"},
		{"torn", join(init, greet) + ok[:40], Void, "greet"},
		{"empty", "", Void, ""},
		{"no events", "Error: something\n", Void, ""},
		{"an error that is called a success", join(init, fail("success", `"is_error":true,"result":"API Error: 429"`)), Void, ""},
		{"stopped", join(init, greet, fail("error_during_execution", `"is_error":true`)), Void, "greet"},
		{"the model was not asked", join(init, `{"type":"result","subtype":"success","is_error":false,"num_turns":0}`), Void, ""},
		{"turns used up", join(init, fail("error_max_turns", `"is_error":true,"errors":["Reached maximum number of turns (2)"]`)),
			None, ""},
		{"refused", join(init, greet, fail("success", `"is_error":true,"stop_reason":"refusal"`)), Fired, "greet"},
		{"the last result counts", join(init, fail("success", `"is_error":true`), greet, ok), Fired, "greet"},
		{"odd fields", join(`{"type":7}`, `[]`,
			`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Skill","id":7,"input":"greet"}]}}`, ok), None, ""},
	} {
		r := read(tt.stream, "greet", "plug:greet")
		if r.Outcome != tt.want || strings.Join(r.Skills, " ") != tt.skills {
			t.Errorf("%s: %s %q (%s), want %s %q", tt.name, r.Outcome, r.Skills, r.Why, tt.want, tt.skills)
		}
		if tt.want == Void && r.Why == "" {
			t.Errorf("%s: void without a reason", tt.name)
		}
	}
	refused := func(content string) string {
		return use("a", "greet") + "\n" + `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":` + content + `}]}}`
	}
	for _, tt := range []struct{ name, stream, want string }{
		{"a text", join(init, refused(`"<tool_use_error>Unknown skill: greet</tool_use_error>"`), ok), "Unknown skill: greet"},
		{"blocks", join(init, refused(`[{"type":"text","text":"Execute skill: greet"}]`), other, ok), "Execute skill: greet"},
		{"no answer", join(init, use("a", "greet"), ok), "nothing"},
		{"it fired afterwards", join(init, strings.ReplaceAll(refused(`"no"`), `"a"`, `"x"`), greet, ok), ""},
		{"another", join(init, use("b", "other"), ok), ""},
	} {
		if r := read(tt.stream, "greet"); r.Refused != tt.want {
			t.Errorf("refused, %s: %q, want %q", tt.name, r.Refused, tt.want)
		}
	}
	r := read(join(init, greet, ok), "greet")
	if r.Answer != "hello" || r.CostUSD != 0.5 || r.Tokens != 10 {
		t.Errorf("%+v", r)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"Skill","input":{"skill":"greet"}}]}}` +
		"\n" + `{"type":"result","subtype":"success","num_turns":1}`)
	f.Fuzz(func(t *testing.T, stream string) {
		r := read(stream, "greet")
		if r.Outcome == "" || r.Outcome == Void && r.Why == "" {
			t.Errorf("%+v", r)
		}
	})
}

func TestCalled(t *testing.T) {
	s := &Subject{Names: Names{"card", "plug:card"}}
	for _, tt := range []struct {
		prompt, rest string
		called       bool
	}{
		{"/card Ada", "Ada", true}, {" /plug:card\nfor Ada\n and Bob", "for Ada\n and Bob", true}, {"/card", "", true},
		{"/cards Ada", "Ada", false}, {"card Ada", "Ada", false}, {"use /card", "/card", false}, {"", "", false},
	} {
		if rest, called := s.called(tt.prompt); rest != tt.rest || called != tt.called {
			t.Errorf("called(%q) = %q, %v, want %q, %v", tt.prompt, rest, called, tt.rest, tt.called)
		}
	}
}
