package check

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

func referenceRules() []*Rule {
	return []*Rule{
		{ID: "SK201", Name: "link-missing", Severity: Error, kinds: []Kind{Skill, Command, Agent, Text, FirstUse}, run: linkMissing,
			Summary: "a link leads to a file that does not exist"},
		{ID: "SK202", Name: "script-missing", Severity: Error, kinds: []Kind{Skill, Command, Agent, Text, FirstUse, Hooks, Plugin}, run: scriptMissing,
			Summary: "a directive or hook calls a script that does not exist"},
		{ID: "SK203", Name: "script-not-executable", Severity: Error, kinds: []Kind{Skill, Command, Agent, Text, FirstUse, Hooks, Plugin}, run: scriptNotExecutable,
			Summary: "a script that is called by its path may not be executed"},
		{ID: "SK206", Name: "unknown-variable", Severity: Error, load: true, run: unknownVariable,
			Summary: "a variable is almost one that is filled in, and stays as it is"},
		{ID: "SK207", Name: "placeholder-in-text", Severity: Warning, agent: claude, run: placeholderInText,
			Summary: "a price or a program's own $1 is replaced when the skill is given arguments"},
		{ID: "SK210", Name: "agent-missing", Severity: Warning, agent: claude, kinds: []Kind{Skill, Command, Agent},
			run: agentStarts, together: agentMissing,
			Summary: "the text starts a subagent of a type that does not exist"},
		{ID: "SK209", Name: "file-missing", Severity: Warning, kinds: []Kind{Skill}, run: fileMissing,
			Summary: "the text sends the agent to a file of the skill's own that does not exist"},
	}
}

func linkMissing(p *pass) {
	for _, l := range p.doc.links {
		if file, ok := p.backslashed(l.Destination); ok {
			f := p.find(l.Start, l.End, "%s has backslashes, and does not exist: outside of Windows they are part of the name", l.Destination)
			f.Help = "write " + file
			continue
		}
		file := linked(l.Destination)
		if p.doc.leavesPlugin(file) {
			f := p.severe(p.find(l.Start, l.End, "%s is outside of the plugin: who installs the plugin does not get it", file), Warning)
			f.Help = "move the file into the plugin, or link to where it is published"
			if p.doc.file.Plugin == "" {
				f.Message = file + " is outside of the repository: who clones it does not get it"
				f.Help = "move the file into the repository, or link to where it is published"
			}
			continue
		}
		if file == "" || p.doc.resolves(file) || p.doc.isIgnored(file) || p.doc.isOnGitHub(file) || p.isQuoted(l.Start) {
			continue
		}
		f := p.find(l.Start, l.End, "%s does not exist", file)
		f.Help = "fix or remove the link"
		if p.doc.isThereFor(file) {
			f.Message += ": the agent is told that the skill's paths begin in its own folder"
			f.Help = "write " + p.doc.fromOwnFolder(file)
		}
		if other := p.doc.otherCase(file); other != "" {
			f.Help = "write " + other + ": file names are case-sensitive on most systems"
		}
		if p.mayBeWritten(file) {
			p.severe(f, Info)
		}
	}
}

// leavesPlugin reports whether a link leads to a file that is there and not in the plugin, which is a copy of its folder once it
// is installed; or, outside of plugins, not in the repository.
func (d *document) leavesPlugin(file string) bool {
	root := cmp.Or(d.file.Plugin, d.file.Top)
	if !strings.HasPrefix(file, "../") || root == "" {
		return false
	}
	target := filepath.Join(filepath.Dir(d.file.Path), filepath.FromSlash(file))
	return !files.Inside(root, target) && find.IsThere(target)
}

// resolves reports whether a link leads somewhere for the agent. It is told that a skill's paths begin in the skill's folder; if
// that is the project's, it works in the project's.
func (d *document) resolves(file string) bool {
	if d.file.Path == "" || d.file.Kind != Skill && d.file.Kind != FirstUse {
		return d.isThereFor(file)
	}
	at := filepath.FromSlash(file)
	return find.IsThere(filepath.Join(filepath.Dir(d.file.Path), at)) ||
		d.file.Claude && d.file.As == Project && find.IsThere(filepath.Join(filepath.Dir(d.file.Root), at))
}

