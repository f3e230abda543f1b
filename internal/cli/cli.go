// Package cli answers one question: how does each of our programs behave as a command?
//
// Both programs take their streams, messages, signals and exit statuses from this package.
package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/words"
)

// A Std is what a command reads, writes and depends on.
type Std struct {
	In              io.Reader
	Out             io.Writer
	Err             io.Writer
	Env             []string
	Color, OutColor bool // messages, and results, may have color

	Find func(name string) (string, error) // finds a program that may be started; nil finds none

	second bool        // this is the second program
	wrote  atomic.Bool // a result was written to stdout

	Screen sync.Mutex // lock it to use the terminal for more than a message
}

// NewStd returns a Std with this process's streams and environment.
func NewStd() *Std {
	std := &Std{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: here.Environ()}
	may, forced := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", false
	switch force := os.Getenv("FORCE_COLOR"); force {
	case "":
	case "0", "false":
		may = false
	default:
		forced = os.Getenv("NO_COLOR") == ""
	}
	colors := func(f *os.File) bool { return forced || may && term.IsTerminal(f) }
	std.Color, std.OutColor = colors(os.Stderr), colors(os.Stdout)
	return std
}

// Run runs a command and returns the status to exit with. It leaves no process running that the
// command started.
func Run(std *Std, root *cobra.Command) int {
	ctx := withSignals(context.Background())
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], cobra.ShellCompRequestCmd) {
		plainUsages(root)
	}
	cmd, err := root.ExecuteContextC(ctx)
	err = plainGroup(err)
	proc.KillOrphans()
	return std.report(err, context.Cause(ctx), wantsJSON(cmd, os.Args[1:], err))
}

// report prints why a command failed, with a prefix on each line, and returns the exit status. If
// the command was asked for JSON and has printed nothing, report prints a Failure.
func (std *Std) report(err, cause error, asJSON bool) int {
	status, message := ending(err, cause)
	if message == "" {
		return status
	}
	if asJSON && !std.wrote.Load() {
		_ = std.PrintJSON(Failure{Error: message, ExitStatus: status}) // the message follows in any case
	}
	for line := range strings.SplitSeq(message, "\n") {
		std.say("31", "skillhand:", " "+term.Near(line))
	}
	return status
}

// Warn prints a warning, with a prefix on each line.
func (std *Std) Warn(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		std.say("33", "skillhand: warning:", " "+term.Near(line))
	}
}

// Note prints information that is no warning.
func (std *Std) Note(text string) { std.say("33", "skillhand:", " "+text) }

// Say prints a message for people.
func (std *Std) Say(text string) { std.say("", "", text) }

// say prints a message with a colored prefix. On a terminal it breaks lines between words.
func (std *Std) say(code, head, text string) {
	text = std.broken(head + term.Visible(text))
	if head != "" {
		text = std.paint(code, head) + strings.TrimPrefix(text, head)
	}
	fmt.Fprintln(std.Err, text)
}

// broken returns text for stderr. If stderr is a terminal, lines are broken between words. Lines
// that begin with spaces, such as commands, stay as they are.
func (std *Std) broken(text string) string {
	if !term.IsTerminal(std.Err) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, " ") {
			end := line[len(strings.TrimRight(line, " ")):]
			lines[i] = term.Message(line, term.Columns(std.Err, std.Getenv("COLUMNS"), term.DefaultWidth)-len(end), programs)
			lines[i] = strings.TrimRight(lines[i], " ") + end
		}
	}
	return strings.Join(lines, "\n")
}

// programs lists the programs whose command lines messages contain, for people to copy.
var programs = map[string][]string{"skillhand": Commands, "claude": {"auth", "mcp", "plugin", "setup-token"}, "npm": {"install"}}

// Commands lists the commands of both programs.
var Commands = []string{
	"ask", "batch", "builtin", "check", "completion", "doctor", "done", "emit", "gate", "help", "history", "hook", "init", "list", "load", "lsp",
	"man",
	"may", "mcp", "migrate", "page", "parse", "run", "server", "statusline", "test", "trust", "try", "uninstall", "upgrade",
	"usage", "version",
}

// paint colors a message, if messages may have color.
func (std *Std) paint(code, text string) string { return term.Painter(std.Color)(code, text) }

// Painter returns the function that colors results, if they may have color.
func (std *Std) Painter() term.Paint { return term.Painter(std.OutColor) }

// Write writes a part of a result to stdout.
func (std *Std) Write(p []byte) (int, error) {
	std.wrote.Store(true)
	return std.Out.Write(p)
}

// Print writes a result to stdout.
func (std *Std) Print(text string) error {
	if _, err := io.WriteString(std, text); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

// PrintJSON writes a result to stdout as one line of JSON.
func (std *Std) PrintJSON(v any) error {
	enc := json.NewEncoder(std)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

// PrintEither writes a result to stdout: as one line of JSON, or for people.
func (std *Std) PrintEither(asJSON bool, v any, text func() string) error {
	if asJSON {
		return std.PrintJSON(v)
	}
	return std.Print(text())
}

// PrintEach writes results to stdout: a line of JSON for each, or text for people.
func PrintEach[T any](std *Std, asJSON bool, all []T, text func(T) string) error {
	for _, v := range all {
		if err := std.PrintEither(asJSON, v, func() string { return text(v) }); err != nil {
			return err
		}
	}
	return nil
}

// Getenv returns a variable of the environment, or "".
func (std *Std) Getenv(name string) string {
	value, _ := words.Getenv(std.Env, name)
	return value
}

// Interactive reports whether the command can ask a person.
func (std *Std) Interactive() bool { return term.IsTerminal(std.In) && term.IsTerminal(std.Err) }

// Live reports whether stderr is a terminal on which lines can be redrawn.
func (std *Std) Live() bool { return term.IsTerminal(std.Err) && std.Getenv("TERM") != "dumb" }

// NewScreen returns a screen for the last lines of the terminal on stderr.
func (std *Std) NewScreen() *term.Screen { return &term.Screen{Out: std.Err, Held: &std.Screen} }

// Spin starts a spinner on stderr. Without a terminal, the spinner only passes output on.
func (std *Std) Spin(what string) *term.Spinner {
	return term.Spin(std.Err, &std.Screen, std.Live(), what)
}

// Waiting prints a note that the command reads stdin, if stdin is a terminal.
func (std *Std) Waiting(text string) {
	if term.IsTerminal(std.In) {
		std.Note(text)
	}
}

// Edge returns the width at which lines are cut. It is that of Columns, but without a terminal
// lines are not cut.
func (std *Std) Edge() int {
	if !term.IsTerminal(std.Out) && std.Getenv("COLUMNS") == "" {
		return math.MaxInt32
	}
	return std.Columns()
}

// Columns returns the width of results.
func (std *Std) Columns() int {
	return term.Columns(std.Out, std.Getenv("COLUMNS"), term.DefaultWidth)
}

// UTF8 reports whether output may contain other characters than ASCII, by the locale.
func (std *Std) UTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := std.Getenv(name); value != "" {
			value = strings.ToLower(strings.ReplaceAll(value, "-", ""))
			return strings.Contains(value, "utf8")
		}
	}
	return true
}
