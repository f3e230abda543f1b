package web

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/gate"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/trust"
)

// A hub shows everything about a skill, one tab at a time.
type hub struct {
	Name, Title, File string
	Gone              string // why there is no file to show, or ""
	Tab               string
	Tabs              []choice
	Sum               []fact // the line with findings, calls, cost, last use, help
	Tree              []branch

	Preview  *preview
	Findings *foundIn
	Needs    *needs
	Usage    *skillUsage
	Tries    *triesData
	Runs     *runsData
}

// A branch of the tree has the skills of one place.
type branch struct {
	Title  string
	Skills []choice
}

// A foundIn has the findings of check in a skill, by file.
type foundIn struct {
	Files   []foundFile
	Command string
	Faults  []string
	Preview *preview // the view to return to after a fix
}

type foundFile struct {
	Name  string
	Lines []line
}

// A knowledge has the data about a skill besides its text.
type knowledge struct {
	call    string // the name that agents use
	plain   string // the name without the plugin
	account *activity.Account
	use     activity.Use // its use in the period
	tries   []tried
}

func (v *visit) skill() (*view, error) {
	l, missing := v.look()
	if missing != nil && !errors.As(missing, &errMissing{}) {
		return nil, missing
	}
	all, _ := v.listAll() // the list of skills shows unreadable skills
	k, err := v.know(l, all)
	if err != nil {
		return nil, err
	}
	if missing != nil && k.use.Count == 0 && len(k.tries) == 0 {
		return nil, missing
	}
	name := v.query.Get("skill")
	h := &hub{Name: name, Title: name, Tab: cmp.Or(v.query.Get("tab"), "preview"), Tree: v.tree(all, name)}
	if missing != nil {
		if h.Gone = missing.Error(); v.query.Get("tab") == "" {
			h.Tab = "usage"
		}
	} else {
		h.Title, h.File = l.src.Name, v.near(l.src.File)
	}
	v.sum(h, l, k)
	switch h.Tab {
	case "preview":
		if l != nil {
			h.Preview = l.preview()
			break
		}
		fallthrough
	case "findings":
		if l == nil {
			return nil, missing
		}
		h.Findings = l.foundIn()
	case "needs":
		if l == nil {
			return nil, missing
		}
		h.Needs = l.needs()
	case "usage":
		h.Usage = v.skillUsage(k)
	case "tries":
		h.Tries = v.triesOf(k)
	case "runs":
		if h.Runs, err = v.runsData(k.plain); err != nil {
			return nil, err
		}
	default:
		return nil, errMissing{"There is no tab " + h.Tab + ": want preview, findings, needs, usage, tries or runs."}
	}
	return &view{Name: "skill", Tab: "skills", Title: h.Title, Wide: true, Data: h}, nil
}

// know collects the data about a skill. l is nil if the skill does not exist here.
func (v *visit) know(l *look, all []skillhand.Listed) (*knowledge, error) {
	k := &knowledge{call: v.query.Get("skill")}
	file := ""
	if l != nil {
		file = l.loc.File
		for _, one := range all {
			if one.File == file {
				k.call = one.Call
			}
		}
	}
	k.plain = session.PlainName(k.call)
	since, _, err := v.period()
	if err != nil {
		return nil, err
	}
	v.watch(false, append(activity.Folders(v.site.Runtime.Here, since), v.site.Runtime.HistoryDir(), v.site.Runtime.SessionDir())...)
	story := k.call
	if v.query.Get("tab") != "usage" && l != nil {
		story = "" // no view shows it
	}
	if k.account, err = v.account(since, story); err != nil {
		return nil, err
	}
	k.use = k.account.Used(k.call, file)
	k.tries = slices.DeleteFunc(slices.Clone(v.triedAll()), func(r tried) bool { return session.PlainName(r.Skill) != k.plain })
	return k, v.ctx.Err()
}

func (k *knowledge) skillUsed() activity.Skill {
	for _, s := range k.account.Skills {
		if s.Name == k.call {
			return s
		}
	}
	return activity.Skill{Name: k.call}
}

// sum fills in the tabs of a hub and its summary line.
func (v *visit) sum(h *hub, l *look, k *knowledge) {
	since := v.query.Get("since")
	at := func(tab string) string { return v.link("skill", "skill", h.Name, "tab", tab, "since", since) }
	add := func(tab, title string, count int) {
		c := choice{Title: title, Link: at(tab), Here: h.Tab == cmp.Or(tab, "preview")}
		if count > 0 {
			c.Count = thousands(count)
		}
		if c.Here || c.Link != "" {
			h.Tabs = append(h.Tabs, c)
		}
	}
	if l != nil {
		errs, all := 0, l.allFindings()
		for _, f := range all {
			if f.Severity == check.Error {
				errs++
			}
		}
		one := fact{Value: counted(len(all), "finding", "findings"), Link: at("findings"), Mark: "warn"}
		switch {
		case len(all) == 0:
			one.Value, one.Mark = "no findings", ""
		case errs > 0:
			one.Mark = "bad"
		}
		h.Sum = append(h.Sum, one)
		add("", "Preview", 0)
		if v.live { // an export shows them only in the preview
			add("findings", "Findings", len(all))
			add("needs", "Needs", 0)
		}
	}
	used := k.skillUsed()
	_, period, _ := v.period()
	h.Sum = append(h.Sum, fact{Value: counted(used.Counts.Fired(), "call", "calls"), Title: "by agents, " + period, Link: at("usage")})
	if used.Cost.USD != nil {
		h.Sum = append(h.Sum, fact{Value: spent(used.Cost), Title: "what agents spent on it, " + period, Link: at("usage")})
	}
	h.Sum = append(h.Sum, fact{Value: v.lastUse(l, k)})
	if l != nil {
		if one, ok := v.gate(files.Real(l.loc.Folder), used.Gate); ok {
			one.Link = at("usage")
			h.Sum = append(h.Sum, one)
		}
	}
	add("usage", "Usage", used.Counts.Fired())
	if i := slices.IndexFunc(k.tries, func(r tried) bool { return r.Help != nil }); i >= 0 {
		d := k.tries[i].Help
		one := fact{Value: fmt.Sprintf("helps %+.0f", d.Difference*100), Title: d.String(), Link: at("tries")}
		if d.Told {
			one.Mark = map[bool]string{true: "good", false: "bad"}[d.Difference > 0]
		}
		h.Sum = append(h.Sum, one)
	}
	add("tries", "Tries", len(k.tries))
	add("runs", "Runs", k.account.Runs(k.call))
}

