// Command skillhand loads skills for agents, and runs and judges their scripts.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/skillhand/skillhand/proc"
)

func main() { os.Exit(run()) }

// run is main without the exit. It is also what the tests call skillhand.
func run() int {
	std := &stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Environ()}
	colors := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	std.color, std.outColor = colors && isTerminal(os.Stderr), colors && isTerminal(os.Stdout)
	ctx := withSignals(context.Background())
	root := newRoot(std)
	root.SetArgs(dashPrompt(root, setAside(std, os.Args[1:])))
	err := root.ExecuteContext(ctx)
	proc.KillOrphans()
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	std.report(err)
	return exitStatus(err)
}

// A stdio is what a command reads, writes and depends on.
type stdio struct {
	in              io.Reader
	out             io.Writer
	err             io.Writer
	env             []string
	color, outColor bool // messages, and results, may have colour

	files []string // the last of parse's, see setAside

	screen sync.Mutex // held by whoever uses the terminal for more than a message
}

// withSignals returns a context that a first Ctrl-C, SIGTERM or the end of the
// terminal cancels. Signals
// are caught from the moment on that something waits for the context: until
// then there is nothing to end in order, and catching them costs start-up.
func withSignals(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	return &signalContext{Context: ctx, cancel: cancel}
}

type signalContext struct {
	context.Context
	cancel context.CancelCauseFunc
	once   sync.Once
}

// Done is called by whoever wants to be told of the end.
func (c *signalContext) Done() <-chan struct{} {
	c.once.Do(func() {
		signals := make(chan os.Signal, 4)
		// A closed stdout shall not kill us either: the write fails instead, and
		// what was started is still ended in order.
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
		go c.catch(signals)
	})
	return c.Context.Done()
}

func (c *signalContext) catch(signals <-chan os.Signal) {
	for s := range signals {
		if s == syscall.SIGPIPE {
			continue
		}
		if c.Err() != nil { // a second one ends us at once, and all that we started
			proc.KillOrphans()
			os.Exit(128 + int(s.(syscall.Signal)))
		}
		c.cancel(&interrupted{s.(syscall.Signal)})
	}
}

// An interrupted error says which signal ended the command.
type interrupted struct{ signal syscall.Signal }

func (e *interrupted) Error() string { return "interrupted" }

// report prints an error, each of its lines as a message of its own.
func (std *stdio) report(err error) {
	if err == nil {
		return
	}
	var status *statusError
	if errors.As(err, &status) && status.err == nil {
		return // said already
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(std.err, "%s %s\n", std.paint("31", "skillhand:"), visible(near(line)))
	}
}

// warn prints a warning.
func (std *stdio) warn(text string) {
	fmt.Fprintf(std.err, "%s %s\n", std.paint("33", "skillhand: warning:"), visible(near(text)))
}

// near names a file as people would from here: a message that begins with a
// path below the working folder begins with what is below it.
func near(message string) string {
	dir, err := os.Getwd()
	if err != nil || dir == "/" {
		return message
	}
	return strings.TrimPrefix(message, dir+string(os.PathSeparator))
}

// paint colours text if messages may have colour.
func (std *stdio) paint(code, text string) string {
	if !std.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// interactive reports whether a person can be asked.
func (std *stdio) interactive() bool { return isTerminal(std.in) && isTerminal(std.err) }

func newRoot(std *stdio) *cobra.Command {
	root := &cobra.Command{
		Use:   "skillhand",
		Short: "The hand behind an agent's skills",
		Long: `skillhand prints a skill as the agent should read it, with the live output of
the commands in it, and runs a skill's script and judges what it reports.
Arguments are data, never code; commands run only from folders that you trust.`,
		Example: `  skillhand load review src/auth.go     print the skill "review" for an agent
  skillhand load ./skills/review        the same, by its path
  skillhand load status --json          what ran, how, and what it printed
  skillhand run deploy staging          run the script of "deploy" and judge its report
  skillhand ask 'What is this?' --json   ask Claude, with a typed answer or a named failure
  skillhand parse out.txt               read the report in what a script printed
  skillhand emit --deliverable a.txt    print a report, from a shell script
  skillhand migrate --dry-run skills    bring old skills to today's forms
  skillhand status                      what is loaded, and how the last runs went
  skillhand trust                       let skills of this project run commands`,
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		Args:                       cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			text := fmt.Sprintf("unknown command %q", args[0])
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				text += ", did you mean " + strings.Join(near, " or ") + "?"
			}
			return usagef("%s\nsee skillhand --help", text)
		},
	}
	root.Version = newVersionDocument().Version
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%v\nsee %s --help", err, cmd.CommandPath())
	})
	noColor := root.PersistentFlags().Bool("no-color", false, "print no colours (also: NO_COLOR)")
	root.PersistentPreRun = func(*cobra.Command, []string) {
		std.color, std.outColor = std.color && !*noColor, std.outColor && !*noColor
	}
	root.AddCommand(newLoad(std), newRun(std), newAsk(std), newParse(std), newEmit(std), newMigrate(std), newStatus(std), newStatusline(std), newRetro(std), newHistory(std), newInit(std), newHook(std), newTrust(std), newDoctor(std), newBuiltin(std), newMan(std), newVersion(std))
	root.SetHelpCommand(newHelp(root))
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args = args(cobra.NoArgs)
		completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	return root
}

// newHelp is cobra's help command, but for a topic that does not exist.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("no help for %q\nsee skillhand --help", strings.Join(args, " "))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// args wraps an argument check so that its error counts as wrong usage.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usagef("%v\nusage: %s", err, cmd.UseLine())
		}
		return nil
	}
}
