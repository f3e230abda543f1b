package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/report"
)

// A Check is one thing that should hold after a trial. What it looks at is a
// file of the trial's folder, or the answer if it names none.
type Check struct {
	Text string // as it is shown

	File     string // must exist
	Contains string
	Matches  string          // a regular expression of JavaScript: see newPattern
	JSON     string          // a path, such as items[0].name, whose value must be Value, if that is set
	Value    json.RawMessage `json:",omitempty"`
	Report   bool            // it holds a report of success
	Command  string          // run by sh in the trial's folder, must exit with 0
	Judge    string          // a question for a model, whose answer must be yes
	Grader   *Grader         `json:",omitempty"` // a check of claude plugin eval, or one on the use of tools
	Optional bool            // a judge that is asked only if the caller wants judges
}

// A scene is what a trial left for its checks.
type scene struct {
	dir    string   // "" if it is gone
	env    []string // nil: no command is run any more
	answer string
	left   func(spent float64) float64 // what a question may still cost

	transcript string
	subject    *Subject
	other      *agents.Agent                                                    // who wrote it; nil means Claude Code
	prompted   string                                                           // the skill whose text was in the prompt, "" if none was
	changed    func() []string                                                  // files that the agent changed; nil: nobody knows
	judge      func(ctx context.Context, question string) (bool, string, error) // nil: not now
}

// Limits of what a check reads and how long its command runs.
const (
	maxChecked     = 64 << 20
	commandTimeout = 2 * time.Minute
)

// errUnknown means that a check could not be evaluated.
type errUnknown string

func (e errUnknown) Error() string { return string(e) }

// errNotKept is about a check that needs the files of a trial which was not kept.
const errNotKept errUnknown = "the trial's folder was not kept"

// run says whether a check holds. Whoever cancels gets no answer.
func (c *Check) run(ctx context.Context, s scene) CheckResult {
	r := CheckResult{Check: c.Text, Judge: c.asks()}
	ok, why, err := c.holds(ctx, s, &r)
	if err != nil {
		r.Why = err.Error()
		if _, unknown := errors.AsType[errUnknown](err); unknown {
			return r
		}
	} else if !ok || r.Judge || c.Grader != nil {
		r.Why = why
	}
	r.OK = &ok
	return r
}

func (c *Check) asks() bool {
	return c.Judge != "" || c.Grader != nil && (c.Grader.Type == llmGrader || c.Grader.Type == baseline)
}

func (c *Check) holds(ctx context.Context, s scene, r *CheckResult) (bool, string, error) {
	switch {
	case c.Grader != nil:
		return c.Grader.grade(ctx, &s, r)
	case c.Judge != "" && s.judge == nil:
		r.Unasked = true
		return false, "", errUnknown("no judge was asked for")
	case c.Judge != "":
		ok, why, err := s.judge(ctx, c.Judge)
		if err != nil {
			return false, "", errUnknown("the judge: " + err.Error())
		}
		return ok, why, nil
	case (c.Command != "" || c.File != "") && s.dir == "":
		return false, "", errNotKept
	case c.Command != "" && s.env == nil:
		return false, "", errUnknown("not run in the trial")
	case c.Command != "":
		return runCommand(ctx, s, c.Command)
	}
	text := []byte(s.answer)
	if c.File != "" {
		var err error
		if text, err = c.read(s.dir); err != nil {
			return false, "", err
		}
	}
	return c.look(text)
}

// read reads the file that a check names. A link that leads out of the trial's
// folder is no file of it.
func (c *Check) read(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(c.File))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not there", c.File)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", c.File, err)
	case !c.looks():
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", c.File)
	case info.Size() > maxChecked:
		return nil, fmt.Errorf("%s has %d bytes, at most %d are looked at", c.File, info.Size(), maxChecked)
	}
	return root.ReadFile(filepath.FromSlash(c.File))
}

// looks reports whether a check wants to know what is in the file.
func (c *Check) looks() bool {
	return c.Contains != "" || c.Matches != "" || c.JSON != "" || c.Report
}

func (c *Check) look(text []byte) (bool, string, error) {
	what := c.File
	if what == "" {
		what = "the answer"
	}
	if c.Contains != "" && !bytes.Contains(text, []byte(c.Contains)) {
		return false, fmt.Sprintf("%s does not contain %q", what, c.Contains), nil
	}
	if c.Matches != "" {
		re, err := newPattern(c.Matches)
		if err != nil {
			return false, "", errUnknown(err.Error())
		}
		if _, ok, err := re.Find(string(text)); err != nil {
			return false, "", errUnknown(err.Error())
		} else if !ok {
			return false, fmt.Sprintf("%s does not match %s", what, c.Matches), nil
		}
	}
	if c.JSON != "" {
		if why := c.lookJSON(what, text); why != "" {
			return false, why, nil
		}
	}
	if c.Report {
		return lookReport(what, text)
	}
	return true, "", nil
}

