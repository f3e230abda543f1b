package skill

import "fmt"

// A Note reports something odd in a skill's text. The text still loads, but perhaps not as the
// author meant it.
type Note struct {
	Offset int    // in the source, in bytes
	Line   int    // of Offset, from 1
	Code   string // one of the Note constants
	Text   string // for people, without file and line
}

// The codes of notes.
const (
	NoteYAML                = "yaml"                 // the frontmatter is not YAML, so none of its fields counts
	NoteNoFields            = "frontmatter-shape"    // the frontmatter is YAML, but not a mapping
	NoteFrontmatterUnclosed = "frontmatter-unclosed" // there is no second ---, so the frontmatter is text
	NoteFieldTwice          = "field-twice"          // a field appears twice
	NoteFieldValue          = "field-value"          // a field's value has the wrong shape
	NoteArgumentName        = "argument-name"        // an argument's name is too long to be a placeholder
	NoteBlockInfo           = "block-info"           // ```!word does not run
	NoteBlockUnclosed       = "block-unclosed"       // ```! without an end does not run
	NoteDirectiveUnclosed   = "directive-unclosed"   // !` without a second ` does not run
	NoteCommentUnclosed     = "comment-unclosed"     // <!-- without an end hides the commands after it
	NoteFenceUnclosed       = "fence-unclosed"       // a fence without an end contains commands that were perhaps meant to run
	NoteStrayClose          = "stray-close"          // a closing tag that closes nothing is text

	// These are Faults: there can be no page.
	NoteSectionName     = "section-name"     // a section is named after another skill
	NoteSectionNested   = "section-nested"   // a section is inside another
	NoteSectionTwice    = "section-twice"    // a section appears twice
	NoteSectionUnclosed = "section-unclosed" // a section has no end
)

// Strict reports whether load --strict refuses a text with this note, because it is not what its
// author meant.
func (n Note) Strict() bool {
	switch n.Code {
	case NoteYAML, NoteNoFields, NoteFrontmatterUnclosed, NoteBlockUnclosed, NoteDirectiveUnclosed, NoteCommentUnclosed, NoteFenceUnclosed:
		return true
	}
	return false
}

// Say formats a note for people, as FILE:LINE: text.
func (s *Skill) Say(n Note) string { return fmt.Sprintf("%s:%d: %s", s.File, n.Line, n.Text) }
