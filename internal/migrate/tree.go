package migrate

import (
	"cmp"
	"errors"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

// A File is a file of a tree. Its path has slashes.
type File struct {
	Path string
	Data []byte
}

// A Status says what became of a file.
type Status string

// The statuses of a file.
const (
	Changed   Status = "changed"
	Unchanged Status = "unchanged"
	LeftAlone Status = "left-alone"
	Failed    Status = "failed" // it could not be read
)

// A Result says what becomes of one file of a tree.
type Result struct {
	Path   string
	Status Status
	Line   int         // the line of the reason, or 0
	Reason string      // why it is left alone, or what is wrong with it
	Names  bool        // the reason begins with the path of another file of the tree
	Group  string      // the reason without the name and line of a reader; "" means the reason itself
	Edit   *files.Edit // if it changed
	Remove bool        // the file is removed: its content is elsewhere now
	Needs  string      // the path of the ReportFile that it sources from now on, or ""
}

// TreeOptions say how to migrate a tree.
type TreeOptions struct {
	Options
	Companion bool                    // turn first-use.md into a skill of its own
	OfSkills  func(path string) bool  // reports whether a script must belong to a skill, in a tree that has skills; nil means no
	Include   func(path string) bool  // reports whether to migrate a script even if something reads its output; nil means no
	Wants     func(path string) bool  // reports whether to migrate a file, or only read it; nil means yes
	Top       string                  // the folder for a new ReportFile; "" means the deepest that contains all scripts
	Unit      func(dir string) string // the folder around dir that is copied as a whole, with its ReportFile; nil or "" means the tree
}

// Interesting reports whether Tree looks at a file of this name, which begins with these bytes,
// even if the file names no script.
func Interesting(name string, start []byte) bool {
	base := path.Base(name)
	if strings.Contains(base, ".bak-") {
		return false // a backup that migrate made
	}
	switch path.Ext(base) {
	case ".sh", ".bash", ".md":
		return true
	case ".json":
		return base == "bindings.json"
	}
	shell := interpreter(start)
	return shell == "bash" || shell == "sh"
}

// Tree migrates the files of a tree together: a script that another file sources, or whose output
// is read, stays as it is. The results are sorted by path; files that Tree does not look at have
// none. Tree also returns the lines that run an unknown command and read its output. Such a line
// holds no script, and a person should look at it.
func Tree(files []File, opt TreeOptions) ([]Result, []Position) {
	t := &tree{
		opt: opt, files: map[string][]byte{}, usages: map[string]*usage{}, names: map[string][]string{},
		folders: map[string]bool{}, likes: map[string][]string{},
		keep: map[string]held{}, sourced: map[string]bool{}, unclear: map[Position]bool{}, stuck: map[string]bool{},
		read: map[string]*script{},
	}
	for _, f := range files {
		t.files[f.Path] = f.Data
	}
	paths := slices.Sorted(maps.Keys(t.files))
	usages := each(paths, func(p string) *usage {
		if !t.isScript(p) || path.Base(p) == ReportFile {
			return nil
		}
		file, err := parse(p, t.files[p])
		if err != nil {
			return nil
		}
		u := understand(file)
		if u.migrated { // skillhand's part of it reads nothing
			if file, err := parse(p, withoutPreamble(t.files[p])); err == nil {
				u = understand(file)
				u.migrated = true
			}
		}
		return u
	})
	for i, p := range paths {
		t.names[path.Base(p)] = append(t.names[path.Base(p)], p)
		t.usages[p] = usages[i]
		if t.isScript(p) {
			t.folders[path.Base(path.Dir(p))] = true
		}
	}
	for _, p := range paths {
		t.mentions(p)
	}
	t.holdRun(paths)
	results := t.skills(paths)
	scripts := slices.DeleteFunc(paths, func(p string) bool {
		return !t.isScript(p) || path.Base(p) == "handler.sh" || path.Base(p) == ReportFile
	})
	results = append(results, t.scripts(scripts)...)
	slices.SortStableFunc(results, func(a, b Result) int { return strings.Compare(a.Path, b.Path) })
	return results, slices.SortedFunc(maps.Keys(t.unclear), func(a, b Position) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
}

// each calls f for all paths, several at a time, and returns the results in the order of the paths.
func each[T any](paths []string, f func(string) T) []T {
	results := make([]T, len(paths))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(len(paths), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(paths)); i = next.Add(1) - 1 {
				results[i] = f(paths[i])
			}
		})
	}
	workers.Wait()
	return results
}

