package check

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/markdown"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/permit"
	"github.com/skillhand/skillhand/skill"
)

// A document is a file that is being checked, parsed once for all rules.
type document struct {
	file  File
	opt   *Options
	src   string
	lines []int // where the lines start
	last  struct{ line, column, offset int }
	made  map[string]int // findings, by their rules
	looks looks

	secrets []foundSecret
	rules   *fileRules // of settings files that count; nil means none

	fault      error // why it could not be read
	skill      *skill.Skill
	slip       skill.Slip // that makes its frontmatter no YAML
	directives []*directive
	links      []markdown.Link
	json       *doc.Node // of a JSON file
	jsonFault  *doc.Error
	refused    []claudecode.Fault // for which Claude Code does not load the plugin

	// These are known when all rules about it have run.
	name        string // that it is loaded by
	template    bool   // it is filled in, or put into another text, before an agent reads it
	mended      bool   // the frontmatter is no YAML, and Claude Code reads it all the same
	alias       string // its name: field, if that is another
	description string // with when_to_use
	listing     string // the same in Claude Code's list of skills
	listed      bool   // in what Claude Code tells the model
	describedAt [2]int
	needs       []need       // an agent's skills
	approved    bool         // Claude Code asks before the model may use it
	count       int          // of directives
	runs        bool         // Claude Code runs directives of it
	sight       agents.Skill // what other agents look at
	loads       bool         // it is made for skillhand load, or calls it
	ignores     []*ignore
	also        []string // files beside it that were looked at, by their names in a baseline
	findings    []*Finding
	verdicts    []Verdict
}

// A directive is a command in a text that Claude Code or skillhand would run.
type directive struct {
	part    *skill.Part // as skillhand reads it; nil if only Claude Code runs it
	claude  bool        // Claude Code runs it
	block   bool
	start   int // of all of it
	end     int
	line    int
	command string
	at      func(i int) int // where byte i of the command stands in the file

	program *syntax.File   // nil if it is no program of bash
	fault   error          // why
	names   [][2]int       // where commands' names stand in the file
	verdict permit.Verdict // for everybody who has the file
	here    permit.Verdict // for this user

	unfilled bool // it has the verdict only if it is not given its arguments
}

