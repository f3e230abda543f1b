package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestWhole: many write one file while one reads it. It is always the whole text of one of them.
func TestWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write := func(letter byte) {
		if err := Write(file, bytes.Repeat([]byte{letter}, 100_000), 0o600); err != nil {
			t.Error(err)
		}
	}
	write('a')
	var writers sync.WaitGroup
	for letter := byte('b'); letter < 'f'; letter++ {
		writers.Go(func() {
			for range 20 {
				write(letter)
			}
		})
	}
	for range 200 {
		text, err := os.ReadFile(file)
		if err != nil && runtime.GOOS == "windows" {
			continue // Windows lets nobody open a file in the moment in which it is replaced
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(text) != 100_000 || bytes.Count(text, text[:1]) != len(text) {
			t.Fatalf("half written: %d bytes, begins with %q", len(text), text[:min(len(text), 1)])
		}
	}
	writers.Wait()
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestPermissions: a new file has the ones asked for, an old one keeps its own.
func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows knows only read-only")
	}
	file := filepath.Join(t.TempDir(), "file")
	want := func(mode fs.FileMode) {
		t.Helper()
		info, err := os.Stat(file)
		if err != nil || info.Mode() != mode {
			t.Errorf("mode %v, %v, want %v", info.Mode(), err, mode)
		}
	}
	if err := Write(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want(0o600)
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Write(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(0o640)
}

// TestFails: what cannot be written is an error, and leaves nothing.
func TestFails(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "no", "file")
	switch err := Write(none, nil, 0o600); {
	case err == nil:
		t.Error("wrote into a folder that is not there")
	case !strings.HasPrefix(err.Error(), "write "+none+": ") || !errors.Is(err, fs.ErrNotExist):
		t.Errorf("the error is %q, want the file named, and that its folder is not there", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "folder"), nil, 0o600); err == nil {
		t.Error("replaced a folder")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestWriteFrom: a writer that gives up leaves the file as it was, and its own error comes back.
func TestWriteFrom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := Write(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	why := errors.New("the source ended early")
	err := WriteFrom(file, func(w io.Writer) error {
		_, err := w.Write(bytes.Repeat([]byte("half"), 100_000))
		return errors.Join(err, why)
	}, 0o600)
	if !errors.Is(err, why) {
		t.Errorf("the error is %v", err)
	}
	text, err := os.ReadFile(file)
	left, _ := os.ReadDir(filepath.Dir(file))
	if string(text) != "old" || err != nil || len(left) != 1 {
		t.Errorf("the file is %q, %v; beside it %v", text, err, left)
	}
}
