package files

import (
	"bytes"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
)

// An Edit is a change to one file.
type Edit struct {
	Name   string // the file's name for people
	Before []byte // empty if the file is new
	After  []byte
	Notes  []Note // remarks for readers of the diff
}

// A Note is a remark about a line of the file before the edit.
type Note struct {
	Line int
	Text string
}

// Changed reports whether the edit changes anything.
func (e *Edit) Changed() bool { return !bytes.Equal(e.Before, e.After) }

// Diff shows the edit as a unified diff, or "" if nothing changes.
func (e *Edit) Diff() string { return e.between(e.Name, e.Name) }

// Patch returns the diff in the form that git apply and patch -p1 accept. A file outside of the
// folder is named as it is. A new file has its name on both sides, so that the diff also applies to
// an empty file.
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