// fromOwnFolder returns the path from the text's folder to a file that is in a folder above.
func (d *document) fromOwnFolder(file string) string {
	up := ""
	for dir := filepath.Dir(d.file.Path); dir != filepath.Dir(dir) && !find.IsThere(filepath.Join(dir, filepath.FromSlash(file))); dir = filepath.Dir(dir) {
		up += "../"
	}
	return up + strings.TrimPrefix(file, "./")
}

// isQuoted reports whether an offset is within double quotes on its line: in a sentence that the agent is to write.
func (p *pass) isQuoted(offset int) bool {
	line := p.doc.lineAt(offset)
	at, text := offset-p.doc.lines[line-1], p.doc.lineText(line)
	before, after := text[:at], text[at:]
	return strings.Count(before, `"`)%2 == 1 && strings.Contains(after, `"`) || strings.LastIndex(before, "“") > strings.LastIndex(before, "”")
}

// otherCase returns the name of a file beside the text that differs from a link's in capitals alone, or "".
func (d *document) otherCase(file string) string {
	dir := filepath.Join(filepath.Dir(d.file.Path), filepath.FromSlash(path.Dir(file)))
	entries, _ := os.ReadDir(dir) // one that is not there has no such file
	for _, e := range entries {
		if strings.EqualFold(e.Name(), path.Base(file)) {
			return path.Join(path.Dir(file), e.Name())
		}
	}
	return ""
}

// mayBeWritten reports whether a link may be part of what somebody is to write: in a template, or in a command or
// agent, which have no folder of their own, to a file that the user's project may have.
func (p *pass) mayBeWritten(file string) bool {
	if slices.ContainsFunc(strings.Split(filepath.ToSlash(filepath.Dir(p.doc.file.Path)), "/"), isTemplateFolder) {
		return true
	}
	own := strings.HasPrefix(file, "../") || strings.HasPrefix(file, "./") || strings.HasPrefix(file, "references/") || strings.HasPrefix(file, "scripts/")
	return (p.doc.file.Kind == Command || p.doc.file.Kind == Agent) && !own
}

