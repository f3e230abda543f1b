package claudecode

import (
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/words"
)

// SplitFrontmatter cuts a file into its frontmatter's YAML and its body. The frontmatter ends at
// the next ---, wherever that stands, and white space after it belongs to neither.
func SplitFrontmatter(src string) (yaml, body string) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(src, "\uFEFF"), "---")
	if !ok {
		return "", src
	}
	// White space up to the last newline in a row belongs to the opening line.
	blank := rest[:len(rest)-len(strings.TrimLeftFunc(rest, IsSpace))]
	open := strings.LastIndexByte(blank, '\n')
	if open < 0 {
		return "", src
	}
	yaml, body, ok = strings.Cut(rest[open+1:], "---")
	if !ok {
		return "", src
	}
	return yaml, strings.TrimLeftFunc(body, IsSpace)
}

// RepairYAML returns a frontmatter that is no YAML as Claude Code reads it then, line by line: tabs become
// spaces, and values get quotes. It may still be none: then no field counts.
func RepairYAML(text string) string { return quoteValues(indentTabs(text)) }

// Newlines to YAML 1.1, which our parser reads, and ordinary characters to YAML 1.2, which Claude Code reads.
var oldNewlines = strings.NewReplacer("\u0085", " ", "\u2028", " ", "\u2029", " ")

// YAML returns a text of YAML 1.2 for a parser of YAML 1.1.
func YAML(text string) string { return oldNewlines.Replace(text) }

var leadingTabs = words.Regexp(`(?m)^\t+`)

// indentTabs makes two spaces of each tab at the start of a line, where YAML takes none.
func indentTabs(text string) string {
	return leadingTabs.Get().ReplaceAllStringFunc(text, func(tabs string) string { return strings.Repeat("  ", len(tabs)) })
}

var (
	simpleField = words.Regexp(`(?m)^([A-Za-z_-]+):[ \t]+([^\r\n]+)$`)
	needsQuotes = words.Regexp("[{}\\[\\]*&#!|>%@`]|: |^,")
)

// quoteValues quotes the values of simple lines that YAML may have choked on, except those in
// quotes and lists that parse by themselves. It does not know lines that end in a carriage return.
func quoteValues(text string) string {
	return simpleField.Get().ReplaceAllStringFunc(text, func(line string) string {
		m := simpleField.Get().FindStringSubmatch(line)
		key, value := m[1], m[2]
		if !needsQuotes.Get().MatchString(value) || enclosed(value, `"`, `"`) || enclosed(value, "'", "'") {
			return line
		}
		if enclosed(value, "[", "]") {
			if yaml.Unmarshal([]byte(YAML(line)), new(yaml.Node)) == nil { // [a] [b] is none
				return line
			}
		}
		return key + `: "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	})
}

func enclosed(s, open, end string) bool {
	return len(s) >= 2 && strings.HasPrefix(s, open) && strings.HasSuffix(s, end)
}

// IsSpace reports whether r is white space to Claude Code, which is JavaScript: unlike Unicode it
// counts the byte order mark, and not U+0085.
func IsSpace(r rune) bool {
	return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r)
}

// TrimSpace trims as strings.TrimSpace does, by IsSpace.
func TrimSpace(s string) string { return strings.TrimFunc(s, IsSpace) }