var leadingFlags = words.Regexp(`^\(\?([ims]+)\)`)

// newPattern compiles a regular expression of a case: JavaScript's, as graders have them. Its flags
// may stand at its beginning, as in (?i)done.
func newPattern(text string) (*Regexp, error) {
	flags := ""
	if m := leadingFlags.Get().FindStringSubmatch(text); m != nil {
		text, flags = text[len(m[0]):], m[1]
	}
	return Compile(text, flags)
}

func lookReport(what string, text []byte) (bool, string, error) {
	r := report.Parse(text, report.Options{NoLegacy: true})
	switch {
	case r.Report == nil && len(r.Faults) > 0:
		return false, fmt.Sprintf("%s holds no report: %s", what, r.Faults[0].Message), nil
	case r.Report == nil:
		return false, what + " holds no report", nil
	case !r.Report.Success:
		return false, what + " reports a failure", nil
	}
	return true, "", nil
}

// lookJSON says why a text has not the value at the path, or "".
func (c *Check) lookJSON(what string, text []byte) string {
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		return fmt.Sprintf("%s is no JSON: %v", what, err)
	}
	steps, err := pathSteps(c.JSON)
	if err != nil {
		return err.Error()
	}
	for _, step := range steps {
		switch at := doc.(type) {
		case map[string]any:
			value, ok := at[step]
			if !ok {
				return fmt.Sprintf("%s has no %s", what, c.JSON)
			}
			doc = value
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return fmt.Sprintf("%s has no %s", what, c.JSON)
			}
			doc = at[i]
		default:
			return fmt.Sprintf("%s has no %s", what, c.JSON)
		}
	}
	if c.Value == nil {
		return ""
	}
	var want any
	if err := json.Unmarshal(c.Value, &want); err != nil {
		return err.Error()
	}
	if !reflect.DeepEqual(doc, want) {
		got, _ := json.Marshal(doc) // it was read from JSON
		return fmt.Sprintf("%s has %s = %s, want %s", what, c.JSON, got, c.Value)
	}
	return ""
}

// pathSteps cuts a path such as $.items[0].name or items.0.name into its names.
// A name with a dot in it is written ["a.b"].
func pathSteps(path string) ([]string, error) {
	rest := strings.TrimPrefix(path, "$")
	var steps []string
	for rest != "" {
		switch {
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, fmt.Errorf("the path %s has no ]", path)
			}
			step := rest[1:end]
			if strings.HasPrefix(step, `"`) {
				quoted, err := strconv.QuotedPrefix(rest[1:])
				if err != nil || !strings.HasPrefix(rest[1+len(quoted):], "]") {
					return nil, fmt.Errorf("the path %s has a quote without an end", path)
				}
				step, _ = strconv.Unquote(quoted)
				end = 1 + len(quoted)
			}
			steps, rest = append(steps, step), rest[end+1:]
		default:
			rest = strings.TrimPrefix(rest, ".")
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, fmt.Errorf("the path %s has an empty name", path)
			}
			steps, rest = append(steps, rest[:end]), rest[end:]
		}
	}
	return steps, nil
}

func runCommand(ctx context.Context, s scene, command string) (bool, string, error) {
	out, res, err := runIn(ctx, s.dir, s.env, "sh", "-c", command)
	switch {
	case err != nil:
		return false, "", err
	case res.Cut == proc.Canceled:
		return false, "", errUnknown("interrupted")
	case res.Cut != proc.Not:
		return false, fmt.Sprintf("it did not end within %v", commandTimeout), nil
	case res.Exit != 0:
		return false, strings.TrimSpace(fmt.Sprintf("exit status %d\n%s", res.Exit, out)), nil
	}
	return true, "", nil
}

// runIn runs a program in a folder, and returns the end of what it prints.
func runIn(ctx context.Context, dir string, env []string, args ...string) (out tail, res proc.Result, err error) {
	res, err = proc.Run(ctx, proc.Cmd{Args: args, Dir: dir, Env: env, Stdout: &out, Stderr: &out, Timeout: commandTimeout, MaxOutput: maxChecked})
	return out, res, err
}

// tail keeps the end of what a command prints.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	if n := len(*t) - 2000; n > 0 {
		*t = append((*t)[:0], (*t)[n:]...)
	}
	return len(p), nil
}

func (t tail) String() string { return strings.ToValidUTF8(string(t), "") }
