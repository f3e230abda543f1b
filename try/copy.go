package try

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/skill"
)

// maxLinks bounds how deep links may lead out of what is copied.
const maxLinks = 8

// copyTree copies a folder's content into a folder, or a file into it under its
// name. Nothing in the copy leads back: a link within the folder stays one, a link
// that leads out is replaced by what it leads to. skip names what is left out, by
// its path below src.
func copyTree(src, dst string, skip func(rel string) bool) error {
	real, err := filepath.EvalSymlinks(src)
	if err != nil {
		return err
	}
	info, err := os.Stat(real)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dst, 0o777); err != nil {
		return err
	}
	if !info.IsDir() {
		return copyFile(real, filepath.Join(dst, filepath.Base(src)), info)
	}
	return (&copier{root: real, skip: skip, links: maxLinks}).folder(real, dst)
}

type copier struct {
	root  string // links that stay below are kept
	skip  func(rel string) bool
	links int
}

func (c *copier) folder(src, dst string) error {
	return filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		if c.skip != nil && rel != "." && c.skip(filepath.ToSlash(rel)) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		to := filepath.Join(dst, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(to, 0o777)
		case d.Type()&fs.ModeSymlink != 0:
			return c.link(path, to)
		case d.Name() == ".git":
			return fmt.Errorf("%s: names a repository elsewhere, which trials would write to", path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return copyFile(path, to, info)
	})
}

// link copies a link, or what it leads to.
func (c *copier) link(path, to string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("%s: a broken link", path)
	}
	if !filepath.IsAbs(target) && skill.Inside(c.root, real) {
		return os.Symlink(target, to)
	}
	info, err := os.Stat(real)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return copyFile(real, to, info)
	}
	if c.links == 0 || skill.Inside(real, path) {
		return fmt.Errorf("%s: a link that leads round in a circle", path)
	}
	return (&copier{root: real, links: c.links - 1}).folder(real, to)
}

func copyFile(from, to string, info fs.FileInfo) (err error) {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: neither a file nor a folder", from)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: there is another file of this name", from)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

// removeTree removes a folder, with what a trial made unwritable in it.
func removeTree(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error { // what stays is in the temporary folder
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
