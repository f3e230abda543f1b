package permit

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// A probe is a decision that the real CLI was seen to take about a directive of a project skill.
type probe struct {
	Command  string  `json:"command"`
	Rules    *string `json:"allowed_tools"`
	Decision string  `json:"decision"`
	Reason   string  `json:"reason"`
}

func (p probe) request() Request {
	q := Request{Command: p.Command, Dir: "/p/project", Home: "/p/home", SkillDir: "/p/project/.claude/skills/s"}
	if p.Rules != nil {
		q.Allow = []string{*p.Rules}
	}
	return q
}

func (p probe) String() string {
	rules := "no rules"
	if p.Rules != nil {
		rules = *p.Rules
	}
	return fmt.Sprintf("%q under %s", p.Command, rules)
}

// class says what the decision is about.
func (p probe) class() string {
	kind := "no rules"
	if p.Rules != nil {
		kind = "rules"
		if slices.ContainsFunc(ParseRules(*p.Rules), func(r Rule) bool { return r.Kind == All }) {
			kind = "blanket"
		}
	}
	shape := "simple"
	if r, ok := read(p.Command, ""); !ok {
		shape = "unreadable"
	} else if len(r.parts) != 1 || r.block != nil {
		shape = "compound"
	}
	return kind + ", " + shape
}

// family is the command by which probes are kept apart: three families in ten were not looked at
// while the rules were written, and came out 99.7 % right at first sight.
func (p probe) family() string {
	f := strings.Fields(p.Command)
	if len(f) > 1 && (f[0] == "git" || f[0] == "docker") {
		return f[0] + " " + f[1]
	}
	return strings.Join(f[:min(1, len(f))], " ")
}

func (p probe) heldOut() bool {
	h := fnv.New32a()
	h.Write([]byte(p.family()))
	return h.Sum32()%10 < 3
}

