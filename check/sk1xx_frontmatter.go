package check

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/permit"
	"github.com/skillhand/skillhand/skill"
)

func frontmatterRules() []*Rule {
	text := []Kind{Skill, Command, Agent, Text}
	return []*Rule{
		{ID: "SK101", Name: "yaml", Severity: Error, kinds: text, run: brokenYAML,
			Summary: "the frontmatter is not YAML, so agents silently drop its fields"},
		{ID: "SK102", Name: "field-near-miss", Severity: Error, kinds: text, run: fieldNearMiss,
			Summary: "a field's name is almost one that is known, and is ignored"},
		{ID: "SK103", Name: "field-for-agent", Severity: Warning, agent: spec, run: fieldForAgent,
			Summary: "the agent that is checked for ignores or refuses a field"},
		{ID: "SK104", Name: "name", Severity: Info, run: nameField, kinds: []Kind{Skill},
			Summary: "the name breaks the specification's rules, or is not the folder's"},
		{ID: "SK105", Name: "value", Severity: Error, kinds: text, run: fieldValue,
			Summary: "a field has a value that nobody knows"},
		{ID: "SK106", Name: "description", Severity: Error, kinds: []Kind{Skill, Agent}, run: description,
			Summary: "the description is missing, or longer than is read"},
	}
}

// frontEnd returns where the frontmatter ends that an agent reads, or 0.
func (d *document) frontEnd() int { return d.bodyStart() }

func brokenYAML(p *pass) {
	for _, n := range p.doc.skill.Notes {
		switch n.Code {
		case skill.NoteYAML:
			start, end, help := p.brokenAt(n)
			f := p.find(start, end, "%s: %s", cmp.Or(p.colonIn(), n.Text), p.brokenWhat())
			switch { // by what is lost: nothing, the skill in some agents, or every field
			case p.doc.mended && p.doc.file.Kind == Skill:
				p.severe(f, Warning)
			case p.doc.mended:
				p.severe(f, Info)
			}
			if f.Fix = p.quoteValues(); f.Fix != nil {
				f.Help = "put the value in quotes"
				break
			}
			f.Fix = p.untab()
			if f.Help = help; !p.doc.mended && p.doc.file.Kind != Agent {
				f.Help += ": the skill is loaded without name, description and allowed-tools"
			}
		case skill.NoteNoFields, skill.NoteFrontmatterUnclosed:
			line, _, _ := strings.Cut(p.doc.src[n.Offset:], "\n")
			f := p.find(n.Offset, n.Offset+len(strings.TrimRight(line, "\r")), "%s", n.Text)
			if n.Code == skill.NoteNoFields {
				break
			}
			f.Help = "close it with a line of ---"
			if yaml, _ := claudecode.SplitFrontmatter(p.doc.src); yaml != "" {
				f.Message = "no line that begins with --- closes the frontmatter: Claude Code ends it at the next --- wherever that stands, " +
					"skillhand takes all of it for text"
			}
		case skill.NoteFieldTwice:
			f, _ := p.doc.skill.Front.Field(strings.Fields(n.Text)[0])
			p.severe(p.find(n.Offset, n.Offset+max(1, f.End-f.Offset), "%s", n.Text), Warning).Help = "remove one of the two"
		}
	}
	for _, f := range p.doc.skill.Front.Fields {
		p.twiceBelow(f)
	}
	p.endsEarly()
}

// colonIn says which field has a colon in its value that YAML takes for the end of a key, or returns "" if that is not the fault.
func (p *pass) colonIn() string {
	at := p.doc.slip.Start
	i := slices.IndexFunc(p.doc.skill.Front.Fields, func(f skill.Field) bool { return f.ValueOffset < at && at < f.ValueEnd })
	if i < 0 || p.doc.slip.Text == "" || p.doc.src[at] != ':' {
		return ""
	}
	return p.doc.skill.Front.Fields[i].Key + ` contains ": " and has no quotes`
}

// endsEarly reports a --- within the frontmatter, at which it ends for Claude Code (testdata/claude/SK106-blanks.txtar).
func (p *pass) endsEarly() {
	end := p.doc.bodyStart()
	header := strings.TrimRight(p.doc.src[:end], " \t\r\n")
	open, last := strings.IndexByte(header, '\n')+1, strings.LastIndexByte(header, '\n')+1
	if open >= last || !p.doc.opt.isFor("claude") {
		return
	}
	if i := strings.Index(header[open:last], "---"); i >= 0 {
		f := p.find(open+i, open+i+3, "Claude Code ends the frontmatter at this ---, and takes what follows for the text")
		f.Help = "write another dash here, such as – or --"
	}
}

