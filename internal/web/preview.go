package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

// A preview shows a skill beside the page that an agent reads.
type preview struct {
	Trusted bool
	Runs    bool   // the skill has directives
	Seen    string // identifies the source that is shown
	Folder  string // the folder to trust
	Refused string // why its commands may not run, and what to do
	Trust   string // the command that trusts it, or ""

	Fields  []field // of the form for arguments
	Use     string  // first or later
	Against string  // the page to compare with: "", later, claude, tool

	Blocks     []block
	SourceRest string
	PageRest   string
	Fault      string // why there is no page, or ""
	Directives []directive
	Warnings   []string
	Origin     string // where the outcomes come from, in words

	Live   bool
	Action string // the address of the skill
	Tab    string // the tab to return to after a fix
	anchor string // in an export

	Before, After, Later string // tokens
	Saved                string // what a later page saves or costs
	Costs                bool   // the later page costs more
	Diff                 []diffLine
	DiffTitle, DiffNote  string
	Command              string
}

// ID returns the id of a part of the preview.
func (p *preview) ID(name string) string { return p.anchor + name }

// A found is a finding on a page, for templates.
type found struct {
	P       *preview
	Finding finding
}

// With returns a finding together with this preview.
func (p *preview) With(f finding) found { return found{p, f} }

// A field is an argument in the form.
type field struct{ Name, Label, Value, Hint string }

// A directive is a row of the table below the page.
type directive struct {
	ID      int
	Line    int
	Command string
	How     string
	Exit    string
	Mark    string
	Time    string
	Bytes   string
}

// A look is a skill with the arguments to render it with.
type look struct {
	visit *visit
	name  string
	args  render.Args
	loc   skill.Location
	src   *skill.Skill
	not   error // why its commands may not run, or nil

	found    []located // the findings of check; nil if check has not run yet
	foundErr error
	pages    map[pageKind]madePage // rendered pages
}

// A pageKind identifies one of the pages of a look.
type pageKind struct{ later, written bool }

// A madePage is a rendered page, or the error.
type madePage struct {
	page     *skillhand.Page
	recorded bool // the outcomes are those of the last run
	err      error
}

// look returns the skill that the address names.
func (v *visit) look() (*look, error) {
	l := &look{visit: v, name: v.query.Get("skill"), pages: map[pageKind]madePage{}}
	if l.name == "" {
		return nil, errMissing{"No skill is named: choose one from the list of skills."}
	}
	var err error
	if l.loc, err = v.find(l.name); err != nil {
		v.watch(false, v.mayCome(l.name)...)
		v.files = nil
		l.loc, err = v.find(l.name) // it may have been created meanwhile
	}
	if err != nil {
		return nil, errMissing{err.Error()}
	}
	v.watch(false, filepath.Dir(l.loc.File), v.site.Runtime.TrustDir(), check.ConfigFile(v.site.Runtime.Dir))
	if real, err := filepath.EvalSymlinks(l.loc.File); err == nil {
		v.watch(false, filepath.Dir(real))
	}
	if l.src, err = skill.Read(l.loc); err != nil {
		return nil, errMissing{err.Error()}
	}
	l.not = v.site.Runtime.Policy(v.site.Runtime.Here).May(l.src.Real)
	words := v.query["arg"]
	for len(words) > 0 && words[len(words)-1] == "" {
		words = words[:len(words)-1]
	}
	l.args = render.JoinArgs(words)
	if raw := v.query.Get("args"); raw != "" {
		l.args = render.ParseArgs(raw)
	}
	return l, nil
}

// find returns a skill that may be shown. The skill must have a name here, be in a folder of
// skills, or be named on the command line. It refuses any other path. Otherwise, every file of the
// machine could be shown as a skill.
func (v *visit) find(name string) (skill.Location, error) {
	finder := v.site.Runtime.Finder()
	loc, err := finder.Find(name)
	if !files.Is(name) || name == v.site.Named {
		return loc, err
	}
	if err == nil && v.listed(finder, loc.File) {
		return loc, nil
	}
	return skill.Location{}, fmt.Errorf("%s: no such skill", name)
}

// listed reports whether a file is a skill in a folder of skills or a listed command.
func (v *visit) listed(finder find.Finder, file string) bool {
	real := files.Real(file)
	if name := filepath.Base(real); name == skill.MainFile || skill.IsTextFile(name) {
		if slices.ContainsFunc(finder.Folders(), func(root string) bool { return filepath.Dir(filepath.Dir(real)) == files.Real(root) }) {
			return true
		}
	}
	if v.files == nil {
		v.files = map[string]bool{}
		all, _ := finder.List() // the list of skills shows unreadable skills
		for _, l := range all {
			v.files[files.Real(l.File)] = true
		}
	}
	return v.files[real]
}

