package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
)

// TestChecks checks which checks hold in a folder with a few files.
func TestChecks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"card.txt": "Dear Ada", "empty": "", "card.json": `{"people":[{"name":"Ada","age":36,"a.b":[true,null]}]}`, "bad.json": "{",
		"sub/x": "x", "out.txt": `log
{"success":true,"confidence":0.9,"deliverables":[],"errors":[],"metrics":{}}`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("Ada"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	at := scene{dir: dir, env: os.Environ(), answer: "All done: 3 cards"}
	for _, tt := range []struct{ check, why string }{
		{"{file: card.txt}", ""},
		{"{file: sub}", ""},
		{"{file: empty}", ""},
		{"{file: gone}", "gone does not exist"},
		{"{file: sub, contains: x}", "sub is not a file"},
		{"{file: link, contains: Ada}", "link: statat link: path escapes from parent"},
		{"{file: card.txt, contains: Ada}", ""},
		{"{file: card.txt, contains: Bob}", `card.txt does not contain "Bob"`},
		{"{file: card.txt, contains: Ada, matches: '^Dear'}", ""},
		{"{file: card.txt, matches: '^Ada'}", "card.txt does not match ^Ada"},
		{"{contains: 3 cards}", ""},
		{"{contains: 4 cards}", `the answer does not contain "4 cards"`},
		{"{answer: '\\d cards$'}", ""},
		{"{answer: nope}", "the answer does not match nope"},
		{"{file: card.json, json: 'people[0].name', value: Ada}", ""},
		{"{file: card.json, json: $.people.0.age, value: 36}", ""},
		{"{file: card.json, json: 'people[0][\"a.b\"]', value: [true, null]}", ""},
		{"{file: card.json, json: 'people[0].name'}", ""},
		{"{file: card.json, json: 'people[1].name'}", "card.json has no people[1].name"},
		{"{file: card.json, json: people.name}", "card.json has no people.name"},
		{"{file: card.json, json: 'people[0].age', value: '36'}", `card.json has people[0].age = 36, want "36"`},
		{"{file: card.json, json: 'people[0].name', value: null}", `card.json has people[0].name = "Ada", want null`},
		{"{file: card.json, json: {path: 'people[0][\"a.b\"].1', value: null}}", ""},
		{"{file: bad.json, json: a}", "bad.json is no JSON: unexpected end of JSON input"},
		{"{report: out.txt}", ""},
		{"{report: card.txt}", "card.txt holds no report"},
		{"{report: true}", "the answer holds no report"},
		{"{command: 'test -s card.txt && test \"$(pwd)\" = \"$PWD\"'}", ""},
		{"{command: 'echo why >&2; exit 3'}", "exit status 3\nwhy"},
	} {
		cases, err := ParseCases("x.yaml", dir, []byte("cases: [{prompt: p, checks: ["+tt.check+"]}]"))
		if err != nil {
			t.Errorf("%s: %v", tt.check, err)
			continue
		}
		r := cases[0].Checks[0].run(t.Context(), at)
		if r.OK == nil || *r.OK != (tt.why == "") || !strings.HasPrefix(r.Why, tt.why) {
			t.Errorf("%s: %v %q, want %q", tt.check, r.OK, r.Why, tt.why)
		}
		if gone := cases[0].Checks[0]; gone.File != "" || gone.Command != "" {
			if r := gone.run(t.Context(), scene{}); r.OK != nil || r.Why == "" {
				t.Errorf("%s: in a folder that is gone: %v %q", tt.check, r.OK, r.Why)
			}
		}
	}
}

