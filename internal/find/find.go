// Package find answers one question: which files in a tree mean something to an agent?
//
// For each file it says what the file is, which plugin it belongs to, which agents read it where it
// is, what hides it, and what keeps it from loading. A Tree walks a whole project. A Finder looks
// up a name in skillhand's order, without walking. Claude lists what Claude Code loads, in Claude
// Code's order.
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
	Text        Kind = "text"        // other Markdown; if it is named, it is read as the text of a skill
)

// A Place is where Claude Code loads a file from. What it may read differs.
type Place string

// The places.
const (
	Project  Place = "project"
	User     Place = "user"
	InPlugin Place = "plugin"
)

// A File is a file that means something to an agent.
type File struct {
	Path   string // where it is; "" if it is not in a file
	Name   string // its path from Tree.Base, as people see it
	Kind   Kind
	As     Place
	Root   string // the folder that is loaded as a whole: a plugin, a .claude, or a folder of skills
	Plugin string // the folder of its plugin, or ""
	Source []byte // its content, if that is not read from the disk
	Fault  error  // why it cannot be read

	// Owners are the agents that read the file where it is, sorted. They are empty if no known
	// agent reads it there, as in a collection from which people install skills.
	Owners []string

	Claude    bool         // Root is the .claude of a project or of the user
	Top       string       // the top of the repository around Tree.Dir
	Misplaced Misplacement // why Claude Code does not load it
	Fixed     string       // its path from Top, the same from every folder; "" if it is not in Top
}

// FixedName returns the name of a file in a baseline.
func (f *File) FixedName() string { return cmp.Or(f.Fixed, f.Name) }
