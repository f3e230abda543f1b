package find

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

// A Misplacement says why Claude Code does not load a file that looks like a skill, or why the file
// keeps Claude Code from loading others.
type Misplacement struct {
	Text, Help string
	Perhaps    bool // the file may be linked or copied to where it is loaded, or may not be meant to load
	Told       bool // another skill of the folder, which has the same fault, reports it

	shared bool // all skills of the folder have the fault
}

// notLoadedAs reports a skill that Claude Code does not load.
func notLoadedAs(why, help string) Misplacement {
	return Misplacement{Text: "Claude Code does not load this skill: " + why, Help: help}
}

func perhaps(m Misplacement) Misplacement {
	m.Perhaps, m.shared = true, true
	return m
}

// misplaced finds out whether a file would be a skill under another name or in another place. Claude Code's answers are
// in testdata/claude/SK004-*.txtar.
func (w *walker) misplaced(p string, in setting) Misplacement {
	dir, base := filepath.Dir(p), filepath.Base(p)
	isLoose := in.claude != "" && filepath.Ext(base) == ".md" && dir == filepath.Join(in.claude, "skills")
	switch isMain := strings.EqualFold(base, skill.MainFile); {
	case isLoose && isMain:
		return notLoadedAs("a skill is a folder with a SKILL.md in it", "move it to NAME/SKILL.md")
	case isLoose && hasFront(p):
		return notLoadedAs("a skill is a folder with a SKILL.md in it", "move it to "+strings.TrimSuffix(base, ".md")+"/SKILL.md")
	case in.claude != "" && base == "README.md" && filepath.Dir(dir) == filepath.Join(in.claude, "skills") && !holdsMain(dir):
		m := notLoadedAs("its folder has a README.md and no SKILL.md", "rename README.md to SKILL.md, and begin it with a description")
		m.Perhaps = !hasFront(p)
		return m
	case !isMain, base != skill.MainFile && files.IsFile(filepath.Join(dir, skill.MainFile)):
		return Misplacement{}
	case in == setting{} && base != skill.MainFile && w.isSkills(dir) && hasFront(p):
		return inCapitals()
	case in == setting{}:
		return elsewhere(filepath.Dir(dir), base)
	case base != skill.MainFile && w.isSkillItself(in, dir) && hasFront(p):
		return inCapitals()
	}
	return w.misplacedIn(in, dir, base)
}

func inCapitals() Misplacement {
	return notLoadedAs("its file must be called SKILL.md, in capitals", "rename it to SKILL.md")
}

// isSkills reports whether a folder is in a folder of skills that is in no .claude and no plugin.
// skillhand list looks for skills there. The repository's top counts only if another skill is in
// it.
func (w *walker) isSkills(dir string) bool {
	above := filepath.Dir(dir)
	top := files.Top(dir)
	switch {
	case top == "" && files.Inside(w.home, dir):
		top = w.home
	case top == "":
		top = filepath.Dir(above)
	}
	if _, known := w.skillsOf[top]; !known {
		w.skillsOf[top] = Finder{Dir: top}.Folders()
	}
	return slices.Contains(w.skillsOf[top], above) && (above != top || len(files.Glob(top, "*/"+skill.MainFile)) > 0)
}

// isSkillItself reports whether a folder is itself a skill of a plugin: the manifest names it, or
// it is the plugin.
func (w *walker) isSkillItself(in setting, dir string) bool {
	folders := w.skillFolders(in)
	return slices.Contains(folders[1:], dir) || dir == in.plugin && !files.IsFolder(folders[0])
}

// misplacedIn reports a SKILL.md, in any spelling, in the wrong place of a .claude or a plugin.
func (w *walker) misplacedIn(in setting, dir, base string) Misplacement {
	root, above := in.root(), filepath.Dir(dir)
	name, isMain := filepath.Base(above), base == skill.MainFile
	folders := w.skillFolders(in)
	isSkills := slices.Contains(folders, above) && (above == folders[0] || !files.IsFile(filepath.Join(above, skill.MainFile)))
	deep := slices.IndexFunc(folders, func(folder string) bool { return files.Below(folder, dir) })
	switch {
	case dir == folders[0] && isMain:
		return hidesOthers(dir)
	case slices.Contains(folders, dir):
	case isSkills && !isMain:
		return inCapitals()
	case isSkills:
	case filepath.Dir(above) == root && isAlmostSkills(name) && !isMain:
		return notLoadedAs("the folder must be called skills, not "+name+", and its file SKILL.md, in capitals", "rename both")
	case filepath.Dir(above) == root && isAlmostSkills(name):
		return notLoadedAs("the folder must be called skills, not "+name, "rename the folder")
	case !isMain:
	case deep >= 0 && !w.linksTo(folders[deep], dir):
		return tooDeep(folders, folders[deep], dir)
	case dir == in.claude:
		return notLoadedAs("it looks in .claude/skills", "move it to skills/NAME/SKILL.md")
	case dir == in.plugin && files.IsFolder(folders[0]):
		return perhaps(notLoadedAs("a SKILL.md at a plugin's top counts only where there is no folder skills",
			"move it to skills/NAME/SKILL.md"))
	}
	return Misplacement{}
}

// isAlmostSkills reports whether a folder's name is a misspelling of skills.
func isAlmostSkills(name string) bool {
	return name != "skills" && (strings.EqualFold(name, "skills") || strings.EqualFold(name, "skill"))
}