// brokenWhat says what becomes of a file whose frontmatter is no YAML.
func (p *pass) brokenWhat() string {
	switch isAgent := p.doc.file.Kind == Agent; {
	case p.doc.mended && p.doc.file.Kind == Skill:
		return "Claude Code reads it; " + p.droppedBy()
	case p.doc.mended:
		return "Claude Code reads it"
	case isAgent && p.doc.file.As == InPlugin:
		return "Claude Code drops every field, and loads the agent with all tools"
	case isAgent:
		return "Claude Code does not load the agent"
	}
	return "every field of it is silently dropped"
}

// droppedBy says which agents leave out a skill whose frontmatter is no YAML.
func (p *pass) droppedBy() string {
	var names []string
	sight := agents.Read(p.doc.file.Path, []byte(p.doc.src))
	for _, name := range agents.Names() {
		if v := agents.Get(name).View(sight); v.Sight == agents.Invisible && v.Cause == agents.ByText {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "other agents may not"
	}
	return and(names) + verb(names, " drops", " drop") + " the skill"
}

// twiceBelow reports keys that are given again within a field.
func (p *pass) twiceBelow(in skill.Field) {
	seen := map[string]bool{}
	for _, f := range in.Fields {
		if f.Key != "" && seen[f.Key] {
			p.severe(p.find(f.Offset, max(f.Offset+1, f.End), "%s is given twice, the last one counts", f.Key), Warning).Help = "remove one of the two, or join them"
		}
		seen[f.Key] = true
		p.twiceBelow(f)
	}
}

// brokenAt returns where a frontmatter is no YAML: at the slip, or on the line that the parser names, which may be the one
// before or after.
func (p *pass) brokenAt(n skill.Note) (start, end int, help string) {
	if s := p.doc.slip; s.Text != "" {
		return s.Start, s.End, s.Help
	}
	line := p.doc.lineText(n.Line)
	start = n.Offset + len(line) - len(strings.TrimLeft(line, " \t"))
	return start, max(start, n.Offset+len(strings.TrimRight(line, " \t\r"))), "fix the YAML"
}

// isBroken reports whether SK101 has told that no field is known.
func (d *document) isBroken() bool {
	return slices.ContainsFunc(d.skill.Notes, func(n skill.Note) bool {
		return n.Code == skill.NoteYAML && !d.mended || n.Code == skill.NoteNoFields || n.Code == skill.NoteFrontmatterUnclosed
	})
}

// quoteValues puts values that break the YAML in quotes. It says the same as before to an agent
// that guessed; nil if the frontmatter cannot be mended so.
func (p *pass) quoteValues() *Fix {
	fix := &Fix{Title: "put the values in quotes"}
	for _, f := range p.doc.skill.Front.Fields {
		raw := strings.TrimRight(p.doc.src[f.ValueOffset:f.ValueEnd], " \t\r\n")
		if raw == "" || strings.ContainsAny(raw, "\n") || !needsQuotes(raw) {
			continue
		}
		fix.Edits = append(fix.Edits, Edit{f.ValueOffset, f.ValueOffset + len(raw), p.requote(raw)})
	}
	if len(fix.Edits) == 0 {
		return nil
	}
	for _, n := range p.parseFront(fix.Edits).Notes {
		if n.Code == skill.NoteYAML || n.Code == skill.NoteNoFields {
			return nil
		}
	}
	return fix
}

// requote returns a value that is no YAML, in quotes. Quotes that were meant as such stay: around it's, and around backslashes.
func (p *pass) requote(raw string) string {
	n := len(raw)
	if n < 2 || p.doc.mended || raw[n-1] != raw[0] || raw[0] != '"' && raw[0] != '\'' {
		return yamlQuote(raw) // as Claude Code guesses
	}
	inner := raw[1 : n-1]
	switch {
	case skill.ClosingQuote(raw) == n:
		return skill.Escaped(raw)
	case raw[0] == '\'' && len(apostrophe.Get().FindAllString(inner, -1)) == strings.Count(inner, "'"):
		return yamlQuote(inner)
	}
	return yamlQuote(raw)
}

var apostrophe = words.Regexp(`\pL'\pL`)

// untab writes blanks for the tabs that lines of the frontmatter are indented with; nil if they are not the fault.
func (p *pass) untab() *Fix {
	if s := p.doc.slip; s.Text == "" || p.doc.src[s.Start] != '\t' {
		return nil
	}
	fix := &Fix{Title: "indent with spaces"}
	for at := 0; at < p.doc.bodyStart(); {
		line, _, _ := strings.Cut(p.doc.src[at:], "\n")
		for i, c := range line[:len(line)-len(strings.TrimLeft(line, " \t"))] {
			if c == '\t' {
				fix.Edits = append(fix.Edits, Edit{at + i, at + i + 1, "  "})
			}
		}
		at += len(line) + 1
	}
	return fix
}

// parseFront reads what edits make of the frontmatter, and not the text after it: that may be long,
// and have a fix for each of its lines.
func (p *pass) parseFront(edits []Edit) *skill.Skill {
	return skill.Parse(p.doc.file.Path, []byte(apply(p.doc.src[:p.doc.bodyStart()], edits)))
}

// needsQuotes reports whether a value on one line is none in YAML as it stands.
func needsQuotes(raw string) bool {
	switch raw[0] {
	case '|', '>':
		return false
	case '"', '\'':
		return skill.ClosingQuote(raw) >= 0 && !skill.IsYAMLValue(raw) // one that is not closed may end anywhere
	case '[', '{':
		return strings.Contains(raw, ": ") && raw[0] == '[' || !skill.IsYAMLValue(raw)
	case '*', '&', '!', '%', '@', '`', '#':
		return true
	}
	return strings.Contains(raw, ": ") || strings.HasSuffix(raw, ":") || strings.Contains(raw, " #")
}

// yamlQuote writes a text as YAML that reads the same everywhere.
func yamlQuote(s string) string {
	if !strings.ContainsAny(s, "'\n") {
		return "'" + s + "'"
	}
	return strconv.Quote(s)
}

// yamlPlain reports whether a text can stand in YAML without quotes, in a list or not.
func yamlPlain(s string) bool {
	return s != "" && !needsQuotes(s) && !strings.ContainsAny(s[:1], "-?:,[]{}|>\"'") && !strings.ContainsAny(s, "\n,[]{}") && strings.TrimSpace(s) == s
}

// apply makes edits that do not overlap.
func apply(src string, edits []Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Offset - b.Offset })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(src[at:e.Offset])
		b.WriteString(e.Text)
		at = e.End
	}
	b.WriteString(src[at:])
	return b.String()
}