// backslashed returns the file that a link with backslashes means.
func (p *pass) backslashed(destination string) (string, bool) {
	file := strings.ReplaceAll(destination, `\`, "/")
	return file, file != destination && linked(file) != "" && p.doc.file.Path != "" && p.doc.isThereFor(file)
}

// linked returns the file that a link leads to; "" if it leads elsewhere, or is a placeholder.
func linked(destination string) string {
	file, _, _ := strings.Cut(destination, "#")
	file, _, _ = strings.Cut(file, "?")
	if text, err := url.PathUnescape(file); err == nil {
		file = text
	}
	switch {
	case file == "", strings.HasPrefix(file, "/"), strings.HasPrefix(file, "~"), strings.Contains(file, ":"), strings.Contains(file, "@"):
		return ""
	case strings.ContainsAny(file, "<>{}$*[]()|\\\"' \t\n") || strings.Contains(file, "...") || strings.Contains(file, "…"):
		return ""
	case !strings.ContainsAny(file, "./"):
		return "" // [text](url)
	}
	low := strings.ToLower(file)
	for _, word := range []string{"path/to", "example", "xxx", "yyyy", "your-", "placeholder"} {
		if strings.Contains(low, word) {
			return ""
		}
	}
	return file
}

// isThereFor reports whether a file is there for the agent: beside the text, or in a folder above
// it, up to the top of what is loaded. Nobody can tell about a text that has no folder.
func (d *document) isThereFor(file string) bool {
	if d.file.Path == "" {
		return true
	}
	dir := filepath.Dir(d.file.Path)
	for range 20 {
		if find.IsThere(filepath.Join(dir, filepath.FromSlash(file))) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir || find.IsThere(filepath.Join(dir, ".git")) {
			return false
		}
		dir = up
	}
	return false
}

// isOnGitHub reports whether a link leads where only a page of the file has something: out of the
// repository, or up to one of its pages there.
func (d *document) isOnGitHub(file string) bool {
	if d.file.Path == "" || !strings.HasPrefix(file, "../") {
		return false
	}
	dir := filepath.Dir(d.file.Path)
	if top := files.Top(dir); top != "" && !files.Inside(top, filepath.Join(dir, filepath.FromSlash(file))) {
		return true
	}
	page, _, _ := strings.Cut(strings.TrimLeft(file, "./"), "/")
	return slices.Contains([]string{"issues", "pull", "pulls", "actions", "releases", "wiki", "discussions"}, page) && path.Ext(file) != ".md"
}

// isIgnored reports whether the repository keeps a file out of what is committed, by the patterns
// at its top: then it may be there for those who work in it.
func (d *document) isIgnored(file string) bool {
	patterns, err := files.ReadFile(filepath.Join(d.file.Top, ".gitignore"))
	if d.file.Top == "" || err != nil {
		return false
	}
	names := []string{path.Clean(filepath.ToSlash(file)), find.Relative(d.file.Top, filepath.Join(filepath.Dir(d.file.Path), filepath.FromSlash(file)))}
	for line := range strings.Lines(string(patterns)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		pattern := strings.TrimSuffix(strings.TrimPrefix(line, "/"), "/")
		if !strings.Contains(pattern, "/") {
			pattern = "**/" + pattern
		}
		if slices.ContainsFunc(names, func(name string) bool { return files.Match(pattern, name) }) {
			return true
		}
	}
	return false
}

// A mention is a script that a text calls or names.
type mention struct {
	written    string // the path below the folder
	tested     bool   // the command looks first whether a file is there
	file       string // where it would be; "" if it could be in several folders
	start, end int
	called     bool // by its path, so it must be executable
	relative   bool // to the folder that the agent works in
	example    bool // in a text, where it may stand for another plugin's or skill's
	anchor     int
}

// mentions lists the scripts that directives and hooks call, and those that stand after
// ${CLAUDE_SKILL_DIR} or ${CLAUDE_PLUGIN_ROOT} anywhere.
func (p *pass) mentions() []mention {
	all := p.hookMentions()
	if p.doc.skill == nil || p.doc.file.Kind == Agent {
		return all
	}
	for i, part := range p.doc.skill.Parts {
		if part.Kind != skill.Variable || !part.Braced || part.Escaped || i+1 == len(p.doc.skill.Parts) {
			continue
		}
		if m, ok := p.after(part, p.doc.skill.Parts[i+1].Source); ok {
			m.called = p.startsCommand(part)
			m.example = part.Name == "CLAUDE_PLUGIN_ROOT" || strings.Contains(m.written, "..") || standsForOthers(m.written)
			all = append(all, m)
		}
	}
	for _, d := range p.doc.directives {
		if d.part == nil {
			continue
		}
		for i, part := range d.part.Command {
			if part.Kind != skill.Variable || !part.Braced || i+1 == len(d.part.Command) {
				continue
			}
			if m, ok := p.after(part, d.part.Command[i+1].Source); ok {
				m.called, m.anchor, m.tested = d.calls(part.Offset), d.line, d.program != nil && testsFile(d.program)
				all = append(all, m)
			}
		}
	}
	p.doc.calls(func(d *directive, call *syntax.CallExpr) {
		if m, ok := relativeScript(call); ok && !changesFolder(d.program) {
			m.start, m.end, m.anchor, m.tested = d.at(m.start), d.at(m.end), d.line, testsFile(d.program)
			if working := p.doc.project(); working != "" && find.IsThere(filepath.Join(working, filepath.FromSlash(m.written))) {
				m.file = filepath.Join(working, filepath.FromSlash(m.written))
			}
			all = append(all, m)
		}
	})
	return all
}

// changesFolder reports whether a command goes to another folder before it runs what it names.
func changesFolder(program *syntax.File) bool {
	found := false
	syntax.Walk(program, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		found = found || ok && len(call.Args) > 0 && slices.Contains([]string{"cd", "pushd"}, name(call))
		return !found
	})
	return found
}

// after reads the path that follows a variable which stands for a folder.
func (p *pass) after(v skill.Part, rest string) (mention, bool) {
	root := ""
	switch v.Name {
	case "CLAUDE_SKILL_DIR":
		root = filepath.Dir(p.doc.file.Path)
	case "CLAUDE_PLUGIN_ROOT":
		root = p.doc.file.Plugin
	}
	path, ok := scriptPath(p.doc.src[:v.Offset], rest)
	if root == "" || !ok || p.doc.file.Kind == Command && v.Name == "CLAUDE_SKILL_DIR" {
		return mention{}, false
	}
	return mention{
		written: path,
		file:    filepath.Join(root, filepath.FromSlash(path)),
		start:   v.Offset,
		end:     v.Offset + len(v.Source) + 1 + len(path),
		anchor:  v.Line,
	}, true
}

// scriptPath returns the path of a script that a text begins with, after a slash. In quotes, which open
// at the end of what stands before it, the path may have blanks.
func scriptPath(before, text string) (string, bool) {
	path, rest, ok := plainPath(text)
	if !ok {
		return "", false
	}
	if n := len(path); n < len(rest) && rest[n] == ' ' && !slices.Contains(scriptEndings, filepath.Ext(path)) && strings.HasSuffix(before, `"`) {
		quoted, _, closed := strings.Cut(rest, `"`)
		return quoted, closed && slices.Contains(scriptEndings, filepath.Ext(quoted)) && !strings.ContainsAny(quoted, "*<{[$?\n\\")
	}
	return path, isScript(path)
}