type tree struct {
	opt    TreeOptions
	files  map[string][]byte
	usages map[string]*usage
	names  map[string][]string // the paths of files by their base name
	keep   map[string]held     // scripts that must stay as they are, and why

	sourced map[string]bool   // scripts that are sourced, and are written for that too
	stuck   map[string]bool   // folders of skills whose bindings cannot be migrated
	unclear map[Position]bool // lines that read the output of an unknown command
	used    map[string]bool   // the base names of the files that scripts use; nil before logs is called

	folders map[string]bool     // the base names of the folders that contain scripts
	likes   map[string][]string // the results of like

	mu   sync.Mutex
	read map[string]*script // the scripts that were understood
}

func (t *tree) isScript(p string) bool {
	ext := path.Ext(p)
	shell := interpreter(t.files[p])
	return ext == ".sh" || ext == ".bash" || ext != ".md" && ext != ".json" && (shell == "bash" || shell == "sh")
}

// scripts migrates scripts, and adds the file that they source if it is missing.
func (t *tree) scripts(paths []string) []Result {
	if t.opt.Wants != nil {
		paths = slices.DeleteFunc(paths, func(p string) bool { return !t.opt.Wants(p) })
	}
	results := each(paths, t.script)
	top := t.opt.Top
	if top == "" {
		top = CommonFolder(paths)
	}
	for i, r := range results {
		if r.Status != Changed || t.opt.Inline {
			continue
		}
		dir := path.Dir(r.Path)
		at := t.reportAbove(dir, top)
		if other, ok := t.files[path.Join(at, ReportFile)]; ok && !strings.HasPrefix(string(other), reportHead) {
			results[i] = Result{Path: r.Path, Status: LeftAlone, Names: true,
				Reason: path.Join(at, ReportFile) + " is not skillhand's: rename it, or migrate inline"}
			continue
		}
		up := "./"
		if dir != at {
			up = strings.Repeat("../", strings.Count(strings.TrimPrefix(dir+"/", at+"/"), "/"))
		}
		e, err := t.read[r.Path].edit(up)
		results[i] = result(r.Path, e, err)
		results[i].Needs = path.Join(at, ReportFile)
		results = append(results, t.reportFile(at)...)
	}
	return results
}

// reportAbove returns the folder of the ReportFile for the scripts in dir. It is the nearest folder
// above that has one, else top. It is not above the unit with which the scripts are copied.
func (t *tree) reportAbove(dir, top string) string {
	unit := ""
	if t.opt.Unit != nil {
		unit = t.opt.Unit(dir)
	}
	for at := dir; ; at = path.Dir(at) {
		if _, ok := t.files[path.Join(at, ReportFile)]; ok {
			return at
		}
		if at == unit && !strings.HasPrefix(top, unit+"/") {
			return unit
		}
		if at == path.Dir(at) {
			return top
		}
	}
}

// reportFile updates the ReportFile in a folder, once.
func (t *tree) reportFile(dir string) []Result {
	file := path.Join(dir, ReportFile)
	before := t.files[file]
	if string(before) == reportText() {
		return nil
	}
	t.files[file] = Report()
	return []Result{{Path: file, Status: Changed, Edit: &files.Edit{Name: file, Before: before, After: Report()}}}
}

// CommonFolder returns the deepest folder that contains all these files.
func CommonFolder(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	common := path.Dir(paths[0])
	for _, p := range paths[1:] {
		for common != "." && common != "/" && !strings.HasPrefix(p, common+"/") {
			common = path.Dir(common)
		}
	}
	return common
}

