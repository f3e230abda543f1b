package bind

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/words"
)

// module judges python -m. Some modules are programs in the table. The others are unknown.
func (s *scope) module(f field, args []field, in input) {
	name := f.lit()
	known := !s.foreign && !s.moves && len(s.writes) == 0 && s.world.File != nil // it is known where the line's files are
	switch {
	case among("pythonModules", name):
		s.program(name, args, in)
	case known && strings.Contains(name, ".") && s.world.File(strings.ReplaceAll(name, ".", "/")): // a module of the author
		s.authors(args, in)
	case f.reached(), joined(args).reached(), in.fed, len(s.handed) > 0:
		s.all(number, "python -m "+name, whyCode, ownFile)
	}
}

// langCode judges code of another language, together with the values in it. Rule 2: either the code
// runs and writes nothing, or all values are inert. Bare words of a language have effects (sed's w,
// vim's wq), so then a value outside quotes must be a number.
func (s *scope) langCode(f field, r *row, name string) {
	c := code{f: f, lang: r.lang, sql: r.lang == "sql", python: r.has("python"), pure: r.has("pure"), foreign: s.foreign,
		full: strings.ReplaceAll(f.full(), "\x00", "0")}
	c.fixed(f.own(), func(name string) { s.written(literal(name)) })
	s.parts = s.parts || f.reached() && casing.Get().MatchString(f.own())
	harmless := languages[r.lang]
	if !f.dirty() && harmless != nil && harmless(&c) {
		return
	}
	k := absent
	still := len(f.bits) == 1 && r.lang == "script" || name == "make"
	if among("wordy", r.lang) || c.writes(s.unlike(dataFile) < 0) || c.bare() && !still || s.completes(f) {
		k = number
	}
	why := whyCode
	if harmless != nil {
		why = whyLanguage
	}
	s.all(k, name+"'s program", why, r.advice(name, strings.Join(s.allWords(), " ")))
}

// completes reports whether a value completes the name of a program that the author's text begins
// or ends: "to$0" with uch.
func (s *scope) completes(f field) bool {
	list := partial.Get().FindAllString(f.own(), -1)
	for _, m := range shortTexts.Get().FindAllStringSubmatch(f.own(), maxInert) { // 'to' + '$0'
		list = append(list, m[1]+"\x00", "\x00"+m[1])
	}
	return slices.ContainsFunc(list, func(own string) bool {
		return slices.ContainsFunc(s.allWords(), func(w string) bool {
			return s.world.Program == nil || s.world.Program(strings.ReplaceAll(own, "\x00", w))
		})
	})
}

// writes reports whether the author's code may split a string or write a file, so that a value may
// name the file. data means that all values have names of data files.
func (c *code) writes(data bool) bool {
	own := noArgument.Get().ReplaceAllString(c.fixed(c.f.own(), func(string) {}), "")
	return slicing.Get().MatchString(own) || !data && intoFile.Get().MatchString(own) ||
		slices.ContainsFunc(idents.Get().FindAllString(own, -1), func(word string) bool {
			script := c.lang == "script" && (word == "write" || word == "writelines" || word == "new")
			harmless := script || word == "open" && data
			return among("alters", strings.ToLower(word)) && !harmless
		})
}

// fixed replaces calls that write a file by calls of print, and reports each file. The author must
// have named the file, and its name must be that of a data file.
func (c *code) fixed(text string, found func(name string)) string {
	if c.lang != "script" && c.lang != "perl" || c.foreign {
		return text
	}
	text = writesFile.Get().ReplaceAllStringFunc(text, func(call string) string {
		name := call[strings.LastIndexAny(call[:len(call)-1], `"'>`)+1 : len(call)-1]
		if !isDataName(name) {
			return call
		}
		found(name)
		return "print" + strings.ReplaceAll(call[strings.IndexAny(call, "( "):], ">", "")
	})
	if strings.Contains(text, "Path(") {
		return text
	}
	return strings.ReplaceAll(text, ".write_text(", ".write(")
}

// bare reports whether a value in the code is outside of quotes, as a name that is called, loaded
// or assembled from parts.
func (c *code) bare() bool {
	before, quotes := "", c.quotes()
	for i, x := range c.f.bits {
		after := " "
		if i+1 < len(c.f.bits) {
			after = c.f.bits[i+1].text
		}
		switch {
		case x.isText():
			before = x.text
			continue
		case quotes[i] != 0, fromModule.Get().MatchString(before) && ended.Get().MatchString(after):
		case before == "\x00", i+1 < len(c.f.bits) && !c.f.bits[i+1].isText(), // next to another value
			glued.Get().MatchString(before), called.Get().MatchString(after), c.lang == "perl" && given.Get().MatchString(after):
			return true
		}
		before = "\x00"
	}
	return quotes[len(c.f.bits)] != 0
}

