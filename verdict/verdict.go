// Package verdict answers one question: does what a script reports hold? It
// weighs the report against the exit status, the time and the deliverables.
package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/proc"
	"github.com/skillhand/skillhand/report"
)

// A Verdict says what a script reported and whether that holds.
//
// As JSON it is what skillhand run --json prints: schemas/run-v1.schema.json.
type Verdict struct {
	OK         bool           `json:"ok"`        // it reports success, and nothing speaks against it
	Report     *report.Report `json:"report"`    // nil if there is no valid one
	Exit       int            `json:"exit_code"` // 128+n after signal n
	DurationMS float64        `json:"duration_ms"`
	Method     report.Method  `json:"parse_method"`
	Problems   []Problem      `json:"problems"` // every reason why it is not OK
	Warnings   []report.Fault `json:"warnings"` // what is odd about the report, and about the run

	Script   string `json:"-"` // the file that ran
	Printed  string `json:"-"` // the last lines of its stdout, if that has no report
	TimedOut bool   `json:"-"`
}

// A Problem is one reason why a run is not OK.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The problems that a verdict can have, besides what is wrong with the report.
const (
	ReportedFailure      = "REPORTED_FAILURE"
	Conflict             = "CONFLICT"
	ExitStatus           = "EXIT_STATUS"
	TimedOut             = "TIMED_OUT"
	Interrupted          = "INTERRUPTED"
	DeliverableMissing   = "DELIVERABLE_MISSING"
	DeliverableUnchanged = "DELIVERABLE_UNCHANGED"
	DeliverableUnchecked = "DELIVERABLE_UNCHECKED"
	NothingRan           = "NOT_RUN"
)

// The warnings that a verdict can have, besides those about the report.
const (
	OutputHeld     report.Code = "OUTPUT_HELD"
	OutputCut      report.Code = "OUTPUT_CUT"
	EndedProcesses report.Code = "ENDED_PROCESSES"
)

// NotRun is the verdict on a script that could not be run.
func NotRun(err error) *Verdict {
	v := &Verdict{Exit: -1, Method: report.None, Problems: []Problem{}, Warnings: []report.Fault{}}
	v.problem(NothingRan, err.Error())
	return v
}

// Judge puts together what a script reports and how it ended, within a time limit.
func Judge(parsed report.Result, result proc.Result, timeout time.Duration) *Verdict {
	v := &Verdict{
		Report: parsed.Report, Method: parsed.Method, Warnings: append([]report.Fault{}, parsed.Warnings...), Problems: []Problem{},
		Exit: result.Exit, DurationMS: float64(result.Duration.Microseconds()) / 1000, TimedOut: result.Cut == proc.Timeout,
	}
	switch result.Cut {
	case proc.Timeout:
		v.problem(TimedOut, fmt.Sprintf("timed out after %s", timeout))
	case proc.Canceled:
		v.problem(Interrupted, "interrupted")
	}
	ended := result.Cut == proc.Not
	for _, f := range parsed.Faults {
		message := f.Message
		if f.Path != "" {
			message = f.Path + ": " + message
		}
		if f.Code == report.NoReport && ended {
			message += ": end the script with skillhand emit, see skillhand emit --help"
		}
		v.problem(string(f.Code), message)
	}
	if result.Held {
		v.warn(OutputHeld, "a process that it started kept its output open and was ended: some output may be missing")
	}
	if len(result.Left) > 0 {
		v.warn(EndedProcesses, endedProcesses(result.Left))
	}
	if v.Report != nil && !parsed.Stated {
		v.Report.Success = ended && result.Exit == 0
	}
	how := fmt.Sprintf("exit status %d", result.Exit)
	if result.Signal != 0 {
		how = fmt.Sprintf("ended by signal %d", result.Signal)
	}
	switch {
	case !ended || result.Exit == 0:
	case v.Report != nil && v.Report.Success:
		v.problem(Conflict, "the report says success, but: "+how)
	default:
		v.problem(ExitStatus, how)
	}
	if v.Report != nil && !v.Report.Success && parsed.Stated {
		v.problem(ReportedFailure, "the script reports that it failed")
	}
	v.OK = len(v.Problems) == 0
	return v
}

func (v *Verdict) problem(code, message string) {
	v.Problems = append(v.Problems, Problem{code, message})
}

func (v *Verdict) warn(code report.Code, message string) {
	v.Warnings = append(v.Warnings, report.Fault{Code: code, Message: message})
}

// endedProcesses says what was ended. Some systems don't tell the names, nor how many there were.
func endedProcesses(names []string) string {
	const maxNames = 3
	if names[0] == "" {
		return "ended processes that it had left behind"
	}
	text := "ended 1 process that it had left behind: "
	if len(names) > 1 {
		text = fmt.Sprintf("ended %d processes that it had left behind: ", len(names))
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(names)))
	if len(distinct) > maxNames {
		distinct = append(distinct[:maxNames], "...")
	}
	return text + strings.Join(distinct, ", ")
}
