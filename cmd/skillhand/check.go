package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

type checkOptions struct {
	at                          cli.At
	format, failOn, as, dialect string
	severity                    string
	baseline, writeBaseline     string
	config, stdinFile, explain  string
	json, fix, unsafe, diff     bool
	watch, noIgnore, noSkip     bool
	agents                      []string
	maxSame                     int
}

func newCheck(std *cli.Std) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [SKILL|PATH...]",
		Short: "Lint skills: find what is wrong before an agent does",
		Long: `Find mistakes in skills, commands, agents, plugins, marketplaces and hooks files:
commands that abort the page, patterns that never match, links to missing files,
rules that grant nothing or too much. check runs none of their commands.

A finding says what Claude Code ` + claudecode.Version + ` does with the file, not what skillhand load
does. --agents also checks for other agents.

Without a path, check reads this project and your own skills; --fix then changes
only the project's. The path - reads a skill from stdin. If you name a Markdown file
of another kind, check reads it as a skill's text. --explain RULE explains a rule.

To ignore a finding, put a comment with the reason above its line:
  <!-- skillhand: ignore SK308 the file is always there -->
To ignore a rule in the whole file, name it in the frontmatter:
  metadata: {skillhand-ignore: "SK308 the files are always there"}

The exit status is 1 if there are findings at or above --fail-on, and 3 if there is
nothing to check.`,
		Example: `  skillhand check
  skillhand check skills/review --fix
  skillhand check --explain SK401        explain a rule
  skillhand may --skill review           what Claude Code decides about commands
  skillhand check --format sarif > skillhand.sarif
  skillhand check --write-baseline .skillhand-baseline.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("explain") {
				return explainRules(std, append(strings.Fields(o.explain), args...), o.json)
			}
			return runCheck(cmd.Context(), std, o, args)
		},
	}
	f := cmd.Flags()
	o.format, o.failOn, o.severity, o.dialect = "full", "error", "info", "claude"
	cli.OneOf(cmd, &o.format, "format", "print findings in a `format`", "full", "concise", "json", "sarif", "github")
	f.IntVar(&o.maxSame, "max-same", 3, "of findings that are alike, show the first `N` in full and count the others; 0 shows all")
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	f.BoolVar(&o.fix, "fix", false, "fix what can be fixed safely")
	f.BoolVar(&o.unsafe, "unsafe-fixes", false, "with --fix or --dry-run: also apply fixes that may change the meaning")
	f.BoolVar(&o.diff, "dry-run", false, "show what --fix would change as a diff, and change nothing")
	f.BoolVar(&o.watch, "watch", false, "check again whenever a file changes")
	cli.OneOf(cmd, &o.failOn, "fail-on", "exit with 1 from this `severity` on", "error", "warning", "info")
	cli.OneOf(cmd, &o.severity, "severity", "print only findings of this `severity` or worse", "error", "warning", "info")
	cli.OneOf(cmd, &o.as, "as", "check the files as if loaded from this `place`: project, user or plugin (default: by location)",
		"project", "user", "plugin")
	cli.OneOf(cmd, &o.dialect, "dialect", "check for a `dialect`: claude, or skillhand to also say where our own pages differ from it",
		"claude", "skillhand")
	cli.SomeOf(cmd, &o.agents, "agents",
		"also check for these `agents`: "+strings.Join(check.Agents(), ", ")+" (default claude)", check.Agents()...)
	f.StringVar(&o.baseline, "baseline", "", "do not report the findings that this `file` lists")
	f.StringVar(&o.writeBaseline, "write-baseline", "", "list all findings in this `file`, for --baseline")
	f.BoolVar(&o.noIgnore, "no-ignore", false, "also report findings that a file asks to ignore")
	f.BoolVar(&o.noSkip, "no-skip", false, "also check folders of tests, fixtures and vendored code")
	f.StringVar(&o.config, "config", "", "configuration `file` (default: "+check.ConfigName+" at the repository's top, or here)")
	o.at.RootFlags(cmd)
	f.StringVar(&o.explain, "explain", "", "explain a `rule`; without a rule, list all rules")
	f.Lookup("explain").NoOptDefVal = " " // the rule may follow as an argument
	f.StringVar(&o.stdinFile, "stdin-file", "", "the `path` that stdin stands for")
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if cmd.Flags().Changed("explain") {
			return completeRules(cmd, args, typed)
		}
		return o.at.SkillNames(std), cobra.ShellCompDirectiveDefault
	}
	return cmd
}

// A checking is one call of check.
type checking struct {
	flags  checkOptions
	std    *cli.Std
	up     *check.Checkup
	paths  []string
	stdin  []byte // the text to check instead of files
	failed bool   // a file could not be checked or fixed
	warned bool   // warnings about the configuration were printed

	isNews func(*check.Result) bool // decides whether a result is printed; nil: it is
}

func runCheck(ctx context.Context, std *cli.Std, o checkOptions, paths []string) error {
	c := &checking{flags: o, std: std, paths: paths}
	if err := c.validate(); err != nil {
		return err
	}
	if o.json {
		c.flags.format = "json"
	}
	if err := c.open(); err != nil {
		return err
	}
	if o.watch {
		return c.watch(ctx)
	}
	return c.once(ctx)
}

// open reads the configuration, and stdin if the path - names it.
func (c *checking) open() error {
	if err := c.configure(); err != nil {
		return err
	}
	if slices.Contains(c.paths, "-") {
		return c.readStdin()
	}
	return nil
}

// configure reads the configuration for this folder; flags override it.
func (c *checking) configure() error {
	h, err := c.flags.at.Here(c.std.Env)
	if err != nil {
		return err
	}
	if c.paths, err = check.Named(h, c.paths); err != nil {
		return cli.Exit(cli.ExitMissing, err)
	}
	if c.flags.config != "" {
		c.up, err = check.AtConfig(h, c.flags.config, c.paths)
	} else {
		c.up, err = check.At(h, c.paths)
	}
	if err != nil {
		return unusable(err)
	}
	if c.flags.format == "sarif" || c.flags.format == "github" {
		c.up.Finder.Base = files.Top(h.Dir) // readers of these formats expect paths from the top
	}
	opt := &c.up.Options
	opt.Dialect, opt.NoIgnore, opt.NoSkip = c.flags.dialect, c.flags.noIgnore, c.flags.noSkip
	if len(c.flags.agents) > 0 {
		opt.Agents = c.flags.agents
	}
	if c.flags.as != "" {
		opt.As = check.Place(c.flags.as)
	}
	return nil
}

func (c *checking) readStdin() (err error) {
	if len(c.paths) > 1 {
		return cli.Usagef("-: stdin is checked alone")
	}
	c.std.Waiting("reading a skill's text from stdin, Ctrl-D ends it")
	if c.stdin, err = io.ReadAll(io.LimitReader(c.std.In, skill.MaxSize+1)); err != nil {
		return fmt.Errorf("stdin: %w", err)
	}
	if c.stdin == nil {
		c.stdin = []byte{}
	}
	return nil
}

// validate refuses flags with invalid values, and flags that exclude each other.
func (c *checking) validate() error {
	if c.flags.maxSame < 0 {
		return cli.Usagef("--max-same is %d, want 0 or more", c.flags.maxSame)
	}
	return c.clash()
}

// clash refuses combinations of flags in which one flag would have no effect.
func (c *checking) clash() error {
	stdin := slices.Contains(c.paths, "-")
	switch {
	case c.flags.unsafe && !c.flags.fix && !c.flags.diff:
		return cli.Usagef("--unsafe-fixes needs --fix or --dry-run")
	case c.flags.watch && stdin:
		return cli.Usagef("--watch: stdin does not change")
	case c.flags.stdinFile != "" && !stdin:
		return cli.Usagef("--stdin-file needs the path -, which reads stdin")
	case c.flags.json && c.flags.format != "full" && c.flags.format != "json":
		return cli.Usagef("--json and --format %s: choose one", c.flags.format)
	case c.flags.baseline != "" && c.flags.writeBaseline != "":
		return cli.Usagef("--baseline and --write-baseline: choose one, as what is written lists all findings")
	case c.flags.diff && (c.flags.json || c.flags.format != "full"):
		return cli.Usagef("--dry-run prints a patch and no findings: leave out --json and --format")
	case c.flags.diff && c.flags.writeBaseline != "":
		return cli.Usagef("--dry-run lists no findings: leave out --write-baseline")
	}
	return nil
}

func (c *checking) files() ([]check.File, error) {
	if c.stdin != nil {
		return []check.File{c.up.Finder.Source(c.flags.stdinFile, c.stdin)}, nil
	}
	files, err := c.up.Files()
	for _, pattern := range c.up.Unused() {
		if !c.warned {
			c.std.Warn(fmt.Sprintf("%s: exclude: %s leaves nothing out", term.Near(c.up.Config), pattern))
		}
	}
	c.warned = true
	if err != nil {
		return files, cli.Exit(cli.ExitMissing, err)
	}
	if said := c.skipped(); len(files) == 0 && said != "" {
		return nil, cli.Exit(cli.ExitMissing, errors.New("nothing to check: "+said))
	}
	if len(files) == 0 {
		return nil, cli.Exit(cli.ExitMissing, errors.New("nothing to check: no skill, command, agent, plugin, marketplace or hooks file here"))
	}
	return files, nil
}

// skipped says which folders were skipped, or "".
func (c *checking) skipped() string {
	n, folders := c.up.Skipped()
	switch {
	case n == 0:
		return ""
	case len(folders) > 3:
		folders = append(folders[:3], "…")
	}
	return fmt.Sprintf("%s skipped in %s; --no-skip checks them", term.Plural(n, "file"), strings.Join(folders, ", "))
}

// once checks the files. With --fix or --dry-run it first fixes them.
func (c *checking) once(ctx context.Context) error {
	files, err := c.files()
	if len(files) == 0 {
		return err
	}
	if err != nil { // some of the paths cannot be checked
		c.failed = true
		for line := range strings.Lines(err.Error()) {
			c.std.Say("skillhand: " + strings.TrimSpace(line))
		}
	}
	if c.flags.fix || c.flags.diff {
		done, err := c.mend(ctx, files)
		if done || err != nil {
			return err
		}
	}
	res, err := c.run(ctx, files)
	if err != nil {
		return err
	}
	if c.isNews != nil && !c.isNews(res) {
		return nil
	}
	return c.report(res)
}

// run checks the files. If that takes long, a spinner shows how many are done.
func (c *checking) run(ctx context.Context, files []check.File) (*check.Result, error) {
	spinner := c.std.Spin("checking " + term.Plural(len(files), "file"))
	c.up.Options.Progress = func(done, all int) {
		if done%100 == 0 {
			spinner.Doing(fmt.Sprintf("checking file %d of %d", done, all))
		}
	}
	res := check.Run(ctx, files, c.up.Options)
	res.Skipped, _ = c.up.Skipped()
	spinner.End()
	return res, ctx.Err()
}

// mend fixes the files, or shows the fixes. done says that there is nothing left to report.
func (c *checking) mend(ctx context.Context, files []check.File) (done bool, err error) {
	own := c.fixable(files)
	fixes := check.Mend(ctx, own, c.up.Options, c.flags.unsafe)
	if err := ctx.Err(); err != nil {
		return true, err
	}
	if fixes.Made == 0 && c.stdin == nil {
		c.sayNothingToFix(fixes)
	}
	if c.flags.diff {
		return true, c.showDiff(fixes)
	}
	if c.stdin != nil { // print the fixed text
		text := c.stdin
		for _, e := range fixes.Edits {
			text = e.After
		}
		return true, c.printFixed(ctx, text)
	}
	c.write(fixes)
	return false, nil
}

// printFixed prints the fixed text of stdin, and on stderr the findings that remain in it.
func (c *checking) printFixed(ctx context.Context, text []byte) error {
	if err := c.std.Print(string(text)); err != nil {
		return err
	}
	res, err := c.run(ctx, []check.File{c.up.Finder.Source(c.flags.stdinFile, text)})
	if err != nil {
		return err
	}
	if _, err := c.takeBaseline(res); err != nil {
		return err
	}
	if err := (check.Printer{}).Concise(c.std.Err, res.From(check.Severity(c.flags.severity)).Findings); err != nil {
		return fmt.Errorf("stderr: %w", err)
	}
	return c.end(res)
}

// write makes the fixes, and prints the names of the changed files. If it cannot write a file, it
// warns and continues with the others.
func (c *checking) write(fixes *check.Fixes) {
	made := 0
	var names []string
	done := func(name, file string, err error) {
		if err != nil {
			c.failed = true
			c.std.Warn(fmt.Sprintf("%s: not fixed: %v", name, err))
			return
		}
		made += fixes.Each[file]
		names = append(names, name)
	}
	for _, e := range fixes.Edits {
		file := fixes.Paths[e]
		done(e.Name, file, files.Replace(file, e.Before, e.After))
	}
	for _, file := range fixes.Executables {
		done(term.Near(file), file, files.MakeExecutable(file))
	}
	if made == 0 {
		return
	}
	c.std.Say(fmt.Sprintf("skillhand: fixed %s in %s", term.Plural(made, "finding"), term.Plural(len(names), "file")))
	for _, name := range names {
		fmt.Fprintf(c.std.Err, "  %s\n", term.Flat(name))
	}
}

// fixable returns the files that may be fixed, and prints how many others there are.
func (c *checking) fixable(files []check.File) []check.File {
	own := c.up.Fixable(files)
	if n := len(files) - len(own); n > 0 {
		c.std.Say(fmt.Sprintf("skillhand: left alone, outside this project: %s; to fix, name the path: skillhand check --fix ~/.claude/skills",
			term.Plural(n, "file")))
	}
	return own
}

// sayNothingToFix says that no fix was made, and whether there are unsafe fixes.
func (c *checking) sayNothingToFix(fixes *check.Fixes) {
	text := "nothing to fix"
	switch {
	case fixes.Unsafe > 0:
		text = fmt.Sprintf("nothing to fix safely: --unsafe-fixes would fix %s", term.Plural(fixes.Unsafe, "finding"))
	case fixes.Findings > 0:
		text = "nothing was changed: none of these findings has an automatic fix"
	}
	c.std.Say("skillhand: " + text)
}

// showDiff prints the changes that --fix would make. If there are any, the exit status is that of a
// finding.
func (c *checking) showDiff(fixes *check.Fixes) error {
	for _, e := range fixes.Edits {
		if err := c.std.Print(check.Mask(e.Patch())); err != nil {
			return err
		}
	}
	for _, file := range fixes.Executables {
		if err := c.std.Print("chmod +x " + term.Near(file) + "\n"); err != nil {
			return err
		}
	}
	if fixes.Made > 0 {
		return cli.Said(cli.ExitFailed)
	}
	return nil
}

// report prints findings, or lists them in a baseline.
func (c *checking) report(res *check.Result) error {
	if c.flags.writeBaseline != "" {
		return c.saveBaseline(res)
	}
	taken, err := c.takeBaseline(res)
	if err != nil {
		return err
	}
	if err := c.print(res, taken); err != nil {
		return err
	}
	return c.end(res)
}

// end returns the command's error, which depends on the findings.
func (c *checking) end(res *check.Result) error {
	for _, f := range res.Findings {
		if f.Severity.Rank() >= check.Severity(c.flags.failOn).Rank() {
			return cli.Said(cli.ExitFailed)
		}
	}
	if c.failed {
		return cli.Said(cli.ExitFailed)
	}
	return nil
}

func (c *checking) saveBaseline(res *check.Result) error {
	if src, err := os.ReadFile(c.flags.writeBaseline); err == nil && len(bytes.TrimSpace(src)) > 0 {
		if _, err := check.ParseBaseline(c.flags.writeBaseline, src); err != nil {
			return cli.Usagef("--write-baseline: %s is not a baseline, and is left as it is", c.flags.writeBaseline)
		}
	}
	data, err := json.MarshalIndent(check.NewBaseline(res.Findings), "", "  ")
	if err != nil {
		return err
	}
	if err := files.Write(c.flags.writeBaseline, append(data, '\n'), 0o644); err != nil {
		return cli.Usagef("--write-baseline: %s: %w", c.flags.writeBaseline, files.Cause(err))
	}
	return c.std.Print(fmt.Sprintf("%s: %s\n", c.flags.writeBaseline, term.Plural(len(res.Findings), "finding")))
}

// unusable gives an error about a file of a flag or of the configuration its exit status: wrong
// usage, unless the file is missing.
func unusable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Exit(cli.ExitMissing, err)
	}
	return cli.Exit(cli.ExitUsage, err)
}

func (c *checking) takeBaseline(res *check.Result) (int, error) {
	if c.flags.baseline == "" {
		return 0, nil
	}
	base, err := check.ReadBaseline(c.flags.baseline)
	if err != nil {
		return 0, unusable(err)
	}
	taken, stale := base.Take(res)
	for _, e := range stale {
		c.std.Warn(fmt.Sprintf("%s: %s in %s is no longer found: write the baseline again", c.flags.baseline, e.Rule, e.File))
	}
	return taken, nil
}

// print writes the findings in the chosen format, and a summary.
func (c *checking) print(res *check.Result, taken int) error {
	summary := res.Summary()
	if taken > 0 {
		summary += fmt.Sprintf(", %d in the baseline", taken)
	}
	if said := c.skipped(); said != "" {
		defer c.std.Say("skillhand: " + said)
	}
	all := len(res.Findings)
	res = res.From(check.Severity(c.flags.severity))
	if n := all - len(res.Findings); n > 0 {
		summary += fmt.Sprintf(", %d not shown", n)
	}
	printer := check.Printer{Columns: c.std.Columns(), ASCII: !c.std.UTF8(), Paint: c.std.Painter(),
		More: " (--max-same 0 shows all)"}
	var err error
	switch c.flags.format {
	case "json":
		return c.std.PrintJSON(res.Document(cli.NewVersion().Version, taken))
	case "sarif":
		err = res.SARIF(c.std.Out, cli.NewVersion().Version)
	case "github":
		err = check.GitHub(c.std.Out, res.Findings)
	case "concise":
		err = printer.Concise(c.std.Out, res.Findings)
	default:
		err = printer.Folded(c.std.Out, res.Findings, check.Severity(c.flags.failOn), c.flags.maxSame)
	}
	if err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	if c.flags.format == "sarif" || c.flags.format == "github" {
		c.std.Say("skillhand: " + summary)
		return nil
	}
	return c.std.Print(strings.Join(term.Wrap(summary, c.std.Edge()), "\n") + "\n")
}

// watch checks again whenever something changes that a finding may depend on.
func (c *checking) watch(ctx context.Context) error {
	var seen check.Watch
	for {
		files, err := c.files()
		first := seen.IsNew()
		if len(files) == 0 && first {
			return err
		}
		if seen.Changed(c.up, files) {
			c.isNews = func(res *check.Result) bool {
				news := seen.IsNews(res)
				if news && !first {
					fmt.Fprintf(c.std.Out, "\n%s\n", time.Now().Format(time.TimeOnly))
				}
				return news
			}
			if err := c.again(ctx); err != nil && cli.ExitStatus(err) != cli.ExitFailed {
				c.std.Warn(err.Error())
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// again checks with the current configuration. If it cannot be read, the last one remains in force.
func (c *checking) again(ctx context.Context) error {
	now := &checking{flags: c.flags, std: c.std, paths: c.paths, warned: c.warned, isNews: c.isNews}
	if err := now.configure(); err != nil {
		return err
	}
	*c = *now
	return c.once(ctx)
}
