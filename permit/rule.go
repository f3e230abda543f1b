package permit

import "strings"

// A Kind says which commands a rule speaks of.
type Kind string

// The kinds of rules.
const (
	Other   Kind = "other"   // a tool that is not Bash
	All     Kind = "all"     // every command
	Exact   Kind = "exact"   // one command, byte for byte
	Prefix  Kind = "prefix"  // P:* or "P *": P alone, or P and more words
	Begins  Kind = "begins"  // P*: whatever begins with P
	Pattern Kind = "pattern" // a * elsewhere: any characters
	Dead    Kind = "dead"    // no rule at all
)

// A Rule is one entry of allowed-tools, as Claude Code reads it.
type Rule struct {
	Text string // as written
	Tool string // such as Bash or Read; "" if it is Dead
	Spec string // what stands between the parentheses
	Kind Kind
	// Never and Everything say in words why the rule matches no command, or all of them, though
	// it reads as if it named some.
	Never      string
	Everything string
}

// ParseRules reads the value of allowed-tools or of one of its list items: rules with commas or
// white space between them.
func ParseRules(list string) []Rule {
	var rules []Rule
	inside, start := false, -1
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '(':
			inside = true
		case c == ')':
			inside = false // the first one, whatever stands around it
		case !inside && (c == ',' || isSpace(c)):
			if start >= 0 {
				rules = append(rules, ParseRule(list[start:i]))
			}
			start = -1
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		rules = append(rules, ParseRule(list[start:]))
	}
	for i := range rules[:max(0, len(rules)-1)] {
		next := rules[i+1]
		if r := &rules[i]; r.Text == "Bash" && strings.HasPrefix(next.Text, "(") {
			r.Everything = "the space before the parenthesis ends the rule, so that Bash alone remains and allows every command"
		}
	}
	return rules
}

// ParseRule reads one rule.
func ParseRule(text string) Rule {
	r := Rule{Text: text, Tool: text, Kind: Other}
	open := strings.IndexByte(text, '(')
	switch {
	case open == 0:
		return dead(text, "a rule begins with the name of a tool, with no space before the parenthesis")
	case open < 0 && strings.Contains(text, ")"):
		return dead(text, "a rule ends at its first closing parenthesis, and this is what was left")
	case open > 0 && !strings.Contains(text, ")"):
		return dead(text, "the parenthesis is not closed")
	case open > 0 && !strings.HasSuffix(text, ")"):
		return dead(text, "a rule ends with its parenthesis, and something follows it")
	case open > 0:
		r.Tool, r.Spec = text[:open], unescape.Replace(text[open+1:len(text)-1])
	}
	switch {
	case strings.ContainsAny(r.Tool, "[]{}"):
		return dead(text, "what a tool may do stands in parentheses")
	case r.Tool == "Bash":
		return bashRule(r, open > 0)
	case strings.EqualFold(r.Tool, "Bash"):
		r.Never = "the name of the tool is Bash, with a capital B"
	}
	return r
}