// plainPath returns the path that a text begins with, after a slash, and the text from there on. It is not ok if the path is a
// pattern or has a placeholder.
func plainPath(text string) (path, rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, "/")
	if !ok {
		return "", "", false
	}
	n := strings.IndexFunc(rest, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./", r))
	})
	if n < 0 {
		n = len(rest)
	}
	if n < len(rest) && strings.ContainsRune("*<{[$?+@=~%\\", rune(rest[n])) { // or a name goes on
		return "", "", false
	}
	return strings.TrimRight(rest[:n], "."), rest, true
}

var scriptEndings = []string{".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl"}

func isScript(path string) bool {
	if strings.HasSuffix(path, "/") || path == "" {
		return false
	}
	folder, _, below := strings.Cut(path, "/")
	return slices.Contains(scriptEndings, filepath.Ext(path)) || below && filepath.Ext(path) == "" && (folder == "scripts" || folder == "bin")
}

// calls reports whether what stands at an offset of the file begins a command of the directive.
func (d *directive) calls(offset int) bool {
	return slices.ContainsFunc(d.names, func(n [2]int) bool { return n[0] <= offset && offset < n[1] })
}

// startsCommand reports whether a variable in a fence stands where a command does: first on its line.
func (p *pass) startsCommand(v skill.Part) bool {
	line := p.doc.src[p.doc.lines[v.Line-1]:v.Offset]
	return v.InCode && strings.Trim(line, " \t\"") == "" && !strings.HasPrefix(line, "    ")
}

// shells are the programs that run a script that they are given.
var shells = []string{"bash", "sh", "zsh", "python", "python3", "node", "ruby", "perl", "source", "."}

// relativeScript returns the script that a call runs, by its path or by an interpreter, if the path is relative.
func relativeScript(call *syntax.CallExpr) (mention, bool) {
	w, called := call.Args[0], true
	if slices.Contains(shells, name(call)) {
		if len(call.Args) < 2 {
			return mention{}, false
		}
		w, called = call.Args[1], false
	}
	text := words.Lit(w)
	path := strings.TrimPrefix(text, "./")
	_, _, below := strings.Cut(text, "/")
	isLocal := filepath.IsLocal(path) && !strings.ContainsAny(path, "*?[~")
	if !below || !isLocal || !isScript(path) && !(called && path != text && !strings.Contains(path, "/")) {
		return mention{}, false
	}
	return mention{written: path, start: from(w), end: to(w), called: called, relative: true}, true
}

// testsFile reports whether a command looks first whether a file is there: [ -f x ], test -x x.
func testsFile(n syntax.Node) bool {
	found := false
	is := func(op string) bool { return slices.Contains([]string{"-e", "-f", "-r", "-s", "-x", "-d", "-a"}, op) }
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 1 && (name(n) == "[" || name(n) == "test") {
				found = found || slices.ContainsFunc(args(n), is)
			}
		case *syntax.UnaryTest:
			found = found || is(n.Op.String())
		case *syntax.SglQuoted: // a command for bash -c
			found = found || strings.Contains(n.Value, "[ -") || strings.Contains(n.Value, "test -")
		}
		return !found
	})
	return found
}

