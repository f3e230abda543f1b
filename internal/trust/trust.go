// Package trust answers one question: may the commands of this folder run? Only the user decides,
// folder by folder.
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

// A Store remembers which folders the user trusts. It goes by real path, so that a moved or copied
// folder is not trusted. Each folder has a file of its own, so writers need no lock, and revoking
// removes a file.
type Store struct {
	Dir string // the store's folder, made when needed
}

// Trust adds dir to the trusted folders.
func (s Store) Trust(dir string) (real string, err error) {
	if real, err = realDir(dir); err != nil {
		return "", err
	}
	if err := files.MakeState(s.Dir); err != nil {
		return "", err
	}
	_ = os.Remove(s.file(real) + pinSuffix) // no longer pinned
	return real, files.Write(s.file(real), []byte(real+"\n"), 0o600)
}

// TooWide returns an error for a folder that nobody means to trust as a whole, such as the root or
// the home: everything ever put below it could run.
func TooWide(dir, home string) error {
	real, err := realDir(dir)
	if err != nil {
		return nil // Trust reports it
	}
	info, err := os.Stat(real)
	switch {
	case filepath.Dir(real) == real:
		return fmt.Errorf("%s: refusing to trust the whole machine; name a project folder", real)
	case home != "" && files.Real(home) == real:
		return fmt.Errorf("%s: refusing to trust your whole home; name a project folder", real)
	case err == nil && info.Mode()&os.ModeSticky != 0 && info.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("%s: anyone on this machine can put files there; name a project folder", real)
	}
	return nil
}

// Revoke removes dir from the trusted folders. It fails if dir was not trusted. A folder that no
// longer exists can be revoked by its old path.
func (s Store) Revoke(dir string) (real string, err error) {
	real, err = realDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		real, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", err
	}
	err = os.Remove(s.file(real))
	_ = os.Remove(s.file(real) + pinSuffix) // useless without the mark
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	_, gone := os.Stat(real)
	if by, _, ok := s.covering(real); ok && gone == nil {
		return "", fmt.Errorf("%s: trusted because %s is trusted: revoke that instead", real, by)
	}
	return "", fmt.Errorf("%s: not trusted, nothing to revoke", real)
}

// A Folder is a trusted folder.
type Folder struct {
	Dir     string `json:"dir"`
	Trusted bool   `json:"trusted"`
	Pinned  bool   `json:"pinned"` // only as it was when the user pinned it
}

// List returns the trusted folders, sorted.
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

// covering returns the trusted folder that real is in, and its pin if it has one.
func (s Store) covering(real string) (dir, pin string, ok bool) {
	for _, dir := range parents(real) {
		if kept, pin, ok := s.read(s.file(dir)); ok && kept == dir {
			return dir, pin, true
		}
	}
	return "", "", false
}

// believable reports why the store's word about a file does not count: others can write to the
// store, or the store is in the file's own repository or in one of near, which may have brought it
// along.
func (s Store) believable(file, home string, near []string) error {
	if dir, err := realPath(s.Dir); err == nil {
		if real, err := realPath(home); err == nil {
			home = real
		}
		for _, brought := range append(near, files.Top(dir)) {
			// A home that is a repository is the user's own, and so is its state.
			if brought != "" && files.Inside(brought, dir) && files.Inside(brought, file) && !files.Inside(brought, home) {
				return fmt.Errorf("trust records inside the project %s are ignored; move %s elsewhere", brought, s.Dir)
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

// parents lists path and all folders above it.
func parents(path string) []string {
	all := []string{path}
	for up := filepath.Dir(path); up != path; path, up = up, filepath.Dir(up) {
		all = append(all, up)
	}
	return all
}

// file returns the path of a folder's mark. The name is a hash, because a folder's path can have any
// length and any character.
func (s Store) file(real string) string {
	sum := sha256.Sum256([]byte(real))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:16]))
}

// read returns the folder that a mark names, and its pin. A mark that cannot be read, or whose name
// does not match, trusts nothing.
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

// Instead suggests a folder if the user named a skill and there is no folder of that name.
func Instead(dir string, skills find.Finder) error {
	_, err := os.Stat(dir)
	if !errors.Is(err, fs.ErrNotExist) || files.Is(dir) {
		return nil // the caller will report what is wrong with it
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
