package permit

import "strings"

// name is the command of a part and its arguments, behind the launchers that Claude Code looks
// through.
func (p part) name() (string, []word) {
	words := p.words
	for {
		rest, ok := launched(words)
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

// launched strips one launcher and its flags.
func launched(words []word) ([]word, bool) {
	if len(words) < 2 {
		return nil, false
	}
	rest := words[1:]
	flag := func() bool { return len(rest) > 0 && strings.HasPrefix(rest[0].val, "-") && rest[0].val != "-" }
	switch words[0].val {
	case "time", "nohup", "builtin":
		if rest[0].val == "--" {
			return nil, false
		}
	case "command":
		for flag() {
			if f := rest[0].val; f == "-v" || f == "-V" {
				return nil, false
			}
			rest = rest[1:]
		}
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

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func isDuration(s string) bool {
	s = strings.TrimRight(s, "smhd")
	whole, frac, dot := strings.Cut(s, ".")
	return isNumber(whole) && (!dot || isNumber(frac))
}

// ruleFor is the rule that covers a part, or nil. Rules are compared with the part as written,
// and with what remains behind safe assignments and launchers.
func (j *judge) ruleFor(rules []Rule, p part) *Rule {
	any := false
	for _, r := range rules {
		any = any || r.Tool == "Bash"
	}
	if !any {
		return nil
	}
	texts := j.texts(p)
	for i, r := range rules {
		if r.Tool != "Bash" {
			continue
		}
		for _, t := range texts {
			if r.matches(t, squeeze(t)) && !(p.test && r.Kind == Pattern) {
				return &rules[i]
			}
		}
	}
	return nil
}

// texts are the forms of a part that rules are compared with.
func (j *judge) texts(p part) []string {
	texts := []string{j.src[p.off:p.end]}
	if len(j.r.parts) == 1 && p.whole != p.span {
		texts = append(texts, strings.TrimSpace(j.src[p.whole.off:p.whole.end]))
	}
	if p.test {
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
		texts = append(texts, j.src[from:p.end])
		if first.quoted {
			texts = append(texts, first.val+j.src[first.end:p.end])
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

// squeeze makes one space of white space outside of quotes.
func squeeze(s string) string {
	if !strings.ContainsAny(s, "\t\n\r") && !strings.Contains(s, "  ") {
		return s
	}
	var b strings.Builder
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == 0 && c == '\\' && i+1 < len(s) && s[i+1] == '\n':
			i++
			c = ' '
		case c == '\\' && quote != '\'' && i+1 < len(s):
			b.WriteByte(c)
			i++
			b.WriteByte(s[i])
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		}
		if quote == 0 && isSpace(c) {
			if t := b.String(); t != "" && t[len(t)-1] != ' ' {
				b.WriteByte(' ')
			}
			continue
		}
		b.WriteByte(c)
	}
	return strings.TrimRight(b.String(), " ")
}

var safeNames = fields(`LANGUAGE LC_TIME CHARSET TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES TZ CI NODE_ENV
	RUST_BACKTRACE RUST_LOG GOOS GOARCH CGO_ENABLED GO111MODULE GOEXPERIMENT PYTHONUNBUFFERED
	PYTHONDONTWRITEBYTECODE PYTEST_DEBUG PYTEST_DISABLE_PLUGIN_AUTOLOAD GIT_TERMINAL_PROMPT ANTHROPIC_API_KEY
	LS_COLORS GREP_COLOR GREP_COLORS GCC_COLORS TIME_STYLE BLOCK_SIZE BLOCKSIZE DEBIAN_FRONTEND`)

// safeAssign reports whether a variable set for one command is known to be harmless. Before a
// command that needs a rule, its value must be plain and not empty, too.
func safeAssign(a assign, plain bool) bool {
	v := a.val
	if !safeName(a.name) && !isLocale(a.name) || v.home || v.nested() || strings.Contains(v.val, "~") {
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

func isLocale(name string) bool { return name == "LANG" || name == "LC_ALL" || name == "LC_CTYPE" }

func safeName(name string) bool { return safeNames()[name] }
