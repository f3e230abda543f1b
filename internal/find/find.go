// Package find answers one question: which files in a tree mean something to an agent?
//
// For each it says what the file is, the plugin that it belongs to, which agents read it where it
// lies, what hides it, and what keeps it from loading. A Tree walks a whole project; a Finder looks
// a name up in our order without walking; Claude lists what Claude Code loads, in its order.
package find

import (
	"cmp"
)

// A Kind says what a file is to an agent.
type Kind string

// The kinds of files.
const (
	Skill       Kind = "skill"
	Command     Kind = "command"
	Agent       Kind = "agent"
	Manifest    Kind = "plugin"      // plugin.json
	Marketplace Kind = "marketplace" // marketplace.json
	Hooks       Kind = "hooks"       // hooks.json, or settings with hooks
	FirstUse    Kind = "first-use"   // the text of a skill that skillhand load renders, beside a SKILL.md that calls it
	Text        Kind = "text"        // Markdown that is none of these: taken as a skill's text, if it is named
)

// A Place is where Claude Code loads a file from. What it may read differs.
type Place string

// The places.
const (
	Project  Place = "project"
	User     Place = "user"
	InPlugin Place = "plugin"
)

// A File is one that means something to an agent.
type File struct {
	Path   string // where it is; "" if it has no place
	Name   string // as people call it from here
	Kind   Kind
	As     Place
	Root   string // the folder that is loaded as one: a plugin's, or a .claude
	Plugin string // the plugin's folder, if it is of one
	Source []byte // what it says, if that is not read from the disk
	Fault  error  // why it cannot be looked at

	// Owners are the agents that read the file where it lies, sorted. None means that nothing is
	// known to read it there: a collection, from which people install, is such.
	Owners []string

	Claude    bool         // Root is a .claude, of a project or the user's
	Top       string       // of the repository that is worked in
	Misplaced Misplacement // why Claude Code does not load it
	Fixed     string       // its name from Top, the same from every folder; "" if it is not in there
}

// FixedName returns what a file is called in a baseline.
func (f *File) FixedName() string { return cmp.Or(f.Fixed, f.Name) }
