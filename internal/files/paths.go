// Package files answers one question: what is at a path, and how does it change? It has paths and
// links, reading and writing of whole files, and edits with a diff.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Is reports whether what a person typed for a skill is a path, and not a name.
func Is(text string) bool {
	return text == "." || strings.ContainsRune(text, '/') || strings.ContainsRune(text, filepath.Separator)
}

// In returns path, relative to dir unless it is absolute.
func In(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Inside reports whether path is dir or below it. Both must be clean.
func Inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Below reports whether path is below dir. Both must be clean.
func Below(dir, path string) bool { return path != dir && Inside(dir, path) }

// IsFile reports whether a path leads to a regular file.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// IsFolder reports whether a path leads to a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// CheckFolder reports why a path does not lead to a folder. If it does not exist, the error is
// fs.ErrNotExist.
func CheckFolder(path string) error {
	info, err := os.Stat(path)
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", path, wrong.Err)
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: not a folder", path)
	}
	return err
}

// Glob lists the paths below a folder that match a pattern such as */*.json. The folder's own name
// is not a pattern.
func Glob(dir, pattern string) []string {
	found, _ := fs.Glob(os.DirFS(dir), pattern) // all callers' patterns are valid
	for i, name := range found {
		found[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return found
}

// Top returns the top of the repository that dir is in, or "".
func Top(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// Around returns the project that a folder belongs to: the top of its repository, else the folder.
func Around(dir string) string {
	if top := Top(dir); top != "" {
		return top
	}
	return dir
}

// Real resolves the links of a path. A path that leads nowhere stays as it is.
func Real(path string) string {
	if path == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// Match reports whether a path or a folder above it matches a pattern: * stands for anything within
// a name, ** for any folders.
func Match(pattern, name string) bool {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	return match(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

func match(pattern, name []string) bool {
	if len(pattern) == 0 {
		return true // everything below
	}
	if pattern[0] == "**" {
		for i := range len(name) + 1 {
			if match(pattern[1:], name[i:]) {
				return i < len(name) || len(pattern) > 1
			}
		}
		return false
	}
	if len(name) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return err == nil && ok && match(pattern[1:], name[1:])
}