func (t *tree) script(p string) Result {
	included := t.opt.Include != nil && t.opt.Include(p)
	if h, ok := t.keep[p]; ok && (h.why == sourcesIt || !included) {
		s, err := read(p, t.files[p], t.opt.Options, t.usages[p])
		if err == nil {
			_, err = s.edit("")
		}
		if _, own := errors.AsType[*LeftAloneError](err); own && h.why != sourcesIt {
			return result(p, nil, err) // its own reason says more than another file's
		}
		return Result{Path: p, Status: LeftAlone, Reason: h.String(), Names: true, Group: "another file " + h.why}
	}
	if line, ok := isHook(p, t.files[p]); ok {
		return Result{Path: p, Status: LeftAlone, Line: line, Reason: "a hook: Claude Code reads what it prints"}
	}
	s, err := read(p, t.files[p], t.opt.Options, t.usages[p])
	if err == nil && !s.use.migrated {
		if line := s.use.promised(); line > 0 && !included && !s.use.reports {
			err = &LeftAloneError{p, line, "its comment says what it prints on stdout: something may read that"}
		}
		s.trapped = t.trapIn(p, map[string]bool{})
	}
	var e *files.Edit
	if err == nil {
		if t.sourced[p] {
			s.guard = s.use.guard()
		}
		t.mu.Lock()
		t.read[p] = s
		t.mu.Unlock()
		e, err = s.edit("")
	}
	r := result(p, e, err)
	if r.Status == Changed && t.opt.OfSkills != nil && t.opt.OfSkills(p) {
		if other := t.notSkills(p); other != "" {
			return Result{Path: p, Status: LeftAlone, Reason: other + " (name it or its folder to migrate it)"}
		}
	}
	return r
}

// notSkills says why a script does not belong to a skill, or "". A skill's script is in a skill's
// folder or in a folder of skills, and not among tests. In a tree without skills all scripts count.
func (t *tree) notSkills(p string) string {
	if len(t.names[skill.MainFile]) == 0 {
		return ""
	}
	tests := t.testsOther(p)
	for dir := path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
		base := path.Base(dir)
		if base == "skills" || t.files[path.Join(dir, skill.MainFile)] != nil {
			if tests {
				return "a test"
			}
			return ""
		}
		tests = tests || base == "test" || base == "tests"
	}
	return "it belongs to no skill"
}

// testsOther reports whether a script is named as the test of another script beside it:
// test-run.sh, run_test.sh.
func (t *tree) testsOther(p string) bool {
	ext := path.Ext(p)
	stem := strings.TrimSuffix(path.Base(p), ext)
	for _, mark := range []string{"test-", "test_", "-test", "_test", ".test"} {
		name, _ := strings.CutPrefix(stem, mark)
		name, _ = strings.CutSuffix(name, mark)
		if name != stem && t.files[path.Join(path.Dir(p), name+ext)] != nil {
			return true
		}
	}
	return false
}

// trapIn reports whether a file that a script sources sets an EXIT trap, or a file that such a file
// sources does.
func (t *tree) trapIn(p string, seen map[string]bool) bool {
	seen[p] = true
	if t.usages[p] == nil {
		return false
	}
	for _, m := range t.usages[p].sources {
		for _, q := range t.all(p, m) {
			if u := t.usages[q]; u != nil && !seen[q] && (u.trapsExit || t.trapIn(q, seen)) {
				return true
			}
		}
	}
	return false
}

func result(p string, e *files.Edit, err error) Result {
	if left, ok := errors.AsType[*LeftAloneError](err); ok {
		return Result{Path: p, Status: LeftAlone, Line: left.Line, Reason: left.Reason}
	}
	if bad, ok := errors.AsType[*ParseError](err); ok {
		return Result{Path: p, Status: Failed, Line: bad.Line, Reason: bad.Reason}
	}
	if err != nil {
		return Result{Path: p, Status: Failed, Reason: err.Error()}
	}
	if !e.Changed() {
		return Result{Path: p, Status: Unchanged}
	}
	return Result{Path: p, Status: Changed, Edit: e}
}

// setsExitTrap reports whether a command is a trap for EXIT.
func setsExitTrap(c *syntax.CallExpr) bool {
	return literal(first(c.Args)) == "trap" && slices.ContainsFunc(c.Args, func(w *syntax.Word) bool {
		signal := strings.ToUpper(literal(w))
		return signal == "EXIT" || signal == "0"
	})
}
