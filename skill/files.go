package skill

import (
	"path/filepath"
	"strings"
)

// MainFile is the file that makes a folder a skill.
const MainFile = "SKILL.md"

// FirstUseFile and ContentFile hold a skill's text if its SKILL.md only loads it. The first that is there counts, before
// SKILL.md.
const (
	FirstUseFile = "first-use.md"
	ContentFile  = "content.md"
)

// companion ends the name of a folder whose SKILL.md is the text for the first use of the skill beside it.
const companion = "-first-use"

// IsTextFile reports whether a file of this name, beside a SKILL.md, is the text that is loaded in its place.
func IsTextFile(base string) bool { return base == FirstUseFile || base == ContentFile }

// IsCompanion reports whether a folder, or a skill's name, is that of a companion: foo-first-use.
func IsCompanion(folder string) bool { return strings.HasSuffix(folder, companion) }

// Companion returns the folder, or name, of a skill's companion.
func Companion(folder string) string { return Plain(folder) + companion }

// Plain returns the folder, or name, of the skill that a companion belongs to; any other stays as it is.
func Plain(folder string) string { return strings.TrimSuffix(folder, companion) }

// Main returns the location with the SKILL.md that a text for the first use belongs to: there stands
// what agents list, and beside it scripts, tests and cases lie.
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

// IsOwn reports whether the location is the user's own and not the project's: in a folder of the user's, or installed.
func (l Location) IsOwn() bool { return l.From == FromUser || l.From == FromInstalled }

// IsMain reports whether the location's file is its skill's SKILL.md itself.
func (l Location) IsMain() bool {
	return !l.Command && filepath.Base(l.File) == MainFile && !IsCompanion(l.Folder)
}