// addTools returns the fix that adds rules to allowed-tools, whatever form that has. It is only made
// if the frontmatter then says what is meant.
func (p *pass) addTools(rules []string, unsafe bool) *Fix {
	for _, e := range p.toolEdits(rules) {
		fixed := p.parseFront([]Edit{e})
		var got, want []string
		for _, list := range append(slices.Clone(p.doc.skill.Front.AllowedTools), rules...) {
			for _, r := range permit.ParseRules(list) {
				want = append(want, r.Text)
			}
		}
		for _, list := range fixed.Front.AllowedTools {
			for _, r := range permit.ParseRules(list) {
				got = append(got, r.Text)
			}
		}
		if slices.Equal(got, want) {
			fix := &Fix{Title: "add " + strings.Join(rules, ", ") + " to allowed-tools", Unsafe: unsafe, Edits: []Edit{e}}
			if _, there := p.doc.skill.Front.Field("allowed-tools"); !there {
				fix.makes = "/allowed-tools"
			} else if e.Offset == e.End {
				fix.more = strings.HasPrefix(e.Text, ",") || strings.HasPrefix(e.Text, p.doc.lineEnd())
			}
			return fix
		}
	}
	return nil
}

// toolEdits returns the ways to add rules, the plainest first.
func (p *pass) toolEdits(rules []string) []Edit {
	list, eol := strings.Join(rules, ", "), p.doc.lineEnd()
	insert := func(at int, text string) Edit { return Edit{at, at, text} }
	f, ok := p.doc.skill.Front.Field("allowed-tools")
	if !ok {
		line := "allowed-tools: " + list + eol
		quotedLine := "allowed-tools: " + yamlQuote(list) + eol
		if end := p.doc.bodyStart(); end > 0 {
			at := strings.LastIndex(p.doc.src[:end], "---")
			return []Edit{insert(at, line), insert(at, quotedLine)}
		}
		return []Edit{insert(0, "---"+eol+line+"---"+eol), insert(0, "---"+eol+quotedLine+"---"+eol)}
	}
	var edits []Edit
	switch raw := f.Raw; {
	case raw == "":
		edits = append(edits, insert(f.End+1, " "+list), insert(f.End+1, " "+yamlQuote(list)))
	case strings.HasPrefix(raw, "["):
		var items []string
		for _, r := range rules {
			items = append(items, yamlQuote(r))
		}
		edits = append(edits, insert(f.ValueEnd-1, joint(raw[1:len(raw)-1])+strings.Join(items, ", ")))
	case len(f.Fields) > 0:
		last := f.Fields[len(f.Fields)-1]
		line := strings.LastIndexByte(p.doc.src[:last.ValueOffset], '\n') + 1
		lead := p.doc.src[line : line+strings.IndexByte(p.doc.src[line:], '-')]
		text := ""
		for _, r := range rules {
			if !yamlPlain(r) {
				r = yamlQuote(r)
			}
			text += eol + lead + "- " + r
		}
		edits = append(edits, insert(p.doc.endOfLine(last.ValueEnd), text))
	case strings.HasPrefix(raw, "'"), strings.HasPrefix(raw, `"`):
		edits = append(edits, insert(f.ValueEnd-1, joint(f.Value)+list))
	default:
		more := joint(f.Value) + list
		edits = append(edits, insert(f.ValueEnd, more), Edit{f.ValueOffset, f.ValueEnd, yamlQuote(f.Value + more)})
	}
	return edits
}

