package setup

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

// Needs has everything that a skill needs. It is described by schemas/needs-v1.schema.json.
type Needs struct {
	Skill     string    `json:"skill"`
	File      string    `json:"file"`
	Programs  []Need    `json:"programs"`
	Variables []Need    `json:"variables"`
	Packages  []Need    `json:"packages"` // pypi:NAME, npm:NAME
	Skills    []Need    `json:"skills"`
	Agents    []Need    `json:"agents"`
	Tools     []Need    `json:"tools"` // of MCP servers
	Hosts     []Need    `json:"hosts"`
	Unread    []Unread  `json:"unread"` // may need more
	front     skillText // the SKILL.md as it was read
}

// A Need is one thing that the skill needs, and the places that use it.
type Need struct {
	Name     string   `json:"name"`
	Optional bool     `json:"optional"` // every text that uses it first checks that it is there
	Here     *bool    `json:"here"`     // null: unknown
	Path     string   `json:"path,omitempty"`
	Install  []string `json:"install,omitempty"` // commands; any one of them installs it
	Uses     []Use    `json:"uses"`
}

// A Use is a place that uses something.
type Use struct {
	File     string `json:"file"` // relative to the skill's folder
	Line     int    `json:"line"`
	By       By     `json:"by"`
	Optional bool   `json:"optional,omitempty"` // the text first checks that it is there
}

// By says who runs a text.
type By string

// The values of By.
const (
	Directive By = "directive" // Claude Code, when it loads the skill
	Script    By = "script"    // the caller of the script
	Fence     By = "fence"     // the agent, as the text shows it
	Text      By = "text"      // the agent, as the text tells it
)

// Unread is a script or a command that could not be read.
type Unread struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Why  string `json:"why"`
}

type skillText struct {
	file string
	src  []byte
}

var (
	programName  = words.Regexp(`^[A-Za-z0-9_][\w.+-]*$`)
	variableName = words.Regexp(`^[A-Z][A-Z0-9_]{2,}$`)
	hostName     = words.Regexp(`\bhttps?://([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)`)
	mcpTool      = words.Regexp(`\bmcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*__[A-Za-z0-9_-]*[A-Za-z0-9]`)
	subagent     = words.Regexp("\\bsubagent_type[\"'`*]*[ ]?[:=][ ]?[\"'`]([A-Za-z][\\w:-]+)[\"'`]")
	otherSkill   = words.Regexp("\\bSkill\\([\"'`]?(?:skill[:=] ?[\"'`])?([a-z0-9][\\w:-]+)[\"'`]?\\)|\\bskillhand load ([a-z0-9][\\w:-]+)|`/?([a-z0-9]+(?:[:-][a-z0-9]+)+)` skill\\b")
	pythonCall   = words.Regexp(`\b(?:subprocess\.\w+|Popen)\(\s*\[\s*["']([\w.+-]+)["']|\bshutil\.which\(\s*["']([\w.+-]+)["']`)
	nodeCall     = words.Regexp("\\b(?:exec|spawn|execFile)(?:Sync)?\\(\\s*[\"'`]([\\w.+-]+)")
	pythonEnv    = words.Regexp(`\bos\.environ\[["'](\w+)["']\]`)
	inlineScript = words.Regexp(`(?m)^# /// script\n((?:#.*\n)*?)# ///`)
	quotedName   = words.Regexp(`["']([A-Za-z0-9][\w.-]*)`)
	startsScript = words.Regexp("`((?:python3?|node|bash|sh|ruby|perl|bun|deno|uv|npx|tsx) [^`\n]*[\\w-]\\.(?:py|js|mjs|cjs|ts|sh|rb|pl)\\b[^`\n]*)`")
	hole         = words.Regexp(`<[A-Za-z][^<>|&;\n]*>|\{\{[^}\n]*\}\}|\.\.\.`)
)

// A needScan is the state of reading one skill.
type needScan struct {
	folder                                                    string
	programs, variables, packages, skills, agents, tools, net needList
	unread                                                    []Unread
}