// gate returns the checks of the skill in a folder, with how often they held. It reports whether there are any.
func (v *visit) gate(folder string, held *activity.Gates) (fact, bool) {
	done, err := gate.ReadDone(folder, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return fact{}, false
	}
	var gates trust.Gates
	if err == nil {
		gates, err = trust.Store{Dir: v.site.Runtime.TrustDir()}.Gates()
	}
	if err != nil {
		return fact{Value: "gate broken", Title: err.Error(), Mark: "bad"}, true
	}
	var title []string
	for _, c := range done.Checks {
		title = append(title, c.Text)
	}
	one := fact{Value: "gate off, " + counted(len(done.Checks), "check", "checks")}
	if gates.Has(folder) {
		one.Value, one.Mark = strings.Replace(one.Value, "off", "on", 1), "good"
	}
	if held != nil {
		title = append(title, held.String())
	}
	one.Title = strings.Join(title, "\n")
	return one, true
}

// lastUse returns when the skill was last used, in the period or before it.
func (v *visit) lastUse(l *look, k *knowledge) string {
	use := k.use
	if use.Count == 0 {
		file := ""
		if l != nil {
			file = l.loc.File
		}
		if account, err := v.account(time.Time{}, ""); err == nil {
			use = account.Used(k.call, file)
		}
	}
	if use.Last.IsZero() {
		return "never used"
	}
	return "last used " + ago(use.Last)
}

// tree returns all skills, grouped by their origin.
func (v *visit) tree(all []skillhand.Listed, name string) []branch {
	var tree []branch
	for _, one := range all {
		i := slices.IndexFunc(tree, func(b branch) bool { return b.Title == one.From })
		if i < 0 {
			i = len(tree)
			tree = append(tree, branch{Title: one.From})
		}
		leaf := choice{Title: one.Call, Here: one.Call == name || one.File == name}
		leaf.Link = v.link("skill", "skill", one.Call, "tab", v.query.Get("tab"))
		tree[i].Skills = append(tree[i].Skills, leaf)
	}
	return tree
}

// A located finding is a finding with its file.
type located struct {
	*check.Finding
	file string
}

// allFindings returns the findings of check in the skill, in order.
func (l *look) allFindings() []located {
	if l.found == nil {
		l.found = []located{}
		var all []string
		for _, file := range []string{l.loc.File, l.loc.Main().File} {
			if !slices.Contains(all, file) && files.IsFile(file) {
				all = append(all, file)
			}
		}
		by := l.visit.known.found
		if by == nil {
			by, _, l.foundErr = l.visit.findings(all...)
		}
		for _, file := range all {
			for _, f := range by[file] {
				l.found = append(l.found, located{f, file})
			}
		}
	}
	return l.found
}

// foundIn returns the findings of a skill with the lines that they are about.
func (l *look) foundIn() *foundIn {
	d := &foundIn{
		Preview: l.newPreview("findings"),
		Command: shell.Quote([]string{"skillhand", "check", term.Near(filepath.Dir(l.loc.Main().File))}),
	}
	all := l.allFindings()
	if l.foundErr != nil {
		d.Faults = append(d.Faults, "check: "+l.foundErr.Error())
	}
	shown := l.show(all)
	for i, f := range all {
		name := l.visit.near(f.file)
		if n := len(d.Files); n == 0 || d.Files[n-1].Name != name {
			d.Files = append(d.Files, foundFile{Name: name})
		}
		file := &d.Files[len(d.Files)-1]
		n := len(file.Lines)
		if n == 0 || file.Lines[n-1].Number != f.Range.Line {
			file.Lines = append(file.Lines, line{Number: f.Range.Line, Segments: l.lineOf(f)})
			n++
		}
		file.Lines[n-1].Findings = append(file.Lines[n-1].Findings, shown[i])
	}
	return d
}

// lineOf returns the line of a finding, with the text of the finding marked.
func (l *look) lineOf(f located) []segment {
	source := string(l.src.Source())
	if f.file != l.src.File || l.visit.site.withoutSecrets(source) != source {
		return nil
	}
	for _, one := range lines(segments(source, []span{flagged(f.Finding, source)})) {
		if one.Number == f.Range.Line {
			return one.Segments
		}
	}
	return nil
}

// flagged returns a span that marks the text of a finding on its first line.
func flagged(f *check.Finding, source string) span {
	start := min(f.Range.Offset, len(source))
	end := max(start, min(f.Range.End, len(source)))
	if i := strings.IndexByte(source[start:end], '\n'); i >= 0 {
		end = start + i
	}
	return span{start: start, end: end, class: "flag " + string(f.Severity)}
}
