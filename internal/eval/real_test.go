//go:build unix

package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
	"github.com/skillhand/skillhand/internal/trust"
)

// A stage is a user with a project, a skill in the project, and the real CLI, which asks a Messages
// API that plays the model.
type stage struct {
	eval.Options
	t       *testing.T
	api     *fakeapi.API
	project string
	subject *eval.Subject
}

// A script maps a word in the prompt to the model's moves, one for each turn.
type script map[string][]move

// A move returns an answer, which may depend on the attempt at the trial, from 0.
type move func(attempt int) fakeapi.Answer

func say(a fakeapi.Answer) move { return func(int) fakeapi.Answer { return a } }

func skillCall(name string) move { return say(fakeapi.Use("Skill", map[string]string{"skill": name})) }

func bash(command string) move {
	return say(fakeapi.Use("Bash", map[string]string{"command": command}))
}

var done = say(fakeapi.Text("done"))

// The skill under test. Its words occur nowhere else.
const (
	zebra = "---\nname: zebra-card\ndescription: Writes zebracards for visitors.\n---\nZEBRABODY Write the card.\n"
	okapi = "---\nname: okapi\ndescription: Draws a card for a person.\n---\nOKAPIBODY Draw.\n"
)

func newStage(t *testing.T, cases string, play script, files map[string]string) *stage {
	t.Helper()
	t.Parallel()
	api := fakeapi.New(t)
	c := realclaude.New(t, api)
	var mu sync.Mutex
	sessions := map[string][]string{} // by word
	api.Handle(func(q *fakeapi.Request) fakeapi.Answer {
		for _, word := range slices.Sorted(maps.Keys(play)) {
			answers := play[word]
			if q.Count(word) == 0 {
				continue
			}
			turn := 0
			for _, m := range q.Messages {
				if m.Role == "assistant" {
					turn++
				}
			}
			mu.Lock()
			if !slices.Contains(sessions[word], q.Session) {
				sessions[word] = append(sessions[word], q.Session)
			}
			attempt := slices.Index(sessions[word], q.Session)
			mu.Unlock()
			return answers[min(turn, len(answers)-1)](attempt)
		}
		return nil
	})
	for name, text := range files {
		c.Write(name, text)
	}
	skills := ".claude/skills"
	if files["plug/.claude-plugin/plugin.json"] != "" {
		skills = "plug/skills"
	}
	c.Write(skills+"/zebra-card/SKILL.md", zebra)
	c.Write(skills+"/zebra-card/evals/cases.yaml", cases)
	s := &stage{t: t, api: api, project: c.Project}
	s.Runtime = skillhand.Runtime{
		Here: here.Here{Dir: c.Project, State: t.TempDir(), Env: here.Env{
			"HOME=" + c.Home, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-key",
			"CLAUDE_CODE_MAX_RETRIES=0", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "MY_SECRET_PLACE=" + c.Project,
		}},
		Claude: claude.Client{Path: realclaude.Program(t), Timeout: 3 * time.Minute},
	}
	h, err := s.Runtime.Complete()
	if err != nil {
		t.Fatal(err)
	}
	loc, err := h.Finder().Find(filepath.Join(c.Project, skills, "zebra-card"))
	if err != nil {
		t.Fatal(err)
	}
	if s.subject, err = eval.NewSubject(loc); err != nil {
		t.Fatal(err)
	}
	if err = s.subject.FindCases(nil); err != nil {
		t.Fatal(err)
	}
	s.Jobs = 2
	return s
}

// alone makes only this process make the trials, in its own database.
func (s *stage) alone() {
	s.Batch.Open = func(ctx context.Context) (*batch.DB, error) {
		return batch.Open(ctx, batch.Options{Database: filepath.Join(s.t.TempDir(), "batch.db")})
	}
	s.Runtime.Warn = func(text string) { s.t.Log(text) }
}

// run makes the trials and returns them by case and arm.
func (s *stage) run() (*eval.Summary, map[string]eval.Trial) {
	s.t.Helper()
	results, err := eval.OpenResultsAt(filepath.Join(s.t.TempDir(), "results"), "plan")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(results.Close)
	s.Results = results
	s.alone()
	trials := map[string]eval.Trial{}
	s.OnTrial = func(t eval.Trial, _ bool) { trials[t.Case+" "+string(t.Arm)] = t }
	summary, err := eval.Run(s.t.Context(), s.Options, []*eval.Subject{s.subject})
	if err != nil {
		s.t.Fatal(err)
	}
	return summary, trials
}

