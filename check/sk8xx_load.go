package check

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/shell/bind"
	"github.com/skillhand/skillhand/skill"
)

// loadRules reports texts that skillhand load refuses. They hold where a project uses skillhand: Claude Code takes
// the same texts as they are.
func loadRules() []*Rule {
	kinds := []Kind{Skill, Command, Text, FirstUse, Hooks, Plugin}
	return []*Rule{
		{ID: "SK802", Name: "section", Severity: Error, kinds: kinds, run: section, together: dropUnlessUsed,
			Summary: "the sections of the text are not well formed, so skillhand load makes no page of it"},
		{ID: "SK803", Name: "bindings", Severity: Error, kinds: []Kind{Skill, FirstUse}, run: bindings, together: dropUnlessUsed,
			Summary: "the bindings.json does not fit the text, so skillhand load makes no page of it"},
		{ID: "SK804", Name: "refused-argument", Severity: Warning, kinds: []Kind{Skill, Command, Text, FirstUse},
			run: refusedArgument, together: dropUnlessUsed,
			Summary: "skillhand load refuses a directive for every ordinary argument"},
	}
}

// dropUnlessUsed drops what was found in projects that do not use skillhand.
func dropUnlessUsed(w *whole) {
	used := map[string]bool{}
	for _, d := range w.docs {
		used[d.owner()] = used[d.owner()] || d.loads
	}
	for _, d := range w.docs {
		if w.opt.Dialect == "skillhand" || used[d.owner()] {
			continue
		}
		d.findings = slices.DeleteFunc(d.findings, func(f *Finding) bool { return f.Rule == w.rule.ID })
	}
}

// owner returns what the file belongs to: a plugin, a .claude, or the repository.
func (d *document) owner() string {
	switch {
	case d.file.Plugin != "":
		return d.file.Plugin
	case d.file.Claude:
		return d.file.Root
	}
	return d.file.Top
}

func section(p *pass) {
	p.doc.loads = p.doc.loads || p.doc.usesSkillhand()
	if p.doc.skill == nil {
		return
	}
	line := func(n skill.Note) (start, end int) {
		text, _, _ := strings.Cut(p.doc.src[n.Offset:], "\n")
		return n.Offset, n.Offset + len(strings.TrimRight(text, "\r"))
	}
	for _, n := range p.doc.skill.Faults() {
		start, end := line(n)
		p.find(start, end, "%s", n.Text)
	}
	for _, n := range p.doc.skill.Notes {
		if start, end := line(n); n.Code == skill.NoteStrayClose && p.doc.opt.Dialect == "skillhand" {
			p.severe(p.find(start, end, "%s", n.Text), Warning)
		}
	}
}

// usesSkillhand reports whether the file, or one beside it, is made for skillhand load.
func (d *document) usesSkillhand() bool {
	if d.file.Kind == Hooks || d.file.Kind == Plugin {
		return strings.Contains(d.src, "skillhand ")
	}
	dir := filepath.Dir(d.file.Path)
	switch {
	case d.file.Kind == FirstUse, skill.IsCompanion(filepath.Base(dir)), d.file.Top != "" &&
		files.IsFile(filepath.Join(d.file.Top, ConfigName)):
		return true
	case d.file.Kind == Skill && (files.IsFile(filepath.Join(dir, bindingsFile)) ||
		files.IsFile(filepath.Join(skill.Companion(dir), skill.MainFile))):
		return true
	}
	return slices.ContainsFunc(d.directives, func(x *directive) bool { return strings.Contains(x.command, "skillhand ") })
}

const bindingsFile = "bindings.json"

