package bind

import (
	"regexp"
	"slices"
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

// fewDigits: a number too short to be code in hexadecimal.
func fewDigits(s string) bool { return aNumber(s) && len(s) < 8 }

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
		!strings.Contains(s, "<(") && !strings.Contains(s, ">(") && !openDollar().MatchString(s)
}

// openDollar finds a $ that what is put behind it could make an expansion.
var openDollar = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(\s|$)`) })

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
	return set("PATH IFS TIMEFORMAT ENV SHELL SHELLOPTS BASHOPTS PS0 PS1 PS2 PS4 PROMPT_COMMAND PAGER EDITOR VISUAL BROWSER FCEDIT MANPAGER MANOPT LESS LESSOPEN LESSCLOSE LESSKEY LESSEDIT LESSKEYIN " +
		"HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_DIRS CC CXX CPP LD AR MAKE MAKEFILES MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKESHELL GOFLAGS GOROOT GOTOOLCHAIN GOENV EXINIT VIMINIT VIM VIMRUNTIME AWKPATH AWKLIBPATH CLASSPATH JAVA_HOME JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS " +
		"MAVEN_OPTS GRADLE_OPTS ANT_OPTS SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH SVN_SSH TAR_OPTIONS TAR_REMOTE_SHELL RSH ZIPOPT UNZIP GZIP XZ_OPT RUSTC RUSTDOC RUSTFLAGS RUSTC_WRAPPER KUBECONFIG CDPATH COMMAND_MODE GLOBIGNORE FIGNORE EXECIGNORE INPUTRC HISTFILE " +
		"AWS_CONFIG_FILE XZ_DEFAULTS MANPATH MANROFFOPT TEXINPUTS M4PATH HGRCPATH HGEDITOR R_PROFILE PKG_CONFIG_PATH QT_PLUGIN_PATH GTK_MODULES WGETRC CURL_HOME RIPGREP_CONFIG_PATH GREP_OPTIONS GREP_COLORS GCONV_PATH LOCPATH NLSPATH COMPILER_PATH GCC_EXEC_PREFIX ZDOTDIR FPATH TCLLIBPATH TERMINFO TERMCAP MAILCAPS MAILCAP INFOPATH PSQLRC PGSERVICEFILE DIFFPROG CLAUDE_CONFIG_DIR OPENSSL_CONF OPENSSL_ENGINES GPG_TTY STARSHIP_CONFIG EMACSLOADPATH")
})

// Families of such variables, and members that only say something.
var (
	settingPrefixes = strings.Fields("BASH_ LD_ DYLD_ GIT_ PYTHON PERL RUBY NODE_ NPM_CONFIG_ CARGO_ LUA_ PHP SKILLHAND_ PIP_ GEM_ BUNDLE_ JULIA_ ERL_ FZF_ BAT_ DOCKER_ YARN_ PNPM_ DENO_ BUN_ CMAKE_ CGO_ PYTEST_ MALLOC_ GLIBC_ SUDO_ ANSIBLE_ TF_CLI_ CLOUDSDK_ RSYNC_ PARALLEL VALGRIND_ GROFF_ HELM_ PRE_COMMIT_ UV_ GUILE_ DOTNET_ TCL PG_ GDB SVN_ HG")
	settingSuffixes = strings.Fields("_PAGER _EDITOR _SHELL _WRAPPER _ASKPASS _BROWSER _PRELOAD _RSH")
	notSettings     = sync.OnceValue(func() map[string]bool {
		return set("NODE_ENV NODE_NAME GIT_BRANCH GIT_COMMIT GIT_TAG GIT_REF GIT_SHA DOCKER_IMAGE DOCKER_TAG")
	})
)

func isSetting(name string) bool {
	if settings()[name] {
		return true
	}
	if notSettings()[name] || strings.HasPrefix(name, "GIT_AUTHOR_") || strings.HasPrefix(name, "GIT_COMMITTER_") {
		return false
	}
	upper := name
	if len(name) > 4 && strings.EqualFold(name[:4], "npm_") {
		upper = strings.ToUpper(name) // npm looks at no case
	}
	return slices.ContainsFunc(settingPrefixes, func(p string) bool { return strings.HasPrefix(upper, p) }) ||
		slices.ContainsFunc(settingSuffixes, func(p string) bool { return strings.HasSuffix(name, p) })
}

// integers are variables that bash itself made integers: it reckons with what is assigned to them.
var integers = sync.OnceValue(func() map[string]bool {
	return set("RANDOM SRANDOM SECONDS LINENO OPTIND OPTERR HISTCMD EUID UID PPID BASHPID EPOCHSECONDS EPOCHREALTIME COMP_CWORD COMP_POINT COMP_KEY COMP_TYPE")
})

// A kind is what all values of a line must be, for one of the places that they can reach.
type kind struct {
	name  string
	holds func(string) bool
}

var (
	never       = kind{"none", func(string) bool { return false }}
	noKind      = kind{"anything", func(string) bool { return true }}
	spelled     = kind{"letters, with one sign between them", func(v string) bool { return lettered().MatchString(v) }}
	numbers     = kind{"a number", aNumber}
	wordOnly    = kind{"a word or a number", func(v string) bool { return aWord(v) || aNumber(v) }}
	plainOnly   = kind{"plain text", plainText}
	plainMany   = kind{"plain words", plainWords}
	anOperand   = kind{"plain text, no option", func(v string) bool { return plainText(v) && !strings.HasPrefix(v, "-") }}
	noOption    = kind{"no option", func(v string) bool { return !strings.HasPrefix(v, "-") || aNumber(v) }}
	unexpanded  = kind{"without expansions", noExpansion}
	noBracket   = kind{"without brackets", func(v string) bool { return !strings.ContainsAny(v, "([{$`\\%<>") }}
	noDollar    = kind{"without $ and `", func(v string) bool { return !strings.ContainsAny(v, "$`") }}
	unescaped   = kind{"without escapes", func(v string) bool { return !strings.ContainsAny(v, "$`\\%") }}
	aWordOrPath = kind{"plain text, no setting", func(v string) bool { return plainText(v) && !strings.Contains(v, "=") }}
	aVersion    = kind{"a number or a version", func(v string) bool { return aNumber(v) || version().MatchString(v) }}
	aSwitch     = kind{"a number, or a word that switches", func(v string) bool { return aNumber(v) || switches()[v] }}
	short       = kind{"a number or a short word", func(v string) bool { return fewDigits(v) || aWord(v) && len(v) < 7 }}
	fewNumbers  = kind{"a short number", fewDigits}
	aName       = kind{"a word, no path", func(v string) bool {
		return plainText(v) && !strings.ContainsAny(v, "/=:%,@+") && strings.TrimLeft(v, ".-") == v && v != ""
	}}
	nothingUp = kind{"a name that is no option", func(v string) bool { return !dashed().MatchString(v) }}
	inFolder  = kind{"a folder below", func(v string) bool {
		return plainWords(v) && !strings.HasPrefix(v, "/") && !strings.HasPrefix(v, "-") && !strings.Contains(v, "..")
	}}
	unsetting = kind{"no setting", noSetting}
	oneByte   = kind{"one character", func(v string) bool { return len(v) == 1 && !isNameChar(v[0]) }}
	noPipe    = kind{"without a pipe", func(v string) bool { return !strings.ContainsAny(v, "|<>!") }}
	aTarget   = kind{"a target of make", func(v string) bool {
		name, text, set := strings.Cut(v, "=")
		return plainText(v) && (!set || aWord(name) && (!isSetting(name) || name == "ENV") && (aWord(text) || aNumber(text)))
	}}
	aPackage = kind{"a package's name", func(v string) bool {
		return plainWords(strings.Map(noConstraint, v)) && !strings.HasPrefix(v, ".") && !strings.HasPrefix(v, "/") && !strings.Contains(v, "://") && !strings.Contains(v, "git+") && !strings.Contains(v, "file:") && !dashed().MatchString(v) && !strings.Contains(v, " .") && !strings.Contains(v, " /") && !strings.Contains(v, ":") && !strings.Contains(v, "..")
	}}
)

// noConstraint drops the signs of a version's constraint: httpx>=0.27, uvicorn[standard], lodash@^4.
func noConstraint(r rune) rune {
	if strings.ContainsRune("<>~!^[]*", r) {
		return -1
	}
	return r
}

// version: v1.2.3-rc.1, which names no program.
var version = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^v?[0-9]+(\.[0-9]+)+([-+][0-9A-Za-z.]+)?$`) })

var switches = sync.OnceValue(func() map[string]bool { return set("true false on off yes no auto always never input") })

// dashed finds a name that a program would take for an option.
var dashed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[/\s])-`) })

// lettered: whichever of its signs becomes a blank or a dash, no option begins there.
var lettered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN]+([^\pL\pN][\pL\pN]+)*$`) })

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