func unzip(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	data, err = io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readProbes(t testing.TB, file string) []probe {
	t.Helper()
	var probes []probe
	for line := range bytes.Lines(unzip(t, "testdata/"+file+".jsonl.gz")) {
		var p probe
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		probes = append(probes, p)
	}
	return probes
}

// A score counts answers.
type score struct{ n, right, wrongAllow, wrongAsk, unknown int }

func (s *score) add(got Decision, want string) {
	s.n++
	switch {
	case got == Unknown:
		s.unknown++
	case string(got) == want:
		s.right++
	case got == Allow:
		s.wrongAllow++
	default:
		s.wrongAsk++
	}
}

func (s *score) String() string {
	return fmt.Sprintf("%6d: %6d right, %3d wrongly allow, %3d wrongly ask, %4d unknown; %.2f %% of decided right",
		s.n, s.right, s.wrongAllow, s.wrongAsk, s.unknown, 100*float64(s.right)/float64(max(1, s.n-s.unknown)))
}

// TestProbes holds the model against every recorded decision.
func TestProbes(t *testing.T) {
	scores := map[string]*score{}
	var all score
	for _, p := range readProbes(t, "probes") {
		got := decide(p.request())
		held := "looked at"
		if p.heldOut() {
			held = "held out"
		}
		for _, class := range []string{p.class(), held} {
			if scores[class] == nil {
				scores[class] = &score{}
			}
			scores[class].add(got.Decision, p.Decision)
		}
		all.add(got.Decision, p.Decision)
		if got.Decision != Unknown && string(got.Decision) != p.Decision {
			t.Logf("%s: %s (%s: %q), want %s: %.80s", p, got.Decision, got.Reason, got.Part, p.Decision, p.Reason)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(scores)) {
		t.Logf("%-22s %s", class, scores[class])
	}
	t.Logf("%-22s %s", "all", &all)
	decided := float64(all.n - all.unknown)
	if all.n < 18_000 || float64(all.right)/decided < 0.998 || float64(all.wrongAllow)/decided > 0.001 || float64(all.unknown)/float64(all.n) > 0.02 {
		t.Errorf("%s; want 99.8 %% right, at most 0.1 %% wrongly allowed, 2 %% unknown", &all)
	}
}

// TestClasses holds the model against decisions that the real CLI was asked for while it was
// written: a few of each class of shape, path, rule and flag.
func TestClasses(t *testing.T) {
	var all score
	for _, p := range readProbes(t, "classes") {
		got := decide(p.request())
		all.add(got.Decision, p.Decision)
		if got.Decision != Unknown && string(got.Decision) != p.Decision {
			t.Logf("%s: %s (%s: %q), want %s: %.80s", p, got.Decision, got.Reason, got.Part, p.Decision, p.Reason)
		}
	}
	t.Log(&all)
	if all.n < 7_000 || all.wrongAllow > 0 || all.wrongAsk > 2 || all.unknown > 2 {
		t.Errorf("%s; want none wrongly allowed, 2 wrongly asked", &all)
	}
}

// TestSkills asks about whole skills that the real CLI was given, with its own words for what
// it refused.
func TestSkills(t *testing.T) {
	var cases []struct {
		Name  string
		Files map[string]string
		CLI   []string `json:"cli_args"`
		Want  struct{ Text, Error *string }
	}
	if err := json.Unmarshal(unzip(t, "testdata/skills.json.gz"), &cases); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, c := range cases {
		q := Request{Dir: "{{PROJECT}}", Home: "{{HOME}}", SkillDir: "{{PROJECT}}/.claude/skills/s"}
		body := ""
		for name, text := range c.Files {
			if strings.HasSuffix(name, "SKILL.md") {
				body = text
			}
		}
		for line := range strings.Lines(body) {
			if list, ok := strings.CutPrefix(strings.TrimSpace(line), "allowed-tools: "); ok {
				q.Allow = append(q.Allow, strings.NewReplacer("[", "", "]", "", `"B`, "B", `)"`, ")").Replace(list))
			}
		}
		switch flag := strings.Join(c.CLI, " "); {
		case strings.Contains(flag, "--plugin-dir"):
			q.PluginRoot = "{{PROJECT}}/plug"
			if !strings.Contains(body, "allowed-tools") || c.Name == "a4-plug-p4" { // its settings make the difference
				continue
			}
		case strings.Contains(flag, "--allowedTools"):
			q.Allow = append(q.Allow, c.CLI[1])
		case strings.Contains(flag, "allow"):
			q.Allow = append(q.Allow, "Bash(touch:*)")
		case strings.Contains(flag, "--permission-mode"):
			q.Mode = c.CLI[1]
		case strings.Contains(flag, "--tools"):
			q.Deny = append(q.Deny, "Bash")
		}
		for _, command := range directives(body) {
			q.Command = command
			got := Decide(q)
			want := Allow
			if text := c.Want.Text; text != nil && strings.Contains(*text, "[run this first, exactly as written") {
				want = Defer
			}
			if e := c.Want.Error; e != nil && strings.Contains(*e, "permission check failed") {
				if !strings.Contains(*e, "`"+newDecision(q).src+"`") {
					continue // another directive of the skill was refused
				}
				want = Ask
				if strings.Contains(*e, "denied") {
					want = Deny
				}
			}
			if got.Decision == Unknown && q.Mode == "auto" {
				continue
			}
			asked++
			if got.Decision != want {
				t.Errorf("%s: %q: %s (%s), want %s", c.Name, command, got.Decision, got.Reason, want)
			}
		}
	}
	if asked < 60 {
		t.Errorf("%d directives were asked about", asked)
	}
}

func directives(body string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(body, "!`")
		if !ok {
			return out
		}
		command, after, ok := strings.Cut(rest, "`")
		if !ok {
			return out
		}
		out = append(out, command)
		body = after
	}
}

func BenchmarkDecide(b *testing.B) {
	probes := readProbes(b, "probes")
	var requests []Request
	for i := range 10_000 {
		requests = append(requests, probes[i*7919%len(probes)].request())
	}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		for _, q := range requests {
			Decide(q)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/10_000, "µs/command")
}