// joint returns what stands between rules and one that is added.
func joint(rules string) string {
	switch trimmed := strings.TrimRight(rules, " \t\n"); {
	case trimmed == "", trimmed != rules && strings.HasSuffix(trimmed, ","):
		return ""
	case strings.HasSuffix(trimmed, ","):
		return " "
	}
	return ", "
}

func (d *document) lineEnd() string {
	if line, _, ok := strings.Cut(d.src, "\n"); ok && strings.HasSuffix(line, "\r") {
		return "\r\n"
	}
	return "\n"
}

// endOfLine returns where the line ends that an offset is in, after a comment.
func (d *document) endOfLine(offset int) int {
	line, _, _ := strings.Cut(d.src[offset:], "\n")
	return offset + len(strings.TrimSuffix(line, "\r"))
}

func (d *document) knownFields() []string {
	if d.file.Kind == Agent {
		return claudecode.AgentFields()
	}
	var names []string
	for _, f := range skill.KnownFields() {
		names = append(names, f.Name)
	}
	return names
}

// listFields are those whose values may be more than a text.
var listFields = []string{
	"allowed-tools", "disallowed-tools", "disallowedTools", "tools", "skills", "arguments", "argument-hint", "paths", "metadata",
	"hooks", "mcpServers",
}

func fieldNearMiss(p *pass) {
	if p.doc.skill.Front.Broken != "" {
		return // its fields are guesses: a line of prose may look like one
	}
	for _, f := range p.doc.skill.Front.Fields {
		near := p.doc.meantField(f)
		if near == "" || !p.doc.opt.isFor("claude") && !isSpecField(near) || p.doc.isFieldOfOthers(f.Key) {
			continue
		}
		text := "Claude Code has no field %s and ignores it; it is spelled %s"
		if !p.doc.opt.isFor("claude") {
			text = "the Agent Skills specification has no field %s; it is spelled %s"
		}
		x := p.find(f.Offset, f.End, text, f.Key, near)
		x.Help = "write " + near
		if near == "user-invocable" && f.Value == "true" || near == "disable-model-invocation" && f.Value == "false" {
			p.severe(x, Info) // it says what happens anyway
		}
		_, there := p.doc.skill.Front.Field(near)
		if near == "description" && !there && (p.doc.file.Kind == Skill || p.doc.file.Kind == Agent) {
			x.Message += ", so the description is missing: " + p.undescribed()
		}
		if !there && f.End-f.Offset == len(f.Key) {
			x.Fix = rename("rename it", "", f.Offset, f.End, near)
			x.Fix.Unsafe = slices.Contains(grants, near)
			x.ofClaude = p.doc.file.Kind == Agent || !isSpecField(near)
		}
		if near == "user-invocable" && f.Value == "true" || near == "disable-model-invocation" && f.Value == "false" {
			p.severe(x, Info) // as without it
		}
	}
}

// isFieldOfOthers reports whether a subagent's field is one of another agent that reads the file.
func (d *document) isFieldOfOthers(key string) bool {
	return d.file.Kind == Agent && slices.ContainsFunc(d.file.Owners, func(owner string) bool {
		return slices.Contains(agents.Get(owner).Own.AgentFields, key)
	})
}

