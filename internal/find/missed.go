package find

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

// missed returns the error for a skill that does not exist. It names the skills that may be meant,
// then says where Find looked.
func (f Finder) missed(name string, q query) error {
	all, _ := f.List()
	var names []string
	for _, loc := range all {
		if !files.Is(loc.Call) {
			names = append(names, loc.Call)
		}
	}
	close := words.Closest(name, names)
	if q.qualified() && len(close) == 0 {
		close = words.Closest(q.words[len(q.words)-1], names)
	}
	if _, err := inFolder(filepath.Join(cmp.Or(f.Here, f.Dir), name), name); err == nil && !q.qualified() {
		close = slices.Insert(close, 0, "./"+name)
	}
	e := &NotFoundError{Name: name, Looked: f.looked(), Roots: len(f.Roots)}
	almost := cmp.Or(f.almost(name), f.stray(name))
	switch {
	case almost != "":
		e.Hint = ": " + almost
	case len(close) > 0:
		e.Hint = ": did you mean " + strings.Join(close, " or ") + "?"
	case len(names) > 0:
		e.Hint = "; available: " + listed(names)
	}
	return e
}

// almost says why a file of the project or of the user that looks like the skill is not one; "" if
// there is no such file.
func (f Finder) almost(name string) string {
	if !filepath.IsLocal(name) {
		return ""
	}
	for _, top := range []string{f.Dir, files.Top(f.Dir), f.Home} {
		if top == "" {
			continue
		}
		isThere := func(file string) bool { return files.IsFile(filepath.Join(top, ".claude", file)) }
		for _, folder := range []string{"skills", "skill", "Skills", "SKILLS"} {
			shown := ".claude/" + folder
			for _, base := range []string{skill.MainFile, "skill.md", "Skill.md"} {
				switch is := isThere(filepath.Join(folder, name, base)); {
				case is && folder != "skills" && base != skill.MainFile:
					return "the folder " + shown + " must be called skills, and " + base + " in it " + skill.MainFile + ", in capitals"
				case is && folder != "skills":
					return "the folder " + shown + " must be called skills"
				case is && base != skill.MainFile:
					return shown + "/" + name + "/" + base + " must be called " + skill.MainFile + ", in capitals"
				}
			}
			if isThere(filepath.Join(folder, name+".md")) {
				return "a skill is a folder: move " + shown + "/" + name + ".md to .claude/skills/" + name + "/" + skill.MainFile
			}
		}
	}
	return ""
}

// stray says where in the project a skill of this name is that nobody loads from there; "" if there
// is none.
func (f Finder) stray(name string) string {
	if q := newQuery(name); filepath.IsLocal(name) && !q.qualified() {
		for _, folder := range f.Strays() {
			if path.Base(folder) == name {
				return folder + " lies where nothing looks for skills: move it to .claude/skills/" + name
			}
		}
	}
	return ""
}

// Strays lists the folders of the project that have a SKILL.md but cannot be found by name, as
// paths from the project's top.
func (f Finder) Strays() []string {
	found := map[string]bool{}
	all, _ := f.List()
	for _, loc := range all {
		found[files.Real(loc.Main().Folder)] = true
	}
	const depth, most = 5, 2000 // a project may be large
	top := files.Around(f.Dir)
	level, seen := []string{top}, 0
	var strays []string
	for range depth {
		var next []string
		for _, dir := range level {
			for _, below := range (folders{}).below(dir) {
				if seen++; seen > most {
					return strays
				}
				if info, err := os.Lstat(below); err != nil || !info.IsDir() {
					continue
				}
				if files.IsFile(filepath.Join(below, skill.MainFile)) && !found[files.Real(below)] {
					strays = append(strays, filepath.ToSlash(strings.TrimPrefix(below[len(top):], string(filepath.Separator))))
				}
				next = append(next, below)
			}
		}
		level = next
	}
	return strays
}

// looked says where names are looked up. It leaves room for advice on the same line of a terminal.
func (f Finder) looked() string {
	switch {
	case len(f.Roots) > 0:
		return "looked in the folders that were named, the project, your own skills, plugins"
	case f.PluginRoot != "":
		return "looked in the plugin, the project and your own"
	}
	return "looked in the project, your own skills, plugins"
}

// listed joins as many names as fit a line, and counts the rest.
func listed(names []string) string {
	const width = 44
	n, used := 0, 0
	for n < len(names) && (n == 0 || used+len(names[n]) < width) {
		used += len(names[n]) + 2
		n++
	}
	text := strings.Join(names[:n], ", ")
	if rest := len(names) - n; rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// A NotFoundError says that no folder has the skill.
type NotFoundError struct {
	Name   string
	Hint   string // the names that may be meant, or the names that exist; it follows the sentence
	Looked string // where Find looked
	Roots  int    // how many further folders it searched
	OrFile bool   // a file of that name would be accepted too
}

func (e *NotFoundError) Error() string {
	what := "skill"
	if e.OrFile {
		what = "file or skill"
	}
	return fmt.Sprintf("%s: no such %s%s\n%s", e.Name, what, e.Hint, e.Looked)
}

// Unwrap makes the error match fs.ErrNotExist.
func (e *NotFoundError) Unwrap() error { return fs.ErrNotExist }
