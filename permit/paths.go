package permit

import (
	"path"
	"slices"
	"strings"
)

// readers are the commands whose arguments are checked as paths that are read, whatever a rule
// says, with what Claude Code says they do.
var readers = map[string]string{
	"cd": "change directories to", "ls": "list files in", "find": "search files in",
	"cat": "concatenate files from", "head": "read the beginning of files from", "tail": "read the end of files from",
	"sort": "sort contents of files from", "uniq": "filter duplicate lines from files in", "wc": "count lines/words/bytes in files from",
	"cut": "extract columns from files in", "paste": "merge files from", "column": "format files from",
	"file": "examine file types in", "stat": "read file stats from", "diff": "compare files from",
	"cmp": "compare files from", "comm": "compare files from", "strings": "extract strings from files in",
	"hexdump": "display hex dump of files from", "od": "display octal dump of files from",
	"base64": "encode/decode files from", "nl": "number lines in files from", "grep": "search for patterns in files from",
	"rg": "search for patterns in files from", "sed": "edit files in", "jq": "process JSON from files in",
	"md5sum": "compute MD5 checksums for files in", "sha1sum": "compute SHA-1 checksums for files in",
	"sha256sum": "compute SHA-256 checksums for files in", "tac": "read files (reversed) from",
	"rev": "read files (reversed lines) from", "expand": "convert tabs in files from", "unexpand": "convert spaces in files from",
	"fmt": "reformat files from", "fold": "wrap lines of files from", "numfmt": "reformat numbers in files from",
	"awk": "process text from files in", "gawk": "process text from files in", "mawk": "process text from files in",
	"tr": "transform text from files in", "pr": "paginate files from", "tsort": "sort files from", "man": "read manual page files from", "egrep": "", "fgrep": "",
}

// writers change the files that they name.
var writers = map[string]bool{"touch": true, "mkdir": true, "rm": true, "rmdir": true, "cp": true, "mv": true, "tee": true}

// paths checks what a part reads or writes against the session's folders.
func (j *decision) paths(p *part) *fault {
	name, args := p.name()
	if !p.plain() {
		name, args = "", nil
	}
	if writers[name] {
		return j.writes(p, name, args)
	}
	if name == "git" {
		return j.gitPaths(args)
	}
	does, ok := readers[name]
	if !ok {
		return nil
	}
	switch {
	case name == "cd":
		return j.chdir(p, args)
	case name == "sed" && !readOnlySed(args):
		return j.writes(p, name, args)
	}
	for _, w := range pathArgs(name, args) {
		if f := j.path(w, name, does, false); f != nil {
			return f
		}
	}
	return nil
}

// gitPaths checks the subcommands that compare or search files outside of a repository, too.
func (j *decision) gitPaths(args []word) *fault {
	for _, w := range gitPathArgs(args) {
		if w.val == "/dev/null" {
			continue
		}
		if f := j.path(w, "git", "access files with git from", false); f != nil {
			return f
		}
	}
	return nil
}

func gitPathArgs(args []word) []word {
	if len(args) == 0 {
		return nil
	}
	switch args[0].val {
	case "diff":
		return positional(args[1:])
	case "grep":
		return afterPattern(args[1:], "-e", "-f")
	}
	return nil
}

// plain reports whether the part's name is its own: with assignments before it that are not
// safe, nothing is looked at.
func (p *part) plain() bool { return !p.test }

// chdir checks cd. Flags count as no argument, and none means home.
func (j *decision) chdir(p *part, args []word) *fault {
	var dirs []word
	for i, w := range args {
		if w.val == "--" {
			dirs = append(dirs, args[i+1:]...)
			break
		}
		if strings.HasPrefix(w.val, "-") && w.val != "-" {
			continue
		}
		dirs = append(dirs, w)
	}
	switch {
	case len(dirs) > 1:
		return newFault(p.span, "cd with two folders", "cd with two or more directory arguments requires manual approval.")
	case len(dirs) == 0:
		dirs = []word{{span: p.span, val: j.home}}
	case dirs[0].val == "-":
		return nil
	}
	return j.path(dirs[0], "cd", readers["cd"], false)
}

// stays reports a cd that leaves the folder as it is. In a pipe, where commands are taken as text, the
// end of a line that goes on would be its folder.
func (j *decision) stays(p part) bool {
	name, args := p.name()
	return name == "cd" && len(args) == 1 && path.Clean(j.absolute(args[0].val)) == j.dirs[0] &&
		!(j.r.pipes && strings.Contains(j.src[p.off:p.end], "\\\n"))
}

