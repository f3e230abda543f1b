package skill

import "fmt"

// A Note says what is odd about a skill's text. It is no reason to fail: the
// text still loads, perhaps without what the author meant.
type Note struct {
	Offset int    // where in the source, in bytes
	Line   int    // of Offset, from 1
	Code   string // what kind of oddity: one of the Note constants
	Text   string // for people, without file and line
}

// The codes of notes.
const (
	NoteYAML                = "yaml"                 // the frontmatter is not YAML, so none of its fields counts
	NoteNoFields            = "frontmatter-shape"    // the frontmatter is YAML, but no list of fields
	NoteFrontmatterUnclosed = "frontmatter-unclosed" // no second ---, so the frontmatter is text
	NoteFieldTwice          = "field-twice"          // a field is given again
	NoteFieldValue          = "field-value"          // a field's value has the wrong shape
	NoteArgumentName        = "argument-name"        // an argument's name is too long to be a placeholder
	NoteBlockInfo           = "block-info"           // ```!word is not run
	NoteBlockUnclosed       = "block-unclosed"       // ```! without an end is not run
	NoteDirectiveUnclosed   = "directive-unclosed"   // !` without a second ` is not run
	NoteCommentUnclosed     = "comment-unclosed"     // <!-- without an end hides the commands after it
	NoteFenceUnclosed       = "fence-unclosed"       // a fence without an end shows commands that may be meant to run
	NoteStrayClose          = "stray-close"          // a closing tag that closes nothing is text

	// These are Faults: a page cannot be made.
	NoteSectionName     = "section-name"     // a section is named after another skill
	NoteSectionNested   = "section-nested"   // a section is inside another
	NoteSectionTwice    = "section-twice"    // a section is there again
	NoteSectionUnclosed = "section-unclosed" // a section has no end
)

// Strict reports whether load --strict refuses a text with this note: it is not what
// its author meant.
func (n Note) Strict() bool {
	switch n.Code {
	case NoteYAML, NoteNoFields, NoteFrontmatterUnclosed, NoteBlockUnclosed, NoteDirectiveUnclosed, NoteCommentUnclosed, NoteFenceUnclosed:
		return true
	}
	return false
}

// Say returns a note for people: FILE:LINE: text.
func (s *Skill) Say(n Note) string { return fmt.Sprintf("%s:%d: %s", s.File, n.Line, n.Text) }
