package bind

import (
	"path"
	"strings"
	"sync"
)

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
	// sort says what the option's word is: '=' data, ':' data of an option that no value is, '&' two words of data, '.' a word, '>' a file it writes, '!' code of
	// a shell, '#' code of the row's language, '%' a file it runs; '-': it takes none; '~': none, and no value is it; 0: not listed.
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
		if n := len(token) - 1; n > 0 && token[:n] == name && strings.IndexByte("=:>!#%&.~", token[n]) >= 0 {
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

func (r *row) assigns() bool { return r.has("assigns") }
func (r *row) dashes() bool  { return r.has("dashes") }

func (r *row) lang() lang {
	for name, l := range map[string]lang{"awk": anAwk, "sed": aSed, "jq": aJQ, "sql": anSQL, "talk": aTalk} {
		if r.has(name) {
			return l
		}
	}
	return aScript
}

var kindNames = map[string]rowKind{"data": isData, "tool": isTool, "wrap": isWrap, "join": isJoin, "shell": isShell, "lang": isLang, "call": isCall}

// rows is the table, by name.
var rows = sync.OnceValue(func() map[string]*row {
	all := map[string]*row{}
	for text := range strings.Lines(table) {
		head, rest, ok := strings.Cut(strings.TrimSpace(text), "|")
		if !ok {
			continue
		}
		names, words, _ := strings.Cut(rest, "|")
		kindName, before, _ := strings.Cut(strings.TrimSpace(head), " ")
		for name := range strings.FieldsSeq(names) {
			at := &row{subs: all}
			parts := strings.Split(name, "/")
			for _, part := range parts {
				if at.subs == nil {
					at.subs = map[string]*row{}
				}
				if at.subs[part] == nil {
					at.subs[part] = &row{kind: isTool}
				}
				at = at.subs[part]
			}
			at.kind, at.words = kindNames[kindName], words
			if before != "" {
				at.before = int(before[0] - '0')
			}
		}
	}
	return all
})

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
			if o := r.option(text); o.sort == '=' && o.rest == len(text) {
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

var (
	// Programs that pass text on as it is, or say where something is.
	keepers = set("cat sort uniq wc date pwd dirname realpath readlink mktemp which command type test [ [[ cd ls mkdir touch rm cp mv ln chmod sleep true false : nproc uname whoami id hostname tee seq export local declare readonly set unset shift exit return trap break continue stat du file comm diff cmp nl tac kill ps printenv find md5sum sha1sum sha256sum rmdir df tput clear yes")
	// Programs that take parts of a text between signs.
	splitters = set("head tail grep egrep fgrep rg basename")
	// Tools that print what they are told to, or parts of what they read.
	outputs   = set("curl wget openssl xxd od hexdump base64 gpg sqlite3 psql yq xmllint rev iconv gzip gunzip zcat")
	places    = set("pwd dirname mktemp date command which type uname whoami id hostname nproc realpath readlink git/rev-parse git/merge-base true")
	writers   = set("tee cp mv install ln sponge mkfifo rsync truncate touch")
	editors   = set("sed gsed perl ruby")
	unpackers = set("unzip bsdtar cpio patch split csplit 7z history script mknod uudecode gcc cc g++ clang tcc rustc javac git/config git/apply git/am git/checkout git/clone git/init git/worktree git/stash npm/pkg npm/set-script npm/init")
	// Programs that run nothing, whatever lies about; those with nothing but words are so too.
	silent = set("tail date less bat rg fd locate iconv find xargs env timeout sort uniq curl jq tar diff eval source . trap read printf test [ command type export local declare set unset nice nohup exec sed awk sqlite3 unset xxd")
	// Programs that run what they find in the folder.
	starters = set("make gmake npm npx yarn pnpm bun deno cargo go pytest tox nox rake just task gradle gradlew mvn mvnw ant cmake ninja docker podman vagrant ansible-playbook terraform tofu jest vitest mocha eslint webpack vite bazel composer bundle pre-commit direnv vim vi nvim gdb skillhand claude rspec phpunit mix stack cabal dotnet sbt tsx ts-node invoke fab honcho foreman")
)

// is reports whether the table has a row of this kind.
func (r *row) is(k rowKind) bool { return r != nil && r.kind == k }
