package upgrade

import (
	"cmp"
	"context"
	"fmt"
	"go/version"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/skillhand/skillhand/internal/setup/origin"
)

// A Document is what upgrade found and did. It is described by schemas/upgrade-v1.schema.json.
type Document struct {
	Program string        `json:"program"`
	Origin  origin.Origin `json:"origin"`
	Version string        `json:"version"`
	Latest  string        `json:"latest"`  // "" if nobody was asked
	Command string        `json:"command"` // what to run instead; "" if skillhand replaces itself
	Changed bool          `json:"changed"`
}

// Program upgrades a program and those beside it, or says how: a copy that an archive brought replaces itself.
func Program(ctx context.Context, program, current string, getenv func(string) string, dryRun bool) (*Document, error) {
	doc := &Document{Program: program, Version: current, Origin: origin.Of(program, current, origin.GoBin(getenv))}
	if doc.Command = doc.Origin.Upgrade(); doc.Command != "" {
		return doc, nil
	}
	from := Mirror{URL: cmp.Or(getenv("SKILLHAND_RELEASES"), Releases), OS: runtime.GOOS, Arch: runtime.GOARCH}
	var err error
	if doc.Latest, err = from.Latest(ctx); err != nil {
		return nil, &UnreachableError{err}
	}
	if doc.Latest == doc.Version || isAhead(doc.Version, doc.Latest) || dryRun {
		return doc, nil
	}
	if err := from.Replace(ctx, doc.Latest, filepath.Dir(program)); err != nil {
		return nil, err
	}
	doc.Changed = true
	return doc, nil
}

// isAhead reports whether a version, such as one that is tried out before its release, is of a later release than another.
func isAhead(v, other string) bool {
	numbers := func(v string) string {
		v, _, _ = strings.Cut(v, "-")
		return "go" + strings.TrimPrefix(v, "v")
	}
	return version.Compare(numbers(v), numbers(other)) > 0
}

// An UnreachableError says that nobody told which version is the newest: worth trying again.
type UnreachableError struct{ Err error }

func (e *UnreachableError) Error() string { return e.Err.Error() }
func (e *UnreachableError) Unwrap() error { return e.Err }

// String is what people read.
func (d *Document) String() string {
	switch {
	case d.Command != "":
		return fmt.Sprintf("%s is %s, from %s. To upgrade it: %s\n", d.Program, d.Version, d.Origin, d.Command)
	case d.Changed:
		return fmt.Sprintf("%s: upgraded from %s to %s\n", filepath.Dir(d.Program), d.Version, d.Latest)
	case d.Latest == d.Version:
		return fmt.Sprintf("%s is the newest version\n", d.Version)
	case isAhead(d.Version, d.Latest):
		return fmt.Sprintf("%s is ahead of the newest version, %s\n", d.Version, d.Latest)
	}
	return fmt.Sprintf("%s: would be upgraded from %s to %s\n", filepath.Dir(d.Program), d.Version, d.Latest)
}
