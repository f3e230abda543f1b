package skill

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

func readYAML(text string) (yaml.Node, error) {
	doc, ok := simpleYAML(text)
	if ok {
		return doc, nil
	}
	err := yaml.Unmarshal([]byte(text), &doc)
	return doc, err
}

// simpleYAML reads frontmatter in which every line is key: text without quotes, as in most skills.
// For all other frontmatter, ok is false. It makes the same nodes as package yaml (FuzzSimpleYAML),
// in a fraction of the time.
func simpleYAML(text string) (doc yaml.Node, ok bool) {
	fields := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
	number := 0
	for line := range strings.Lines(text) {
		number++
		key, rest, found := strings.Cut(line, ": ")
		value := strings.Trim(strings.TrimSuffix(rest, "\n"), " ")
		if !found || !isSimpleKey(key) || !isSimpleValue(value) {
			return yaml.Node{}, false
		}
		column := 1 + len(line) - len(strings.TrimLeft(rest, " "))
		fields.Content = append(fields.Content,
			&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: number, Column: 1},
			&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: number, Column: column})
	}
	return yaml.Node{Kind: yaml.DocumentNode, Line: 1, Column: 1, Content: []*yaml.Node{fields}}, number > 0
}

func isSimpleKey(key string) bool {
	return key != "" && len(key) < 100 && isLetter(key[0]) && !isWord(key) &&
		strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// isSimpleValue reports whether a value can only be a string: it has no indicator of YAML, no word
// with a meaning, and no character that ends a line or must be escaped.
func isSimpleValue(value string) bool {
	if value == "" || !isLetter(value[0]) || isWord(value) || strings.HasSuffix(value, ":") {
		return false
	}
	for i, r := range value {
		switch {
		case r == ':' && value[i+1] == ' ', r == '#' && value[i-1] == ' ': // neither is the first or last character
			return false
		case r < ' ', r > '~' && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff, r == utf8.RuneError:
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// isWord reports whether YAML 1.1 or 1.2 reads a text as a boolean or as null.
func isWord(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}
