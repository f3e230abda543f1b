package migrate

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/skill"
)

// A File is a file of a tree, by its path with slashes.
type File struct {
	Path string
	Data []byte
}

// A Status says what became of a file.
type Status string

// What can become of a file.
const (
	Changed   Status = "changed"
	Unchanged Status = "unchanged"
	LeftAlone Status = "left-alone"
	Failed    Status = "failed" // it could not be read
)

// A Result is what becomes of one file of a tree.
type Result struct {
	Path   string
	Status Status
	Line   int    // of the reason, or 0
	Reason string // why it is left alone, or what is wrong with it
	Edit   *Edit  // if it changed
	Remove bool   // the file goes: what it said is elsewhere now
}

// TreeOptions say how to migrate a tree.
type TreeOptions struct {
	Options
	Companion bool // first-use.md becomes a skill of its own
}

// Interesting reports whether Tree looks at a file of this name, which begins with these bytes.
func Interesting(name string, start []byte) bool {
	base := path.Base(name)
	if strings.Contains(base, ".bak-") {
		return false // a backup of ours
	}
	switch path.Ext(base) {
	case ".sh", ".bash", ".md":
		return true
	case ".json":
		return base == "bindings.json" || isSettings(base)
	}
	shell := interpreter(start)
	return shell == "bash" || shell == "sh"
}

// Tree migrates the files of a tree, which know of each other: a script that
// another sources, or whose output is read, stays as it is. The results are in
// the order of their paths; files that are none of its business have none.
func Tree(files []File, opt TreeOptions) []Result {
	t := &tree{opt: opt, files: map[string][]byte{}, usages: map[string]*usage{}, names: map[string][]string{}, keep: map[string]Note{}}
	for _, f := range files {
		t.files[f.Path] = f.Data
	}
	paths := slices.Sorted(maps.Keys(t.files))
	usages := each(paths, func(p string) *usage {
		if t.isScript(p) {
			if file, err := parse(p, t.files[p]); err == nil {
				return understand(file)
			}
		}
		return nil
	})
	for i, p := range paths {
		t.names[path.Base(p)] = append(t.names[path.Base(p)], p)
		t.usages[p] = usages[i]
	}
	for _, p := range paths {
		t.mentions(p)
	}
	results := t.skills(paths)
	scripts := slices.DeleteFunc(paths, func(p string) bool { return !t.isScript(p) || path.Base(p) == "handler.sh" })
	results = append(results, each(scripts, t.script)...)
	slices.SortStableFunc(results, func(a, b Result) int { return strings.Compare(a.Path, b.Path) })
	return results
}

// each calls f for all paths, several at a time, and returns its results in their order.
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
	keep   map[string]Note     // scripts that must stay as they are, and why
}

func (t *tree) isScript(p string) bool {
	ext := path.Ext(p)
	shell := interpreter(t.files[p])
	return ext == ".sh" || ext == ".bash" || ext != ".md" && ext != ".json" && (shell == "bash" || shell == "sh")
}

func isSettings(base string) bool {
	return base == "hooks.json" || base == "settings.json" || base == "settings.local.json" || base == "plugin.json"
}

// mentions notes which scripts a file depends on as they are.
func (t *tree) mentions(p string) {
	switch {
	case t.usages[p] != nil:
		for _, m := range t.usages[p].sources {
			for _, q := range t.all(m) {
				t.hold(q, fmt.Sprintf("%s:%d sources it", p, m.line))
			}
		}
		for _, m := range t.usages[p].calls {
			if m.place.used {
				for _, q := range t.named(p, m) {
					t.hold(q, fmt.Sprintf("%s:%d reads what it prints", p, m.line))
				}
			}
		}
	case path.Ext(p) == ".md":
		t.directives(p)
	case isSettings(path.Base(p)):
		for _, name := range scriptName().FindAllString(string(t.files[p]), -1) {
			for _, q := range t.named(p, mention{text: name}) {
				t.hold(q, p+" names it: what it prints is read")
			}
		}
	}
}

var scriptName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w./-]+\.(?:sh|bash)\b`) })

// directives notes the scripts whose output is part of a page.
func (t *tree) directives(p string) {
	for _, part := range skill.Parse(p, t.files[p]).Parts {
		if part.Kind != skill.Directive {
			continue
		}
		command := ""
		for _, c := range part.Command {
			command += c.Source
		}
		file, err := parse(p, []byte(command))
		if err != nil {
			continue
		}
		for _, m := range understand(file).calls {
			for _, q := range t.named(p, m) {
				t.hold(q, fmt.Sprintf("%s:%d puts what it prints on the page", p, part.Line))
			}
		}
	}
}

func (t *tree) hold(p, reason string) {
	if _, ok := t.keep[p]; !ok {
		t.keep[p] = Note{0, reason}
	}
}

// named lists the scripts that a word in the file from may name: one beside
// it, else all whose path ends that way. A name that many have names none.
func (t *tree) named(from string, m mention) []string {
	if !strings.Contains(m.text, "/") && path.Ext(m.text) != ".sh" && path.Ext(m.text) != ".bash" {
		return nil
	}
	end := ending(m.text)
	for _, beside := range []string{path.Join(path.Dir(from), m.text), path.Join(path.Dir(from), end)} {
		if _, ok := t.files[beside]; ok && t.isScript(beside) {
			return []string{beside}
		}
	}
	named := slices.DeleteFunc(slices.Clone(t.names[path.Base(end)]), func(p string) bool {
		return !strings.HasSuffix("/"+p, "/"+end) || !t.isScript(p)
	})
	if len(named) > 1 && !strings.Contains(end, "/") {
		return nil // "$skill/execute.sh" is any skill's script, and such a caller wants reports
	}
	return named
}

// all lists every script that a word may name, rather one too many.
func (t *tree) all(m mention) []string {
	end := ending(m.text)
	if end == "" {
		return nil
	}
	var ends []string
	for _, p := range t.names[path.Base(end)] {
		if strings.HasSuffix("/"+p, "/"+end) {
			ends = append(ends, p)
		}
	}
	if len(ends) == 0 {
		return t.names[path.Base(end)]
	}
	return ends
}

// ending is a path without what leads to it.
func ending(text string) string {
	end := strings.TrimPrefix(path.Clean("/"+text), "/")
	for strings.HasPrefix(end, "../") {
		end = end[3:]
	}
	return end
}

// script decides about one script.
func (t *tree) script(p string) Result {
	if note, ok := t.keep[p]; ok {
		return Result{Path: p, Status: LeftAlone, Line: note.Line, Reason: note.Text}
	}
	s, err := read(p, t.files[p], t.opt.Options, t.usages[p])
	if err == nil && !s.use.migrated {
		for _, m := range s.use.sources {
			for _, q := range t.all(m) {
				if u := t.usages[q]; u != nil && u.trapsExit {
					err = &LeftAloneError{p, m.line, q + ", which it sources, sets an EXIT trap"}
				}
			}
		}
	}
	var e *Edit
	if err == nil {
		e, err = s.edit("")
	}
	return result(p, e, err)
}

// result turns an edit or its error into a result.
func result(p string, e *Edit, err error) Result {
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
