package bind

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// deeds are what a line does that its other commands can see: files it writes,
// variables it exports, folders it goes to, and what its steps make of text.
// Code within code counts as well.
type deeds struct {
	writes   map[string]bool // base names of files; "" for one that is not known
	maybe    map[string]bool // base names of files that a program which is told a value may write
	made     map[string]bool // base names of files that it writes whatever to
	madeCode bool            // some of those in made are no data
	code     bool            // some of those in writes are no data
	ownGit   bool            // some may be git's own
	hidden   bool            // some are where programs look for their settings: ~/.aws/config
	names    bool            // a value may be part of a file's name
	exports  bool            // a value may be in the environment
	moves    bool            // a value may choose the folder
	state    bool            // a value may be kept by a program, and shown again later
	opened   bool            // a value may come through a file that the shell itself has opened: exec 3<<< "$0"
	shells   bool            // it gives a shell another name: cp /bin/sh x
	unpacks  bool            // it unpacks or applies what may hold a value
	fetched  bool            // it fetches or unpacks files that a value names
	anyVar   bool            // a value may be in any variable
	scripts  map[string]bool // base names of files that a program in its text writes; "" for one that is not known
	leads    map[string]bool // texts that begin with -, and that the line puts before something
	change   change
}

// files reports whether a value may be in a file.
func (d deeds) files() bool { return len(d.writes) > 0 || len(d.maybe) > 0 }

// silent are commands that show neither what is in files nor the environment.
var silent = sync.OnceValue(func() map[string]bool {
	return set("echo printf true false : date pwd basename dirname realpath mktemp which command type test [ cd seq sleep mkdir touch rm cp mv ln chmod kill nproc uname whoami expr tty")
})

// writers are programs all of whose operands may be written.
var writers = sync.OnceValue(func() map[string]bool {
	return set("tee cp mv install ln sponge touch mkfifo mkdir rsync truncate patch unzip split csplit ed ex vim vi nvim mknod scp script uniq")
})

// surveyDeeds notes what the code does, once it is known which variables may hold a value.
func (s *scope) surveyDeeds(root syntax.Node) {
	walk(root, func(p []syntax.Node) {
		switch n := p[len(p)-1].(type) {
		case *syntax.Redirect:
			if opens(p) || n.N != nil && !strings.Contains("012", n.N.Value) {
				s.deeds.opened = s.deeds.opened || reads(n.Op) && (n.Word != nil && s.variable(n.Word) || n.Hdoc != nil && s.variable(n.Hdoc) || s.reads(words.Lit(n.Word)))
			}
			switch n.Op {
			case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
				if text := s.code(n.Word).text(s.vals); !strings.HasPrefix(text, "/dev/") {
					s.deeds.made[path.Base(text)] = true
					s.deeds.madeCode = s.deeds.madeCode || !dataName(path.Base(text))
					s.deeds.hidden = s.deeds.hidden || aHidden().MatchString(text) && !dataName(path.Base(text))
				}
				if s.shows(p) || opens(p) {
					s.writesTo(n.Word)
					s.deeds.change.signed = s.deeds.change.signed || n.Op == syntax.AppOut // behind what was there
				}
			}
		case *syntax.CoprocClause:
			s.deeds.opened = true
		case *syntax.Word:
			f := s.code(n)
			if strings.HasPrefix(f.lead(), "-") && len(f.bits) > 1 {
				s.deeds.leads[f.lead()] = true
			}
			s.surveyProgram(f.text(s.vals))
			s.deeds.ownGit = s.deeds.ownGit || gitHooks().MatchString(f.own()) // which it takes from there
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				shows := s.shows(p)
				name := words.Lit(n.Args[0])
				s.deeds.state = s.deeds.state || shows && name == "git" && len(n.Args) > 1 && !gitShows()[words.Lit(n.Args[1])] || shows && !passing()[name] && !cutting()[name] && !silent()[name] && !printing()[name] && !strings.Contains(name, "/")
				s.deeds.unpacks = s.deeds.unpacks || unpacks(n.Args) && (s.isFed(p) || slices.ContainsFunc(n.Args[1:], func(w *syntax.Word) bool { return s.written(words.Lit(w)) }))
				told := s.deeds.files() && writers()[path.Base(name)] || s.deeds.exports && s.interprets(versionless(path.Base(name)))
				s.surveyWriter(n.Args, shows || told)
			}
		}
	})
	s.surveyEnvironment(root)
}

