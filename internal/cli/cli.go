// Package cli answers one question: how does each of our programs behave as a command?
//
// Both programs have their streams, messages, signals and exit statuses from here.
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

	Find func(name string) (string, error) // looks a program up that may be started; nil finds none

	second bool        // this is the second program
	wrote  atomic.Bool // a result is on stdout

	Screen sync.Mutex // held by whoever uses the terminal for more than a message
}

// NewStd returns what this process has.
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

// Run runs a command and returns the status to exit with. Nothing that it
// started is left.
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

// report prints why a command failed, each line as a message of its own, and returns the status to
// exit with. A command that was to print JSON and has printed nothing prints a Failure.
func (std *Std) report(err, cause error, asJSON bool) int {
	status, message := ending(err, cause)
	if message == "" {
		return status
	}
	if asJSON && !std.wrote.Load() {
		_ = std.PrintJSON(Failure{Error: message, ExitStatus: status}) // the message follows all the same
	}
	for line := range strings.SplitSeq(message, "\n") {
		std.say("31", "skillhand:", " "+term.Near(line))
	}
	return status
}

// Warn prints a warning, each line as one of its own.
func (std *Std) Warn(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		std.say("33", "skillhand: warning:", " "+term.Near(line))
	}
}

// Note prints what is worth knowing and no reason to worry.
func (std *Std) Note(text string) { std.say("33", "skillhand:", " "+text) }

// Say prints a message for people.
func (std *Std) Say(text string) { std.say("", "", text) }

// say prints a message whose head has a color. On a terminal, lines are broken between words.
func (std *Std) say(code, head, text string) {
	text = std.broken(head + term.Visible(text))
	if head != "" {
		text = std.paint(code, head) + strings.TrimPrefix(text, head)
	}
	fmt.Fprintln(std.Err, text)
}

// broken returns a text for stderr whose lines are broken between words if that is a terminal. What begins with blanks, such
// as a command that somebody wrote, stays as it is.
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

// programs are those whose commands messages give people to copy.
var programs = map[string][]string{"skillhand": Commands, "claude": {"auth", "mcp", "plugin", "setup-token"}, "npm": {"install"}}

// Commands are the names of all commands, of both programs.
var Commands = []string{
	"ask", "batch", "builtin", "check", "completion", "doctor", "done", "emit", "gate", "help", "history", "hook", "init", "list", "load", "lsp", "man",
	"may", "mcp", "migrate", "page", "parse", "run", "server", "statusline", "test", "trust", "try", "uninstall", "upgrade",
	"usage", "version",
}

// paint colors a message, if messages may have color.
func (std *Std) paint(code, text string) string { return term.Painter(std.Color)(code, text) }

// Painter returns what colors results, if they may have color.
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

// PrintEach writes results to stdout: a line of JSON for each, or what people read of it.
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

// Interactive reports whether a person can be asked.
func (std *Std) Interactive() bool { return term.IsTerminal(std.In) && term.IsTerminal(std.Err) }

// Live reports whether stderr is a terminal on which a line can be drawn again.
func (std *Std) Live() bool { return term.IsTerminal(std.Err) && std.Getenv("TERM") != "dumb" }

// NewScreen returns the last lines of the terminal on stderr.
func (std *Std) NewScreen() *term.Screen { return &term.Screen{Out: std.Err, Held: &std.Screen} }

// Spin starts a spinner on stderr; without a terminal there, it only passes on.
func (std *Std) Spin(what string) *term.Spinner {
	return term.Spin(std.Err, &std.Screen, std.Live(), what)
}

// Waiting says, where stdin is a terminal, that a command reads it.
func (std *Std) Waiting(text string) {
	if term.IsTerminal(std.In) {
		std.Note(text)
	}
}

// Edge returns how wide a line may be before it is cut: as Columns, but lines that no terminal shows are whole.
func (std *Std) Edge() int {
	if !term.IsTerminal(std.Out) && std.Getenv("COLUMNS") == "" {
		return math.MaxInt32
	}
	return std.Columns()
}

// Columns returns how wide results may be.
func (std *Std) Columns() int {
	return term.Columns(std.Out, std.Getenv("COLUMNS"), term.DefaultWidth)
}

// UTF8 reports whether what is printed may have other characters than ASCII's: unless the
// locale says no.
func (std *Std) UTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := std.Getenv(name); value != "" {
			value = strings.ToLower(strings.ReplaceAll(value, "-", ""))
			return strings.Contains(value, "utf8")
		}
	}
	return true
}
