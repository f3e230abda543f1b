package skill

import (
	"sort"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/doc"
)

// A Field is a field of the frontmatter as written, with its place, so that a tool can point at it
// or change it. Offsets are bytes in the file.
type Field struct {
	Key  string // "" for an item of a list
	Line int    // of the key, or of an item's value

	Offset, End           int // the key as written, with its quotes
	ValueOffset, ValueEnd int // the value as written, without a comment; equal if there is no value

	Raw    string  // the value as written
	Value  string  // the value of a string or number, as YAML reads it
	Fields []Field // the items of a list, or the fields of a mapping
}

// yamlText is the YAML between the --- lines: src[start:end].
type yamlText struct {
	src        string
	start, end int
	lines      []int // where its lines start, as YAML counts them
	newlines   []int // where the newlines of src[:end] are

	// The place of the last node. Nodes come in order, so each line is read only once.
	last struct{ line, column, offset int }
}

func newYAMLText(src string, start, end int) *yamlText {
	t := &yamlText{src: src, start: start, end: end, lines: []int{start}}
	for i := range end {
		if src[i] == '\n' {
			t.newlines = append(t.newlines, i)
		}
	}
	for i := start; i < end; {
		r, n := utf8.DecodeRuneInString(src[i:end])
		i += n
		switch r {
		case '\r':
			if i < end && src[i] == '\n' {
				i++
			}
			fallthrough
		case '\n', '\u0085', '\u2028', '\u2029':
			t.lines = append(t.lines, i)
		}
	}
	return t
}

// offset returns the offset of a node. YAML counts columns in characters.
func (t *yamlText) offset(n *yaml.Node) int {
	return t.at(n.Line, n.Column)
}

func (t *yamlText) at(line, column int) int {
	if line < 1 || line > len(t.lines) {
		return t.end
	}
	i, at := t.lines[line-1], 1
	if t.last.line == line && t.last.column <= column {
		i, at = t.last.offset, t.last.column
	}
	for ; at < column && i < t.end; at++ {
		_, size := utf8.DecodeRuneInString(t.src[i:])
		i += size
	}
	t.last.line, t.last.column, t.last.offset = line, at, i
	return i
}

func (t *yamlText) line(offset int) int { return 1 + sort.SearchInts(t.newlines, offset) }

// fields reads the fields of a mapping or the items of a list, up to limit.
func (t *yamlText) fields(n *yaml.Node, limit int) []Field {
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	starts := make([]int, len(n.Content))
	for i, c := range n.Content {
		starts[i] = t.offset(c)
	}
	stop := ""
	if n.Style&yaml.FlowStyle != 0 {
		stop = ",[]{}"
	}
	var all []Field
	for i := 0; i+step <= len(n.Content); i += step {
		v := n.Content[i+step-1]
		f := Field{Line: t.line(starts[i]), Offset: starts[i], End: starts[i], ValueOffset: starts[i+step-1]}
		if step == 2 {
			key := n.Content[i]
			f.Key = key.Value
			f.End = t.keyEnd(key, starts[i], f.ValueOffset)
		}
		until := limit
		if i+step < len(n.Content) {
			until = t.before(n, n.Content[i+step], starts[i+step])
		}
		f.ValueOffset = max(f.ValueOffset, f.End)
		until = max(until, f.ValueOffset)
		if v.Kind == yaml.MappingNode || v.Kind == yaml.SequenceNode {
			f.Fields = t.fields(v, until)
		}
		f.ValueEnd = t.valueEnd(v, f, until, stop)
		f.Raw = t.src[f.ValueOffset:f.ValueEnd]
		if v.Kind == yaml.ScalarNode {
			f.Value = v.Value
		}
		all = append(all, f)
	}
	return all
}

// before returns the end of what precedes a node of parent: the node, or the - of its item.
func (t *yamlText) before(parent, node *yaml.Node, start int) int {
	if parent.Kind != yaml.SequenceNode || parent.Style&yaml.FlowStyle != 0 {
		return start
	}
	for line := node.Line; line >= max(1, node.Line-8); line-- { // there may be comments in between
		if line > len(t.lines) {
			break
		}
		from := t.lines[line-1]
		for i, at := from, 1; i < start; at++ {
			r, size := utf8.DecodeRuneInString(t.src[i:])
			if at == parent.Column {
				if r == '-' {
					return i
				}
				break
			}
			i += size
		}
	}
	return start
}

func (t *yamlText) keyEnd(key *yaml.Node, start, limit int) int {
	if limit < start {
		return start
	}
	if strings.HasPrefix(t.src[start:limit], key.Value) {
		return start + len(key.Value)
	}
	return start + t.scalarLength(key, t.src[start:limit], ":")
}