// gitShows are git's subcommands that keep nothing of what they are told.
var gitShows = sync.OnceValue(func() map[string]bool {
	return set("log diff show status grep blame rev-parse rev-list ls-files ls-tree shortlog describe cat-file merge-base diff-tree name-rev show-ref check-ignore -C")
})

func reads(op syntax.RedirOperator) bool {
	switch op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return true
	}
	return false
}

// printing are programs that keep nothing of what they are given: they only print.
var printing = sync.OnceValue(func() map[string]bool {
	return set("sed awk gawk mawk jq yq tr read base64 xxd od hexdump python3 node perl ruby bc expr numfmt curl md5sum sha256sum npx make eslint pytest go cargo")
})

// unpacks recognises programs that make files of what they read, which says how they are called.
func unpacks(args []*syntax.Word) bool {
	for i, w := range args {
		next := ""
		if i+1 < len(args) {
			next = words.Lit(args[i+1])
		}
		switch path.Base(words.Lit(w)) {
		case "tar", "bsdtar", "unzip", "cpio", "7z", "patch", "zipfile", "tarfile", "ar":
			return true
		case "git":
			return listed("apply am fast-import update-index hash-object unpack-objects mktree read-tree bundle", next)
		}
	}
	return false
}

// gitHooks recognises the folders and settings by which git finds its hooks.
var gitHooks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(^|[/.])hooks|hookspath|--template`) })

// opens recognises exec 3>file: others write there later.
func opens(p []syntax.Node) bool {
	if len(p) < 2 {
		return false
	}
	st, _ := p[len(p)-2].(*syntax.Stmt)
	if st == nil {
		return false
	}
	call, _ := st.Cmd.(*syntax.CallExpr)
	return call != nil && len(call.Args) == 1 && words.Lit(call.Args[0]) == "exec"
}

// shows reports whether a value may be in what the pipeline around a node reads or says.
func (s *scope) shows(p []syntax.Node) bool {
	if s.fed {
		return true
	}
	for _, n := range p[:len(p)-1] {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			return true
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				return s.reach(n)
			}
		case *syntax.Stmt:
			if len(n.Redirs) > 0 && s.reach(n) {
				return true
			}
		}
	}
	return s.reach(p[len(p)-1])
}

// surveyWriter notes what a command writes.
func (s *scope) surveyWriter(args []*syntax.Word, shows bool) {
	name := path.Base(words.Lit(args[0]))
	base := versionless(name)
	if name == "cp" || name == "ln" || name == "mv" || name == "install" {
		for _, w := range args[1:] {
			base := versionless(path.Base(words.Lit(w)))
			s.deeds.shells = s.deeds.shells || shells()[base] || s.interprets(base) && strings.Contains(words.Lit(w), "bin/")
		}
	}
	if name == "cd" || name == "pushd" {
		for _, w := range args[1:] {
			f := s.code(w)
			s.deeds.moves = s.deeds.moves || f.open() || len(f.values(s.vals)) > 0 && !s.chosen(f)
		}
	}
	if base == "gcc" || base == "cc" || base == "g++" || base == "clang" {
		s.writesName("a.out")
	}
	if !shows {
		return
	}
	if name == "sed" || name == "gsed" {
		for _, w := range args[1:] {
			if sedWrites().MatchString(s.code(w).text(s.vals)) {
				s.writesName("")
			}
		}
	}
	s.mentions(name, args[1:])
	inPlace := false
	shown := passing()[name] && name != "sort" || cutting()[name] && name != "shuf" || name == "mvn" // whose -o is another
	for i, w := range args[1:] {
		lead := s.code(w).lead()
		flags, _, _ := strings.Cut(lead, "e") // what follows -e is code
		switch {
		case shown:
		case (outFlag().MatchString(lead) || lead == "--output" || lead == "--output-document" || lead == "--out" || lead == "-out") && i+2 < len(args):
			s.writesTo(args[i+2])
		case strings.HasPrefix(lead, "-o") && len(lead) > 2, strings.HasPrefix(lead, "--output="), strings.HasPrefix(lead, "of="), strings.HasPrefix(lead, "-O") && len(lead) > 2:
			if words.Lit(w) == "" {
				s.writesName("")
			} else if _, file, ok := strings.Cut(lead, "="); ok {
				s.writesName(path.Base(file))
			} else {
				s.writesName(path.Base(lead[2:]))
			}
		case strings.HasPrefix(lead, "-") && !strings.HasPrefix(lead, "--") && strings.Contains(flags, "i") && (base == "sed" || base == "gsed" || base == "perl" || base == "ruby"), strings.HasPrefix(lead, "--in-place"), lead == "inplace":
			inPlace = true
		}
	}
	switch {
	case name == "patch":
		s.writesName("")
	case name == "curl" && slices.ContainsFunc(args[1:], func(w *syntax.Word) bool { return strings.HasPrefix(s.code(w).lead(), "file:") }):
		s.writesName("") // -T - file:///…
	case inPlace && s.onlyNamed(args[1:]):
	case inPlace || writers()[name]:
		for _, w := range args[1:] {
			if text, ok := words.Literal(w); !ok || !strings.HasPrefix(text, "-") {
				s.writesTo(w)
			}
		}
	case s.fetches(name, args[1:]):
		s.deeds.fetched = true
	case s.interprets(base):
		for file := range s.deeds.scripts { // by whichever way the program gets there
			s.writesName(file)
		}
	}
}

// surveyProgram notes what a text would write if an interpreter took it for its program.
func (s *scope) surveyProgram(text string) {
	if !writesFiles().MatchString(text) {
		return
	}
	files := quotedFiles().FindAllStringSubmatch(text, -1)
	for _, m := range files {
		s.deeds.scripts[path.Base(m[1])] = true
	}
	if len(files) == 0 || strings.Count(text, "rite") > len(files) { // more is written than is named
		s.deeds.scripts[""] = true
	}
}

// quotedFiles finds names of files in a program: "notes.md".
var quotedFiles = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`["']([\w./~-]+\.\w+)["']`) })

// lookers are programs that only look at the files they are told.
var lookers = sync.OnceValue(func() map[string]bool {
	return set("chmod test [ ls cat head tail wc stat file grep egrep fgrep rg diff cmp shellcheck echo printf rm touch md5sum sha256sum basename dirname realpath readlink which command type less more git cd mkdir find make npm source . eval exec trap set export cargo go pytest npx docker gh")
})

// mentions notes the files that a program is told, together with a value: it may write them.
func (s *scope) mentions(name string, args []*syntax.Word) {
	_, wraps := wrappers()[name]
	_, joins := joiners()[name]
	_, isReader := readers()[versionless(name)]
	_, carries := carriers()[name]
	runs := wraps || joins || isReader || carries || shells()[name] || name == "ansible-playbook" // what they are told is judged as what runs
	if lookers()[name] || silent()[name] || strings.Contains(name, "/") || runs && !writers()[name] {
		return
	}
	for _, w := range args {
		if text, ok := words.Literal(w); ok && text != "" && !strings.HasPrefix(text, "-") && !strings.Contains(text, " ") {
			s.deeds.maybe[path.Base(text)] = true
		}
	}
}

// takesWords recognises a program of perl's or ruby's that takes some of its words for itself.
var takesWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(shift|ARGV|ENV)\b`) })

// onlyNamed reports whether values only name the files that a program edits: its own program, the first word, has none.
func (s *scope) onlyNamed(args []*syntax.Word) bool {
	for _, w := range args {
		text, known := words.Literal(w)
		if known && strings.HasPrefix(text, "-") {
			continue
		}
		return known && len(s.marks(text)) == 0 && !s.fed && !s.deeds.exports && !takesWords().MatchString(text)
	}
	return false
}

var (
	outFlag   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-[A-Za-z]*[oO]$`) })
	sedWrites = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[/|,#;{}\s0-9$gpI])[wW]\s+\S`) })
)

