package skill

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Frontmatter holds the fields at the start of a skill that the Agent Skills specification or
// Claude Code defines. A field that is missing or has the wrong shape is zero.
type Frontmatter struct {
	Broken string // why the YAML cannot be read, or ""; broken YAML has no fields
	Slip   Slip   // the place of the mistake, if known

	Name          string
	Description   string
	WhenToUse     string
	License       string
	Compatibility string
	Metadata      map[string]string

	ArgumentHint           string
	Arguments              []string // names of the positional arguments, in order
	DisableModelInvocation bool
	UserInvocable          bool // true unless the file says otherwise
	AllowedTools           []string
	DisallowedTools        []string
	Model                  string
	Effort                 string
	Context                string // "fork": a subagent reads the page
	Agent                  string
	Background             bool
	Paths                  []string
	Shell                  string
	HasHooks               bool // there are hooks; Claude Code runs them, skillhand does not

	Fields []Field // all fields as written; in broken YAML, the lines that look like fields
}

// Field returns the field with a key: the last one, if there are two.
func (f *Frontmatter) Field(key string) (Field, bool) {
	for _, x := range slices.Backward(f.Fields) {
		if x.Key == key {
			return x, true
		}
	}
	return Field{}, false
}

// A KnownField is a field that the Agent Skills specification or Claude Code defines.
type KnownField struct {
	Name string
	Spec bool // the specification defines it
}

// KnownFields lists the known fields.
func KnownFields() []KnownField {
	all := make([]KnownField, len(fields))
	for i, f := range fields {
		all[i] = f.KnownField
	}
	return all
}

// fields lists the known fields: how to store each, and what to expect in a note about a wrong
// shape.
var fields = []struct {
	KnownField
	set func(f *Frontmatter, v *yaml.Node) (want string)
}{
	{KnownField{"name", true}, func(f *Frontmatter, v *yaml.Node) string { return scalar(v, &f.Name) }},
	{KnownField{"description", true}, func(f *Frontmatter, v *yaml.Node) string { return scalar(v, &f.Description) }},
	{KnownField{"license", true}, func(f *Frontmatter, v *yaml.Node) string { return scalar(v, &f.License) }},
	{KnownField{"compatibility", true}, func(f *Frontmatter, v *yaml.Node) string { return scalar(v, &f.Compatibility) }},
	{KnownField{"metadata", true}, func(f *Frontmatter, v *yaml.Node) string { return mapping(v, &f.Metadata) }},
	{KnownField{"allowed-tools", true}, func(f *Frontmatter, v *yaml.Node) string { return texts(v, &f.AllowedTools, splitTools) }},
	{KnownField{"disallowed-tools", false}, func(f *Frontmatter, v *yaml.Node) string { return texts(v, &f.DisallowedTools, splitTools) }},
	// as in agents
	{KnownField{"disallowedTools", false}, func(f *Frontmatter, v *yaml.Node) string { return texts(v, &f.DisallowedTools, splitTools) }},
	{KnownField{"when_to_use", false}, func(f *Frontmatter, v *yaml.Node) string { return scalar(v, &f.WhenToUse) }},
	{KnownField{"argument-hint", false}, func(f *Frontmatter, v *yaml.Node) string { return hint(v, &f.ArgumentHint) }},
	{KnownField{"arguments", false}, func(f *Frontmatter, v *yaml.Node) string { return texts(v, &f.Arguments, splitNames) }},
	{KnownField{"disable-model-invocation", false},
		func(f *Frontmatter, v *yaml.Node) string { return boolean(v, &f.DisableModelInvocation) }},
	{KnownField{"user-invocable", false}, func(f *Frontmatter, v *yaml.Node) string { return boolean(v, &f.UserInvocable) }},
	{KnownField{"model", false}, func(f *Frontmatter, v *yaml.Node) string { return scalar(v, &f.Model) }},
	{KnownField{"effort", false}, func(f *Frontmatter, v *yaml.Node) string { return scalar(v, &f.Effort) }},
	{KnownField{"context", false}, func(f *Frontmatter, v *yaml.Node) string { return scalar(v, &f.Context) }},
	{KnownField{"agent", false}, func(f *Frontmatter, v *yaml.Node) string { return scalar(v, &f.Agent) }},
	{KnownField{"background", false}, func(f *Frontmatter, v *yaml.Node) string { return boolean(v, &f.Background) }},
	{KnownField{"paths", false}, func(f *Frontmatter, v *yaml.Node) string { return texts(v, &f.Paths, splitCommas) }},
	{KnownField{"shell", false}, func(f *Frontmatter, v *yaml.Node) string { return scalar(v, &f.Shell) }},
	{KnownField{"version", false}, ignored},
	{KnownField{"fallback", false}, ignored},
	{KnownField{"hooks", false}, func(f *Frontmatter, _ *yaml.Node) string { f.HasHooks = true; return "" }},
}

func ignored(*Frontmatter, *yaml.Node) (want string) { return "" }

// set stores a field. It ignores unknown fields, as agents do.
func (f *Frontmatter) set(key string, v *yaml.Node) (want string) {
	for _, known := range fields {
		if known.Name == key {
			return known.set(f, v)
		}
	}
	return ""
}

// splitFrontmatter returns the start of the body: after a byte order mark, and the frontmatter with
// both --- lines.
func splitFrontmatter(src string) int {
	mark := len(src) - len(strings.TrimPrefix(src, byteOrderMark))
	line, end := nextLine(src, mark)
	if !isDelimiter(line) {
		return mark
	}
	for end < len(src) {
		line, end = nextLine(src, end)
		if isDelimiter(line) {
			return end
		}
	}
	return mark // never closed: it is text
}

const byteOrderMark = "\ufeff"

