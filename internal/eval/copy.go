package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/skillhand/skillhand/internal/files"
)

// maxLinks limits how many links out of the copied folder may follow each other.
const maxLinks = 8

// An entry is a file, a folder or a link in a copy.
type entry struct {
	rel  string // its path in the copy
	path string // the path it is copied from
	mode fs.FileMode
	link string // the target of a link
}

// walkTree visits everything that a copy of a folder's content, or of one file, contains. No link
// in a copy leads back to the original: a link within the folder stays a link, and a link that
// leads out is replaced by its target. skip says what to leave out, by its path in the copy.
func walkTree(src string, skip func(rel string) bool, visit func(entry) error) error {
	real, err := filepath.EvalSymlinks(src)
	if err != nil {
		return err
	}
	info, err := os.Stat(real)
	if err != nil {
		return err
	}
	w := &walker{root: real, skip: skip, visit: visit, links: maxLinks}
	if !info.IsDir() {
		return w.file(entry{rel: filepath.Base(src), path: real, mode: info.Mode()})
	}
	return w.folder(real, ".")
}

type walker struct {
	root  string // links that stay below this folder stay links
	skip  func(rel string) bool
	visit func(entry) error
	links int
}

func (w *walker) folder(src, at string) error {
	return filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(filepath.Join(at, below))
		if w.skip != nil && w.skip(rel) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		switch {
		case d.IsDir():
			return w.visit(entry{rel: rel, path: path, mode: fs.ModeDir})
		case d.Type()&fs.ModeSymlink != 0:
			return w.link(path, rel)
		case d.Name() == ".git":
			return fmt.Errorf("%s: points to a repository elsewhere; trials would change it", path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return w.file(entry{rel: rel, path: path, mode: info.Mode()})
	})
}

func (w *walker) file(e entry) error {
	if !e.mode.IsRegular() {
		return fmt.Errorf("%s: is not a file or a folder", e.path)
	}
	return w.visit(e)
}

// link visits a link or its target.
func (w *walker) link(path, rel string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("%s: a broken link", path)
	}
	if !filepath.IsAbs(target) && files.Inside(w.root, real) {
		return w.visit(entry{rel: rel, path: path, mode: fs.ModeSymlink, link: target})
	}
	info, err := os.Stat(real)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return w.file(entry{rel: rel, path: real, mode: info.Mode()})
	}
	if w.links == 0 || files.Inside(real, path) {
		return fmt.Errorf("%s: links form a cycle", path)
	}
	return (&walker{root: real, visit: w.visit, links: w.links - 1}).folder(real, rel)
}

// but returns a skip function that leaves out the named entries.
func but(names ...string) func(rel string) bool {
	return func(rel string) bool { return slices.Contains(names, rel) }
}

// copyTree copies a folder's content, or a file, into a folder, as walkTree visits it.
func copyTree(src, dst string, skip func(rel string) bool) error {
	if err := os.MkdirAll(dst, 0o777); err != nil {
		return err
	}
	return walkTree(src, skip, func(e entry) error {
		to := filepath.Join(dst, filepath.FromSlash(e.rel))
		switch {
		case e.mode.IsDir():
			return os.MkdirAll(to, 0o777)
		case e.link != "":
			return os.Symlink(e.link, to)
		}
		return copyFile(e.path, to, e.mode.Perm()|0o600)
	})
}

func copyFile(from, to string, mode fs.FileMode) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

// hashFile returns a hash of a file's content, or "" if it cannot be read.
func hashFile(file string) string {
	in, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer in.Close()
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// RemoveTree removes a folder, even if a trial made parts of it read-only.
func RemoveTree(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error { // anything left is in the temporary folder
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
