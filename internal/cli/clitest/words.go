// Package clitest answers: does a tree of commands have one word for one thing?
package clitest

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/skillhand/skillhand/internal/cli"
)

// A word is how a flag of one name looks in every command that has it.
type word struct{ short, value string }

// words are the flags that several commands share.
var words = map[string]word{
	"json": {}, "dry-run": {}, "fresh": {}, "all": {}, "strict": {}, "markdown": {}, "failed": {},
	"cwd": {"", "folder"}, "root": {"", "folder"}, "plugin-root": {"", "folder"}, "project": {"", "folder"},
	"jobs": {"j", "number"}, "output": {"o", ""}, "junit": {"", "file"}, "format": {"", "format"}, "dialect": {"", "dialect"},
	"session": {"", "id"}, "since": {}, "skill": {"", "name"}, "model": {"", "model"}, "claude": {"", "path"}, "db": {"", "file"},
	"budget-usd": {"", "dollars"}, "max-budget-usd": {"", "dollars"}, "timeout": {"", "duration"}, "idle-timeout": {"", "duration"},
	"rate": {"", "rate"}, "scope": {"", "scope"}, "allowed-tool": {"", "tool"},
}

// others are names that lost against a word: no command has them.
var others = map[string]string{
	"concurrency": "jobs", "parallel": "jobs", "workers": "jobs", "out": "output", "results": "output", "export": "output or format",
	"print": "dry-run", "preview": "dry-run", "here": "the default", "dir-to-work-in": "cwd", "chdir": "cwd", "directory": "cwd",
	"file-format": "format",
}

// jsonForms are the two things that --json can promise.
var jsonForms = regexp.MustCompile(`^print (one JSON document|a line of JSON for each )`)

// Check holds the flags of every command against the words.
func Check(t *testing.T, root *cobra.Command) {
	t.Helper()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				checkFlag(t, cmd.CommandPath()+" --"+f.Name, f)
				checkValues(t, cmd, f)
			}
		})
		if cmd.Runnable() && !cmd.HasAvailableSubCommands() && !cmd.DisableFlagParsing && cmd.Args == nil &&
			!strings.Contains(cmd.Use, "[") && !strings.Contains(cmd.Use, "...") {
			t.Errorf("%s: takes any argument and does not say so", cmd.CommandPath())
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(root)
}

// Failures holds what every command with --json prints when it is called wrongly against cli.Failure. run runs os.Args.
func Failures(t *testing.T, root *cobra.Command, run func(std *cli.Std) int) {
	t.Helper()
	args := os.Args
	defer func() { os.Args = args }()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Flags().Lookup("json") != nil {
			os.Args = append(strings.Fields(cmd.CommandPath()), "--no-such-flag", "--json")
			var out strings.Builder
			status := run(&cli.Std{In: strings.NewReader(""), Out: &out, Err: io.Discard, Env: os.Environ()})
			var f cli.Failure
			err := json.Unmarshal([]byte(out.String()), &f)
			if err != nil || status != cli.ExitUsage || f.ExitStatus != status || !strings.Contains(f.Error, "no-such-flag") {
				t.Errorf("%s: exit status %d, %v, and it prints %q", strings.Join(os.Args, " "), status, err, out.String())
			}
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(root)
}

// choices are what the values of flags are called that have only a few.
var choices = []string{"agent", "agents", "dialect", "form", "format", "kind", "mode", "place", "scope", "severity", "way"}

// checkValues wants a shell to complete a value that is one of a few.
func checkValues(t *testing.T, cmd *cobra.Command, f *pflag.Flag) {
	t.Helper()
	value, _ := pflag.UnquoteUsage(f)
	if _, ok := cmd.GetFlagCompletionFunc(f.Name); !ok && slices.Contains(choices, value) {
		t.Errorf("%s --%s: a shell completes no %s", cmd.CommandPath(), f.Name, value)
	}
}

func checkFlag(t *testing.T, where string, f *pflag.Flag) {
	t.Helper()
	value, usage := pflag.UnquoteUsage(f)
	if better, ok := others[f.Name]; ok {
		t.Errorf("%s: this is called %s elsewhere", where, better)
	}
	if want, ok := words[f.Name]; ok && f.NoOptDefVal != "true" {
		if f.Shorthand != want.short {
			t.Errorf("%s: its short form is %q, elsewhere %q", where, f.Shorthand, want.short)
		}
		if want.value != "" && value != want.value {
			t.Errorf("%s: its value is called %q, elsewhere %q", where, value, want.value)
		}
	}
	switch f.Name {
	case "json":
		if !jsonForms.MatchString(usage) {
			t.Errorf("%s: %q says neither that it prints one document nor that it prints lines", where, usage)
		}
	case "dry-run":
		if !strings.HasPrefix(usage, "show ") || !strings.Contains(usage, "nothing") {
			t.Errorf("%s: %q does not say what it shows and that it changes nothing", where, usage)
		}
	}
	if value == f.DefValue && value != "" {
		t.Errorf("%s: its placeholder reads as its only value, %q", where, value)
	}
}
