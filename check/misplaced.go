package check

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/skill"
)

// A misplacement says why Claude Code does not load a file that looks like a skill.
type misplacement struct{ why, help string }

// misplaced finds out whether a file would be a skill under another name or in another place
// (Claude Code reads SKILL.md in the folders of .claude/skills, and compares letter by letter).
func misplaced(p string, in setting) misplacement {
	dir, base := filepath.Dir(p), filepath.Base(p)
	above := filepath.Dir(dir)
	root := in.claude + in.plugin // one of them is ""
	switch name := filepath.Base(above); {
	case root == "":
	case above == filepath.Join(root, "skills") && base != skill.MainFile && strings.EqualFold(base, skill.MainFile) &&
		!paths.IsFile(filepath.Join(dir, skill.MainFile)):
		return misplacement{"its file must be called SKILL.md, in capitals", "rename it to SKILL.md"}
	case base == skill.MainFile && filepath.Dir(above) == in.claude && name != "skills" && slices.Contains([]string{"skill", "skills"}, strings.ToLower(name)):
		return misplacement{"the folder must be called skills, not " + name, "rename the folder"}
	case in.claude != "" && dir == filepath.Join(in.claude, "skills") && filepath.Ext(base) == ".md" && base != skill.MainFile && hasFront(p):
		name := strings.TrimSuffix(base, ".md")
		return misplacement{"a skill is a folder with a SKILL.md in it", "move it to " + name + "/SKILL.md"}
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
		p.find(0, 0, "Claude Code does not load this skill: %s", at.why).Help = at.help
	}
}
