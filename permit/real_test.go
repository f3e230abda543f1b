//go:build unix

package permit

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/fakeapi"
	"github.com/skillhand/skillhand/internal/realclaude"
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

// mutations makes new commands of recorded ones: joined, wrapped, quoted otherwise, with other
// words, flags and rules.
func mutations(recorded []probe, n int, seed uint64) []probe {
	random := rand.New(rand.NewPCG(seed, 1))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
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
		for range 1 + random.IntN(2) {
			c = mutate(c, command, pick, random)
		}
		if _, ok := read(c, ""); ok || random.IntN(10) == 0 { // what bash cannot read we seldom claim to know
			out = append(out, probe{Command: c, Rules: ruleSets[random.IntN(len(ruleSets))]})
		}
	}
	return out
}

func mutate(c string, command func() string, pick func(...string) string, random *rand.Rand) string {
	words := strings.Fields(c)
	at := random.IntN(max(1, len(words)))
	switch random.IntN(9) {
	case 0:
		return c + pick(" && ", " || ", "; ", " | ", "\n") + command()
	case 1:
		return pick("timeout 5 ", "command ", "LANG=C ", "time ", "! ", "nohup ", "X=1 ", "env ", "nice -n 5 ", "cd src && ", "xargs ") + c
	case 2:
		return c + pick(" 2>/dev/null", " 2>&1", " > out.txt", " | head -5", " || true", " || exit 1", " # note", " &", " < notes.txt", " 2>&1 | wc -l")
	case 3:
		return pick("(", "{ ", "if ", `echo "x: $(`) + c + pick(")", "; }", "; then echo y; fi", `)"`)
	case 4:
		words = append(words, pick("-v", "--verbose", "-n", "5", "-5", "*.md", "'*.md'", "~/x", "/etc/hosts", "../x", "$HOME", "$X", `"a b"`, "--", "{}", "src"))
	case 5:
		if len(words) > 1 {
			words = append(words[:at], words[at+1:]...)
		}
	case 6:
		words[at] = `"` + strings.Trim(words[at], `"'`) + `"`
	case 7:
		words[at] = pick("x", "notes.txt", "/tmp/x", "-l", "--all", "HEAD", "$(date)", `"$HOME/x"`, "a=b")
	case 8:
		k := random.IntN(len(words))
		words[at], words[k] = words[k], words[at]
	}
	return strings.Join(words, " ")
}
