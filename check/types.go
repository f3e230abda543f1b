package check

import (
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/edit"
	"github.com/skillhand/skillhand/internal/here"
)

// The packages that define these are internal, so importers use the names here.
type (
	// A Here is the place that files are checked at; the same as that of package skillhand.
	Here = here.Here
	// A FileEdit is what becomes of one file that is mended.
	FileEdit = edit.Edit
	// A FileNote says something about a line of a file that is mended.
	FileNote = edit.Note
	// Where is where Claude Code runs and where it keeps what is the user's.
	Where = settings.Where
	// An Override says how Claude Code lists a skill: "on", "name-only", "user-invocable-only" or "off".
	Override = settings.Override
)