// path checks one path that is read, or written.
func (j *decision) path(w word, name, does string, write bool) *fault {
	expansion := newFault(w.span, "Claude Code does not analyse a path that the shell would expand", "Shell expansion syntax in paths requires manual approval")
	up := newFault(w.span, "a path that goes up again may follow a link out of the folder",
		"Path contains '..' traversal after a directory segment, which may follow a symlink outside the working directory")
	v := w.val
	switch {
	case w.nested() && write:
		return newFault(w.span, "Claude Code does not analyse a path known only at run time",
			name+" target contains command-substitution or untracked-variable output")
	case w.nested() && parentAfterName(v): // what the run shows counts as a folder
		return up
	case w.nested():
		// The text before it counts.
		v = v[:strings.IndexAny(v, nestedMark+variableMark)]
		if v == "" {
			return nil
		}
		v, _ = path.Split(v)
		if v == "" {
			return nil
		}
	case strings.ContainsAny(v, "$`"), strings.HasPrefix(v, "="):
		return expansion
	case strings.HasPrefix(v, "~") && v != "~" && !strings.HasPrefix(v, "~/"):
		return newFault(w.span, "Claude Code does not analyse ~ with a name", "Tilde expansion variants (~user, ~+, ~-) in paths require manual approval")
	case parentAfterName(v):
		return up
	}
	if i := strings.IndexAny(v, "*?["); i >= 0 {
		if write {
			return newFault(w.span, "a pattern names no exact file to write", "Glob patterns are not allowed in write operations. Please specify an exact file path.")
		}
		v = v[:strings.LastIndexByte(v[:i], '/')+1]
		if v == "" {
			v = "."
		}
	}
	abs := path.Clean(j.absolute(v))
	if j.inside(abs) || !write && j.readable(abs) {
		return nil
	}
	if does == "" {
		does = "search for patterns in files from"
	}
	return newFault(w.span, "the path "+v+" is outside of the folders that the session may use",
		name+" in '"+abs+"' was blocked. For security, Claude Code may only "+does+
			" the allowed working directories for this session: '"+j.dirs[0]+"'.").cured("Read", abs)
}

func parentAfterName(p string) bool {
	named := false
	for seg := range strings.SplitSeq(p, "/") {
		switch seg {
		case "", ".":
		case "..":
			if named {
				return true
			}
		default:
			named = true
		}
	}
	return false
}

func (j *decision) absolute(p string) string {
	switch {
	case p == "~" || strings.HasPrefix(p, "~/"):
		return j.home + p[1:]
	case strings.HasPrefix(p, "/"):
		return p
	}
	return j.dirs[0] + "/" + p
}

func (j *decision) inside(abs string) bool {
	for _, d := range j.dirs {
		if within(abs, path.Clean(d)) {
			return true
		}
	}
	return false
}

func within(p, dir string) bool {
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == '/' || dir == "/")
}

// readable reports whether a Read rule opens a path outside of the session's folders.
func (j *decision) readable(abs string) bool { return j.named(j.allow, "Read", abs, false) != nil }

// named returns the rule of a tool for files that names the path, or a folder that it is in; or nil. Rules that deny or
// ask mean by DIR/** such a folder anywhere, those that allow only the one in the session's folder.
func (j *decision) named(rules []Rule, tool, abs string, anywhere bool) *Rule {
	for i, r := range rules {
		if r.Tool != tool || r.Spec == "" || r.Spec == "*" {
			continue
		}
		root, pattern := j.dirs[0], r.Spec
		switch {
		case strings.HasPrefix(pattern, "//"):
			root, pattern = "/", strings.TrimLeft(pattern, "/")
		case strings.HasPrefix(pattern, "~/"):
			root, pattern = j.home, pattern[2:]
		case strings.HasPrefix(pattern, "/"):
			pattern = pattern[1:]
		default:
			pattern = strings.TrimPrefix(pattern, "./")
			name := strings.TrimSuffix(pattern, "/")
			if anywhere {
				name = strings.TrimSuffix(pattern, "/**")
			}
			if !strings.Contains(name, "/") {
				pattern = "**/" + pattern
			}
		}
		root = strings.TrimSuffix(path.Clean(root), "/")
		rel, inside := strings.CutPrefix(abs, root+"/")
		pattern = strings.TrimSuffix(strings.TrimSuffix(pattern, "/**"), "/")
		if inside && rel != "" && pattern != "" && globSegments(strings.Split(pattern, "/"), strings.Split(rel, "/")) {
			return &rules[i]
		}
	}
	return nil
}

