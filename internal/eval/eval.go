// Package eval answers one question: is this skill worth having? It is if it fires
// when it should, and helps when it fires.
//
// A case is a prompt and what should come of it. A trial asks Claude that prompt
// once, in a fresh copy of the case's folder and with a HOME of its own, with
// the skill or without it. What came of a trial is read from the whole stream of
// the CLI: a rate limit or a crash is no miss.
//
// The pure halves stand apart: reading cases (read.go), the outcome (outcome.go),
// rates (rates.go), the summary (summary.go). Runner.trial alone asks, and
// results.go alone keeps what was found.
package eval

import "github.com/skillhand/skillhand/internal/term"

// A Case is one prompt, and what should come of it.
type Case struct {
	ID     string
	Prompt string
	Fires  bool     // whether the skill should fire
	Files  []string // what its folder begins with: folders, whose content is copied, and files
	Checks []Check
	Git    bool   // its folder is a git repository with a first commit
	Open   bool   // it does not say whether the skill should fire, and counts in no rate of firing
	About  string // a regular expression of JavaScript on the call of the skill that it is about; "" means any of the subject's
	Suite  *Suite `json:",omitempty"` // how claude plugin eval would run it; nil in other forms

	gitSaid bool // by the case

	File string // the file that it is in
	Line int
}

// A CheckResult is what came of a check.
type CheckResult struct {
	Check string `json:"check"` // in the words of the case
	OK    *bool  `json:"ok"`    // nil: it could not be told, or nobody asked
	Why   string `json:"why,omitempty"`
	Judge bool   `json:"judge,omitempty"` // a model says so

	Unasked bool `json:"unasked,omitempty"` // a model would, and none was asked for

	Weight   float64 `json:"weight,omitempty"`    // of a grader in the score
	WithOnly bool    `json:"with_only,omitempty"` // shown, and in no score
	Votes    []bool  `json:"votes,omitempty"`     // of a model that was asked more than once
}

// A Trial is what came of asking a case's prompt once. As JSON it is a line of
// what skillhand try --json prints: schemas/try-v1.schema.json.
type Trial struct {
	Type       string        `json:"type"` // trial
	Skill      string        `json:"skill"`
	Case       string        `json:"case"`
	Arm        Arm           `json:"arm"`
	Run        int           `json:"run"` // 1 is the first
	Fires      bool          `json:"fires"`
	Agent      string        `json:"agent,omitempty"` // who was asked; "" means Claude
	Open       bool          `json:"open,omitempty"`  // nobody said whether it should fire
	Outcome    Outcome       `json:"outcome"`
	Instead    []string      `json:"instead,omitempty"` // the other skills that fired
	Refused    string        `json:"refused,omitempty"` // what came instead of the skill's text, if it was called and did not fire
	Why        string        `json:"why,omitempty"`     // of void, or of an answer that was cut off
	Lasting    bool          `json:"lasting,omitempty"` // of void: another attempt would fail the same way
	Cut        string        `json:"cut,omitempty"`     // what the agent's list of skills did to the description, if it did not fire
	Passed     *bool         `json:"passed"`            // every check; nil if there is none, or one could not be told and none failed
	Checks     []CheckResult `json:"checks"`
	Score      *float64      `json:"score,omitempty"`          // of a case of claude plugin eval: weights that passed, of all
	JudgeUSD   float64       `json:"judge_cost_usd,omitempty"` // what of the cost a judge took
	CostUSD    float64       `json:"cost_usd"`                 // tries that came to nothing included
	NoCost     bool          `json:"cost_unknown,omitempty"`   // the agent does not tell what it cost, so CostUSD is not all
	Model      string        `json:"model,omitempty"`          // that answered, as the agent calls it
	Tokens     int           `json:"tokens"`
	DurationMS float64       `json:"duration_ms"`
	Tries      int           `json:"tries"` // how often it was asked until there was an outcome
	Transcript string        `json:"transcript"`
	Kept       string        `json:"kept,omitempty"` // the folder as the trial left it, if that was wanted

	dearest float64 // what the dearest question of a judge cost
	turn    float64 // the dearest turn
	billed  float64 // of the agent: see claude.Reply
}

// Right reports whether the skill fired if it should. If it should not, nobody even called it.
func (t *Trial) Right() bool {
	if t.Fires {
		return t.Outcome.delivered()
	}
	return t.Outcome == Other || t.Outcome == None
}

// dollars returns an amount for people; unknown if nobody told it.
func dollars(usd float64, unknown bool) string {
	if unknown {
		return "cost unknown"
	}
	return term.Dollars(usd)
}
