package bind

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// What a value may be where it is read again. Each answers: does it no harm?

// aNumber: digits, which no reader takes for anything else.
func aNumber(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == "" && len(digits) < 20
}

// aWord: letters, digits, _ and -, not an option; it can name a thing, and go nowhere.
func aWord(s string) bool {
	for _, r := range s {
		if !isPlain(r) || strings.ContainsRune("./:=,@%+", r) {
			return false
		}
	}
	return s != "" && s[0] != '-' && utf8.ValidString(s)
}

// plainText: words, paths, addresses: characters that mean nothing to any shell or language.
func plainText(s string) bool {
	for _, r := range s {
		if !isPlain(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// plainWords: plain text with blanks in it.
func plainWords(s string) bool {
	return plainText(strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, s))
}

// noExpansion: nothing in it that arithmetic, a subscript or a prompt would expand by running it.
func noExpansion(s string) bool {
	return !strings.ContainsAny(s, "`") && !strings.Contains(s, "$(") && !strings.Contains(s, "${") && !strings.Contains(s, "$[") &&
		!strings.Contains(s, "<(") && !strings.Contains(s, ">(") && !strings.HasSuffix(s, "$")
}

// noSetting: not an assignment to, nor the name of, a variable by which programs choose what to run.
func noSetting(s string) bool {
	for _, word := range append(strings.Fields(s), s) {
		name := word
		if i := strings.IndexAny(word, "=[+"); i >= 0 {
			name = word[:i]
		}
		if isSetting(name) {
			return false
		}
	}
	return true
}

// settings are variables by which shells and common programs choose what to run.
var settings = sync.OnceValue(func() map[string]bool {
	return set("PATH IFS ENV SHELL SHELLOPTS BASHOPTS PS0 PS1 PS2 PS4 PROMPT_COMMAND PAGER EDITOR VISUAL BROWSER FCEDIT MANPAGER LESS LESSOPEN LESSCLOSE LESSKEY " +
		"HOME XDG_CONFIG_HOME CC CXX MAKEFLAGS MFLAGS GNUMAKEFLAGS GOFLAGS EXINIT VIMINIT AWKPATH CLASSPATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS " +
		"SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH TAR_OPTIONS ZIPOPT RUSTC_WRAPPER KUBECONFIG CDPATH COMMAND_MODE")
})

func isSetting(name string) bool {
	if settings()[name] {
		return true
	}
	for _, prefix := range []string{"BASH_", "LD_", "DYLD_", "GIT_", "PYTHON", "PERL5", "RUBY", "NODE_", "npm_config_", "CARGO_", "LUA_", "PHP"} {
		if strings.HasPrefix(name, prefix) {
			return !strings.HasPrefix(name, "GIT_AUTHOR_") && !strings.HasPrefix(name, "GIT_COMMITTER_")
		}
	}
	return false
}

// A kind is what all values of a line must be, for one of the places that they can reach.
type kind struct {
	name  string
	holds func(string) bool
}

var (
	never      = kind{"none", func(string) bool { return false }}
	numbers    = kind{"a number", aNumber}
	wordOnly   = kind{"a word or a number", func(v string) bool { return aWord(v) || aNumber(v) }}
	plainOnly  = kind{"plain text", plainText}
	plainMany  = kind{"plain words", plainWords}
	anOperand  = kind{"plain text, no option", func(v string) bool { return plainText(v) && !strings.HasPrefix(v, "-") }}
	noOption   = kind{"no option", func(v string) bool { return !strings.HasPrefix(v, "-") || aNumber(v) }}
	unexpanded = kind{"without expansions", noExpansion}
	unsetting  = kind{"no setting", noSetting}
	oneByte    = kind{"one character", func(v string) bool { return len(v) == 1 }}
	noPipe     = kind{"without a pipe", func(v string) bool { return !strings.ContainsAny(v, "|<>") }}
	aTarget    = kind{"a target of make", func(v string) bool { return !strings.ContainsAny(v, "$=!`") }}
)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// inQuotes: a value between quotes of a language, in code of one line that has
// nothing to confuse the two. It cannot end the quotes, and nothing is filled in there.
func inQuotes(s string, quote byte) bool {
	return strings.IndexByte(s, quote) < 0 && !strings.ContainsAny(s, "\\\n\r`${}")
}

// between: a value between the delimiters of sed's s/…/…/ or of a regular expression.
func between(s string, delimiter byte) bool {
	if strings.IndexByte(s, delimiter) >= 0 || strings.ContainsAny(s, "\\\n\r") {
		return false
	}
	return !strings.ContainsAny(brackets().ReplaceAllString(s, ""), "[]")
}

var brackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[^][]+\]`) })
