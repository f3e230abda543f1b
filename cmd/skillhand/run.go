package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/report"
)

type runOptions struct {
	skillhand.RunRequest
	json bool
}

func newRun(std *stdio) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run SKILL|SCRIPT [ARG...]",
		Short: "Run a skill's script and judge its report",
		Long: `Run a script, read the report it prints on stdout, and check it against what
happened: each deliverable is there and was made or changed by this run, and
success goes with exit status 0. Its stderr is shown as it comes.

SKILL is a name, plugin:name, or the path of a skill's folder; its script is
execute.* or scripts/execute.*. SCRIPT is a path. What follows is the script's.
It runs in this folder, and only from folders that you trust.

When it has ended, so must what it started: output that is still held may be
silent for one second, and what is left then is ended, with a warning.

The exit status is 0 only if all of it holds, and 124 after a time-out.`,
		Example: `  skillhand run deploy staging
  skillhand run ./skills/deploy/execute.sh --dry-run
  skillhand run --timeout 30s --json deploy`,
		Args: args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return completeSkills(o.PluginRoot), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runRun(cmd.Context(), std, o, args) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.DurationVar(&o.Timeout, "timeout", 10*time.Minute, "for the whole run")
	f.StringVar(&o.Cwd, "cwd", "", "the `folder` to run in, and that deliverables are relative to (default here)")
	f.StringVar(&o.PluginRoot, "plugin-root", "", "the plugin's `folder` (default $CLAUDE_PLUGIN_ROOT); its scripts may run")
	f.BoolVar(&o.json, "json", false, "print the verdict as one JSON document")
	return cmd
}

func runRun(ctx context.Context, std *stdio, o runOptions, args []string) error {
	if o.Timeout <= 0 {
		return usagef("--timeout %s: want more than 0", o.Timeout)
	}
	o.Script, o.Args = args[0], args[1:]
	if o.PluginRoot == "" {
		o.PluginRoot = lookup(std.env, "CLAUDE_PLUGIN_ROOT")
	}
	rt, err := newRuntime(std)
	if err != nil {
		return err
	}
	spinner := std.spin("running " + visible(o.Script))
	o.Stdin, o.Stderr = std.in, spinner
	if std.interactive() {
		o.Ask = func(dir string, commands []string) (bool, error) {
			return askTrust(ctx, std, "Running "+visible(o.Script), dir, commands)
		}
	}
	v, err := rt.Run(ctx, o.RunRequest)
	spinner.end()
	if err != nil {
		return err
	}
	if v.Unrecorded != nil {
		std.warn(v.Unrecorded.Error())
	}
	if o.json {
		err = std.printJSON(newRunDocument(v))
	} else {
		err = std.printVerdict(v)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case v.TimedOut:
		return &statusError{status: exitTimeout}
	case !v.OK:
		return &statusError{status: exitFailed}
	}
	return nil
}

// A runDocument is what run --json prints: schemas/run-v1.schema.json.
type runDocument struct {
	OK         bool                `json:"ok"`
	Report     *report.Report      `json:"report"`
	ExitCode   int                 `json:"exit_code"`
	DurationMS float64             `json:"duration_ms"`
	Method     report.Method       `json:"parse_method"`
	Problems   []skillhand.Problem `json:"problems"`
	Warnings   []report.Fault      `json:"warnings"`
}

func newRunDocument(v *skillhand.Verdict) runDocument {
	return runDocument{
		OK: v.OK, Report: v.Report, ExitCode: v.Exit, DurationMS: float64(v.Duration.Microseconds()) / 1000,
		Method: v.Method, Problems: append([]skillhand.Problem{}, v.Problems...), Warnings: append([]report.Fault{}, v.Warnings...),
	}
}

// maxListed is how many of a kind are shown to people.
const maxListed = 20

