package shell

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/shell/minibash"
	"github.com/skillhand/skillhand/internal/words"
)

// A target is the command of ours that a name means: a built-in, or a launcher, even a broken one.
type target struct {
	name    string   // the built-in's name, even if there is no such built-in
	fn      Func     // the built-in
	fixed   []string // arguments that the launcher puts before the caller's
	path    string   // the file in a launcher folder, if the line has only its bare name
	missing bool     // the line names a path in a launcher folder that does not exist
	fault   string   // why a launcher cannot be run
	exit    int      // with fault: 126 or 127
}

// resolve returns the target that a name means. The zero target means that the command is not ours.
// A Shell looks up each launcher only once, because a page may call it many times.
func (r *running) resolve(name string) target {
	if len(r.shell.Launchers) == 0 {
		return r.find(name)
	}
	at := [2]string{r.dir, name}
	if t, ok := r.shell.targets.Load(at); ok {
		return t.(target)
	}
	t := r.find(name)
	r.shell.targets.Store(at, t)
	return t
}

// find looks up a name. A file in the plugin's folders takes precedence over a built-in.
func (r *running) find(name string) target {
	ours := target{fn: r.shell.Builtins[name]}
	if ours.fn != nil {
		ours.name = name
	}
	bare := !strings.Contains(name, "/")
	if bare && ours.fn == nil && (minibash.Has(name) || r.inPath(name)) {
		return target{} // a launcher never hides a program
	}
	for _, folder := range r.shell.Launchers {
		folder, err := filepath.Abs(folder)
		if err != nil {
			continue
		}
		path := filepath.FromSlash(name)
		switch {
		case bare:
			path = filepath.Join(folder, name)
		case filepath.IsAbs(path):
			path = filepath.Clean(path)
		default:
			path = filepath.Join(r.dir, path)
		}
		t := r.launcher(folder, path)
		if bare && t.missing {
			continue
		}
		if bare && t.name == "" && t.fault == "" {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return target{path: path} // a program of the plugin
			}
			continue
		}
		if t.fn != nil || t.fault != "" || t.missing {
			if bare {
				t.path = path
			}
			return t
		}
	}
	return ours
}

