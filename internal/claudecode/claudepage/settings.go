package claudepage

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
)

// readSettings reads what Claude Code would.
func readSettings(r Request) *settings.Settings { return settings.Read(r.where()) }

func (r Request) where() settings.Where {
	return settings.Where{Home: r.Home, Config: r.configDir(), Dir: r.Project}
}

// settingsEnv returns the variables that the settings define for the commands of s. A project sets
// them for its own skills only: the user's skills also run in projects that nobody trusts, and a
// variable can be as good as a command.
func settingsEnv(set *settings.Settings, r Request, s *Skill) []string {
	sources := []settings.Source{settings.User, settings.Managed}
	for _, dir := range find.Upward(r.Project, r.Home) {
		if own, err := filepath.EvalSymlinks(filepath.Join(dir, ".claude")); err == nil && files.Inside(own, s.Real) {
			sources = nil // all
		}
	}
	var env []string
	all := set.Env(sources...)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		env = append(env, name+"="+all[name])
	}
	return env
}

const forbidden = "[shell command execution disabled by policy]"

// withoutCommands returns the text under that policy. The inline directives are looked for after the
// blocks have gone.
func withoutCommands(text string) string {
	text = replaceMatches(text, claudecode.Blocks(text))
	return replaceMatches(text, claudecode.Inlines(text))
}

func replaceMatches(text string, matches []claudecode.Match) string {
	var b strings.Builder
	at := 0
	for _, m := range matches {
		b.WriteString(text[at:m.Start])
		b.WriteString(forbidden)
		at = m.End
	}
	b.WriteString(text[at:])
	return b.String()
}
