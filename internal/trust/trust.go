// Package trust answers one question: may commands that are written in this
// folder run? Only the user says so, folder by folder.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/words"
)

// A Store remembers which folders the user trusts, by real path, so that a
// moved or copied folder is not trusted. Each is a file of its own: writers
// need no lock, and revoking is removing a file.
type Store struct {
	Dir string // the folder that holds the store; made when needed
}

// Trust trusts dir from now on.
func (s Store) Trust(dir string) (real string, err error) {
	if real, err = realDir(dir); err != nil {
		return "", err
	}
	if err := files.MakeState(s.Dir); err != nil {
		return "", err
	}
	_ = os.Remove(s.file(real) + pinSuffix) // trusted as it is, whatever it becomes
	return real, files.Write(s.file(real), []byte(real+"\n"), 0o600)
}

// TooWide says why a folder is more than anybody means to trust: whatever is ever put below it would run. It is nil for
// others.
func TooWide(dir, home string) error {
	real, err := realDir(dir)
	if err != nil {
		return nil // Trust says so
	}
	info, err := os.Stat(real)
	switch {
	case filepath.Dir(real) == real:
		return fmt.Errorf("%s: everything on this machine would be trusted: name the folder you mean", real)
	case home != "" && files.Real(home) == real:
		return fmt.Errorf("%s: all that you ever put into your home would be trusted: name the folder you mean", real)
	case err == nil && info.Mode()&os.ModeSticky != 0 && info.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("%s: anyone on this machine can put files there: name the folder you mean", real)
	}
	return nil
}

// Revoke forgets dir. It is an error if dir was not trusted. A folder that is
// gone can be revoked too, by the path it had.
func (s Store) Revoke(dir string) (real string, err error) {
	real, err = realDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		real, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", err
	}
	err = os.Remove(s.file(real))
	_ = os.Remove(s.file(real) + pinSuffix) // without the mark it means nothing
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	_, gone := os.Stat(real)
	if by, _, ok := s.covering(real); ok && gone == nil {
		return "", fmt.Errorf("%s: trusted because %s is trusted: revoke that instead", real, by)
	}
	return "", fmt.Errorf("%s: not trusted, nothing to revoke", real)
}

// A Folder is one that the user trusts.
type Folder struct {
	Dir     string `json:"dir"`
	Trusted bool   `json:"trusted"`
	Pinned  bool   `json:"pinned"` // only as it was when the user looked
}

// List returns the folders that are trusted, sorted.
func (s Store) List() ([]Folder, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Folder
	for _, e := range entries {
		if real, pin, ok := s.read(filepath.Join(s.Dir, e.Name())); ok {
			all = append(all, Folder{Dir: real, Trusted: true, Pinned: pin != ""})
		}
	}
	slices.SortFunc(all, func(a, b Folder) int { return strings.Compare(a.Dir, b.Dir) })
	return all, nil
}

// covering returns the trusted folder that real lies in, and what it is pinned to, if so.
func (s Store) covering(real string) (dir, pin string, ok bool) {
	for _, dir := range parents(real) {
		if kept, pin, ok := s.read(s.file(dir)); ok && kept == dir {
			return dir, pin, true
		}
	}
	return "", "", false
}

// believable reports why what the store says about a file does not count: others
// can write to the store, or it lies in a folder that the file is in too, and that
// may have brought it along: its repository, or one of near.
func (s Store) believable(file, home string, near []string) error {
	if dir, err := realPath(s.Dir); err == nil {
		if real, err := realPath(home); err == nil {
			home = real
		}
		for _, brought := range append(near, files.Top(dir)) {
			// A home that is a repository is the user's own, and its state with it.
			if brought != "" && files.Inside(brought, dir) && files.Inside(brought, file) && !files.Inside(brought, home) {
				return fmt.Errorf("%s is inside %s, which cannot vouch for itself", s.Dir, brought)
			}
		}
	}
	for _, dir := range []string{filepath.Dir(s.Dir), s.Dir} {
		if err := onlyOurs(dir); err != nil {
			return err
		}
	}
	return nil
}

// parents lists path and every folder above it.
func parents(path string) []string {
	all := []string{path}
	for up := filepath.Dir(path); up != path; path, up = up, filepath.Dir(up) {
		all = append(all, up)
	}
	return all
}

// file returns where a folder's mark is kept. The name is a hash: paths have any length and any character.
func (s Store) file(real string) string {
	sum := sha256.Sum256([]byte(real))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:16]))
}

// read returns the folder that a mark names, and what it is pinned to. A mark
// that cannot be read, or is not the one its name says, trusts nothing.
func (s Store) read(file string) (real, pin string, ok bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", false
	}
	real, rest, ok := strings.Cut(string(data), "\n")
	if rest != "" {
		pin, ok = strings.CutPrefix(strings.TrimSuffix(rest, "\n"), "pin ")
	}
	return real, pin, ok && s.file(real) == file
}

// Instead says which folder to name instead of the skill that was named, if there is no folder of that name.
func Instead(dir string, skills find.Finder) error {
	_, err := os.Stat(dir)
	if !errors.Is(err, fs.ErrNotExist) || files.Is(dir) {
		return nil // whoever needs the folder says what is wrong with it
	}
	found, ferr := skills.Look(dir)
	if ferr != nil {
		return nil
	}
	return fmt.Errorf("%s: %w; the skill of this name is in %s (skillhand trust %[3]s)", dir, files.Cause(err), words.Quote(Root(found.File)))
}

func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, files.Cause(err))
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s: not a folder", dir)
	}
	return real, nil
}
