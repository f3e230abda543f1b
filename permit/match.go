package permit

import (
	"slices"
	"strings"
)

// name returns the command of a part and its arguments, behind the launchers that Claude Code looks
// through. Rules that allow do not see through env; checks do.
func (p part) name() (string, []word) {
	words := p.words
	for {
		rest, ok := launched(words)
		if !ok {
			rest, ok = launchedByEnv(words)
		}
		if !ok {
			break
		}
		words = rest
	}
	if len(words) == 0 {
		return "", nil
	}
	return words[0].val, words[1:]
}

// launchedByEnv strips env, its flags and the variables that it sets.
func launchedByEnv(words []word) ([]word, bool) {
	if len(words) == 0 || words[0].val != "env" {
		return nil, false
	}
	rest := words[1:]
	for len(rest) > 0 {
		switch v := rest[0].val; {
		case v == "-u" && len(rest) > 1:
			rest = rest[2:]
		case v == "-i", isAssign(v):
			rest = rest[1:]
		case isFlag(v), v == "-":
			return nil, false
		default:
			return rest, true
		}
	}
	return nil, false
}

// isAssign reports a word that sets a variable.
func isAssign(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && isVariable(strings.TrimSuffix(name, "+"))
}

func isVariable(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isWordByte(s[i]) {
			return false
		}
	}
	return s != "" && isName(s[0])
}

func launched(words []word) ([]word, bool) {
	if len(words) < 2 {
		return nil, false
	}
	rest := words[1:]
	flag := func() bool { return len(rest) > 0 && strings.HasPrefix(rest[0].val, "-") && rest[0].val != "-" }
	switch words[0].val {
	case "time", "nohup":
		if rest[0].val == "--" {
			return nil, false
		}
	case "noglob", "command", "builtin":
		return modified(words)
	case "nice":
		switch v := rest[0].val; {
		case v == "-n" && len(rest) > 2 && isNumber(strings.TrimPrefix(rest[1].val, "-")):
			rest = rest[2:]
		case len(v) > 1 && v[0] == '-' && isNumber(v[1:]):
			rest = rest[1:]
		case flag():
			return nil, false
		}
	case "stdbuf":
		n := 0
		for flag() && len(rest[0].val) > 2 && strings.IndexByte("ioe", rest[0].val[1]) >= 0 {
			rest, n = rest[1:], n+1
		}
		if n == 0 || flag() {
			return nil, false
		}
	case "timeout":
		for flag() {
			switch f := rest[0].val; f {
			case "-k", "-s", "--kill-after", "--signal":
				rest = rest[1:]
				if len(rest) == 0 {
					return nil, false
				}
			default:
				switch n, _, _ := strings.Cut(f, "="); n {
				case "--foreground", "--preserve-status", "--verbose", "-v", "--kill-after", "--signal":
				default:
					if !strings.HasPrefix(f, "-k") && !strings.HasPrefix(f, "-s") {
						return nil, false
					}
				}
			}
			rest = rest[1:]
		}
		if len(rest) == 0 || !isDuration(rest[0].val) {
			return nil, false
		}
		rest = rest[1:]
	default:
		return nil, false
	}
	return rest, len(rest) > 0
}