// meantField returns the known field that a misspelt one stands for, or "".
func (d *document) meantField(f skill.Field) string {
	known := d.knownFields()
	if slices.Contains(known, f.Key) || f.Key == "" {
		return ""
	}
	near := nearest(f.Key, known)
	if near == "" || near == "version" { // which nobody reads
		return ""
	}
	if _, there := d.skill.Front.Field(near); there && folded(near) == folded(f.Key) || len(f.Fields) > 0 && !slices.Contains(listFields, near) {
		return "" // what is meant is there; or a list of something else
	}
	return near
}

// isMisspelt reports whether SK102 has said that a field is there under another name.
func (d *document) isMisspelt(name string) bool {
	return slices.ContainsFunc(d.findings, func(f *Finding) bool { return f.Rule == "SK102" }) &&
		slices.ContainsFunc(d.skill.Front.Fields, func(f skill.Field) bool { return d.meantField(f) == name })
}

// grants are the fields that let more happen: under its right name such a field switches on what
// was off until then.
var grants = []string{"allowed-tools", "tools", "permissionMode", "mcpServers", "hooks"}

// nearest returns the one known name that a misspelt one stands for, or "". Short names are near to too
// many words.
func nearest(name string, known []string) string {
	for _, k := range known {
		if folded(k) == folded(name) {
			return k
		}
	}
	best, far := "", 3
	for _, k := range known {
		most := 0
		switch n := min(len(k), len(name)); {
		case n >= 8:
			most = 2
		case n >= 5:
			most = 1
		}
		if d := words.Distance(folded(name), folded(k)); d <= most && d < far {
			best, far = k, d
		}
	}
	return best
}

// folded drops what people spell one way or the other.
func folded(name string) string { return strings.ToLower(separators.Replace(name)) }

var separators = strings.NewReplacer("-", "", "_", "", " ", "")

func fieldForAgent(p *pass) {
	for _, f := range p.doc.skill.Front.Fields {
		if f.Key != "" && !isSpecField(f.Key) {
			x := p.find(f.Offset, f.End, "%s is no field of the Agent Skills specification: other agents than Claude Code ignore or refuse it", f.Key)
			x.Help = "put what is your own under metadata:"
		}
	}
}

// isSpecField reports whether the Agent Skills specification has a field.
func isSpecField(key string) bool {
	return slices.ContainsFunc(skill.KnownFields(), func(k skill.KnownField) bool { return k.Name == key && k.Spec })
}

func nameField(p *pass) {
	if p.doc.isBroken() || !p.doc.opt.isFor("claude") && !p.doc.opt.isForSpec() {
		return // SK902 says which of the other agents take it
	}
	f, ok := p.doc.skill.Front.Field("name")
	folder := p.doc.name
	forSpec := p.doc.opt.isForSpec()
	if !ok {
		if forSpec && p.doc.frontEnd() > 0 && !p.doc.isMisspelt("name") {
			p.severe(p.find(0, 3, "the name is missing, which the Agent Skills specification requires"), Error).Agent = "spec"
		}
		return
	}
	why := nameFault(f.Value)
	if why == "" && folder != "" && f.Value != folder && p.doc.file.Misplaced.Text == "" {
		why = fmt.Sprintf("is not that of its folder: Claude Code calls the skill %s", folder)
	}
	if why == "" {
		return
	}
	x := p.find(f.ValueOffset, f.ValueEnd, "the name %s %s", f.Value, why)
	if forSpec {
		p.severe(x, Error).Agent = "spec"
	}
	if nameFault(folder) == "" && folder != "" && strings.TrimSpace(f.Raw) == f.Value {
		x.Help = "write " + folder
		x.Fix = replace("write "+folder, true, f.ValueOffset, f.ValueEnd, folder)
	}
}

// nameFault says which of the specification's rules a name breaks.
func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case length(name) > 64:
		return "has more than 64 characters"
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return "may only have a-z, 0-9 and -"
	case strings.HasPrefix(name, "-"), strings.HasSuffix(name, "-"), strings.Contains(name, "--"):
		return "begins or ends with -, or has two in a row"
	}
	return ""
}

// values are what some fields may say. A model may be any name: new ones come.
var values = []struct {
	field string
	known []string
}{
	{"effort", []string{"low", "medium", "high", "xhigh", "max"}},
	{"context", []string{"fork"}},
	{"shell", []string{"bash", "powershell"}},
}

