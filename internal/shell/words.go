package shell

import (
	"fmt"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
)

// Words splits s as a shell would: at white space, with quotes and backslashes. Nothing is
// expanded: an operator or an expansion is an error that names it.
func Words(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	open := false // a word has begun, though it may be empty: ''
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == ' ' || c == '\t':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
			continue
		case c == '\\':
			if i+1 == len(s) {
				return nil, fmt.Errorf("%q: a backslash at the end", s)
			}
			i++
			if s[i] == '\n' { // a backslash before a newline joins two lines
				continue
			}
			word.WriteByte(s[i])
		case c == '\'':
			n := strings.IndexByte(s[i+1:], '\'')
			if n < 0 {
				return nil, fmt.Errorf("%q: unclosed '", s)
			}
			word.WriteString(s[i+1 : i+1+n])
			i += 1 + n
		case c == '"':
			text, n, err := doubleQuoted(s[i+1:])
			if err != nil {
				return nil, fmt.Errorf("%q: %w", s, err)
			}
			word.WriteString(text)
			i += n
		default:
			if what := operator(s[i:], open); what != "" {
				return nil, fmt.Errorf("%q: %s is not allowed here; quote it if it is meant as text", s, what)
			}
			word.WriteByte(c)
		}
		open = true
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}

// doubleQuoted reads the text after an opening quote. It returns the text and how many bytes it
// read, with the closing quote.
func doubleQuoted(s string) (text string, n int, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), i + 1, nil
		case '\\':
			if i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
				i++
				if s[i] == '\n' {
					continue
				}
			}
			b.WriteByte(s[i])
		case '$', '`':
			if what := expansion(s[i:]); what != "" {
				return "", 0, fmt.Errorf("%s is not allowed here; use single quotes if it is meant as text", what)
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, fmt.Errorf(`unclosed "`)
}

// operator returns the name of something at the start of s, outside quotes, that has a meaning for
// a shell, or "".
func operator(s string, inWord bool) string {
	switch s[0] {
	case '\n':
		return "a newline"
	case '|', '&', ';', '<', '>', '(', ')':
		return "the operator " + s[:1]
	case '*', '?', '[':
		return "the pattern " + s[:1]
	case '{':
		return "the expansion {"
	case '~':
		if !inWord {
			return "the expansion ~"
		}
	case '#':
		if !inWord {
			return "a comment"
		}
	case '$', '`':
		if len(s) > 1 && s[0] == '$' && (s[1] == '\'' || s[1] == '"') {
			return "the expansion " + s[:2]
		}
		return expansion(s)
	}
	return ""
}

// expansion returns the name of the expansion at the start of s, which begins with $ or `, or "".
func expansion(s string) string {
	if s[0] == '`' {
		return "the expansion `"
	}
	if len(s) == 1 {
		return "" // a lone $ is text
	}
	n := 1
	for n < len(s) && isNameByte(s[n]) {
		n++
	}
	switch {
	case n > 1:
		return "the expansion " + s[:n]
	case strings.IndexByte("{(@*#?-$!", s[1]) >= 0:
		return "the expansion " + s[:2]
	}
	return ""
}

func isNameByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// Quote joins words with spaces and quotes them where necessary, so that Words returns the same
// words.
func Quote(list []string) string { return words.Quote(list...) }