// session returns the session of a trial.
func (s *stage) session(t eval.Trial) string {
	s.t.Helper()
	text, err := os.ReadFile(t.Transcript)
	if err != nil {
		s.t.Fatal(err)
	}
	var init struct {
		Session string `json:"session_id"`
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if err := json.Unmarshal(first, &init); err != nil || init.Session == "" {
		s.t.Fatalf("%s: %v", first, err)
	}
	return init.Session
}

// everything returns each file below the folders with its content.
func everything(t *testing.T, dirs ...string) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			b.WriteString(path + "\n" + string(text) + "\n")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestRealBelow checks that a skill has fired if a foreground subagent loads it, or if it is loaded
// inside a fork.
func TestRealBelow(t *testing.T) {
	s := newStage(t, `cases:
  - {id: agent, prompt: SENDS please}
  - {id: fork, prompt: FORKS please, files: box}
`, script{
		"SENDS": {say(fakeapi.Use("Agent", map[string]any{
			"subagent_type": "general-purpose", "prompt": "DELEGATED go", "description": "d", "run_in_background": false,
		})), done},
		"DELEGATED": {skillCall("zebra-card"), done},
		"FORKS":     {skillCall("okapi"), done},
		"OKAPIBODY": {skillCall("zebra-card"), done},
	}, map[string]string{
		".claude/skills/zebra-card/evals/box/.claude/skills/okapi/SKILL.md": strings.Replace(okapi, "name: okapi\n",
			"name: okapi\ncontext: fork\n", 1),
		".claude/skills/zebra-card/evals/box/.claude/skills/zebra-card/SKILL.md": zebra,
	})
	_, trials := s.run()
	for _, name := range []string{"agent with", "fork with"} {
		if got := trials[name]; got.Outcome != eval.Fired {
			t.Errorf("%s: %s (%s)", name, got.Outcome, got.Why)
		}
	}
}

// TestRealOutcomes checks that the outcome comes from the whole stream, and that the arm without
// the skill gets no byte of it. A trial may write anything, but the user's files must not change.
func TestRealOutcomes(t *testing.T) {
	s := newStage(t, `cases:
  - id: chain
    prompt: CHAIN please
    files: box
  - id: plain
    prompt: PLAIN please
  - id: silent
    prompt: SILENT please, for a person
    fires: false
  - id: called
    prompt: /zebra-card CALLED please
  - id: writes
    prompt: WRITES please
    fires: false
    files: box
    checks:
      - {file: card.txt, contains: Ada}
      - {command: 'grep -q more "$HOME/.bashrc" && test -e ../up.txt'}
      - {answer: 'd.ne'}
      - {file: nothing.txt}
`, script{
		"CHAIN":  {bash("echo hi"), skillCall("okapi"), skillCall("zebra-card"), done},
		"PLAIN":  {skillCall("zebra-card"), done},
		"SILENT": {say(fakeapi.Text("nothing to do"))},
		"CALLED": {done},
		"WRITES": {
			bash("echo for Ada > card.txt"), // through sh, because the CLI itself would ask before it writes outside the project
			bash(`sh -c 'echo more >> ~/.bashrc; echo x > ../up.txt; echo x > linked.txt; env'`), done,
		},
	}, map[string]string{
		".claude/skills/zebra-card/evals/box/.claude/skills/okapi/SKILL.md":      okapi,
		".claude/skills/zebra-card/evals/box/.claude/skills/zebra-card/SKILL.md": zebra,
		"mine.txt": "the user's own",
	})
	s.Baseline, s.Keep, s.AllowedTools = true, true, []string{"Bash"}
	home := s.Runtime.Env.Get("HOME")
	if err := os.Symlink(filepath.Join(s.project, "mine.txt"), filepath.Join(s.subject.Folder, "evals/box/linked.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".bashrc"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	before := everything(t, home, s.project)
	summary, trials := s.run()
	if after := everything(t, home, s.project); after != before {
		t.Errorf("the user's files were\n%s\nand are\n%s", before, after)
	}
	for name, want := range map[string]eval.Outcome{
		"chain with": eval.Fired, "chain without": eval.Other, "plain with": eval.Fired, "plain without": eval.None,
		"silent with": eval.None, "silent without": eval.None, "writes with": eval.None, "writes without": eval.None,
		"called with": eval.Fired, "called without": eval.None,
	} {
		if got := trials[name]; got.Outcome != want {
			t.Errorf("%s: %s (%s), want %s", name, got.Outcome, got.Why, want)
		}
	}
	var failed []string
	for _, c := range trials["writes with"].Checks {
		if c.OK == nil || !*c.OK {
			failed = append(failed, c.Check+": "+c.Why)
		}
	}
	if got := strings.Join(failed, "; "); got != "file: nothing.txt: nothing.txt does not exist" {
		t.Errorf("failed checks: %s", got)
	}
	if k := summary.Skills[0]; k.Fired.Hits != 2 || k.Fired.Of != 2 || k.Quiet.Hits != 2 || summary.Trials != 10 ||
		summary.Void != 0 || summary.CostUSD <= 0 {
		t.Errorf("%+v", summary)
	}
	s.noByte(trials)
	again, err := eval.Again(t.Context(), s.Options, s.Results.Dir, []*eval.Subject{s.subject})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(again.Skills)
	want, _ := json.Marshal(summary.Skills)
	if !bytes.Equal(got, want) {
		t.Errorf("judged again:\n%s\nwant\n%s", got, want)
	}
}

// noByte checks that the arm without the skill got nothing of it, and that no arm got anything of
// the user's.
func (s *stage) noByte(trials map[string]eval.Trial) {
	for name, trial := range trials {
		session, sent := s.session(trial), 0
		for _, q := range s.api.Requests() {
			if bytes.Contains(q.Body, []byte("MY_SECRET_PLACE")) {
				s.t.Errorf("%s was sent a variable of the user's", name)
			}
			if q.Session != session {
				continue
			}
			sent++
			// The model itself names the skill when it was told to call it.
			words := []string{"zebracards", "ZEBRABODY"}
			if trial.Case == "silent" || trial.Case == "writes" || trial.Case == "called" {
				words = append(words, "zebra-card")
			}
			for _, word := range words {
				if has := bytes.Contains(q.Body, []byte(word)); has && trial.Arm == eval.Without {
					s.t.Errorf("%s was sent %s", name, word)
				} else if !has && trial.Arm == eval.With && word == "zebracards" {
					s.t.Errorf("%s was not sent %s", name, word)
				}
			}
		}
		if sent == 0 {
			s.t.Errorf("%s: no request of session %s", name, session)
		}
	}
}

// TestRealAllowed checks that a skill that allows itself tools fires like any other, although the
// CLI asks before it uses the skill. A skill that the user trusts is trusted in a trial. If a skill
// cannot be read, the report says so.
func TestRealAllowed(t *testing.T) {
	s := newStage(t, `cases:
  - id: one
    prompt: ONE please
`, script{"ONE": {skillCall("zebra-card"), done}}, nil)
	file := filepath.Join(s.subject.Folder, "SKILL.md")
	const head = "---\nname: zebra-card\ndescription: Writes zebracards.\nallowed-tools: Bash\n---\n"
	write(t, file, head+"ZEBRABODY !`ls \"$SKILLHAND_STATE_DIR/trust\" | wc -l | sed 's/^ */trusted: /'`\n")
	for _, trusted := range []bool{false, true} {
		if trusted {
			if _, err := (trust.Store{Dir: s.Runtime.TrustDir()}).Trust(s.project); err != nil {
				t.Fatal(err)
			}
		}
		_, trials := s.run()
		got := trials["one with"]
		text, err := os.ReadFile(got.Transcript)
		if err != nil || got.Outcome != eval.Fired || bytes.Contains(text, []byte("trusted: 1")) != trusted {
			t.Errorf("trusted %v: %s: %s, %v\n%s", trusted, got.Outcome, got.Refused, err, text)
		}
	}
	write(t, file, head+"ZEBRABODY !`cat no-such-file`\n")
	summary, trials := s.run()
	const why = "one: called in 1 trial, but its page failed; the agent got instead: "
	if text := summary.Text(plain); trials["one with"].Outcome != eval.Called || !strings.Contains(text, why) ||
		!strings.Contains(text, "no-such-file") || strings.Contains(text, "lacks") {
		t.Errorf("%+v\n%s", trials["one with"], text)
	}
}

// TestRealJudge: a judge with a temporary failure is asked again. A judge that cannot log in ends
// everything, and the trial does not count as judged.
func TestRealJudge(t *testing.T) {
	var asked atomic.Int32
	answer := fakeapi.Use("StructuredOutput", map[string]any{"yes": true, "reason": "It is."})
	s := newStage(t, `cases:
  - {id: one, prompt: ONE please, checks: [{judge: "Is it SLOW?"}]}
  - {id: two, prompt: TWO please, checks: [{judge: "Is it SHUT?"}]}
`, script{
		"Is it SLOW?": {func(int) fakeapi.Answer {
			if asked.Add(1) == 1 {
				return fakeapi.Status(429, "slow down")
			}
			return answer
		}},
		"Is it SHUT?": {say(fakeapi.Status(401, "invalid x-api-key"))},
		"please":      {done},
	}, nil)
	s.Retries, s.Jobs = 3, 1
	results, err := eval.OpenResultsAt(filepath.Join(t.TempDir(), "results"), "plan")
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	s.Results = results
	s.alone()
	summary, err := eval.Run(t.Context(), s.Options, []*eval.Subject{s.subject})
	if e, ok := errors.AsType[*eval.Stopped](err); !ok || e.Why != batch.Credentials || summary.Trials != 1 || summary.Missing != 1 ||
		summary.Skills[0].Judged.Hits != 1 {
		t.Errorf("%v, %+v", err, summary)
	}
}

// TestRealVoid checks that a rate limit, a stall and a crash do not count as misses: they are tried
// again.
func TestRealVoid(t *testing.T) {
	first := func(bad fakeapi.Answer) []move {
		return []move{skillCall("zebra-card"), func(attempt int) fakeapi.Answer {
			if attempt == 0 {
				return bad
			}
			return fakeapi.Text("done")
		}, done}
	}
	s := newStage(t, `cases:
  - {id: limit, prompt: LIMIT please}
  - {id: stall, prompt: STALL please}
  - {id: crash, prompt: CRASH please}
`, script{
		"LIMIT": first(fakeapi.Status(429, "slow down")),
		"STALL": first(fakeapi.Stall(fakeapi.Text("well, then"))),
		"CRASH": first(fakeapi.Use("Bash", map[string]string{"command": "kill -9 $PPID"})),
	}, nil)
	s.Retries, s.AllowedTools, s.Jobs = 8, []string{"Bash"}, 3
	s.Runtime.Claude.IdleTimeout = 15 * time.Second
	summary, trials := s.run()
	for _, name := range []string{"limit with", "stall with", "crash with"} {
		if got := trials[name]; got.Outcome != eval.Fired || got.Tries < 2 {
			t.Errorf("%s: %s after %d tries: %s", name, got.Outcome, got.Tries, got.Why)
		}
	}
	if k := summary.Skills[0]; k.Fired.Of != 3 || k.Fired.Hits != 3 || summary.Void != 0 {
		t.Errorf("%+v", summary)
	}
}

// TestRealPlugin: a skill of a plugin is tried in its plugin, beside the user's own skills if the
// options ask for them. Without the skill, the plugin's other skills remain. A model judges if a
// case asks for that, and its verdict is shown separately.
func TestRealPlugin(t *testing.T) {
	s := newStage(t, `cases:
  - id: one
    prompt: ONE please
    checks:
      - {answer: done}
      - {judge: 'ISFRIENDLY?'}
`, script{
		"ISFRIENDLY": {say(fakeapi.Use("StructuredOutput", map[string]any{"yes": false, "reason": "It is curt."}))},
		"ONE please": {skillCall("plug:zebra-card"), done},
	}, map[string]string{
		"plug/.claude-plugin/plugin.json": `{"name": "plug", "version": "1.0.0", "description": "d"}`,
		"plug/skills/okapi/SKILL.md":      okapi,
	})
	mine := filepath.Join(s.Runtime.Env.Get("HOME"), ".claude", "skills", "mine")
	if err := os.MkdirAll(mine, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(mine, "SKILL.md"), []byte("---\nname: mine\ndescription: GNUTEXT\n---\nGnu.\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	s.Baseline, s.WithMine = true, true
	summary, trials := s.run()
	if w, wo := trials["one with"], trials["one without"]; w.Outcome != eval.Fired || wo.Outcome != eval.None {
		t.Errorf("with %s, without %s", w.Outcome, wo.Outcome)
	}
	for name, trial := range trials {
		if trial.Passed == nil || !*trial.Passed || len(trial.Checks) != 2 || trial.Checks[1].OK == nil || *trial.Checks[1].OK ||
			trial.Checks[1].Why != "It is curt." {
			t.Errorf("%s: %+v", name, trial)
		}
		session := s.session(trial)
		for _, q := range s.api.Requests() {
			if q.Session == session && (!bytes.Contains(q.Body, []byte("GNUTEXT")) || !bytes.Contains(q.Body, []byte("Draws a card"))) {
				t.Errorf("%s was not sent the other skills", name)
			}
			if q.Session == session && bytes.Contains(q.Body, []byte("zebracards")) != (trial.Arm == eval.With) {
				t.Errorf("%s: the skill is in what was sent, or is not", name)
			}
		}
	}
	for _, q := range s.api.Requests() {
		if q.Count("ISFRIENDLY") > 0 && (bytes.Contains(q.Body, []byte("zebracards")) || bytes.Contains(q.Body, []byte("GNUTEXT"))) {
			t.Error("the judge was sent skills")
		}
	}
	if k := summary.Skills[0]; k.Passed.Hits != 1 || k.Judged.Hits != 0 || k.Judged.Of != 1 || k.JudgedWithout == nil ||
		k.JudgedWithout.Of != 1 || k.Without.Hits != 1 || k.Help.Told {
		t.Errorf("%+v", k)
	}
}

// TestRealMine: the user's other skills include those of installed and enabled plugins, but nothing
// else of these plugins. The report shows what fired instead, and the words that it shares with the
// prompt.
func TestRealMine(t *testing.T) {
	s := newStage(t, "cases: [{id: one, prompt: 'ONE please, count the scales of a gecko'}]",
		script{"ONE please": {skillCall("pack:gecko"), done}}, map[string]string{
			".claude/settings.json":         `{"enabledPlugins": {"team@market": true}}`,
			".claude/skills/ibex/SKILL.md":  "---\nname: ibex\ndescription: GOATTEXT\n---\nIbex.\n",
			".github/skills/moose/SKILL.md": "---\nname: moose\ndescription: MOOSETEXT\n---\nMoose.\n",
		})
	home := s.Runtime.Env.Get("HOME")
	plugins := filepath.Join(home, ".claude/plugins")
	mark := filepath.Join(t.TempDir(), "hooked")
	for name, text := range map[string]string{
		".claude/skills/gnu/SKILL.md": "---\nname: gnu\ndescription: GNUTEXT\n---\nGnu.\n",
		".agents/skills/yak/SKILL.md": "---\nname: yak\ndescription: YAKTEXT\n---\nYak.\n",
		".claude/skills/gnu/.git":     "gitdir: elsewhere",
		".claude/settings.json":       `{"enabledPlugins": {"pack@market": true, "off@market": false, "elsewhere@market": true}}`,
		".claude/plugins/known_marketplaces.json": `{"market": {"source": {"source": "github", "repo": "a/b"}, "installLocation": "` +
			plugins + `/marketplaces/market", "lastUpdated": "2026-01-01T00:00:00Z"}}`,
		".claude/plugins/installed_plugins.json":      installedPlugins(plugins, s.project, "pack", "off", "team", "elsewhere"),
		".claude/plugins/pack/skills/gecko/SKILL.md":  "---\nname: gecko\ndescription: Counts scales of reptiles. GECKOTEXT\n---\nCount.\n",
		".claude/plugins/pack/hooks/hooks.json":       `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch ` + mark + `"}]}]}}`,
		".claude/plugins/off/skills/newt/SKILL.md":    "---\nname: newt\ndescription: NEWTTEXT\n---\nNewt.\n",
		".claude/plugins/team/skills/toad/SKILL.md":   "---\nname: toad\ndescription: TOADTEXT\n---\nToad.\n",
		".claude/plugins/elsewhere/skills/x/SKILL.md": "---\nname: x\ndescription: XTEXT\n---\nX.\n",
	} {
		write(t, filepath.Join(home, name), text)
	}
	for _, name := range []string{"pack", "off", "team", "elsewhere"} {
		write(t, filepath.Join(plugins, name, ".claude-plugin/plugin.json"),
			`{"name": "`+name+`", "version": "1.0.0", "description": "d", "author": {"name": "a"}}`)
	}
	s.WithMine, s.Baseline = true, true
	before, err := s.Plan([]*eval.Subject{s.subject})
	if err != nil {
		t.Fatal(err)
	}
	summary, trials := s.run()
	for name, trial := range trials {
		if trial.Outcome != eval.Other || !slices.Equal(trial.Instead, []string{"pack:gecko"}) {
			t.Errorf("%s: %s, instead %v (%s)", name, trial.Outcome, trial.Instead, trial.Why)
		}
	}
	for _, q := range s.api.Requests() {
		for word, want := range map[string]bool{
			"GNUTEXT": true, "GOATTEXT": true, "MOOSETEXT": false, "GECKOTEXT": true, "TOADTEXT": true, "NEWTTEXT": false, "XTEXT": false,
			"YAKTEXT": false,
		} {
			if bytes.Contains(q.Body, []byte(word)) != want {
				t.Errorf("%s is in what was sent: %v", word, !want)
			}
		}
	}
	want := eval.Miss{Case: "one", Instead: "pack:gecko", Trials: 1, Shared: []string{"count", "scale", "gecko"},
		Lacking: []string{"count", "scale", "gecko"}}
	if got := summary.Skills[0].Misses; len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a hook of the user's plugin ran")
	}
	write(t, filepath.Join(plugins, "pack/skills/gecko/SKILL.md"), "---\nname: gecko\ndescription: other\n---\n")
	if after, err := s.Plan([]*eval.Subject{s.subject}); err != nil || after == before {
		t.Errorf("another skill of a plugin is the same plan: %v", err)
	}
}

// installedPlugins returns Claude Code's list of plugins: team is installed for the project, the
// last one for another project.
func installedPlugins(plugins, project string, names ...string) string {
	list := map[string]any{}
	for _, name := range names {
		e := map[string]string{"scope": "user", "installPath": filepath.Join(plugins, name), "version": "1.0.0"}
		switch name {
		case "team":
			e["scope"], e["projectPath"] = "project", project
		case "elsewhere":
			e["scope"], e["projectPath"] = "project", "/elsewhere"
		}
		list[name+"@market"] = []any{e}
	}
	text, _ := json.Marshal(map[string]any{"version": 2, "plugins": list})
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRealCredentials: trials get a login of the user, but not the key that renews it. Without a
// login, only the first trial starts Claude.
func TestRealCredentials(t *testing.T) {
	s := newStage(t, "cases: [{prompt: ONE please}, {prompt: TWO please}]", script{"please": {done}}, nil)
	env := slices.DeleteFunc(s.Runtime.Env, func(kv string) bool { return strings.HasPrefix(kv, "ANTHROPIC_API_KEY=") })
	s.Runtime.Env, s.Runs, s.Jobs = env, 20, 4
	results, err := eval.OpenResultsAt(filepath.Join(t.TempDir(), "results"), "plan")
	if err != nil {
		t.Fatal(err)
	}
	s.Results = results
	started := filepath.Join(t.TempDir(), "started")
	program := s.Runtime.Claude.Path
	counting := filepath.Join(t.TempDir(), "claude")
	script := fmt.Sprintf("#!/bin/sh\necho >> '%s'\nexec '%s' \"$@\"\n", started, program)
	if err := os.WriteFile(counting, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	s.Runtime.Claude.Path = counting
	s.alone()
	summary, err := eval.Run(t.Context(), s.Options, []*eval.Subject{s.subject})
	starts, _ := os.ReadFile(started)
	s.Runtime.Claude.Path = program
	if e, ok := errors.AsType[*eval.Stopped](err); !ok || e.Why != batch.Credentials || len(starts) != 1 || summary.Trials != 0 ||
		len(s.api.Requests()) > 0 {
		t.Errorf("%v after %d starts and %d requests", err, len(starts), len(s.api.Requests()))
	}
	config := filepath.Join(env.Get("HOME"), ".claude")
	if err := os.MkdirAll(config, 0o777); err != nil {
		t.Fatal(err)
	}
	login := `{"claudeAiOauth":{"accessToken":"sk-ant-oat01-access","refreshToken":"sk-ant-ort01-renew","expiresAt":99999999999999,"scopes":["user:inference","user:profile"],"subscriptionType":"max"},"other":"secret"}`
	if err := os.WriteFile(filepath.Join(config, ".credentials.json"), []byte(login), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Runs = 1
	if summary, _ := s.run(); summary.Void != 0 || summary.Trials != 2 {
		t.Errorf("%+v", summary)
	}
	for _, q := range s.api.Requests() {
		if got := q.Header.Get("Authorization"); got != "Bearer sk-ant-oat01-access" {
			t.Errorf("let in by %q", got)
		}
	}
}

func plain(_, text string) string { return text }
