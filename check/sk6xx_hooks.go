package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	sh "mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

// belongsToNobody reports whether a hooks file is of no plugin and is no settings file: people copy such from where it is, or
// make other agents' files of it.
func (d *document) belongsToNobody() bool {
	f := &d.file
	return f.Kind == Hooks && f.Plugin == "" && len(f.Owners) == 0 && filepath.Base(filepath.Dir(f.Path)) == "hooks"
}

// hooks returns the object of events in a hooks file, in settings, in plugin.json or in a frontmatter.
func (d *document) hooks() *doc.Node {
	if d.skill == nil {
		return d.json.Get("hooks")
	}
	if f, ok := d.skill.Front.Field("hooks"); ok && d.file.Kind != FirstUse {
		return fieldNode(f)
	}
	return nil
}

// fieldNode returns a field of a frontmatter as if it were written in JSON.
func fieldNode(f skill.Field) *doc.Node {
	n := &doc.Node{Key: f.Key, KeyAt: f.Offset, Start: f.ValueOffset, End: f.ValueEnd}
	raw := strings.TrimSpace(f.Raw)
	number, notNumber := strconv.ParseFloat(raw, 64)
	switch {
	case len(f.Fields) > 0 && f.Fields[0].Key == "" || raw == "[]":
		n.Value = json.Delim('[')
	case len(f.Fields) > 0 || raw == "{}":
		n.Value = json.Delim('{')
	case raw == "true" || raw == "false":
		n.Value = raw == "true"
	case raw == "" || raw == "null" || raw == "~":
	case notNumber == nil && number-number == 0: // neither infinite nor NaN, which JSON lacks
		n.Value = number
	default:
		n.Value = f.Value
	}
	for _, item := range f.Fields {
		n.Items = append(n.Items, fieldNode(item))
	}
	return n
}

func hookEvent(p *pass) {
	hooks := p.doc.hooks()
	if !hooks.IsObject() {
		return
	}
	for _, event := range hooks.Items {
		isComment := strings.HasPrefix(event.Key, "_") || strings.HasPrefix(event.Key, "//")
		if isComment || slices.Contains(claudecode.Events(), event.Key) {
			continue
		}
		near := nearest(event.Key, claudecode.Events())
		if near == "" && p.doc.belongsToNobody() {
			continue // it may be of another format
		}
		f := p.find(event.KeyAt, event.KeyAt+len(event.Key)+2, "unknown event %s; the hook never runs", event.Key)
		switch {
		case near == "":
			f.Help = eventsHelp
		case hooks.Get(near) != nil:
			f.Help = "move the hook to " + near + ", which is there already"
		default:
			f.Help = "write " + near
			if p.doc.belongsToNobody() {
				break
			}
			f.Fix = rename("write "+near, "hooks", event.KeyAt, event.KeyAt+len(event.Key)+2, `"`+near+`"`)
		}
	}
}

func hookShape(p *pass) {
	if p.doc.skill == nil && !p.doc.json.IsObject() || p.doc.belongsToNobody() {
		return
	}
	hooks := p.doc.hooks()
	switch {
	case hooks == nil && p.doc.file.Kind == Hooks && filepath.Base(p.doc.file.Path) == "hooks.json":
		f := p.find(p.doc.json.Start, p.doc.json.Start+1, "hooks is missing: the events belong in an object of that name")
		f.Help = `write {"hooks": {"PostToolUse": […]}}`
	case hooks != nil && !hooks.IsObject() && p.doc.file.Kind == Hooks:
		p.find(hooks.Start, hooks.End, "hooks is %s, want an object", hooks.Kind())
	}
	if !hooks.IsObject() {
		return
	}
	for _, fault := range p.doc.refused {
		if fault.Top() == "hooks" && fault.Problem != claudecode.BadPath {
			p.refusal(fault)
		}
	}
	for _, fault := range p.doc.hookFaults(hooks) {
		if !p.doc.isRefused(fault.Start) {
			p.hookFault(fault)
		}
	}
	p.eachHook(func(h *doc.Node) {
		if n := h.Get("command"); n != nil && n.Value == "" { // testdata/claude/SK605-emptycommand.txtar
			f := p.severe(p.find(n.Start, n.End, "the command is empty: the hook runs nothing"), Warning)
			f.Help = "write what is to run, or remove the hook"
		}
	})
	p.unquotedRoots()
}

