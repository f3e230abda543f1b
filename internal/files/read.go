package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// MaxSize limits what ReadFile reads, in bytes.
const MaxSize = 10 << 20

// ReadReal reads a file as ReadFile does, and returns its real path: that of the file it read, even
// if a link changes in the meantime.
func ReadReal(file string) (src []byte, real string, err error) {
	for range 10 {
		var opened, now fs.FileInfo
		if src, opened, err = ReadOpened(file); err != nil {
			return nil, "", err
		}
		if real, err = filepath.EvalSymlinks(file); err != nil {
			continue
		}
		if now, err = os.Lstat(real); err == nil && os.SameFile(opened, now) {
			return src, real, nil
		}
	}
	return nil, "", Changing(file)
}

// Changing returns the error for a file that kept changing while it was read.
func Changing(file string) error { return fmt.Errorf("%s: changed while it was being read", file) }

// ReadFile reads a regular file of at most MaxSize bytes. A pipe or a device instead of a skill
// would hang or never end.
func ReadFile(file string) ([]byte, error) {
	src, _, err := ReadOpened(file)
	return src, err
}

// ReadOpened reads a regular file, and returns which file it read.
func ReadOpened(file string) ([]byte, fs.FileInfo, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not wait for a writer
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, Cause(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	var src bytes.Buffer
	if err == nil {
		src.Grow(int(min(info.Size(), MaxSize)) + bytes.MinRead) // so that one read is enough
		_, err = src.ReadFrom(io.LimitReader(f, MaxSize+1))
	}
	if err == nil && src.Len() > MaxSize {
		err = fmt.Errorf("longer than %d MB, too long for an agent to read", MaxSize>>20)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, Cause(err))
	}
	return src.Bytes(), info, nil
}