// printVerdict shows a verdict to a person: first whether all is well, then why
// not, then what was reported.
func (std *stdio) printVerdict(v *skillhand.Verdict) error {
	paint := std.painter()
	verdict := paint("1;32", "OK")
	if !v.OK {
		verdict = paint("1;31", "NOT OK")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s, exit status %d, %s\n", verdict, near(visible(v.Script)), v.Exit, duration(v.Duration))
	var rows [][2]string
	for _, p := range v.Problems {
		rows = append(rows, [2]string{p.Code, p.Message})
	}
	section(&b, "problems", rows)
	if v.Printed != "" {
		rows = nil
		for line := range strings.SplitSeq(v.Printed, "\n") {
			rows = append(rows, [2]string{line, ""})
		}
		section(&b, "printed", rows)
	}
	if r := v.Report; r != nil {
		confidence := strconv.FormatFloat(r.Confidence, 'f', -1, 64) + " " + report.Band(r.Confidence)
		if v.Method == report.Legacy {
			confidence += ", read from text"
		}
		section(&b, "confidence", [][2]string{{confidence, ""}})
		rows = nil
		for _, d := range r.Deliverables {
			rows = append(rows, [2]string{d, ""})
		}
		section(&b, "deliverables", rows)
		rows = nil
		for _, name := range slices.Sorted(maps.Keys(r.Metrics)) {
			rows = append(rows, [2]string{name, strconv.FormatFloat(r.Metrics[name], 'f', -1, 64)})
		}
		section(&b, "metrics", rows)
		rows = nil
		for _, e := range r.Errors {
			rows = append(rows, [2]string{e.Code, e.Message})
		}
		section(&b, "errors", rows)
	}
	rows = nil
	for _, w := range v.Warnings {
		rows = append(rows, [2]string{describe(w), ""})
	}
	section(&b, "warnings", rows)
	if _, err := io.WriteString(std.out, b.String()); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

// section prints rows of one or two columns under a name, if there are any.
func section(b *strings.Builder, name string, rows [][2]string) {
	width := 0
	for _, r := range rows[:min(len(rows), maxListed)] {
		if r[1] != "" {
			width = max(width, min(30, len([]rune(r[0]))))
		}
	}
	for i, r := range rows {
		if i == maxListed {
			fmt.Fprintf(b, "  %-12s  and %d more\n", "", len(rows)-i)
			break
		}
		line := strings.TrimRight(fmt.Sprintf("  %-12s  %-*s  %s", name, width, visible(r[0]), visible(r[1])), " ")
		b.WriteString(strings.ReplaceAll(line, "\n", "\n                ") + "\n")
		name = ""
	}
}

// duration is as exact as people want it.
func duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// A spinner shows on a terminal that something takes long. What is written
// through it meanwhile goes to the same terminal, and the spinner out of its way.
// Whoever holds std.screen has the terminal.
type spinner struct {
	std     *stdio
	what    string
	began   time.Time
	shown   bool
	midLine bool // what was written last did not end its line

	stop, stopped chan struct{}
}

// spin starts a spinner on stderr; without a terminal there, it only passes on.
func (std *stdio) spin(what string) *spinner {
	s := &spinner{std: std, what: what, began: time.Now(), stop: make(chan struct{}), stopped: make(chan struct{})}
	if !isTerminal(std.err) || lookup(std.env, "TERM") == "dumb" {
		close(s.stopped)
		return s
	}
	go s.run()
	return s
}

func (s *spinner) run() {
	defer close(s.stopped)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.show()
		case <-s.stop:
			return
		}
	}
}

func (s *spinner) show() {
	if !s.std.screen.TryLock() { // not while a person is being asked
		return
	}
	defer s.std.screen.Unlock()
	if !s.midLine {
		fmt.Fprintf(s.std.err, "\r%s, %s ", s.what, time.Since(s.began).Round(time.Second))
		s.shown = true
	}
}

// hide clears the spinner's line. The screen is held.
func (s *spinner) hide() {
	if s.shown {
		fmt.Fprint(s.std.err, "\r\x1b[K")
		s.shown = false
	}
}

func (s *spinner) Write(p []byte) (int, error) {
	s.std.screen.Lock()
	defer s.std.screen.Unlock()
	s.hide()
	s.midLine = len(p) > 0 && p[len(p)-1] != '\n'
	return s.std.err.Write(p)
}

// end takes the spinner away. What is printed next on the terminal begins a line.
func (s *spinner) end() {
	close(s.stop)
	<-s.stopped
	s.std.screen.Lock()
	defer s.std.screen.Unlock()
	s.hide()
	if s.midLine && isTerminal(s.std.err) {
		fmt.Fprintln(s.std.err)
	}
}
