package check

import (
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/here"
)

// The packages that define these are internal, so importers use the names here.
type (
	// A Here is the place that files are checked at; the same as that of package skillhand.
	Here = here.Here
	// A Finder finds what there is to check.
	Finder = find.Tree
	// A File is one to check.
	File = find.File
	// A Kind says what a file is to an agent.
	Kind = find.Kind
	// A Place is where Claude Code loads a file from. What it may read differs.
	Place = find.Place

	// A FileEdit is what becomes of one file that is mended.
	FileEdit = files.Edit
	// A FileNote says something about a line of a file that is mended.
	FileNote = files.Note
	// Where is where Claude Code runs and where it keeps what is the user's.
	Where = settings.Where
	// An Override says how Claude Code lists a skill: "on", "name-only", "user-invocable-only" or "off".
	Override = settings.Override
)

// The kinds of files.
const (
	Skill       = find.Skill
	Command     = find.Command
	Agent       = find.Agent
	Plugin      = find.Manifest    // plugin.json
	Marketplace = find.Marketplace // marketplace.json
	Hooks       = find.Hooks       // hooks.json, or settings with hooks
	FirstUse    = find.FirstUse    // the text of a skill that skillhand load renders, beside a SKILL.md that calls it
	Text        = find.Text        // Markdown that is none of these: taken as a skill's text, if it is named
)

// The places.
const (
	Project  = find.Project
	User     = find.User
	InPlugin = find.InPlugin
)
