package bind

import (
	_ "embed" // for the table
	"path"
	"strings"
	"sync"
)

//go:embed table.txt
var table string

// A rowKind says what a program does with its words.
type rowKind int

const (
	isData  rowKind = iota // they are only words
	isTool                 // it has options which run or write something
	isWrap                 // a command follows, which it runs
	isJoin                 // words follow, which it hands to a shell
	isShell                // it reads code of a shell
	isLang                 // it reads code of another language
	isCall                 // calls has its judgement
)

// A row is what the judgement knows of one program, or of one of its subcommands.
type row struct {
	kind   rowKind
	before int    // operands before the command that it runs
	words  string // its options and properties
	subs   map[string]*row
}

// An option is what a row says of a word that begins with a dash.
type option struct {
	name string
	// sort says what the option's word is: '=' data, ':' data of an option that no value is, '&' two words of
	// data, '.' a word, '>' a file it writes, '!' code of a shell, '@' a setting of git, '#' code of the row's language, '%' a file it
	// runs; '-': it takes none; '~': none, and no value is it; 0: not listed.
	sort byte
	rest int // where the option's word begins in the same word, or the word's length
}

// option finds an option as it may be written: -n, -n5, -rn, --name, --name=x.
func (r *row) option(word string) option {
	if r == nil || word == "" || word[0] != '-' && word[0] != '+' && word[0] != '@' && word[0] != '|' || word == "--" || word == "-" {
		return option{rest: len(word)}
	}
	if aNumber(word) && !r.has("no-n") {
		return option{word, '-', len(word)}
	}
	name, _, set := strings.Cut(word, "=")
	if o, ok := r.listed(name); ok && (!set || o != '-') {
		if set {
			return option{name, o, len(name) + 1}
		}
		return option{name, o, len(word)}
	}
	if o, n := r.begins(word); o != 0 {
		return option{word[:n], o, n}
	}
	if strings.HasPrefix(word, "--") || word[0] != '-' {
		if set {
			return option{name, 0, len(name) + 1}
		}
		return option{name, 0, len(word)}
	}
	for i := 1; i < len(word); i++ { // -rn, -n5
		o, ok := r.listed("-" + word[i:i+1])
		switch {
		case !ok && i > 1 && '0' <= word[i] && word[i] <= '9':
		case !ok:
			return option{word, 0, len(word)}
		case o != '-' && o != '~':
			return option{"-" + word[i:i+1], o, i + 1}
		}
	}
	return option{word, '-', len(word)}
}

// listed looks an option up by its whole name.
func (r *row) listed(name string) (sort byte, ok bool) {
	for token := range strings.FieldsSeq(r.words) {
		if token == name {
			return '-', true
		}
		if n := len(token) - 1; n > 0 && token[:n] == name && strings.IndexByte("=:>!#%&.~@", token[n]) >= 0 {
			return token[n], true
		}
	}
	return 0, false
}

// begins looks for an option of which the table has only how it begins: -D*.
func (r *row) begins(word string) (sort byte, n int) {
	for token := range strings.FieldsSeq(r.words) {
		if begin, ok := strings.CutSuffix(token, "*"); ok && len(begin) > 0 && strings.HasPrefix(word, begin) {
			return '-', len(word)
		}
	}
	return 0, 0
}

func (r *row) has(property string) bool {
	if r == nil {
		return false
	}
	for token := range strings.FieldsSeq(r.words) {
		if token == property {
			return true
		}
	}
	return false
}

// ops is the kind that the row names for operands.
func (r *row) ops(otherwise kind) kind { return r.kindOf("ops:", otherwise) }

func (r *row) stdinKind() (kind, bool) {
	k := r.kindOf("in:", kind{})
	return k, k.holds != nil
}

func (r *row) kindOf(begin string, otherwise kind) kind {
	for token := range strings.FieldsSeq(r.words) {
		if name, ok := strings.CutPrefix(token, begin); ok {
			if k, ok := kindNamed[name]; ok {
				return k
			}
		}
	}
	return otherwise
}

// lang is the language that the row names.
func (r *row) lang() string {
	for _, name := range []string{"awk", "sed", "jq", "sql", "perl", "script", "talk"} {
		if r.has(name) {
			return name
		}
	}
	return ""
}

