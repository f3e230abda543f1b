//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// A played model answers each prompt, by a word in it, with one answer a turn.
type played map[string][]fakeapi.Answer

func useSkill(names ...string) fakeapi.Message {
	var m fakeapi.Message
	for _, name := range names {
		m.Calls = append(m.Calls, fakeapi.Call{Name: "Skill", Input: map[string]string{"skill": name}})
	}
	return m
}

var (
	sayDone = fakeapi.Text("all done")
	glob    = fakeapi.Use("Glob", map[string]string{"pattern": "*"})
)

// A suiteTest is a suite that both runners are given, with the same model.
type suiteTest struct {
	args    []string                 // for claude plugin eval
	ours    []string                 // for skillhand try
	edit    func(text string) string // of the files of the cases
	play    played
	needs   []string          // programs that claude plugin eval grants Bash with
	differs map[string]string // case/arm whose scores differ: why theirs is false
}

const (
	noResult  = "counts calls, not their results"
	noVerdict = "scores a run without a verdict"
)

// suites are those of testdata/suites. A case that is not in differs has one score.
var suites = map[string]suiteTest{
	"situations": {
		edit: func(text string) string {
			if strings.Contains(text, "Q11") || strings.Contains(text, "Q15") {
				return text // these hang
			}
			return strings.ReplaceAll(text, "timeout_seconds: 8", "timeout_seconds: 90")
		},
		play: played{
			"Q01 ": {useSkill("demo:zebra-card"), sayDone}, "Q01b ": {useSkill("zebra-card"), sayDone}, "Q02 ": {glob, useSkill("demo:zebra-card"), sayDone},
			"Q04 ": {useSkill("demo:okapi"), sayDone}, "Q05 ": {useSkill("demo:okapi", "demo:zebra-card"), sayDone}, "Q06 ": {useSkill("zebra-cardx"), sayDone},
			"Q07 ": {useSkill("demo:zebra-card"), glob}, "Q08 ": {fakeapi.Status(429, "slow down")}, "Q09 ": {fakeapi.Status(500, "no")},
			"Q10 ": {fakeapi.Reset(sayDone)}, "Q11 ": {fakeapi.Hang()}, "Q12 ": {fakeapi.Text("I will use zebra-card. done")},
			"Q13 ": {useSkill("demo:zebra-card"), useSkill("demo:okapi"), sayDone}, "Q14 ": {sayDone}, "Q15 ": {useSkill("demo:zebra-card"), fakeapi.Hang()},
			"Q23 ": {fakeapi.Text("no")}, "Q25 ": {sayDone}, "Q27 ": {useSkill("demo:broken"), sayDone},
			"Q30 ": {useSkill("demo:zebra-card"), fakeapi.Status(529, "Overloaded")},
			"Q31 ": {glob, sayDone}, "Q32 ": {sayDone}, "Q35 ": {fakeapi.Status(400, "bad")}, "Q36 ": {useSkill("demo:dmi"), sayDone},
			"Q37 ": {useSkill("demo:allowed"), sayDone}, "Q38 ": {useSkill("demo:forked"), sayDone},
		},
		args: []string{"--ablation", "none"},
		differs: map[string]string{
			"Q06/with": noResult + ": unknown skill", "Q27/with": noResult + ": a directive was refused", "Q36/with": noResult + ": disable-model-invocation",
			"Q14/with": "does not see that the prompt delivered the skill",
			"Q08/with": noVerdict, "Q09/with": noVerdict, "Q10/with": noVerdict, "Q11/with": noVerdict, "Q15/with": noVerdict,
			"Q30/with": noVerdict, "Q35/with": noVerdict,
		},
	},
	"directives": {
		play: played{
			"Q70 ": {useSkill("demo:d-echo"), sayDone}, "Q71 ": {useSkill("demo:d-date"), sayDone}, "Q72 ": {useSkill("demo:d-git"), sayDone},
			"Q73 ": {useSkill("demo:d-allowed"), sayDone}, "Q74 ": {useSkill("demo:d-bash"), sayDone}, "Q75 ": {useSkill("demo:plain"), sayDone},
		},
		args: []string{"--ablation", "none"},
	},
	// The pattern in disallowed_tools keeps theirs from loading the case Q06, and ours from running the suite.
	"situations-2": {
		edit: func(text string) string {
			return strings.ReplaceAll(text, "disallowed_tools: ['Skill(demo:zebra-card)']\n", "")
		},
		play: played{
			"Q06 ": {sayDone}, "Q11 ": {fakeapi.Hang()}, "Q15 ": {useSkill("demo:zebra-card"), sayDone}, "Q23 ": {useSkill("demo:zebra-card"), glob},
			"Q27 ": {useSkill("demo:broken"), sayDone}, "Q31 ": {fakeapi.Message{Text: "and so on", Stop: "max_tokens"}}, "Q32 ": {sayDone},
			"Q35 ": {fakeapi.Status(400, "bad")}, "Q36 ": {useSkill("demo:dmi"), sayDone}, "Q37 ": {useSkill("demo:allowed"), sayDone},
			"Q38 ": {useSkill("demo:forked"), sayDone},
		},
		args: []string{"--ablation", "none"},
		differs: map[string]string{
			"Q27/with": noResult + ": a directive was refused", "Q36/with": noResult + ": disable-model-invocation",
			"Q11/with": noVerdict, "Q31/with": noVerdict, "Q35/with": noVerdict,
		},
	},
	// Theirs has the calls, and none of the skills was delivered; ours has the skills delivered.
	"directives-bash-granted": {
		needs: []string{"bwrap", "socat"},
		play: played{
			"Q70 ": {useSkill("demo:d-echo"), sayDone}, "Q71 ": {useSkill("demo:d-date"), sayDone}, "Q72 ": {useSkill("demo:d-git"), sayDone},
			"Q73 ": {useSkill("demo:d-allowed"), sayDone}, "Q74 ": {useSkill("demo:d-bash"), sayDone}, "Q75 ": {useSkill("demo:plain"), sayDone},
		},
		args: []string{"--ablation", "none", "--allow-tools", "Bash"}, ours: []string{"--allowed-tool", "Bash"},
	},
	"arms-history-peek": {
		play: played{
			"Q70 ": {sayDone}, "Q71 ": {sayDone}, "Q72 ": {sayDone}, "Q73 ": {useSkill("demo:zebra-card"), sayDone}, "Q74 ": {useSkill("demo:zebra-card"), sayDone},
		},
		ours: []string{"--baseline"},
		differs: map[string]string{
			"both/without": noResult + ": unknown skill", "only/without": noResult + ": unknown skill",
		},
	},
	"skill-folder":    {play: played{"Q90 ": {useSkill("lone"), sayDone}}, args: []string{"--ablation", "none"}},
	"time-out-passes": {play: played{"Q95 ": {fakeapi.Hang()}}, args: []string{"--ablation", "none"}, differs: map[string]string{"a/with": noVerdict}},
	"api-error-threshold-0": {
		play:    played{"Q95 ": {sayDone}, "Q96 ": {fakeapi.Status(500, "no")}},
		args:    []string{"--ablation", "none"},
		differs: map[string]string{"b/with": noVerdict},
	},
	"two-cases": {
		edit: func(text string) string { return strings.ReplaceAll(text, "max: 0", "min: 0, max: 0") },
		play: played{"Q01 ": {useSkill("demo:zebra-card"), fakeapi.Text("Dear Ada")}, "Q02 ": {fakeapi.Text("nothing")}},
		ours: []string{"--baseline"},
	},
	"graders": {
		play: played{"Q50 ": {
			fakeapi.Use("Read", map[string]string{"file_path": "note.txt"}), fakeapi.Use("Write", map[string]string{"file_path": "out.txt", "content": "hello Ada"}),
			fakeapi.Use("Bash", map[string]string{"command": "echo hi", "description": "d"}), fakeapi.Text("all done, written"),
		}},
		args: []string{"--ablation", "none", "--scaffold", "--allow-tools", "Write"}, ours: []string{"--scaffold", "--allowed-tool", "Write"},
	},
	"judges-and-runs": {
		play:    played{"Q90 ": {sayDone}, "Q91": {sayDone}, "Q92 ": {useSkill("demo:zebra-card"), sayDone}, "Q93 ": {sayDone}},
		args:    []string{"--ablation", "none"},
		differs: map[string]string{"x1/with": "a judge that was refused fails the grader"},
	},
}

