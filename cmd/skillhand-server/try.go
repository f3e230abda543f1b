package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/batch/jobs"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/term"
)

type tryOptions struct {
	eval.Options
	client                    claude.Client
	at                        cli.At
	cases                     []string
	results, from, junit      string
	json, markdown, init, ask bool
	fresh, inBatch, dryRun    bool
	budgetUSD                 float64
	jobsGiven                 bool
	models                    []string
	against                   string
	reportAs, html            string
	untilSure, fromUsage      bool
	tags                      []string
	batch                     batchOptions
	min                       eval.Minimums
	agents                    []string
}

func newTry(std *cli.Std) *cobra.Command {
	o := tryOptions{agents: []string{agents.Claude}}
	cmd := &cobra.Command{
		Use:   "try [SKILL|PLUGIN...] [-- CLAUDE-ARG...]",
		Short: "Try skills with a model: do they fire, do they help",
		Long: `Ask Claude the prompts in each skill's evals folder, and report how often the skill
fired, what fired instead, and whether it helps. Without SKILL, try all skills of
this project that have cases. Each trial is a call that costs money: --dry-run
counts the calls, and --budget-usd limits what you spend.

Cases are evals/evals.json (agentskills.io), lists of queries (skill-creator),
evals/*.yaml, and suites of claude plugin eval (evals/CASE/prompt.md or case.yaml,
graders/*.md), of a skill or of a whole plugin. --init writes cases to start from.

Each trial gets a fresh copy of its case's folder and an empty HOME with your
credentials, so it does not read or change your files. It may edit files in the
folder and use the tools that the skill allows; allow other tools with
--allowed-tool. A Bash command that you or the skill allow can still write wherever
you can.

skillhand retries trials without a verdict (rate limit, timeout, crash) and leaves
them out of the rates. It saves each trial when it ends: run the same command again
to continue after an interruption. Arguments after -- go to the CLI unchanged.

With --batch, trials are jobs of a batch (see skillhand batch): on this machine and,
with --db postgres://..., on every machine that runs skillhand batch work on the
same database. Those machines need only claude and credentials.

Exit status: 1 unless every trial with a verdict is as expected and passes its
checks (--min-fired and --min-pass loosen that), 3 no claude, no cases or no saved
trials, 4 some trials have no verdict yet, 5 credentials or quota, 130 interrupted.`,
		Example: `  skillhand try --init greet          # then edit evals/cases.yaml
  skillhand try greet --dry-run       # how many calls, and what they cost
  skillhand try greet --runs 5 --baseline
  skillhand try --with-mine --min-fired 0.8 --junit report.xml
  skillhand try greet --runs 50 --batch --db postgres://db/skillhand --rate 30/m
  skillhand try greet --from DIR      # judge saved trials again, without Claude`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				args, o.Args = args[:n], args[n:]
			}
			o.jobsGiven = cmd.Flags().Changed("jobs")
			o.min.FiredGiven, o.min.PassGiven = cmd.Flags().Changed("min-fired"), cmd.Flags().Changed("min-pass")
			o.RunsSet, o.TimeoutSet = cmd.Flags().Changed("runs"), cmd.Flags().Changed("timeout")
			return runTry(cmd.Context(), std, o, args)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Runs, "runs", 3, "`number` of trials per case")
	f.BoolVar(&o.untilSure, "until-sure", false, "stop before --runs when every minimum and difference is decided")
	f.BoolVar(&o.Baseline, "baseline", false, "also try without the skill, to see whether it helps")
	f.IntVarP(&o.Jobs, "jobs", "j", 4, "`number` of trials at the same time; with --batch over all machines, if given")
	f.Float64Var(&o.budgetUSD, "budget-usd", 0, "spend at most this many `dollars`, plus one turn, on all trials (0: no limit)")
	f.Float64Var(&o.MaxUSD, "max-budget-usd", 0, "stop a trial that costs more than this many `dollars` (0: no limit)")
	f.Float64Var(&o.min.Fired, "min-fired", 1, "exit with 1 if the skill behaves as expected in a smaller share of trials (0 to 1)")
	f.Float64Var(&o.min.Pass, "min-pass", 1, "exit with 1 if the checks pass in a smaller share of trials (0 to 1)")
	f.StringArrayVar(&o.cases, "cases", nil, "read cases from this `file` instead of the evals folder; repeatable")
	f.BoolVar(&o.WithMine, "with-mine", false, "install your other skills too, with those of the project and of enabled plugins")
	f.BoolVar(&o.Judge, "judge", false, "let a model judge the expectations in evals.json")
	f.StringVar(&o.JudgeModel, "judge-model", "", "the `model` that judges answers (default: the model that gave them)")
	f.BoolVar(&o.Keep, "keep", false, "keep each trial's folder after it ends")
	f.StringVarP(&o.results, "output", "o", "", "save trials in this `folder` (default: in the state folder)")
	f.BoolVar(&o.fresh, "fresh", false, "start over instead of continuing an interrupted run")
	f.StringVar(&o.from, "from", "", "judge the saved trials in this `folder` again, without asking Claude")
	f.BoolVar(&o.dryRun, "dry-run", false, "show how many calls the trials need and what they cost before; ask nothing")
	f.BoolVar(&o.init, "init", false, "write cases for you to edit; on a terminal, ask for prompts")
	f.BoolVar(&o.fromUsage, "from-usage", false, "with --init: use prompts after which agents here called the skill")
	f.BoolVar(&o.ask, "ask", false, "with --init: let a model propose the cases")
	o.at.Flags(cmd)
	cli.SomeOf(cmd, &o.agents, "agent", "the `agents` to try it in, separated by commas", agents.Names()...)
	f.StringSliceVar(&o.models, "model", nil, "the `model` to ask; several, separated by commas, are compared")
	f.StringVar(&o.against, "against", "", "also try the skill as it was at this git `revision`, to see what a change did")
	f.IntVar(&o.MaxTurns, "max-turns", 0, "stop a trial after this many turns (0: no limit)")
	f.StringArrayVar(&o.AllowedTools, "allowed-tool", nil, "allow trials to use this `tool`, such as 'Bash(git log:*)'; repeatable")
	f.StringArrayVar(&o.Env, "env", nil, "pass on the variable with this `name`; repeatable")
	f.DurationVar(&o.client.Timeout, "timeout", claude.DefaultTimeout, "time limit for one trial")
	f.DurationVar(&o.client.IdleTimeout, "idle-timeout", claude.DefaultIdleTimeout, "time limit without output from the CLI (0: no limit)")
	f.IntVar(&o.Retries, "retries", 2, "further attempts at a trial without a verdict")
	f.StringVar(&o.client.Path, "claude", "", "the `path` of claude (default $SKILLHAND_CLAUDE, then claude in PATH)")
	f.BoolVar(&o.inBatch, "batch", false, "run the trials as durable jobs, on any number of machines")
	o.batch.dbFlag(cmd)
	f.Var((*limitValue)(&o.batch.rate), "rate", "with --batch: the `rate` of starts, over all machines, such as 30/m")
	f.BoolVar(&o.json, "json", false, "print a line of JSON for each trial, the summary last")
	f.BoolVar(&o.markdown, "markdown", false, "print the summary as Markdown")
	cli.OneOf(cmd, &o.reportAs, "report-as",
		"print the result in the `form` of another program: plugin-eval (aggregate-result.json)", "plugin-eval")
	f.StringVar(&o.html, "html", "", "also write everything into one HTML `file`")
	f.StringArrayVar(&o.tags, "tag", nil, "only cases of claude plugin eval with this `tag`; repeatable")
	f.BoolVar(&o.Scaffold, "scaffold", false, "run the scaffold scripts of cases of claude plugin eval")
	f.StringVar(&o.junit, "junit", "", "also write a JUnit report to `file`")
	for _, group := range [][]string{
		{"json", "markdown", "report-as"}, {"from", "init", "against"}, {"from", "init", "dry-run"}, {"from", "init", "batch"},
		{"from", "output", "fresh"},
		{"dry-run", "json"}, {"init", "output"}, {"from-usage", "ask"}, {"batch", "keep"},
	} {
		cmd.MarkFlagsMutuallyExclusive(group...)
	}
	cmd.ValidArgsFunction = o.at.CompleteSkills(std, true)
	return cmd
}