// quotes returns for each bit the quotes in which it begins, and the quotes that are open at the
// end.
func (c *code) quotes() []byte {
	list := []byte{}
	quote, escaped := byte(0), false
	for _, x := range c.f.bits {
		list = append(list, quote)
		for i := 0; x.isText() && i < len(x.text); i++ {
			switch sign := x.text[i]; {
			case escaped:
				escaped = false
			case sign == '\\':
				escaped = true
			case sign == quote:
				quote = 0
			case quote == 0 && (sign == '"' || sign == '\'' || sign == '`'):
				quote = sign
			}
		}
	}
	return append(list, quote)
}

var (
	// glued matches code before a name that is loaded, or part of a longer name. called matches
	// code after a name that is called.
	glued      = words.Regexp(`[\w.$@%&:>*-]$|\b(?:import|from|require|use|no|load|do|package|as|in)[\s(]*$`)
	called     = words.Regexp(`^(?:[\w.(:]|\s*\()`)
	given      = words.Regexp("^\\s*[\\w\"'`$@%<\\[{-]")
	partial    = words.Regexp(`\w+\x00\w*|\x00\w+`)
	shortTexts = words.Regexp(`["'](\w{1,12})["'{]`)
	// noArgument matches calls that do not change words. casing matches code that changes the case
	// of letters.
	noArgument = words.Regexp(`\.(?:decode|encode|strip|trim|rstrip)\(\)`)
	casing     = words.Regexp(`(?i)\b(?:(?:to|swap)?(?:lower|upper)(?:case)?|casefold|[lu]c|(?:down|up|swap)case|capitalize|title)\b`)
	// fromModule matches code before a name that Python imports from a module. ended matches code
	// after a name that is not used further.
	fromModule = words.Regexp(`\bfrom [\w.]+ import $`)
	ended      = words.Regexp(`^(?:[;\n]|$)`)
	// slicing matches code that takes a part of a string. intoFile matches code that writes a file.
	slicing    = words.Regexp(`[a-uw-zA-Z0-9_)\]"'\x00]\[[^\]]*[:\x00][^\]]*\]`)
	intoFile   = words.Regexp(`(?:^|[^-=])>\s*[^\s\d=]`)
	writesFile = words.Regexp(`\b(?:open|(?:pathlib\.)?Path|(?:fs\.)?(?:write|append)File(?:Sync)?)\(["'][\w./-]+["']` +
		`|\bopen[( ]\s*(?:my ?\$)?\w+, ?["'](?:>{1,2}["'], ?["']|>{0,2})[\w./-]+["']`)
)

// A code is a program in another language inside a line.
type code struct {
	f                          field
	lang, full                 string // full has the values
	sql, python, pure, foreign bool
}

// languages returns, by language, whether code runs nothing and writes nothing. Code in any other
// language may do anything.
var languages = map[string]func(*code) bool{
	"awk": (*code).awk, "sed": (*code).sed, "jq": (*code).query, "sql": (*code).query, "perl": (*code).perl, "script": (*code).script,
}

// query judges jq, yq and SQL. Values must be plain words, and no word may run or write something,
// or show something from elsewhere. Without such a word, jq can only query, so a value in jq may be
// any text.
func (c *code) query() bool {
	found := slices.ContainsFunc(idents.Get().FindAllString(strings.ToLower(c.full), -1),
		func(word string) bool { return among("queryRuns", word) })
	return (c.pure || c.plain()) && !found &&
		!(c.sql && (clientCommand.Get().MatchString(telling.Get().ReplaceAllString(c.full, "")) || c.alters()))
}

// alters reports whether a value outside quotes contains a word of SQL that changes something.
func (c *code) alters() bool {
	rest := sqlQuotes.Get().ReplaceAllString(c.f.own(), "")
	return strings.Contains(rest, "\x00") && slices.ContainsFunc(c.f.bits, func(x bit) bool {
		return x.given() && slices.ContainsFunc(idents.Get().FindAllString(strings.ToLower(x.text), -1),
			func(word string) bool { return among("sqlChanges", word) })
	})
}

