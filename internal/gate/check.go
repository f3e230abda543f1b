// Package gate answers one question: is a skill done? It is if the checks hold that its author
// wrote into done.yaml, beside SKILL.md. The cases of skillhand try have the same checks.
package gate

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

	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/report"
)

// A Check is one thing that should hold when an agent says that it is done. What it looks at is a
// file of the agent's folder, or the answer if it names none.
type Check struct {
	Text string // as it is shown

	File     string // must exist
	Contains string
	Matches  string          // a regular expression of JavaScript: see newPattern
	JSON     string          // a path, such as items[0].name, whose value must be Value, if that is set
	Value    json.RawMessage `json:",omitempty"`
	Report   bool            // it holds a report of success
	Script   bool            `json:",omitempty"` // the report is that of the skill's script, and what it says holds
	Line     int             `json:",omitempty"` // in the file that it was read from, if that is done.yaml
	Command  string          // run by sh in the folder, must exit with 0
	Timeout  time.Duration   `json:",omitempty"` // of the command; 0 means CommandTimeout
	Judge    string          // a question for a model, whose answer must be yes
	Tools    *Tools          `json:",omitempty"` // how tools were used
}

// A Scene is what an agent left for its checks.
type Scene struct {
	Dir    string // its folder; "" if that is gone
	Answer string // the last thing it said
	// Untold says why nobody knows what the agent said and did, if so.
	Untold  string
	Calls   func() ([]ToolCall, error) // its uses of tools, in order
	Skill   string                     // the folder of the skill that should be done
	Typed   []ToolCall                 // skills that the prompt itself called: they count, and are in no order
	Compile Compiler

	// Run runs a command in the folder, and says why it failed; nil: no command is run.
	Run func(ctx context.Context, command string, limit time.Duration) (why string, err error)
	// Judge asks a model a question; nil: none is asked.
	Judge func(ctx context.Context, question string) (yes bool, why string, err error)
}

// A Compiler compiles a regular expression of JavaScript with its flags.
type Compiler func(pattern, flags string) (Pattern, error)

// A Pattern is a compiled expression.
type Pattern interface {
	Find(text string) (match string, ok bool, err error)
}

// Limits of what a check reads and how long its command runs.
const (
	MaxChecked     = 64 << 20
	CommandTimeout = 2 * time.Minute
)

// Unknown says why it cannot be told whether a check holds.
type Unknown string

func (e Unknown) Error() string { return string(e) }

// A TimedOut error says that a check's command did not end in its time.
type TimedOut time.Duration

func (e TimedOut) Error() string { return fmt.Sprintf("it did not end within %v", time.Duration(e)) }

// NotKept is about a check that needs the files of a folder that is gone.
const NotKept Unknown = "the trial's folder was not kept"

// Holds says whether a check holds, and why. The error is an Unknown if that cannot be told; any other
// error is why the check does not hold.
func (c *Check) Holds(ctx context.Context, s *Scene) (ok bool, why string, err error) {
	switch {
	case c.Tools != nil:
		return c.Tools.Hold(s)
	case c.Script:
		return holdScript(s)
	case c.Judge != "" && s.Judge == nil:
		return false, "", Unknown("no judge was asked for")
	case c.Judge != "":
		ok, why, err := s.Judge(ctx, c.Judge)
		if err != nil {
			return false, "", Unknown("the judge: " + err.Error())
		}
		return ok, why, nil
	case (c.Command != "" || c.File != "") && s.Dir == "":
		return false, "", NotKept
	case c.Command != "" && s.Run == nil:
		return false, "", Unknown("not run in the trial")
	case c.Command != "":
		why, err := s.Run(ctx, c.Command, c.Timeout)
		return why == "" && err == nil, why, err
	case c.File == "" && s.Untold != "":
		return false, "", Unknown(s.Untold)
	}
	text := []byte(s.Answer)
	if c.File != "" {
		var err error
		if text, err = Read(s.Dir, c.File, c.looks()); err != nil {
			return false, "", err
		}
	}
	return c.look(text, s.Compile)
}

// Read reads a file of the agent's folder, or with look unset only finds that it is there. A link that leads
// out of the folder is no file of it.
func Read(dir, name string, look bool) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case !look:
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", name)
	case info.Size() > MaxChecked:
		return nil, fmt.Errorf("%s has %d bytes, at most %d are looked at", name, info.Size(), MaxChecked)
	}
	return root.ReadFile(filepath.FromSlash(name))
}

// looks reports whether a check wants to know what is in the file.
func (c *Check) looks() bool {
	return c.Contains != "" || c.Matches != "" || c.JSON != "" || c.Report
}

func (c *Check) look(text []byte, compile Compiler) (bool, string, error) {
	what := c.File
	if what == "" {
		what = "the answer"
	}
	if c.Contains != "" && !bytes.Contains(text, []byte(c.Contains)) {
		return false, fmt.Sprintf("%s does not contain %q", what, c.Contains), nil
	}
	if c.Matches != "" {
		re, err := newPattern(c.Matches, compile)
		if err != nil {
			return false, "", Unknown(err.Error())
		}
		if _, ok, err := re.Find(string(text)); err != nil {
			return false, "", Unknown(err.Error())
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

// newPattern compiles a regular expression of a check: JavaScript's, as graders have them. Its flags
// may stand at its beginning, as in (?i)done.
func newPattern(text string, compile Compiler) (Pattern, error) {
	flags := ""
	if m := leadingFlags.Get().FindStringSubmatch(text); m != nil {
		text, flags = text[len(m[0]):], m[1]
	}
	return compile(text, flags)
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