func (o *tryOptions) check() error {
	const maxRuns = 10_000                                             // each trial takes memory
	share := func(x float64) bool { return x >= 0 && x <= 1 }          // and no NaN
	usd := func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) } // and no NaN
	for _, flag := range []struct {
		name string
		is   any
		ok   bool
		want string
	}{
		{"runs", o.Runs, o.Runs >= 1 && o.Runs <= maxRuns, fmt.Sprintf("1 to %d", maxRuns)},
		{"jobs", o.Jobs, o.Jobs >= 1 && o.Jobs <= jobs.MaxSlots, fmt.Sprintf("1 to %d", jobs.MaxSlots)},
		{"retries", o.Retries, o.Retries >= 0, "0 or more"},
		{"max-turns", o.MaxTurns, o.MaxTurns >= 0, "0 or more"},
		{"budget-usd", o.budgetUSD, usd(o.budgetUSD), "0 or more"},
		{"max-budget-usd", o.MaxUSD, usd(o.MaxUSD), "0 or more"},
		{"min-fired", o.min.Fired, share(o.min.Fired), "0 to 1"},
		{"min-pass", o.min.Pass, share(o.min.Pass), "0 to 1"},
		{"timeout", o.client.Timeout, o.client.Timeout > 0, "more than 0"},
		{"idle-timeout", o.client.IdleTimeout, o.client.IdleTimeout >= 0, "0 or more"},
	} {
		if !flag.ok {
			return cli.Usagef("--%s %v: want %s", flag.name, flag.is, flag.want)
		}
	}
	if o.client.IdleTimeout == 0 {
		o.client.IdleTimeout = -1
	}
	_, err := o.batch.limits()
	return errors.Join(o.clash(), err, cli.CheckOutput(o.junit), cli.CheckOutput(o.html))
}

