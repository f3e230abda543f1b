package permit

import (
	"strings"
	"testing"
)

// TestParts: the part that decided is named as written, by its place.
func TestParts(t *testing.T) {
	for _, tt := range []struct {
		command, part, rule string
		decision            Decision
	}{
		{"ls && npm test | head", "npm test", "", Ask},
		{"cat ${CLAUDE_SKILL_DIR}/x && ls ${CLAUDE_SKILL_DIR}/y", "${CLAUDE_SKILL_DIR}/x", "", Ask},
		{"ls; ${CLAUDE_SKILL_DIR}/run.sh a", "${CLAUDE_SKILL_DIR}/run.sh a", "", Ask},
		{"ls; bash ${CLAUDE_SKILL_DIR}/ok.sh a", "ls; bash ${CLAUDE_SKILL_DIR}/ok.sh a", "Bash(bash ${CLAUDE_SKILL_DIR}/ok.sh:*)", Allow},
		{"echo $X", "$X", "", Ask},
		{"ls 2>/dev/null -la", "2>/dev/null", "", Ask},
		{"date > x", "> x", "", Ask},
		{"ls; rm x", "ls; rm x", "Bash(rm:*)", Allow},
		{"ls; curl x", "curl x", "Bash(curl:*)", Deny},
		{"${CLAUDE_PLUGIN_ROOT}/x", "${CLAUDE_PLUGIN_ROOT}", "", Ask}, // stays as text outside of a plugin
	} {
		v := Decide(Request{
			Command: tt.command, Dir: "/p", Home: "/h", SkillDir: "/h/.claude/skills/s",
			Allow: []string{"Bash(rm:*)", "Bash(bash ${CLAUDE_SKILL_DIR}/ok.sh:*)"}, Deny: []string{"Bash(curl:*)"},
		})
		if v.Decision != tt.decision || v.Part != tt.part || v.Rule != tt.rule || v.Part != tt.command[v.Offset:v.End] {
			t.Errorf("%q: %s because of %q by %q; want %s, %q, %q", tt.command, v.Decision, v.Part, v.Rule, tt.decision, tt.part, tt.rule)
		}
	}
}

// TestPlaces: where a skill lives decides whether it may read its own files.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		dir, rules string
		want       Decision
	}{
		{"/p/.claude/skills/s", "", Allow},
		{"/h/.claude/skills/s", "", Ask},
		{"/h/.claude/skills/s", "Bash(cat:*)", Ask},
		{"/h/.claude/skills/s", "Read(${CLAUDE_SKILL_DIR}/**)", Ask},
		{"/h/.claude/skills/s", "Read(/${CLAUDE_SKILL_DIR}/**)", Allow},
		{"/p/.claude/skills/s", "Read(/${CLAUDE_SKILL_DIR}/**)", Allow},
		{"/h/.claude/skills/s", "Read(//${CLAUDE_SKILL_DIR}/**)", Allow},
	} {
		v := Decide(Request{Command: "cat ${CLAUDE_SKILL_DIR}/x", Allow: []string{tt.rules}, Dir: "/p", Home: "/h", SkillDir: tt.dir})
		if v.Decision != tt.want {
			t.Errorf("%s under %q: %s (%s), want %s", tt.dir, tt.rules, v.Decision, v.Said, tt.want)
		}
	}
}

// TestFiles: rules that forbid to read or change files hold for the commands that do.
func TestFiles(t *testing.T) {
	for command, want := range map[string]Decision{
		"head -5 .env":               Deny,
		"time cat /tmp/a .env | wc":  Deny,
		`"cat" ./.env`:               Deny,
		"grep key ~/.ssh/config":     Deny,
		"cat README.md":              Allow,
		"echo .env":                  Allow,
		"cat .e*":                    Allow,
		"cd src && cat x":            Ask,
		"ls | xargs grep key":        Ask,
		"wc -l < .env":               Deny,
		"cp .env x":                  Deny,
		"git diff .env":              Deny,
		"(cat .env)":                 Ask,
		"touch dist/x":               Deny,
		"echo a > dist/x":            Deny,
		"sed -i s/a/b/ dist/x":       Deny,
		"cat dist/x":                 Allow,
		"cat ../x":                   Ask,
		"cd . && cat x && wc -l y":   Allow,
		"npm test":                   Ask,
		"diff .env .env.example":     Deny,
		"env X=1 sort --unique .env": Deny,
	} {
		v := Decide(Request{Command: command, Deny: []string{"Read(.env)", "Read(~/.ssh/**)", "Edit(dist/**)"}})
		if v.Decision != want {
			t.Errorf("%q: %s (%s), want %s", command, v.Decision, v.Reason, want)
		}
	}
}

// TestDeep: no text is nested so deeply that reading it ends badly.
func TestDeep(t *testing.T) {
	for _, s := range []string{"(", "{ ", "$(", "\"$(", "if ", "((", "[[ ! ", "`", "a && ", "! "} {
		for _, n := range []int{5_000, 1_000_000} {
			if v := Decide(Request{Command: strings.Repeat(s, n)}); v.Decision == Allow {
				t.Errorf("%d times %q: %s", n, s, v.Decision)
			}
		}
	}
}

func TestModes(t *testing.T) {
	for mode, want := range map[string]Decision{
		"": Ask, "default": Ask, "acceptEdits": Allow, "dontAsk": Deny, "bypassPermissions": Allow, "plan": Ask, "auto": Defer, "new": Unknown,
	} {
		if v := Decide(Request{Command: "touch x", Mode: mode}); v.Decision != want {
			t.Errorf("mode %q: %s, want %s", mode, v.Decision, want)
		}
	}
}

// TestUp: a .. behind a nested command goes up from a folder that nobody has seen. Each was asked
// of the real CLI.
func TestUp(t *testing.T) {
	for command, want := range map[string]Decision{
		`cat "$(dirname "a/b")/../x.md"`:     Ask,
		`cat "$(dirname "a/b")/.."`:          Ask,
		`ls "$(pwd)/x/.."`:                   Ask,
		`head "x$(echo a)/../b"`:             Ask,
		`ls "src/$(echo a)/../b"`:            Ask,
		`ls "$(pwd)../x"`:                    Allow,
		`ls "$(pwd)/x..y"`:                   Allow,
		`cat "$(pwd)/./x"`:                   Allow,
		`echo "$(pwd)/../x"`:                 Allow,
		`fd . src --format=%H`:               Allow,
		`fdfind . --format '{/}'`:            Allow,
		`cat "$(dirname "a/b")/x.md"`:        Allow,
		`wc -l "$(git rev-parse HEAD)/../x"`: Ask,
	} {
		if v := Decide(Request{Command: command}); v.Decision != want {
			t.Errorf("%s: %s (%s), want %s", command, v.Decision, v.Reason, want)
		}
	}
}
