package claudepage

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// frontmatter is what a skill's frontmatter says, as far as it changes what is sent.
type frontmatter struct {
	name      string
	arguments []string
	effort    string
	noModel   bool // disable-model-invocation
	noUser    bool // user-invocable: false
	paths     bool // it waits for files that match
}

// splitFrontmatter cuts a file into its frontmatter's YAML and its body. The frontmatter ends at
// the next ---, wherever that stands, and white space after it belongs to neither.
func splitFrontmatter(src string) (yaml, body string) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(src, "\uFEFF"), "---")
	if !ok {
		return "", src
	}
	// White space up to the last newline in a row belongs to the opening line.
	blank := rest[:len(rest)-len(strings.TrimLeftFunc(rest, isSpace))]
	open := strings.LastIndexByte(blank, '\n')
	if open < 0 {
		return "", src
	}
	yaml, body, ok = strings.Cut(rest[open+1:], "---")
	if !ok {
		return "", src
	}
	return yaml, strings.TrimLeftFunc(body, isSpace)
}

// parseFrontmatter reads YAML with Claude Code's leniency: if it does not parse, what looks like the
// reason is mended; if it still does not, there is none.
func parseFrontmatter(text string) frontmatter {
	root, err := parseYAML(text)
	if err != nil {
		root, err = parseYAML(Mend(text))
	}
	var f frontmatter
	if err != nil || root == nil {
		return f
	}
	if n := field(root, "name"); n != nil && n.Kind == yaml.ScalarNode {
		f.name = n.Value
	}
	f.arguments = argumentNames(field(root, "arguments"))
	f.effort = effortLevel(field(root, "effort"))
	f.noModel = truth(field(root, "disable-model-invocation"))
	if n := field(root, "user-invocable"); n != nil {
		f.noUser = !truth(n)
	}
	if n := field(root, "paths"); n != nil {
		f.paths = n.Kind == yaml.ScalarNode && n.Value != "" && n.ShortTag() != "!!null" || len(n.Content) > 0
	}
	return f
}

// Mend returns a frontmatter that is no YAML as Claude Code reads it then, line by line: tabs become
// spaces, and values get quotes. It may still be none: then no field counts.
func Mend(text string) string { return quoteValues(indentTabs(text)) }

// Newlines to YAML 1.1, which our parser reads, and ordinary characters to YAML 1.2.
var oldNewlines = strings.NewReplacer("\u0085", " ", "\u2028", " ", "\u2029", " ")

// parseYAML returns the mapping at the root, or nil if the root is something else.
func parseYAML(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(oldNewlines.Replace(text)), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, nil
	}
	return doc.Content[0], nil
}

var leadingTabs = compiled(`(?m)^\t+`)

// indentTabs makes two spaces of each tab at the start of a line, where YAML takes none.
func indentTabs(text string) string {
	return leadingTabs().ReplaceAllStringFunc(text, func(tabs string) string { return strings.Repeat("  ", len(tabs)) })
}

var (
	simpleField = compiled(`(?m)^([A-Za-z_-]+):[ \t]+([^\r\n]+)$`)
	needsQuotes = compiled("[{}\\[\\]*&#!|>%@`]|: |^,")
)

// quoteValues quotes the values of simple lines that YAML may have choked on, except those in
// quotes and lists that parse by themselves. It does not know lines that end in a carriage return.
func quoteValues(text string) string {
	return simpleField().ReplaceAllStringFunc(text, func(line string) string {
		m := simpleField().FindStringSubmatch(line)
		key, value := m[1], m[2]
		if !needsQuotes().MatchString(value) || enclosed(value, `"`, `"`) || enclosed(value, "'", "'") {
			return line
		}
		if enclosed(value, "[", "]") {
			if _, err := parseYAML(line); err == nil { // [a] [b] is none
				return line
			}
		}
		return key + `: "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	})
}

func enclosed(s, open, end string) bool {
	return len(s) >= 2 && strings.HasPrefix(s, open) && strings.HasSuffix(s, end)
}

// field returns the value of key in a mapping, or nil. The last of several counts; a merged
// mapping counts least.
func field(m *yaml.Node, key string) *yaml.Node {
	var value, merged *yaml.Node
	for i := 0; i+1 < len(m.Content); i += 2 {
		v := m.Content[i+1]
		if v.Kind == yaml.AliasNode {
			v = v.Alias
		}
		switch {
		case m.Content[i].Value == key:
			value = v
		case m.Content[i].Tag == "!!merge" && v.Kind == yaml.MappingNode && v != m:
			merged = v
		}
	}
	if value == nil && merged != nil {
		for i := 0; i+1 < len(merged.Content); i += 2 {
			if merged.Content[i].Value == key {
				value = merged.Content[i+1]
			}
		}
	}
	return value
}

// argumentNames reads a list of names, or a string of them. What cannot be a name is passed over
// and takes no place.
func argumentNames(n *yaml.Node) []string {
	var all []string
	switch {
	case n == nil:
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
		all = strings.FieldsFunc(n.Value, isSpace)
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			if item.Kind == yaml.ScalarNode && item.ShortTag() == "!!str" {
				all = append(all, item.Value)
			}
		}
	}
	var names []string
	for _, name := range all {
		if trimSpace(name) != "" && leadingDigits(name) != name {
			names = append(names, name)
		}
	}
	return names
}

var number = compiled(`^\s*[+-]?[0-9]`)

// effortLevel returns the effort that a skill asks for, or "". Any number is high.
func effortLevel(n *yaml.Node) string {
	if n != nil && n.Kind == yaml.SequenceNode && len(n.Content) == 1 {
		n = n.Content[0]
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	switch level := strings.ToLower(n.Value); level {
	case "low", "medium", "high", "xhigh", "max":
		return level
	}
	if number().MatchString(n.Value) {
		return "high"
	}
	return ""
}

// truth reports whether a value means yes.
func truth(n *yaml.Node) bool {
	if n == nil || n.Kind != yaml.ScalarNode {
		return false
	}
	switch strings.ToLower(n.Value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