// inPath reports whether PATH has a program with this name before it has a launcher folder.
func (r *running) inPath(name string) bool {
	list, _ := words.Getenv(r.env, "PATH")
	for _, dir := range filepath.SplitList(list) {
		if slices.Contains(r.shell.Launchers, dir) {
			return false
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}

// launcher reads the file at path, if that is in the folder. A script that does not call a built-in
// is an ordinary program, and the target is zero.
func (r *running) launcher(folder, path string) target {
	realFolder, err := filepath.EvalSymlinks(folder)
	if errors.Is(err, fs.ErrNotExist) && files.Below(folder, path) {
		return target{missing: true}
	}
	if err != nil || !files.Below(folder, path) && !files.Below(realFolder, path) {
		return target{}
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return target{missing: true}
	}
	broken := func(format string, a ...any) target {
		return target{exit: 126, fault: path + ": " + fmt.Sprintf(format, a...)}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return broken("%v", files.Cause(err))
	}
	if !files.Below(realFolder, real) {
		return broken("it links outside its folder, to %s", real)
	}
	info, err := os.Stat(real)
	if err != nil {
		return broken("%v", files.Cause(err))
	}
	if !info.Mode().IsRegular() {
		return target{}
	}
	src, err := readStart(real, maxLauncher+1)
	if err != nil {
		return broken("%v", files.Cause(err))
	}
	name, fixed, ok := standsFor(src, r.shell.Self)
	t := target{name: name, fixed: fixed, fn: r.shell.Builtins[name]}
	switch {
	case info.Mode()&0o111 == 0 && runtime.GOOS != "windows":
		t.exit, t.fault = 126, path+": not executable (chmod +x)"
	case ok && t.fn == nil:
		t.exit, t.fault = 127, path+": unknown built-in "+name
	case !ok:
		return target{}
	}
	return t
}

// maxLauncher is the largest size of a launcher. A longer script does more than launch.
const maxLauncher = 16 << 10

func readStart(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}

// standsFor reads a launcher. If the script only runs
//
//	exec …/skillhand builtin NAME [ARG…] "$@"
//
// after settings and assignments that compute a folder, the launcher means NAME with these first
// arguments. In a program with other built-ins, self is the part before NAME: the program, by its
// name or path, and the words after it.
func standsFor(src []byte, self []string) (name string, fixed []string, ok bool) {
	if len(src) > maxLauncher || !shellScript(src) {
		return "", nil, false
	}
	file, err := words.Parse(string(src))
	if err != nil || len(file.Stmts) == 0 {
		return "", nil, false
	}
	assigned := map[string]*syntax.Word{}
	last := len(file.Stmts) - 1
	for _, st := range file.Stmts[:last] {
		call, ok := plainCall(st)
		if !ok {
			return "", nil, false
		}
		switch {
		case len(call.Args) == 0:
			for _, as := range call.Assigns {
				if as.Append || as.Index != nil || as.Array != nil || as.Value != nil && !computesFolder(as.Value) {
					return "", nil, false
				}
				assigned[as.Name.Value] = as.Value
			}
		case len(call.Assigns) > 0 || !harmlessSet(call.Args):
			return "", nil, false
		}
	}
	call, ok := plainCall(file.Stmts[last])
	if !ok || len(call.Assigns) > 0 || len(call.Args) < 3 || call.Args[0].Lit() != "exec" {
		return "", nil, false
	}
	n := len(call.Args) - 1
	from := 1 + callsSelf(call.Args[1:n], []string{"skillhand", "builtin"}, assigned)
	if from == 1 && len(self) > 0 {
		from += callsSelf(call.Args[1:n], self, assigned)
	}
	if from == 1 || from == n || !allArguments(call.Args[n]) {
		return "", nil, false
	}
	for _, w := range call.Args[from:n] {
		text, ok := words.Literal(w)
		if !ok || slices.ContainsFunc(words.Pieces(w), func(p words.Piece) bool { return p.Expand }) {
			return "", nil, false
		}
		fixed = append(fixed, text)
	}
	if fixed[0] == "" {
		return "", nil, false
	}
	return fixed[0], fixed[1:], true
}

// callsSelf returns how many words at the start of a command are self, the program and the words
// after it: all of them, or 0.
func callsSelf(args []*syntax.Word, self []string, assigned map[string]*syntax.Word) int {
	if len(args) < len(self) || !isProgram(args[0], strings.TrimSuffix(filepath.Base(self[0]), ".exe"), assigned) {
		return 0
	}
	for i, word := range self[1:] {
		if text, ok := words.Literal(args[i+1]); !ok || text != word {
			return 0
		}
	}
	return len(self)
}

// IsClass reports whether a command's name is the name of a Java class with its packages.
func IsClass(name string) bool {
	class := name[strings.LastIndexByte(name, '.')+1:]
	return class != "" && class != name && !strings.Contains(name, "/") && 'A' <= class[0] && class[0] <= 'Z'
}

// ClassOf returns the class that a launcher runs with java -m MODULE/CLASS, or "".
func ClassOf(src []byte) (class string) {
	if len(src) > maxLauncher || !shellScript(src) {
		return ""
	}
	file, err := words.Parse(string(src))
	if err != nil {
		return ""
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			for i, w := range c.Args[:max(0, len(c.Args)-1)] {
				if option := words.Lit(w); option == "-m" || option == "--module" {
					module := words.Lit(c.Args[i+1])
					class = module[strings.LastIndexByte(module, '/')+1:]
				}
			}
		}
		return true
	})
	return class
}

