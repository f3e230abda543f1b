package web

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/skill"
)

// A skillRow is a skill with data about its use.
type skillRow struct {
	skillhand.Listed
	readable bool
	tokens   int
	listing  int     // characters of its line in the list that Claude Code gives its model; 0 if it has no line
	bare     bool    // the list has no room for its description
	away     bool    // it is listed only after its plugin is installed
	share    float64 // of the list's characters, in percent
	errors   int
	warnings int // warnings and infos
	used     time.Time
	uses     int
}

func (r skillRow) trust() string {
	if r.Trusted {
		return "trusted"
	}
	return "untrusted"
}

// usage describes when the skill was last used. A use that left no mark is unknown.
func (r skillRow) usage() string {
	if r.uses == 0 {
		return "no use recorded"
	}
	return ago(r.used)
}

// files returns the files of the skill: its text, and the SKILL.md that agents list if that is a
// different file.
func (r skillRow) files() []string {
	if main := r.Main().File; main != r.File && files.IsFile(main) {
		return []string{r.File, main}
	}
	return []string{r.File}
}

type skillsData struct {
	Decide  []decisions
	Table   *table
	Strips  []listStrip // of agents on this machine
	Others  []listStrip // of other agents
	Largest string      // the skills with the greatest shares
	LeftOut string      // the skills whose descriptions have no room in Claude Code's list
	Facts   []fact
	Faults  []string
	Folders []string
	Dir     string
}

func (v *visit) skills() (*view, error) {
	roots := v.site.Runtime.Finder().Folders()
	v.watch(false, slices.Concat(roots, v.site.Runtime.Finder().CommandFolders(),
		[]string{v.site.Runtime.TrustDir(), check.ConfigFile(v.site.Runtime.Dir)})...)
	v.watch(false, budding(roots)...)
	all, faults := v.listAll()
	data := &skillsData{Folders: roots, Dir: v.near(v.site.Runtime.Dir)}
	for _, err := range faults {
		data.Faults = append(data.Faults, err.Error())
	}
	since, _, err := v.period()
	if err != nil {
		return nil, err
	}
	v.watch(false, append(activity.Folders(v.site.Runtime.Here, since), v.site.Runtime.HistoryDir(), v.site.Runtime.SessionDir())...)
	sizes := map[string]int{} // in tokens, of readable skills
	var paths []string
	var seen []agents.Skill
	var unseen error
	var reading sync.WaitGroup
	reading.Go(func() { // in parallel with the account
		for _, listed := range all {
			one := skillRow{Listed: listed}
			if s, err := skill.Read(one.Location); err == nil {
				sizes[one.File] = tokens(string(s.Source()))
				paths = append(paths, one.files()...)
			}
		}
		seen, unseen = v.sighted(all)
	})
	ever, err := v.account(time.Time{}, "")
	reading.Wait()
	if err != nil {
		data.Faults = append(data.Faults, err.Error())
		ever = &activity.Account{}
	}
	l := list[skillRow]{view: "skills", one: "skill", what: "skills", usual: "name"}
	l.watch = func(r skillRow) []string { return []string{filepath.Dir(r.File)} }
	l.text = func(r skillRow) string {
		return strings.Join([]string{r.Call, r.Description, r.From, r.File, r.usage(), r.Error}, "\n")
	}
	l.states = skillRow.states
	if err := v.ctx.Err(); err != nil {
		return nil, err
	}
	findings, listing, err := v.findings(paths...)
	if err != nil {
		data.Faults = append(data.Faults, "check: "+err.Error())
	} else {
		v.known.found = findings
	}
	if unseen != nil {
		data.Faults = append(data.Faults, unseen.Error())
	}
	data.Strips, data.Others = v.here(strips(listing, seen))
	data.Largest, data.LeftOut = largest(listing), leftOut(listing)
	lines := map[string]check.Line{}
	for _, line := range listing.Lines {
		lines[line.File] = line
	}
	widest := 0.0
	for _, one := range all {
		r := skillRow{Listed: one}
		if line, ok := lines[one.Main().File]; ok {
			r.listing, r.bare, r.away = line.Head+line.Text, line.Bare, line.Away
			r.share = float64(r.listing) * 100 / float64(listing.Budget)
			if !r.bare {
				widest = max(widest, r.share)
			}
		}
		r.tokens, r.readable = sizes[one.File]
		for _, file := range r.files() {
			for _, f := range findings[file] {
				if f.Severity == check.Error {
					r.errors++
				} else {
					r.warnings++
				}
			}
		}
		use := ever.Used(one.Call, one.File)
		r.used, r.uses = use.Last, use.Count
		l.items = append(l.items, r)
	}
	if recent, err := v.account(since, ""); err == nil {
		data.Decide = v.decide(l.items, recent)
	}
	l.columns = v.skillColumns(barTop(widest))
	data.Table = l.table(v)
	data.Table.Dense = true
	return &view{Name: "skills", Tab: "skills", Title: "Skills", Data: data}, nil
}

func (r skillRow) states() []string {
	all := []string{r.trust()}
	if r.errors > 0 || !r.readable {
		all = append(all, "errors")
	}
	if r.warnings > 0 {
		all = append(all, "warnings")
	}
	if r.uses == 0 {
		all = append(all, "unused")
	}
	return all
}

// sighted returns the skills that agents may see here, as skillhand list --agents does.
func (v *visit) sighted(all []skillhand.Listed) ([]agents.Skill, error) {
	h, err := v.site.Runtime.Complete()
	if err != nil {
		return nil, err
	}
	skills, _ := find.ForAgents(h.Project, h.Home, skillhand.Locations(all)...) // the table shows unreadable skills
	return skills, nil
}