// plain reports whether all values are plain words, or are in quotes that no character in them
// ends. In awk these are double quotes, in perl single quotes.
func (c *code) plain() bool {
	quotes, sign := c.quotes(), map[string]byte{"awk": '"', "perl": '\''}[c.lang]
	for i, x := range c.f.bits {
		quoted := quotes[i] == sign && sign != 0 && !strings.ContainsAny(x.text, string(sign)+"\\\r\n\x00")
		if x.given() && !plainWords(x.text) && !quoted {
			return false
		}
	}
	return true
}

// section returns a regular expression for the text between two signs in a pattern or a
// replacement. The text has no newline, and has the sign only after a backslash.
func section(sign string) string {
	q := regexp.QuoteMeta(sign)
	return `(?:[^\\\n\[` + q + `]|\\.|\[\^?\]?(?:[^\]\n` + q + `\[]|\[:\w+:\])*\])*`
}

// text returns a regular expression for the replacement, where brackets have no special meaning.
func text(sign string) string { return `(?:[^\\\n` + regexp.QuoteMeta(sign) + `]|\\[^\n]|\\\n)*` }

// sed judges a program by sed's grammar, command by command. No command may run something, or read
// or write a file.
func (c *code) sed() bool {
	rest := strings.TrimLeft(c.full, " \t\n;{}")
	for rest != "" {
		n := len(sedCommand().FindString(rest))
		if n == 0 {
			return false
		}
		rest = strings.TrimLeft(rest[n:], " \t\n;{}")
	}
	return true
}

// substitute returns a regular expression for s/…/…/ and y/…/…/ with any of the usual signs.
func substitute() string {
	var list []string
	for sign := range strings.SplitSeq("/ | # , @ : ! ~ % = + . _ ;", " ") {
		q := regexp.QuoteMeta(sign)
		list = append(list, `s`+q+section(sign)+q+text(sign)+q+`[gpiImM0-9]*|y`+q+text(sign)+q+text(sign)+q)
	}
	return strings.Join(list, "|")
}

var sedCommand = sync.OnceValue(func() *regexp.Regexp {
	address := `(?:\d+|\$|/` + section("/") + `/[IM]*)`
	inserted := `[aic][^\n\\]*(?:\\[^\n][^\n\\]*|\\\n[^\n\\]*)*(?:\n|$)`
	return regexp.MustCompile(`^(?:` + address + `(?:[,~][+~]?` + address + `)?)?[ \t]*!?[ \t]*(?:#[^\n]*|\{|` + inserted + `|` +
		`(?:[=dDgGhHnNpPxzF]|[qQlL] ?\d*|[:btT] ?\w*|` + substitute() + `)[ \t]*(?:[;\n}#]|$))`)
})

// perl judges the well-known programs of perl and ruby:
// s/…/…/, print, print if /…/, while (<>) { print }.
func (c *code) perl() bool {
	text := perlItems.Get().ReplaceAllString(perlLoop.Get().ReplaceAllString(c.full, "$1"), "0")
	text = perlReads.Get().ReplaceAllString(text, "0") // the file that it may open there is judged as an operand
	return c.plain() && !perlRuns.Get().MatchString(text) && perlPrints().MatchString(text)
}

// awk judges a program of awk, word by word. It must not run a command or write a file.
func (c *code) awk() bool {
	printing, depth := false, 0
	return c.plain() && lex(c.full, true, func(before, token, after string) bool {
		switch token {
		case "print", "printf":
			printing = true
		case "(":
			depth++
		case ")":
			depth--
		case ";", "\n", "{", "}":
			printing = false
		case ">", ">>":
			return !printing || depth > 0 || awkFile.Get().MatchString(after)
		}
		written := printing && depth == 0 && (before == ">" || before == ">>")
		return token != "system" && token != "@" && token != "|" && (!written || strings.Contains(";}\n", after))
	})
}

// lex calls f for each token of code, with the tokens next to it. It returns false if f does, or if
// it cannot read the code. Spaces are not tokens. A quoted string is one token, and so is a
// pattern: a / begins a pattern where nothing can be divided.
func lex(code string, comments bool, f func(before, token, after string) bool) bool {
	before, token := "", ""
	for at := 0; at < len(code); {
		next := tokens.Get().FindString(code[at:])
		if next == "/" && !divides.Get().MatchString(token) {
			next = aPattern.Get().FindString(code[at:])
		}
		if len(next) < 2 && strings.Contains("\"'`", next) || next == "//" || next[0] == '#' && !comments {
			return false
		}
		at += len(next)
		if next[0] == ' ' || next[0] == '\t' || next[0] == '#' {
			continue
		}
		if token != "" && !f(before, token, next) {
			return false
		}
		before, token = token, next
	}
	return token == "" || f(before, token, "")
}