func scriptMissing(p *pass) {
	for _, m := range p.mentions() {
		if m.tested || m.file != "" && find.IsThere(m.file) || m.relative && p.wrongFolder(m) {
			continue
		}
		inOwn := strings.HasPrefix(m.written, "scripts/") || strings.HasPrefix(m.written, "bin/")
		if m.relative && (p.doc.isThereFor(m.written) || p.doc.isIgnored(m.written) || !inOwn && p.doc.project() == "") {
			continue // beside it, made by a build, or the user's
		}
		f := p.find(m.start, m.end, "%s does not exist", m.written)
		f.anchor = max(m.anchor, 1)
		f.Help = "add the script, or correct the path"
		if m.example {
			p.severe(f, Info)
		}
	}
}

// wrongFolder reports a script that comes with the skill, or its plugin, and is named by a relative path: Claude Code looks
// for it in the folder that it works in (testdata/claude/SK202-relative.txtar).
func (p *pass) wrongFolder(m mention) bool {
	for _, root := range []struct{ variable, dir string }{
		{"${CLAUDE_SKILL_DIR}", p.doc.ownFolder()}, {"${CLAUDE_PLUGIN_ROOT}", p.doc.file.Plugin},
	} {
		if root.dir == "" || !find.IsThere(filepath.Join(root.dir, filepath.FromSlash(m.written))) {
			continue
		}
		full := root.variable + "/" + m.written
		f := p.find(m.start, m.end, "Claude Code looks for %s in the folder that it works in, not in that of the skill", m.written)
		f.anchor, f.ofClaude = max(m.anchor, 1), true
		f.Help = "write " + full
		f.Fix = replace("write "+full, true, m.start, m.end, full)
		return true
	}
	return false
}

func scriptNotExecutable(p *pass) {
	if runtime.GOOS == "windows" {
		return
	}
	done := map[string]bool{}
	for _, m := range p.mentions() {
		if !m.called || m.file == "" || done[m.file] || !lacksBit(m.file) {
			continue
		}
		done[m.file] = true
		f := p.find(m.start, m.end, "%s is not executable, and is called by its path: permission denied", m.written)
		f.anchor = max(m.anchor, 1)
		f.Help = "chmod +x it, and commit the change (git update-index --chmod=+x)"
		if p.doc.owns(m.file) {
			f.Fix = &Fix{Title: "make it executable", Unsafe: true, Edits: []Edit{}, Executable: m.file}
		}
	}
	if p.doc.file.Kind != Skill || !files.IsFile(p.doc.file.Path) {
		return
	}
	for _, file := range files.Glob(p.folder(), "execute.*") {
		if !done[file] && lacksBit(file) {
			f := p.severe(p.beside(file, firstBytes(file), 1, "the skill's script is not executable, so skillhand run refuses it"), Warning)
			f.Help = "chmod +x it, and commit the change (git update-index --chmod=+x)"
		}
	}
	p.scripts(func(file string, mode fs.FileMode) {
		if done[file] || !lacksBit(file) {
			return
		}
		p.severe(p.beside(file, firstBytes(file), 1, "the script has a #! line but is not executable"), Info).Help = "chmod +x it if it is to be called by its path"
	})
}

// owns reports whether a file is of the skill, plugin or project that is checked, links followed:
// others are not for us to change.
func (d *document) owns(file string) bool {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false
	}
	roots := []string{d.file.Plugin, d.project()}
	if d.file.Kind == Skill || d.file.Kind == FirstUse {
		roots = append(roots, filepath.Dir(d.file.Path))
	}
	return slices.ContainsFunc(roots, func(root string) bool {
		root, err := filepath.EvalSymlinks(root)
		return root != "" && err == nil && files.Inside(root, real)
	})
}

// lacksBit reports whether a file has a #! line and may not be executed.
func lacksBit(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 == 0 && bytes.HasPrefix(firstBytes(file), []byte("#!"))
}

func firstBytes(file string) []byte {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head) // a short file is one too
	return head[:n]
}

