package render

import (
	"strings"

	"github.com/skillhand/skillhand/internal/words"
)

// Args are the arguments a skill is loaded with.
type Args struct {
	Raw   string   // as typed, trimmed, as Claude Code would get it
	Words []string // the values of $0, $1, …
	Split bool     // given as words; then Raw has the quotes to split it again
}

// Text returns the value of $ARGUMENTS in text: as typed, or the words joined by a space.
func (a Args) Text() string {
	if a.Split {
		return strings.Join(a.Words, " ")
	}
	return a.Raw
}

// fields returns the value of an unquoted $ARGUMENTS in a directive: its words. Raw text with an
// unclosed quote cannot be split for sure.
func (a Args) fields() []string {
	if a.Split || closedQuotes(a.Raw) {
		return a.Words
	}
	return nil
}

// ParseArgs splits the raw argument string that an agent passes.
func ParseArgs(raw string) Args {
	raw = strings.TrimSpace(raw)
	return Args{Raw: raw, Words: splitArgs(raw)}
}

// JoinArgs makes Args from words. Raw is quoted so that splitting it gives the words back.
func JoinArgs(words []string) Args {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteArg(w)
	}
	return Args{Raw: strings.Join(quoted, " "), Words: words, Split: true}
}

// Given reports whether there are any arguments.
func (a Args) Given() bool { return a.Raw != "" || len(a.Words) > 0 }

// splitArgs splits at white space. Quotes group words, and a backslash keeps the next character as
// it is. As in Claude Code, an unclosed apostrophe stays an apostrophe, and its word reaches to the
// end.
func splitArgs(raw string) []string {
	var words []string
	for at := 0; at < len(raw); {
		if isSpace(raw[at]) {
			at++
			continue
		}
		word, end, closed := oneArg(raw, at)
		if !closed {
			return append(words, raw[at:])
		}
		words = append(words, word)
		at = end
	}
	return words
}

func closedQuotes(raw string) bool {
	for at := 0; at < len(raw); {
		if isSpace(raw[at]) {
			at++
			continue
		}
		_, end, closed := oneArg(raw, at)
		if !closed {
			return false
		}
		at = end
	}
	return true
}

func oneArg(raw string, i int) (word string, end int, closed bool) {
	var b strings.Builder
	var quote byte
	for ; i < len(raw); i++ {
		c := raw[i]
		switch {
		case quote == 0 && isSpace(c):
			return b.String(), i, true
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case c == '\\' && i+1 < len(raw) && (quote == 0 || quote == '"' && strings.IndexByte(`"\$`+"`", raw[i+1]) >= 0):
			i++
			b.WriteByte(raw[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), i, quote == 0
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}

// quoteArg quotes a word only if needed, so that people get back what they typed.
func quoteArg(w string) string {
	if w != "" && !strings.ContainsAny(w, " \t\n\r\v\f'\"\\") {
		return w
	}
	return words.Single(w)
}
