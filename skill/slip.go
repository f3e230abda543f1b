package skill

import "strings"

// A Slip is a common mistake that makes frontmatter invalid YAML: its place in the file, what is
// wrong, and what to do.
type Slip struct {
	Start, End int
	Text, Help string
}

// slip looks for the mistake in the guessed fields of a text that is not YAML: in the first value
// that is not YAML by itself. The parser's fault may name the line before or after it.
func (t *yamlText) slip(fields []Field, fault Note) Slip {
	for _, s := range []Slip{t.tab(), t.oddLine()} {
		if s.Text != "" {
			return s
		}
	}
	var unknown Slip
	for _, f := range fields {
		raw := strings.TrimRight(t.src[f.ValueOffset:f.ValueEnd], " \t\r\n")
		if raw == "" || IsYAMLValue(raw) {
			continue
		}
		if s := slipIn(raw); s.Text != "" {
			s.Start, s.End = f.ValueOffset+s.Start, f.ValueOffset+s.End
			return s
		}
		if unknown.Text == "" && !strings.Contains(raw, "\n") {
			unknown = Slip{f.ValueOffset, f.ValueOffset + len(raw), strings.TrimPrefix(fault.Text, notYAML), "fix the YAML"}
		}
	}
	return unknown
}

// tab finds the first line that is indented with a tab, if nothing else is wrong.
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
	return Slip{first, first + 1, "a line is indented with a tab", "indent it with spaces"}
}

// oddLine finds the first line that makes the text invalid YAML. Without the line, or with it moved
// to its right place, the text must be YAML.
func (t *yamlText) oddLine() Slip {
	above, tries := "", 20 // each try reads the whole text
	for at := t.start; at < t.end && tries > 0; {
		line, next := nextLine(t.src[:t.end], at)
		if s, instead := lineSlip(above, line); s.Text != "" {
			tries--
			before, after := t.src[t.start:at], t.src[next:t.end]
			if _, err := readYAML(before + line); s == dedented && err != nil {
				after = "" // the line after it may have the same fault
			}
			if _, err := readYAML(before + instead + after); err == nil {
				s.Start, s.End = at, at+len(strings.TrimRight(line, "\r\n"))
				return s
			}
		}
		if strings.TrimSpace(line) != "" {
			above = line
		}
		at = next
	}
	return Slip{}
}

// lineSlip says why a line, after the line above it, may be invalid YAML, and what to write instead.
func lineSlip(above, line string) (s Slip, instead string) {
	text, rest := strings.TrimSpace(line), strings.TrimLeft(line, " ")
	key, _, isField := strings.Cut(text, ":")
	_, value, _ := strings.Cut(above, ":")
	value = strings.TrimSpace(value)
	isBlock := value != "" && strings.Trim(value, "|>+-") == ""
	indent := above[:len(above)-len(strings.TrimLeft(above, " "))]
	switch isIndented := len(rest) < len(line); {
	case text == "" || text[0] == '#':
	case isIndented && len(line)-len(rest) < len(indent):
		return dedented, indent + rest
	case text[0] == '-' && len(text) > 1 && strings.IndexByte("- ", text[1]) < 0:
		s.Text, s.Help = "no space follows the - of a list", "write - "+text[1:]
		instead = strings.Replace(line, "-", "- ", 1)
	case text[0] == '-':
	case isIndented && isField && value != "" && !isBlock && !strings.ContainsAny(key, " \"'"):
		s.Text, s.Help = "the line is indented, so it counts as a part of the value above it", "begin it at the start of the line"
		instead = rest
	case isIndented || isField:
	case isBlock:
		s.Text, s.Help = "the text below a "+value[:1]+" must be indented", "indent it with two spaces"
		instead = "  " + line
	default:
		s.Text, s.Help = "the line has no colon, so it is no field", "write name: value, or indent it below the field that it belongs to"
	}
	return s, instead
}