// isSourced reports whether a script beside a file reads it in, so that it needs no #! line.
func isSourced(file string) bool {
	dir := filepath.Dir(file)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext != ".sh" && ext != ".bash" || !e.Type().IsRegular() {
			continue
		}
		src, err := files.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(src)) {
			line = strings.TrimSpace(line)
			if (strings.HasPrefix(line, "source ") || strings.HasPrefix(line, ". ")) && strings.Contains(line, filepath.Base(file)) {
				return true
			}
		}
	}
	return false
}

func unknownVariable(p *pass) {
	check := func(v skill.Part) {
		if v.Kind != skill.Variable || !v.Braced || v.Escaped || slices.Contains(skill.Variables(), v.Name) {
			return
		}
		meant := meantVariable(v.Name)
		if meant == "" || strings.Contains(p.doc.src, v.Name+"=") || p.hasBinding(v.Name) {
			return
		}
		f := p.find(v.Offset, v.Offset+len(v.Source), "%s is not filled in: the agent and the shell get it as it is", v.Source)
		f.Help = "write " + meant
		f.Fix = replace("write "+meant, true, v.Offset, v.Offset+len(v.Source), meant)
	}
	for _, part := range p.doc.skill.Parts {
		check(part)
		for _, c := range part.Command {
			check(c)
		}
	}
	p.unbraced()
	p.doubleBraces()
	for _, x := range p.doc.directives {
		p.unfilled(x)
	}
}

// unfilled reports arguments in a command that only the shell has, which is given none: ${1:-main}, "$0p", ${ARGUMENTS:-x}.
func (p *pass) unfilled(x *directive) {
	if x.program == nil {
		return
	}
	var found []*syntax.ParamExp
	syntax.Walk(x.program, func(n syntax.Node) bool {
		if e, ok := n.(*syntax.ParamExp); ok && e.Param != nil {
			number := e.Param.Value[0] >= '0' && e.Param.Value[0] <= '9'
			if number && (!e.Short || letters.Get().MatchString(x.command[to(e):])) || e.Param.Value == "ARGUMENTS" && e.Exp != nil {
				found = append(found, e)
			}
		}
		return true
	})
	if len(found) == 0 || x.setsArguments() {
		return
	}
	for _, n := range found {
		end := to(n)
		if n.Short {
			end += len(letters.Get().FindString(x.command[end:]))
		}
		f := p.find(x.at(from(n)), x.at(end), "%s is not filled in: the shell gets it, and has no arguments", x.command[from(n):end])
		f.Help = p.filled(n)
	}
}

// filled says how to write an argument that is not filled in. Claude Code counts from 0, the shell from 1.
func (p *pass) filled(e *syntax.ParamExp) string {
	n, err := strconv.Atoi(e.Param.Value)
	highest := n
	for _, x := range p.numbers() {
		if x.what == "" {
			highest = max(highest, x.n)
		}
	}
	switch {
	case err == nil && n > 0 && p.doc.countsFromOne(highest, true):
		return fmt.Sprintf("write $%d for the %s argument, without braces: Claude Code counts from 0", n-1, ordinal(n))
	case e.Short:
		return "$" + e.Param.Value + " is filled in where no letter, digit or _ follows"
	case err == nil:
		return fmt.Sprintf("write $%d for the %s argument, without braces: Claude Code counts from 0", n, ordinal(n+1))
	}
	return "write $" + e.Param.Value + ", without braces"
}

// ordinal writes a number as first, second, third, 4th.
func ordinal(n int) string {
	if names := []string{"first", "second", "third"}; n >= 1 && n <= len(names) {
		return names[n-1]
	}
	return strconv.Itoa(n) + "th"
}

var letters = words.Regexp(`^[A-Za-z_]\w*`)

var dollarName = words.Regexp(`\$[A-Za-z][A-Za-z_]+`)

