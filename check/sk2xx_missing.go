package check

import (
	"cmp"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

// ownFile is a file of a skill's own, and sent are the words before one that the text sends the agent to. A name that is
// only mentioned is often another skill's, or made up to explain something: of those in public skills, more than half are.
// One that begins with ./ is the project's. Neither is searched for in the whole text, which takes a regexp long.
var (
	ownFile   = words.Regexp(`(?i)^(?:scripts|references|assets)/[\w./-]*\w\.\w{1,5}$`)
	sent      = words.Regexp(`(?i)\b(?:see|read|refer to|consult|load|run|execute)[: *]*(?:the )?\**$`)
	ifThere   = words.Regexp("(?i)^[^.]*\\b(?:if|when|where) (?:it is |it's )?(?:available|present|it exists|there is one)")
	ofAnother = words.Regexp("^`?,? (?:in|of|from) (?:the )?([^.;:()]*?)`? skills?\\b") // follows a file that is another skill's
	runs      = words.Regexp(`(?i)\b(?:run|execute)\b`)
)

// placeholders begin names that stand for others.
var placeholders = []string{"script_name", "script-name", "your", "my_", "my-", "foo", "example", "xxx"}

func fileMissing(p *pass) {
	m := missing{pass: p, seen: map[string]bool{}}
	if strings.Contains(p.doc.src, skillDir) {
		m.own()
	}
	if body := p.doc.body(); !strings.Contains(body, "scripts/") && !strings.Contains(body, "references/") && !strings.Contains(body, "assets/") {
		return
	}
	start := p.doc.bodyStart()
	for line := range strings.Lines(p.doc.body()) {
		switch inFence := m.mark != ""; {
		case m.fence(line):
			m.called = nil
		case inFence && m.mark == "":
			m.tell()
		case inFence && m.shell:
			m.command(start, line)
		case !inFence:
			m.prose(start, line)
			m.before = cmp.Or(strings.TrimSpace(line), m.before)
		}
		start += len(line)
	}
}

// A missing looks for files that a text names, line by line.
type missing struct {
	pass   *pass
	seen   map[string]bool
	before string   // the last line of text
	mark   string   // that ends the fence which the line is in; "" means none
	shell  bool     // that fence holds commands, and so far nothing but calls of scripts
	called []called // in it
	goesOn bool     // the command of the line before

	bases map[string]bool // names of the skill's files; nil until somebody asks
}

// called is a script that a command runs.
type called struct {
	start int
	file  string
}

const skillDir = "${CLAUDE_SKILL_DIR}/"

// own looks for files after ${CLAUDE_SKILL_DIR} that are no scripts, of which SK202 tells: those that the text sends the
// agent to, and those that a command reads, unless it can do without.
func (m *missing) own() {
	doc := m.pass.doc
	for i, part := range doc.skill.Parts {
		before := doc.src[:part.Offset]
		before = strings.TrimRight(before[strings.LastIndexByte(before, '\n')+1:], "`\"'")
		if file := ownPath(doc.skill.Parts, i); file != "" && sent.Get().MatchString(before) {
			m.certain(part, file)
		}
	}
	for _, d := range doc.directives {
		if d.part == nil || d.program == nil || strings.Contains(d.command, "||") || testsFile(d.program) {
			continue
		}
		for i, part := range d.part.Command {
			if file := ownPath(d.part.Command, i); file != "" && d.reads(part.Offset) {
				m.certain(part, file)
			}
		}
	}
}

// ownPath returns the file, not a script, that a part and the next one name: ${CLAUDE_SKILL_DIR}/data.txt. "" if they do not.
func ownPath(parts []skill.Part, i int) string {
	v := parts[i]
	if v.Kind != skill.Variable || v.Name != "CLAUDE_SKILL_DIR" || !v.Braced || v.Escaped || i+1 == len(parts) {
		return ""
	}
	file, _, ok := plainPath(parts[i+1].Source)
	if ext := filepath.Ext(file); !ok || ext == "" || slices.Contains(scriptEndings, ext) {
		return ""
	}
	return file
}

// reads reports whether an offset of the file is in an argument of a command that fails without that file.
func (d *directive) reads(offset int) bool {
	found := false
	syntax.Walk(d.program, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 1 && slices.Contains(readers, name(call)) {
			found = found || slices.ContainsFunc(call.Args[1:], func(w *syntax.Word) bool { return d.at(from(w)) <= offset && offset < d.at(to(w)) })
		}
		return true
	})
	return found
}

