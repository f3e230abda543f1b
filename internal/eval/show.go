package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/term"
)

func percent(rate float64) string { return fmt.Sprintf("%.0f %%", rate*100) }

// exact formats a percentage with enough digits to look different from the one beside it.
func exact(rate float64) string { return strconv.FormatFloat(rate*100, 'g', 4, 64) + " %" }

// String formats a rate for people: 2/3, 67 % (21 to 94).
func (r Rate) String() string {
	if r.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d, %s (%.0f to %.0f)", r.Hits, r.Of, percent(r.Rate), r.Low*100, r.High*100)
}

func (d Difference) String() string {
	text := fmt.Sprintf("%+.0f points (%+.0f to %+.0f)", d.Difference*100, d.Low*100, d.High*100)
	if !d.Told {
		text += ", may be chance"
	}
	return text
}

// Cell returns an outcome as one character: as wanted, or not.
func (t *Trial) Cell() string {
	switch {
	case t.Outcome == Void, t.Outcome == Unknown && !t.Open:
		return "?"
	case t.Arm.Kind() == Without && t.Passed != nil:
		if *t.Passed {
			return "+"
		}
		return "-"
	case t.Arm.Kind() == Without:
		return "o"
	case !t.Open && !t.Right():
		return "x"
	case t.failed() > 0, t.Passed != nil && !*t.Passed:
		return "-"
	}
	return "+"
}

// failed counts the failed checks, including those of a model.
func (t *Trial) failed() (n int) {
	for _, c := range t.Checks {
		n += count(c.OK != nil && !*c.OK && !c.WithOnly)
	}
	return n
}

// Text formats a summary for people. paint colors a text by a terminal's code, such as 31; nil
// paints nothing.
func (s *Summary) Text(paint func(code, text string) string) string {
	if paint == nil {
		paint = term.NoPaint
	}
	var b strings.Builder
	for _, k := range s.Skills {
		fmt.Fprintf(&b, "%s\n", paint("1", term.Flat(k.Skill)))
		width, arms, names := 4, 7, 22
		for _, c := range k.Cases {
			width = max(width, min(30, term.Cells(c.Case)))
			for _, a := range c.Arms {
				arms = max(arms, term.Cells(string(a.Arm)))
			}
		}
		for _, c := range k.Cases {
			for _, a := range c.Arms {
				fmt.Fprintf(&b, "  %s  %s  %s\n", term.Pad(term.Flat(c.Case), width), term.Pad(string(a.Arm), arms), c.came(&a))
			}
		}
		totals := k.Totals()
		for _, row := range totals {
			names = max(names, term.Cells(row[0]))
		}
		for _, row := range totals {
			fmt.Fprintf(&b, "  %s %s\n", term.Pad(row[0], names), row[1])
		}
		for _, line := range k.Why() {
			fmt.Fprintf(&b, "  %s\n", term.Flat(line))
		}
	}
	fmt.Fprintf(&b, "%s, %s", term.Plural(s.Trials, "trial"), dollars(s.CostUSD, s.NoCost))
	if !s.again {
		b.WriteString(", " + term.ShortDuration(s.DurationMS))
	}
	b.WriteString("\n")
	for _, line := range s.Remarks() {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// fate describes a skill's result in an arm in one line: how often it fired, or its file was read,
// where it should and where it should not.
func (k *SkillSummary) fate(arm *SkillArm) string {
	n, all, loud, quiet := map[Outcome]int{}, 0, 0, 0
	for _, c := range k.Cases {
		for _, a := range c.Arms {
			switch {
			case arm == nil || a.Arm != arm.Arm || c.Called || c.Open:
			case !c.Fires:
				loud, quiet = loud+a.Right.Of-a.Right.Hits, quiet+a.Right.Of
			default:
				for _, o := range a.Outcomes {
					n[o]++
					all++
				}
			}
		}
	}
	var parts []string
	for _, o := range outcomes {
		if n[o.outcome] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d of %d", o.words, n[o.outcome], all))
		}
	}
	if quiet > 0 {
		parts = append(parts, fmt.Sprintf("over-fires %d of %d", loud, quiet))
	}
	if parts == nil {
		return "no case that says whether it should fire"
	}
	text := strings.Join(parts, ", ")
	if i := slices.IndexFunc(k.Misses, func(m Miss) bool { return m.Cut != "" && m.Model == arm.Arm.Model() }); i >= 0 {
		text += "; cut from the list: " + k.Misses[i].Cut
	}
	return text
}

// came describes the result of a case in an arm.
func (c *CaseSummary) came(a *ArmSummary) string {
	line := a.Counted()
	switch {
	case a.Arm.Kind() == Without:
	case c.Called:
		line += "; called by name"
	case c.Open:
	case a.Right.Of == 0:
		line += fmt.Sprintf("; nothing to count (%s)", c.Wants())
	default:
		line += fmt.Sprintf("; %s as wanted (%s)", a.Right, c.Wants())
	}
	if a.Passed.Of > 0 {
		line += fmt.Sprintf("; passed %d/%d", a.Passed.Hits, a.Passed.Of)
	}
	if a.Score != nil {
		line += fmt.Sprintf("; score %.2f", *a.Score)
	}
	return line
}

// Counted says how often each outcome occurred.
func (a *ArmSummary) Counted() string {
	var parts []string
	for _, o := range outcomes {
		n := 0
		for _, got := range a.Outcomes {
			n += count(got == o.outcome)
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o.outcome))
		}
	}
	return strings.Join(parts, ", ")
}