// globSegments matches a path, or a folder that it is in, with a pattern in which ** crosses folders.
func globSegments(pattern, p []string) bool {
	for i, seg := range pattern {
		if seg == "**" {
			for k := i; k <= len(p); k++ {
				if globSegments(pattern[i+1:], p[k:]) {
					return true
				}
			}
			return false
		}
		if i >= len(p) {
			return false
		}
		if ok, err := path.Match(seg, p[i]); err != nil || !ok {
			return false
		}
	}
	return true
}

// pathArgs returns the arguments that a command takes as paths.
func pathArgs(name string, args []word) []word {
	switch name {
	case "find":
		return findPaths(args)
	case "grep", "rg", "egrep", "fgrep":
		return afterPattern(args, "-e", "--regexp", "-f", "--file")
	case "awk", "gawk", "mawk":
		return afterPattern(args, "-f", "--file")
	case "jq":
		return afterPattern(args, "-f", "--from-file")
	case "sed":
		return afterPattern(args, "-e", "--expression", "-f", "--file")
	case "tr": // after one set of characters or two
		sets := 2
		if slices.ContainsFunc(args, func(w word) bool { return isFlag(w.val) && strings.Contains(w.val, "d") }) {
			sets = 1
		}
		files := positional(args)
		return files[min(sets, len(files)):]
	case "cut", "column", "paste":
		return positional(withoutDelimiter(args))
	}
	return positional(args)
}

// positional returns the arguments that are no flags.
func positional(args []word) []word {
	var out []word
	for i, w := range args {
		if w.val == "--" {
			return append(out, args[i+1:]...)
		}
		if !strings.HasPrefix(w.val, "-") || w.val == "-" {
			out = append(out, w)
		}
	}
	return out
}

// withoutDelimiter drops the values of -d and -s, which are no paths.
func withoutDelimiter(args []word) []word {
	var out []word
	for i := 0; i < len(args); i++ {
		out = append(out, args[i])
		if v := args[i].val; len(v) > 1 && v[0] == '-' && v[1] != '-' && (v[len(v)-1] == 'd' || v[len(v)-1] == 's' && i+1 < len(args) && args[i+1].val == "/") {
			i++
		}
	}
	return out
}

// afterPattern returns the positional arguments but for the first, which is a pattern or a program
// unless one of the flags gave it.
func afterPattern(args []word, given ...string) []word {
	skip := 1
	for _, w := range args {
		if w.val == "--" {
			break
		}
		for _, g := range given {
			if w.val == g || strings.HasPrefix(g, "--") && strings.HasPrefix(w.val, g+"=") {
				skip = 0
			}
		}
	}
	pos := positional(valued(args))
	return pos[min(skip, len(pos)):]
}

// valued drops the values of the flags that are known to take one.
func valued(args []word) []word {
	var out []word
	for i := 0; i < len(args); i++ {
		out = append(out, args[i])
		switch args[i].val {
		case "-e", "--regexp", "--expression", "-A", "-B", "-C", "-m", "--max-count", "--include", "--exclude", "--exclude-dir",
			"-g", "--glob", "-t", "--type", "-T",
			"--type-not", "--indent", "--arg", "--argjson", "-v", "-F", "--context", "--after-context", "--before-context", "--color":
			i++
		case "--":
			return append(out, args[min(i+1, len(args)):]...)
		}
	}
	return out
}

// findPaths returns where find begins, and the paths that some of its tests take.
func findPaths(args []word) []word {
	var out []word
	started, value := false, false // value: of a test that takes a path
	for i, w := range args {
		switch {
		case w.val == "-H" || w.val == "-L" || w.val == "-P":
		case strings.HasPrefix(w.val, "-"):
			started = true
			switch w.val {
			case "--":
				return append(out, args[i+1:]...)
			case "-anewer", "-cnewer", "-samefile", "-path", "-wholename", "-ilname", "-lname", "-ipath", "-iwholename":
				value = true
			default:
				value = strings.HasPrefix(w.val, "-newer")
			}
		case value || !started && w.val != "(" && w.val != "!":
			out = append(out, w)
			value = false
		}
	}
	return out
}

// writes checks a command that changes files. It needs a rule in any case; with one, the paths
// must be inside.
func (j *decision) writes(p *part, name string, args []word) *fault {
	if (name == "cp" || name == "mv") && len(args) > len(positional(args)) {
		return newFault(p.span, "Claude Code does not analyse "+name+" with flags", name+" with flags requires manual approval to ensure path safety.")
	}
	if f := j.removes(p); f != nil {
		return f
	}
	if f := j.protected(p); f != nil {
		return f
	}
	for _, w := range pathArgs(name, args) {
		if f := j.path(w, name, "create or modify files in", true); f != nil {
			return f
		}
	}
	return nil
}

