package check

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/skill"
)

// A misplacement says why Claude Code does not load a file that looks like a skill.
type misplacement struct {
	why, help string
	perhaps   bool // it may be linked or copied to where it is loaded
}

// misplaced finds out whether a file would be a skill under another name or in another place
// (Claude Code reads SKILL.md in the folders of .claude/skills, and compares letter by letter).
func misplaced(p string, in setting) misplacement {
	dir, base := filepath.Dir(p), filepath.Base(p)
	above := filepath.Dir(dir)
	name := filepath.Base(above)
	isMain := strings.EqualFold(base, skill.MainFile) && (base == skill.MainFile || !paths.IsFile(filepath.Join(dir, skill.MainFile)))
	isFolder := slices.Contains([]string{"skill", "skills"}, strings.ToLower(name))
	switch root := in.claude + in.plugin; { // one of them is ""
	case isMain && isFolder && root == "":
		return elsewhere(above, base)
	case isMain && isFolder && name != "skills" && filepath.Dir(above) == in.claude && base != skill.MainFile:
		return misplacement{why: "the folder must be called skills, not " + name + ", and its file SKILL.md, in capitals", help: "rename both"}
	case isMain && isFolder && name != "skills" && filepath.Dir(above) == in.claude:
		return misplacement{why: "the folder must be called skills, not " + name, help: "rename the folder"}
	case isMain && base != skill.MainFile && root != "" && above == filepath.Join(root, "skills"):
		return misplacement{why: "its file must be called SKILL.md, in capitals", help: "rename it to SKILL.md"}
	case in.claude != "" && dir == filepath.Join(in.claude, "skills") && filepath.Ext(base) == ".md" && base != skill.MainFile && hasFront(p):
		name := strings.TrimSuffix(base, ".md")
		return misplacement{why: "a skill is a folder with a SKILL.md in it", help: "move it to " + name + "/SKILL.md"}
	}
	return misplacement{}
}

// elsewhere is about a folder of skills that is in no .claude and no plugin. It may be a collection; but not under a name
// that nobody looks for.
func elsewhere(folder, file string) misplacement {
	name, above := filepath.Base(folder), filepath.Base(filepath.Dir(folder))
	switch {
	case above == "claude":
		return misplacement{"it looks in .claude/skills, with a dot, and not in claude/" + name,
			"rename claude to .claude, unless the folder is linked or copied there", true}
	case name != "skills" && file == skill.MainFile && (name != "skill" || above == ".agents"):
		return misplacement{"the folder must be called skills, not " + name, "rename it, and keep it in .claude or in a plugin", true}
	}
	return misplacement{}
}

// hasFront reports whether a file begins as a skill does: one that does not is about the skills, as a README.
func hasFront(file string) bool {
	src, err := skill.ReadFile(file)
	first, _, _ := strings.Cut(string(src), "\n")
	return err == nil && strings.TrimSpace(first) == "---"
}

func notLoaded(p *pass) {
	if at := p.doc.file.misplaced; at.why != "" {
		f := p.find(0, 0, "Claude Code does not load this skill: %s", at.why)
		if f.Help = at.help; at.perhaps {
			p.severe(f, Info)
		}
	}
}