// unbraced reports names that are almost known and have no braces: $ARGUMENT, $CLAUDE_SKILL_DIR/x. The shell has no such
// variables either (testdata/claude/SK206-unbraced.txtar).
func (p *pass) unbraced() {
	body := p.doc.body()
	for _, m := range dollarName.Get().FindAllStringIndex(body, -1) {
		name := body[m[0]+1 : m[1]]
		meant := meantUnbraced(name, body[m[1]:])
		if meant == "" || strings.HasSuffix(body[:m[0]], `\`) || strings.HasSuffix(body[:m[0]], ":+") || p.hasBinding(name) || definesName(body, name) {
			continue
		}
		start, end := p.doc.bodyStart()+m[0], p.doc.bodyStart()+m[1]
		if p.isHook(start) || name == "ARGS" && (p.doc.inCode(start) || len(p.doc.file.Owners) == 0) {
			continue
		}
		f := p.find(start, end, "$%s is not filled in: the agent and the shell get it as it is", name)
		f.Help = "write " + meant
		f.Fix = replace("write "+meant, true, start, end, meant)
	}
}

// doubleBraces reports {{args}}, which other agents fill in.
func (p *pass) doubleBraces() {
	if !slices.Contains(p.doc.file.Owners, agents.Claude) {
		return
	}
	for _, m := range braced.Get().FindAllStringIndex(p.doc.body(), -1) {
		start, end := p.doc.bodyStart()+m[0], p.doc.bodyStart()+m[1]
		if p.doc.inCode(start) {
			continue
		}
		f := p.severe(p.find(start, end, "%s is not filled in: Claude Code knows no double braces", p.doc.src[start:end]), Warning)
		f.Help = "write $ARGUMENTS"
	}
}

var braced = words.Regexp(`(?i)\{\{ ?(args|arguments) ?\}\}`)

// meantUnbraced returns the variable that a name without braces stands for. What names a folder counts before a path only:
// else a text may be about the variable.
func meantUnbraced(name, after string) string {
	switch {
	case strings.HasPrefix(name, "ARGUMENTS"): // which is filled in, whatever follows
		return ""
	case name == "Arguments", name == "ARGS",
		strings.HasPrefix(name, "ARG") && name == strings.ToUpper(name) && words.Distance(name, "ARGUMENTS") <= 2:
		return "$ARGUMENTS"
	case !strings.HasPrefix(strings.TrimPrefix(after, `"`), "/"):
		return ""
	case slices.Contains([]string{"CLAUDE_SKILL_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"}, name):
		return "${" + name + "}"
	}
	return ""
}

// definesName reports whether a text gives a variable its value: the name stands there without a $.
func definesName(body, name string) bool {
	for i := strings.Index(body, name); i >= 0; {
		if before := body[:i]; !strings.HasSuffix(before, "$") && !strings.HasSuffix(before, "${") && !isNameByte(body, i-1) && !isNameByte(body, i+len(name)) {
			return true
		}
		next := strings.Index(body[i+1:], name)
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return false
}

func isNameByte(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] == '_' || '0' <= s[i] && s[i] <= '9' || 'A' <= s[i] && s[i] <= 'Z' || 'a' <= s[i] && s[i] <= 'z')
}

// isHook reports whether a line shows the command of a hook, which has such variables.
func (p *pass) isHook(offset int) bool {
	return strings.Contains(p.doc.lineText(p.doc.lineAt(offset)), `"command"`)
}

// hasBinding reports whether a bindings.json may define a variable.
func (p *pass) hasBinding(name string) bool {
	src, err := files.ReadFile(filepath.Join(filepath.Dir(p.doc.file.Path), "bindings.json"))
	return err == nil && bytes.Contains(src, []byte(name))
}

// meantVariable returns the variable that a name stands for: one letter away, or with another word at
// its end.
func meantVariable(name string) string {
	if name == "ARGUMENTS" {
		return "$ARGUMENTS" // never filled in with braces
	}
	for _, b := range skill.Variables() {
		if words.Distance(name, b) == 1 {
			return "${" + b + "}"
		}
	}
	known := map[string]string{"SKILL": "CLAUDE_SKILL_DIR", "PLUGIN": "CLAUDE_PLUGIN_ROOT", "PROJECT": "CLAUDE_PROJECT_DIR", "SESSION": "CLAUDE_SESSION_ID"}
	parts := strings.Split(name, "_")
	if len(parts) != 3 || parts[0] != "CLAUDE" || known[parts[1]] == "" {
		return ""
	}
	if slices.Contains([]string{"DIR", "ROOT", "PATH", "FOLDER", "HOME", "BASE", "DIRECTORY", "LOCATION", "ID"}, parts[2]) {
		return "${" + known[parts[1]] + "}"
	}
	return ""
}