// clash refuses flags that need another flag, and unknown values.
func (o *tryOptions) clash() error {
	switch {
	case slices.Contains(o.models, "") || len(slices.Compact(slices.Sorted(slices.Values(o.models)))) < len(o.models):
		return cli.Usagef("--model %s: want different models", strings.Join(o.models, " "))
	case strings.HasPrefix(o.against, "-"):
		return cli.Usagef("--against %s: want a revision", o.against)
	case o.ask && !o.init:
		return cli.Usagef("--ask needs --init")
	case o.fromUsage && !o.init:
		return cli.Usagef("--from-usage needs --init")
	case !o.inBatch && o.batch.db != "":
		return cli.Usagef("--db needs --batch")
	case !o.inBatch && o.batch.rate != "":
		return cli.Usagef("--rate needs --batch")
	case slices.ContainsFunc(o.Env, func(name string) bool { return name == "" || strings.Contains(name, "=") }):
		return cli.Usagef("--env %s: want the name of a variable that is set here", strings.Join(o.Env, " "))
	}
	return nil
}

// limits returns the limits of the trials. A limit that no flag sets is removed.
func (o *tryOptions) limits() (batch.Limits, error) {
	l, err := o.batch.limits()
	if l.BudgetUSD = -1; o.budgetUSD > 0 {
		l.BudgetUSD = o.budgetUSD
	}
	if l.Concurrency = -1; o.jobsGiven || !o.inBatch {
		l.Concurrency = o.Jobs // with --batch over all machines
	}
	if l.Starts == 0 {
		l.Starts = -1
	}
	return l, err
}

func runTry(ctx context.Context, std *cli.Std, o tryOptions, names []string) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.inBatch {
		if err := batch.CheckName(o.batch.database(std)); err != nil {
			return cli.Exit(cli.ExitUsage, err)
		}
	}
	h, err := o.at.Here(std.Env)
	if err != nil {
		return err
	}
	o.configure(std, h)
	if o.untilSure {
		o.UntilSure = &o.min
	}
	if err := o.checkAgents(); err != nil {
		return err
	}
	if o.from != "" {
		if err := eval.CheckResults(o.from); err != nil {
			return cli.Exit(cli.ExitMissing, err)
		}
	}
	o.Runtime = skillhand.Runtime{Here: h, Claude: o.client, Warn: std.Warn, Confirm: std.Confirm("Trying")}
	subjects, err := o.Subjects(eval.Choice{Names: names, Files: o.cases, Tags: o.tags, Bare: o.init, Warn: std.Warn})
	switch {
	case errors.Is(err, eval.ErrNoCases) || errors.Is(err, fs.ErrNotExist):
		return cli.Exit(cli.ExitMissing, err)
	case err != nil:
		return cli.Exit(cli.ExitUsage, err)
	}
	switch {
	case o.init:
		return tryInit(ctx, std, &o, names, subjects)
	case o.dryRun:
		o.Against = o.against != ""
		return std.Print(o.Forecast(h, subjects, len(o.agents), o.onlyClaude()) + o.planLine(subjects) + "\n")
	}
	if o.from == "" { // judging saved trials runs nothing
		if err := o.Trusted(ctx, subjects); err != nil {
			return err
		}
	}
	if o.against != "" {
		o.Against = true
		end, err := eval.AllAt(ctx, std.Env, o.against, subjects)
		defer end()
		if err != nil {
			return cli.Exit(cli.ExitUsage, err)
		}
	}
	if err := o.checkSubjects(subjects); err != nil {
		return err
	}
	if std.Live() && o.from == "" {
		std.Say("skillhand: " + o.planLine(subjects))
	}
	all, err := tryAll(ctx, std, h, &o, subjects)
	if ferr := o.writeFiles(std, all); ferr != nil {
		return tryError(ferr)
	}
	return err
}

