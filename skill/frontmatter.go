package skill

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Frontmatter is what the YAML at a skill's start says: the fields of the Agent
// Skills specification and of Claude Code. A field that is absent, or has the
// wrong shape, is zero.
type Frontmatter struct {
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
	HasHooks               bool // hooks: is there; Claude Code runs them, skillhand does not

	Unknown []string       // keys that nobody defines, as written
	Lines   map[string]int // the line of every key that was found
}

// splitFrontmatter cuts src before the body. The header holds the byte order
// mark and the frontmatter with both its --- lines, and is empty without them.
func splitFrontmatter(src []byte) (header, body []byte) {
	mark := len(src) - len(bytes.TrimPrefix(src, []byte("\ufeff")))
	line, end := nextLine(src, mark)
	if !isDelimiter(line) {
		return src[:mark], src[mark:]
	}
	for end < len(src) {
		line, end = nextLine(src, end)
		if isDelimiter(line) {
			return src[:end], src[end:]
		}
	}
	return src[:mark], src[mark:] // never closed: it is text
}

// unclosed reports whether a body begins with what was meant as frontmatter: a
// line of --- and a field. A line of --- alone may be a rule.
func unclosed(body []byte) bool {
	line, next := nextLine(body, 0)
	if !isDelimiter(line) {
		return false
	}
	field, _ := nextLine(body, next)
	key, _, ok := bytes.Cut(field, []byte(":"))
	return ok && len(key) > 0 && len(bytes.Trim(key, "abcdefghijklmnopqrstuvwxyz-_")) == 0
}

// nextLine returns the line that starts at i, with its newline, and where the next one starts.
func nextLine(src []byte, i int) (line []byte, next int) {
	if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
		return src[i : i+n+1], i + n + 1
	}
	return src[i:], len(src)
}

func isDelimiter(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && len(bytes.TrimRight(rest, " \t\r\n")) == 0
}

// parseFrontmatter reads what splitFrontmatter cut off. Broken YAML is a
// warning: the body still loads, and without a field nothing is granted.
func parseFrontmatter(file string, header []byte) (Frontmatter, []string) {
	f := Frontmatter{UserInvocable: true, Lines: map[string]int{}}
	text := bytes.TrimPrefix(header, []byte("\ufeff"))
	if len(text) == 0 {
		return f, nil
	}
	_, first := nextLine(text, 0)
	last := bytes.LastIndex(text, []byte("---"))
	if last < first {
		return f, nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text[first:last], &doc); err != nil {
		return f, []string{yamlFault(file, err)}
	}
	if len(doc.Content) == 0 {
		return f, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		if root.Tag == "!!null" {
			return f, nil
		}
		return f, []string{fmt.Sprintf("%s:%d: frontmatter is not a list of fields, want key: value", file, root.Line+1)}
	}
	var warnings []string
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		line := key.Line + 1 // the opening --- is line 1 of the file
		if _, again := f.Lines[key.Value]; again {
			warnings = append(warnings, fmt.Sprintf("%s:%d: %s is given twice, the last counts", file, line, key.Value))
		}
		f.Lines[key.Value] = line
		if want := f.set(key.Value, value); want != "" {
			warnings = append(warnings, fmt.Sprintf("%s:%d: %s is %s, want %s", file, line, key.Value, describe(value), want))
		}
	}
	return f, warnings
}

// set stores one field, and says what was expected if its value has another shape.
func (f *Frontmatter) set(key string, v *yaml.Node) (want string) {
	switch key {
	case "name":
		return scalar(v, &f.Name)
	case "description":
		return scalar(v, &f.Description)
	case "when_to_use":
		return scalar(v, &f.WhenToUse)
	case "license":
		return scalar(v, &f.License)
	case "compatibility":
		return scalar(v, &f.Compatibility)
	case "argument-hint":
		return hint(v, &f.ArgumentHint)
	case "arguments":
		return texts(v, &f.Arguments, splitNames)
	case "disable-model-invocation":
		return boolean(v, &f.DisableModelInvocation)
	case "user-invocable":
		return boolean(v, &f.UserInvocable)
	case "allowed-tools":
		return texts(v, &f.AllowedTools, splitTools)
	case "disallowed-tools":
		return texts(v, &f.DisallowedTools, splitTools)
	case "model":
		return scalar(v, &f.Model)
	case "effort":
		return scalar(v, &f.Effort)
	case "context":
		return scalar(v, &f.Context)
	case "agent":
		return scalar(v, &f.Agent)
	case "background":
		return boolean(v, &f.Background)
	case "paths":
		return texts(v, &f.Paths, splitCommas)
	case "shell":
		return scalar(v, &f.Shell)
	case "hooks":
		f.HasHooks = true
	case "metadata":
		f.Metadata = map[string]string{}
		if v.Kind != yaml.MappingNode {
			return "a list of fields"
		}
		for i := 0; i+1 < len(v.Content); i += 2 {
			f.Metadata[v.Content[i].Value] = v.Content[i+1].Value
		}
	default:
		f.Unknown = append(f.Unknown, key)
	}
	return ""
}

func scalar(v *yaml.Node, to *string) (want string) {
	if v.Kind != yaml.ScalarNode {
		return "a text"
	}
	if v.Tag != "!!null" {
		*to = v.Value
	}
	return ""
}

// hint also takes [file] and [a, b], which YAML reads as lists and people write as texts.
func hint(v *yaml.Node, to *string) (want string) {
	if v.Kind != yaml.SequenceNode {
		return scalar(v, to)
	}
	var words []string
	texts(v, &words, strings.Fields)
	*to = "[" + strings.Join(words, ", ") + "]"
	return ""
}

// boolean also takes the words that YAML 1.1 had and people still write.
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
				return "a list of texts"
			}
			items = append(items, item.Value)
		}
		*to = items
	case v.Kind != yaml.ScalarNode:
		return "a text or a list of texts"
	}
	return ""
}

// splitTools splits at commas and spaces that are not inside parentheses: Bash(git log:*), Read.
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
	if start < len(s) { // an unclosed parenthesis swallowed the rest
		tools = append(tools, strings.TrimSpace(s[start:]))
	}
	return tools
}

// splitNames splits at spaces and commas: people write both.
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

// yamlFault turns the parser's "yaml: line 3: …" into FILE:4: …, counting the --- line.
func yamlFault(file string, err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if n, _ := fmt.Sscanf(text, "line %d:", &line); n == 1 {
		_, text, _ = strings.Cut(text, ": ")
	}
	return fmt.Sprintf("%s:%d: frontmatter is not valid YAML: %s", file, line+1, text)
}
