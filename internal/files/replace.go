package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrChanged means that a file has changed since its edit was made.
var ErrChanged = errors.New("it changed in the meantime: nothing was written")

// Replace gives a file new content. It follows a link, which must not lead out of its folder.
func Replace(file string, before, after []byte) error {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return Cause(err)
	}
	if _, out := LinksOut(file); out {
		return fmt.Errorf("it links to %s, outside its folder", real)
	}
	now, err := ReadFile(real)
	if err != nil {
		return Cause(err)
	}
	if !bytes.Equal(now, before) {
		return ErrChanged
	}
	return Cause(Write(real, after, 0o644))
}

// MakeExecutable lets everybody who may read a file run it.
func MakeExecutable(file string) error {
	info, err := os.Stat(file)
	if err == nil {
		err = os.Chmod(file, info.Mode()|info.Mode()&0o444>>2)
	}
	return Cause(err)
}

// WriteEdit applies an edit to a file of the user's own, and returns the path of a copy of the old
// content. The copy's name ends in date; without a date there is no copy. An edit that starts from
// nothing creates the file.
func WriteEdit(file string, e *Edit, date string) (backup string, err error) {
	if len(e.Before) == 0 {
		return "", create(file, e.After)
	}
	info, backup, err := prepare(file, e, date)
	if err != nil {
		return backup, err
	}
	if err := Write(file, e.After, info.Mode().Perm()); err != nil {
		return backup, err
	}
	return backup, keepOwner(file, info)
}

// RemoveEdit removes a file that an edit empties, and keeps a copy as WriteEdit does.
func RemoveEdit(file string, e *Edit, date string) (backup string, err error) {
	if _, backup, err = prepare(file, e, date); err != nil {
		return backup, err
	}
	return backup, os.Remove(file)
}

// prepare makes sure that a file may be changed, and keeps a copy of it.
func prepare(file string, e *Edit, date string) (info fs.FileInfo, backup string, err error) {
	if info, err = os.Stat(file); err != nil {
		return nil, "", err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return nil, "", errors.New("read-only: nothing was changed")
	}
	if err := mayReplace(info); err != nil {
		return nil, "", err
	}
	now, err := os.ReadFile(file)
	if err != nil {
		return nil, "", err
	}
	if !bytes.Equal(now, e.Before) {
		return nil, "", ErrChanged
	}
	if date != "" {
		if backup, err = keepCopy(file, now, info, date); err != nil {
			return nil, "", fmt.Errorf("no backup, so nothing was changed: %w", err)
		}
	}
	return info, backup, nil
}

// create writes a file that must not exist yet.
func create(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if _, err := os.Lstat(file); err == nil {
		return errors.New("it already exists")
	}
	return Write(file, data, 0o666)
}

// keepCopy writes a file's content to a new file beside it.
func keepCopy(file string, data []byte, info fs.FileInfo, date string) (string, error) {
	for n := 1; ; n++ {
		backup := file + ".bak-" + date
		if n > 1 {
			backup += fmt.Sprintf("-%d", n)
		}
		f, err := os.OpenFile(backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(data)
		if err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close()); err != nil {
			return "", errors.Join(err, os.Remove(backup))
		}
		return backup, keepOwner(backup, info)
	}
}
