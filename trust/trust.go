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

	"github.com/skillhand/skillhand/internal/atomicfile"
)

// A Store remembers which folders the user trusts, by real path, so that a
// moved or copied folder is not trusted. Each is a file of its own: writers
// need no lock, and revoking is removing a file.
type Store struct {
	Dir string // the folder that holds the store; made when needed
}

// Trust remembers dir.
func (s Store) Trust(dir string) (real string, err error) {
	if real, err = realDir(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", err
	}
	return real, atomicfile.Write(s.file(real), []byte(real+"\n"), 0o600)
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
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if by, ok := s.covering(real); ok {
		return "", fmt.Errorf("%s: trusted because %s is: revoke that", real, by)
	}
	return "", fmt.Errorf("%s: was not trusted", real)
}

// List returns the folders that are trusted, sorted.
func (s Store) List() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		file := filepath.Join(s.Dir, e.Name())
		if real, ok := s.read(file); ok {
			dirs = append(dirs, real)
		}
	}
	slices.Sort(dirs)
	return dirs, nil
}

// Trusted reports whether path, links resolved, lies in a folder that the user
// trusts or in one of more.
func (s Store) Trusted(path string, more ...string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	if real, err = filepath.Abs(real); err != nil {
		return false
	}
	for _, dir := range more {
		if dir, err := realDir(dir); err == nil && slices.Contains(parents(real), dir) {
			return true
		}
	}
	_, ok := s.covering(real)
	return ok
}

// covering returns the trusted folder that real lies in.
func (s Store) covering(real string) (string, bool) {
	for _, dir := range parents(real) {
		if kept, ok := s.read(s.file(dir)); ok && kept == dir {
			return dir, true
		}
	}
	return "", false
}

// parents lists path and every folder above it.
func parents(path string) []string {
	all := []string{path}
	for up := filepath.Dir(path); up != path; path, up = up, filepath.Dir(up) {
		all = append(all, up)
	}
	return all
}

// file is where a folder's mark is kept. The name is a hash: paths have any length and any character.
func (s Store) file(real string) string {
	sum := sha256.Sum256([]byte(real))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:16]))
}

// read returns the folder that a mark names. A mark that cannot be read, or is
// not the one its name says, trusts nothing.
func (s Store) read(file string) (string, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	real, ok := strings.CutSuffix(string(data), "\n")
	return real, ok && s.file(real) == file
}

func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err
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