func fieldValue(p *pass) {
	for _, n := range p.doc.skill.Notes {
		if n.Code != skill.NoteFieldValue && n.Code != skill.NoteArgumentName {
			continue
		}
		f, ok := p.fieldAt(n.Offset)
		if !ok || p.doc.file.Kind == Agent || f.Key == "metadata" && !p.doc.opt.isForSpec() { // Claude Code does not read it
			continue
		}
		if f.Key == "arguments" && slices.ContainsFunc(f.Fields, func(item skill.Field) bool { return len(item.Fields) > 0 }) {
			x := p.find(f.ValueOffset, f.ValueEnd, "arguments is a list of mappings, want a list of names: Claude Code fills in none of them")
			x.Help = "write the names alone, as in arguments: [target, mode]"
			continue
		}
		x := p.find(f.ValueOffset, f.ValueEnd, "%s", n.Text)
		if f.Key == "compatibility" || f.Key == "license" {
			x.Message += ", as the Agent Skills specification says; Claude Code does not read the field"
			if !p.doc.opt.isForSpec() {
				p.severe(x, Info)
			}
		}
	}
	if !p.doc.opt.isFor("claude") {
		return // the fields below are Claude Code's
	}
	for _, v := range values {
		f, ok := p.doc.skill.Front.Field(v.field)
		if !ok || f.Value == "" || slices.Contains(v.known, f.Value) || p.doc.file.Kind == Agent && v.field != "effort" {
			continue
		}
		if _, err := strconv.Atoi(f.Value); err == nil && v.field == "effort" {
			continue // a budget of tokens
		}
		x := p.find(f.ValueOffset, f.ValueEnd, "%s is %s, want %s: it is ignored", v.field, f.Value, strings.Join(v.known, ", "))
		x.Help = "leave the field out, or write " + strings.Join(v.known, " or ")
		if v.field == "context" && strings.Contains(f.Value, "!`") {
			x.Message = "context takes only fork, so these commands never run"
			x.Help = "put them into the text, each as !`command`"
		}
		if v.field == "context" && f.Value == "inline" {
			p.severe(x, Info) // it says what happens anyway
		}
		p.nearValue(x, f, v.known)
	}
	p.model()
	p.tools()
	if f, ok := p.doc.skill.Front.Field("hooks"); ok {
		p.hookEvents(f)
	}
}

func (p *pass) fieldAt(offset int) (skill.Field, bool) {
	i := slices.IndexFunc(p.doc.skill.Front.Fields, func(f skill.Field) bool { return f.Offset == offset })
	if i < 0 {
		return skill.Field{}, false
	}
	return p.doc.skill.Front.Fields[i], true
}

// nearValue offers the value that a misspelt one stands for. There are few, so short ones count.
func (p *pass) nearValue(x *Finding, f skill.Field, known []string) {
	near := ""
	for _, k := range known {
		if len(f.Value) > 2 && words.Distance(strings.ToLower(f.Value), k) <= 1 {
			near = k
		}
	}
	if near != "" && strings.TrimSpace(f.Raw) == f.Value {
		x.Help = "write " + near
		x.Fix, x.ofClaude = replace("write "+near, false, f.ValueOffset, f.ValueEnd, near), true
	}
}

func (p *pass) model() {
	f, ok := p.doc.skill.Front.Field("model")
	if ok && len(f.Fields) > 0 && p.doc.file.Kind == Agent { // testdata/claude/SK105-agent-model.txtar
		p.find(f.Offset, f.Offset+len(f.Key), "model is not a string: it is ignored, and the agent runs on the session's model")
	}
	if !ok || len(f.Fields) > 0 || f.Value == "" {
		return
	}
	name := strings.TrimSuffix(f.Value, "[1m]")
	if slices.Contains(claudecode.ModelAliases(), name) || strings.Contains(name, "claude") || strings.ContainsAny(name, "/:.$") {
		return
	}
	x := p.severe(p.find(f.ValueOffset, f.ValueEnd,
		"the model %s is not known here: if Claude Code does not know it either, the %s cannot be used", f.Value, p.doc.noun()), Info)
	p.nearValue(x, f, claudecode.ModelAliases())
	if x.Fix != nil {
		x.Fix.Unsafe = true // Claude Code may know the name
	}
}

