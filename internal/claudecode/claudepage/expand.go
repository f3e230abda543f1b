package claudepage

import (
	"sort"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// expand returns the body with variables and arguments put in.
func (s *Skill) expand(r Request) string {
	vars := s.variables(r)
	args := r.arguments()
	x := expander{args: args, words: splitArgs(args), names: s.front.arguments, vars: vars}
	text := x.expand(s.body)
	if args != "" && !x.used {
		text += "\n\nARGUMENTS: " + x.value(args)
	}
	return text
}

// arguments returns the arguments as the page has them: a user's are trimmed, Claude's are not.
func (r *Request) arguments() string {
	if r.Tool {
		return r.Args
	}
	return claudecode.TrimSpace(r.Args)
}

// variables returns the built-in variables that s may use.
func (s *Skill) variables(r Request) map[string]string {
	effort := r.Effort
	if s.front.effort != "" {
		effort = s.front.effort
	}
	vars := map[string]string{
		"${CLAUDE_SESSION_ID}":  r.Session,
		"${CLAUDE_PROJECT_DIR}": r.Project,
		"${CLAUDE_EFFORT}":      effort,
	}
	if s.Dir != "" {
		vars["${CLAUDE_SKILL_DIR}"] = s.Dir
	}
	if s.plugin != nil {
		vars["${CLAUDE_PLUGIN_ROOT}"] = s.plugin.Root
		vars["${CLAUDE_PLUGIN_DATA}"] = s.plugin.Data
	}
	return vars
}

// An expander puts arguments and variables into a text, in one pass: a value is not read again,
// but for the built-in variables in an argument.
type expander struct {
	args  string   // all of them
	words []string // one by one
	names []string // what the skill calls them
	vars  map[string]string
	used  bool // a placeholder took an argument
}

func (x *expander) expand(text string) string {
	names := x.byLength()
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '$' && text[i] != '\\' {
			b.WriteByte(text[i])
			i++
			continue
		}
		// One backslash escapes a placeholder and goes; two and more are text.
		if text[i] == '\\' {
			n := x.placeholder(text[i+1:], names)
			if n > 0 && (i == 0 || text[i-1] != '\\') {
				b.WriteString(text[i+1 : i+1+n])
				i += n
			} else {
				b.WriteByte('\\')
			}
			i++
			continue
		}
		if n, value := x.builtin(text[i:]); n > 0 {
			b.WriteString(value)
			i += n
			continue
		}
		n, value, ok := x.resolve(text[i:], names)
		n = max(n, 1)
		if ok {
			x.used = true
			b.WriteString(x.value(value))
		} else {
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// builtin returns the length and the value of the built-in variable at the start of text.
func (x *expander) builtin(text string) (n int, value string) {
	const longest = len("${CLAUDE_PLUGIN_ROOT}")
	n = strings.IndexByte(text[:min(longest, len(text))], '}') + 1
	value, ok := x.vars[text[:n]]
	if !ok {
		return 0, ""
	}
	return n, value
}

// value makes an argument fit for the page.
func (x *expander) value(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if n, value := x.builtin(s[i:]); n > 0 {
			b.WriteString(value)
			i += n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return sanitize(b.String())
}

// byLength returns the indexes of the named arguments, the longest name first.
func (x *expander) byLength() []int {
	order := make([]int, len(x.names))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return len(x.names[order[a]]) > len(x.names[order[b]]) })
	return order
}

// resolve reads the placeholder at the start of text and returns its length and its value. A
// positional argument that was not given leaves its placeholder as written, a named one nothing.
func (x *expander) resolve(text string, names []int) (n int, value string, ok bool) {
	if i, n := x.named(text, names); n > 0 {
		if i < len(x.words) {
			value = x.words[i]
		}
		return n, value, true
	}
	if rest, ok := strings.CutPrefix(text, "$ARGUMENTS"); ok {
		if digits := leadingDigits(strings.TrimPrefix(rest, "[")); digits != "" && strings.HasPrefix(rest, "["+digits+"]") {
			value, ok = x.word(digits)
			return len("$ARGUMENTS[]") + len(digits), value, ok
		}
		return len("$ARGUMENTS"), x.args, true
	}
	digits := leadingDigits(text[1:])
	n = 1 + len(digits)
	if digits == "" || n < len(text) && isWord(text[n]) {
		return 0, "", false
	}
	value, ok = x.word(digits)
	return n, value, ok
}

// named returns the index of the named argument at the start of text, and how long it is.
func (x *expander) named(text string, names []int) (index, n int) {
	for _, i := range names {
		n := 1 + len(x.names[i])
		if strings.HasPrefix(text[1:], x.names[i]) && (n == len(text) || text[n] != '[' && !isWord(text[n])) {
			return i, n
		}
	}
	return 0, 0
}

// placeholder returns the length of what a backslash before text escapes, or 0.
func (x *expander) placeholder(text string, names []int) int {
	if !strings.HasPrefix(text, "$") {
		return 0
	}
	if _, n := x.named(text, names); n > 0 {
		return n
	}
	if strings.HasPrefix(text, "$ARGUMENTS") {
		return len("$ARGUMENTS")
	}
	if digits := leadingDigits(text[1:]); digits != "" {
		return 1 + len(digits)
	}
	return 0
}

func (x *expander) word(digits string) (string, bool) {
	i, err := strconv.Atoi(digits)
	if err != nil || i >= len(x.words) {
		return "", false
	}
	return x.words[i], true
}

func leadingDigits(s string) string {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n]
}

// sanitize changes an argument so that it cannot hold a directive of its own: an exclamation mark
// and a backquote never meet, and one that could begin a directive gets a backslash. The text
// around it can still complete one.
func sanitize(value string) string {
	value = strings.ReplaceAll(value, "!`", "! `")
	value = strings.ReplaceAll(value, "`!", "` !")
	var b strings.Builder
	before := ' '
	for _, r := range value {
		if r == '!' && claudecode.IsSpace(before) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}
