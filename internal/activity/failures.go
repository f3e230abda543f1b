package activity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// A reason is the reason of a failure. Runs have only a category.
type reason struct{ category, detail string }

// advice says what to do about failures, by their detail or their category. %s is the name with the
// most such failures.
var advice = map[string]string{
	// Advice about runs.
	"UNCLEAR":               "the text of %s does not say whether it succeeded: end it with `skillhand emit`",
	"NO_REPORT":             "%s prints no report: end it with `skillhand emit`, or see what `skillhand parse` finds in its output",
	"INVALID_JSON":          "%s prints a report that is not JSON: build it with `skillhand emit`",
	"MISSING_FIELD":         "the report of %s lacks a field: build it with `skillhand emit`",
	"INVALID_TYPE":          "the report of %s has a field of the wrong type: build it with `skillhand emit`",
	"OUT_OF_RANGE":          "the report of %s has a number out of range: build it with `skillhand emit`",
	"CONFLICT":              "%s reports success and exits with a failure: make the two agree",
	"EXIT_STATUS":           "%s ends with a failure and no report: see why with `skillhand run`, and report it with `skillhand emit --error CODE=message`",
	"REPORTED_FAILURE":      "%s reports a failure: see the errors in its report with `skillhand run`",
	"TIMED_OUT":             "%s runs out of time: raise `--timeout`, or find out what it waits for",
	"INTERRUPTED":           "%s was interrupted: if that was not you, find out what stops it",
	"DELIVERABLE_MISSING":   "%s names files that do not exist: check its paths, which are relative to the folder it runs in",
	"DELIVERABLE_UNCHANGED": "%s names files that it did not touch: list only what it made or changed",
	"DELIVERABLE_UNCHECKED": "%s names folders too large to check: list the files it made in them",

	// Advice about asks, by kind of failure.
	"rate-limited":     "%s hit rate limits: send fewer asks at once, or raise `--retries` and `--timeout`",
	"overloaded":       "%s found the service overloaded: try again later, or raise `--retries` and `--timeout`",
	"usage-limit":      "%s reached the usage limit: wait for the reset, or check your plan",
	"billing":          "%s ran out of credit: check your billing",
	"auth":             "%s is not logged in: run `claude` and log in, or check the key",
	"connection":       "%s could not reach the service: check the connection and the proxy",
	"server-error":     "%s got an error from the service: try again later, or raise `--retries`",
	"api-timeout":      "%s got no answer from the service in time: try again later, or ask for less at once",
	"idle":             "%s fell silent: raise `--idle-timeout`, or see with `--events` what it was doing",
	"deadline":         "%s runs out of time: raise `--timeout`, or ask for less at once",
	"bad-request":      "%s sent a request that the service refused: `skillhand ask` prints why",
	"too-large":        "%s sends too much: shorten the prompt, or let Claude read files instead",
	"model":            "%s asks for a model that is not available: check `--model`",
	"usage":            "%s passes arguments that the Claude CLI does not know: check what follows `--`",
	"unknown-command":  "%s begins with a slash command that Claude does not know: check its name",
	"schema":           "%s gets answers that do not fit the schema: simplify it, or describe its fields in the prompt",
	"max-turns":        "%s runs out of turns: raise `--max-turns`, or ask for less at once",
	"budget":           "%s runs out of budget: raise `--max-budget-usd`, or ask for less at once",
	"refusal":          "%s is refused by the model: reword the prompt, or try another model",
	"max-output":       "%s gets answers that are cut off: ask for a shorter one, or in parts",
	"directive-failed": "a command in the skill of %s fails: see which with `skillhand load --strict`",
	"no-result":        "%s ends without an answer: keep a transcript with `--output-file`, and update the Claude CLI",
	"missing":          "%s finds no program to start: install the agent, or name it with `--claude`",
	"crashed":          "%s crashes the Claude CLI: update it, and keep a transcript with `--output-file`",
	"interrupted":      "%s was interrupted: if that was not you, find out what stops it",
	"transcript":       "%s cannot write its transcript: check the path of `--output-file`",

	// Advice about asks, by category, if there is none for the kind.
	"network":    "%s could not reach the service: check the connection, or raise `--retries`",
	"rate-limit": "%s hit rate limits: send fewer asks at once, or raise `--retries` and `--timeout`",
	"timeout":    "%s runs out of time: raise `--timeout` or `--idle-timeout`, or ask for less at once",
	"validation": "%s sent an ask that cannot be answered: check the model, the schema and the length of the prompt",
	"logic":      "%s ends without an answer: `skillhand ask` prints why",
	"quota":      "%s used up its quota: wait for the reset, or check your plan",
}

func (r reason) advice() string {
	return cmp.Or(advice[r.detail], advice[r.category], "%s failed: run it again, and it prints why")
}

// commonReasons returns up to n reasons, the most frequent first.
func (b *reviewer) commonReasons(n int) []reason {
	failed := map[reason]int{}
	for r, names := range b.reasons {
		for _, count := range names {
			failed[r] += count
		}
	}
	all := slices.SortedFunc(maps.Keys(failed), func(a, c reason) int {
		return cmp.Or(cmp.Compare(failed[c], failed[a]), cmp.Compare(a.category, c.category), cmp.Compare(a.detail, c.detail))
	})
	return all[:min(n, len(all))]
}

const (
	lowConfidence = 0.6 // the lower limit of "fair"
	minWorth      = 0.1 // dollars; advice about a smaller cost is not useful
)

// next returns what to do next. The most useful step comes first.
func (b *reviewer) next(v *Review) []string {
	steps := []string{}
	if v.Total == 0 {
		return append(steps, "nothing is recorded yet: `skillhand run SKILL` runs a skill's script and judges it")
	}
	for _, r := range b.commonReasons(3) {
		names := frequent(b.reasons[r])
		most, others := names[0], ""
		switch n := len(names) - 1; {
		case n == 1:
			others = ", and 1 other"
		case n > 1:
			others = fmt.Sprintf(", and %d others", n)
		}
		steps = append(steps, fmt.Sprintf("%s (%d× %s%s)", fmt.Sprintf(r.advice(), most.Name), most.Failed,
			cmp.Or(r.detail, r.category), others))
	}
	if len(v.Flaky) > 0 {
		f := v.Flaky[0]
		steps = append(steps, fmt.Sprintf(
			"%s gives different results for the same input (%d of %d failed): find out what else it depends on",
			f.Name, f.Failed, f.Total))
	}
	// Confidence 0 on a failure is not a sign of doubt, so only successes count.
	var unsure *skillSum
	for _, sk := range v.Skills {
		if s := b.skills[sk.Name]; s.succeeded.count > 0 && s.succeeded.mean() < lowConfidence &&
			(unsure == nil || s.succeeded.mean() < unsure.succeeded.mean()) {
			unsure = s
		}
	}
	if unsure != nil {
		steps = append(steps, fmt.Sprintf(
			"%s is unsure of its own work (confidence %.2f): have it check more, or say what it could not check",
			unsure.skill.Name, unsure.succeeded.mean()))
	}
	dear := slices.MaxFunc(v.Skills, func(a, b Ran) int { return cmp.Compare(a.CostUSD, b.CostUSD) })
	if len(v.Skills) > 1 && dear.CostUSD > max(minWorth, v.CostUSD/2) {
		steps = append(steps, fmt.Sprintf(
			"%s cost $%.2f of $%.2f: try a smaller model, or `--max-budget-usd`", dear.Name, dear.CostUSD, v.CostUSD))
	}
	return steps
}