// fetches reports whether a program fetches or unpacks files that a value may choose.
func (s *scope) fetches(name string, args []*syntax.Word) bool {
	first := ""
	if len(args) > 0 {
		first = words.Lit(args[0])
	}
	switch name {
	case "wget":
		return true
	case "git":
		return first == "clone" || first == "apply" || first == "am" || first == "pull"
	case "tar", "bsdtar":
		return strings.Contains(first, "x")
	case "curl":
		for _, w := range args {
			if text := words.Lit(w); strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.Contains(text, "O") || strings.HasPrefix(text, "--remote-name") {
				return true
			}
		}
	}
	return false
}

func (s *scope) interprets(base string) bool {
	r, ok := readers()[base]
	return ok && r.lang != aSed
}

// anyReached reports whether a value can be part of any of the words.
func (s *scope) anyReached(list []*syntax.Word) bool {
	return slices.ContainsFunc(list, func(w *syntax.Word) bool { return s.reach(w) })
}

// unnamed stands for a file that only the line knows: $(mktemp).
const unnamed = "?"

// writesTo notes a file that the line writes a value to, or that a value names.
func (s *scope) writesTo(w *syntax.Word) {
	if w == nil {
		return
	}
	f := s.code(w)
	text, ok := f.literal()
	s.deeds.hidden = s.deeds.hidden || aHidden().MatchString(f.text(s.vals)) && !dataName(path.Base(text))
	switch {
	case f.reached(s.vals):
		s.deeds.names = true
		if last := f.bits[len(f.bits)-1]; !last.hole && last.value == 0 && dataName("x"+last.text) {
			s.writesName("x" + last.text) // "$0.txt"
			return
		}
		s.writesName("")
	case !ok:
		s.writesName(s.tail(f, 0))
	case text == "/dev/null" || text == "/dev/stderr" || text == "/dev/stdout" || text == "/dev/tty":
	case strings.Contains(text, ".git/"):
		s.writesName(".git")
	default:
		s.writesName(path.Base(text))
	}
}

