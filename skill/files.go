package skill

import (
	"path/filepath"
	"strings"
)

// MainFile is the file that makes a folder a skill.
const MainFile = "SKILL.md"

// FirstUseFile and ContentFile hold a skill's text if its SKILL.md only loads it. The first that
// exists counts, before SKILL.md.
const (
	FirstUseFile = "first-use.md"
	ContentFile  = "content.md"
)

// companion ends the name of a companion skill's folder. Its SKILL.md is the first-use text of the
// skill beside it.
const companion = "-first-use"

// IsTextFile reports whether a file of this name replaces the SKILL.md beside it.
func IsTextFile(base string) bool { return base == FirstUseFile || base == ContentFile }

// IsCompanion reports whether a folder or a name is that of a companion skill, such as
// foo-first-use.
func IsCompanion(folder string) bool { return strings.HasSuffix(folder, companion) }

// Companion returns the folder or name of a skill's companion.
func Companion(folder string) string { return Plain(folder) + companion }

// Plain returns the folder or name of the skill that a companion belongs to. Others stay as they are.
func Plain(folder string) string { return strings.TrimSuffix(folder, companion) }

// Main returns the location of the SKILL.md that a first-use text belongs to. Agents list that file,
// and scripts, tests and cases are beside it.
func (l Location) Main() Location {
	if l.Command {
		return l
	}
	l.Folder = Plain(l.Folder)
	if base := filepath.Base(l.File); base == MainFile || IsTextFile(base) {
		l.File = filepath.Join(l.Folder, MainFile)
	}
	return l
}

// IsOwn reports whether the skill is the user's, not the project's: it is in a folder of the user or
// installed.
func (l Location) IsOwn() bool { return l.From == FromUser || l.From == FromInstalled }

// IsMain reports whether the location's file is a SKILL.md.
func (l Location) IsMain() bool {
	return !l.Command && filepath.Base(l.File) == MainFile && !IsCompanion(l.Folder)
}
