package gate

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/doc"
)

// A Reader reads checks.
type Reader struct {
	doc.Reader
	Compile Compiler // nil: expressions are not looked at
}

// checkFields are those of a check, in the order in which they are shown.
var checkFields = []string{"file", "contains", "matches", "json", "value", "report", "command", "timeout", "answer", "judge",
	"tool_used", "tool_order"}

// Check reads one check.
func (r *Reader) Check(n *yaml.Node) Check {
	var c Check
	f := r.Given(n, "a check", checkFields...)
	if f == nil {
		return c
	}
	var shown []string
	for _, key := range checkFields {
		value := f[key]
		if value == nil {
			continue
		}
		show := value.Value
		switch {
		case value.Kind != yaml.ScalarNode:
			show = Flow(value)
		case strings.TrimSpace(show) != show: // else nobody sees them
			show = strconv.Quote(show)
		}
		shown = append(shown, key+": "+show)
		r.checkField(&c, key, value)
	}
	c.Text = strings.Join(shown, ", ")
	alone, many := 0, len(f)
	if f["command"] != nil && f["timeout"] != nil {
		many--
	}
	for _, key := range []string{"command", "answer", "judge", "tool_used", "tool_order"} {
		if f[key] != nil {
			alone++
		}
	}
	switch {
	case len(f) == 0:
		r.Fault(n, "a check without a field, want one of %s", strings.Join(checkFields, ", "))
	case alone > 0 && many > 1:
		r.Fault(n, "%s: command, answer, judge, tool_used and tool_order are checks of their own", c.Text)
	case f["file"] != nil && f["report"] != nil && f["report"].Tag == "!!str":
		r.Fault(n, "%s: both name a file, want report: true", c.Text)
	case f["timeout"] != nil && f["command"] == nil:
		r.Fault(n, "timeout without command")
	case f["value"] != nil && c.JSON == "":
		r.Fault(n, "value without json, the path to it")
	}
	return c
}

func (r *Reader) checkField(c *Check, key string, n *yaml.Node) {
	switch key {
	case "file":
		c.File = r.Inside(n, key)
	case "contains":
		c.Contains = r.Some(n, key)
	case "matches", "answer":
		c.Matches = r.Some(n, key)
		if r.Compile == nil {
			return
		}
		if _, err := newPattern(c.Matches, r.Compile); err != nil {
			r.Fault(n, "%s: %v", key, err)
		}
	case "json":
		r.jsonPath(c, n)
	case "value":
		r.value(c, n)
	case "report":
		if n.Tag == "!!str" {
			c.File, c.Report = r.Inside(n, key), true
			return
		}
		if c.Report = r.Bool(n, key); !c.Report {
			r.Fault(n, "report: want true, or the file that holds it")
		}
	case "command":
		c.Command = r.Some(n, key)
	case "timeout":
		c.Timeout = r.Duration(n, key)
	case "judge":
		c.Judge = r.Some(n, key)
	case "tool_used", "tool_order":
		c.Tools = r.tools(key, n)
	}
}

// tools reads how tools should be used: tool_used: Bash or {tool, input, input_match, min, max}; tool_order: [Read, Write]
// or {before, after}, each a tool or {tool, input, input_match}.
func (r *Reader) tools(key string, n *yaml.Node) *Tools {
	t := &Tools{Order: key == "tool_order"}
	known := []string{"tool", "input", "input_match", "min", "max"}
	if t.Order {
		known = []string{"before", "after"}
	}
	f := doc.Fields{}
	switch {
	case n.Kind == yaml.MappingNode:
		f = r.Given(n, key, known...)
	case !t.Order && n.Kind == yaml.ScalarNode:
		f["tool"] = n
	case t.Order && n.Kind == yaml.SequenceNode && len(n.Content) == 2:
		sides := r.List(n, key)
		f["before"], f["after"] = sides[0], sides[1]
	default:
		r.Fault(n, "%s: want %s", key, strings.Join(known, ", "))
		return t
	}
	switch {
	case t.Order:
		t.Tool, t.Then = r.Step(n, f, "before"), r.Step(n, f, "after")
	case f["tool"] == nil:
		r.Fault(n, "tool_used: tool is missing")
	default:
		r.ToolUsed(n, f, t)
	}
	return t
}

