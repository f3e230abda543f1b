package bind

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/words"
)

// A kind says which values may be in a place. It lists what is allowed, and refuses everything
// else.
type kind struct {
	name  string // for messages: "a number"
	holds func(string) bool
}

// rule adds the allowed values to the reason for a refusal.
func (k kind) rule(why string) string {
	if k.name == never.name || why != whyCode && why != whyWritten {
		return why
	}
	return why + ", and is not " + k.name
}

var (
	never   = kind{"nothing from outside", func(string) bool { return false }}
	number  = kind{"a number", aNumber}
	word    = kind{"a word", func(v string) bool { return aWord(v) || aNumber(v) }}
	plain   = kind{"plain words", plainWords}
	operand = kind{"plain text and no option", func(v string) bool { return plainText(v) && !strings.HasPrefix(v, "-") }}
	span    = kind{"a time", func(v string) bool { return span1.Get().MatchString(v) }}
	// tame values have no character that arithmetic or a subscript would expand.
	tame = kind{"a number or a name", func(v string) bool { return !strings.ContainsAny(v, "([{$`\\%<>\x00") }}
	// few values have too few characters to be a command in any notation.
	few = kind{"a number or a short word", func(v string) bool {
		return aNumber(v) || len(v) < 5 && strings.Trim(v, "=") != "" && isName("x"+strings.Trim(v, "="))
	}}
	// noOption values have no word that is an option, wherever they are split.
	noOption = kind{"no option", func(v string) bool { return !anOption.Get().MatchString(v) }}
	device   = kind{"no file", func(v string) bool { return v == "/dev/stdout" || v == "/dev/null" }}
	noPipe   = kind{"no pipe", func(v string) bool { return !strings.ContainsAny(v, "|<>!") && !strings.HasPrefix(v, "-") }}
	noSource = kind{"no file of Go", func(v string) bool { return !strings.HasSuffix(v, ".go") }}
	noBlank  = kind{"one word", func(v string) bool { return !strings.ContainsAny(v, " \t\n") }}
	aRemote  = kind{"a remote or a branch", func(v string) bool { return !strings.Contains(v, "::") && !strings.HasPrefix(v, "-") }}
	target   = kind{"a target", func(v string) bool { return plainWords(v) && !strings.ContainsAny(v, "=") && noOption.holds(v) }}
	aPackage = kind{"a package's name", func(v string) bool { return packages.Get().MatchString(v) && !strings.Contains(v, "..") }}
	inside   = kind{"a place in the project", func(v string) bool {
		return !strings.HasPrefix(v, "/") && !strings.HasPrefix(v, "~") && !strings.Contains(v, "..")
	}}
	dataFile  = kind{"a file that is data by its name", func(v string) bool { return plainText(v) && isDataName(v) }}
	ddOperand = kind{"no file to write", func(v string) bool { return aWord(v) || ddOperands.Get().MatchString(v) }}
	aFormat   = kind{"a format", func(v string) bool { return strings.HasPrefix(v, "+") }}
	// fewDigits values have fewer than 12 digits. Without all other characters they are a number.
	fewDigits = kind{"few digits", func(v string) bool { return len(strings.Map(onlyDigits, v)) < 12 }}
	noSwitch  = kind{"no flag of test", func(v string) bool {
		return !slices.ContainsFunc(strings.Fields(v), func(w string) bool { return w == "-v" || w == "-R" })
	}}
)

// kindNamed has the kinds that the table names for operands.
var kindNamed = map[string]kind{
	"never": never, "word": word, "plain": plain, "operand": operand, "span": span, "package": aPackage,
	"target": target, "number": number, "inert": inert, "remote": aRemote, "nopipe": noPipe, "nosource": noSource,
	"data": dataFile, "dd": ddOperand, "format": aFormat,
}

var (
	ddOperands = words.Regexp(`^(?:[io]?bs|count|skip|seek|status|conv|iflag)=[\w,]*$`)
	span1      = words.Regexp(`^\d+(\.\d+)?[smhd]?$`)
	anOption   = words.Regexp(`(^|[^\pL\pN])-[^\d\s]|(^|\s)[+@|]|[\\%\x00]`)
	packages   = words.Regexp(`^[\pL\pN_@][\pL\pN_@./+-]*([~^<>=!*]+[\w.*-]+|\[[\w,]+\])*( ` +
		`[\pL\pN_@][\pL\pN_@./+-]*([~^<>=!*]+[\w.*-]+|\[[\w,]+\])*)*$`)
)

// aNumber reports whether s consists of digits. Every program reads them as a number, and they are
// too few to be code in another notation.
func aNumber(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == "" && len(digits) < 12
}

func onlyDigits(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}

// aWord reports whether s consists of letters, digits, _ and -, and is not an option. Such a word
// can name a thing, but cannot lead to another folder.
func aWord(s string) bool {
	return s != "" && s[0] != '-' && plainText(s) && !strings.ContainsAny(s, "./:=,@%+")
}

// plainText reports whether s consists of words, paths and addresses. Their characters have no
// special meaning in any shell or language.
func plainText(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !isPlain(r) }) < 0 && utf8.ValidString(s)
}

// plainWords reports whether s is plain text, with spaces or tabs in it.
func plainWords(s string) bool { return plainText(strings.NewReplacer(" ", "", "\t", "").Replace(s)) }

func isName(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == "" && (s[0] < '0' || s[0] > '9')
}

func isNameChar(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// isObeyed reports whether shells, loaders or interpreters obey a variable. Such a variable never
// gets a value. Other programs of the table obey many more variables. These programs therefore get
// only variables whose names are known to have no meaning.
func isObeyed(name string) bool {
	return (among("obeyed", name) || obeyed().MatchString(name)) && !among("notObeyed", name)
}

var obeyed = sync.OnceValue(func() *regexp.Regexp {
	list := func(name string) string { return strings.Join(slices.Collect(maps.Keys(lists()[name])), "|") }
	return regexp.MustCompile(`(?i)^(?:` + list("obeyedPrefixes") + `)|(?:` + list("obeyedSuffixes") + `)$`)
})

var (
	dataNames = words.Regexp(`(?i)(^|/|\x00)[^./\x00][^/]*\.(txt|md|mdx|json|jsonl|ndjson|log|csv|tsv|html|xml|svg|out|diff|tmp|png|jpg|pdf)$`)
	// projects matches files that have names of data, although programs run or obey their content.
	projects = words.Regexp(`(?i)^(package|composer|deno|tasks|launch|settings|project|nx|turbo|lerna|vercel|firebase|` +
		`angular|.*rc|.*config.*|cmakelists)` +
		`\.(json|txt|xml)$|^(pom|build)\.xml$|^(claude|agents|skill)\.md$`)
)

// isDataName reports whether no program runs or obeys a file with this name.
func isDataName(name string) bool {
	return dataNames.Get().MatchString(name) && !projects.Get().MatchString(name[strings.LastIndexByte(name, '/')+1:])
}