// judge plays the judges of both programs: two of three votes are yes.
func judge(q *fakeapi.Request, nth int) fakeapi.Answer {
	if q.Count("JUDGE429") > 0 {
		return fakeapi.Status(429, "slow")
	}
	yes := nth%3 != 2
	if q.HasTool("StructuredOutput") {
		if len(q.Results()) > 0 {
			return fakeapi.Text("ok")
		}
		return fakeapi.Use("StructuredOutput", map[string]any{"yes": yes, "reason": "because"})
	}
	return fakeapi.Text(map[bool]string{true: "PASS", false: "FAIL"}[yes])
}

// serve plays a model.
func (p played) serve(api *fakeapi.API) {
	votes := map[string]int{}
	api.Handle(func(q *fakeapi.Request) fakeapi.Answer {
		for _, word := range []string{"CRITERIAWORD", "CRITERIATRACE", "CRITERIAFILES", "CRITERIABASE", "CRIT1", "JUDGE429", "JUDGEPROSE"} {
			if strings.Contains(string(q.Body), word) {
				answer := judge(q, votes[word])
				if len(q.Results()) == 0 {
					votes[word]++
				}
				return answer
			}
		}
		turn := 0
		for _, m := range q.Messages {
			turn += strings.Count(m.Role, "assistant")
		}
		for _, word := range slices.Sorted(maps.Keys(p)) {
			if q.Count(word) > 0 {
				if q.Count("HISTA") > 0 {
					turn--
				}
				return p[word][min(max(turn, 0), len(p[word])-1)]
			}
		}
		return sayDone
	})
}