// ToolUsed reads how often a tool should be used: at least once, if nothing is said.
func (r *Reader) ToolUsed(n *yaml.Node, f doc.Fields, t *Tools) {
	t.Tool = r.match(f)
	bound := func(key string) *int {
		at := f[key]
		if at == nil {
			return nil
		}
		v, err := strconv.Atoi(at.Value)
		if at.Kind != yaml.ScalarNode || err != nil || v < 0 {
			r.Fault(at, "%s: want a number, 0 or more", key)
			return nil
		}
		return &v
	}
	t.Min, t.Max = bound("min"), bound("max")
	switch {
	case t.Max != nil && *t.Max == 0 && f["min"] == nil:
		r.Fault(f["max"], "max: 0 alone means 1 to 0 uses, which never holds: write min: 0, max: 0")
	case t.Max != nil && *t.Max < t.Least():
		r.Fault(n, "%d to %d uses: never holds", t.Least(), *t.Max)
	}
}

// match reads which calls of a tool are meant.
func (r *Reader) match(f doc.Fields) ToolMatch {
	m := ToolMatch{Tool: r.Some(f["tool"], "tool")}
	doc.Set(f, "input", r.Some, &m.Input)
	doc.Set(f, "input_match", r.Some, &m.InputMatch)
	if m.InputMatch != "" {
		r.Pattern(f["input_match"], "input_match", m.InputMatch, "")
	}
	return m
}

// Step returns one side of tool_order: a tool, or {tool, input, input_match}.
func (r *Reader) Step(n *yaml.Node, f doc.Fields, key string) ToolMatch {
	at := f[key]
	switch {
	case at == nil:
		r.Fault(n, "%s is missing", key)
	case at.Kind == yaml.MappingNode:
		fields := r.Given(at, key, "tool", "input", "input_match")
		if fields["tool"] == nil {
			r.Fault(at, "%s: tool is missing", key)
			break
		}
		return r.match(fields)
	default:
		return ToolMatch{Tool: r.Some(at, key)}
	}
	return ToolMatch{}
}

// Pattern notes what is wrong with an expression.
func (r *Reader) Pattern(n *yaml.Node, what, pattern, flags string) {
	if r.Compile == nil {
		return
	}
	if _, err := r.Compile(pattern, flags); err != nil {
		r.Fault(n, "%s: %v", what, err)
	}
}

// Some reads a text with something in it: a check for nothing would always pass.
func (r *Reader) Some(n *yaml.Node, what string) string {
	text := r.Quoted(n, what)
	if n.Tag == "!!str" && strings.TrimSpace(text) == "" {
		r.Fault(n, "%s is empty", what)
	}
	return text
}

// Inside reads the path of a file in the agent's folder.
func (r *Reader) Inside(n *yaml.Node, what string) string {
	name := r.Quoted(n, what)
	if n.Kind == yaml.ScalarNode && !filepath.IsLocal(filepath.FromSlash(name)) {
		r.Want(n, what, "a path inside the trial's folder")
	}
	return name
}

// jsonPath reads json: PATH and json: {path: PATH, value: VALUE}.
func (r *Reader) jsonPath(c *Check, n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		f := r.Given(n, "json", "path", "value")
		if f["value"] != nil {
			r.value(c, f["value"])
		}
		if f["path"] == nil {
			r.Fault(n, "json: path is missing")
			return
		}
		n = f["path"]
	}
	c.JSON = r.Quoted(n, "json")
	if _, err := pathSteps(c.JSON); err != nil || c.JSON == "" {
		r.Fault(n, "json: %q is no path, want one such as items[0].name", c.JSON)
	}
}

// value reads a value that is wanted, as JSON would have it.
func (r *Reader) value(c *Check, n *yaml.Node) {
	var v any
	err := n.Decode(&v)
	if err == nil {
		c.Value, err = json.Marshal(v)
	}
	if err != nil {
		r.Fault(n, "value: %v", err)
	}
}

// Given reads a mapping. Nothing is nothing, but for a value that is wanted.
func (r *Reader) Given(n *yaml.Node, what string, known ...string) doc.Fields {
	f := r.Fields(n, what, known...)
	maps.DeleteFunc(f, func(key string, value *yaml.Node) bool { return value.Tag == "!!null" && key != "value" })
	return f
}

// Flow returns a value on one line.
func Flow(n *yaml.Node) string {
	text, _ := yaml.Marshal(n) // it was read from YAML or JSON
	return strings.Join(strings.Fields(string(text)), " ")
}