// unclosed reports whether a body begins with unclosed frontmatter: a --- line and a field. A ---
// line alone may be a Markdown rule.
func unclosed(body string) bool {
	line, next := nextLine(body, 0)
	if !isDelimiter(line) {
		return false
	}
	field, _ := nextLine(body, next)
	key, _, ok := strings.Cut(field, ":")
	return ok && key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz-_") == ""
}

// nextLine returns the line at i, with its newline, and the start of the next line.
func nextLine(src string, i int) (line string, next int) {
	if n := strings.IndexByte(src[i:], '\n'); n >= 0 {
		return src[i : i+n+1], i + n + 1
	}
	return src[i:], len(src)
}

func isDelimiter(line string) bool {
	rest, ok := strings.CutPrefix(line, "---")
	return ok && strings.TrimRight(rest, " \t\r\n") == ""
}

// parseFrontmatter reads the header of a file. Broken YAML is only a note: the body still loads, and
// without fields nothing is allowed.
func parseFrontmatter(header string) (Frontmatter, []Note) {
	f := Frontmatter{UserInvocable: true}
	mark := len(header) - len(strings.TrimPrefix(header, byteOrderMark))
	_, start := nextLine(header, mark)
	end := strings.LastIndex(header, "---")
	if end < start {
		return f, nil
	}
	text := newYAMLText(header, start, end)
	doc, err := readYAML(header[start:end])
	if err != nil {
		f.Fields = text.guess()
		fault := text.fault(err)
		if f.Slip = text.slip(f.Fields, fault); f.Slip.Text != "" {
			fault = Note{f.Slip.Start, text.line(f.Slip.Start), NoteYAML, notYAML + f.Slip.Text}
		}
		f.Broken = fault.Text
		return f, []Note{fault}
	}
	if len(doc.Content) == 0 {
		return f, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		if root.Tag == "!!null" {
			return f, nil
		}
		at := text.offset(root)
		return f, []Note{{at, text.line(at), NoteNoFields, "frontmatter is not a list of fields, want key: value"}}
	}
	f.Fields = text.fields(root, end)
	var notes []Note
	seen := map[string]bool{}
	for i, x := range f.Fields {
		if seen[x.Key] {
			notes = append(notes, Note{x.Offset, x.Line, NoteFieldTwice, x.Key + " is given twice, the last one counts"})
		}
		seen[x.Key] = true
		v := root.Content[2*i+1]
		if v.Kind == yaml.AliasNode {
			v = v.Alias
		}
		if v.Tag == "!!null" {
			continue // no value
		}
		if want := f.set(x.Key, v); want != "" {
			notes = append(notes, Note{x.Offset, x.Line, NoteFieldValue, fmt.Sprintf("%s is %s, want %s", x.Key, describe(v), want)})
		}
	}
	return f, notes
}

func scalar(v *yaml.Node, to *string) (want string) {
	if v.Kind != yaml.ScalarNode {
		return "a string"
	}
	if v.Tag != "!!null" {
		*to = v.Value
	}
	return ""
}

func mapping(v *yaml.Node, to *map[string]string) (want string) {
	if v.Kind != yaml.MappingNode {
		return "a list of fields"
	}
	*to = map[string]string{}
	for i := 0; i+1 < len(v.Content); i += 2 {
		(*to)[v.Content[i].Value] = v.Content[i+1].Value
	}
	return ""
}

// hint also accepts [file] and [a, b]: YAML reads lists, but people mean strings.
func hint(v *yaml.Node, to *string) (want string) {
	if v.Kind != yaml.SequenceNode {
		return scalar(v, to)
	}
	var words []string
	texts(v, &words, strings.Fields)
	*to = "[" + strings.Join(words, ", ") + "]"
	return ""
}

// boolean also accepts the words of YAML 1.1, which people still write.
func boolean(v *yaml.Node, to *bool) (want string) {
	switch strings.ToLower(v.Value) {
	case "true", "yes", "on":
		*to = true
	case "false", "no", "off":
		*to = false
	default:
		return "true or false"
	}
	return ""
}

func texts(v *yaml.Node, to *[]string, split func(string) []string) (want string) {
	switch {
	case v.Kind == yaml.ScalarNode && v.Tag != "!!null":
		*to = split(v.Value)
	case v.Kind == yaml.SequenceNode:
		var items []string
		for _, item := range v.Content {
			if item.Kind != yaml.ScalarNode {
				return "a list of strings"
			}
			items = append(items, item.Value)
		}
		*to = items
	case v.Kind != yaml.ScalarNode:
		return "a string or a list of strings"
	}
	return ""
}

// splitTools splits at commas and spaces outside of parentheses: Bash(git log:*), Read.
func splitTools(s string) []string {
	var tools []string
	depth, start := 0, 0
	for i, r := range s + "," {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth <= 0 && strings.ContainsRune(", \t\n", r):
			if start < i {
				tools = append(tools, s[start:i])
			}
			start = i + 1
		}
	}
	if start < len(s) { // the rest belongs to an unclosed parenthesis
		tools = append(tools, strings.TrimSpace(s[start:]))
	}
	return tools
}

// splitNames splits at spaces and commas, because people write both.
func splitNames(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
}

func splitCommas(s string) []string {
	var items []string
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

func describe(v *yaml.Node) string {
	switch v.Kind {
	case yaml.MappingNode:
		return "a list of fields"
	case yaml.SequenceNode:
		return "a list"
	default:
		return fmt.Sprintf("%q", v.Value)
	}
}

// IsPlaceholder reports whether a description is still that of a new skill or plugin.
func IsPlaceholder(description string) bool {
	return strings.HasPrefix(description, "Say here what the skill ") || strings.HasPrefix(description, "Say here what the plugin ")
}