// hookFaults lists what is wrong with hooks, and where in the file. Those of a frontmatter are read as JSON, and their
// faults found again by their names.
func (d *document) hookFaults(hooks *doc.Node) []claudecode.Fault {
	if d.skill == nil {
		faults := claudecode.HookFaults([]byte(d.src[hooks.Start:hooks.End]))
		for i := range faults {
			faults[i].Start, faults[i].End = hooks.Start+faults[i].Start, hooks.Start+faults[i].End
		}
		return faults
	}
	src, _ := json.Marshal(plain(hooks)) // of texts, numbers and the like
	faults := claudecode.HookFaults(src)
	for i := range faults {
		f, n := &faults[i], hooks
		for key := range strings.SplitSeq(f.Field, ".") {
			next := n.Get(key)
			if k, err := strconv.Atoi(key); err == nil && n.IsList() {
				next = n.Items[k]
			}
			if n = cmp.Or(next, n); next == nil { // what is missing is so in the value around it
				break
			}
		}
		if f.Start, f.End = n.Start, n.End; f.Problem == claudecode.Missing {
			f.End = n.Start + 1
		}
	}
	return faults
}

// plain returns a value without where it stands.
func plain(n *doc.Node) any {
	object, list := map[string]any{}, []any{}
	for _, item := range n.Items {
		value := plain(item)
		object[item.Key], list = value, append(list, value)
	}
	switch {
	case n.IsObject():
		return object
	case n.IsList():
		return list
	}
	return n.Value
}

// hookFault reports a hook that is not written as Claude Code reads it, and what it takes with it.
func (p *pass) hookFault(fault claudecode.Fault) {
	f := p.find(fault.Start, fault.End, "%s: %s", fault, p.hooksLost())
	missing := fault.Problem == claudecode.Missing
	switch {
	case missing && strings.HasSuffix(fault.Field, ".type"):
		f.Help = `add "type": "command"`
	case missing && strings.HasSuffix(fault.Field, ".hooks"):
		f.Help = "put what is to run into a list of that name"
	}
	if missing || !strings.HasSuffix(fault.Field, ".type") {
		return
	}
	var types []string
	for _, t := range claudecode.HookTypes() {
		types = append(types, t.Name)
	}
	if near := nearest(strings.Trim(p.doc.src[fault.Start:fault.End], `"'`), types); near != "" {
		f.Help = "write " + near
		f.Fix = replace("write "+near, false, fault.Start, fault.End, `"`+near+`"`)
	}
}

// hooksLost says what one malformed hook takes with it: far more than itself
// (testdata/claude/SK605-*.txtar).
func (p *pass) hooksLost() string {
	switch {
	case p.doc.skill != nil:
		return "Claude Code drops every hook of this file"
	case p.doc.file.Kind == Plugin: // otherwise the manifest would be refused
		return "it is ignored"
	case p.doc.file.Plugin != "":
		return "Claude Code does not load the plugin"
	}
	return "Claude Code passes over the whole file, rules that deny included"
}

// unquotedRoots reports the hooks of a file whose commands fall apart if the plugin lies in a folder with a blank: at the first,
// with one fix for all.
func (p *pass) unquotedRoots() {
	const root = "${CLAUDE_PLUGIN_ROOT}"
	var first *Finding
	n := 0
	fix := &Fix{Title: "quote it"}
	p.eachHook(func(h *doc.Node) {
		c := h.Get("command")
		command, ok := c.Text()
		if !ok || h.Get("type") == nil || h.Get("args") != nil { // with args no shell reads it
			return
		}
		bare := bareRoots(command)
		if bare == 0 {
			return
		}
		if n++; first == nil {
			first = p.severe(p.find(c.Start, c.End, ""), Warning)
		}
		raw := p.doc.src[c.Start:c.End]
		if p.doc.json != nil && strings.Count(raw, root) == bare && strings.Count(command, root) == bare && !strings.Contains(raw, "$'") {
			fix.Edits = append(fix.Edits, Edit{c.Start, c.End, strings.ReplaceAll(raw, root, `\"`+root+`\"`)})
		}
	})
	if first == nil {
		return
	}
	where := ""
	if n > 1 {
		where = fmt.Sprintf(" in %d commands", n)
	}
	first.Message = root + " is not quoted" + where + ": if the path to the plugin has a space in it, the command falls apart"
	first.Help = "put it in double quotes"
	if len(fix.Edits) > 0 {
		first.Fix = fix
	}
}

// bareRoots counts the places where a command has the plugin's folder outside of quotes.
func bareRoots(command string) (n int) {
	program, err := words.Parse(command)
	if err != nil || !strings.Contains(command, "CLAUDE_PLUGIN_ROOT") {
		return 0
	}
	sh.Walk(program, func(node sh.Node) bool {
		switch node := node.(type) {
		case *sh.DblQuoted:
			return false
		case *sh.ParamExp:
			if node.Param != nil && node.Param.Value == "CLAUDE_PLUGIN_ROOT" {
				n++
			}
		}
		return true
	})
	return n
}

