package doc

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/words"
)

// Name is what the file is called. It stands at a repository's top.
const ConfigName = ".skillhand.yaml"

// A File is what it says.
type Config struct {
	Roots     []string // further folders of skills, as written
	Model     string   // that questions are asked of, unless somebody says otherwise
	BudgetUSD float64  // what a question, or all trials together, may cost; 0 means no limit
	Agents    []string // which agents skills are for
	Wrap      string   // how output is wrapped: auto, always or never

	Check *yaml.Node // what is said to check, which reads it; nil means nothing
}

// Parse reads the file. Its errors come together, each with its line.
func ParseConfig(file string, src []byte) (Config, error) {
	r := Reader{File: file}
	root, notYAML := ParseYAML(src)
	if notYAML != nil {
		return Config{}, fault{notYAML.Line, fmt.Sprintf("%s:%d: %s", file, max(notYAML.Line, 1), notYAML.Text)}
	}
	var f Config
	if root == nil {
		return f, nil
	}
	r.Fields(root, map[string]func(*yaml.Node){
		"roots":  func(n *yaml.Node) { f.Roots = r.List(n) },
		"model":  func(n *yaml.Node) { f.Model = r.Text(n) },
		"budget": func(n *yaml.Node) { f.BudgetUSD = r.dollars(n) },
		"agents": func(n *yaml.Node) { f.Agents = r.List(n) },
		"wrap":   func(n *yaml.Node) { f.Wrap = r.OneOf(n, "auto", "always", "never") },
		"check":  func(n *yaml.Node) { f.Check = n },
	})
	return f, r.Err()
}

// A Reader reads parts of the file, and collects what is wrong with them.
type Reader struct {
	File   string // its name, for errors
	faults []fault
}

// Err is everything that was wrong, in the order of lines.
func (r *Reader) Err() error {
	slices.SortStableFunc(r.faults, func(a, b fault) int { return a.line - b.line })
	var all []error
	for _, f := range r.faults {
		all = append(all, f)
	}
	return errors.Join(all...)
}

// Add notes what another reader of the file found, if it did.
func (r *Reader) Add(err error) {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range all.Unwrap() {
			if f, ok := errors.AsType[fault](e); ok {
				r.faults = append(r.faults, f)
			}
		}
	}
}

// A fault is one thing that is wrong, on a line.
type fault struct {
	line int
	text string
}

func (f fault) Error() string { return f.text }

// Fault notes what is wrong with a node.
func (r *Reader) Fault(n *yaml.Node, format string, a ...any) {
	r.faults = append(r.faults, fault{n.Line, fmt.Sprintf("%s:%d: %s", r.File, n.Line, fmt.Sprintf(format, a...))})
}

// Fields reads a mapping with known keys.
func (r *Reader) Fields(n *yaml.Node, known map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		if n.Tag != "!!null" {
			r.Fault(n, "want key: value")
		}
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if read := known[n.Content[i].Value]; read != nil {
			read(n.Content[i+1])
		} else {
			r.Fault(n.Content[i], "unknown key %s%s", n.Content[i].Value, words.DidYouMean(n.Content[i].Value, slices.Collect(maps.Keys(known))))
		}
	}
}

// Text reads a string.
func (r *Reader) Text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		r.Fault(n, "want a text")
	}
	return n.Value
}

// OneOf reads one of a few words.
func (r *Reader) OneOf(n *yaml.Node, words ...string) string {
	if !slices.Contains(words, n.Value) {
		r.Fault(n, "%q, want one of %v", n.Value, words)
	}
	return n.Value
}

// List reads strings, or one by itself.
func (r *Reader) List(n *yaml.Node) []string {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return []string{n.Value}
	}
	var all []string
	for _, item := range n.Content {
		if n.Kind != yaml.SequenceNode || item.Kind != yaml.ScalarNode {
			r.Fault(item, "want a list of texts")
			return nil
		}
		all = append(all, item.Value)
	}
	return all
}

func (r *Reader) dollars(n *yaml.Node) float64 {
	usd, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || !(usd > 0 && usd < 1e9) {
		r.Fault(n, "want an amount in US dollars, such as 2.50")
	}
	return usd
}