// Wants returns whether the skill should fire in the case.
func (c *CaseSummary) Wants() string {
	switch {
	case c.Called:
		return "called"
	case c.Open:
		return "-"
	case c.Fires:
		return "fires"
	}
	return "quiet"
}

// Totals returns the rates of a skill with their names.
func (k *SkillSummary) Totals() [][2]string {
	var rows [][2]string
	add := func(name string, r Rate) {
		if r.Of > 0 {
			rows = append(rows, [2]string{name, r.String()})
		}
	}
	with := func(model string) string { // several models have names
		if model != "" {
			return ", " + model
		}
		return ""
	}
	for _, a := range k.Arms {
		of := with(a.Arm.Model())
		switch a.Arm.Kind() {
		case With:
			add("fired"+of, a.Fired)
			add("quiet where it should"+of, a.Quiet)
			add("passed"+of, a.Passed)
			add("a model says yes"+of, a.Judged)
		case Without:
			add("passed without it"+of, a.Passed)
			add("says yes without it"+of, a.Judged)
		}
	}
	for _, c := range k.Differences {
		if c.Than.Kind() != Without {
			rows = append(rows, [2]string{fmt.Sprintf("%s - %s", c.Arm, c.Than), c.String()})
			continue
		}
		rows = append(rows, [2]string{"it helps by" + with(c.Arm.Model()), c.Difference.String()})
		if c.MoreCases > 0 {
			rows = append(rows, [2]string{"", c.tells()})
		}
	}
	return rows
}

// String formats a comparison for people.
func (c *Comparison) String() string {
	text := c.Of + " " + c.Difference.String()
	if c.MoreCases > 0 {
		text += "; " + c.tells()
	}
	return text
}

func (c *Comparison) tells() string {
	what := term.Plural(c.MoreCases, "more case")
	if c.MoreRuns > 0 {
		what += fmt.Sprintf(", or %s of each,", term.Plural(c.MoreRuns, "more run"))
	}
	return fmt.Sprintf("%s would detect a difference of %.0f points", what, c.Tells*100)
}

// Why returns possible reasons for misses and failed checks.
func (k *SkillSummary) Why() []string {
	var lines []string
	about := func(id, model string) string {
		if model != "" {
			id += " with " + model
		}
		return id + ": "
	}
	for _, m := range k.Misses {
		trials := term.Plural(m.Trials, "trial")
		line := about(m.Case, m.Model)
		switch {
		case m.Instead != "":
			line += fmt.Sprintf("%s fired instead in %s", m.Instead, trials)
			if len(m.Shared) > 0 {
				line += "; its description shares with the prompt: " + list(m.Shared)
			}
		case m.Quiet && m.Refused == "":
			line += fmt.Sprintf("fired in %s but should not", trials)
		case m.Quiet:
			line += fmt.Sprintf("called in %s but should not be", trials)
		case m.Refused != "":
			line += fmt.Sprintf("called in %s, but its page failed", trials)
		default:
			line += "nothing fired in " + trials
		}
		if m.Refused != "" {
			line += "; the agent got instead: " + term.Fit(term.Flat(m.Refused), 300)
		}
		if m.Cut != "" {
			line += "; " + m.Cut
		}
		if len(m.Lacking) > 0 {
			line += "; the description of " + k.Skill + " lacks: " + list(m.Lacking)
		}
		lines = append(lines, line)
	}
	for _, c := range k.Cases {
		for _, a := range c.Arms {
			if a.Arm.Kind() != With {
				continue
			}
			for _, check := range slices.Sorted(maps.Keys(a.Failed)) {
				lines = append(lines, fmt.Sprintf("%sfailed in %s: %s", about(c.Case, a.Arm.Model()), term.Plural(a.Failed[check], "trial"),
					check))
			}
			for _, u := range a.Unjudged {
				lines = append(lines, fmt.Sprintf("%snot judged in %s: %s (%s)",
					about(c.Case, a.Arm.Model()), term.Plural(u.Trials, "trial"), u.Check, u.Why))
			}
		}
	}
	return lines
}

