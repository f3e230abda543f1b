package claudepage

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/words"
)

// frontmatter is what a skill's frontmatter says, as far as it changes what is sent.
type frontmatter struct {
	name      string
	arguments []string
	allowed   []string // allowed-tools, as written
	forbidden []string // disallowed-tools, as written
	effort    string
	noModel   bool // disable-model-invocation
	noUser    bool // user-invocable: false
	paths     bool // it waits for files that match
}

// parseFrontmatter reads YAML with Claude Code's leniency: if it does not parse, what looks like the
// reason is mended; if it still does not, there is none.
func parseFrontmatter(text string) frontmatter {
	root, err := parseYAML(text)
	if err != nil {
		root, err = parseYAML(claudecode.RepairYAML(text))
	}
	var f frontmatter
	if err != nil || root == nil {
		return f
	}
	if n := field(root, "name"); n != nil && n.Kind == yaml.ScalarNode {
		f.name = n.Value
	}
	f.arguments = argumentNames(field(root, "arguments"))
	f.allowed = ruleTexts(field(root, "allowed-tools"))
	f.forbidden = ruleTexts(field(root, "disallowed-tools"))
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

// parseYAML returns the mapping at the root, or nil if the root is something else.
func parseYAML(text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(claudecode.YAML(text)), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, nil
	}
	return doc.Content[0], nil
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
		all = strings.FieldsFunc(n.Value, claudecode.IsSpace)
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			if item.Kind == yaml.ScalarNode && item.ShortTag() == "!!str" {
				all = append(all, item.Value)
			}
		}
	}
	var names []string
	for _, name := range all {
		if claudecode.TrimSpace(name) != "" && leadingDigits(name) != name {
			names = append(names, name)
		}
	}
	return names
}

var number = words.Regexp(`^\s*[+-]?[0-9]`)

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
	if number.Get().MatchString(n.Value) {
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

// ruleTexts returns the rules of a field: one text, or a list of them.
func ruleTexts(n *yaml.Node) (list []string) {
	switch {
	case n == nil:
	case n.Kind == yaml.ScalarNode:
		list = append(list, n.Value)
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			list = append(list, item.Value)
		}
	}
	return list
}