// valueEnd returns the end of the value at f.ValueOffset. stop lists the bytes that end a value in
// brackets.
func (t *yamlText) valueEnd(v *yaml.Node, f Field, limit int, stop string) int {
	text := t.src[f.ValueOffset:limit]
	flow := strings.HasPrefix(text[properties(text):], "[") || strings.HasPrefix(text[properties(text):], "{")
	switch {
	case v.Kind == yaml.ScalarNode || v.Kind == yaml.AliasNode:
		return f.ValueOffset + t.scalarLength(v, text, stop)
	case !flow && len(f.Fields) > 0:
		return max(f.ValueOffset, f.Fields[len(f.Fields)-1].ValueEnd)
	}
	from := f.ValueOffset + min(properties(text)+1, len(text))
	if len(f.Fields) > 0 {
		from = max(from, f.Fields[len(f.Fields)-1].ValueEnd)
	}
	return t.bracketEnd(from, limit)
}

// bracketEnd returns the index after the next closing bracket at or after i.
func (t *yamlText) bracketEnd(i, limit int) int {
	for ; i < limit; i++ {
		switch t.src[i] {
		case ']', '}':
			return i + 1
		case '#':
			line, _ := nextLine(t.src[:limit], i)
			i += len(line) - 1
		}
	}
	return limit
}

// scalarLength returns the length of the scalar at the start of text. stop lists more bytes that end
// it.
func (t *yamlText) scalarLength(n *yaml.Node, text, stop string) int {
	from := properties(text)
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		for i := from + 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
	case n.Style&yaml.SingleQuotedStyle != 0:
		for i := from + 1; i < len(text); i++ {
			if text[i] == '\'' {
				if !strings.HasPrefix(text[i+1:], "'") {
					return i + 1
				}
				i++
			}
		}
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return len(strings.TrimRight(dropComments(text), " \t\r\n"))
	case n.Value == "" && from == 0:
		return 0
	}
	return plainLength(text, stop)
}

// plainLength returns the length of the unquoted scalar at the start of text: up to a comment, or a
// byte of stop.
func plainLength(text, stop string) int {
	end := len(text)
	for i := range len(text) {
		if text[i] == '#' && (i == 0 || strings.IndexByte(" \t\r\n", text[i-1]) >= 0) || strings.IndexByte(stop, text[i]) >= 0 {
			end = i
			break
		}
	}
	return len(strings.TrimRight(text[:end], " \t\r\n"))
}

// dropComments removes comments from the end of a block of text: lines with # at the margin.
func dropComments(text string) string {
	for {
		text = strings.TrimRight(text, " \t\r\n")
		i := strings.LastIndexByte(text, '\n')
		if i < 0 || !strings.HasPrefix(text[i+1:], "#") {
			return text
		}
		text = text[:i]
	}
}

// properties returns the length of the &anchor and !tag before a value.
func properties(text string) int {
	i := 0
	for i < len(text) && (text[i] == '&' || text[i] == '!') {
		for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) < 0 {
			i++
		}
		for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			i++
		}
	}
	return i
}

// guess lists the lines that look like fields in a text that is not YAML.
func (t *yamlText) guess() []Field {
	var all []Field
	line := t.line(t.start) - 1
	for i := t.start; i < t.end; {
		text, next := nextLine(t.src[:t.end], i)
		line++
		key, rest, ok := strings.Cut(text, ":")
		switch {
		case ok && key != "" && strings.Trim(key, keyLetters) == "" && (rest == "" || strings.IndexByte(" \t\r\n", rest[0]) >= 0):
			end := i + len(strings.TrimRight(text, " \t\r\n"))
			value := end - len(strings.TrimLeft(t.src[i+len(key)+1:end], " \t"))
			all = append(all, Field{Key: key, Line: line, Offset: i, End: i + len(key), ValueOffset: value, ValueEnd: end})
		case len(all) > 0 && strings.TrimSpace(text) != "" && strings.IndexByte(" \t", text[0]) >= 0:
			all[len(all)-1].ValueEnd = i + len(strings.TrimRight(text, " \t\r\n")) // the value continues
		}
		i = next
	}
	for i, f := range all {
		all[i].Raw = t.src[f.ValueOffset:f.ValueEnd]
	}
	return all
}

const keyLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// fault turns the parser's "yaml: line 3: …" into a note on that line.
func (t *yamlText) fault(err error) Note {
	fault := doc.FaultOfYAML(t.src[t.start:t.end], err)
	at := t.start
	if 1 <= fault.Line && fault.Line <= len(t.lines) {
		at = t.lines[fault.Line-1]
	}
	return Note{at, t.line(at), NoteYAML, notYAML + fault.Text}
}

const notYAML = "frontmatter is not valid YAML: "