// hidesOthers reports a SKILL.md that turns a folder of skills into a single skill.
func hidesOthers(dir string) Misplacement {
	others := files.Glob(dir, "*/"+skill.MainFile)
	if len(others) == 0 {
		return Misplacement{}
	}
	return Misplacement{
		Text: fmt.Sprintf("because of this file Claude Code takes the folder %s for one skill, and does not load the %s in it",
			filepath.Base(dir), term.Plural(len(others), "skill")),
		Help: "move it to NAME/SKILL.md, beside the others",
	}
}

// tooDeep reports a skill in a folder within a folder of skills. A skill in another skill's folder
// may be a template. Some skills are not meant to be loaded: they are put away, or a manifest names
// their neighbors but not them.
func tooDeep(folders []string, folder, dir string) Misplacement {
	group, isChosen := filepath.Base(filepath.Dir(dir)), slices.ContainsFunc(folders, func(f string) bool { return files.Below(folder, f) })
	for d := filepath.Dir(dir); files.Inside(folder, d); d = filepath.Dir(d) {
		if d != folders[0] && files.IsFile(filepath.Join(d, skill.MainFile)) {
			return perhaps(notLoadedAs("it lies in the folder of the skill "+filepath.Base(d),
				"if it is a skill of its own, move its folder up to skills"))
		}
		isChosen = isChosen || putAway.Get().MatchString(filepath.Base(d))
	}
	m := notLoadedAs("it looks in the folders of "+filepath.Base(folder)+", and not in those of "+group,
		"move what is in "+group+" up to "+filepath.Base(folder))
	if m.shared = true; isChosen {
		m = perhaps(m)
		m.Help += ", if it is to be used"
	}
	return m
}

// putAway matches the names of folders for skills that are not in use.
var putAway = words.Regexp(`(?i)^[._]|archive|deprecated|disabled|unused|obsolete|draft|progress|backup|^old`)

// linksTo reports whether a link in a folder of skills leads to dir. Then Claude Code loads dir.
func (w *walker) linksTo(folder, dir string) bool {
	entries, _ := os.ReadDir(folder) // the folder was read before
	real := files.Real(dir)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.Type()&os.ModeSymlink != 0 && files.Real(filepath.Join(folder, e.Name())) == real
	})
}

// skillFolders lists the folders that hold skills or are skills: the folder called skills, and in a
// plugin the folders that its manifest or a marketplace names.
func (w *walker) skillFolders(in setting) []string {
	root := in.root()
	if all, known := w.skillsOf[root]; known {
		return all
	}
	all := []string{filepath.Join(root, "skills")}
	if in.plugin != "" {
		w.marketsAbove(root)
		named := w.listed[root]
		m, _ := ReadManifest(root)
		named = append(named, m.Skills...)
		for _, folder := range named {
			all = append(all, filepath.Join(root, filepath.FromSlash(folder)))
		}
	}
	w.skillsOf[root] = all
	return all
}

// marketsAbove reads the marketplaces that may list a plugin.
func (w *walker) marketsAbove(plugin string) {
	for d := plugin; ; d = filepath.Dir(d) {
		if file := filepath.Join(d, ".claude-plugin", "marketplace.json"); files.IsFile(file) {
			w.market(d, file)
		}
		if d == filepath.Dir(d) || IsThere(filepath.Join(d, ".git")) {
			return
		}
	}
}

// elsewhere reports a folder of skills that is in no .claude and no plugin. The folder may be a
// collection, unless it has a name that nobody looks for.
func elsewhere(folder, file string) Misplacement {
	name, above := filepath.Base(folder), filepath.Base(filepath.Dir(folder))
	switch isFolder := name == "skills" || isAlmostSkills(name); {
	case isFolder && above == "claude":
		return perhaps(notLoadedAs("it looks in .claude/skills, with a dot, and not in claude/"+name,
			"rename claude to .claude, unless the folder is linked or copied there"))
	case isAlmostSkills(name) && file == skill.MainFile:
		return perhaps(notLoadedAs("the folder must be called skills, not "+name, "rename it, and keep it in .claude or in a plugin"))
	}
	return Misplacement{}
}

// strays reports a project whose skills are all where nobody looks. They are in no folder of an
// agent or a plugin, in no folder called skills, and not at the top.
func (w *walker) strays() {
	first := -1
	for i, f := range w.found {
		rel, err := filepath.Rel(w.home, f.Path)
		folders := strings.Split(filepath.ToSlash(rel), "/")
		switch {
		case f.Kind != Skill || f.As == User:
		case f.Misplaced.Text != "" || err != nil || f.Claude || f.Plugin != "" || len(folders) < 3 || slices.Contains(folders, "skills"):
			return
		case first < 0:
			first = i
		}
	}
	if first >= 0 {
		w.found[first].Misplaced = perhaps(notLoadedAs(
			"nothing looks for skills in "+filepath.Base(filepath.Dir(filepath.Dir(w.found[first].Path))),
			"move the folder "+filepath.Base(filepath.Dir(w.found[first].Path))+" to .claude/skills, or make a plugin of it"))
	}
}

// holdsMain reports whether a folder has a SKILL.md, in any spelling, or a folder in it has one.
func holdsMain(dir string) bool {
	return len(files.Glob(dir, "[Ss][Kk][Ii][Ll][Ll].md")) > 0 || len(files.Glob(dir, "*/"+skill.MainFile)) > 0
}

// hasFront reports whether a file begins with frontmatter, as a skill does. A file without it may
// be about the skills, such as a README.
func hasFront(file string) bool {
	src, err := files.ReadFile(file)
	first, _, _ := strings.Cut(string(src), "\n")
	return err == nil && strings.TrimSpace(first) == "---"
}