// script judges code of Python and JavaScript. Every name in it must be on the list of harmless
// names, or be a name that the code itself assigns and does not call. Values must be sums, or be in
// quotes that no character in them ends.
func (c *code) script() bool {
	quotes := func(x bit) bool {
		return x.from != nil && strings.ContainsAny(x.text, "'\"`${}#\\\n\r\x00\x01")
	}
	text := strings.ReplaceAll(c.f.join(func(x bit) string {
		if sumOrMode.Get().MatchString(x.text) {
			return x.text
		}
		return "\x01" // any other value
	}), "\x00", "0")
	if jsonField.Get().MatchString(text) {
		field := c.f.bits[len(c.f.bits)-1].text
		return isName(field) && !reckoned.Get().MatchString(field)
	}
	text = unfold(c.fixed(text, func(string) {}))
	bound := boundNames(text)
	between := "" // the token two before the current one
	reads := len(opening.Get().FindAllString(text, -1)) == len(opened.Get().FindAllString(text, -1))
	return reads && !slices.ContainsFunc(c.f.bits, quotes) && lex(text, c.python, func(before, token, after string) bool {
		first := between
		between = before
		switch {
		case before == "(" && first == "require":
			return after == ")" && loadable(token)
		case strings.Contains("\"'`", token[:1]):
			code := strings.ContainsAny(before, "fF") || token[0] == '`'
			return !(code && strings.ContainsAny(token, "{}")) && (before != "[" && !code || !reckoned.Get().MatchString(token))
		case token[0] == '/' && len(token) > 1, token == "\x01":
			return !strings.Contains(token, "\x01")
		case strings.Contains(")]}", token):
			return !calling.Get().MatchString(after)
		case token == "[" && !c.python && divides.Get().MatchString(before) &&
			!strings.Contains("\"'0123456789", after[:min(1, len(after))]):
			return !callers.Get().MatchString(text) // whatever is looked up here, nothing calls it
		}
		return !isName(token) || c.name(first, before, token, after, bound)
	})
}

// name judges a name in such code by the tokens next to it.
func (c *code) name(first, before, token, after string, bound map[string]bool) bool {
	called := calling.Get().MatchString(after)
	switch {
	// /x/g, r"x"
	case len(token) < 4 && len(before) > 1 && before[0] == '/', len(token) < 3 && after != "" && strings.Contains("'\"", after[:1]):
		return true
	case token == "require":
		return called
	case token == "import" || token == "from": // the next word names a module
		return after != "" && isNameChar(after[0])
	case token == "load":
		return before == "." && first == "json"
	case token == "replace": // os.replace renames a file
		return before == "." && first != "os"
	case token == "as":
		return before != "os"
	case among("harmlessNames", token), among("modules", token):
		return true
	case before == ".":
		return !c.python && !called && !among("modules", first) && !reckoned.Get().MatchString(token)
	}
	return bound[token] && !called
}

// unfold writes the code inside strings after these strings: `a ${b}` becomes `a ` + (b).
func unfold(text string) string {
	return embedding.Get().ReplaceAllStringFunc(text, func(quoted string) string {
		code := " "
		for _, m := range embedded.Get().FindAllStringSubmatch(quoted, -1) {
			code += "+ (" + m[1] + ") "
		}
		return embedded.Get().ReplaceAllString(quoted, "") + code
	})
}

// boundNames returns the names that code assigns. A module that it imports by its own name does not
// count.
func boundNames(text string) map[string]bool {
	bound := map[string]bool{}
	for _, m := range bindings.Get().FindAllString(text, -1) {
		names := idents.Get().FindAllString(m, -1)
		for i, name := range names {
			bound[name] = names[0] != "import" || i > 0 && names[i-1] == "as"
		}
	}
	return bound
}

// loadable reports whether require loads data here, or a module that runs nothing.
func loadable(token string) bool {
	name := strings.TrimPrefix(strings.Trim(token, "'\"`"), "node:")
	return among("modules", name) || strings.HasSuffix(name, ".json")
}

