package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/schemas"
)

type askOptions struct {
	skillhand.AskRequest
	at                   cli.At
	client               claude.Client
	prompt               string
	args, schema         string
	report, json, events bool
}

func newAsk(std *cli.Std) *cobra.Command {
	var o askOptions
	cmd := &cobra.Command{
		Use:   "ask [PROMPT|-] [-- CLAUDE-ARG...]",
		Short: "Ask Claude and return a typed answer",
		Long: `Ask Claude through the Claude CLI and print the answer. Without a PROMPT, skillhand
reads the prompt from stdin. With a PROMPT, it sends a pipe or file on stdin after
the prompt. Arguments after -- go to the CLI unchanged. --agent asks another agent
through that agent's own program.

If there is no answer, the error has a category and a kind. skillhand retries
temporary failures (network, rate limit, overload). When it ends, nothing that the
CLI started is left running.

With --skill, skillhand uses the model and the tools in the skill's frontmatter, if
you trust the skill's folder and ask Claude. Flags override them.

Exit status: 1 failure, 3 no such program, 4 temporary failure, 5 credentials or
quota, 124 timed out, 130 interrupted.`,
		Example: `  skillhand ask 'What does this project do?' --allowed-tool Read
  git diff | skillhand ask 'Review this diff'
  git diff | skillhand ask --skill review
  skillhand ask 'List the exported functions' --schema functions.json --json
  skillhand ask 'Fix the tests' --resume ID --events -o log.jsonl
  skillhand ask 'Think hard' -- --effort high
  skillhand ask 'What does this project do?' --agent codex`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAsk(cmd.Context(), std, cmd, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.prompt, "prompt", "", "")
	_ = f.MarkHidden("prompt") // cli.DashArgument passes a prompt that looks like a flag in it
	f.StringVar(&o.Agent, "agent", agents.Claude, "the `agent` to ask: "+strings.Join(agents.Names(), ", "))
	f.StringVar(&o.Skill, "skill", "", "put a skill before the prompt, by `name` or path")
	f.StringVar(&o.args, "args", "", "the skill's arguments, as one `string`")
	f.BoolVar(&o.Strict, "strict", false, "do not ask if a directive of the skill fails")
	f.StringVar(&o.Label, "label", "", "`text` that names it in the history")
	o.at.RootFlags(cmd)
	f.StringVar(&o.Model, "model", "", "the `model` to ask")
	f.IntVar(&o.MaxTurns, "max-turns", 0, "stop after this many turns (0: no limit)")
	f.StringArrayVar(&o.AllowedTools, "allowed-tool", nil,
		"a `tool` that Claude may use without asking, such as 'Bash(git log:*)'; repeatable")
	f.StringVar(&o.Resume, "resume", "", "continue the session with this `id`")
	f.BoolVar(&o.Continue, "continue", false, "continue the folder's last session")
	f.Float64Var(&o.MaxBudgetUSD, "max-budget-usd", 0, "stop after the turn that passes this many `dollars` (0: no limit)")
	f.StringVar(&o.schema, "schema", "", "a `file` with a JSON Schema that the answer must fit")
	f.BoolVar(&o.report, "report", false, "ask for a report, as skill scripts print it")
	f.StringVarP(&o.Transcript, "output", "o", "", "save the transcript to this `file`, byte for byte")
	f.StringVar(&o.Transcript, "output-file", "", "the same as --output `file`")
	f.DurationVar(&o.client.Timeout, "timeout", claude.DefaultTimeout, "time limit for the whole command, retries and waits included")
	f.DurationVar(&o.client.IdleTimeout, "idle-timeout", claude.DefaultIdleTimeout, "time limit without output from the CLI (0: no limit)")
	f.IntVar(&o.client.Retries, "retries", 2, "further attempts after a temporary failure")
	f.BoolVar(&o.client.RetryFresh, "retry-fresh", false, "start each retry afresh instead of continuing the session")
	f.StringVar(&o.Dir, "cwd", "", "work in this `folder` instead of here")
	f.StringVar(&o.client.Path, "claude", "", "the `path` of claude (default $SKILLHAND_CLAUDE, then claude in PATH)")
	f.BoolVar(&o.json, "json", false, "print one JSON document: the result")
	f.BoolVar(&o.events, "events", false, "print a line of JSON for each event, the result last")
	cli.ValuesFrom(cmd, "skill", func() []string { return o.at.SkillNames(std) })
	cli.ValuesFrom(cmd, "agent", agents.Names)
	return cmd
}

func runAsk(ctx context.Context, std *cli.Std, cmd *cobra.Command, o askOptions, args []string) error {
	err := o.complete(ctx, std, cmd, args)
	var rt *skillhand.Runtime
	if err == nil {
		rt, err = o.at.Runtime(std, "Loading "+term.Visible(o.Skill))
	}
	if err != nil {
		return answer(std, ctx, &o, nil, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	spinner := std.Spin("asking " + o.Agent)
	rt.Warn = func(text string) {
		spinner.Aside(func() { std.Warn(text) })
	}
	live := cli.NewAskLive(spinner, o.Agent, term.IsTerminal(std.Err))
	printer := &cli.Lines{}
	switch {
	case o.events:
		until, stop := context.WithTimeout(ctx, o.client.Timeout)
		defer stop()
		printer = cli.NewLines(until, std, cancel)
		o.client.OnEvent = func(e claude.Event) {
			if e.Type != claude.Result { // the result is printed last
				printer.Send(claude.NewEventDocument(e))
			}
		}
	case live.Shown:
		o.client.OnEvent = live.Event
	default:
		o.client.OnRetry = live.Event
	}
	rt.Claude = o.client
	reply, err := rt.Ask(ctx, o.AskRequest)
	spinner.End()
	if !printer.End() {
		return errors.New("stdout: closed before the last event")
	}
	if reply != nil {
		denied(std, o.Agent, reply.Denials)
		if err == nil && reply.Stderr != "" && !o.json && !o.events {
			fmt.Fprintln(std.Err, term.Visible(reply.Stderr))
		}
	}
	err = answer(std, ctx, &o, reply, err)
	if reply != nil && live.Shown && !o.json && !o.events {
		cost := fmt.Sprintf("$%.4f", reply.CostUSD)
		if reply.NoCost {
			cost = "cost unknown"
		}
		fmt.Fprintf(std.Err, "%s, %s, %s\n", term.Plural(reply.Turns, "turn"), cost, term.Duration(reply.Duration))
	}
	return err
}

// denied warns about each tool that the agent was not allowed to use: an answer without the tool
// may be a poor one.
func denied(std *cli.Std, name string, denials json.RawMessage) {
	for _, d := range claude.ParseDenials(denials) {
		who, how := "Claude", "see --allowed-tool"
		if name != agents.Claude {
			who, how = name, "its own options go after --"
		}
		std.Warn(fmt.Sprintf("%s was not allowed to use %s %s (%s)", who, d.Tool, term.Short(string(d.Input)), how))
	}
}

// complete checks the flags and reads what they name.
func (o *askOptions) complete(ctx context.Context, std *cli.Std, cmd *cobra.Command, args []string) error {
	switch {
	case o.client.Timeout <= 0:
		return cli.Usagef("--timeout %s: want more than 0", o.client.Timeout)
	case o.client.IdleTimeout < 0:
		return cli.Usagef("--idle-timeout %s: want 0 or more", o.client.IdleTimeout)
	case o.client.Retries < 0:
		return cli.Usagef("--retries %d: want 0 or more", o.client.Retries)
	case o.MaxTurns < 0:
		return cli.Usagef("--max-turns %d: want 0 or more", o.MaxTurns)
	case !(o.MaxBudgetUSD >= 0) || math.IsInf(o.MaxBudgetUSD, 0): // the negation also refuses NaN
		return cli.Usagef("--max-budget-usd %v: want 0 or more", o.MaxBudgetUSD)
	case o.json && o.events:
		return cli.Usagef("--json and --events cannot be used together")
	case o.client.Path != "" && o.Agent != agents.Claude:
		return cli.Usagef("--claude: the agent is %s: set SKILLHAND_%s to the path of its program", o.Agent, strings.ToUpper(o.Agent))
	case o.schema != "" && o.report:
		return cli.Usagef("--schema and --report cannot be used together")
	case o.Resume != "" && o.Continue:
		return cli.Usagef("--resume and --continue cannot be used together")
	case o.args != "" && o.Skill == "":
		return cli.Usagef("--args needs --skill")
	case o.Strict && o.Skill == "":
		return cli.Usagef("--strict needs --skill")
	}
	// An unset variable in a script must not quietly ask for something else.
	for _, name := range []string{"agent", "resume", "schema", "model", "skill", "output", "cwd", "claude", "allowed-tool"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && (f.Value.String() == "" || f.Value.String() == "[]") {
			return cli.Usagef("--%s: the value is empty", name)
		}
	}
	if o.client.IdleTimeout == 0 {
		o.client.IdleTimeout = -1
	}
	o.SkillArgs = render.ParseArgs(o.args)
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		args, o.Args = args[:n], args[n:]
	}
	if err := errors.Join(o.readSchema(), cli.CheckOutput(o.Transcript)); err != nil {
		return err
	}
	// The path is relative to the caller's folder, not to the folder in which Claude works.
	if o.Transcript != "" {
		var err error
		if o.Transcript, err = filepath.Abs(o.Transcript); err != nil {
			return err
		}
	}
	return o.readPrompt(ctx, std, cmd, args)
}

func (o *askOptions) readSchema() error {
	if o.report {
		var err error
		o.Schema, err = schemas.Files.ReadFile("skill-output-v1.schema.json")
		return err
	}
	if o.schema == "" {
		return nil
	}
	text, err := os.ReadFile(o.schema)
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Exit(cli.ExitMissing, fmt.Errorf("%s: %w", o.schema, files.Cause(err)))
	}
	if err != nil {
		return cli.Usagef("%s: %v", o.schema, files.Cause(err))
	}
	o.Schema = text
	return nil
}

// tooLong is more bytes than a prompt may have: readPrompt reads no further.
const tooLong = 11_000_000

// readPrompt reads the prompt from the arguments and from stdin. Like claude -p it joins both: the
// argument, a newline, and the text from stdin.
func (o *askOptions) readPrompt(ctx context.Context, std *cli.Std, cmd *cobra.Command, args []string) error {
	if cmd.Flags().Changed("prompt") {
		args = append(args, o.prompt)
	}
	wanted := len(args) == 0 // wait for stdin without a limit
	if n := len(args); n > 0 && args[n-1] == "-" {
		args, wanted = args[:n-1], true
	}
	switch {
	case o.Continue && slices.ContainsFunc(args, claude.IsSessionID), o.Continue && len(args) > 1:
		return cli.Usagef("--continue takes no session: use --resume %s", term.Short(args[len(args)-1]))
	case len(args) > 1:
		return cli.Usagef("two prompts, %q and %q: quote the prompt, and put arguments for claude after --",
			term.Short(args[0]), term.Short(args[1]))
	case len(args) == 1:
		o.Prompt = args[0]
	}
	switch {
	case !wanted && !term.IsPiped(std.In), len(args) == 0 && o.Skill != "" && term.IsTerminal(std.In):
		return nil // the prompt is complete
	case term.IsTerminal(std.In):
		std.Note("reading the prompt from stdin, Ctrl-D ends it")
	}
	patience := o.client.Timeout
	if !wanted {
		patience = min(patience, silentPipe)
	}
	began := time.Now()
	piped, err := cli.ReadAll(ctx, std.In, tooLong, patience, o.client.Timeout)
	switch {
	case errors.Is(err, cli.ErrSilent) && !wanted:
		std.Warn(fmt.Sprintf("stdin: no input for %s, continuing without it; add </dev/null to skip the wait", silentPipe))
	case errors.Is(err, cli.ErrSilent), errors.Is(err, cli.ErrEndless):
		e := &claude.Error{Category: claude.Timeout, Kind: claude.Deadline,
			Message: fmt.Sprintf("stdin: the prompt did not end within %s", o.client.Timeout)}
		return cli.Exit(cli.ExitTimeout, e)
	case err != nil:
		return fmt.Errorf("stdin: %w", err)
	}
	o.client.Timeout = max(o.client.Timeout-time.Since(began), 1)
	o.Prompt = claude.JoinPrompt(o.Prompt, piped)
	return nil
}

// silentPipe is how long readPrompt waits for a silent pipe if there is also a prompt. claude -p
// waits as long.
const silentPipe = 3 * time.Second

// answer prints the answer or the failure, and returns the command's error.
func answer(std *cli.Std, ctx context.Context, o *askOptions, reply *claude.Reply, err error) error {
	failure, _ := errors.AsType[*claude.Error](err)
	asked := reply != nil && (err == nil || failure != nil)
	if o.json || o.events {
		doc := claude.NewDocument(reply, err)
		if o.events {
			doc.Type = "result"
		}
		if _, err := doc.WriteTo(std); err != nil {
			return fmt.Errorf("stdout: %w", err)
		}
	}
	switch {
	case !asked:
		return o.notAsked(err)
	case o.json || o.events:
		err = nil // the document contains it
	case failure == nil:
		text := reply.Output
		if o.Schema != nil {
			text = string(reply.JSON)
		}
		end := "\n"
		if strings.HasSuffix(text, end) {
			end = ""
		}
		for _, part := range []string{text, end} { // the answer may be long, so it is not copied
			if _, err := io.WriteString(std.Out, part); err != nil {
				return fmt.Errorf("stdout: %w", err)
			}
		}
	}
	switch {
	case failure == nil:
		return nil
	case failure.Kind == claude.Interrupted && ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		return cli.Said(cli.AskStatus(failure))
	}
	return cli.Exit(cli.AskStatus(failure), loginHint(failure, err))
}

// loginHint adds to an error how to log in from a shell. Claude itself names a command that works
// only in its sessions.
func loginHint(failure *claude.Error, err error) error {
	if err == nil || failure.Kind != claude.Unauthorized || !strings.Contains(failure.Message, "/login") {
		return err
	}
	return fmt.Errorf("%w\nto log in, run claude auth login, or set ANTHROPIC_API_KEY", err)
}

// notAsked returns the error of an ask that was not made.
func (o *askOptions) notAsked(err error) error {
	if e, ok := errors.AsType[*claude.RequestError](err); ok && !errors.Is(err, fs.ErrNotExist) {
		if e.Field == "schema" && o.schema != "" {
			return cli.Usagef("%s: %s", o.schema, e.Fault)
		}
		return cli.Usagef("%v", e)
	}
	if _, ok := errors.AsType[*claude.StartError](err); ok || errors.Is(err, fs.ErrNotExist) {
		return cli.Exit(cli.ExitMissing, err)
	}
	return err
}