var kindNames = map[string]rowKind{"data": isData, "tool": isTool, "wrap": isWrap, "join": isJoin, "shell": isShell, "lang": isLang, "call": isCall}

// eachLine calls f with the three parts of every row.
func eachLine(f func(kind, names, words string)) {
	joined := strings.ReplaceAll(table, "\n    ", " ") // a row goes on where a line begins with blanks
	for text := range strings.Lines(joined) {
		if kind, rest, ok := strings.Cut(text, " | "); ok && text[0] != '#' {
			names, words, _ := strings.Cut(rest, "|")
			f(kind, names, words)
		}
	}
}

// rows is the table, by name.
var rows = sync.OnceValue(func() map[string]*row {
	all := map[string]*row{}
	eachLine(func(kind, names, words string) {
		kind, before, _ := strings.Cut(kind, " ")
		for name := range strings.FieldsSeq(names) {
			if kind == "list" {
				return
			}
			at := &row{subs: all}
			for part := range strings.SplitSeq(name, "/") {
				if at.subs == nil {
					at.subs = map[string]*row{}
				}
				if at.subs[part] == nil {
					at.subs[part] = &row{kind: isTool}
				}
				at = at.subs[part]
			}
			at.kind, at.words = kindNames[kind], words
			if before != "" {
				at.before = int(before[0] - '0')
			}
		}
	})
	return all
})

// lists are the table's lists of names.
var lists = sync.OnceValue(func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	eachLine(func(kind, name, words string) {
		if kind != "list" {
			return
		}
		names := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			names[w] = true
		}
		all[strings.TrimSpace(name)] = names
	})
	return all
})

// among reports whether a name is on a list of the table.
func among(list, name string) bool { return lists()[list][name] }

// lookup finds the row of a program, or of the subcommand that its words name; nil if it is the author's own.
func lookup(name string, args []field) *row {
	r, _ := find(name, args)
	return r
}

// find is lookup, and gives the words behind the subcommand too.
func find(name string, args []field) (r *row, rest []field) {
	if r = rows()[name]; r == nil {
		if r = rows()[versionless(name)]; r == nil {
			return nil, args
		}
	}
	rest = args
	for i := 0; i < len(args) && r.subs != nil; i++ {
		text := args[i].lit()
		switch sub := r.subs[text]; {
		case strings.HasPrefix(args[i].lead(), "-"):
			if o := r.option(text); o.sort != 0 && o.sort != '-' && o.sort != '~' && o.rest == len(text) {
				i++
			}
		case sub != nil:
			r, rest = sub, args[i+1:]
		default:
			return r, rest
		}
	}
	return r, rest
}

func isWrapper(name string) bool {
	r := lookup(name, nil)
	return r != nil && (r.kind == isWrap || r.kind == isJoin || name == "command")
}

// programName returns by which name the table knows a program. A script of the
// author's is his own, whatever its name: ./scripts/watch; but not a ./bash.
func programName(text string) string {
	base := path.Base(text)
	if strings.HasPrefix(base, "ld-linux") {
		return "ld.so"
	}
	dir := path.Base(path.Dir(text))
	if !strings.Contains(text, "/") || dir == "bin" || dir == "sbin" || dir == ".bin" || dir == "shims" || dir == "git-core" {
		short, _, _ := strings.Cut(base, ".") // vim.basic
		for _, name := range []string{base, versionless(base), short, strings.TrimPrefix(base, "g"), base[strings.LastIndexByte(base, '-')+1:]} {
			if r := rows()[name]; r != nil && (name != base[strings.LastIndexByte(base, '-')+1:] || name == base || strings.Contains(base, "-linux-")) {
				return name
			}
		}
		return base
	}
	if r := rows()[versionless(base)]; r != nil && (r.kind == isLang || r.kind == isShell) || base == "gradlew" || base == "mvnw" {
		return base
	}
	return "./" + base
}

// versionless takes the version from a program's name: python3.12, gcc-12.
func versionless(name string) string {
	trimmed := strings.TrimRight(name, ".0123456789")
	if trimmed == "" || trimmed == "sqlite" {
		return name
	}
	return strings.TrimSuffix(trimmed, "-")
}

// is reports whether the table has a row of this kind.
func (r *row) is(k rowKind) bool { return r != nil && r.kind == k }
