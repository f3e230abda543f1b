package find

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

// ForAgents finds the skills in every place in which an agent looks, below a project and below a
// home. Then it adds the listed skills that are in none of these places. It follows links, as
// agents do. The errors are about files that cannot be read; their skills are left out.
func ForAgents(project, home string, listed ...skill.Location) (all []agents.Skill, faults []error) {
	inProject, inHome := agents.Places()
	p := placed{folders: folders{}}
	for _, place := range inProject {
		p.walk(filepath.Join(project, filepath.FromSlash(place), "skills"), agents.Skill{Place: place}, 0)
	}
	if home != "" && home != project {
		for _, place := range inHome {
			p.walk(filepath.Join(home, filepath.FromSlash(place), "skills"), agents.Skill{Place: place, User: true}, 0)
		}
	}
	isPlaced := func(file string) bool {
		return slices.ContainsFunc(slices.Concat(inProject, inHome), func(place string) bool {
			return strings.Contains(filepath.ToSlash(file), "/"+place+"/skills/")
		})
	}
	for _, loc := range listed {
		if file := loc.Main().File; !loc.Command && loc.From != skill.FromInstalled && !isPlaced(file) {
			p.add(file, agents.Skill{Folder: filepath.Base(filepath.Dir(file))})
		}
	}
	return p.found, p.faults
}

// A placed collects skills with their places.
type placed struct {
	folders folders
	found   []agents.Skill
	faults  []error
}

func (p *placed) add(file string, at agents.Skill) bool {
	src, err := files.ReadFile(file)
	if err != nil {
		p.faults = append(p.faults, err)
		return false
	}
	s := agents.Read(file, src)
	s.Place, s.User, s.Folder, s.Inner = at.Place, at.User, at.Folder, at.Inner
	p.found = append(p.found, s)
	return true
}

// deepest limits how many levels below a folder of skills are searched, because links may lead in
// circles.
const deepest = 6

// walk adds the skills in a folder and in the folders below it. at is the place of the folder.
func (p *placed) walk(dir string, at agents.Skill, depth int) {
	file := filepath.Join(dir, skill.MainFile)
	if !files.IsFile(file) { // some agents also read skill.md
		file = filepath.Join(dir, strings.ToLower(skill.MainFile))
	}
	if files.IsFile(file) {
		if !p.add(file, at) {
			return
		}
		at.Inner = at.Folder != ""
	}
	if depth == deepest {
		return
	}
	for _, below := range p.folders.below(dir) {
		in := at
		in.Folder = path.Join(at.Folder, filepath.Base(below))
		p.walk(below, in, depth+1)
	}
}
