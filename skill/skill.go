// Package skill answers one question: what does this SKILL.md say?
package skill

import (
	"sort"

	"github.com/skillhand/skillhand/internal/markdown"
)

// A Skill is one skill's file, read and cut into parts.
type Skill struct {
	Name  string // its folder's name, without a companion's suffix
	File  string // the file that was read, as it was found
	Real  string // its real path, which must be trusted; "" if it was not read from a file
	Dir   string // the real path of the skill's folder
	Front Frontmatter
	Parts []Part // their Sources joined are the file, byte for byte

	Notes []Note // oddities that are no reason to fail, in the order of the text
}

// Source returns the file's text.
func (s *Skill) Source() []byte {
	var all []byte
	for _, p := range s.Parts {
		all = append(all, p.Source...)
	}
	return all
}

// A Kind is the kind of a Part.
type Kind int

// The kinds of parts.
const (
	Text      Kind = iota // copied to the page
	Header                // byte order mark and frontmatter: never on the page
	Variable              // $ARGUMENTS, $0, $ARGUMENTS[0], $name, ${NAME}
	Directive             // !`command` or a ```! block
	Tag                   // <skill>, </skill>, <output>, </output> alone on its line, newline included
	Escape                // the \! of \!`command`: the page gets the ! alone; the command follows as text and variables
)

var kindNames = [...]string{"text", "header", "variable", "directive", "tag", "escape"}

// String returns the kind's name, in lower case.
func (k Kind) String() string { return kindNames[k] }

// Variables returns the names of the built-in variables, as in ${CLAUDE_SKILL_DIR}.
func Variables() []string {
	return []string{"CLAUDE_PLUGIN_ROOT", "CLAUDE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_SKILL_DIR", "CLAUDE_PLUGIN_DATA", "CLAUDE_EFFORT"}
}

// A Part is a piece of a skill's file.
type Part struct {
	Kind   Kind
	Source string // the bytes in the file
	Offset int    // of its first byte in the file; for the parts of a command see Part.SourceOffset
	Line   int    // of its first byte, from 1
	InCode bool   // it is in a fence, code span, indented code or HTML comment, as a command's parts always are

	// Variable
	Name    string // "ARGUMENTS", "0", "NAME"; for $ARGUMENTS[3] "3"
	Braced  bool   // ${NAME}
	Escaped bool   // an odd number of backslashes precedes it; the last one is part of Source
	Named   bool   // it is the frontmatter's argument with index Arg
	Arg     int

	// Directive
	// Text and Variable parts of the command, without its !`…` or fences (and without the indentation of the list or
	// quote around it)
	Command []Part
	Block   bool // a ```! block, not !`…`
	Fenced  bool // in a fence of directives only, which stays around their output (its lines are text parts)
	Alone   bool // only white space is beside it on its lines, and it is in no list or quote

	at     int              // the start of its command
	joints []markdown.Joint // the starts of the command's lines, if it is not in one piece

	// Tag
	Tag     string // "skill" or "output"
	TagName string // its name="…", or ""
	Close   bool   // </…>
}

// SourceOffset returns the offset in the file of byte i of a directive's command, counted from the
// start of its Command parts.
func (p *Part) SourceOffset(i int) int {
	n := sort.Search(len(p.joints), func(n int) bool { return p.joints[n].Text > i })
	if n == 0 {
		return p.at + i
	}
	j := p.joints[n-1]
	return p.at + j.Source + i - j.Text
}
