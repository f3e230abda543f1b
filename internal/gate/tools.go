package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/report"
)

// Tools says how an agent should have used its tools.
type Tools struct {
	Order    bool      // Tool should come before Then
	Tool     ToolMatch // of which uses are counted
	Then     ToolMatch
	Min, Max *int
}

// A ToolMatch says which calls of a tool are meant.
type ToolMatch struct {
	Tool       string
	Input      string `json:",omitempty"` // a text that is in the input
	InputMatch string `json:",omitempty"` // a regular expression of JavaScript on the input, which is JSON
}

// A ToolCall is one use of a tool.
type ToolCall struct {
	Tool  string
	Input json.RawMessage
	OK    bool   // it succeeded; a skill was delivered
	Said  string // its result, if it ran a command
}

// Shells lists the tools that run commands.
var Shells = []string{"Bash", "PowerShell", "shell", "shell_command", "exec_command", "run_shell_command"}

// Hold says whether tools were used as they should be.
func (t *Tools) Hold(s *Scene) (ok bool, why string, err error) {
	if s.Untold != "" {
		return false, "", Unknown(s.Untold)
	}
	calls, err := s.Calls()
	if err != nil {
		return false, "", Unknown(err.Error())
	}
	if t.Order {
		ok, why, err = t.holdOrder(calls, s.Compile)
	} else {
		ok, why, err = t.holdCount(slices.Concat(s.Typed, calls), s.Compile)
	}
	if err != nil {
		err = Unknown(err.Error())
	}
	return ok, why, err
}

func (t *Tools) holdCount(calls []ToolCall, compile Compiler) (bool, string, error) {
	used, failed := 0, 0
	for i := range calls {
		meant, err := t.Tool.matches(&calls[i], compile)
		switch {
		case err != nil:
			return false, "", err
		case meant && calls[i].OK:
			used++
		case meant:
			failed++
		}
	}
	most := "any number"
	if t.Max != nil {
		most = fmt.Sprint(*t.Max)
	}
	why := fmt.Sprintf("%s used %d times, want %d to %s", t.Tool.Tool, used, t.Least(), most)
	if failed > 0 {
		why += fmt.Sprintf("; %d further calls failed", failed)
	}
	return used >= t.Least() && (t.Max == nil || used <= *t.Max), why, nil
}

// Least returns how often the tool must be used.
func (t *Tools) Least() int {
	if t.Min == nil {
		return 1
	}
	return *t.Min
}

func (t *Tools) holdOrder(calls []ToolCall, compile Compiler) (bool, string, error) {
	first := func(m ToolMatch) (int, error) {
		for i := range calls {
			meant, err := m.matches(&calls[i], compile)
			if err != nil || meant && calls[i].OK {
				return i, err
			}
		}
		return -1, nil
	}
	before, err := first(t.Tool)
	after, err2 := first(t.Then)
	if err := errors.Join(err, err2); err != nil {
		return false, "", err
	}
	switch {
	case before < 0:
		return false, t.Tool.Tool + " was not used", nil
	case after < 0:
		return false, t.Then.Tool + " was not used", nil
	case before < after:
		return true, fmt.Sprintf("%s (call %d) came before %s (call %d)", t.Tool.Tool, before+1, t.Then.Tool, after+1), nil
	}
	return false, fmt.Sprintf("%s (call %d) did not come before %s (call %d)", t.Tool.Tool, before+1, t.Then.Tool, after+1), nil
}

// holdScript says whether the last report of the skill's script is one of success, and whether it holds:
// skillhand run has judged it, or the files that it names are there.
func holdScript(s *Scene) (ok bool, why string, err error) {
	if s.Untold != "" {
		return false, "", Unknown(s.Untold)
	}
	calls, err := s.Calls()
	if err != nil {
		return false, "", Unknown(err.Error())
	}
	name := filepath.Base(s.Skill)
	for _, c := range slices.Backward(calls) {
		if c.Said == "" || !inInput(c.Input, name) {
			continue
		}
		var v struct {
			OK       *bool
			Problems []struct{ Message string }
			Report   json.RawMessage
		}
		said := strings.TrimSpace(c.Said)
		switch run := inInput(c.Input, "skillhand run"); {
		case json.Unmarshal([]byte(said), &v) == nil && v.OK != nil && v.Report != nil:
			if !*v.OK && len(v.Problems) > 0 {
				why = ": " + v.Problems[0].Message
			}
			return *v.OK, "skillhand run says that the report does not hold" + why, nil
		case run && strings.HasPrefix(said, "OK  "):
			return true, "", nil
		case run && strings.Contains(said, "NOT OK  "):
			return false, "skillhand run says NOT OK", nil
		}
		r := report.Parse([]byte(said), report.Options{NoLegacy: true})
		if r.Report == nil {
			continue
		}
		if ok, why, err := lookReport("what the script printed", []byte(said)); !ok || err != nil {
			return false, why, err
		}
		for _, file := range r.Report.Deliverables {
			if s.Dir == "" {
				return false, "", NotKept
			}
			if _, err := os.Stat(files.In(s.Dir, file)); err != nil {
				return false, fmt.Sprintf("the script reported %s, which does not exist", file), nil
			}
		}
		return true, "", nil
	}
	return false, "no report of the skill's script was seen: run it", nil
}

func (m ToolMatch) matches(c *ToolCall, compile Compiler) (bool, error) {
	if c.Tool != m.Tool || m.Input != "" && !inInput(c.Input, m.Input) {
		return false, nil
	}
	if m.InputMatch == "" {
		return true, nil
	}
	re, err := compile(m.InputMatch, "")
	if err != nil {
		return false, err
	}
	_, ok, err := re.Find(string(c.Input))
	return ok, err
}

// inInput reports whether a text is in one of the values of a tool's input, as the tool gets them.
func inInput(input json.RawMessage, text string) bool {
	var value any
	if json.Unmarshal(input, &value) != nil {
		return false
	}
	var in func(value any) bool
	in = func(value any) bool {
		switch v := value.(type) {
		case string:
			return strings.Contains(v, text)
		case []any:
			for _, item := range v {
				if in(item) {
					return true
				}
			}
		case map[string]any:
			for _, item := range v {
				if in(item) {
					return true
				}
			}
		}
		return false
	}
	return in(value)
}
