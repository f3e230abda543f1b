// Package eval answers one question: is this skill worth having? It is if it fires when it should,
// and helps when it fires.
//
// A case is a prompt with the result that it should have. A trial asks Claude that prompt once, in
// a fresh copy of the case's folder and with its own HOME, with the skill or without it. The
// outcome of a trial is read from the whole stream of the CLI: a rate limit or a crash does not
// count as a miss.
//
// The pure parts are separate: reading cases (read.go), the outcome (outcome.go), rates (rates.go),
// the summary (summary.go). Only Bundle.try asks the agent, and only results.go saves results.
package eval

import "github.com/skillhand/skillhand/internal/term"

// A Case is one prompt with the result that it should have.
type Case struct {
	ID     string
	Prompt string
	Fires  bool     // whether the skill should fire
	Files  []string // the initial content of its folder: folders, whose content is copied, and files
	Checks []Check
	Git    bool   // its folder is a git repository with a first commit
	Open   bool   // the case does not say whether the skill should fire, so it counts in no rate of firing
	About  string // a regular expression of JavaScript for the skill call that it is about; "" means any call of the subject's skills
	Suite  *Suite `json:",omitempty"` // how claude plugin eval would run it; nil in other forms

	gitSaid bool // the case sets Git

	File string // the file that the case is in
	Line int
}

// A CheckResult is the result of a check.
type CheckResult struct {
	Check string `json:"check"` // in the words of the case
	OK    *bool  `json:"ok"`    // nil if it is unknown or nobody was asked
	Why   string `json:"why,omitempty"`
	Judge bool   `json:"judge,omitempty"` // a model decided it

	Unasked bool `json:"unasked,omitempty"` // a model would decide it, but the caller did not want one

	Weight   float64 `json:"weight,omitempty"`    // the weight of a grader in the score
	WithOnly bool    `json:"with_only,omitempty"` // shown, but not part of any score
	Votes    []bool  `json:"votes,omitempty"`     // votes of a model that was asked more than once
}

// A Trial is the result of asking a case's prompt once. As JSON it is a line of what skillhand try
// --json prints: schemas/try-v1.schema.json.
type Trial struct {
	Type       string        `json:"type"` // trial
	Skill      string        `json:"skill"`
	Case       string        `json:"case"`
	Arm        Arm           `json:"arm"`
	Run        int           `json:"run"` // the first run is 1
	Fires      bool          `json:"fires"`
	Agent      string        `json:"agent,omitempty"` // the agent that was asked; "" means Claude
	Open       bool          `json:"open,omitempty"`  // the case does not say whether the skill should fire
	Outcome    Outcome       `json:"outcome"`
	Instead    []string      `json:"instead,omitempty"` // the other skills that fired
	Refused    string        `json:"refused,omitempty"` // what the agent got instead of the text of a skill that it called
	Why        string        `json:"why,omitempty"`     // why the outcome is void, or the answer was cut off
	Lasting    bool          `json:"lasting,omitempty"` // void, and another attempt would fail the same way
	Cut        string        `json:"cut,omitempty"`     // how the agent's list of skills cut the description, if the skill did not fire
	Passed     *bool         `json:"passed"`            // all checks passed; nil if there are none, or if one is unknown and none failed
	Checks     []CheckResult `json:"checks"`
	Score      *float64      `json:"score,omitempty"`          // for a case of claude plugin eval: the share of weights that passed
	JudgeUSD   float64       `json:"judge_cost_usd,omitempty"` // the part of the cost that a judge took
	CostUSD    float64       `json:"cost_usd"`                 // includes failed attempts
	NoCost     bool          `json:"cost_unknown,omitempty"`   // the agent does not report its cost, so CostUSD is incomplete
	Model      string        `json:"model,omitempty"`          // the model that answered, as the agent calls it
	Tokens     int           `json:"tokens"`
	DurationMS float64       `json:"duration_ms"`
	Tries      int           `json:"tries"` // how often the agent was asked until there was an outcome
	Transcript string        `json:"transcript"`
	Kept       string        `json:"kept,omitempty"` // the folder as the trial left it, if the caller wanted to keep it

	dearest float64 // the cost of the most expensive question of a judge
	turn    float64 // the cost of the most expensive turn
	billed  float64 // the agent's part: see claude.Reply
}

// Right reports whether the skill fired if it should. If it should not fire, the agent must not
// even have called it.
func (t *Trial) Right() bool {
	if t.Fires {
		return t.Outcome.delivered()
	}
	return t.Outcome == Other || t.Outcome == None
}

// dollars formats an amount for people, unless the cost is unknown.
func dollars(usd float64, unknown bool) string {
	if unknown {
		return "cost unknown"
	}
	return term.Dollars(usd)
}