// dedented describes an indented line with less indentation than the line above.
var dedented = Slip{
	Text: "the line is indented less than the one above it, and more than a field",
	Help: "indent it as the line above, or begin it at the start of the line",
}

// IsYAMLValue reports whether a text can be a field's value, on the same line.
func IsYAMLValue(raw string) bool {
	_, err := readYAML("field: " + raw + "\n")
	return err == nil
}

// slipIn finds the mistake in a value that is not YAML.
func slipIn(raw string) Slip {
	switch quote := raw[:1]; quote {
	case `"`, "'":
		end := ClosingQuote(raw)
		if end < 0 {
			return Slip{0, 1, "the quote that opens here is not closed", "close the quote"}
		}
		if i := badEscape(raw[:end], 1); i > 0 {
			return Slip{i, i + 2, raw[i:i+2] + " means nothing in double quotes", `write \\ for a backslash`}
		}
		if rest := strings.TrimLeft(raw[end:], " \t"); rest != "" && !strings.Contains(rest, "\n") {
			return Slip{len(raw) - len(rest), len(raw), "text follows the closing quote", "put quotes around all of the value"}
		}
		return Slip{}
	case "|", ">":
		first, _, _ := strings.Cut(raw, "\n")
		if strings.Trim(first, "|>+-0123456789 \t\r") != "" {
			return Slip{0, len(first), "text stands behind the " + quote, "put it in quotes, or indented on the lines below the " + quote}
		}
		return Slip{}
	case "[", "{":
		return bracketSlip(raw)
	case "@", "`", "%", "&", "*", "!", "-":
		if quote != "-" || strings.HasPrefix(raw, "- ") {
			return Slip{0, 1, "a value cannot begin with " + quote, "put the value in quotes"}
		}
	case "\n":
		return Slip{}
	}
	for i := range len(raw) {
		if raw[i] == ':' && (i+1 == len(raw) || strings.IndexByte(" \t\r\n", raw[i+1]) >= 0) {
			return Slip{i, i + 1, "the value has a colon in it, and no quotes", "put the value in quotes, or indented on lines below a |"}
		}
	}
	return Slip{}
}

// bracketSlip finds a mistake in a list or mapping on one line.
func bracketSlip(raw string) Slip {
	closing := map[byte]string{'[': "]", '{': "}"}[raw[0]]
	switch i := closingBracket(raw, closing[0]); {
	case i < 0 && !strings.Contains(raw, closing):
		return Slip{0, 1, "the " + raw[:1] + " that opens here is not closed", "close it with " + closing + ", or put the value in quotes"}
	case i >= 0 && i < len(raw)-1 && !strings.Contains(raw, "\n"):
		return Slip{i + 1, len(raw), "text follows the closing " + closing, "put the value in quotes"}
	}
	return Slip{}
}

// closingBracket returns the index of the bracket that closes a text's first one, or -1.
func closingBracket(raw string, closing byte) int {
	deep := 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == raw[0]:
			deep++
		case c == closing:
			if deep--; deep == 0 {
				return i
			}
		case (c == '"' || c == '\'') && strings.IndexByte("[{,: ", raw[i-1]) >= 0:
			if end := ClosingQuote(raw[i:]); end > 0 {
				i += end - 1
			}
		}
	}
	return -1
}

// badEscape returns the index of the next invalid backslash in a double-quoted text, or -1.
func badEscape(quoted string, from int) int {
	for i := from; i+1 < len(quoted) && quoted[0] == '"'; i++ {
		if quoted[i] == '\\' {
			if strings.IndexByte("0abtnvfre \"/\\N_LPxuU\t\n\r", quoted[i+1]) < 0 {
				return i
			}
			i++
		}
	}
	return -1
}

// Escaped doubles each invalid backslash of a double-quoted text.
func Escaped(quoted string) string {
	for i := badEscape(quoted, 1); i > 0; i = badEscape(quoted, i+2) {
		quoted = quoted[:i] + `\` + quoted[i:]
	}
	return quoted
}

// ClosingQuote returns the index of the quote that closes a text's first one, or -1.
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
