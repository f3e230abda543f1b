package activity

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/skill"
)

// InstalledAt returns the skills that Claude Code would find in the environment h.
func InstalledAt(h here.Here) (all []Installed) {
	found, _ := h.Finder().List() // skillhand check reports errors in skills
	for _, loc := range found {
		if loc.Command || loc.From != skill.FromInstalled && !strings.Contains(filepath.ToSlash(loc.File), "/.claude/") {
			continue
		}
		s, err := skill.Read(loc)
		if err != nil || s.Front.Broken != "" {
			continue
		}
		one := Installed{Name: s.Name, File: loc.File, Description: s.Front.Description}
		one.Hidden = s.Front.DisableModelInvocation || len(s.Front.Paths) > 0
		if loc.Plugin != "" {
			one.Name = loc.Plugin + ":" + s.Name
		}
		if loc.From == skill.FromProject {
			one.Project = h.Project
		}
		if info, err := os.Stat(loc.File); err == nil {
			one.Changed = info.ModTime()
		}
		all = append(all, one)
	}
	return all
}
