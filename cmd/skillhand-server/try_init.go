package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

// tryInit writes cases for an author to edit. The prompts are typed at the terminal, come from
// transcripts, or are proposed by a model; otherwise they are empty.
func tryInit(ctx context.Context, std *cli.Std, o *tryOptions, names []string, subjects []*eval.Subject) error {
	if len(subjects) != 1 {
		return cli.Usagef("--init needs one SKILL")
	}
	s := subjects[0]
	if skill.IsPlaceholder(s.Description) {
		return fmt.Errorf("%s: its description is still the one that init wrote: first say what it does and when to use it", s.Name)
	}
	cases, err := o.newCases(ctx, std, s)
	if err != nil {
		return err
	}
	file, err := s.WriteCases(cases)
	if errors.Is(err, fs.ErrExist) {
		return cli.Usagef("%s: already exists", filepath.Join(s.Folder, "evals", "cases.yaml"))
	}
	if err != nil {
		return err
	}
	count := func(is func(eval.Proposal) bool) (n int) {
		for _, p := range cases {
			if is(p) {
				n++
			}
		}
		return n
	}
	text := fmt.Sprintf("%s: %s, %d of which should fire\n", term.Near(file), term.Plural(len(cases), "case"),
		count(func(p eval.Proposal) bool { return p.Fires }))
	if empty := count(func(p eval.Proposal) bool { return p.Prompt == "" }); empty > 0 {
		text += fmt.Sprintf("write a prompt into %d of them, then: %s\n", empty, o.again(names, s))
	} else {
		text += fmt.Sprintf("read the cases, then: %s\n", o.again(names, s))
	}
	if git := s.NeedsGit(); git != "" {
		text += git + "\n"
	}
	return std.Print(text)
}

// newCases returns cases with prompts from the source that the flags name, from the terminal, or
// empty.
func (o *tryOptions) newCases(ctx context.Context, std *cli.Std, s *eval.Subject) ([]eval.Proposal, error) {
	if o.ask {
		spinner := std.Spin("asking for cases")
		asked, err := s.Ask(ctx, &o.Runtime, o.Model)
		spinner.End()
		if err != nil {
			return nil, tryError(err)
		}
		return asked, nil
	}
	var fires []string
	if o.fromUsage {
		var err error
		if fires, err = o.usedPrompts(s); err != nil {
			return nil, err
		}
	}
	all := o.Options
	others, _ := all.Subjects(eval.Choice{}) // unreadable skills have no prompts
	quiet := s.NearMisses(others)
	if std.Interactive() && !o.fromUsage {
		in := bufio.NewScanner(std.In)
		fires = typed(std, in, fmt.Sprintf("What would people type when %s should be used? One prompt a line, an empty line ends.", s.Name))
		for _, prompt := range quiet {
			std.Say("near miss, of another skill: " + prompt)
		}
		quiet = append(quiet, typed(std, in, "And near misses: prompts on the same subject that are not for this skill?")...)
	}
	if len(fires) == 0 {
		fires = make([]string, 3)
	}
	if len(quiet) == 0 {
		quiet = make([]string, 2)
	}
	return eval.NewProposals(fires, quiet), nil
}

// typed reads lines from the terminal up to an empty line.
func typed(std *cli.Std, in *bufio.Scanner, question string) (all []string) {
	std.Say(question)
	for in.Scan() && strings.TrimSpace(in.Text()) != "" {
		all = append(all, strings.TrimSpace(in.Text()))
	}
	return all
}

// usedPrompts returns the prompts after which agents called the skill, each once, the latest first.
func (o *tryOptions) usedPrompts(s *eval.Subject) ([]string, error) {
	const most = 8
	h := o.Runtime.Here
	report, err := activity.Read(h, activity.Options{Skill: s.Name})
	if err != nil {
		return nil, err
	}
	var all []string
	for _, fire := range report.Story {
		_, prompt, err := activity.Prompt(h, activity.Options{Skill: s.Name}, fire.ID)
		if err != nil || slices.Contains(all, prompt) {
			continue // called by name, or the transcript is gone
		}
		if all = append(all, prompt); len(all) == most {
			break
		}
	}
	if len(all) == 0 {
		return nil, cli.Exit(cli.ExitMissing, fmt.Errorf("%s: no transcript here has a prompt after which an agent called it", s.Name))
	}
	return all, nil
}

// again returns the command that tries the skill: under the name that found it, with the same
// folders.
func (o *tryOptions) again(names []string, s *eval.Subject) string {
	words := []string{"skillhand", "try", s.Name}
	if len(names) > 0 {
		words[2] = names[0]
	}
	for _, root := range o.at.Roots {
		words = append(words, "--root", root)
	}
	if o.at.PluginRoot != "" {
		words = append(words, "--plugin-root", o.at.PluginRoot)
	}
	return shell.Quote(words)
}
