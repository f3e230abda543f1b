package claudepage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// settings is what Claude Code's settings files say about commands in skills.
type settings struct {
	DisableSkillShellExecution *bool          `json:"disableSkillShellExecution"`
	Env                        map[string]any `json:"env"`
}

// readSettings reads the user's settings, then the project's, then the project's local ones; the
// later ones count. A project sets the environment for its own skills only: the user's skills also
// run in projects that nobody trusts, and a variable can be as good as a command.
func readSettings(r Request, s *Skill) settings {
	all := settings{Env: map[string]any{}}
	user := filepath.Join(r.Home, ".claude", "settings.json")
	for _, file := range []string{
		user,
		filepath.Join(r.Project, ".claude", "settings.json"),
		filepath.Join(r.Project, ".claude", "settings.local.json"),
	} {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		var one settings
		if json.Unmarshal(b, &one) != nil {
			continue // Claude Code passes over a file that it cannot read
		}
		if one.DisableSkillShellExecution != nil {
			all.DisableSkillShellExecution = one.DisableSkillShellExecution
		}
		if file == user || within(filepath.Join(r.Project, ".claude"), s.File) {
			for name, value := range one.Env {
				all.Env[name] = value
			}
		}
	}
	return all
}

// noShell reports whether a policy forbids commands in skills.
func (s settings) noShell() bool {
	return s.DisableSkillShellExecution != nil && *s.DisableSkillShellExecution
}

// environment returns the variables that the settings define.
func (s settings) environment() []string {
	var env []string
	for name, value := range s.Env {
		switch value.(type) {
		case string, float64, bool:
			env = append(env, fmt.Sprintf("%s=%v", name, value))
		}
	}
	return env
}

const forbidden = "[shell command execution disabled by policy]"

// withoutCommands is the text under that policy. The inline directives are looked for after the
// blocks have gone.
func withoutCommands(text string) string {
	text = replaceMatches(text, blocks(text))
	return replaceMatches(text, inlines(text))
}

func replaceMatches(text string, matches []match) string {
	var b strings.Builder
	at := 0
	for _, m := range matches {
		b.WriteString(text[at:m.start])
		b.WriteString(forbidden)
		at = m.end
	}
	b.WriteString(text[at:])
	return b.String()
}
