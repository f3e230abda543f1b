package files

import (
	"bytes"
	"path/filepath"

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
func (e *Edit) Diff() string { return e.between(e.Name, e.Name) }

// Patch returns the diff as git apply and patch -p1 take it. A file that is not below the folder has its name alone. A new
// file has its name on both sides, so that the diff also applies to a file that exists and is empty.
func (e *Edit) Patch() string {
	if !filepath.IsLocal(e.Name) {
		return e.Diff()
	}
	after := "b/" + e.Name
	if len(e.After) == 0 {
		after = "/dev/null"
	}
	return e.between("a/"+e.Name, after)
}

func (e *Edit) between(before, after string) string {
	_, text, _ := bytes.Cut(diff.Diff(before, e.Before, after, e.After), []byte("\n")) // a line for diff itself
	return string(text)
}