// certain tells of a file that is the skill's own for certain.
func (m *missing) certain(v skill.Part, file string) {
	p := m.pass
	if find.IsThere(filepath.Join(filepath.Dir(p.doc.file.Path), filepath.FromSlash(file))) || p.doc.isIgnored(file) ||
		strings.Contains(file, "..") || standsForOthers(file) {
		return
	}
	f := p.severe(p.find(v.Offset, v.Offset+len(v.Source)+1+len(file), "%s does not exist", file), Error)
	f.anchor = v.Line
	f.Help = "add the file, or name the one that is meant"
}

// fence notes where fences begin and end. It reports whether one begins.
func (m *missing) fence(line string) bool {
	text := strings.TrimSpace(line)
	switch {
	case m.mark != "" && strings.HasPrefix(text, m.mark) && strings.Trim(text, m.mark[:1]) == "":
		m.mark = ""
	case m.mark == "" && (strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")):
		info := strings.TrimLeft(text, text[:1])
		m.mark, m.goesOn = text[:len(text)-len(info)], false
		m.shell = slices.Contains([]string{"bash", "sh", "shell", "zsh", "console", "shell-session"}, strings.TrimSpace(info))
		return true
	}
	return false
}

// prose looks for names in the code of a line that is not in a fence, after words that send the agent there.
func (m *missing) prose(start int, line string) {
	if !strings.Contains(line, "s/") {
		return
	}
	pieces := strings.Split(line, "`")
	for i, code := range pieces[:len(pieces)-1] {
		if i > 0 && strings.Contains(code, "s/") && sent.Get().MatchString(pieces[i-1]) && !namesAnother(strings.Join(pieces[i+1:], "`")) {
			if c, ok := scriptOf(code); ok {
				m.look(start+c.start, c.file)
			} else if ownFile.Get().MatchString(code) {
				m.look(start, code)
			}
		}
		start += len(code) + len("`")
	}
}

// namesAnother reports whether the text after a file says that it is another skill's, in the doc + novel skills, or that it
// may be missing.
func namesAnother(after string) bool {
	if ifThere.Get().MatchString(after) {
		return true
	}
	m := ofAnother.Get().FindStringSubmatch(after)
	return m != nil && m[1] != "" && m[1] != "this" && m[1] != "your"
}

// command notes the script that a line of a fence runs. A fence with other commands in it is about the user's project.
func (m *missing) command(start int, line string) {
	text := strings.TrimSpace(line)
	c, ok := scriptOf(strings.TrimRight(line, "\r\n"))
	switch isRest := m.goesOn; {
	case isRest, text == "", strings.HasPrefix(text, "#"):
	case ok:
		m.called = append(m.called, called{start + c.start, c.file})
	default:
		m.shell = false
	}
	m.goesOn = strings.HasSuffix(text, "\\")
}

// tell looks for the scripts that a fence calls. They are the skill's own if it has a folder of scripts, or if the text
// before the fence says that they are to be run.
func (m *missing) tell() {
	if len(m.called) == 0 || !m.shell || !runs.Get().MatchString(m.before) && !find.IsThere(filepath.Join(filepath.Dir(m.pass.doc.file.Path), "scripts")) {
		return
	}
	for _, c := range m.called {
		m.look(c.start, c.file)
	}
}

// scriptOf returns the script in scripts/ that a command runs, by its path or by an interpreter.
func scriptOf(command string) (called, bool) {
	if !strings.Contains(command, "scripts/") {
		return called{}, false
	}
	words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(command), "$ "))
	if len(words) > 2 && words[0] == "uv" && words[1] == "run" {
		words = words[2:]
	}
	if len(words) > 1 && slices.Contains(shells, words[0]) {
		words = words[1:]
	}
	if len(words) == 0 || !strings.HasPrefix(words[0], "scripts/") || !ownFile.Get().MatchString(words[0]) {
		return called{}, false
	}
	return called{strings.Index(command, words[0]), words[0]}, true
}

// look tells of a file that is not there. Names that stand for others, and files that a command writes first, are let be.
func (m *missing) look(start int, file string) {
	p := m.pass
	if m.seen[file] || strings.Contains(p.doc.src, "> "+file) || strings.Contains(file, "..") || standsForOthers(file) {
		return
	}
	m.seen[file] = true
	if !p.doc.isThereFor(file) && !p.doc.isIgnored(file) && !m.isElsewhere(path.Base(file)) {
		p.find(start, start+len(file), "%s does not exist", file).Help = "add the file, or name the one that is meant"
	}
}

