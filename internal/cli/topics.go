package cli

import (
	"strings"

	"github.com/skillhand/skillhand/internal/term"
)

// A topic is a help text that is not about a command.
type topic struct {
	name  string
	words []string // other names for it
	intro string
	rows  [][2]string
}

// topics are the help texts that are not about commands.
var topics = []topic{
	{"exit-codes", []string{"exit-status", "exit", "status-codes"}, "All commands end with these exit statuses. " +
		"With --json, a command that fails before it prints anything prints one document with the error. run, ask, parse and " +
		"migrate print their usual document; other commands print {\"error\": …, \"exit_status\": …}.", Statuses},
	{"environment", []string{"env", "variables"}, "skillhand reads these environment variables.", Variables},
	{"install", []string{"installing"}, "Each of these installs skillhand; skillhand upgrade knows which one you used.", installs},
}

// Variables describes the environment variables that commands read.
var Variables = [][2]string{
	{"SKILLHAND_STATE_DIR", "The folder for state; else $XDG_STATE_HOME/skillhand, else ~/.local/state/skillhand."},
	{"SKILLHAND_TRUST", "\"all\" trusts every folder, for CI and containers."},
	{"SKILLHAND_CLAUDE", "The Claude CLI; else claude in PATH."},
	{"SKILLHAND_CODEX, SKILLHAND_COPILOT, …", "The program of another agent; else the one in PATH."},
	{"SKILLHAND_HISTORY", "\"off\" records nothing."},
	{"SKILLHAND_BATCH_DB", "The database of batches: a file, or postgres://...; else a file in the state folder."},
	{"SKILLHAND_MCP_TOKEN", "The token that clients of mcp --http must send; else mcp prints a new token."},
	{"CLAUDE_PLUGIN_ROOT", "The plugin whose skills come first. Its commands run only if you trust it."},
	{"CLAUDE_PLUGIN_DATA, CLAUDE_EFFORT", "The values of these variables in a skill's text."},
	{"CLAUDE_SESSION_ID, CLAUDE_CODE_SESSION_ID", "The session in which a skill is loaded."},
	{"CLAUDE_CONFIG_DIR", "Claude Code's folder; else ~/.claude."},
	{"NO_COLOR", "Print no colors."},
	{"FORCE_COLOR", "Print colors even without a terminal, as in CI logs; \"0\" prints none."},
	{"COLUMNS", "The width of output where there is no terminal."},
	{"SOURCE_DATE_EPOCH", "The date of manual pages."},
}

// installs are the ways to get skillhand.
var installs = [][2]string{
	{"npm install -g skillhand", "With npm. To try it without installing: npx skillhand check."},
	{"brew install skillhand/tap/skillhand", "With Homebrew."},
	{"go install github.com/skillhand/skillhand/cmd/...@latest", "With Go: both programs."},
	{"a release's archive", "Unpack it, and put both programs into a folder of your PATH."},
	{"skillhand mcp --install AGENT", "Then let another agent use your skills: see skillhand help mcp."},
	{"skillhand completion SHELL", "Then let your shell complete commands: see skillhand help completion."},
}

// topicOf finds a topic by its name or by another word for it.
func topicOf(name string) *topic {
	for i, t := range topics {
		for _, word := range append(t.words, t.name) {
			if strings.EqualFold(word, name) {
				return &topics[i]
			}
		}
	}
	return nil
}

// text returns the topic, wrapped at a width.
func (t *topic) text(columns int) string {
	var b strings.Builder
	b.WriteString(reflow(t.intro, columns) + "\n")
	for _, r := range t.rows {
		if term.Cells(r[0]) <= 8 {
			b.WriteString(term.Hang("  "+term.Pad(r[0], 10), r[1], columns))
			continue
		}
		b.WriteString("  " + r[0] + "\n" + term.Hang("      ", r[1], columns))
	}
	return b.String()
}