func open(f File, opt *Options) *document {
	d := &document{file: f, opt: opt, lines: []int{0}, made: map[string]int{}, fault: f.Fault}
	if d.fault != nil {
		return d
	}
	src, err := f.Source, error(nil)
	if src == nil {
		src, err = readFile(&f)
	}
	if err == nil && slices.Contains(src[:min(len(src), 8000)], 0) {
		err = errors.New("not a text file: it has a zero byte")
	}
	if err != nil {
		d.fault = err
		return d
	}
	d.src = string(src)
	for i := range len(d.src) {
		if d.src[i] == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	d.secrets = findSecrets(d.src)
	d.rules = d.findRules()
	switch f.Kind {
	case Plugin, Marketplace, Hooks:
		d.json, d.jsonFault = doc.ParseJSON(d.src)
		if d.file.Kind == Plugin && d.jsonFault == nil {
			_, d.refused = claudecode.ParseManifest(src)
		}
	default:
		d.parseMarkdown(src)
	}
	return d
}

// A linkError is about a file that is a link out of its folder.
type linkError struct {
	real string
	kind Kind
}

func (e *linkError) Error() string {
	what := "Claude Code follows the link, but skillhand does not, and the file is not checked"
	if e.kind == Command {
		what = "Claude Code does not load such a command"
	}
	return fmt.Sprintf("links to %s, outside its folder: %s", e.real, what)
}

// readFile reads a file. What an agent loads by name and is a link out of its folder could be any file
// of the user's: load refuses it, and so does this.
func readFile(f *File) ([]byte, error) {
	if real, out := files.LinksOut(f.Path); out && (f.Kind == Skill || f.Kind == Command) {
		return nil, &linkError{real, f.Kind}
	}
	return files.ReadFile(f.Path)
}

func (d *document) parseMarkdown(src []byte) {
	d.skill = skill.Parse(d.file.Path, readable(src))
	d.slip = d.skill.Front.Slip
	d.mendFront()
	d.findLinks()
	d.readIgnores()
	if d.file.Kind == Agent {
		d.alias = d.skill.Front.Name
		d.readNeeds()
		return
	}
	d.findDirectives(src)
	if d.file.Kind == FirstUse {
		return // what Claude Code decides is not asked
	}
	if d.file.Kind == Text {
		d.decideAll()
		return
	}
	d.template = d.isTemplate()
	if at := d.file.Misplaced; (at.Text == "" || at.Perhaps) && !d.template {
		d.name = d.loadName()
	}
	d.describe()
	d.decideAll()
	if d.file.Kind == Skill && len(d.opt.named()) > 0 {
		d.sight = agents.Read(d.file.Path, src)
	}
}

// isTemplate reports whether a skill is a template or a fragment: it lies in a folder of templates in another skill's, or
// nobody is known to load it, and it lies in a folder of templates, has blanks to fill in for its name, or has no frontmatter
// and lies in no folder of skills.
func (d *document) isTemplate() bool {
	if d.file.Kind != Skill || d.file.Path == "" {
		return false
	}
	isLoaded := d.file.Misplaced.Text == "" && len(d.file.Owners) > 0
	if d.inTemplates() {
		return !isLoaded || d.isInSkill()
	}
	if isLoaded {
		return false
	}
	folders := strings.Split(find.Relative(d.file.Top, filepath.Dir(filepath.Dir(d.file.Path))), "/")
	if name, ok := d.skill.Front.Field("name"); ok && strings.ContainsAny(name.Raw, "{}<>") {
		return true
	}
	return d.frontEnd() == 0 && filepath.Dir(filepath.Dir(d.file.Path)) != d.file.Top && !slices.Contains(folders, "skills")
}

// inTemplates reports whether a file lies in a folder of templates.
func (d *document) inTemplates() bool {
	return slices.ContainsFunc(strings.Split(find.Relative(d.file.Top, filepath.Dir(d.file.Path)), "/"), isTemplateFolder)
}

// isInSkill reports whether the folder of a skill lies in that of another.
func (d *document) isInSkill() bool {
	for dir := filepath.Dir(filepath.Dir(d.file.Path)); files.Below(d.file.Top, dir); dir = filepath.Dir(dir) {
		if files.IsFile(filepath.Join(dir, skill.MainFile)) {
			return true
		}
	}
	return false
}

func isTemplateFolder(name string) bool { return templateFolder.Get().MatchString(name) }

var templateFolder = words.Regexp(`(?i)^((skill|plugin|agent|command)s?[-_])?templates?([-_](skill|plugin|agent|command)s?)?$`)

// readable returns a text with something in the place of each byte that is no UTF-8, as an agent reads
// it: YAML refuses such, Claude Code does not.
func readable(src []byte) []byte {
	if utf8.Valid(src) {
		return src
	}
	src = slices.Clone(src)
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n <= 1 {
			src[i] = '?'
		}
		i += n
	}
	return src
}

// mendFront reads a frontmatter that is no YAML as Claude Code does. The fields are those of the
// mended text, in the places that they have in the file.
func (d *document) mendFront() {
	end := d.bodyStart()
	if d.skill.Front.Broken == "" || end == 0 {
		return
	}
	text := claudecode.RepairYAML(string(readable([]byte(d.src[:end]))))
	mended := skill.Parse(d.file.Path, []byte(text))
	if mended.Front.Broken != "" || len(mended.Front.Fields) == 0 {
		return // no field counts
	}
	d.mended = true
	places := newPlaces(d.src[:end], text)
	d.skill.Front = mended.Front
	d.moveBack(d.skill.Front.Fields, places)
	for _, n := range mended.Notes {
		if n.Code == skill.NoteFieldValue || n.Code == skill.NoteArgumentName {
			n.Offset = places.before(n.Offset)
			d.skill.Notes = append(d.skill.Notes, n)
		}
	}
}