func list(words []string) string {
	if len(words) > 12 {
		return strings.Join(words[:12], ", ") + ", …"
	}
	return strings.Join(words, ", ")
}

// Remarks returns notes about all of the trials.
func (s *Summary) Remarks() []string {
	notes := slices.Clone(s.Notes)
	if s.Void > 0 {
		note := fmt.Sprintf("%s without a verdict (not in any rate)", term.Plural(s.Void, "trial"))
		switch {
		case s.again:
		case s.Lasting == s.Void:
			note += ": the same command would fail the same way"
		case s.Lasting > 0:
			note += fmt.Sprintf(": the same command tries again, but %d would fail the same way", s.Lasting)
		default:
			note += ": the same command tries again"
		}
		notes = append(notes, note)
	}
	if s.Unknown > 0 {
		notes = append(notes, fmt.Sprintf(
			"%s: unknown whether the skill fired, because the agent does not show what its subagents do", term.Plural(s.Unknown, "trial")))
	}
	if s.Missing > 0 {
		note := fmt.Sprintf("%s not made", term.Plural(s.Missing, "trial"))
		if s.Stopped != "" {
			note += ": " + s.Stopped
		}
		how := "run the same command"
		if strings.HasPrefix(s.Stopped, budgetShort) {
			how = "run the same command with a higher --budget-usd"
		}
		notes = append(notes, note+"; "+how+" to continue")
	}
	for _, below := range s.Below {
		notes = append(notes, "below the minimum: "+below)
	}
	return append(notes, s.Uncounted...)
}

// Markdown formats a summary for a pull request.
func (s *Summary) Markdown() string {
	var b strings.Builder
	for _, k := range s.Skills {
		fmt.Fprintf(&b, "### %s\n\n", cell(k.Skill))
		for _, row := range k.Totals() {
			fmt.Fprintf(&b, "- %s: **%s**\n", row[0], row[1])
		}
		b.WriteString("\n| case | wants | arm | outcomes | passed | cost |\n|---|---|---|---|---|---|\n")
		for _, c := range k.Cases {
			for _, a := range c.Arms {
				passed := "-"
				if a.Passed.Of > 0 {
					passed = fmt.Sprintf("%d/%d", a.Passed.Hits, a.Passed.Of)
				}
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n",
					cell(c.Case), c.Wants(), a.Arm, a.Counted(), passed, dollars(a.CostUSD, s.NoCost))
			}
		}
		b.WriteString("\n")
		for _, line := range k.Why() {
			fmt.Fprintf(&b, "- %s\n", cell(line))
		}
	}
	fmt.Fprintf(&b, "\n%s, %s. Rates with their 95 %% intervals.\n", term.Plural(s.Trials, "trial"), dollars(s.CostUSD, s.NoCost))
	for _, note := range s.Remarks() {
		fmt.Fprintf(&b, "\n**%s**\n", cell(note))
	}
	return b.String()
}

// cell escapes a text for a table in Markdown.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'", "*", `\*`).Replace(term.Flat(text))
}

// Line describes a trial in one line, for people.
func (t *Trial) Line() string {
	return fmt.Sprintf("%s %s %s %d: %s (%s, %s, %s)", t.Skill, t.Case, t.Arm, t.Run, t.Verdict(),
		cmp.Or(t.Agent, agents.Claude), dollars(t.CostUSD, t.NoCost), term.ShortDuration(t.DurationMS))
}

// FatesMarkdown returns the table of skills and agents as Markdown.
func (r Report) FatesMarkdown() string {
	text := "| skill | agent | |\n|---|---|---|\n"
	for _, f := range r.Fates() {
		text += fmt.Sprintf("| %s | %s | %s |\n", cell(f.Skill), cell(f.Who()), cell(f.Fate))
	}
	return text
}

// FatesText returns the table of skills and agents for people.
func (r Report) FatesText() string {
	skills, agents := 0, 0
	for _, f := range r.Fates() {
		skills, agents = max(skills, term.Cells(term.Flat(f.Skill))), max(agents, term.Cells(f.Who()))
	}
	text := ""
	for _, f := range r.Fates() {
		text += fmt.Sprintf("%s  %s  %s\n", term.Pad(term.Flat(f.Skill), skills), term.Pad(f.Who(), agents), term.Flat(f.Fate))
	}
	return text
}

// Sorted returns trials in the order of their names, not in the order in which they ended.
func Sorted(trials []Trial) []Trial {
	trials = slices.Clone(trials)
	slices.SortStableFunc(trials, func(a, b Trial) int {
		return cmp.Or(cmp.Compare(a.Skill, b.Skill), cmp.Compare(a.Case, b.Case), cmp.Compare(a.Arm, b.Arm), cmp.Compare(a.Run, b.Run))
	})
	return trials
}
