//go:build unix

package permit

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// askClaude has the real CLI decide: each probe is a project skill with one directive. Its shell
// is one that does nothing, so that whatever is allowed is harmless.
func askClaude(t *testing.T, probes []probe, args ...string) {
	t.Helper()
	api := fakeapi.New(t)
	api.Handle(func(*fakeapi.Request) fakeapi.Answer { return fakeapi.Text("ok") })
	c := realclaude.New(t, api)
	c.Timeout *= 5
	shell := filepath.Join(filepath.Dir(c.Home), "bash")
	if err := os.WriteFile(shell, []byte("#!/bin/sh\nexit 0\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	c.Env = append(c.Env, "CLAUDE_CODE_SHELL="+shell)
	for i, p := range probes {
		c.Write(fmt.Sprintf(".claude/skills/p%04d/SKILL.md", i), skillOf(t, p))
	}
	s := c.Start(args...)
	for i := range probes {
		before := len(api.Requests())
		turn := s.Send(fmt.Sprintf("/p%04d", i))
		probes[i].Decision, probes[i].Reason = "allow", ""
		if len(api.Requests()) == before { // the page was aborted
			_, reason, _ := strings.Cut(turn.Result.Result, "permission check failed for pattern ")
			probes[i].Decision, probes[i].Reason = "ask", reason
			if strings.Contains(reason, "has been denied") {
				probes[i].Decision = "deny"
			}
		}
	}
	s.Close()
}

func skillOf(t *testing.T, p probe) string {
	t.Helper()
	head := "---\ndescription: d\ndisable-model-invocation: true\n"
	if p.Rules != nil {
		rules, err := json.Marshal(*p.Rules)
		if err != nil {
			t.Fatal(err)
		}
		head += "allowed-tools: " + string(rules) + "\n"
	}
	body := "!`" + p.Command + "`"
	if strings.ContainsAny(p.Command, "`\n") {
		body = "```!\n" + p.Command + "\n```"
	}
	return head + "---\nx\n" + body + "\ny\n"
}

// TestClaude asks the real CLI about mutations of the recorded commands, and about suggestions.
// SKILLHAND_PERMIT_PROBES says how many mutations; SKILLHAND_PERMIT_SEED which ones.
func TestClaude(t *testing.T) {
	t.Parallel()
	n, seed := number("SKILLHAND_PERMIT_PROBES", 48), number("SKILLHAND_PERMIT_SEED", 1)
	probes := mutations(readProbes(t, "probes"), n, uint64(seed))
	for from := 0; from < len(probes); from += 400 {
		askClaude(t, probes[from:min(from+400, len(probes))])
	}
	var s score
	for _, p := range probes {
		got := decide(p.request())
		s.add(got.Decision, p.Decision)
		if got.Decision != Unknown && string(got.Decision) != p.Decision {
			t.Logf("%s: %s (%s: %q), want %s: %.80s", p, got.Decision, got.Reason, got.Part, p.Decision, p.Reason)
		}
	}
	t.Log(&s)
	if wrong := s.wrongAllow + s.wrongAsk; wrong*50 > s.n || s.wrongAllow*200 > s.n || s.unknown*8 > s.n {
		t.Errorf("%s; want at most 2 %% wrong", &s)
	}
}

func number(name string, or int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return or
}

// TestClaudeSuggestions has the real CLI run what we suggest.
func TestClaudeSuggestions(t *testing.T) {
	t.Parallel()
	var probes []probe
	random := rand.New(rand.NewPCG(uint64(number("SKILLHAND_PERMIT_SEED", 1)), 2))
	recorded := readProbes(t, "probes")
	for len(probes) < number("SKILLHAND_PERMIT_PROBES", 24) {
		p := recorded[random.IntN(len(recorded))]
		v := Decide(p.request())
		if v.Suggest == nil || p.Decision != "ask" || strings.Contains(v.Suggest.String(), "//p/") { // a folder that the real one has not
			continue
		}
		if c := v.Suggest.Command; c != "" {
			probes = append(probes, probe{Command: c, Rules: p.Rules})
		} else {
			rules := strings.Join(v.Suggest.Rules, ", ")
			if p.Rules != nil {
				rules = *p.Rules + ", " + rules
			}
			probes = append(probes, probe{Command: p.Command, Rules: &rules})
		}
	}
	for from := 0; from < len(probes); from += 400 {
		askClaude(t, probes[from:min(from+400, len(probes))])
	}
	wrong := 0
	for _, p := range probes {
		if p.Decision != "allow" {
			wrong++
			t.Logf("%s is suggested, and asks: %s", p, p.Reason)
		}
	}
	if wrong*50 > len(probes) {
		t.Errorf("%d of %d suggestions ask", wrong, len(probes))
	}
}

// TestClaudeRules asks the real CLI about rules that forbid and ask, and about other modes.
func TestClaudeRules(t *testing.T) {
	t.Parallel()
	commands := strings.Split(`git push|ls && git push|echo "x $(git push)"|echo $(git push)|(git push)|{ git push; }|
		for i in a; do git push; done|timeout 5 git push|X=1 git push|env git push|sudo git push|git "push"|"git" push|
		/usr/bin/git push|xargs git push|bash -c 'git push'|git pushx|git push $X|git push > x|ls|touch x|cp a b|cp -r a b|
		echo a > x|echo a > /tmp/x|touch .git/x|sed s/a/b/ x|sed -i s/a/b/ x|LANG=C touch x|rm -rf *|npm test|cat /etc/hosts`, "|")
	for _, tt := range []struct {
		name string
		args []string
		q    Request
	}{
		{"deny", []string{"--disallowedTools", "Bash(git push:*)"}, Request{Deny: []string{"Bash(git push:*)"}}},
		{"ask", []string{"--settings", `{"permissions":{"ask":["Bash(git push:*)"],"allow":["Bash"]}}`},
			Request{Ask: []string{"Bash(git push:*)"}, Allow: []string{"Bash"}}},
		{"accept edits", []string{"--permission-mode", "acceptEdits"}, Request{Mode: "acceptEdits"}},
		{"do not ask", []string{"--permission-mode", "dontAsk"}, Request{Mode: "dontAsk"}},
		{"another folder", []string{"--add-dir", "/etc"}, Request{Dirs: []string{"/etc"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var probes []probe
			for _, c := range commands {
				probes = append(probes, probe{Command: strings.TrimSpace(c)})
			}
			askClaude(t, probes, tt.args...)
			for _, p := range probes {
				q := p.request()
				q.Allow, q.Deny, q.Ask, q.Mode, q.Dirs = tt.q.Allow, tt.q.Deny, tt.q.Ask, tt.q.Mode, tt.q.Dirs
				if got := Decide(q); string(got.Decision) != p.Decision {
					t.Errorf("%s: %s (%s), want %s: %s", p.Command, got.Decision, got.Reason, p.Decision, p.Reason)
				}
			}
		})
	}
}

// Mutations put these before a command, after it, around it, and in the place of a word.
var (
	before = strings.Split("timeout 5 |timeout -k "+
		"1 5 |command |command -p |builtin |noglob |LANG=C |TZ=UTC |X=1 |X=~ |CI=1 NO_COLOR=1 |time |! |nohup |nice -n 5 |"+
		"env |env -i |env X=1 |xargs |xargs -n1 |sudo |stdbuf -oL |exec |cd src && |cd . && |cd /tmp && |cd src; |pushd src && |cd ${CLAUDE_PROJECT_DIR} && |"+
		"2>/dev/null |2>&1 |< notes.txt |> x |export X=1 && |[ -f x ] && |[[ -f x ]] && |ls; |echo a |& ", "|")
	after = []string{" 2>/dev/null", " 2>&1", " > out.txt", " >/dev/null 2>&1", " &>/dev/null", " > ~/x", " < notes.txt", " <<< x", " 2>&-", " | head -5", " | jq .", " | tee x",
		" 2>&1 | wc -l", " | xargs echo", " | xargs rm", " | while read l; do echo; done", " || true", " || exit 1", " || echo none", " && ls",
		" # note", " &", ";", " \\\n -v",
		" <<'E'\nx\nE", " <<E\nx\nE", " <<'E' | wc\nx\nE", "\nls"}
	around = []string{"(%s)", "{ %s; }", "if %s; then echo y; fi", "while %s; do ls; done", "for i in a b; do %s; done", "case x in a) %s;; esac", `echo "x: $(%s)"`, "echo $(%s)",
		`echo "$(%s)"`, "X=$(%s)", "cat <(%s)", "f() { %s; }; f", "bash -c '%s'", "(( 1 )) && %s", "time { %s; }"}
	others = []string{"x", "notes.txt", "/tmp/x", "~/x", "~user/x", "../x", "a/../b", ".git/x", "/dev/null", "-", "-l", "-n5", "--all", "--", "=", "!", "5", "HEAD", "HEAD~1", "@{u}", "*.md", "'*.md'",
		"[ab]*", "{a,b}", "a{1..3}", "{}", "$X", "${X:-y}", "$?", "$HOME", `"$HOME/x"`, `\$X`, "$(date)", `"at $(date)"`, "$((1+1))", "a=b",
		`"a b"`, `a\ b`, "a#b", "\u00a0", "é", "$'x'", "''"}
)

// mutations makes new commands of recorded ones: joined, wrapped, quoted otherwise, with other
// words, flags and rules.
func mutations(recorded []probe, n int, seed uint64) []probe {
	random := rand.New(rand.NewPCG(seed, 1))
	command := func() string {
		for {
			c := recorded[random.IntN(len(recorded))].Command
			if c != "" && len(c) < 300 && !strings.Contains(c, "{{") {
				return c
			}
		}
	}
	ruleSets := []*string{nil, nil, nil}
	for _, p := range recorded {
		if p.Rules != nil && random.IntN(20) == 0 {
			ruleSets = append(ruleSets, p.Rules)
		}
	}
	out := make([]probe, 0, n)
	for len(out) < n {
		c := command()
		for range 1 + random.IntN(3) {
			c = mutate(c, command, random)
		}
		if strings.Contains(c, "`") { // the page's own quote
			continue
		}
		rules := ruleSets[random.IntN(len(ruleSets))]
		if random.IntN(3) == 0 {
			rules = rulesFor(c, random)
		}
		if _, ok := read(c, ""); ok || random.IntN(10) == 0 { // what bash cannot read we seldom claim to know
			out = append(out, probe{Command: c, Rules: rules})
		}
	}
	return out
}

func mutate(c string, command func() string, random *rand.Rand) string {
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	words := strings.Fields(c)
	at := random.IntN(max(1, len(words)))
	if len(words) == 0 {
		return c
	}
	switch random.IntN(11) {
	case 0:
		return c + pick([]string{" && ", " || ", "; ", " | ", "\n", " && \\\n  ", " |& "}) + command()
	case 1, 2:
		return pick(before) + c
	case 3, 4:
		return c + pick(after)
	case 5:
		return strings.ReplaceAll(pick(around), "%s", c)
	case 6:
		words = slices.Insert(words, at, pick(others))
	case 7:
		words[at] = pick(others)
	case 8:
		words = slices.Delete(words, at, at+1)
	case 9:
		bare := strings.Trim(words[at], `"'`)
		words[at] = pick([]string{`"` + bare + `"`, "'" + bare + "'", bare + `""`, `\` + bare, bare + pick([]string{"*", "?", "=", "~", ",", "/", ":"})})
	case 10:
		k := random.IntN(len(words))
		words[at], words[k] = words[k], words[at]
	}
	return strings.Join(words, pick([]string{" ", " ", " ", " ", "  ", "\t", " \\\n"}))
}

// rulesFor makes rules of the commands that stand in a line, some right and some nearly so.
func rulesFor(c string, random *rand.Rand) *string {
	var rules []string
	for _, part := range strings.FieldsFunc(c, func(r rune) bool { return strings.ContainsRune("|;&\n", r) }) {
		words := strings.Fields(part)
		if len(words) == 0 || strings.ContainsAny(part, "()$") {
			continue
		}
		name, two := words[0], strings.Join(words[:min(2, len(words))], " ")
		forms := []string{
			name + ":*", name + " *", name + "*", two + ":*", two + " *", strings.Join(words, " "), name, "* " + words[len(words)-1],
			name + " :*", "*" + name + "*",
		}
		rules = append(rules, "Bash("+forms[random.IntN(len(forms))]+")")
	}
	joined := strings.Join(rules, ", ")
	return &joined
}
