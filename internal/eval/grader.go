package eval

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/gate"
)

// A Grader is a check of claude plugin eval. Its type decides which fields it has.
type Grader struct {
	Name     string
	Type     string
	Weight   float64 // in the score; 0 means that it is a check in our own form
	Both     bool    // it counts in both arms, whatever its type
	WithOnly bool    // it counts only in the arm with the skill

	Pattern string // a regular expression of JavaScript
	Flags   string
	Match   string // contains, not_contains or count
	Count   int
	Target  Target // the text to check

	gate.Tools // for tool_used and tool_order

	Path         string
	Absent       bool
	Criteria     string
	BaselineFile string

	Config map[string]any // the fields as written, with their defaults
}

// A Target says what a grader checks: last_message, trace, files, mock_calls, or file with a path.
type Target struct {
	Source string
	Path   string `json:",omitempty"`
}

// The types of graders.
const (
	regexGrader = "regex"
	toolUsed    = "tool_used"
	toolOrder   = "tool_order"
	fileExists  = "file_exists"
	llmGrader   = "llm"
	baseline    = "baseline"
)

var graderKeys = map[string][]string{
	regexGrader: {"pattern", "flags", "match", "target"},
	toolUsed:    {"tool", "input_match", "min", "max"},
	toolOrder:   {"before", "after"},
	fileExists:  {"path", "exists"},
	llmGrader:   {"criteria", "focus"},
	baseline:    {"baseline_file", "criteria"},
}

const graderTypes = "regex, tool_used, tool_order, file_exists, llm or baseline"

func (r *suiteReader) graderFile(front *yaml.Node, body string) {
	if front == nil {
		r.in.Fault(&yaml.Node{Line: 1}, "a grader without frontmatter, want --- and its type: %s", graderTypes)
		return
	}
	r.grader(front, strings.TrimSuffix(filepath.Base(r.in.File), ".md"), body)
}

// grader reads a grader. A grader in its own file gets the file's name, and the body may be its
// text.
func (r *suiteReader) grader(n *yaml.Node, name, body string) {
	f := r.in.Given(n, "a grader")
	if f == nil {
		return
	}
	g := &Grader{Name: name, Weight: 1}
	kind := f["type"]
	if kind == nil {
		r.in.Fault(n, "type is missing, want %s", graderTypes)
		return
	}
	if g.Type = r.in.Quoted(kind, "type"); graderKeys[g.Type] == nil {
		r.in.Fault(kind, "type %s: want %s", g.Type, graderTypes)
		return
	}
	r.in.Known(n, append([]string{"type", "name", "weight", "arm"}, graderKeys[g.Type]...)...)
	doc.Set(f, "name", r.in.Some, &g.Name)
	if g.Name == "" {
		r.in.Fault(n, "name is missing")
	} else if r.names[g.Name] {
		r.in.Fault(n, "another grader has the name %s", g.Name)
	}
	r.names[g.Name] = true
	doc.Set(f, "weight", r.in.Amount, &g.Weight)
	arm := ""
	doc.Set(f, "arm", r.in.OneOf("both", "with-only"), &arm)
	g.Both, g.WithOnly = arm == "both", arm == "with-only"
	if body != "" {
		r.body(n, f, g, body)
	}
	r.graderFields(n, f, g)
	g.config(f)
	r.c.Checks = append(r.c.Checks, Check{Check: gate.Check{Text: g.Name + " (" + g.Type + ")"}, Grader: g})
}

// config sets the fields of a grader that reports show.
func (g *Grader) config(f doc.Fields) {
	g.Config = map[string]map[string]any{
		regexGrader: {"flags": "", "match": "contains", "target": "last_message"}, toolUsed: {}, toolOrder: {},
		fileExists: {"exists": true}, llmGrader: {"focus": "last_message"}, baseline: {},
	}[g.Type]
	for _, key := range graderKeys[g.Type] {
		var v any
		if f[key] == nil || f[key].Decode(&v) != nil {
			continue // already reported
		}
		if tool, ok := v.(string); ok && g.Type == toolOrder {
			v = map[string]any{"tool": tool}
		}
		g.Config[key] = v
	}
	if g.Type == baseline {
		g.Config["baseline_file"] = filepath.Base(g.BaselineFile)
	}
}

