package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claudepage"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/render"
	"github.com/skillhand/skillhand/session"
	"github.com/skillhand/skillhand/skill"
)

type loadOptions struct {
	skillhand.LoadRequest
	args, wrap, dialect, via string
	json                     bool
}

func newLoad(std *stdio) *cobra.Command {
	var o loadOptions
	cmd := &cobra.Command{
		Use:   "load SKILL [ARG...]",
		Short: "Print a skill as the agent should read it",
		Long: `Print a skill as the agent should read it: variables filled in, and the output
of its directives in their places.

SKILL is a name, plugin:name, or the path of a skill's folder or file. Names are
looked for in the plugin, in .claude/skills and .agents/skills from here up to
the top of the repository, and in the same folders of your home.

A directive that fails becomes an <error> on the page, and the page still
arrives; with --strict the load fails instead. Commands run only from a plugin
that was named, from your own folders, and from folders you trust.`,
		Example: `  skillhand load status
  skillhand load review src/auth.go --strict
  skillhand load review --args 'src/auth.go "two words"'
  skillhand load ./skills/review --no-exec
  skillhand load review --record review.json     # then, in CI:
  skillhand load review --replay review.json
  skillhand load review --dialect claude         # as Claude Code would send it`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return completeSkills(o.PluginRoot), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLoad(cmd.Context(), std, cmd, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.args, "args", "", "the arguments as one `string`, as an agent passes them; - reads them from stdin")
	f.StringVar(&o.Session, "session", "", "session `id` (default $CLAUDE_SESSION_ID, then $CLAUDE_CODE_SESSION_ID)")
	f.StringVar(&o.Agent, "agent", "", "`id` of the agent that reads the page")
	f.StringVar(&o.PluginRoot, "plugin-root", "", "the plugin's `folder` (default $CLAUDE_PLUGIN_ROOT); its commands may run")
	f.StringVar(&o.Project, "project", "", "work in the project in this `folder` instead of here")
	f.BoolVar(&o.Full, "full", false, "the whole text, whatever the agent has seen")
	f.BoolVar(&o.Later, "reference", false, "the page of a later use: fresh output, not the instructions again")
	f.BoolVar(&o.Strict, "strict", false, "fail if a directive fails, and print no page")
	f.StringVar(&o.wrap, "wrap", "auto", "put <skill-output> around output: `auto`, always, never")
	f.StringVar(&o.dialect, "dialect", "skillhand", "whose rules: `skillhand`, or claude for what Claude Code 2.1.325 sends")
	f.StringVar(&o.via, "via", "slash", "claude dialect: invoked by `slash` command or by the Skill tool")
	f.DurationVar(&o.Timeout, "timeout", 120*time.Second, "for each directive")
	f.IntVar(&o.MaxOutput, "max-output", 30_000, "`characters` of one directive on the page; of more, the first 2,000")
	f.BoolVar(&o.NoExec, "no-exec", false, "run nothing: directives stay as written")
	f.StringVar(&o.Record, "record", "", "keep every directive's outcome in `file`")
	f.StringVar(&o.Replay, "replay", "", "run nothing: take every directive's outcome from `file`")
	f.BoolVar(&o.json, "json", false, "print the page and what ran as one JSON document")
	fixed := func(values ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	for flag, complete := range map[string]cobra.CompletionFunc{
		"wrap": fixed("auto", "always", "never"), "dialect": fixed("skillhand", "claude"), "via": fixed("slash", "tool"),
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(err) // a flag of this name is defined above
		}
	}
	return cmd
}

func runLoad(ctx context.Context, std *stdio, cmd *cobra.Command, o loadOptions, args []string) error {
	if err := o.complete(std, cmd, args); err != nil {
		return err
	}
	if std.Interactive() {
		o.Ask = func(dir string, commands []string) (bool, error) {
			return askTrust(ctx, std, "Loading "+o.Skill, dir, commands)
		}
	}
	rt, err := newRuntime(std)
	if err != nil {
		return err
	}
	done := std.Spin("loading " + o.Skill).End
	page, err := rt.Load(ctx, o.LoadRequest)
	done()
	if failure, ok := errors.AsType[*claudepage.Failure](err); ok {
		fmt.Fprintln(std.Err, failure.Message) // Claude Code's own words, and nothing else
		return cli.Exit(cli.ExitFailed, nil)
	}
	if err != nil {
		return err
	}
	if err := std.deliver(page, o.json); err != nil {
		return err
	}
	if nowhere(std.Out) {
		return nil
	}
	if err := page.Commit(); err != nil {
		std.Warn(fmt.Sprintf("the next load will have the whole text again: %v", err))
	}
	return nil
}

// deliver prints the page.
func (std *stdio) deliver(page *skillhand.Page, asJSON bool) error {
	if asJSON {
		return std.PrintJSON(newLoadDocument(page))
	}
	for _, w := range page.Warnings {
		std.Warn(w)
	}
	if _, err := io.WriteString(std.Out, page.Text); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

// complete checks the flags and fills in what the environment says.
func (o *loadOptions) complete(std *stdio, cmd *cobra.Command, args []string) error {
	o.Skill = args[0]
	switch o.wrap {
	case "auto":
	case "always", "never":
		o.Wrap = render.Wrap(o.wrap)
	default:
		return cli.Usagef("--wrap %s: want auto, always or never", o.wrap)
	}
	switch o.dialect {
	case "skillhand":
	case "claude":
		o.Claude = true
	default:
		return cli.Usagef("--dialect %s: want skillhand or claude", o.dialect)
	}
	switch o.via {
	case "slash":
	case "tool":
		o.ViaTool = true
	default:
		return cli.Usagef("--via %s: want slash or tool", o.via)
	}
	if o.Timeout <= 0 {
		return cli.Usagef("--timeout %s: want more than 0", o.Timeout)
	}
	if o.Claude && !cmd.Flags().Changed("timeout") {
		o.Timeout = 0 // then Claude Code's own settings count
	}
	if o.MaxOutput <= 0 {
		return cli.Usagef("--max-output %d: want more than 0", o.MaxOutput)
	}
	for _, flag := range []string{"record", "replay"} {
		if f := cmd.Flags().Lookup(flag); f.Changed && f.Value.String() == "" {
			return cli.Usagef("--%s: the file's name is empty", flag)
		}
	}
	if o.Record != "" && (o.Replay != "" || o.NoExec || o.Claude) {
		return cli.Usagef("--record goes with neither --replay nor --no-exec nor --dialect claude: nothing would be recorded")
	}
	if o.Replay != "" && o.Claude {
		return cli.Usagef("--replay does not go with --dialect claude")
	}
	if o.Full && o.Later {
		return cli.Usagef("--full and --reference contradict each other")
	}
	if err := o.arguments(std, cmd, args[1:]); err != nil {
		return err
	}
	if o.PluginRoot == "" {
		o.PluginRoot = lookup(std.Env, "CLAUDE_PLUGIN_ROOT")
	}
	return o.ids(std, cmd)
}

// arguments takes the skill's arguments from --args, stdin or the command line.
func (o *loadOptions) arguments(std *stdio, cmd *cobra.Command, words []string) error {
	if !cmd.Flags().Changed("args") {
		o.Args = render.JoinArgs(words)
		return nil
	}
	if len(words) > 0 {
		return cli.Usagef("arguments are given twice: by --args and as %s", strings.Join(words, " "))
	}
	raw := o.args
	if raw == "-" {
		text, err := io.ReadAll(io.LimitReader(std.In, skill.MaxSize+1))
		if err != nil {
			return fmt.Errorf("stdin: %w", err)
		}
		if len(text) > skill.MaxSize {
			return cli.Usagef("--args -: more than %d MB on stdin", skill.MaxSize>>20)
		}
		raw = string(text)
	}
	o.Args = render.ParseArgs(raw)
	if o.Claude && o.ViaTool {
		o.Args.Raw = raw // the tool passes blanks on
	}
	return nil
}

// ids checks the session and the agent. A bad id in a flag is wrong usage; one
// in the environment is nobody's fault here, and counts as none.
func (o *loadOptions) ids(std *stdio, cmd *cobra.Command) error {
	for flag, id := range map[string]string{"session": o.Session, "agent": o.Agent} {
		if cmd.Flags().Changed(flag) {
			if err := session.CheckID(id); err != nil {
				return cli.Usagef("--%s: %v", flag, err)
			}
		}
	}
	if o.Session != "" {
		return nil
	}
	for _, name := range []string{"CLAUDE_SESSION_ID", "CLAUDE_CODE_SESSION_ID"} {
		id := lookup(std.Env, name)
		if id == "" {
			continue
		}
		if err := session.CheckID(id); err != nil {
			std.Warn(fmt.Sprintf("%s is not used: %v", name, err))
			continue
		}
		o.Session = id
		return nil
	}
	return nil
}

// askTrust asks a person whether a folder's commands may run.
func askTrust(ctx context.Context, std *stdio, doing, dir string, commands []string) (bool, error) {
	std.Screen.Lock()
	defer std.Screen.Unlock()
	fmt.Fprintf(std.Err, "%s is not trusted yet. %s would run:\n\n", dir, doing)
	for _, c := range commands {
		fmt.Fprintf(std.Err, "    %s\n", strings.ReplaceAll(term.Visible(c), "\n", "\n    "))
	}
	fmt.Fprintf(std.Err, "\nTrust %s and run commands of its skills from now on? [y/N] ", dir)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(std.In).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes", nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// A loadDocument is what load --json prints: schemas/load-v1.schema.json.
type loadDocument struct {
	Skill      string              `json:"skill"`
	File       string              `json:"file"`
	FirstUse   bool                `json:"first_use"`
	Text       string              `json:"text"`
	Directives []directiveDocument `json:"directives"`
	Warnings   []string            `json:"warnings"`
}

type directiveDocument struct {
	Command    string  `json:"command"`
	Line       int     `json:"line"`
	How        string  `json:"how"`
	Exit       int     `json:"exit"`
	DurationMS float64 `json:"duration_ms"`
	Bytes      int64   `json:"bytes"`
}

func newLoadDocument(p *skillhand.Page) loadDocument {
	doc := loadDocument{Skill: p.Skill, File: p.File, FirstUse: p.FirstUse, Text: p.Text, Directives: []directiveDocument{}, Warnings: append([]string{}, p.Warnings...)}
	for _, d := range p.Directives {
		doc.Directives = append(doc.Directives, directiveDocument{
			Command: d.Command, Line: d.Line, How: string(d.How), Exit: d.Exit,
			DurationMS: float64(d.Duration.Microseconds()) / 1000, Bytes: d.Bytes,
		})
	}
	return doc
}

// newRuntime makes the runtime that all commands use.
func newRuntime(std *stdio) (*skillhand.Runtime, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, errors.New("the working folder is gone")
	}
	rt := &skillhand.Runtime{Dir: dir, Env: std.Env, Builtins: builtins}
	if self, err := os.Executable(); err == nil {
		rt.Self = []string{self, "builtin"}
	}
	return rt, nil
}

func lookup(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// completeSkills lists the skills that can be loaded here.
func completeSkills(pluginRoot string) []string {
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	if pluginRoot == "" {
		pluginRoot = os.Getenv("CLAUDE_PLUGIN_ROOT")
	}
	var names []string
	for _, loc := range (skill.Finder{PluginRoot: pluginRoot, Dir: dir, Home: os.Getenv("HOME")}).List() {
		names = append(names, loc.Name)
	}
	return names
}