// maxBudding limits the folders that are watched for a first file.
const maxBudding = 200

// budding returns the folders directly below roots that may become skills, because a file in a new
// folder is news too. If there are too many, it returns the folders that changed last.
func budding(roots []string) []string {
	type folder struct {
		path    string
		changed time.Time
	}
	var all []folder
	for _, root := range roots {
		entries, _ := os.ReadDir(root) // the list shows unreadable folders
		for _, e := range entries {
			dir := filepath.Join(root, e.Name())
			if e.Type().IsRegular() || files.IsFile(filepath.Join(dir, "SKILL.md")) {
				continue
			}
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				all = append(all, folder{dir, info.ModTime()})
			}
		}
	}
	slices.SortFunc(all, func(a, b folder) int { return b.changed.Compare(a.changed) })
	var paths []string
	for _, f := range all[:min(len(all), maxBudding)] {
		paths = append(paths, f.path)
	}
	return paths
}

// account returns an account of skills since a time; zero means all. If skill is not "", the
// account has the story of that skill. The marks and runs come from the caches.
func (v *visit) account(since time.Time, skill string) (*activity.Account, error) {
	k, key := v.known, accountKey{since.Truncate(time.Hour), skill}
	if a := k.accounts[key]; a != nil {
		return a, nil
	}
	loads, err := v.site.marks.all(v.site.Runtime.Sessions())
	if err != nil {
		return nil, err
	}
	runs, err := v.site.runs.all(v.site.Runtime.HistoryDir())
	if err != nil {
		return nil, err
	}
	if k.accounts == nil {
		k.accounts = map[accountKey]*activity.Account{}
		k.installed = activity.InstalledAt(v.site.Runtime.Here)
	}
	a, err := activity.Read(v.site.Runtime.Here, activity.Options{
		Since: since, Skill: skill, Installed: k.installed,
		Loads: append([]session.Mark{}, loads...), Runs: runs, IndexOnly: len(k.accounts) > 0,
	})
	if err == nil {
		k.accounts[key] = a
	}
	return a, err
}

// barTop returns the share at which a bar of the table is full, in percent: 1, 2, 5 and so on.
func barTop(widest float64) float64 {
	for _, top := range []float64{1, 2, 5, 10, 20, 50} {
		if widest <= top {
			return top
		}
	}
	return 100
}

// skillColumns returns the columns of the table. A bar is full at the share top, in percent.
func (v *visit) skillColumns(top float64) []column[skillRow] {
	return []column[skillRow]{
		{key: "name", title: "Skill", compare: by(func(r skillRow) string { return r.Call }),
			cell: func(r skillRow) cell {
				return cell{Text: r.Call, Sub: cmp.Or(r.Error, r.Description), Link: v.link("skill", "skill", r.Call)}
			}},
		{key: "from", title: "From", fold: true, compare: by(func(r skillRow) string { return r.From + r.trust() }),
			cell: func(r skillRow) cell {
				c := cell{Text: r.From, Title: r.File}
				if r.Command {
					c.Text += " command"
				}
				switch {
				case r.Refused != nil && r.Refused.Changed:
					c.Text, c.Mark, c.Title = c.Text+", pin changed", "warn", r.Refused.Reason()
				case !r.Trusted:
					c.Text, c.Mark = c.Text+", untrusted", "warn"
				}
				return c
			}},
		{key: "findings", title: "Findings", number: true, compare: func(a, b skillRow) int {
			return cmp.Or(cmp.Compare(a.errors, b.errors), cmp.Compare(a.warnings, b.warnings))
		}, cell: func(r skillRow) cell {
			at := v.link("skill", "skill", r.Call, "tab", "findings")
			switch {
			case !r.readable:
				return cell{Text: "unreadable", Mark: "bad"}
			case r.errors > 0:
				c := cell{Text: counted(r.errors, "error", "errors"), Mark: "bad", Link: at}
				if r.warnings > 0 {
					c.Text += fmt.Sprintf(", %d more", r.warnings)
				}
				return c
			case r.warnings > 0:
				return cell{Text: counted(r.warnings, "warning", "warnings"), Mark: "warn", Link: at}
			}
			return cell{Text: "–", Mark: "dim", Title: "none"}
		}},
		{key: "tokens", title: "Tokens", number: true, compare: by(func(r skillRow) int { return r.tokens }),
			cell: func(r skillRow) cell {
				if !r.readable {
					return nothing
				}
				return cell{Text: thousands(r.tokens), Title: "estimated at four characters per token"}
			}},
		{key: "listing", title: fmt.Sprintf("Share of the list (full bar: %.0f %%)", top), number: true,
			compare: by(func(r skillRow) int { return r.listing }),
			cell: func(r skillRow) cell {
				switch {
				case r.listing == 0:
					return cell{Text: "not listed", Mark: "dim", Title: "not in the list that Claude Code gives its model"}
				case r.bare:
					return cell{Text: "name only", Mark: "bad", Title: "the list has no room for its description"}
				}
				when := ""
				if r.away {
					when = ", once the plugin is installed or named with --plugin-dir"
				}
				return cell{
					Text:  fmt.Sprintf("%.1f %%", r.share),
					Bar:   fmt.Sprintf("%.1f%%", min(r.share*100/top, 100)),
					Title: thousands(r.listing) + " characters of the list that Claude Code gives its model" + when,
				}
			}},
		{key: "used", title: "Last used", number: true, compare: by(func(r skillRow) int64 { return r.used.Unix() }),
			cell: func(r skillRow) cell {
				if r.uses == 0 {
					return cell{Text: "never", Mark: "dim",
						Title: "no use recorded: no call by an agent, no run, and no page for an agent in a session"}
				}
				return cell{At: r.used}
			}},
	}
}