// tools reports tools and paths that are neither a text nor a list of texts.
func (p *pass) tools() {
	for _, key := range []string{"allowed-tools", "disallowed-tools", "paths"} {
		f, ok := p.doc.skill.Front.Field(key)
		if !ok || len(f.Fields) > 0 {
			continue
		}
		if _, err := strconv.ParseFloat(f.Raw, 64); err == nil || f.Raw == "true" || f.Raw == "false" {
			p.find(f.ValueOffset, f.ValueEnd, "%s is %s, want a string or a list of strings", key, f.Raw)
		}
	}
}

// hookEvents checks the events of a frontmatter's hooks.
func (p *pass) hookEvents(f skill.Field) {
	if len(f.Fields) == 0 {
		p.find(f.Offset, f.ValueEnd, "hooks is no list of events")
		return
	}
	for _, event := range f.Fields {
		if slices.Contains(claudecode.Events(), event.Key) || event.Key == "" {
			continue
		}
		x := p.find(event.Offset, event.End, "unknown event %s; the hook never runs", event.Key)
		near := nearest(event.Key, claudecode.Events())
		switch {
		case near == "":
			x.Help = eventsHelp
		case slices.ContainsFunc(f.Fields, func(other skill.Field) bool { return other.Key == near }):
			x.Help = "move the hook to " + near + ", which is there already"
		case event.End-event.Offset == len(event.Key):
			x.Help = "write " + near
			x.Fix, x.ofClaude = rename("write "+near, "hooks", event.Offset, event.End, near), true
		}
	}
}

const maxDescription = 1024 // in the specification

func description(p *pass) {
	front := &p.doc.skill.Front
	f, ok := front.Field("description")
	if !p.doc.isBroken() && p.doc.file.Kind == Skill && skill.IsPlaceholder(front.Description) {
		x := p.severe(p.find(f.ValueOffset, f.ValueEnd, "the description is still the one that a new skill has: no agent can tell when to use the skill"), Warning)
		x.Help = "say what it is for and when to use it"
		return
	}
	if p.doc.isBroken() || !p.doc.opt.isFor("claude") && !p.doc.opt.isForSpec() {
		return
	}
	if !ok || strings.TrimSpace(front.Description) == "" {
		if front.DisableModelInvocation {
			return // nobody chooses it by its description
		}
		if !ok && p.doc.isMisspelt("description") {
			return
		}
		start, end := 0, min(3, len(p.doc.src))
		if ok {
			start, end = f.Offset, f.ValueEnd
		}
		what := p.undescribed()
		if p.doc.frontEnd() == 0 {
			p.noFrontmatter(what)
			return
		}
		x := p.find(start, end, "the description is missing: %s", what)
		x.Help = "say what it is for and when to use it"
		return
	}
	if p.doc.file.Kind == Agent {
		return
	}
	listed := length(p.doc.description)
	switch text := strings.TrimSpace(front.Description); {
	case isScrap(text):
		x := p.severe(p.find(f.ValueOffset, f.ValueEnd, "the description is a piece of code: no agent can tell when to use the skill"), Warning)
		x.Help = "say what it is for and when to use it"
	case listed > claudecode.MaxListed:
		x := p.find(f.ValueOffset, f.ValueEnd,
			"description and when_to_use have %d characters: Claude Code cuts them at %d, and the model never sees the rest", listed, claudecode.MaxListed)
		x.Help = "put first what says when to use the skill, and shorten the rest"
		p.doc.losesWhen(x, claudecode.MaxListed)
	case length(front.Description) > maxDescription:
		x := p.severe(p.find(f.ValueOffset, f.ValueEnd,
			"the description has %d characters, more than the %d of the Agent Skills specification: other agents refuse or cut it",
			length(front.Description), maxDescription), Warning)
		x.Help = "shorten it"
		if slices.Equal(p.doc.file.Owners, []string{agents.Claude}) && !p.doc.opt.isForSpec() {
			p.severe(x, Info) // no other agent reads the file where it lies
		}
	}
}

// isScrap reports whether a description is a piece of code: it has no letter, or begins or ends as code does.
func isScrap(text string) bool {
	return !letter.Get().MatchString(text) || codeEnds.Get().MatchString(text)
}

var (
	letter   = words.Regexp(`[\pL\d]`)
	codeEnds = words.Regexp("^(import .* from ['\"]|export (default|const|function)|(const|let|var) \\w+ =|<[a-zA-Z][^>]*/?>\\s*$)" +
		"|^[^.!?]*</[a-zA-Z]+>;?$|[{;]$")
)