// TestCopy checks that no link in a copy leads back to the original.
func TestCopy(t *testing.T) {
	src, out := t.TempDir(), t.TempDir()
	write := func(file, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, from string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(src, from)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(src, "a/run.sh"), "#!")
	write(filepath.Join(out, "file"), "outside")
	write(filepath.Join(out, "dir/deep"), "deep")
	link("a/run.sh", "within")
	link(filepath.Join(src, "a/run.sh"), "absolute")
	link(filepath.Join(out, "file"), "file")
	link(filepath.Join(out, "dir"), "dir")
	dst := filepath.Join(t.TempDir(), "copy")
	if err := copyTree(src, dst, nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a/run.sh": "#!", "within": "#!", "absolute": "#!", "file": "outside", "dir/deep": "deep"} {
		file := filepath.Join(dst, name)
		if text, err := os.ReadFile(file); err != nil || string(text) != want {
			t.Errorf("%s: %s, %v", name, text, err)
		}
		if real := files.Real(file); !strings.HasPrefix(real, files.Real(dst)) {
			t.Errorf("%s leads to %s", name, real)
		}
	}
	if info, err := os.Stat(filepath.Join(dst, "a/run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for name, make := range map[string]func(){
		"a broken link":        func() { link(filepath.Join(out, "gone"), "nowhere") },
		"links form a cycle":   func() { link("..", "up"); link(src, "self") },
		"repository elsewhere": func() { write(filepath.Join(src, "sub/.git"), "gitdir: /elsewhere") },
	} {
		src = t.TempDir()
		make()
		if err := copyTree(src, filepath.Join(t.TempDir(), "x"), nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEnvironment checks that a trial has the variables that the CLI needs, and none that identify
// the user.
func TestEnvironment(t *testing.T) {
	got := trialEnv(here.Env{
		"PATH=/bin", "HOME=/me", "SSH_AUTH_SOCK=/s", "ANTHROPIC_API_KEY=k", "CLAUDE_CONFIG_DIR=/c", "CLAUDE_CODE_USE_BEDROCK=1",
		"MINE=1", "ALSO=1", "LC_ALL=C",
	},
		folders{home: "/h", temp: "/t", project: "/p", state: "/s"}, []string{"ALSO"})
	want := "PATH=/bin ANTHROPIC_API_KEY=k CLAUDE_CODE_USE_BEDROCK=1 ALSO=1 LC_ALL=C HOME=/h " +
		"USERPROFILE=/h TMPDIR=/t PWD=/p SKILLHAND_STATE_DIR=/s DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"
	if strings.Join(got, " ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestFileName checks that no two names share a file and that no name leaves its folder.
func TestFileName(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{
		"a", "a b", "a-b", "../a", "", ".", "..", "ä", "ö", strings.Repeat("x", 100), strings.Repeat("x", 101), "CON~1", "a/b", "A",
		"Ä",
	} {
		got := fileName(name)
		if got != strings.ToLower(got) || seen[got] != "" || !filepath.IsLocal(got) || strings.ContainsAny(got, `/\`) || got == "." {
			t.Errorf("fileName(%q) = %q, as is that of %q", name, got, seen[got])
		}
		seen[got] = name + "!"
	}
}

// TestSum checks that one failed check is a failure, even if other checks are unknown.
func TestSum(t *testing.T) {
	yes, no := true, false
	show := func(ok *bool) string {
		if ok == nil {
			return "?"
		}
		return fmt.Sprint(*ok)
	}
	for _, tt := range []struct {
		checks []*bool
		want   string
	}{
		{nil, "?"},
		{[]*bool{&yes}, "true"},
		{[]*bool{&yes, &no}, "false"},
		{[]*bool{nil}, "?"},
		{[]*bool{&yes, nil}, "?"},
		{[]*bool{nil, &yes}, "?"},
		{[]*bool{&no, nil}, "false"},
		{[]*bool{nil, &no}, "false"},
	} {
		trial := Trial{Checks: []CheckResult{{Judge: true, OK: &no}}}
		for _, ok := range tt.checks {
			trial.Checks = append(trial.Checks, CheckResult{OK: ok})
		}
		if trial.sum(); show(trial.Passed) != tt.want {
			t.Errorf("sum of %d checks = %s, want %s", len(tt.checks), show(trial.Passed), tt.want)
		}
	}
}

// TestUnasked checks that a judge that nobody wanted is not missed, and that a judge without an
// answer is.
func TestUnasked(t *testing.T) {
	for _, unasked := range []bool{true, false} {
		c := CheckResult{Check: "it is kind", Judge: true, Unasked: unasked, Why: "no answer"}
		a := summarizeArm(With, []Trial{{Arm: With, Outcome: Fired, Checks: []CheckResult{c}},
			{Arm: With, Outcome: Fired, Checks: []CheckResult{c}}})
		var want []Unjudged
		if !unasked {
			want = []Unjudged{{Check: c.Check, Why: c.Why, Trials: 2}}
		}
		if !slices.Equal(a.Unjudged, want) {
			t.Errorf("unasked %v: %v, want %v", unasked, a.Unjudged, want)
		}
	}
}

// TestMinimums checks that a minimum with nothing to count is not met.
func TestMinimums(t *testing.T) {
	counted := SkillSummary{Skill: "a", Fired: NewRate(9, 10), Passed: NewRate(9, 10)}
	plain := SkillSummary{Skill: "b", Fired: NewRate(9, 10)}
	gone := SkillSummary{Skill: "c", Fired: NewRate(9, 10),
		Cases: []CaseSummary{{Arms: []ArmSummary{{Arm: With, Unjudged: []Unjudged{{Check: "x"}}}}}}}
	for _, tt := range []struct {
		skills      []SkillSummary
		fired, pass float64
		want        string
	}{
		{[]SkillSummary{counted}, 0.8, 0.8, ""},
		{[]SkillSummary{counted, plain}, 0.8, 0.8, ""},
		{[]SkillSummary{plain}, 0.8, 0, ""},
		{[]SkillSummary{plain}, 0, 0.8, "no check to count, want 80 % of them to pass"},
		{[]SkillSummary{counted, gone}, 0, 0.8, "c: no check could be judged, want 80 % of them to pass"},
		{[]SkillSummary{{Skill: "d"}}, 0.8, 0, "no trial to count, want the skill to fire in 80 % of them"},
		{[]SkillSummary{{Skill: "d"}}, 0, 0, ""},
	} {
		s := Summary{Skills: tt.skills}
		s.Require(Minimums{Fired: tt.fired, Pass: tt.pass, FiredGiven: true, PassGiven: true})
		if got := strings.Join(s.Uncounted, "; "); got != tt.want || s.OK != (tt.want == "") {
			t.Errorf("%d skills, minimums %v and %v: %q, ok %v, want %q", len(tt.skills), tt.fired, tt.pass, got, s.OK, tt.want)
		}
	}
}

// TestVotes checks that two equal votes of a judge decide, without a third vote.
func TestVotes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		votes string
		want  bool
		asked int
	}{{"yy", true, 2}, {"nn", false, 2}, {"yny", true, 3}, {"ynn", false, 3}} {
		asked := 0
		s := scene{answer: "a", judge: func(context.Context, string) (bool, string, error) {
			asked++
			return tt.votes[asked-1] == 'y', "because", nil
		}}
		var r CheckResult
		got, _, err := (&Grader{Type: llmGrader, Criteria: "good?"}).grade(t.Context(), &s, &r)
		if got != tt.want || asked != tt.asked || err != nil || len(r.Votes) != tt.asked {
			t.Errorf("%s: %v after %d votes, %v", tt.votes, got, asked, err)
		}
	}
}

// TestJudgeSaysNo checks that a suite fails if its judge says no, whatever else holds.
func TestJudgeSaysNo(t *testing.T) {
	yes, no := true, false
	for _, said := range []*bool{&yes, &no} {
		trial := Trial{Skill: "s", Case: "c", Arm: With, Run: 1, Fires: true, Outcome: Fired,
			Checks: []CheckResult{{Check: "judge: kind?", OK: said, Judge: true}}}
		sum := Summarize([]*Subject{{Name: "s", Cases: []Case{{ID: "c", Fires: true}}}}, []Trial{trial}, nil)
		if sum.Require(Minimums{Fired: 1, Pass: 1}); sum.OK != *said || (trial.Class() == "good") != *said ||
			sum.decides(Minimums{Fired: 1, Pass: 1}) == *said {
			t.Errorf("said %v: ok %v, %s, %q", *said, sum.OK, trial.Class(), sum.Below)
		}
	}
}

// TestGraderConfig checks that a report shows the fields of a grader as claude plugin eval does,
// with defaults.
func TestGraderConfig(t *testing.T) {
	dir := t.TempDir()
	text := `{schema_version: "1.1", name: c, execution: {prompt: p}, graders: [
  {name: a, type: regex, pattern: x, match: "count:2"}, {name: b, type: tool_used, tool: Read, max: 3}, {name: d, type: file_exists, path: out.txt},
  {name: e, type: tool_order, before: Read, after: {tool: Write, input_match: out}}, {name: f, type: llm, criteria: good}]}`
	if err := os.WriteFile(filepath.Join(dir, "case.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := readSuite(dir, dir, map[string]bool{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, check := range c.clone().Checks { // as in a packed Bundle
		config, _ := json.Marshal(check.evalGrader().Config)
		got = append(got, string(config))
	}
	want := []string{
		`{"flags":"","match":"count:2","pattern":"x","target":"last_message"}`, `{"max":3,"tool":"Read"}`,
		`{"exists":true,"path":"out.txt"}`,
		`{"after":{"input_match":"out","tool":"Write"},"before":{"tool":"Read"}}`, `{"criteria":"good","focus":"last_message"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
