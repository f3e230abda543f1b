package files

import (
	"bufio"
	"io"
	"io/fs"
)

// Write gives a file new content, as WriteFrom does.
func Write(file string, data []byte, perm fs.FileMode) error {
	return WriteFrom(file, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}, perm)
}

// filled writes the content. An error of writing names the file; an error of fill stays as it is.
func filled(w io.Writer, file string, fill func(io.Writer) error) error {
	to := &sink{w: w}
	b := bufio.NewWriterSize(to, 64<<10)
	err := fill(b)
	if err == nil {
		err = b.Flush()
	}
	if to.err != nil {
		return named(file, to.err)
	}
	return err
}

// A sink remembers its write error.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err != nil {
		s.err = err
	}
	return n, err
}

// named replaces the temporary file's name in an error with the real one.
func named(file string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "write", Path: file, Err: Cause(err)}
}