func (d *document) moveBack(fields []skill.Field, places *places) {
	for i := range fields {
		f := &fields[i]
		f.Offset, f.End = places.before(f.Offset), places.before(f.End)
		f.ValueOffset = places.before(f.ValueOffset)
		f.ValueEnd = max(f.ValueOffset, places.before(f.ValueEnd))
		f.Raw = d.src[f.ValueOffset:f.ValueEnd]
		d.moveBack(f.Fields, places)
	}
}

// places says where something stood before lines were mended: all of a line up to what changed, its
// end, and what is indented.
type places struct {
	was, is           []string // the lines
	startWas, startIs []int    // of each
}

func newPlaces(was, is string) *places {
	p := &places{was: strings.SplitAfter(was, "\n"), is: strings.SplitAfter(is, "\n")}
	atWas, atIs := 0, 0
	for i := range p.is {
		p.startWas, p.startIs = append(p.startWas, atWas), append(p.startIs, atIs)
		atWas, atIs = atWas+len(p.was[i]), atIs+len(p.is[i])
	}
	return p
}

func (p *places) before(offset int) int {
	i := sort.SearchInts(p.startIs, offset+1) - 1
	was, is, at := p.was[i], p.is[i], offset-p.startIs[i]
	more := len(is) - len(was)
	switch {
	case strings.HasPrefix(was, "\t"):
		at = max(0, at-more)
	case was != is && !strings.HasPrefix(was, is[:at]):
		at = max(0, min(len(strings.TrimRight(was, "\r\n")), at-more)) // the end
	}
	return p.startWas[i] + at
}

// findLinks looks for links where the text is no code.
func (d *document) findLinks() {
	from, to := 0, 0
	for _, p := range d.skill.Parts {
		if p.Kind == skill.Header || p.InCode || p.Kind == skill.Directive {
			d.links = append(d.links, markdown.Links(d.src, from, to)...)
			from = p.Offset + len(p.Source)
		}
		to = p.Offset + len(p.Source)
	}
	d.links = append(d.links, markdown.Links(d.src, from, to)...)
}

// A need is a skill that an agent is to have.
type need struct {
	name       string
	start, end int
}

func (d *document) readNeeds() {
	f, ok := d.skill.Front.Field("skills")
	if !ok {
		return
	}
	for _, item := range f.Fields {
		d.needs = append(d.needs, need{item.Value, item.ValueOffset, item.ValueEnd})
	}
	if len(f.Fields) == 0 {
		for name := range strings.FieldsFuncSeq(f.Value, func(r rune) bool { return r == ',' || r == ' ' }) {
			d.needs = append(d.needs, need{name, f.ValueOffset, f.ValueEnd})
		}
	}
}

// bodyStart returns where the text after the frontmatter starts.
func (d *document) bodyStart() int {
	if len(d.skill.Parts) > 0 && d.skill.Parts[0].Kind == skill.Header {
		return len(d.skill.Parts[0].Source)
	}
	return 0
}

func (d *document) body() string { return d.src[d.bodyStart():] }

// findDirectives lists what skillhand and what Claude Code would run, each once.
func (d *document) findDirectives(src []byte) {
	written := claudecode.Directives(src)
	for i := range d.skill.Parts {
		if p := &d.skill.Parts[i]; p.Kind == skill.Directive {
			d.directives = append(d.directives, ours(p))
		}
	}
	own := len(d.directives)
	for _, w := range written {
		i := sort.Search(own, func(i int) bool { return d.directives[i].end > w.Offset })
		if i < own && d.directives[i].start < w.End {
			d.directives[i].claude = true
			continue
		}
		d.directives = append(d.directives, theirs(w))
	}
	slices.SortStableFunc(d.directives, func(a, b *directive) int { return cmp.Compare(a.start, b.start) })
	for _, x := range d.directives {
		d.runs = d.runs || x.claude && x.part != nil
		if x.part != nil {
			x.program, x.fault = words.Parse(x.command)
			x.findNames()
			d.count++
		}
	}
}

