package skill

import "strings"

// A Slip is what makes a frontmatter no YAML, if it is one of the common ones: the spot in the file, what is wrong with
// it, and what to do.
type Slip struct {
	Start, End int
	Text, Help string
}

// slip looks for the slip in the guessed fields of a text that is no YAML: in the first value that is none by itself.
func (t *yamlText) slip(fields []Field) Slip {
	if s := t.tab(); s.Text != "" {
		return s
	}
	for _, f := range fields {
		raw := strings.TrimRight(t.src[f.ValueOffset:f.ValueEnd], " \t\r\n")
		if raw == "" || IsYAMLValue(raw) {
			continue
		}
		if s := slipIn(raw); s.Text != "" {
			s.Start, s.End = f.ValueOffset+s.Start, f.ValueOffset+s.End
			return s
		}
	}
	return Slip{}
}

// tab finds the first line that is indented with a tab, if that is all that is wrong.
func (t *yamlText) tab() Slip {
	if !strings.Contains(t.src[t.start:t.end], "\n\t") && !strings.Contains(t.src[t.start:t.end], " \t") {
		return Slip{}
	}
	first := -1
	var plain strings.Builder
	for at := t.start; at < t.end; {
		line, next := nextLine(t.src[:t.end], at)
		rest := strings.TrimLeft(line, " \t")
		indent := line[:len(line)-len(rest)]
		if i := strings.IndexByte(indent, '\t'); i >= 0 && first < 0 && rest != "" {
			first = at + i
		}
		plain.WriteString(strings.ReplaceAll(indent, "\t", "  ") + rest)
		at = next
	}
	if _, err := readYAML(plain.String()); err != nil || first < 0 {
		return Slip{}
	}
	return Slip{first, first + 1, "a line is indented with a tab", "indent it with blanks"}
}

// IsYAMLValue reports whether a text can be a field's value, on the field's line.
func IsYAMLValue(raw string) bool {
	_, err := readYAML("field: " + raw + "\n")
	return err == nil
}

// slipIn names the slip in a value that is no YAML.
func slipIn(raw string) Slip {
	switch quote := raw[:1]; quote {
	case `"`, "'":
		end := ClosingQuote(raw)
		if end < 0 {
			return Slip{0, 1, "the quote that opens here is not closed", "close the quote"}
		}
		if rest := strings.TrimLeft(raw[end:], " \t"); rest != "" && !strings.Contains(rest, "\n") {
			return Slip{len(raw) - len(rest), len(raw), "text follows the closing quote", "put quotes around all of the value"}
		}
		return Slip{}
	case "|", ">", "[", "{", "\n", "-", "&", "*", "!":
		return Slip{}
	}
	for i := range len(raw) {
		if raw[i] == ':' && (i+1 == len(raw) || strings.IndexByte(" \t\r\n", raw[i+1]) >= 0) {
			return Slip{i, i + 1, "the value has a colon in it, and no quotes", "put the value in quotes, or indented on lines below a |"}
		}
	}
	return Slip{}
}

// ClosingQuote is where a text ends that begins with a quote, or -1.
func ClosingQuote(raw string) int {
	for i := 1; i < len(raw); i++ {
		switch {
		case raw[0] == '"' && raw[i] == '\\', raw[i] == '\'' && raw[0] == '\'' && strings.HasPrefix(raw[i+1:], "'"):
			i++
		case raw[i] == raw[0]:
			return i + 1
		}
	}
	return -1
}