// undescribed says what becomes of a file without a description (testdata/claude/SK106-*.txtar).
func (p *pass) undescribed() string {
	_, tools := p.doc.skill.Front.Field("tools")
	switch {
	case p.doc.file.Kind == Agent && p.doc.file.As != InPlugin:
		return "Claude Code does not load the agent"
	case p.doc.file.Kind == Agent && tools:
		return "Claude Code loads the agent, and the model is not told what it is for"
	case p.doc.file.Kind == Agent:
		return "Claude Code loads it as an agent with all tools, and the model is not told what it is for"
	case p.doc.file.As == InPlugin:
		return "the model is not told of the skill, and only those who type its name can use it"
	}
	return "the skill is listed by the first line of its text"
}

// noFrontmatter reports a file that begins with its text.
func (p *pass) noFrontmatter(what string) {
	isAbout := p.doc.stem() == strings.ToUpper(p.doc.stem()) // README.md, which is about the agents
	deep := filepath.Base(filepath.Dir(p.doc.file.Path)) != "agents"
	fault := "there is no frontmatter"
	switch {
	case p.doc.file.Kind == Agent && p.doc.file.As != InPlugin && isAbout:
		return
	case strings.TrimSpace(p.doc.src) == "" && !(p.doc.file.Kind == Agent && p.doc.file.As == InPlugin):
		fault, what = "the file is empty", "there is nothing for an agent to read"
	case strings.TrimSpace(p.doc.src) == "":
		fault = "the file is empty"
	}
	if odd := oddFirst(p.doc.lineText(1)); odd != "" {
		fault = odd
	}
	late := p.doc.lateFront()
	if late > 1 {
		fault = fmt.Sprintf("the frontmatter begins on line %d, so it is not read", late)
	}
	x := p.find(0, len(p.doc.lineText(1)), "%s: %s", fault, what)
	x.Help = "begin the file with --- and a description: that says what it is for and when to use it"
	switch {
	case p.doc.file.Kind == Agent && p.doc.file.As != InPlugin && fault == "there is no frontmatter":
		x.Message = "this is not an agent, because it has no frontmatter: Claude Code skips the file"
		x.Help = "move it out of agents, or add name and description"
	}
	switch {
	case p.doc.file.Kind == Agent && p.doc.file.As == InPlugin:
		x.Help = "if this is not an agent, move it out of agents; if it is, begin it with ---, a description and its tools"
	case p.doc.file.Kind == Agent && deep: // it may be there for an agent to read
		p.severe(x, Info)
	}
	switch {
	case late > 1 && strings.TrimSpace(p.doc.src[:p.doc.lines[late-1]]) == "":
		x.Help = "remove the empty lines above it"
		x.Fix = replace("remove the empty lines above it", true, 0, p.doc.lines[late-1], "")
	case late > 1:
		x.Help = fmt.Sprintf("make line %d the first line, and move what is above it below the frontmatter", late)
	case late == 1:
		x.Help = "begin the line with ---"
		x.Fix = replace("remove what is before the ---", true, 0, strings.Index(p.doc.src, "---"), "")
	}
}

// oddFirst says what is wrong with a first line that was likely meant to begin a frontmatter, or "".
func oddFirst(line string) string {
	text := line
	line = strings.TrimSpace(line)
	switch {
	case line == "---" && text[0] != '-':
		return "there are spaces before the first ---, so the frontmatter is not read"
	case strings.HasPrefix(line, "```y") || line == "```":
		return "the frontmatter is in a code fence, so it is not read"
	case len(line) > 1 && line != "---" && strings.Trim(line, "-–—") == "":
		return "the first line is " + line + " and not ---, so there is no frontmatter"
	}
	return ""
}

// noun returns what people call the file.
func (d *document) noun() string {
	if d.file.Kind == Agent || d.file.Kind == Command {
		return string(d.file.Kind)
	}
	return "skill"
}

// lateFront returns the line where a frontmatter begins that has something above it, or 0.
func (d *document) lateFront() int {
	begin, isFront := 0, false
	for i, line := range strings.Split(d.src, "\n") {
		switch {
		case strings.TrimSpace(line) == "---" && isFront:
			return begin
		case strings.TrimSpace(line) == "---":
			begin = i + 1
		case begin > 0 && (strings.HasPrefix(line, "name:") || strings.HasPrefix(line, "description:")):
			isFront = true
		}
	}
	return 0
}

// stem returns the file's name without its ending.
func (d *document) stem() string { return strings.TrimSuffix(filepath.Base(d.file.Path), ".md") }