// findNames notes where the commands of a directive have their names.
func (d *directive) findNames() {
	if d.program == nil {
		return
	}
	syntax.Walk(d.program, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			d.names = append(d.names, [2]int{d.at(from(call.Args[0])), d.at(to(call.Args[0]))})
		}
		return true
	})
}

func ours(p *skill.Part) *directive {
	var b strings.Builder
	for _, c := range p.Command {
		b.WriteString(c.Source)
	}
	return &directive{part: p, block: p.Block, start: p.Offset, end: p.Offset + len(p.Source), line: p.Line, command: b.String(), at: p.SourceOffset}
}

func theirs(w claudecode.Written) *directive {
	return &directive{claude: true, block: w.Block, start: w.Offset, end: w.End, line: w.Line, command: w.Command, at: func(i int) int { return w.From + i }}
}

// calls walks the simple commands of all directives that are meant to run.
func (d *document) calls(f func(x *directive, call *syntax.CallExpr)) {
	for _, x := range d.directives {
		if x.program == nil {
			continue
		}
		syntax.Walk(x.program, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				f(x, call)
			}
			return true
		})
	}
}

// loadName returns the name that the file is loaded by: its folder's, or a command's with its folders.
func (d *document) loadName() string {
	if d.file.Kind == Skill {
		name := filepath.Base(filepath.Dir(d.file.Path))
		if name == "." || name == string(filepath.Separator) {
			return ""
		}
		return name
	}
	name := strings.TrimSuffix(filepath.Base(d.file.Path), ".md")
	if rel, err := filepath.Rel(d.file.Root, d.file.Path); err == nil {
		folders := strings.Split(filepath.ToSlash(filepath.Dir(rel)), "/")
		if i := slices.Index(folders, "commands"); i >= 0 {
			name = strings.Join(append(folders[i+1:], name), ":")
		}
	}
	return name
}

// describe keeps what Claude Code would list the skill with.
func (d *document) describe() {
	front := &d.skill.Front
	d.alias = front.Name
	d.listed = !front.DisableModelInvocation && len(front.Paths) == 0 // those with paths are listed when one is touched
	d.description = strings.TrimSpace(front.Description)
	text := cmp.Or(d.description, firstLine(d.body()), "Skill")
	if front.WhenToUse != "" {
		d.description += " - " + strings.TrimSpace(front.WhenToUse)
		text += " - " + front.WhenToUse
	}
	d.listing = oneLine(text)
	if f, ok := front.Field("description"); ok {
		d.describedAt = [2]int{f.ValueOffset, f.ValueEnd}
	}
}

// firstLine returns what describes a skill that does not say.
func firstLine(body string) string {
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#")); line != "" {
			return line
		}
	}
	return ""
}

// oneLine returns a text as it stands in a list: Claude Code makes a blank of all white space, one at
// the end included.
func oneLine(s string) string {
	line := strings.Join(strings.Fields(s), " ")
	if strings.TrimRight(s, " \t\r\n") != s {
		line += " "
	}
	return line
}

// close drops what no rule about all files needs: of the text, all but the frontmatter.
func (d *document) close() {
	end := 0
	if d.skill != nil {
		end = d.bodyStart()
	}
	d.skill, d.directives, d.links, d.json = nil, nil, nil, nil
	if d.opt.keep || len(d.ignores) > 0 {
		return
	}
	for i, s := range d.secrets {
		d.secrets[i].text = strings.Clone(s.text)
	}
	for _, f := range d.findings {
		if len(f.text) < 1000 { // a long line may have many findings: then they share it
			f.text = strings.Clone(f.text)
		}
	}
	first, _, _ := strings.Cut(d.src[:min(len(d.src), 1000)], "\n") // which findings about all of the file show
	end = max(end, len(first))
	d.last.line = 0
	d.src = strings.Clone(d.src[:end])
	d.lines = slices.Clone(d.lines[:d.lineAt(end)])
}

func (d *document) lineAt(offset int) int {
	return sort.Search(len(d.lines), func(i int) bool { return d.lines[i] > offset })
}

// length counts characters as Claude Code does: UTF-16 units.
func length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// clip shortens a text for a message.
func clip(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