// mayCome returns the paths where a missing skill would be found if someone created it.
func (v *visit) mayCome(name string) []string {
	finder := v.site.Runtime.Finder()
	if files.Is(name) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(cmp.Or(finder.Here, finder.Dir), name)
		}
		if name != v.site.Named && !slices.ContainsFunc(finder.Folders(), func(root string) bool { return files.Inside(root, name) }) {
			return nil
		}
		return []string{name, filepath.Dir(name)}
	}
	name = name[strings.LastIndexByte(name, ':')+1:]
	var all []string
	for _, root := range finder.Folders() {
		all = append(all, filepath.Join(root, name), filepath.Join(root, skill.Companion(name)))
	}
	for _, root := range finder.CommandFolders() {
		all = append(all, filepath.Join(root, name+".md"))
	}
	return all
}

// address returns the address of the same skill and arguments with other choices.
func (l *look) address(pairs ...string) string {
	all := []string{"skill", l.name}
	for _, w := range l.visit.query["arg"] {
		all = append(all, "arg", w)
	}
	return l.visit.link("skill", append(append(all, "args", l.visit.query.Get("args")), pairs...)...)
}

// recording returns the file that keeps the outcomes of a run for later visits.
func (l *look) recording() string {
	return filepath.Join(l.visit.site.Runtime.State, "page", short(l.src.Real, l.args.Raw)+".json")
}

// page returns a page of the skill. It renders each page once for a look.
func (l *look) page(later, written bool) (page *skillhand.Page, recorded bool, err error) {
	kind := pageKind{later, written}
	made, ok := l.pages[kind]
	if !ok {
		made.page, made.recorded, made.err = l.makePage(later, written)
		l.pages[kind] = made
	}
	return made.page, made.recorded, made.err
}

// makePage renders a page without running anything. It uses the outcomes of the last run and leaves
// other directives as written. In an untrusted folder the page says so, as an agent reads it.
func (l *look) makePage(later, written bool) (page *skillhand.Page, recorded bool, err error) {
	req := skillhand.LoadRequest{Skill: l.name, Args: l.args, Use: skillhand.Full, Exec: skillhand.AsWritten}
	if later {
		req.Use = skillhand.Reference
	}
	if l.not != nil && !written {
		req.Exec = skillhand.Refused
	} else if file := l.recording(); !written && files.IsFile(file) {
		req.Exec, req.Recording = skillhand.Partial, file
		page, err := l.visit.site.Runtime.Load(l.visit.ctx, req)
		if err == nil {
			return page, true, nil
		}
		req.Exec, req.Recording = skillhand.AsWritten, ""
	}
	page, err = l.visit.site.Runtime.Load(l.visit.ctx, req)
	return page, false, err
}

// newPreview returns a preview with the data that every tab needs for its fixes.
func (l *look) newPreview(tab string) *preview {
	p := &preview{Live: l.visit.live, Tab: tab, Seen: short(string(l.src.Source())), Fields: l.fields()}
	p.Action = l.visit.link("skill", "skill", l.name)
	if !p.Live {
		p.anchor = anchor("skill", l.name) + "-"
	}
	return p
}

// preview returns the skill beside the page that an agent reads.
func (l *look) preview() *preview {
	v := l.visit
	v.watch(false, l.recording())
	later := v.query.Get("use") == "later"
	p := l.newPreview("")
	p.Trusted, p.Folder = l.not == nil, trust.Root(l.src.Real)
	if refused, ok := errors.AsType[*trust.NotTrusted](l.not); ok {
		p.Refused, p.Trust = refused.Reason(), refused.Remedy("")
	}
	p.Use, p.Against, p.Command = "first", v.query.Get("against"), l.command(later)
	if later {
		p.Use = "later"
	}
	text := string(l.src.Source())
	p.Before = thousands(tokens(text))
	source := l.showSource(p, text)
	page, recorded, err := l.page(later, false)
	if err != nil {
		p.Fault = err.Error()
		p.Blocks = []block{{Source: source}}
	} else {
		p.Blocks = blocks(source, l.showPage(p, page, recorded))
	}
	if !v.live {
		p.Blocks = foldSame(p.Blocks)
	}
	l.count(p)
	l.compare(p)
	return p
}