// bindings holds a bindings.json against the text beside it. Its own faults are reported at the top of the text.
func bindings(p *pass) {
	if !p.doc.isRendered() {
		return
	}
	src, err := files.ReadFile(filepath.Join(filepath.Dir(p.doc.file.Path), bindingsFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		p.find(0, 0, "%s: %v", bindingsFile, err)
		return
	}
	at := func(offset int) string {
		return fmt.Sprintf("%s:%d", bindingsFile, 1+strings.Count(string(src[:offset]), "\n"))
	}
	root, fault := doc.ParseJSON(string(src))
	switch {
	case fault != nil:
		p.find(0, 0, "%s: %s", at(min(fault.Offset, len(src))), fault.Text)
		return
	case !root.IsObject():
		p.find(0, 0, "%s: want a JSON object of variables and commands", at(0))
		return
	}
	bound := slices.Concat(skill.Variables(), p.doc.skill.Front.Arguments)
	for _, item := range root.Items {
		switch word := firstWord(item); {
		case slices.Contains(skill.Variables(), item.Key):
			p.find(0, 0, "%s: ${%s} is a built-in variable and cannot be bound", at(item.KeyAt), item.Key)
		case slices.Contains(bound, item.Key):
			p.find(0, 0, "%s: ${%s} is bound twice", at(item.KeyAt), item.Key)
		case word == "":
			p.find(0, 0, "%s: ${%s}: want a command, as a string or a list of strings", at(item.KeyAt), item.Key)
		case isClass(word):
			p.find(0, 0, "%s: ${%s}: %s is a class, want a command", at(item.KeyAt), item.Key,
				word).Help = "skillhand migrate finds the launcher of a class"
		}
		bound = append(bound, item.Key)
	}
	for _, part := range p.doc.skill.Parts {
		if part.Kind == skill.Variable && part.Braced && !part.Escaped && !part.InCode && !slices.Contains(bound, part.Name) {
			p.find(part.Offset, part.Offset+len(part.Source), "unknown variable ${%s}: %s does not bind it", part.Name, bindingsFile)
		}
	}
}

// isRendered reports whether skillhand load renders this file, and not another of the same skill.
func (d *document) isRendered() bool {
	dir, base := filepath.Split(d.file.Path)
	dir = filepath.Clean(dir)
	if d.file.Path == "" || !skill.IsCompanion(filepath.Base(dir)) && files.IsFile(filepath.Join(skill.Companion(dir), skill.MainFile)) {
		return false
	}
	for _, name := range []string{"first-use.md", "content.md"} {
		if files.IsFile(filepath.Join(dir, name)) {
			return base == name
		}
	}
	return true
}

// firstWord returns the program of a binding's command, "" if that is none.
func firstWord(n *doc.Node) string {
	text, ok := n.Text()
	if n.IsList() {
		for i, item := range n.Items {
			word, isText := item.Text()
			if !isText {
				return ""
			}
			if i == 0 {
				text = word
			}
		}
		return text
	}
	if fields := strings.Fields(text); ok && len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// isClass reports whether a word is the name of a Java class, as in io.github.x.GetStatus.
func isClass(word string) bool {
	parts := strings.Split(word, ".")
	last := parts[len(parts)-1]
	return len(parts) > 1 && last != "" && 'A' <= last[0] && last[0] <= 'Z' && !strings.ContainsAny(word, `/\$ `)
}

// ordinaryValues are what people give to skills. A directive that takes none of them takes nothing.
var ordinaryValues = []string{"src", "main.go", "v1.2", "feature/login", "fix the login page", "O'Brien"}

// refusedArgument finds directives that skillhand load refuses, whatever ordinary argument it is given.
func refusedArgument(p *pass) {
	if !p.doc.isRendered() {
		return
	}
	for _, d := range p.doc.directives {
		if d.part == nil {
			continue
		}
		switch found := refusedByAll(d.part.Command, bind.World{}); {
		case found == nil:
		case refusedByAll(d.part.Command, nothing) != nil:
			p.find(d.start, d.end, "skillhand load refuses this for every ordinary argument: %v", found)
		default:
			p.find(d.start, d.end,
				"it depends on the machine which arguments skillhand load takes here: plain words that name no program and no file there; %v", found)
		}
	}
}

// nothing is a machine without programs and files.
var nothing = bind.World{Program: func(string) bool { return false }, File: func(string) bool { return false }}

// refusedByAll returns why no ordinary value passes in a world, or nil if one does.
func refusedByAll(command []skill.Part, w bind.World) (first *bind.Finding) {
	for _, value := range ordinaryValues {
		found := bind.Judge(boundLine(command, value), w)
		if len(found) == 0 {
			return nil
		}
		first = cmp.Or(first, &found[0])
	}
	return first
}

// boundLine returns a command with a value in the place of each argument.
func boundLine(parts []skill.Part, value string) (l bind.Line) {
	for _, c := range parts {
		switch {
		case c.Kind != skill.Variable:
			l.Parts = append(l.Parts, bind.Part{Text: c.Source})
		case c.Escaped:
			l.Parts = append(l.Parts, bind.Part{Text: c.Source[1:]})
		case c.Braced:
			l.Parts = append(l.Parts, bind.Part{Text: c.Source, Value: &bind.Value{Data: "/skills/x", Ours: true}})
		default:
			l.Parts = append(l.Parts, bind.Part{Text: c.Source, Value: &bind.Value{Data: value}})
		}
	}
	return l
}

func dialectRules() []*Rule {
	return []*Rule{
		{ID: "SK801", Name: "renders-differently", Severity: Info, dialect: true, run: rendersDifferently,
			Summary: "skillhand load and Claude Code make different pages of the text"},
	}
}

func rendersDifferently(p *pass) {
	for _, d := range p.doc.directives {
		switch {
		case d.part == nil:
			p.find(d.start, d.end, "Claude Code runs this, skillhand load shows it as it is: code is no directive")
		case !d.claude:
			p.find(d.start, d.end, "skillhand load runs this, Claude Code shows it as it is")
		case slices.ContainsFunc(d.part.Command, func(c skill.Part) bool { return c.Kind == skill.Variable && !c.Braced && !c.Escaped }):
			p.find(d.start, d.end, "Claude Code pastes arguments into this command, skillhand load passes them as values")
		}
	}
	for _, part := range p.doc.skill.Parts {
		switch {
		case part.Kind == skill.Escape:
			p.find(part.Offset, part.Offset+len(part.Source), "skillhand load drops the backslash, Claude Code keeps it")
		case part.Kind == skill.Tag && !part.Close:
			p.find(part.Offset, part.Offset+len(strings.TrimRight(part.Source, "\r\n")), "a section to skillhand load, ordinary text to Claude Code")
		}
	}
}