// body takes the text of a grader's file as its pattern or its criteria.
func (r *suiteReader) body(n *yaml.Node, f doc.Fields, g *Grader, body string) {
	key := "criteria"
	if g.Type == regexGrader {
		key = "pattern"
	}
	switch {
	case !slices.Contains(graderKeys[g.Type], key):
		r.in.Fault(n, "a %s grader does not use text below its frontmatter; remove it", g.Type)
	case f[key] != nil:
		r.in.Fault(f[key], "%s is given twice: here and below the frontmatter", key)
	default:
		f[key] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: body, Line: r.bodyLine}
	}
}

func (r *suiteReader) graderFields(n *yaml.Node, f doc.Fields, g *Grader) {
	need := func(key string) string {
		if f[key] == nil {
			r.in.Fault(n, "%s is missing", key)
			return ""
		}
		return r.in.Some(f[key], key)
	}
	switch g.Type {
	case regexGrader:
		g.Pattern = need("pattern")
		doc.Set(f, "flags", r.in.Quoted, &g.Flags)
		if at := f["pattern"]; at != nil {
			r.in.Pattern(at, "pattern", g.Pattern, g.Flags)
		}
		r.match(f["match"], g)
		g.Target = r.target(f["target"], "target")
	case toolUsed:
		if need("tool") != "" {
			r.in.ToolUsed(n, f, &g.Tools)
		}
	case toolOrder:
		g.Order, g.Tool, g.Then = true, r.in.Step(n, f, "before"), r.in.Step(n, f, "after")
	case fileExists:
		if g.Path = need("path"); f["path"] != nil {
			r.in.Inside(f["path"], "path")
		}
		g.Absent = f["exists"] != nil && !r.in.Bool(f["exists"], "exists")
	case llmGrader:
		g.Criteria, g.Target = need("criteria"), r.target(f["focus"], "focus")
	case baseline:
		g.Criteria = need("criteria")
		if need("baseline_file") != "" {
			g.BaselineFile = r.jsonLines(f, "baseline_file")
		}
	}
}

func (r *suiteReader) match(n *yaml.Node, g *Grader) {
	g.Match = "contains"
	if n == nil {
		return
	}
	text := r.in.Quoted(n, "match")
	times, isCount := strings.CutPrefix(text, "count:")
	switch {
	case text == "contains" || text == "not_contains":
		g.Match = text
	case isCount:
		var err error
		if g.Count, err = strconv.Atoi(times); err == nil && g.Count >= 0 {
			g.Match = "count"
			return
		}
		fallthrough
	default:
		r.in.Fault(n, "match %s: want contains, not_contains or count:N", text)
	}
}

func (r *suiteReader) target(n *yaml.Node, what string) Target {
	const want = "want last_message, trace, files, mock_calls or {source: file, path: ...}"
	if n == nil {
		return Target{Source: "last_message"}
	}
	if n.Kind == yaml.MappingNode {
		f := r.in.Given(n, what, "source", "path")
		if f["source"] == nil || f["source"].Value != "file" || f["path"] == nil {
			r.in.Fault(n, "%s: %s", what, want)
			return Target{}
		}
		return Target{Source: "file", Path: r.in.Inside(f["path"], "path")}
	}
	switch text := r.in.Quoted(n, what); text {
	case "mock_calls":
		r.odd["suites of claude plugin eval: "+what+": mock_calls cannot be judged here: no server is mocked"] = true
		fallthrough
	case "last_message", "trace", "files":
		return Target{Source: text}
	default:
		r.in.Fault(n, "%s %s: %s", what, text, want)
	}
	return Target{}
}