// An evalResult is what both runners write.
type evalResult struct {
	Cases []struct {
		Name string
		Arms map[string][]struct {
			Score   *float64
			Error   *string
			Graders []struct {
				Name, Explanation string
				Passed            bool
			}
		}
	}
}

// scores are those of each case and arm, by run, with what the graders said.
func (r *evalResult) scores() (scores, why map[string]string) {
	scores, why = map[string]string{}, map[string]string{}
	for _, c := range r.Cases {
		for arm, runs := range c.Arms {
			key := c.Name + "/" + arm
			for _, run := range runs {
				text := "none"
				if run.Score != nil {
					text = fmt.Sprintf("%.3f", *run.Score)
				}
				scores[key] += text + " "
				if run.Error != nil {
					why[key] += *run.Error + "; "
				}
				for _, g := range run.Graders {
					why[key] += fmt.Sprintf("%s %v (%s); ", g.Name, g.Passed, g.Explanation)
				}
			}
		}
	}
	return scores, why
}

// TestSuites gives suites and a model to claude plugin eval and to skillhand try. Each score is the
// same, or theirs is false in a way that is known.
func TestSuites(t *testing.T) {
	t.Parallel()
	test.Real(t)
	for _, name := range slices.Sorted(maps.Keys(suites)) {
		t.Run(name, func(t *testing.T) { testSuite(t, name, suites[name]) })
	}
}

func testSuite(t *testing.T, name string, s suiteTest) {
	for _, program := range s.needs {
		if _, err := exec.LookPath(program); err != nil {
			test.Lacking(t, err)
		}
	}
	api := fakeapi.New(t)
	c := realclaude.New(t, api)
	root := filepath.Join(c.Project, "suite")
	if err := os.CopyFS(root, os.DirFS(filepath.Join("testdata/suites", name))); err != nil {
		t.Fatal(err)
	}
	if s.edit != nil {
		editFiles(t, root, s.edit)
	}
	target := root
	if name == "skill-folder" {
		target = filepath.Join(root, ".claude", "skills", "lone")
	}
	s.play.serve(api)
	theirFile := filepath.Join(t.TempDir(), "theirs.json")
	c.Env = []string{"CLAUDE_CODE_MAX_RETRIES=0"}
	out := c.Run(append([]string{
		"plugin", "eval", target, "--trust-plugin", "--no-publish", "-j", "3", "--json", theirFile, "--output-dir", t.TempDir(),
	}, s.args...)...)
	var theirs, ours evalResult
	text, err := os.ReadFile(theirFile)
	if err == nil {
		err = json.Unmarshal(text, &theirs)
	}
	if err != nil {
		t.Fatalf("%v: %s %s", err, out.Stdout, out.Stderr)
	}
	s.play.serve(api)
	cmd := exec.Command(filepath.Join(bin, "skillhand"),
		append([]string{"try", target, "--report-as", "plugin-eval", "--retries", "0", "-j", "3", "--claude", realclaude.Program(t)}, s.ours...)...)
	cmd.Dir = c.Project
	cmd.Env = []string{
		"HOME=" + c.Home, "PATH=" + os.Getenv("PATH"), "SKILLHAND_STATE_DIR=" + t.TempDir(), "TMPDIR=" + t.TempDir(), "SKILLHAND_TRUST=all",
		"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-key", "CLAUDE_CODE_MAX_RETRIES=0", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	text, err = cmd.Output()
	if jsonErr := json.Unmarshal(text, &ours); jsonErr != nil {
		t.Fatalf("%v, %v: %s %s", err, jsonErr, text, errs.String())
	}
	compareScores(t, s, &theirs, &ours)
}

func editFiles(t *testing.T, root string, edit func(string) string) {
	t.Helper()
	for _, pattern := range []string{"evals/*/prompt.md", "evals/*/case.yaml"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, []byte(edit(string(text))), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func compareScores(t *testing.T, s suiteTest, theirs, ours *evalResult) {
	t.Helper()
	a, whyA := theirs.scores()
	b, whyB := ours.scores()
	for _, key := range slices.Sorted(maps.Keys(a)) {
		differs, known := a[key] != b[key], s.differs[key] != ""
		if differs != known {
			t.Errorf("%s: claude plugin eval %s(%s), skillhand try %s(%s); known to differ: %v", key, a[key], whyA[key], b[key], whyB[key], known)
		}
	}
	if len(a) != len(b) {
		t.Errorf("claude plugin eval has %v, skillhand try %v", slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	}
	t.Logf("%d scores, %d differ, each as known", len(a), len(s.differs))
}
