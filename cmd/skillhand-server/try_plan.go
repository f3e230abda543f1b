package main

import (
	"fmt"
	"strings"

	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/try"
)

// calls counts the trials of a skill, each of which asks an agent once, if all goes well.
func (o *tryOptions) calls(s *try.Subject) int {
	n := 0
	for _, c := range s.Cases {
		n += len(o.ArmsOf(&c)) * o.RunsOf(&c)
	}
	return n * len(o.agents)
}

// printPlan says what would be asked, of whom and how often, and what such trials cost before.
func (o *tryOptions) printPlan(std *cli.Std, h here.Here, subjects []*try.Subject) error {
	var b strings.Builder
	all := 0
	for _, s := range subjects {
		arms := make([]string, 0, 2)
		for _, a := range o.Arms() {
			arms = append(arms, string(a))
		}
		n := o.calls(s)
		all += n
		fmt.Fprintf(&b, "%s: %s, %s: %s; %s\n", s.Name, term.Plural(len(s.Cases), "case"), strings.Join(arms, " and "),
			term.Plural(n, "trial"), lastCost(h, s.Name))
	}
	fmt.Fprintf(&b, "%s\n", o.planLine(all))
	return std.Print(b.String())
}

// sayPlan says on a terminal, before the first trial, how many calls will be made.
func (o *tryOptions) sayPlan(std *cli.Std, subjects []*try.Subject) {
	if !std.Live() || o.from != "" {
		return
	}
	calls := 0
	for _, s := range subjects {
		calls += o.calls(s)
	}
	std.Say("skillhand: " + o.planLine(calls))
}

// planLine says how many calls the trials make, of which model, and within which budget.
func (o *tryOptions) planLine(calls int) string {
	text := fmt.Sprintf("%s of %s", term.Plural(calls, "call"), strings.Join(o.agents, ", "))
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
	return text + ", no budget (see --budget-usd)"
}

// lastCost says what the latest trials of a skill cost.
func lastCost(h here.Here, skill string) string {
	if usd, known := try.LastCost(h, skill); known {
		return fmt.Sprintf("the last try cost %s in all", term.Dollars(usd))
	}
	return "cost unknown (never tried here)"
}
