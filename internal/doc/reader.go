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

// A Fault is one error in a file.
type Fault struct {
	File string
	Line int // 0 means the first line
	Text string
}

func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, max(f.Line, 1), f.Text) }

// A Reader reads a YAML or JSON file and collects all errors, so that the same error has the same
// message in every file. A method that cannot read a value notes a fault and returns the zero
// value.
type Reader struct {
	File   string // the file's name, for messages
	faults []*Fault
}

// Failed returns the number of faults so far.
func (r *Reader) Failed() int { return len(r.faults) }

// Faults returns the faults so far.
func (r *Reader) Faults() []*Fault { return r.faults }

// Err joins the faults. The files are in the order that they were read, and the faults of a file in
// the order of its lines.
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

// Fault notes an error in a node.
func (r *Reader) Fault(n *yaml.Node, format string, a ...any) { r.FaultAt(n.Line, format, a...) }

// FaultAt notes an error on a line.
func (r *Reader) FaultAt(line int, format string, a ...any) {
	r.faults = append(r.faults, &Fault{r.File, line, fmt.Sprintf(format, a...)})
}

// Want notes that a value is not the kind of value wanted.
func (r *Reader) Want(n *yaml.Node, what, want string) {
	r.Fault(n, "%s is %s, want %s", what, describe(n), want)
}

// describe describes a value in a message.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		return "keys and values"
	case n.Tag == "!!null":
		return "empty"
	case n.Tag == "!!str" && len(n.Value) > 40:
		return "a string"
	case n.Tag == "!!str":
		return strconv.Quote(n.Value)
	}
	return n.Value
}

// Parse parses the text of the file, as JSON if the file's name ends in .json, else as YAML. It
// returns nil if the text is empty or broken.
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

// Resolve returns the node that an alias refers to; any other node it returns unchanged.
func Resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

// Fields holds the values of a mapping by their keys.
type Fields map[string]*yaml.Node

// Fields returns the fields of a mapping. It notes a fault for a repeated key and, if known has any
// names, for a key that is not in known.
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

// Known notes a fault for each unknown key of a mapping, because a misspelled key would be ignored.
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

// Set reads a field with a method of the reader if the field exists.
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

// Text returns the text of a string or another scalar, such as a number.
func (r *Reader) Text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.Want(n, what, "a string")
		return ""
	}
	return n.Value
}

// Quoted returns a string. It notes a fault if YAML reads the value as anything else, such as a
// number.
func (r *Reader) Quoted(n *yaml.Node, what string) string {
	text := r.Text(n, what)
	if n.Kind == yaml.ScalarNode && n.Tag != "!!str" && n.Tag != "!!null" {
		r.Want(n, what, "a string: put it in quotes")
	}
	return text
}

// Texts returns the strings of a list.
func (r *Reader) Texts(n *yaml.Node, what string) []string {
	var all []string
	for _, item := range r.List(n, what) {
		all = append(all, r.Text(item, what))
	}
	return all
}

// TextOrTexts returns the strings of a list, or a single string as a list. An empty value is an
// empty list.
func (r *Reader) TextOrTexts(n *yaml.Node, what string) []string {
	switch {
	case n.Tag == "!!null":
		return nil
	case n.Kind == yaml.ScalarNode:
		return []string{n.Value}
	}
	return r.Texts(n, what)
}

// Filled returns a string that must not be empty.
func (r *Reader) Filled(n *yaml.Node, what string) string {
	text := r.Text(n, what)
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" && strings.TrimSpace(text) == "" {
		r.Fault(n, "%s is empty", what)
	}
	return text
}

// OneOf returns a method that reads one of the given words.
func (r *Reader) OneOf(words ...string) func(n *yaml.Node, what string) string {
	return func(n *yaml.Node, what string) string {
		if n.Kind == yaml.ScalarNode && slices.Contains(words, n.Value) {
			return n.Value
		}
		r.Want(n, what, "one of "+strings.Join(words, ", "))
		return ""
	}
}

// Bool returns the value of true or false.
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

// Amount returns a number above 0.
func (r *Reader) Amount(n *yaml.Node, what string) float64 {
	return r.amount(n, what, "a number above 0")
}

// Dollars returns an amount of money.
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

// Duration returns a time that is written with its unit.
func (r *Reader) Duration(n *yaml.Node, what string) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d <= 0 {
		r.Want(n, what, "a time such as 90s or 20m")
		return 0
	}
	return d
}
