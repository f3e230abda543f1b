// Package edit answers one question: what becomes of this file?
//
// It is pure: an Edit is a value with a diff. Package edit/disk writes it.
package edit

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// An Edit is what becomes of one file.
type Edit struct {
	Name   string // as people call the file
	Before []byte // empty if the file is new
	After  []byte
	Notes  []Note // what a reader of the diff should know
}

// A Note says something about a line of the file as it was.
type Note struct {
	Line int
	Text string
}

// Changed reports whether the edit changes anything.
func (e *Edit) Changed() bool { return !bytes.Equal(e.Before, e.After) }

// Diff shows the edit as a unified diff, or "" if nothing changes.
func (e *Edit) Diff() string {
	_, text, _ := bytes.Cut(diff.Diff(e.Name, e.Before, e.Name, e.After), []byte("\n")) // a line for diff itself
	return string(text)
}