// planLine returns a line with the number of calls, the agents, the models and the budget.
func (o *tryOptions) planLine(subjects []*eval.Subject) string {
	text := fmt.Sprintf("%s of %s", term.Plural(o.Calls(subjects...)*len(o.agents), "call"), strings.Join(o.agents, ", "))
	switch {
	case len(o.Models) > 0:
		text += ", models " + strings.Join(o.Models, ", ")
	case o.Model != "":
		text += ", model " + o.Model
	default:
		text += ", default model"
	}
	if o.budgetUSD > 0 {
		return text + ", for at most " + term.Dollars(o.budgetUSD)
	}
	if !o.onlyClaude() {
		return text + ", no budget"
	}
	return text + ", no budget (see --budget-usd)"
}

// checkSubjects refuses options that do not fit the skills or the agents.
func (o *tryOptions) checkSubjects(subjects []*eval.Subject) error {
	if o.reportAs != "" && (len(subjects) != 1 || len(o.agents) != 1) {
		return cli.Usagef("--report-as needs one SKILL or PLUGIN, and one agent")
	}
	for _, s := range subjects {
		if s.HasSuite() && !o.onlyClaude() {
			return cli.Usagef("%s: suites of claude plugin eval are for Claude Code: leave --agent out", s.Name)
		}
	}
	if why := o.cannotFire(o.agents[0]); why != "" && len(o.agents) == 1 {
		return cli.Usagef("%s: no skill can fire: %s", o.agents[0], why)
	}
	return nil
}

// writeFiles writes the reports that flags ask for, unless no agent was tried.
func (o *tryOptions) writeFiles(std *cli.Std, all eval.Report) error {
	if !slices.ContainsFunc(all.Agents, func(a eval.AgentReport) bool { return a.Untried == "" }) {
		return nil
	}
	var err error
	if o.junit != "" {
		err = all.WriteJUnit(o.junit)
	}
	if o.html != "" {
		all.Made, all.Version = time.Now(), cli.NewVersion().Version
		for i := range all.Agents {
			a := &all.Agents[i]
			a.Before = eval.LastTries(filepath.Join(o.Runtime.State, "try"), a.Summary)
		}
		err = errors.Join(err, all.WriteHTML(o.html, std.Env))
	}
	return err
}

// tryIn tries the skills in one agent, and prints the results. Its error decides the exit status.
func tryIn(ctx context.Context, std *cli.Std, h here.Here, o *tryOptions, subjects []*eval.Subject) (eval.AgentReport, error) {
	board := o.board(std, subjects)
	o.OnTrial, o.Runtime.Warn = board.End, func(text string) { board.Warn(std.Warn, text) }
	summary, err := tryRun(ctx, std, h, o, subjects, board.Start)
	trials, found, failed := board.Close()
	if found > 0 {
		fmt.Fprintf(std.Err, "skillhand: %s of an earlier run counted\n", term.Plural(found, "trial"))
	}
	if summary == nil {
		return eval.AgentReport{}, err
	}
	summary.Require(o.min)
	if failed == nil {
		failed = o.report(std, trials, subjects, summary, err)
	}
	return eval.AgentReport{Summary: summary, Trials: eval.Sorted(trials)}, failed
}