// fields returns the form's fields: one for each named argument, or one for all arguments.
func (l *look) fields() []field {
	front := l.src.Front
	if len(front.Arguments) == 0 {
		return []field{{Name: "args", Label: "Arguments", Value: l.args.Raw, Hint: front.ArgumentHint}}
	}
	hints := hint.Get().FindAllString(front.ArgumentHint, -1)
	if len(hints) != len(front.Arguments) {
		hints = []string{front.ArgumentHint}
	}
	var all []field
	for i, name := range front.Arguments {
		f := field{Name: "arg", Label: name}
		if i < len(l.args.Words) {
			f.Value = l.args.Words[i]
		}
		if i < len(hints) {
			f.Hint = hints[i]
		}
		all = append(all, f)
	}
	return all
}

// hint matches the hint about one argument in an argument-hint: in brackets, or a word.
var hint = words.Regexp(`\[[^\]]*\]|<[^>]*>|\S+`)

// command returns the command that prints the same page in a terminal.
func (l *look) command(later bool) string {
	words := []string{"skillhand", "load", l.name}
	if later {
		words = append(words, "--reference")
	}
	if slices.ContainsFunc(l.args.Words, func(w string) bool { return strings.HasPrefix(w, "-") }) {
		return shell.Quote(append(words, "--args", l.args.Raw)) // load would read the word as a flag
	}
	return shell.Quote(append(words, l.args.Words...))
}

var classes = map[skill.Kind]string{skill.Header: "front", skill.Variable: "var",
	skill.Directive: "dir", skill.Tag: "tag", skill.Escape: "tag"}

// showSource returns the lines of the source with the findings below them.
func (l *look) showSource(p *preview, source string) []line {
	var spans []span
	n := 0
	for _, part := range l.src.Parts {
		s := span{start: part.Offset, end: part.Offset + len(part.Source), class: classes[part.Kind]}
		if part.Kind == skill.Directive {
			n++
			s.directive = n
		}
		if s.class != "" {
			spans = append(spans, s)
		}
	}
	p.Runs = n > 0
	all := slices.DeleteFunc(slices.Clone(l.allFindings()), func(f located) bool { return f.file != l.src.File })
	if l.foundErr != nil {
		p.Warnings = append(p.Warnings, "check: "+l.foundErr.Error())
	}
	for _, f := range all {
		spans = append(spans, flagged(f.Finding, source))
	}
	text := l.visit.site.withoutSecrets(source)
	if text != source {
		spans = nil // their positions are not valid for the redacted text
	}
	part, rest := shown(text)
	p.SourceRest = rest
	shown := lines(segments(part, spans))
	for i, f := range l.show(all) {
		if at := min(max(all[i].Range.Line, 1), len(shown)) - 1; at >= 0 {
			shown[at].Findings = append(shown[at].Findings, f)
		}
	}
	return shown
}

// ids returns the numbers of a file's directives by their offsets.
func (l *look) ids() map[int]int {
	ids := map[int]int{}
	for _, part := range l.src.Parts {
		if part.Kind == skill.Directive {
			ids[part.Offset] = len(ids) + 1
		}
	}
	return ids
}

func (l *look) showPage(p *preview, page *skillhand.Page, recorded bool) []line {
	for _, w := range page.Warnings {
		if w != page.Withheld && !l.says(w) { // the view has said this already
			p.Warnings = append(p.Warnings, w)
		}
	}
	ids, times := l.ids(), l.times()
	var spans []span
	for _, d := range page.Directives {
		id := ids[d.Offset]
		class := "out"
		switch {
		case l.not != nil:
			class = "out bad"
		case d.How == "" && d.Exit == 0:
			class = "dir"
		case d.Exit != 0:
			class = "out bad"
		}
		spans = append(spans, span{d.Start, d.End, class, id})
		p.Directives = append(p.Directives, strip(id, d, times))
	}
	p.Origin = l.origin(page, recorded)
	part, rest := shown(page.Text)
	p.PageRest = rest
	return lines(segments(part, spans))
}

// origin describes where the outcomes on a page come from.
func (l *look) origin(page *skillhand.Page, recorded bool) string {
	switch {
	case len(page.Directives) == 0:
		return "This page has no directives: it is the same whether or not anything runs."
	case l.not != nil:
		return "No command has run. Agents read this page until the folder is trusted."
	case !recorded:
		return "Nothing has run: directives are shown as written."
	}
	when := ""
	if info, err := os.Stat(l.recording()); err == nil {
		when = ", " + stamp(info.ModTime())
	}
	return "Output of the last run with these arguments" + when + ". Directives changed since then are shown as written."
}

func (l *look) says(warning string) bool {
	return strings.Contains(warning, "frontmatter") && slices.ContainsFunc(l.allFindings(), func(f located) bool {
		return f.Severity == check.Error && strings.HasPrefix(warning, fmt.Sprintf("%s:%d: ", f.file, f.Range.Line))
	})
}

