package bind

import (
	_ "embed" // for the table
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed table.txt
var table string

// A rowKind says what a program does with its words.
type rowKind int

const (
	isData  rowKind = iota // it only reads them as data
	isTool                 // it has options that run or write something
	isWrap                 // it runs the command that follows
	isJoin                 // it passes the words that follow to a shell
	isShell                // it reads code of a shell
	isLang                 // it reads code of another language
	isCall                 // builtin judges it
)

// A row is what the table says about one program, or about one of its subcommands.
type row struct {
	kind   rowKind
	before int             // how many operands are before the command that it runs
	said   map[string]byte // its options, by name, with the sort of their words; and its properties
	begins []string        // options of which the table has only the beginning: -D*
	edits  []string        // the same, for options that a value must not be: -i*~
	kinds  map[string]kind // the kinds of its operands (ops), of its input (in), and of the words after its code (rest)
	subs   map[string]*row
	lang   string // the language of the code that it reads
}

// An option is what a row says about a word that begins with a dash.
type option struct {
	name string
	// sort says what the option's word is: '=' data, ':' data, but a value must not be the option,
	// '&' two words of data, '<' a file whose words become part of a command, '>' a file that it
	// writes, '^' a folder that it goes to, '!' code of a shell, ';' a command up to a semicolon,
	// '/' a module, '@' a setting of git, '#' code of the row's language, '%' a file that it runs,
	// '{' a text that represents its input; '-': it takes no word; '~': no word, and a value must
	// not be the option; '?': no word, and nothing runs; 0: not listed.
	sort byte
	rest int // the index of the option's word in the same argument, or the argument's length
}

// option finds an option in all of its forms: -n, -n5, -rn, --name, --name=x.
func (r *row) option(word string) option {
	if r == nil || word == "" || word[0] != '-' && word[0] != '+' && word[0] != '@' && word[0] != '|' || word == "--" || word == "-" {
		return option{rest: len(word)}
	}
	if aNumber(word) && !r.has("no-n") {
		return option{word, '-', len(word)}
	}
	name, _, set := strings.Cut(word, "=")
	rest := len(word)
	if set {
		rest = len(name) + 1
	}
	switch o := r.said[name]; {
	case r.said[word] == '-': // --format=tar
		return option{word, '-', len(word)}
	case o != 0 && (!set || o != '-'):
		return option{name, o, rest}
	case slices.ContainsFunc(r.begins, func(begin string) bool { return strings.HasPrefix(word, begin) }):
		return option{word, '-', len(word)}
	case slices.ContainsFunc(r.edits, func(begin string) bool { return strings.HasPrefix(word, begin) }):
		return option{word, '~', len(word)}
	case strings.HasPrefix(word, "--") || word[0] != '-':
		return option{name, 0, rest}
	}
	sort := byte('-')
	for i := 1; i < len(word); i++ { // -rn, -n5
		o := r.said["-"+word[i:i+1]]
		switch {
		case o == '~':
			sort = o
		case o == 0 && i > 1 && '0' <= word[i] && word[i] <= '9':
		case o == 0:
			return option{word, 0, len(word)}
		case o != '-':
			return option{"-" + word[i:i+1], o, i + 1}
		}
	}
	return option{word, sort, len(word)}
}

func (r *row) has(property string) bool { return r != nil && r.said[property] != 0 }

// say stores the options and properties of a row, from the text of the table.
func (r *row) say(text string) {
	r.said, r.kinds = map[string]byte{}, map[string]kind{}
	for token := range strings.FieldsSeq(text) {
		n := len(token) - 1
		key, name, _ := strings.Cut(token, ":")
		switch begin, sign, _ := strings.Cut(token, "*"); {
		case n > 0 && token[n] == '*':
			r.begins = append(r.begins, begin)
		case sign == "~":
			r.edits = append(r.edits, begin)
		case n > 0 && strings.IndexByte("=:<>!#%&~@;/{?^", token[n]) >= 0:
			r.said[token[:n]] = token[n]
		case slices.Contains([]string{"awk", "sed", "jq", "sql", "perl", "script", "talk"}, token):
			r.lang = token
		default:
			r.said[token] = '-'
			if k, ok := kindNamed[name]; ok {
				r.kinds[key] = k
			}
		}
	}
}

var kindNames = map[string]rowKind{"data": isData, "tool": isTool, "wrap": isWrap, "join": isJoin,
	"shell": isShell, "lang": isLang, "call": isCall}

// parsed returns the table: the rows by name, and the lists.
var parsed = sync.OnceValues(func() (map[string]*row, map[string]map[string]bool) {
	all, lists := map[string]*row{}, map[string]map[string]bool{}
	for text := range strings.Lines(strings.ReplaceAll(table, "\n    ", " ")) { // a line that begins with spaces continues a row
		kind, rest, ok := strings.Cut(text, " | ")
		if !ok || text[0] == '#' {
			continue
		}
		names, words, _ := strings.Cut(rest, "|")
		if kind == "list" {
			list := map[string]bool{}
			for w := range strings.FieldsSeq(words) {
				list[w] = true
			}
			lists[strings.TrimSpace(names)] = list
			continue
		}
		kind, before, _ := strings.Cut(kind, " ")
		said := row{kind: kindNames[kind], before: strings.Count(before, "1")}
		said.say(words)
		for name := range strings.FieldsSeq(names) {
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
			said.subs = at.subs
			*at = said
		}
	}
	return all, lists
})

func rows() map[string]*row { all, _ := parsed(); return all }

func lists() map[string]map[string]bool { _, all := parsed(); return all }

func among(list, name string) bool { return lists()[list][name] }

// lookup returns the row of a program, or of the subcommand that its words name. It returns nil if
// the program is not in the table.
func lookup(name string, args []field) *row {
	r, _ := find(name, args)
	return r
}

// find returns the same row as lookup, and the words after the subcommand.
func find(name string, args []field) (r *row, rest []field) {
	if r = rows()[name]; r == nil {
		if r = rows()[versionless(name)]; r == nil {
			return nil, args
		}
	}
	rest = args
	for i := 0; i < len(args) && r.subs != nil; i++ {
		text := args[i].lit()
		if full := args[i].full(); r.subs[full].has("view") && !r.subs[full].has("alters") && !args[i].dirty() {
			text = full // git $0 with status
		}
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

// programName returns the name by which the table identifies a program. A script of the author is
// not in the table, whatever its name: ./scripts/watch. But ./bash is a shell.
func programName(text string) string {
	base := path.Base(text)
	if strings.HasPrefix(base, "ld-linux") {
		return "ld.so"
	}
	dir := path.Base(path.Dir(text))
	if !strings.Contains(text, "/") || dir == "bin" || dir == "sbin" || dir == ".bin" || dir == "shims" || dir == "git-core" {
		short, _, _ := strings.Cut(base, ".") // vim.basic
		names := []string{base, versionless(base), short, strings.TrimPrefix(base, "g")}
		if strings.Contains(base, "-linux-") {
			names = append(names, base[strings.LastIndexByte(base, '-')+1:])
		}
		for _, name := range names {
			if rows()[name] != nil {
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

// versionless removes the version from a program's name: python3.12, gcc-12.
func versionless(name string) string {
	trimmed := strings.TrimRight(name, ".0123456789")
	if trimmed == "" || trimmed == "sqlite" {
		return name
	}
	return strings.TrimSuffix(trimmed, "-")
}

// runs reports whether the program runs a command that follows.
func (r *row) runs() bool { return r.is(isWrap) || r.is(isJoin) }

// alone returns a row without its subcommands.
func (r *row) alone() *row {
	return &row{kind: isTool, said: r.said, begins: r.begins, edits: r.edits, kinds: r.kinds}
}

// is reports whether the row exists and is of this kind.
func (r *row) is(k rowKind) bool { return r != nil && r.kind == k }