// ClassLauncher returns the launcher in these folders that runs a class, or "".
func ClassLauncher(folders []string, class string) string {
	for _, folder := range folders {
		entries, _ := os.ReadDir(folder) // a missing folder has no launchers
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			if src, err := readStart(path, maxLauncher+1); err == nil && e.Type().IsRegular() && ClassOf(src) == class {
				return path
			}
		}
	}
	return ""
}

// shellScript reports whether a file's first line allows it to be a script for sh or bash.
func shellScript(src []byte) bool {
	rest, ok := bytes.CutPrefix(src, []byte("#!"))
	if !ok {
		return bytes.IndexByte(src, 0) < 0
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	for _, word := range strings.Fields(string(line)) {
		switch base := word[strings.LastIndexByte(word, '/')+1:]; base {
		case "sh", "bash", "dash":
			return true
		case "env", "-S":
		default:
			return false
		}
	}
	return false
}

// plainCall returns the simple command of a statement, if the statement has nothing else.
func plainCall(st *syntax.Stmt) (*syntax.CallExpr, bool) {
	call, ok := st.Cmd.(*syntax.CallExpr)
	return call, ok && len(st.Redirs) == 0 && !st.Negated && !st.Background && !st.Coprocess && !st.Disown
}

// harmlessSet reports whether a command is set -e or similar.
func harmlessSet(args []*syntax.Word) bool {
	if args[0].Lit() != "set" || len(args) < 2 {
		return false
	}
	for _, w := range args[1:] {
		switch w.Lit() {
		case "-e", "-u", "-eu", "-ue", "-o", "-euo", "-eo", "-uo", "pipefail", "errexit", "nounset":
		default:
			return false
		}
	}
	return true
}

// computesFolder reports whether a value consists only of text, variables and commands that just
// find out where files are.
func computesFolder(w *syntax.Word) bool {
	ok := true
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		case *syntax.ParamExp:
			// ${x:=y} and ${x:?y} have effects.
			ok = ok && (n.Exp == nil || n.Exp.Op != syntax.AssignUnset && n.Exp.Op != syntax.AssignUnsetOrNull &&
				n.Exp.Op != syntax.ErrorUnset && n.Exp.Op != syntax.ErrorUnsetOrNull)
		case *syntax.CmdSubst:
		case *syntax.Stmt:
			for _, r := range n.Redirs {
				ok = ok && r.Word.Lit() == "/dev/null" // cd -- x >/dev/null
			}
			ok = ok && !n.Background && !n.Coprocess && !n.Disown
		case *syntax.Redirect:
		case *syntax.BinaryCmd:
		case *syntax.CallExpr:
			ok = ok && len(n.Assigns) == 0 && len(n.Args) > 0 &&
				slices.Contains([]string{"cd", "pwd", "dirname", "basename", "readlink", "realpath"}, n.Args[0].Lit())
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// isProgram reports whether a word names a program: by its bare name, by a path that ends with it,
// or by a variable with such a value.
func isProgram(w *syntax.Word, name string, assigned map[string]*syntax.Word) bool {
	if w == nil || !computesFolder(w) {
		return false
	}
	last := w.Parts[len(w.Parts)-1]
	alone := len(w.Parts) == 1
	if q, ok := last.(*syntax.DblQuoted); ok && len(q.Parts) > 0 {
		alone = alone && len(q.Parts) == 1
		last = q.Parts[len(q.Parts)-1]
	}
	switch last := last.(type) {
	case *syntax.Lit:
		return strings.HasSuffix(last.Value, "/"+name) || alone && last.Value == name
	case *syntax.ParamExp:
		return alone && words.Plain(last) && isProgram(assigned[last.Param.Value], name, nil)
	}
	return false
}

// allArguments reports whether a word is "$@".
func allArguments(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	q, ok := w.Parts[0].(*syntax.DblQuoted)
	if !ok || q.Dollar || len(q.Parts) != 1 {
		return false
	}
	exp, ok := q.Parts[0].(*syntax.ParamExp)
	return ok && words.Plain(exp) && exp.Param.Value == "@"
}
