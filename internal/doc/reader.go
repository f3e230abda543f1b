package doc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/words"
)

// A Fault is one thing that is wrong with a file.
type Fault struct {
	File string
	Line int // the first if it is 0
	Text string
}

func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, max(f.Line, 1), f.Text) }

// A Reader reads a file of YAML or JSON and collects all that is wrong with it, so that the same fault reads the same
// in every file. What a method cannot read is a fault, and its result the zero value.
type Reader struct {
	File   string // its name, for faults
	faults []*Fault
}

// Failed counts the faults so far.
func (r *Reader) Failed() int { return len(r.faults) }

// Faults returns the faults so far.
func (r *Reader) Faults() []*Fault { return r.faults }

// Err joins the faults: file by file as they were read, each in the order of its lines.
func (r *Reader) Err() error {
	files := map[string]int{}
	for i, f := range r.faults {
		if _, seen := files[f.File]; !seen {
			files[f.File] = i
		}
	}
	slices.SortStableFunc(r.faults, func(a, b *Fault) int { return cmp.Or(files[a.File]-files[b.File], a.Line-b.Line) })
	var all []error
	for _, f := range r.faults {
		all = append(all, f)
	}
	return errors.Join(all...)
}

// Fault notes what is wrong with a node.
func (r *Reader) Fault(n *yaml.Node, format string, a ...any) { r.FaultAt(n.Line, format, a...) }

// FaultAt notes what is wrong on a line.
func (r *Reader) FaultAt(line int, format string, a ...any) {
	r.faults = append(r.faults, &Fault{r.File, line, fmt.Sprintf(format, a...)})
}

// Want notes that a value is not what is wanted.
func (r *Reader) Want(n *yaml.Node, what, want string) {
	r.Fault(n, "%s is %s, want %s", what, describe(n), want)
}

// describe says what a value is, for people.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		return "keys and values"
	case n.Tag == "!!null":
		return "empty"
	case n.Tag == "!!str" && len(n.Value) > 40:
		return "a text"
	case n.Tag == "!!str":
		return strconv.Quote(n.Value)
	}
	return n.Value
}

// Parse reads the text of the file: JSON if it is called so, else YAML. It returns nil if nothing is in it or if it is broken.
func (r *Reader) Parse(text []byte) *yaml.Node {
	if filepath.Ext(r.File) == ".json" {
		root, fault := JSONAsYAML(string(text), 1)
		if fault != nil {
			r.FaultAt(1+bytes.Count(text[:fault.Offset], []byte("\n")), "%s", fault.Text)
		}
		return root
	}
	root, fault := ParseYAML(text)
	if fault != nil {
		r.FaultAt(fault.Line, "%s", fault.Text)
	}
	return root
}

// Resolve follows an alias.
func Resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

// Fields are the values of a mapping by their keys.
type Fields map[string]*yaml.Node

// Fields reads a mapping, each key once. Other keys than the known ones are faults, unless none is named.
func (r *Reader) Fields(n *yaml.Node, what string, known ...string) Fields {
	all := Fields{}
	if n = Resolve(n); n.Kind != yaml.MappingNode {
		r.Want(n, what, "keys and values")
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if all[key.Value] != nil {
			r.Fault(key, "%s is given twice", key.Value)
		}
		all[key.Value] = Resolve(n.Content[i+1])
	}
	if known != nil {
		r.Known(n, known...)
	}
	return all
}

// Known notes the keys of a mapping that mean nothing: a misspelt one would be passed over.
func (r *Reader) Known(n *yaml.Node, known ...string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if slices.Contains(known, key.Value) {
			continue
		}
		help := words.DidYouMean(key.Value, known)
		if help == "" {
			help = ", want " + strings.Join(known, ", ")
		}
		r.Fault(key, "unknown key %s%s", key.Value, help)
	}
}

// Set reads a field with one of the reader's methods, if it is given.
func Set[T any](f Fields, key string, read func(n *yaml.Node, what string) T, into *T) {
	if n := f[key]; n != nil {
		*into = read(n, key)
	}
}

// List returns the items of a list.
func (r *Reader) List(n *yaml.Node, what string) []*yaml.Node {
	if n = Resolve(n); n.Kind != yaml.SequenceNode {
		r.Want(n, what, "a list")
		return nil
	}
	all := slices.Clone(n.Content)
	for i := range all {
		all[i] = Resolve(all[i])
	}
	return all
}

// Text reads a text, or what is written like one, such as a number.
func (r *Reader) Text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.Want(n, what, "a text")
		return ""
	}
	return n.Value
}

// Quoted reads a text that YAML takes for nothing else.
func (r *Reader) Quoted(n *yaml.Node, what string) string {
	text := r.Text(n, what)
	if n.Kind == yaml.ScalarNode && n.Tag != "!!str" && n.Tag != "!!null" {
		r.Want(n, what, "a text: write it in quotes")
	}
	return text
}

// Texts reads a list of texts.
func (r *Reader) Texts(n *yaml.Node, what string) []string {
	var all []string
	for _, item := range r.List(n, what) {
		all = append(all, r.Text(item, what))
	}
	return all
}

// TextOrTexts reads a list of texts, or one by itself. Nothing is none.
func (r *Reader) TextOrTexts(n *yaml.Node, what string) []string {
	switch {
	case n.Tag == "!!null":
		return nil
	case n.Kind == yaml.ScalarNode:
		return []string{n.Value}
	}
	return r.Texts(n, what)
}

// Filled reads a text with something in it.
func (r *Reader) Filled(n *yaml.Node, what string) string {
	text := r.Text(n, what)
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" && strings.TrimSpace(text) == "" {
		r.Fault(n, "%s is empty", what)
	}
	return text
}

// OneOf returns a method that reads one of a few words.
func (r *Reader) OneOf(words ...string) func(n *yaml.Node, what string) string {
	return func(n *yaml.Node, what string) string {
		if n.Kind == yaml.ScalarNode && slices.Contains(words, n.Value) {
			return n.Value
		}
		r.Want(n, what, "one of "+strings.Join(words, ", "))
		return ""
	}
}

// Bool reads true or false.
func (r *Reader) Bool(n *yaml.Node, what string) (is bool) {
	if n.Tag != "!!bool" || n.Decode(&is) != nil {
		r.Want(n, what, "true or false")
	}
	return is
}

// Whole returns a method that reads a whole number within bounds.
func (r *Reader) Whole(low, high int) func(n *yaml.Node, what string) int {
	return func(n *yaml.Node, what string) int {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < low || v > high {
			r.Want(n, what, fmt.Sprintf("a number from %d to %d", low, high))
			return 0
		}
		return v
	}
}

// Amount reads a number above 0.
func (r *Reader) Amount(n *yaml.Node, what string) float64 {
	return r.amount(n, what, "a number above 0")
}

// Dollars reads an amount of money.
func (r *Reader) Dollars(n *yaml.Node, what string) float64 {
	return r.amount(n, what, "an amount in US dollars, such as 2.50")
}

func (r *Reader) amount(n *yaml.Node, what, want string) float64 {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || !(v > 0 && v < 1e9) {
		r.Want(n, what, want)
		return 0
	}
	return v
}

// Duration reads a time, with its unit.
func (r *Reader) Duration(n *yaml.Node, what string) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d <= 0 {
		r.Want(n, what, "a time such as 90s or 20m")
		return 0
	}
	return d
}