// eachHook calls f with every hook that is an object.
func (p *pass) eachHook(f func(h *doc.Node)) {
	hooks := p.doc.hooks()
	if !hooks.IsObject() {
		return
	}
	for _, event := range hooks.Items {
		for _, m := range event.Items {
			if list := m.Get("hooks"); list.IsList() {
				for _, h := range list.Items {
					if h.IsObject() {
						f(h)
					}
				}
			}
		}
	}
}

func hookMatcher(p *pass) {
	hooks := p.doc.hooks()
	if !hooks.IsObject() {
		return
	}
	for _, event := range hooks.Items {
		for _, m := range event.Items {
			n := m.Get("matcher")
			text, ok := n.Text()
			if !ok || text == "*" || text == "" {
				continue
			}
			if why := regexFault(text); why != "" {
				p.find(n.Start, n.End, "the matcher %s is no regular expression: %s", text, why).Help = `name tools, with | between them: "Edit|Write"`
			} else if slices.Contains(toolEvents, event.Key) {
				p.toolMatcher(n, text)
			}
		}
	}
}

// toolEvents are those whose matchers are held against a tool's name.
var toolEvents = []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"}

// toolMatcher reports a matcher that fits the name of no tool: Claude Code holds it against the whole
// name, and against nothing else of the call (testdata/claude/SK606-matcher.txtar).
func (p *pass) toolMatcher(n *doc.Node, text string) {
	tool, spec, isRule := strings.Cut(text, "(")
	switch {
	case isRule && slices.Contains(claudecode.Tools(), tool) && strings.HasSuffix(spec, ")") && !strings.Contains(spec, "|"):
		f := p.find(n.Start, n.End, "the matcher %s is a permission rule, which is the name of no tool: the hook never runs", text)
		f.Help = fmt.Sprintf("write %q, and have the hook look at tool_input", tool)
	case strings.Contains(text, "=="):
		f := p.find(n.Start, n.End, "the matcher %s is an expression, and is the name of no tool: the hook never runs", text)
		f.Help = `name tools, with | between them: "Edit|Write"`
	case strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789|, ") == "":
		names := strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
		for _, name := range names {
			if near := nearTool(name); near != "" && !slices.Contains(names, near) { // edit beside Edit is another agent's
				p.find(n.Start, n.End, "there is no tool %s: the hook never runs for it", name).Help = "write " + near
			}
		}
	}
}

// regexFault says why a text is a regular expression in no dialect. Ours knows less than Claude
// Code's, so only what is wrong everywhere counts.
func regexFault(text string) string {
	_, err := syntax.Parse(text, syntax.Perl)
	e, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return ""
	}
	switch e.Code {
	case syntax.ErrMissingBracket, syntax.ErrMissingParen, syntax.ErrUnexpectedParen,
		syntax.ErrMissingRepeatArgument, syntax.ErrTrailingBackslash:
		return e.Code.String()
	}
	return ""
}

// hookMentions lists the scripts that hooks call.
func (p *pass) hookMentions() []mention {
	var all []mention
	p.eachHook(func(h *doc.Node) {
		n := h.Get("command")
		command, ok := n.Text()
		if !ok {
			return
		}
		program, err := words.Parse(command)
		tested := err == nil && testsFile(program)
		for _, v := range []struct{ name, root string }{
			{"${CLAUDE_PLUGIN_ROOT}", p.doc.file.Plugin}, {"$CLAUDE_PLUGIN_ROOT", p.doc.file.Plugin},
			{"${CLAUDE_PROJECT_DIR}", p.doc.project()}, {"$CLAUDE_PROJECT_DIR", p.doc.project()}, {"${CLAUDE_SKILL_DIR}", p.doc.ownFolder()},
		} {
			i := strings.Index(command, v.name)
			if i < 0 || v.root == "" {
				continue
			}
			before, rest := command[:i], command[i+len(v.name):]
			if after, closed := strings.CutPrefix(rest, `"`); closed {
				before, rest = "", after
			}
			path, ok := scriptPath(before, rest)
			if !ok {
				continue
			}
			all = append(all, mention{
				written: path,
				file:    filepath.Join(v.root, filepath.FromSlash(path)),
				start:   n.Start,
				end:     n.End,
				called:  strings.Trim(command[:i], `"' `) == "",
				anchor:  1,
				tested:  tested,
			})
			break
		}
	})
	return all
}

func (d *document) ownFolder() string {
	if d.file.Kind == Skill {
		return filepath.Dir(d.file.Path)
	}
	return ""
}

// project returns the folder whose .claude the file is in.
func (d *document) project() string {
	if d.file.Claude && d.file.As == Project {
		return filepath.Dir(d.file.Root)
	}
	return ""
}
