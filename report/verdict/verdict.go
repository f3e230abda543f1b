// Package verdict answers one question: does what a script reports hold? It
// weighs the report against the exit status, the time and the deliverables.
package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/report"
)

// A Verdict says what a script reported and whether the report is true.
//
// As JSON it is what skillhand run --json prints: schemas/run-v1.schema.json.
type Verdict struct {
	OK         bool           `json:"ok"`        // the script reports success, and nothing contradicts it
	Report     *report.Report `json:"report"`    // nil if there is no valid report
	Exit       int            `json:"exit_code"` // 128+n after signal n
	DurationMS float64        `json:"duration_ms"`
	Method     report.Method  `json:"parse_method"`
	Problems   []Problem      `json:"problems"` // every reason why the run is not OK
	Warnings   []report.Fault `json:"warnings"` // what is odd about the report or the run

	Script   string `json:"-"` // the file that ran
	Printed  string `json:"-"` // the last lines of the script's stdout, if it contains no report
	Stderr   string `json:"-"` // the last 8 KB of the script's stderr, if the run is not OK
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

// The warnings that a verdict can have, besides the warnings about the report.
const (
	Doubtful       report.Code = "DOUBTFUL_SUCCESS"
	OutputHeld     report.Code = "OUTPUT_HELD"
	OutputCut      report.Code = "OUTPUT_CUT"
	EndedProcesses report.Code = "ENDED_PROCESSES"
)

// NotRun returns the verdict on a script that could not be run.
func NotRun(err error) *Verdict {
	v := &Verdict{Exit: -1, Method: report.None, Problems: []Problem{}, Warnings: []report.Fault{}}
	v.problem(NothingRan, err.Error())
	return v
}

// A Run says how a script ended.
type Run struct {
	Result  Result
	Timeout time.Duration // the script's time limit
	Stderr  string        // the end of the script's stderr
}

// Judge returns the verdict on a script, from its report and how it ended.
func Judge(parsed report.Result, run Run) *Verdict {
	v := &Verdict{
		Report: parsed.Report, Method: parsed.Method, Warnings: append([]report.Fault{}, parsed.Warnings...), Problems: []Problem{},
		Exit: run.Result.Exit, DurationMS: float64(run.Result.Duration.Microseconds()) / 1000, TimedOut: run.Result.Cut == proc.Timeout,
	}
	ended := run.Result.Cut == proc.Not
	crashed := ended && run.Result.Exit != 0
	if v.Report != nil && !parsed.Stated {
		v.Report.Success = ended && !crashed
	}
	// The cause comes first: a script that was stopped or crashed had no chance to report.
	switch {
	case v.TimedOut:
		v.problem(TimedOut, fmt.Sprintf("timed out after %s", run.Timeout))
	case !ended:
		v.problem(Interrupted, "interrupted")
	case crashed && v.Report != nil && v.Report.Success:
		v.problem(Conflict, "the report says success, but: "+run.how())
	case crashed:
		v.problem(ExitStatus, run.how())
	}
	for _, f := range parsed.Faults {
		message := f.Message
		if f.Path != "" {
			message = f.Path + ": " + message
		}
		switch {
		case !ended || crashed:
		case f.Code == report.NoReport:
			message += ": end the script with skillhand emit, see skillhand emit --help"
		case f.Code == report.Unclear:
			message += ": end the script with skillhand emit, or with a line about all of it, such as SUCCESS"
		}
		v.problem(string(f.Code), message)
	}
	if v.Report != nil && !v.Report.Success && parsed.Stated {
		v.problem(ReportedFailure, "the script reports that it failed")
	}
	v.doubt()
	if run.Result.Held {
		v.warn(OutputHeld, "a process that it started kept its output open and was ended: some output may be missing")
	}
	if len(run.Result.Left) > 0 {
		v.warn(EndedProcesses, endedProcesses(run.Result.Left))
	}
	v.OK = len(v.Problems) == 0
	return v
}

// how says how a script crashed, with the last line of its stderr. It skips lines that mention
// --help: they say where to read on, not what went wrong.
func (r Run) how() string {
	how := fmt.Sprintf("exit status %d", r.Result.Exit)
	if r.Result.Signal != 0 {
		how = fmt.Sprintf("ended by signal %d", r.Result.Signal)
	}
	lines := strings.Split(strings.TrimSpace(LastLines(r.Stderr)), "\n")
	last := len(lines) - 1
	for last > 0 && (strings.Contains(lines[last], "--help") || strings.TrimSpace(lines[last]) == "") {
		last--
	}
	if said := strings.TrimSpace(lines[last]); said != "" {
		how += ": " + said
	}
	return how
}

// doubt warns about a success that lists errors or has confidence 0.
func (v *Verdict) doubt() {
	if v.Report == nil || !v.Report.Success {
		return
	}
	if n := len(v.Report.Errors); n > 0 {
		v.Warnings = append(v.Warnings, report.Fault{Code: Doubtful, Path: "/errors",
			Message: fmt.Sprintf("the report says success and lists errors: %d", n)})
	}
	if v.Report.Confidence == 0 {
		v.Warnings = append(v.Warnings, report.Fault{Code: Doubtful, Path: "/confidence",
			Message: "the report says success with confidence 0"})
	}
}

func (v *Verdict) problem(code, message string) {
	v.Problems = append(v.Problems, Problem{Code: code, Message: message})
}

func (v *Verdict) warn(code report.Code, message string) {
	v.Warnings = append(v.Warnings, report.Fault{Code: code, Message: message})
}

// endedProcesses returns a warning about processes that were stopped. Some systems report neither
// their names nor their number.
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