// tail returns the base name of a path that is known only at its end: "$PWD/gen.sh", or a variable that holds it.
// Of any other, nothing is known but that the line has it; and if it is put together of what the line sets in several ways, as a loop does, it may be any.
func (s *scope) tail(f field, depth int) string {
	if len(f.bits) == 0 || depth > maxDepth {
		return ""
	}
	last := f.bits[len(f.bits)-1]
	if slices.ContainsFunc(f.bits, func(x bit) bool { return x.hole && s.set[x.name] > 0 && len(s.sources[x.name]) != 1 }) {
		if dataName("x" + last.text) {
			return "x" + last.text // "$x.txt"
		}
		return ""
	}
	if !last.hole && last.value == 0 {
		if i := strings.LastIndexByte(last.text, '/'); i >= 0 && i+1 < len(last.text) {
			return last.text[i+1:]
		}
		return unnamed
	}
	if set := s.sources[last.name]; len(f.bits) == 1 && len(set) == 1 && set[0] != nil {
		return s.tail(s.code(set[0]), depth+1)
	}
	return unnamed
}

func (s *scope) writesName(name string) {
	s.deeds.writes[name] = true
	s.deeds.code = s.deeds.code || !dataName(name) && name != unnamed
	s.deeds.ownGit = s.deeds.ownGit || name == "" || strings.HasPrefix(name, ".git") && name != ".gitignore" && name != ".gitkeep"
}

// aHidden recognises a path in a folder whose name begins with a dot, or such a file in the user's own.
var aHidden = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|/)\.[^./][^/]*/|^[~\x00]/\.`) })

// writesFiles recognises an interpreter's program that writes files.
var writesFiles = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bopen\([^)]*["'][rwaxb+]*[wax]|\bopen[ (].*[<>+]|\b(write|writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|write_text|write_bytes|copyfile|rename|copy2?|move|dump|file_put_contents|syswrite)\b|print[^;}]*>`)
})

// written reports whether the line may have written a file that it then runs.
func (s *scope) written(file string) bool {
	return s.deeds.fetched || s.deeds.writes[""] || s.deeds.maybe[path.Base(file)] || s.deeds.writes[path.Base(file)] || s.deeds.writes[strings.TrimSuffix(path.Base(file), path.Ext(file))]
}

