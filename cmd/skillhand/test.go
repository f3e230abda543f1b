package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/golden"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/words"
)

type testOptions struct {
	at         cli.At
	golden     golden.Options
	init, json bool
	junit      string
}

func newTest(std *cli.Std) *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:   "test [SKILL|PLUGIN...]",
		Short: "Test skills without a model: golden pages and scripts",
		Long: `Run the tests in each skill's tests folder, without a model or a network. skillhand
renders pages from recordings and compares them with the wanted pages. It runs
scripts in a scratch folder and compares their verdicts and files. PLUGIN is a
plugin's name or folder, for all its skills. Without a name, test runs the tests of
all skills of this project, and of its plugins.

--init loads a skill here, as skillhand load does, and writes tests/page.txtar
beside it: the arguments, what each directive printed, and the page. --init and
--update refuse a page on which a directive failed.

A test is a file tests/NAME.txtar: a comment, then sections. Input sections:

  args             the arguments as one string; or argv, one per line
  recording.json   from load --record; without it, directives run
  folder/NAME      a file in the folder where the test runs

Wanted output sections, which --update fills in:

  page             the page
  later            the page of a later use
  verdict.json     the verdict, only the keys listed
  files/NAME       a file that the script made

.claude/permissions.test tests the project's .claude/settings.json. Each line is
DECISION [MODE:] COMMAND, such as "ask git push" or "deny auto: curl x".

Exit status: 1 a test failed or was not written, 3 no such skill, or no tests.`,
		Example: `  skillhand test
  skillhand test --init greet Ada     # write a test of the page of greet Ada
  skillhand test greet ./skills/deploy
  skillhand test --update greet       # then read the diff: git diff
  skillhand test --junit report.xml   # for CI`,
		ValidArgsFunction: o.at.CompleteSkills(std, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return runTest(cmd.Context(), std, o, args) },
	}
	f := cmd.Flags()
	o.at.Flags(cmd)
	f.BoolVar(&o.init, "init", false, "load the skill here and write a test of its page")
	f.BoolVar(&o.golden.Update, "update", false, "rewrite the wanted output")
	f.BoolVar(&o.golden.AllowErrors, "allow-errors", false, "with --init and --update: accept a page on which a directive failed")
	f.BoolVar(&o.json, "json", false, "print a line of JSON for each test")
	f.StringVar(&o.junit, "junit", "", "also write a JUnit report to `file`")
	cmd.MarkFlagsMutuallyExclusive("init", "update")
	cmd.MarkFlagsMutuallyExclusive("init", "junit")
	return cmd
}

func runTest(ctx context.Context, std *cli.Std, o testOptions, names []string) error {
	rt, err := o.at.Runtime(std, "Testing")
	if err != nil {
		return err
	}
	if o.init {
		return initTest(ctx, std, rt, o, names)
	}
	rt.Env = skillhand.SafeEnv(rt.Env) // tests run in scratch folders, outside the project
	if err := cli.CheckOutput(o.junit); err != nil {
		return err
	}
	skills, err := golden.Skills(rt.Finder(), names)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cli.Exit(cli.ExitMissing, err)
	case err != nil && (len(names) > 0 || len(skills) == 0):
		return err
	case err != nil:
		std.Warn(err.Error()) // test the others
	}
	var results []golden.Result
	if r := golden.Permissions(rt.Here); r != nil && len(names) == 0 {
		results = append(results, *r)
		if err := std.PrintEither(o.json, *r, func() string { return r.Text(std.Painter()) }); err != nil {
			return err
		}
	}
	for _, loc := range skills {
		for _, file := range golden.Unrun(loc) {
			std.Warn(term.Visible(term.Near(file)) + ": not run: a test is a file tests/NAME.txtar in the skill's folder")
		}
		for _, file := range golden.Find(loc) {
			r := golden.Run(ctx, *rt, loc, file, o.golden)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			results = append(results, r)
			if err := std.PrintEither(o.json, r, func() string { return r.Text(std.Painter()) }); err != nil {
				return err
			}
		}
	}
	if o.junit != "" {
		if err := golden.WriteJUnit(o.junit, results); err != nil {
			return err
		}
	}
	if judged := judgeTests(std, o, len(skills), results); judged != nil || err == nil {
		return judged
	}
	return cli.Said(cli.ExitFailed)
}

// initTest writes a test with the current page of a skill.
func initTest(ctx context.Context, std *cli.Std, rt *skillhand.Runtime, o testOptions, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("--init needs a skill: skillhand test --init SKILL [ARG...]")
	}
	loc, err := rt.Finder().Find(args[0])
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cli.Exit(cli.ExitMissing, err)
	case err != nil:
		return err
	case loc.Command:
		return cli.Usagef("%s is a command, and only skills have tests", args[0])
	}
	r := golden.Init(ctx, *rt, loc, args[1:], o.golden.AllowErrors)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	switch {
	case o.json:
		if err := std.PrintJSON(r); err != nil || r.OK {
			return err
		}
		return cli.Said(cli.ExitFailed)
	case !r.OK:
		return fmt.Errorf("%s: %s", term.Near(r.File), r.Error)
	}
	if err := std.Print(term.Near(r.File) + "\n"); err != nil {
		return err
	}
	std.Say("read it, then: skillhand test " + words.Quote(args[0]))
	return nil
}

// judgeTests prints the summary, and returns the command's error.
func judgeTests(std *cli.Std, o testOptions, skills int, results []golden.Result) error {
	failed := 0
	for _, r := range results {
		if !r.OK {
			failed++
		}
	}
	if skills == 0 && len(results) == 0 {
		return cli.Exit(cli.ExitMissing, errors.New("no tests: there are no skills here"))
	}
	if len(results) == 0 {
		return cli.Exit(cli.ExitMissing, fmt.Errorf("no tests: looked for tests/*.txtar beside %s\n"+
			"make one: skillhand test --init SKILL [ARG...]", term.Plural(skills, "skill")))
	}
	if !o.json {
		if err := std.Print(fmt.Sprintf("%s of %s, %d failed\n",
			term.Plural(len(results), "test"), term.Plural(skills, "skill"), failed)); err != nil {
			return err
		}
	}
	if failed > 0 {
		return cli.Said(cli.ExitFailed)
	}
	return nil
}