// isElsewhere reports whether the skill has a file of this name in another folder, from where it may be put in its place first.
func (m *missing) isElsewhere(base string) bool {
	if m.bases == nil {
		m.bases = map[string]bool{}
		const most = 10_000 // files of a skill that are looked at
		_ = filepath.WalkDir(filepath.Dir(m.pass.doc.file.Path), func(file string, e fs.DirEntry, err error) error {
			switch {
			case err != nil, len(m.bases) > most:
				return fs.SkipAll
			case e.IsDir() && slices.Contains(find.Skipped, e.Name()):
				return fs.SkipDir
			case !e.IsDir():
				m.bases[e.Name()] = true
			}
			return nil
		})
	}
	return m.bases[base]
}

// standsForOthers reports whether a name is one that people make up.
func standsForOthers(file string) bool {
	base := strings.ToLower(filepath.Base(file))
	for _, p := range placeholders {
		if strings.HasPrefix(base, p) {
			return true
		}
	}
	return false
}

// agentStarts notes the types of subagents that a text names, each once. agentMissing drops those that there are.
func agentStarts(p *pass) {
	body := p.doc.body()
	if !strings.Contains(body, "subagent_type") {
		return
	}
	told := map[string]bool{}
	for _, m := range subagentType.Get().FindAllStringSubmatchIndex(body, -1) {
		name := body[m[2]:m[3]]
		before := body[max(0, m[0]-60):m[0]]
		isCall := strings.Contains(before, "Task") || strings.Contains(before, "Agent")
		isCode := !isCall && p.doc.inCode(p.doc.bodyStart()+m[2])
		if told[name] || isCode || standsForOthers(name) || slices.Contains(claudecode.Subagents(), name) ||
			p.doc.advisesAgainst(p.doc.bodyStart()+m[2]) {
			continue
		}
		told[name] = true
		f := p.find(p.doc.bodyStart()+m[2], p.doc.bodyStart()+m[3], "there is no agent %s here: Claude Code answers the call with an error", name)
		f.Help, f.subagent = "correct the name, or add the agent", strings.Clone(name)
		if p.doc.file.Plugin == "" {
			p.severe(f, Info) // it may be the user's own
		}
	}
}

var subagentType = words.Regexp("\\bsubagent_type[\"'`*]*[ ]?[:=][ ]?[\"'`]([A-Za-z][\\w:-]+)[\"'`]")

// against are words of a sentence that says what not to do.
var against = words.Regexp(`(?i)\b(not|never|wrong|bad|avoid|no such)\b|n['’]t\b|❌|✗`)

// advisesAgainst reports whether the sentence around an offset, or a comment on the line before, says what not to do.
func (d *document) advisesAgainst(at int) bool {
	line := d.lineAt(at)
	text, column := d.lineText(line), at-d.lines[line-1]
	start := strings.LastIndex(text[:column], ". ") + 1
	rest, _, _ := strings.Cut(text[column:], ". ")
	if against.Get().MatchString(text[start:column] + rest) {
		return true
	}
	if line == 1 {
		return false
	}
	before := strings.TrimSpace(d.lineText(line - 1))
	return (strings.HasPrefix(before, "#") || strings.HasPrefix(before, "//")) && against.Get().MatchString(before)
}

// agentMissing keeps what agentStarts noted about agents that no file here defines. One with the name of another plugin is
// that plugin's.
func agentMissing(w *whole) {
	have := map[string]bool{}
	for _, d := range w.docs {
		if d.file.Kind == Agent {
			have[d.stem()], have[d.alias] = true, true
		}
	}
	for _, d := range w.docs {
		d.findings = slices.DeleteFunc(d.findings, func(f *Finding) bool {
			plugin, name, full := strings.Cut(f.subagent, ":")
			if !full {
				name = f.subagent
			}
			isOthers := full && (d.file.Plugin == "" || plugin != find.PluginName(d.file.Plugin))
			return f.subagent != "" && (isOthers || have[name] || slices.Contains(claudecode.Subagents(), name) || definesAgent(d, name))
		})
	}
}

// definesAgent reports whether there is a file for an agent, which may be left out of what is checked.
func definesAgent(d *document, name string) bool {
	return slices.ContainsFunc([]string{d.file.Root, d.file.Plugin, filepath.Join(d.file.Top, ".claude")}, func(root string) bool {
		return root != "" && find.IsThere(filepath.Join(root, "agents", name+".md"))
	})
}
