package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/files"
)

// Open reads a job file; - means stdin. Its errors begin with the name of the file. each may name
// files outside of the file's folder only if outside returns true for that folder. If outside is
// nil, each may do so in every folder.
func Open(name string, stdin io.Reader, outside func(dir string) bool) (*File, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var src *source
	if name == "-" {
		src, err = copied(stdin)
	} else {
		src, err = openSource(name)
		dir = filepath.Dir(files.In(dir, name))
	}
	if err != nil {
		return nil, files.NameCause(err)
	}
	file, err := Read(name, src.file, dir, name == "-" || outside == nil || outside(dir))
	if err != nil {
		src.close()
		return nil, files.NameCause(err)
	}
	if name == "-" {
		file.Jobs.Source = "" // the next content of stdin is another file
		if file.Name == "-" {
			file.Name = "stdin-" + src.sum // a file without a name is identified by its content
		}
	}
	file.Dir, file.close = dir, src.close
	return file, nil
}

// Close closes the source. The jobs cannot be read any more.
func (f *File) Close() {
	if f.close != nil {
		f.close()
	}
}

// A source is a file that can be read several times.
type source struct {
	file *os.File
	sum  string // of the content, if the source is a copy
	temp bool
}

// isFolder returns the error for a folder that was named instead of the job file in it.
func isFolder(name string) error {
	for _, base := range []string{"jobs.yaml", "jobs.yml", "jobs.jsonl"} {
		if file := filepath.Join(name, base); files.IsFile(file) {
			return fmt.Errorf("%s: is a folder; did you mean %s?", name, file)
		}
	}
	return fmt.Errorf("%s: is a folder, want a job file", name)
}

func openSource(name string) (*source, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return nil, isFolder(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		defer f.Close()
		return copied(f) // a pipe can be read only once
	}
	return &source{file: f}, nil
}

// copied copies the content of a reader to a temporary file.
func copied(r io.Reader) (*source, error) {
	f, err := os.CreateTemp("", "skillhand-jobs-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // on systems that can remove open files, so that the file is never left behind
	s := &source{file: f, temp: true}
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, h), r); err != nil {
		s.close()
		return nil, err
	}
	s.sum = hex.EncodeToString(h.Sum(nil)[:4])
	return s, nil
}

func (s *source) close() {
	_ = s.file.Close()
	if s.temp {
		_ = os.Remove(s.file.Name())
	}
}