// ofProcess recognises the files in which a process's words and environment can be read.
var ofProcess = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/proc/($|[^a-z]|self|thread)`) })

// reads reports whether a file may hold a value.
func (s *scope) reads(file string) bool {
	return s.written(file) || ofProcess().MatchString(file)
}

// holds reports whether the file that a word names may hold a value. One whose name is not known may be any.
func (s *scope) holds(f field) bool {
	if text, known := f.literal(); known && !strings.ContainsAny(text, "*?[") {
		return s.reads(text)
	}
	return f.reached(s.vals) || s.deeds.files() || ofProcess().MatchString(f.lead())
}

// dataName recognises files that no program takes for code unless it is told to.
func dataName(base string) bool {
	switch base {
	case "package.json", "composer.json", "deno.json", "tsconfig.json", "bindings.json", "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "Taskfile.yml", "Taskfile.yaml", ".pre-commit-config.yaml", "CMakeLists.txt", "SKILL.md":
		return false
	}
	switch path.Ext(base) {
	case ".txt", ".md", ".log", ".csv", ".tsv", ".out", ".html", ".json", ".yml", ".yaml", ".xml", ".rst", ".tmp", ".css", ".svg", ".diff", ".patch":
		return !strings.HasPrefix(base, ".")
	}
	return false
}

// surveyEnvironment notes whether a value may be in the environment of programs.
func (s *scope) surveyEnvironment(root syntax.Node) {
	syntax.Walk(root, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DeclClause:
			if exports(n) {
				for _, a := range n.Args {
					s.deeds.exports = s.deeds.exports || a.Value != nil && s.reach(a.Value) || a.Name != nil && s.open[a.Name.Value]
				}
			}
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				break
			}
			for _, a := range n.Assigns {
				s.deeds.exports = s.deeds.exports || a.Value != nil && s.reach(a.Value)
			}
			for i, w := range n.Args { // also behind others: nice env X=…
				switch words.Lit(w) {
				case "env", "export", "declare", "typeset", "sudo":
					s.deeds.exports = s.deeds.exports || s.anyReached(n.Args[i+1:])
				case "allexport":
					s.deeds.exports = true
				}
			}
			if words.Lit(n.Args[0]) == "set" {
				for _, w := range n.Args[1:] {
					flag := words.Lit(w)
					s.deeds.exports = s.deeds.exports || strings.HasPrefix(flag, "-") && strings.Contains(flag, "a")
				}
			}
		}
		return true
	})
}

// starters are programs that run what they find in files of the folder.
var starters = sync.OnceValue(func() map[string]bool {
	return set("make gmake npm npx yarn pnpm bun deno cargo go pytest tox nox rake just task gradle gradlew mvn ant cmake ninja docker podman docker-compose vagrant ansible-playbook terraform jest vitest mocha eslint webpack tsc bazel meson composer bundle pip pip3 pre-commit direnv skillhand claude")
})

// starts judges a program that runs what it finds in the folder, after the line wrote something there.
func (s *scope) starts(name string) {
	base := versionless(name)
	r, isReader := readers()[base]
	if !isReader {
		r, isReader = readers()[name]
	}
	deaf := silent()[name] || cutting()[name] || passing()[name] && !s.known(name) && !editors()[name] && name != "git" // it has no settings of its own
	folder := s.deeds.hidden && !deaf || starters()[name] || shells()[base] || strings.HasPrefix(name, "./") || isReader && r.lang == aScript
	if folder && s.deeds.exports && s.deeds.madeCode {
		s.all(numbers, name+", after the line made a file", whyCode, "write it to a file of data (.txt, .json), or give it as an argument")
		return
	}
	if folder && s.deeds.unpacks {
		s.all(aName, name+", after the line unpacked something", whyCode, "unpack it by another line, when you have seen it")
		return
	}
	if !folder && name != "git" || len(s.deeds.writes) == 0 {
		return
	}
	if name == "git" && !s.deeds.ownGit && !s.deeds.hidden || !s.deeds.code && !s.deeds.hidden {
		return
	}
	s.all(aName, name+", after the line wrote a file", whyCode, "write it to a file of data (.txt, .json), or give it as an argument")
}