// report prints the results of trials. Its error decides the exit status.
func (o *tryOptions) report(std *cli.Std, trials []eval.Trial, subjects []*eval.Subject, summary *eval.Summary, err error) error {
	if err != nil && summary.Trials == 0 && !o.json {
		return tryError(err)
	}
	if perr := printTry(std, o, subjects, summary, trials); perr != nil {
		return perr
	}
	switch {
	case err != nil:
		return tryError(err)
	case len(summary.Below) > 0:
		return cli.Said(cli.ExitFailed)
	case summary.Void > 0 || summary.Missing > 0 || summary.Unknown > 0:
		return cli.Said(cli.ExitLater)
	case len(summary.Uncounted) > 0 && (o.min.FiredGiven || o.min.PassGiven):
		return cli.Said(cli.ExitFailed)
	case len(summary.Uncounted) > 0:
		return cli.Said(cli.ExitLater)
	}
	return nil
}

// configure applies the project's configuration, unless a flag overrides it.
func (o *tryOptions) configure(std *cli.Std, h here.Here) {
	c, err := h.Config()
	if err != nil {
		std.Warn(err.Error())
	}
	if o.Model = c.Model; len(o.models) == 1 {
		o.Model = o.models[0]
	} else if len(o.models) > 1 {
		o.Models = o.models
	}
	if !o.inBatch {
		o.budgetUSD = cmp.Or(o.budgetUSD, c.BudgetUSD)
	}
}

// tryRun runs the trials. With --from it judges saved trials instead.
func tryRun(ctx context.Context, std *cli.Std, h here.Here, o *tryOptions, subjects []*eval.Subject,
	onStart func(eval.Trial)) (*eval.Summary, error) {
	if o.from != "" {
		summary, err := eval.Again(ctx, o.Options, o.from, subjects)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, eval.ErrNoResults) {
			err = cli.Exit(cli.ExitMissing, err)
		}
		return summary, err
	}
	plan, err := o.Plan(subjects)
	if err != nil {
		return nil, err
	}
	if o.results != "" {
		var dir string
		if dir, err = filepath.Abs(o.results); err == nil {
			o.Results, err = eval.OpenResultsAt(dir, plan)
		}
		if errors.Is(err, eval.ErrNotResults) {
			err = cli.Exit(cli.ExitUsage, err)
		}
	} else {
		o.Results, err = o.OpenResults(filepath.Join(h.State, "try"), plan, subjects, o.fresh)
	}
	if err != nil {
		return nil, err
	}
	defer o.Results.Close()
	o.OnStart = onStart
	if o.Batch, err = o.jobs(std); err != nil {
		return nil, err
	}
	o.Batch.Plan = plan
	summary, err := eval.Run(ctx, o.Options, subjects)
	if summary != nil {
		if err := summary.Remember(h, err); err != nil {
			std.Warn(err.Error())
		}
	}
	return summary, o.stopStatus(err, std.Env)
}

// jobs returns how trials run as jobs: of the database file in the state folder, which only this
// process uses, or with --batch of the database that the flags name.
func (o *tryOptions) jobs(std *cli.Std) (eval.Jobs, error) {
	where := batchOptions{db: filepath.Join(o.Runtime.State, "batch.db")}
	j := eval.Jobs{Fresh: o.fresh, Shared: o.inBatch, Help: "skillhand batch work"}
	if o.inBatch {
		where = o.batch
	}
	if o.batch.db != "" {
		j.Help = shell.Quote([]string{"skillhand", "batch", "work", "--db", o.batch.db})
	}
	j.Open = func(ctx context.Context) (*batch.DB, error) { return where.open(ctx, std) }
	var err error
	j.Limits, err = o.limits()
	return j, err
}

// stopStatus gives an error that stopped the trials its exit status.
func (o *tryOptions) stopStatus(err error, env here.Env) error {
	stopped, ok := errors.AsType[*eval.Stopped](err)
	if !ok {
		return err
	}
	switch stopped.Why {
	case batch.Credentials, batch.Limit:
		return cli.Exit(cli.ExitAccount, eval.LockedOut(err, stopped.Why, o.Agent, env, runtime.GOOS))
	case eval.Missing:
		return cli.Exit(cli.ExitMissing, err)
	case eval.TooLarge:
		return cli.Exit(cli.ExitUsage, err)
	}
	return cli.Exit(cli.ExitFailed, err)
}

// tryError gives an error of a trial its exit status.
func tryError(err error) error {
	if e, ok := errors.AsType[*claude.Error](err); ok {
		return cli.Exit(cli.AskStatus(e), err)
	}
	if _, ok := errors.AsType[*claude.StartError](err); ok {
		return cli.Exit(cli.ExitMissing, err)
	}
	if _, ok := errors.AsType[*claude.RequestError](err); ok {
		return cli.Exit(cli.ExitUsage, err)
	}
	return err
}