var perlPrints = sync.OnceValue(func() *regexp.Regexp {
	item := `(?:(?:length|lc|uc|reverse|scalar reverse)(?: 0)?|0|"[^"#]*"|'[^'\\]*')`
	return regexp.MustCompile(`^(?:\s*(?:0|1|(?:print|puts|say)(?: *` + item + `(?: ?[.,] ?` + item +
		`)*)?(?: if (?:0 =~ )?/` + section("/") + `/i?)?|` +
		substitute() + `)\s*(?:;|$))*$`)
})

// argument matches one argument of a call, not a list of arguments.
const argument = `(?:[^()*,.]|\.[^.]|\([^()]*\))+`

var (
	tokens = words.Regexp(`^(?:(?s:"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|` + "`(?:\\\\.|[^`\\\\])*`" +
		`)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'` +
		`|[A-Za-z_]\w*|\d[\w.]*|[ \t]+|\|\||&&|>>|\?\.|#[^\n]*|(?s:.))`)
	divides       = words.Regexp(`^(?:[)\]\d"'].*|[A-Za-z_]\w*)$`)
	aPattern      = words.Regexp(`^/` + section("/") + `/`)
	calling       = words.Regexp("^(?:[(`]|\\?\\.)")
	awkFile       = words.Regexp(`^"/dev/std(?:err|out)"$`)
	idents        = words.Regexp(`[A-Za-z_]\w*`)
	clientCommand = words.Regexp(`(?m)^\s*\.|;\s*\.|\\`)
	telling       = words.Regexp(`^\s*\.(?:schema|tables|indexes|fullschema|dump|print)\b`)
	sqlQuotes     = words.Regexp(`'[^']*'|"[^"]*"`)
	perlRuns      = words.Regexp("[`{}]|\\(\\?|[$@][A-Za-z_]")
	perlLoop      = words.Regexp(`^\s*while ?\(<(?:STDIN)?>\) ?\{([^{}]*)\}\s*$`)
	perlReads     = words.Regexp(`(?:IO|File)\.(?:read|readlines)\(0\)|\bopen\(0\)\.read\b`)
	perlItems     = words.Regexp(`<(?:STDIN)?>|\$(?:F|ARGV)\[-?\d+\]|\$[_.]|@(?:F|ARGV)\b|\bARGV(?:\[-?\d+\]|\.first)`)
	// sumOrMode matches values that are not names: sums, and the mode to open a file for reading.
	sumOrMode = words.Regexp(`^(?:[\d.+* -]+|r[bt]?)$`)
	jsonField = words.Regexp(`^require\(["'][\w./-]+\.json["']\)(?:\.\w+)*\.\x01$`)
	// embedding matches strings with code in them.
	embedding = words.Regexp("`(?:\\\\.|[^`\\\\])*`" +
		`|\b[fF](?:(?s:"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\')|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`)
	embedded = words.Regexp(`\$?\{([^{}]*)\}`)
	// bindings matches code that assigns a name, or loads a module.
	bindings = words.Regexp(`\b(?:for|as|catch|let|const|var) +[{(\[]?[\w, ]*|\b(?:def|function) *\w*\([\w, ]*\)|` +
		`\blambda [\w, ]*:|\([\w, ]*\) *=>|\b\w+ *=>|` +
		`(?m:^|;) *\w+(?: *, *\w+)* *=[^=]|\b\w+ *=[^=]|\bimport [\w., ]*`)
	// opening matches all calls that open a file, and opened the calls that only read it.
	opening = words.Regexp(`\b(?:open|readFile|readFileSync)\b`)
	opened  = words.Regexp(`\.open\((?:["']r[bt]?["'])?\)|(?:^|[^.\w])open\(` + argument + `(?:, *(?:mode *= *)?["']r[bt]?["'])?` +
		`(?:, *(?:encoding|errors) *= *["'][\w-]+["'])*\)|readFile(?:Sync)?\(` + argument + `(?:, *["'][\w-]+["'])?\)`)
	// reckoned matches something that occurs in a quoted string or a name only where code computes
	// the name that it looks up.
	reckoned = words.Regexp(`\{[^{}]*[^\w{}][^{}]*\}|^__|constructor|prototype|__proto__`)
	callers  = words.Regexp(`=>|\b(?:map|filter|forEach|reduce|then|sort|find|findIndex|some|every|flatMap|replace|` +
		`replaceAll|from|function)\b`)
)
