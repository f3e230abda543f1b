package skillhand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/proc"
	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/skill"
)

// A RunRequest says which script to run and how. Only Script is required.
type RunRequest struct {
	Script     string        // a skill's name, plugin:name, the path of its folder, or the path of a script
	Args       []string      // the script's
	PluginRoot string        // the plugin whose skills come first, and whose scripts may run
	Cwd        string        // where it runs, and what deliverables are relative to; "" means the runtime's folder
	Timeout    time.Duration // 0 means 10 minutes

	Stdin  io.Reader // nil means no input
	Stderr io.Writer // gets the script's stderr as it comes; nil, or an error, discards the rest

	// Ask is called if the script is in a folder that is not trusted. If it says
	// yes the folder is trusted from then on. nil means no.
	Ask func(dir string, commands []string) (bool, error)
}

// A Verdict says what a script reported and whether that holds. Secrets of the
// environment are not in it.
type Verdict struct {
	OK       bool           // it reports success, and nothing speaks against it
	Report   *report.Report // nil if there is no valid one
	Method   report.Method
	Exit     int // 128+n after signal n
	Duration time.Duration
	Problems []Problem      // every reason why it is not OK
	Warnings []report.Fault // what is odd about the report, and about the run
	Printed  string         // the last lines of its stdout, if that has no report
	Script   string         // the file that ran
	TimedOut bool

	Unrecorded error // why the history does not have it
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
)

// The warnings that a verdict can have, besides those about the report.
const (
	OutputHeld     report.Code = "OUTPUT_HELD"
	OutputCut      report.Code = "OUTPUT_CUT"
	EndedProcesses report.Code = "ENDED_PROCESSES"
)

const (
	defaultRunTimeout = 10 * time.Minute
	// maxParsed is how much of the end of a script's output is read.
	maxParsed = 16 << 20
	// A script that is ended may tidy up for so long.
	tidyUp = 2 * time.Second
	// What a script leaves its last words to may be silent for so long.
	silence = time.Second
	// maxWalk is how long the folders among deliverables are searched for something new.
	maxWalk = 5 * time.Second
	// clockTick is how far file times may lag behind: systems stamp files with
	// the time of their last timer interrupt.
	clockTick = 10 * time.Millisecond
)

// Run runs a skill's script, reads its report and checks it against what
// happened. An error means that nothing ran; it says what to do.
func (rt *Runtime) Run(ctx context.Context, req RunRequest) (*Verdict, error) {
	began := time.Now()
	if req.Timeout == 0 {
		req.Timeout = defaultRunTimeout
	}
	r, err := rt.newRun(req)
	if err != nil {
		return nil, err
	}
	script, err := r.find(req.Script)
	if err != nil {
		return nil, err
	}
	place, err := r.untrusted(script, func() []string { return []string{strings.Join(append([]string{script}, req.Args...), " ")} })
	if err != nil {
		return nil, err
	}
	if place != "" {
		return nil, fmt.Errorf("%s: not run: %s is not trusted (skillhand trust %s)", script, place, place)
	}
	// What was there before is older than began, what the script makes is not.
	time.Sleep(clockTick - time.Since(began))
	stdout := &tail{max: maxParsed}
	result, err := proc.Run(ctx, proc.Cmd{
		Args: append([]string{script}, req.Args...), Dir: r.cwd, Env: r.env,
		Stdin: req.Stdin, Stdout: stdout, Stderr: &bystander{to: req.Stderr},
		Timeout: req.Timeout, Grace: []proc.Step{{Signal: proc.Terminate, Wait: tidyUp}}, Silence: silence,
	})
	if err != nil {
		return nil, notStarted(script, err)
	}
	if result.Held && ctx.Err() != nil {
		result.Cut = proc.Canceled // the script had ended, but its last words were cut short
	}
	v := judge(stdout.parse(), result, req.Timeout)
	v.Script = script
	if v.Report != nil {
		walk, cancel := context.WithTimeout(ctx, maxWalk)
		v.Problems = append(v.Problems, verify(walk, r.cwd, v.Report.Deliverables, began)...)
		cancel()
	}
	v.OK = len(v.Problems) == 0
	hide := redact.New(r.env)
	if v.Method == report.None {
		v.Printed = lastLines(hide.Text(stdout.text())) // in this order: a part of a secret is not known for one
	}
	v.redact(hide)
	v.Unrecorded = r.remember(r.record(req.Args, v))
	return v, nil
}

// A run is one request with its defaults filled in.
type run struct {
	*job
	cwd string
}

func (rt *Runtime) newRun(req RunRequest) (*run, error) {
	j, err := rt.newJob(req.Script, "", req.PluginRoot, req.Ask)
	if err != nil {
		return nil, err
	}
	r := &run{job: j, cwd: j.dir}
	if req.Cwd != "" {
		if r.cwd, err = filepath.Abs(in(j.dir, req.Cwd)); err != nil {
			return nil, err
		}
	}
	if info, err := os.Stat(r.cwd); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: not a folder", r.cwd)
	}
	return r, nil
}