// modified strips what changes how the shell finds a command: it is still the shell that runs it.
func modified(words []word) ([]word, bool) {
	rest := words[1:]
	switch words[0].val {
	case "command":
		for len(rest) > 0 && (rest[0].val == "-p" || rest[0].val == "--") {
			rest = rest[1:]
		}
	case "builtin":
		if len(rest) > 0 && rest[0].val == "--" {
			rest = rest[1:]
		}
	case "noglob":
	default:
		return nil, false
	}
	return rest, len(rest) > 0 && !isFlag(rest[0].val)
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func isDuration(s string) bool {
	s = strings.TrimRight(s, "smhd")
	whole, frac, dot := strings.Cut(s, ".")
	return isNumber(whole) && (!dot || isNumber(frac))
}

// ruleFor returns the rule that covers a part, or nil. Rules are compared with the part as written,
// and with what remains behind safe assignments and launchers.
func (j *decision) ruleFor(rules []Rule, p part) *Rule {
	any := false
	for _, r := range rules {
		any = any || r.Tool == "Bash"
	}
	if !any {
		return nil
	}
	texts := j.texts(p)
	whole := strings.TrimSpace(j.src[p.whole.off:p.whole.end])
	for i, r := range rules {
		if r.Tool != "Bash" {
			continue
		}
		if len(j.r.parts) == 1 && r.names(whole) {
			return &rules[i]
		}
		for _, t := range texts {
			if r.matches(t, squeeze(t)) && !(p.test && r.Kind == Pattern) {
				return &rules[i]
			}
		}
	}
	return nil
}

// texts returns the forms of a part that rules are compared with.
func (j *decision) texts(p part) []string {
	texts := []string{j.text(p, p.off)}
	anyHome := slices.ContainsFunc(p.words, func(w word) bool { return w.home })
	if p.hushed && j.r.pipes || p.led && anyHome { // where commands are put together anew, this is left out
		texts = nil
	} else if p.test || p.led {
		return texts
	}
	if len(p.assigns) > 0 {
		for _, a := range p.assigns {
			if !safeAssign(a, true) {
				return texts
			}
		}
	}
	for words := p.words; len(words) > 0; {
		first, from := words[0], words[0].off
		texts = append(texts, j.text(p, from))
		if first.quoted && !strings.ContainsAny(first.val, " \t\n") {
			texts = append(texts, first.val+j.text(p, first.end))
		}
		rest, ok := launched(words)
		if !ok && first.val == "xargs" && len(words) > 1 && !strings.HasPrefix(words[1].val, "-") {
			rest, ok = words[1:], true
		}
		if !ok {
			break
		}
		words = rest
	}
	return texts
}

// text returns the part as written, from an offset on, with the home folder in the place of $HOME.
func (j *decision) text(p part, from int) string {
	words := p.words
	if len(p.assigns) > 0 {
		words = nil
		for _, a := range p.assigns {
			words = append(words, a.val)
		}
		words = append(words, p.words...)
	}
	var b strings.Builder
	for _, w := range words {
		if w.home && w.off >= from {
			b.WriteString(j.src[from:w.off] + w.val)
			from = w.end
		}
	}
	return b.String() + j.src[from:p.end]
}

// squeeze makes one space of blanks, and of the end of a line that goes on.
func squeeze(s string) string {
	if !strings.ContainsAny(s, "\t\n") && !strings.Contains(s, "  ") {
		return s
	}
	s = strings.ReplaceAll(s, "\\\n", " ")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\t' {
			c = ' '
		}
		if c != ' ' || i == 0 || s[i-1] != ' ' && s[i-1] != '\t' {
			b.WriteByte(c)
		}
	}
	return strings.Trim(b.String(), " ")
}

var safeNames = fields(`LANGUAGE LC_TIME CHARSET TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES TZ CI NODE_ENV
	RUST_BACKTRACE RUST_LOG GOOS GOARCH CGO_ENABLED GO111MODULE GOEXPERIMENT PYTHONUNBUFFERED
	PYTHONDONTWRITEBYTECODE PYTEST_DEBUG PYTEST_DISABLE_PLUGIN_AUTOLOAD GIT_TERMINAL_PROMPT ANTHROPIC_API_KEY
	LS_COLORS GREP_COLOR GREP_COLORS GCC_COLORS TIME_STYLE BLOCK_SIZE BLOCKSIZE DEBIAN_FRONTEND`)

// safeAssign reports whether a variable set for one command is known to be harmless. Before a
// command that needs a rule, its value must be plain and not empty, too.
func safeAssign(a assign, plain bool) bool {
	v := a.val
	if a.more || !isHarmless(a.name) || v.home || v.nested() || strings.Contains(v.val, "~") {
		return false
	}
	if plain {
		if v.val == "" || v.quoted {
			return false
		}
		for i := 0; i < len(v.val); i++ {
			if c := v.val[i]; !isWordByte(c) && strings.IndexByte("./:-", c) < 0 {
				return false
			}
		}
	}
	if isLocale(a.name) {
		low := strings.ToLower(v.val)
		return v.val == "" || v.val == "C" || v.val == "POSIX" || strings.HasSuffix(low, "utf-8") || strings.HasSuffix(low, "utf8")
	}
	return true
}

// isHarmless reports a variable that changes how things look, and nothing else.
func isHarmless(name string) bool { return safeName(name) || isLocale(name) }

func isLocale(name string) bool { return name == "LANG" || name == "LC_ALL" || name == "LC_CTYPE" }

func safeName(name string) bool { return safeNames()[name] }