// In a rule a backslash stands before a parenthesis or a backslash that means itself.
var (
	unescape = strings.NewReplacer(`\(`, "(", `\)`, ")", `\\`, `\`)
	escape   = strings.NewReplacer(`\`, `\\`)
)

func dead(text, why string) Rule { return Rule{Text: text, Kind: Dead, Never: why} }

func bashRule(r Rule, parens bool) Rule {
	switch {
	case !parens, r.Spec == "*":
		r.Kind = All
		return r
	case r.Spec == "":
		r.Kind = All
		r.Everything = "empty parentheses allow every command"
		return r
	}
	body := r.Spec
	if p, ok := strings.CutSuffix(body, ":*"); ok {
		r.Kind, r.Spec = Prefix, p
	} else if p, ok := strings.CutSuffix(body, " *"); ok && !strings.Contains(p, "*") {
		r.Kind, r.Spec = Prefix, p
	} else if p, ok := strings.CutSuffix(body, "*"); ok && !strings.Contains(p, "*") {
		r.Kind, r.Spec = Begins, p
	} else if strings.Contains(body, "*") {
		r.Kind = Pattern
	} else {
		r.Kind = Exact
	}
	r.Never = neverMatches(r, body)
	if r.Kind != Exact {
		r.Spec = squeeze(r.Spec) // as the commands are that it is held against
	}
	return r
}

// neverMatches says why no command has the text that a Bash rule asks for. A colon is part of
// no command's name, and a rule sees one simple command at a time.
func neverMatches(r Rule, body string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(r.Spec, " "), " ")
	switch {
	case r.Spec == "":
		return "a prefix must not be empty"
	case strings.HasPrefix(body, " "):
		return "no command begins with a space: drop the one after the parenthesis"
	case strings.HasSuffix(body, " :*"):
		return "the space before :* is part of the prefix: drop it"
	case strings.HasSuffix(body, ": *"), strings.HasSuffix(body, ":* "):
		return ":* is the end of the rule, with no space in or after it"
	case r.Kind == Prefix && strings.HasSuffix(r.Spec, ":*"):
		return "one :* is enough: the first is taken as text"
	case r.Kind == Prefix && strings.Contains(r.Spec, "*") && strings.HasSuffix(body, ":*"):
		return "a * cannot stand before :*"
	case strings.Contains(first, ":") && !strings.Contains(first, "/"):
		return "the colon is taken as text, and no program has one in its name: write spaces between words"
	case r.Kind == Begins && strings.HasSuffix(first, ".") && first == r.Spec && !strings.ContainsAny(first, "/0123456789"):
		return "rules are no regular expressions: write :* for anything after a word"
	case !quoted(r.Spec) && strings.ContainsAny(r.Spec, "|;&\n") &&
		(r.Kind != Exact || strings.ContainsAny(strings.ReplaceAll(r.Spec, "&&", ""), "|&\n")):
		return "a rule is compared with one simple command at a time, which holds no | ; or &"
	case strings.Contains(first, ","):
		return "one rule names one command: write two rules"
	}
	return ""
}

func quoted(s string) bool { return strings.ContainsAny(s, `"'\`) }

// matches reports whether the rule speaks of a command with this text. squeezed has one space
// for each run of white space.
func (r Rule) matches(text, squeezed string) bool {
	switch r.Kind {
	case All:
		return true
	case Exact:
		return text == r.Spec || strings.Contains(text, "\\\n") && squeezed == r.Spec
	case Prefix:
		rest, ok := strings.CutPrefix(squeezed, r.Spec)
		return ok && r.Spec != "" && (rest == "" || rest[0] == ' ')
	case Begins:
		return strings.HasPrefix(squeezed, r.Spec) && r.inName(squeezed)
	case Pattern:
		return like(r.Spec, squeezed) && r.inName(squeezed)
	}
	return false
}

// inName reports whether a * that goes on with the name of a command, as in git*, stands for a piece of
// a name: no variable that is set before it, and no pattern.
func (r Rule) inName(text string) bool {
	head, _, _ := strings.Cut(r.Spec, "*")
	if head == "" || strings.ContainsAny(head, " =/") {
		return true
	}
	name, _, _ := strings.Cut(text, " ")
	return !isAssign(name) && (quoted(name) || !strings.Contains(name, "*"))
}

// names reports whether the rule is this very text, redirections and all.
func (r Rule) names(text string) bool {
	return r.Spec == text && (r.Kind == Exact || r.Kind == Prefix && strings.HasSuffix(r.Text, ":*)"))
}

// mayBegin reports whether the rule could match a command of this name.
func (r Rule) mayBegin(name string) bool {
	first, _, _ := strings.Cut(r.Spec, " ")
	head, _, wild := strings.Cut(first, "*")
	return first == name || r.Kind == Begins && strings.HasPrefix(name, first) || wild && strings.HasPrefix(name, head)
}

// like reports whether text is pattern, in which * stands for any characters.
func like(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		_, after, ok := strings.Cut(rest, p)
		if !ok {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, last)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// Covers reports whether whatever the other rule speaks of, this one speaks of too. It may miss that it does.
func (r Rule) Covers(other Rule) bool {
	switch {
	case r.Tool != other.Tool || r.Kind == Dead || other.Kind == Dead:
		return false
	case r.Kind == All, r.isWhole(), r.Text == other.Text:
		return true
	case other.Kind == Exact, other.Kind == Prefix:
		return r.Tool == "Bash" && r.Kind != Exact && r.Kind != Pattern && r.matches(other.Spec, squeeze(other.Spec))
	}
	return r.Kind == Begins && other.Kind == Begins && strings.HasPrefix(other.Spec, r.Spec)
}

// NeverDenies works as Never for a rule that denies or asks, which is also held against a line with several commands.
func (r Rule) NeverDenies() string {
	if r.Kind != Dead && strings.ContainsAny(r.Spec, "|;&") {
		return ""
	}
	return r.Never
}