// in returns where a path leads that was written in dir.
func in(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// find returns the file of the script that a name or path means.
func (r *run) find(name string) (string, error) {
	path := in(r.dir, name)
	info, err := os.Stat(path)
	isPath := name == "." || strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator)
	switch {
	case isPath && err != nil:
		return "", fmt.Errorf("%s: %w", name, cause(err))
	case isPath && info.IsDir():
		return scriptIn(path)
	case isPath && filepath.Ext(path) != ".md":
		return path, nil
	}
	loc, ferr := r.finder.Find(name)
	if errors.Is(ferr, fs.ErrNotExist) && err == nil {
		if info.Mode().IsRegular() {
			return path, nil // no skill is called so, but a file here is
		}
		if _, err := scriptIn(path); err == nil {
			return "", fmt.Errorf("%s: no such skill: did you mean ./%s?", name, name)
		}
	}
	if ferr != nil {
		return "", ferr
	}
	// The text may be in a companion folder, the scripts are not.
	return scriptIn(loc.Folder, strings.TrimSuffix(loc.Folder, "-first-use"))
}

// notScripts are what lies beside a script under its name.
var notScripts = []string{".md", ".txt", ".json", ".yaml", ".yml", ".log", ".bak", ".orig", ".old", ".tmp", ".swp", ".pyc"}

// scriptIn returns the script of the skill in the first of folders that has one.
func scriptIn(folders ...string) (string, error) {
	for _, folder := range folders {
		for _, dir := range []string{folder, filepath.Join(folder, "scripts")} {
			entries, _ := os.ReadDir(dir) // none there is none found
			var all, executable []string
			for _, e := range entries {
				extension, ok := strings.CutPrefix(e.Name(), "execute")
				if !ok || extension != filepath.Ext(extension) || slices.Contains(notScripts, extension) || strings.HasSuffix(extension, "~") {
					continue
				}
				file := filepath.Join(dir, e.Name())
				info, err := os.Stat(file)
				if err != nil || !info.Mode().IsRegular() {
					continue
				}
				if !skill.Inside(real(folder), real(file)) {
					return "", fmt.Errorf("%s: links to %s, outside its skill's folder", file, real(file))
				}
				all = append(all, e.Name())
				if info.Mode()&0o111 != 0 {
					executable = append(executable, e.Name())
				}
			}
			if len(executable) == 0 {
				executable = all // then it is told what is wrong with it
			}
			switch len(executable) {
			case 0:
				continue
			case 1:
				return filepath.Join(dir, executable[0]), nil
			}
			return "", fmt.Errorf("%s: several scripts, %s: name one by its path", dir, strings.Join(executable, ", "))
		}
	}
	return "", fmt.Errorf("%s: no script here: want execute.* or scripts/execute.*", folders[0])
}