// A needList has the needs of one kind, by name.
type needList map[string]*Need

func (l needList) add(name string, use Use) {
	n := l[name]
	if n == nil {
		n = &Need{Name: name, Optional: true}
		l[name] = n
	}
	n.Optional = n.Optional && use.Optional
	if !slices.Contains(n.Uses, use) {
		n.Uses = append(n.Uses, use)
	}
}

func (l needList) sorted() []Need {
	all := []Need{}
	for _, n := range l {
		all = append(all, *n)
	}
	slices.SortFunc(all, func(a, b Need) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// NeedsOf reads what a skill needs. It does not check whether that is here; see Needs.Look.
func NeedsOf(loc skill.Location) (*Needs, error) {
	parsed, err := skill.Read(loc)
	if err != nil {
		return nil, err
	}
	src, err := files.ReadFile(loc.File)
	if err != nil {
		return nil, err
	}
	s := &needScan{filepath.Dir(loc.File), needList{}, needList{}, needList{}, needList{}, needList{}, needList{}, needList{}, nil}
	texts := s.texts(loc)
	for _, part := range parsed.Parts {
		if part.Kind == skill.Directive {
			s.directive(part, filepath.Base(loc.File))
		}
	}
	if a := parsed.Front.Agent; a != "" {
		s.agents.add(a, Use{File: filepath.Base(loc.File), Line: lineOf(string(src), "agent:"), By: Text})
	}
	for _, t := range texts {
		s.text(s.name(t.file), string(t.src), loc.Name)
	}
	s.scripts(texts)
	return &Needs{
		Skill: loc.Name, File: loc.File, front: skillText{loc.File, src}, Programs: s.programs.sorted(), Variables: s.variables.sorted(),
		Packages: s.packages.sorted(), Skills: s.skills.sorted(), Agents: s.agents.sorted(), Tools: s.tools.sorted(), Hosts: s.net.sorted(),
		Unread: append([]Unread{}, s.unread...),
	}, nil
}

func (s *needScan) name(file string) string {
	rel, err := filepath.Rel(s.folder, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

func lineOf(src, text string) int {
	before, _, _ := strings.Cut(src, "\n"+text)
	return 2 + strings.Count(before, "\n")
}

// texts reads the skill's own texts: its file and, for a skill, the Markdown files beside and below
// it.
func (s *needScan) texts(loc skill.Location) (all []skillText) {
	add := func(file string) {
		if src, err := files.ReadFile(file); err == nil {
			all = append(all, skillText{file, src})
		}
	}
	add(loc.File)
	s.walk(loc, func(file string) {
		if strings.HasSuffix(file, ".md") && file != loc.File {
			add(file)
		}
	})
	return all
}

// walk visits the files in a skill's folder, a few hundred at most.
func (s *needScan) walk(loc skill.Location, visit func(file string)) {
	if loc.Command || filepath.Base(loc.File) != skill.MainFile {
		return
	}
	left := 400
	filepath.WalkDir(s.folder, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || left == 0:
			return filepath.SkipDir
		case e.IsDir() && file != s.folder &&
			(slices.Contains([]string{"node_modules", "tests", "evals", "templates"}, e.Name()) || e.Name()[0] == '.'):
			return filepath.SkipDir
		case e.IsDir() && file != s.folder && files.IsFile(filepath.Join(file, skill.MainFile)):
			return filepath.SkipDir // another skill
		case e.Type().IsRegular():
			left--
			visit(file)
		}
		return nil
	})
}

func (s *needScan) directive(part skill.Part, file string) {
	use := Use{File: file, Line: part.Line, By: Directive}
	if part.Block {
		use.Line++
	}
	var b strings.Builder
	for _, p := range part.Command {
		b.WriteString(p.Source)
	}
	if !s.shell(b.String(), use, true) {
		s.unread = append(s.unread, Unread{file, part.Line, "the directive is no program of bash"})
	}
}

// text reads the names in a text, and the commands in its fences.
func (s *needScan) text(file, src, self string) {
	for i, line := range slices.Collect(strings.Lines(src)) {
		use := Use{File: file, Line: i + 1, By: Text}
		for _, m := range startsScript.Get().FindAllStringSubmatch(line, -1) {
			s.shell(hole.Get().ReplaceAllString(m[1], "X"), use, false)
		}
		for _, tool := range mcpTool.Get().FindAllString(line, -1) {
			s.tools.add(tool, use)
		}
		for _, m := range subagent.Get().FindAllStringSubmatch(line, -1) {
			s.agents.add(m[1], use)
		}
		for _, m := range otherSkill.Get().FindAllStringSubmatch(line, -1) {
			if name := firstOf(m[1:]); name != self {
				s.skills.add(name, use)
			}
		}
	}
	for _, f := range fences(src) {
		s.fence(f, file)
	}
}

func firstOf(all []string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// fence reads commands as a text shows them: with placeholders, and often with lines that are not
// commands.
func (s *needScan) fence(f fence, file string) {
	use := Use{File: file, Line: f.line, By: Fence}
	text := hole.Get().ReplaceAllString(f.text, "X")
	if s.shell(text, use, false) {
		return
	}
	for i, line := range strings.Split(text, "\n") {
		use.Line = f.line + i
		s.shell(strings.TrimSpace(line), use, false)
	}
}

// A fence holds commands.
type fence struct {
	line int // of the first command
	text string
}

func fences(src string) (all []fence) {
	mark, shown, console := "", false, false
	var f fence
	for i, line := range slices.Collect(strings.Lines(src)) {
		text := strings.TrimSpace(line)
		switch {
		case mark != "" && strings.HasPrefix(text, mark) && strings.Trim(text, mark[:1]) == "":
			if shown {
				all = append(all, f)
			}
			mark = ""
		case mark != "" && console:
			command, ok := strings.CutPrefix(text, "$ ")
			if !ok {
				command = ""
			}
			f.text += command + "\n"
		case mark != "":
			f.text += line
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			info := strings.TrimSpace(strings.TrimLeft(text, text[:1]))
			mark, f = text[:len(text)-len(strings.TrimLeft(text, text[:1]))], fence{line: i + 2}
			console = info == "console" || info == "shell-session"
			shown = console || slices.Contains([]string{"bash", "sh", "shell", "zsh"}, info)
		}
	}
	return all
}

// scripts reads the scripts that the texts name, and the scripts that these name in turn.
func (s *needScan) scripts(texts []skillText) {
	var all bytes.Buffer
	for _, t := range texts {
		all.Write(t.src)
	}
	var found []skillText
	s.walk(skill.Location{File: filepath.Join(s.folder, skill.MainFile)}, func(file string) {
		if src, err := files.ReadFile(file); err == nil && isScript(file, src) && len(src) < 1<<20 {
			found = append(found, skillText{file, src})
		}
	})
	names := []string{}
	for _, t := range found {
		names = append(names, filepath.Base(t.file))
	}
	for more := true; more; {
		more = false
		found = slices.DeleteFunc(found, func(t skillText) bool {
			if !bytes.Contains(all.Bytes(), []byte(filepath.Base(t.file))) {
				return false
			}
			s.script(t)
			all.Write(t.src)
			more = true
			return true
		})
	}
	for _, name := range names {
		delete(s.programs, name) // the skill contains it
	}
}

var scriptLanguages = map[string]string{
	".sh": "bash", ".bash": "bash", ".zsh": "zsh", ".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "node",
	".rb": "ruby", ".pl": "perl",
}

func isScript(file string, src []byte) bool {
	return scriptLanguages[filepath.Ext(file)] != "" || bytes.HasPrefix(src, []byte("#!"))
}

func (s *needScan) script(t skillText) {
	src, use := string(t.src), Use{File: s.name(t.file), Line: 1, By: Script}
	language := scriptLanguages[filepath.Ext(t.file)]
	if line, ok := strings.CutPrefix(src, "#!"); ok {
		line, _, _ = strings.Cut(line, "\n")
		st := &shellText{scan: s, use: use}
		list := strings.Fields(line)
		if len(list) > 0 {
			st.interpreter(list, use)
			language = interpreterOf(list, language)
		}
	}
	switch language {
	case "bash", "sh", "zsh", "dash":
		if !s.shell(src, use, true) {
			s.unread = append(s.unread, Unread{use.File, 1, "the script is no program of bash"})
		}
	case "python":
		s.matches(pythonCall, src, use, s.programs)
		s.matches(pythonEnv, src, use, s.variables)
		if m := inlineScript.Get().FindStringSubmatch(src); m != nil {
			s.dependencies(m[1], use)
		}
	case "node":
		s.matches(nodeCall, src, use, s.programs)
		s.manifest(filepath.Dir(t.file))
	}
}

// interpreter notes the program that a #! line names.
func (t *shellText) interpreter(list []string, use Use) {
	list[0] = filepath.Base(list[0])
	if list[0] == "env" {
		list = t.inner("env", list[1:], use)
	}
	if len(list) > 0 {
		t.program(list[0], use)
	}
}

func interpreterOf(list []string, or string) string {
	for _, w := range list {
		base := strings.TrimRight(filepath.Base(w), "0123456789.")
		switch base {
		case "bash", "sh", "zsh", "dash", "python", "node", "ruby", "perl":
			return base
		case "uv", "pypy":
			return "python"
		case "bun", "deno", "tsx":
			return "node"
		}
	}
	return or
}

// matches notes the matches of a regular expression in a script.
func (s *needScan) matches(re words.Regexp, src string, use Use, to needList) {
	for _, m := range re.Get().FindAllStringSubmatchIndex(src, -1) {
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				use.Line = 1 + strings.Count(src[:m[i]], "\n")
				to.add(src[m[i]:m[i+1]], use)
			}
		}
	}
}

// dependencies reads the packages of a script's inline metadata (PEP 723).
func (s *needScan) dependencies(block string, use Use) {
	_, rest, ok := strings.Cut(block, "dependencies")
	if !ok {
		return
	}
	rest, _, _ = strings.Cut(rest, "\n# ]")
	for _, line := range strings.Split(rest, "\n") {
		for _, m := range quotedName.Get().FindAllStringSubmatch(line, -1) {
			s.packages.add("pypi:"+m[1], use)
		}
	}
}

// manifest reads the packages in a package.json of the folder or of a parent folder within the
// skill.
func (s *needScan) manifest(dir string) {
	for files.Inside(s.folder, dir) {
		file := filepath.Join(dir, "package.json")
		var m struct{ Dependencies map[string]string }
		if src, err := files.ReadFile(file); err == nil && json.Unmarshal(src, &m) == nil {
			for name := range m.Dependencies {
				s.packages.add("npm:"+name, Use{File: s.name(file), Line: max(1, lineOfMatch(string(src), `"`+name+`"`)), By: Script})
			}
			return
		}
		if dir == s.folder {
			return
		}
		dir = filepath.Dir(dir)
	}
}

func lineOfMatch(src, text string) int {
	if loc := regexp.MustCompile(regexp.QuoteMeta(text)).FindStringIndex(src); loc != nil {
		return 1 + strings.Count(src[:loc[0]], "\n")
	}
	return 0
}

// host notes the hosts of the addresses in a text.
func (s *needScan) host(text string, use Use) {
	if !strings.Contains(text, "://") {
		return
	}
	for _, m := range hostName.Get().FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(m[1])
		if !strings.HasPrefix(name, "127.") && !strings.HasPrefix(name, "example.") && !strings.Contains(name, ".example") {
			s.net.add(name, use)
		}
	}
}