// protected checks a command that changes files for the paths that no rule opens.
func (j *decision) protected(p *part) *fault {
	name, args := p.name()
	if name == "env" && len(args) > 0 {
		name, args = args[0].val, args[1:]
	}
	paths := positional(args)
	switch {
	case name == "sed":
		if readOnlySed(args) {
			return nil
		}
		paths = pathArgs(name, args)
	case (name == "cp" || name == "mv") && len(args) > len(paths), !writers[name]:
		return nil
	}
	for _, w := range paths {
		if j.isProtected(w) {
			return sensitive(w.span, w.val)
		}
	}
	return nil
}

// removes checks rm for what it must not take without a word.
func (j *decision) removes(p *part) *fault {
	name, args := p.name()
	if name != "rm" && name != "rmdir" {
		return nil
	}
	paths := positional(args)
	variable := slices.ContainsFunc(paths, func(w word) bool { return strings.Contains(w.val, variableMark) })
	for _, w := range paths {
		if variable && w.val != variableMark+"/*" && w.val != variableMark+"/" {
			continue
		}
		if variable || j.precious(w) {
			return newFault(w.span, name+" of "+j.src[w.off:w.end]+" needs a person",
				"Dangerous "+name+" operation detected: '"+j.src[w.off:w.end]+"'")
		}
	}
	return nil
}

// precious reports a folder that must not be removed without a word: the root and what stands
// right below it, the home, the session's folder and those above it, and all that is in them.
func (j *decision) precious(w word) bool {
	if w.nested() {
		return false
	}
	abs := path.Clean(j.absolute(w.val))
	if path.Base(abs) == "*" {
		abs = path.Dir(abs)
	}
	return strings.Count(abs, "/") <= 1 || abs == path.Clean(j.home) || within(j.dirs[0], abs)
}

func sensitive(s span, p string) *fault {
	return newFault(s, "no rule lets a command write to "+p, "Claude requested permissions to edit "+p+" which is a sensitive file.")
}

var (
	protectedDirs  = fields(`.git .claude .vscode .idea .husky .devcontainer .cargo .yarn`)
	protectedFiles = fields(`.gitmodules .gitconfig .bashrc .bash_profile .bash_login .bash_logout .bash_aliases
		.zshrc .zprofile .zshenv .zlogin .profile .envrc .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnpmfile.cjs .bunfig.toml
		bunfig.toml .ripgreprc .mcp.json .claude.json .pre-commit-config.yaml .lefthook.yml`)
)

// isProtected reports a path that only a person may change.
func (j *decision) isProtected(w word) bool {
	if w.nested() {
		return false
	}
	abs := strings.ToLower(path.Clean(j.absolute(w.val)))
	if protectedFiles()[path.Base(abs)] {
		return true
	}
	segs := strings.Split(abs, "/")
	for i, seg := range segs {
		if protectedDirs()[seg] && !(seg == ".claude" && i+1 < len(segs) && segs[i+1] == "worktrees") {
			return true
		}
	}
	return false
}

// redirect checks a redirection from or to a file.
func (j *decision) redirect(f redirect) *fault {
	if !f.write {
		if f.to.glob {
			return newFault(f.span, "Claude Code does not analyse a redirection from a pattern",
				"Input redirection from '"+f.to.val+"' requires manual approval: the file it names depends on glob expansion or a directory change in the command.")
		}
		out := j.path(f.to, "", "read files in", false)
		if out != nil {
			out.span = f.span
			out.file = f.to.val
			out.said = "Input redirection from '" + f.to.val +
				"' was blocked. For security, Claude Code may only read files in the allowed working directories for this session: '" + j.dirs[0] + "'."
		}
		return out
	}
	if j.isProtected(f.to) {
		return sensitive(f.span, f.to.val)
	}
	if strings.HasPrefix(f.to.val, "~") {
		return newFault(f.span, "Claude Code does not analyse a path that the shell would expand", "Shell expansion syntax in paths requires manual approval")
	}
	abs := path.Clean(j.absolute(f.to.val))
	if f.to.glob {
		return newFault(f.span, "Claude Code does not analyse a path that the shell would expand", "Shell expansion syntax in paths requires manual approval")
	}
	if j.named(j.allow, "Edit", abs, false) != nil && !within(abs, "/dev") || j.acceptsEdits() && j.inside(abs) {
		return nil
	}
	return newFault(f.span, "a redirection to a file needs a rule such as "+j.editRule(f.to.val),
		"Output redirection to '"+abs+"' needs approval.").cured("Edit", f.to.val)
}