// notStarted adds to the error of a script that cannot be run what to do.
func notStarted(script string, err error) error {
	switch info, serr := os.Stat(script); {
	case serr == nil && info.Mode()&0o111 == 0 && runtime.GOOS != "windows":
		return fmt.Errorf("%s: not executable (chmod +x %s)", script, script)
	case errors.Is(err, syscall.ENOEXEC) && strings.Contains(err.Error(), "interpreter"):
		return fmt.Errorf("%w (install it, or correct the first line of the script)", err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%w (begin it with a line such as #!/usr/bin/env bash)", err)
	}
	return err
}

// judge puts together what a script reports and how it ended.
func judge(parsed report.Result, result proc.Result, timeout time.Duration) *Verdict {
	v := &Verdict{
		Report: parsed.Report, Method: parsed.Method, Warnings: parsed.Warnings, Problems: []Problem{},
		Exit: result.Exit, Duration: result.Duration, TimedOut: result.Cut == proc.Timeout,
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
		v.warn(OutputHeld, "a process that it started still held its output, and was ended: what it had yet to print is not known")
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

// lastLines returns the end of a text, in as many lines as a person looks at.
func lastLines(text string) string {
	const maxLines, maxLength = 10, 300
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	lines = lines[max(0, len(lines)-maxLines):]
	for i, line := range lines {
		if lines[i] = strings.TrimSuffix(line, "\r"); len(line) > maxLength {
			lines[i] = strings.ToValidUTF8(line[:maxLength], "") + "..."
		}
	}
	return strings.Join(lines, "\n")
}

// verify checks that each deliverable is there and was made or changed since.
// When the context has ended, no folder is searched any more.
func verify(ctx context.Context, dir string, deliverables []string, since time.Time) []Problem {
	var problems []Problem
	for _, d := range deliverables {
		path := in(dir, d)
		if _, err := os.Stat(path); err != nil {
			problems = append(problems, Problem{DeliverableMissing, fmt.Sprintf("%s: %v", d, cause(err))})
			continue
		}
		found, err := touched(ctx, path, since)
		switch {
		case err != nil:
			problems = append(problems, Problem{DeliverableUnchecked, d + ": could not be checked in time, name what was made in it"})
		case !found:
			problems = append(problems, Problem{DeliverableUnchanged, d + ": was not changed during the run"})
		}
	}
	return problems
}

// touched reports whether a file, or a folder or something in it, changed since.
// An error means that there was no time to tell.
func touched(ctx context.Context, path string, since time.Time) (found bool, err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil && !isNew(path, since) {
		path = real
	}
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err == nil && isNew(name, since) {
			found = true
			return fs.SkipAll
		}
		if name == path && d != nil && !d.IsDir() {
			return nil // a file takes no time
		}
		return ctx.Err()
	})
	return found, err
}

// isNew reports whether a file changed since: its content, or anything about it,
// so that one that was moved here counts as well.
func isNew(path string, since time.Time) bool {
	modified, changed, err := fileTimes(path)
	if err != nil {
		return false
	}
	return newer(modified, changed, since, time.Now())
}

// newer decides by a file's times.
func newer(modified, changed, since, now time.Time) bool {
	// Some file systems count in steps of one or two seconds. Whole seconds of
	// the content alone are a time that somebody set.
	if modified.Nanosecond() == 0 && changed.Nanosecond() == 0 {
		since = since.Truncate(2 * time.Second)
	}
	// A time that lies ahead was set by hand, and says nothing.
	return !changed.Before(since) || !modified.Before(since) && !modified.After(now.Add(clockTick))
}

// redact takes the secrets of the environment out of everything a verdict says.
func (v *Verdict) redact(r *redact.Redactor) {
	for i := range v.Problems {
		v.Problems[i].Message = r.Text(v.Problems[i].Message)
	}
	for i := range v.Warnings {
		v.Warnings[i].Path, v.Warnings[i].Message = r.Text(v.Warnings[i].Path), r.Text(v.Warnings[i].Message)
	}
	if v.Report == nil {
		return
	}
	for i, d := range v.Report.Deliverables {
		v.Report.Deliverables[i] = r.Text(d)
	}
	for name, value := range v.Report.Metrics {
		if clean := r.Text(name); clean != name {
			delete(v.Report.Metrics, name)
			v.Report.Metrics[clean] = value
		}
	}
	for i := range v.Report.Errors {
		e := &v.Report.Errors[i]
		e.Code, e.Message, e.Stack = r.Text(e.Code), r.Text(e.Message), r.Text(e.Stack)
		e.Context = redactJSON(r, e.Context)
	}
}

// redactJSON takes secrets out of the strings and keys of a document, also those
// that are written with escapes.
func redactJSON(r *redact.Redactor, doc json.RawMessage) json.RawMessage {
	if len(doc) == 0 {
		return doc
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil // it was read as JSON, so this does not happen
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(redactValue(r, v)) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

func redactValue(r *redact.Redactor, v any) any {
	switch v := v.(type) {
	case string:
		return r.Text(v)
	case []any:
		for i := range v {
			v[i] = redactValue(r, v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for key, value := range v {
			clean[r.Text(key)] = redactValue(r, value)
		}
		return clean
	}
	return v
}

// A bystander passes on what is written to it as long as that works: a full disk
// behind a log is no reason to end a script halfway.
type bystander struct{ to io.Writer }

func (b *bystander) Write(p []byte) (int, error) {
	if b.to != nil {
		if _, err := b.to.Write(p); err != nil {
			b.to = nil
		}
	}
	return len(p), nil
}

// A tail keeps the end of what is written to it.
type tail struct {
	max  int
	buf  []byte
	next int  // once buf is full: where the oldest byte is
	cut  bool // something was dropped
}

func (t *tail) Write(p []byte) (int, error) {
	written := len(p)
	if room := t.max - len(t.buf); room > 0 {
		n := min(room, len(p))
		t.buf = append(t.buf, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		t.cut = true
		n := copy(t.buf[t.next:], p)
		t.next = (t.next + n) % t.max
		p = p[n:]
	}
	return written, nil
}

// parse reads the report in what was kept.
func (t *tail) parse() report.Result {
	if !t.cut {
		return report.Parse(t.buf, report.Options{})
	}
	text := t.bytes()
	result := report.Parse(text, report.Options{NoLegacy: true})
	// Legacy forms are whole lines, and the first is not.
	if newline := bytes.IndexByte(text, '\n'); result.Method == report.None && newline >= 0 {
		result = report.Parse(text[newline+1:], report.Options{})
	}
	for i, f := range result.Faults {
		if f.Code == report.NoReport {
			result.Faults[i].Message = f.Message + " in the last 16 MB of its output"
		}
	}
	result.Warnings = append(result.Warnings, report.Fault{Code: OutputCut, Message: "only the last 16 MB of its output were read"})
	return result
}

// text returns the whole lines of what was kept.
func (t *tail) text() string {
	text := t.bytes()
	if t.cut { // what is left of the first line may begin within a secret
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return string(text)
}

// bytes returns what was kept, in order.
func (t *tail) bytes() []byte {
	if !t.cut {
		return t.buf
	}
	return slices.Concat(t.buf[t.next:], t.buf[:t.next])
}