func strip(id int, d render.Directive, times map[string][]float64) directive {
	row := directive{ID: id, Line: d.Line, Command: d.Command, How: "not run", Exit: "–", Time: "–", Bytes: "–", Mark: "dim"}
	if d.How == "" && d.Exit == 0 {
		return row
	}
	row.How, row.Exit, row.Bytes, row.Mark = cmp.Or(string(d.How), "refused"), fmt.Sprint(d.Exit), bytesOf(d.Bytes), "good"
	if d.Exit != 0 {
		row.Mark = "bad"
	}
	if known := times[d.Command]; len(known) > 0 {
		row.Time = term.ShortDuration(known[0])
		times[d.Command] = known[1:]
	}
	return row
}

// times returns the durations of directives by their commands. A recording does not contain them,
// so they are in a file of their own. Unknown durations are not shown.
func (l *look) times() map[string][]float64 {
	times := map[string][]float64{}
	var all []render.Directive
	if data, err := os.ReadFile(timesFile(l.recording())); err != nil || json.Unmarshal(data, &all) != nil {
		return times
	}
	for _, d := range all {
		times[d.Command] = append(times[d.Command], d.DurationMS)
	}
	return times
}

func timesFile(recording string) string { return strings.TrimSuffix(recording, ".json") + ".times" }

// count adds the sizes of the first and the later page.
func (l *look) count(p *preview) {
	var sizes [2]int
	known := true
	for i, to := range []*string{&p.After, &p.Later} {
		page, _, err := l.page(i == 1, false)
		if err != nil {
			*to, known = "–", false
			continue
		}
		sizes[i] = tokens(page.Text)
		*to = thousands(sizes[i])
	}
	switch saved := sizes[0] - sizes[1]; {
	case !known:
	case saved > 0:
		p.Saved = fmt.Sprintf("%s fewer, %.0f %%", thousands(saved), float64(saved)*100/float64(sizes[0]))
	case saved < 0:
		p.Saved, p.Costs = fmt.Sprintf("%s more: this skill is too short to save anything", thousands(-saved)), true
	default:
		p.Saved = "saves nothing"
	}
}

// compare adds the diff that the address requests.
func (l *look) compare(p *preview) {
	var from, to *skillhand.Page
	var err error
	names := [2]string{"first", "later"}
	switch p.Against {
	case "later":
		p.DiffTitle = "First use against later use"
		if from, _, err = l.page(false, false); err == nil {
			to, _, err = l.page(true, false)
		}
	case "claude", "tool":
		p.DiffTitle = "skillhand against Claude Code " + claudecode.Version
		names = [2]string{"skillhand", "claude"}
		p.DiffNote = "Both pages with directives as written: nothing runs."
		if from, _, err = l.page(false, true); err == nil {
			to, err = l.visit.site.Runtime.ClaudePage(l.visit.ctx,
				skillhand.ClaudeRequest{Skill: l.name, Args: l.args.Raw, Tool: p.Against == "tool", NoExec: true})
		}
	default:
		p.Against = ""
		return
	}
	if err != nil {
		p.DiffNote = err.Error()
		return
	}
	a, restA := shown(from.Text)
	b, restB := shown(to.Text)
	p.Diff = diffLines(string(diff.Diff(names[0], []byte(a), names[1], []byte(b))))
	switch {
	case restA+restB != "":
		p.DiffNote = strings.TrimSpace(p.DiffNote + " Only the beginnings are compared: the pages are long.")
	case len(p.Diff) == 0:
		p.DiffNote = strings.TrimSpace(p.DiffNote + " The two pages are the same.")
	}
}

// maxKept is how long the outcomes of a run are kept.
const maxKept = 30 * 24 * time.Hour

// runSkill runs a skill's directives and keeps their outcomes. It runs only trusted skills, because
// a page in a browser is not the place to ask for trust.
func (v *visit) runSkill() (string, error) {
	l, err := v.look()
	if err != nil {
		return "", err
	}
	if l.not != nil {
		return "", l.not
	}
	file := l.recording()
	if err := files.MakeState(filepath.Dir(file)); err != nil {
		return "", err
	}
	files.Sweep(filepath.Dir(file), maxKept)
	page, err := v.site.Runtime.Load(v.ctx, skillhand.LoadRequest{Skill: l.name, Args: l.args, Use: skillhand.Full, Recording: file})
	if err != nil {
		if errors.Is(err, context.Canceled) {
			err = errors.New("run canceled: the page or the server was closed")
		}
		return "", err
	}
	page.Close()
	times, err := json.Marshal(page.Directives)
	if err == nil {
		err = files.Write(timesFile(file), times, 0o600)
	}
	if err != nil {
		return "", err
	}
	return l.address("use", v.query.Get("use"), "against", v.query.Get("against")), nil
}
