package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
)

// A reader goes through lines, the latest first.
type reader struct {
	q       Query
	f       func(*Record)
	needles [][]byte          // what a line that is wanted has in it
	known   map[string]string // strings that were read before: a history repeats itself
	buf     bytes.Buffer
	rec     Record // the one that is being read

	looked, wanted, damaged int
	done                    bool // nothing more is wanted
}

func newReader(q Query, f func(*Record)) *reader {
	r := &reader{q: q, f: f, known: map[string]string{}}
	for name, value := range map[string]string{"kind": string(q.Kind), "skill": q.Skill, "project": q.Project, "session": q.Session} {
		if value == "" {
			continue
		}
		if quoted, err := json.Marshal(value); err == nil {
			r.needles = append(r.needles, append([]byte(`"`+name+`":`), quoted...))
		}
	}
	return r
}

// readOther reads a finished file, unless it was swept in the meantime or is the one that is open.
func (r *reader) readOther(path string, open *os.File) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if open != nil {
		a, aerr := f.Stat()
		b, berr := open.Stat()
		if aerr == nil && berr == nil && os.SameFile(a, b) {
			return nil
		}
	}
	return r.read(f)
}

// read looks at the lines of a file.
func (r *reader) read(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r.buf.Reset()
	r.buf.Grow(int(info.Size()) + bytes.MinRead)
	// No more than was there: what comes now is too late, and may be half a line.
	if _, err := r.buf.ReadFrom(io.LimitReader(f, info.Size())); err != nil {
		return err
	}
	data := r.buf.Bytes()
	for len(data) > 0 && !r.done {
		data = bytes.TrimRight(data, "\n")
		start := bytes.LastIndexByte(data, '\n') + 1
		if line := data[start:]; len(line) > 0 {
			r.line(line)
		}
		data = data[:start]
	}
	return nil
}

func (r *reader) line(line []byte) {
	r.looked++
	if r.q.Within > 0 && r.looked >= r.q.Within {
		r.done = true
	}
	if !r.has(line) {
		return
	}
	if !r.decode(line) {
		r.damaged++
		return
	}
	if r.q.wants(&r.rec) {
		r.f(&r.rec)
		r.wanted++
		r.done = r.done || r.wanted == r.q.Last
	}
}

// has reports whether a line may be wanted, without reading it as JSON: most
// of a long history is about something else.
func (r *reader) has(line []byte) bool {
	for _, n := range r.needles {
		if !bytes.Contains(line, n) {
			return false
		}
	}
	return !r.q.Failed || bytes.Contains(line, []byte(`"ok":false`))
}

// wants reports whether a query asks for a record.
func (q Query) wants(r *Record) bool {
	return !r.Time.Before(q.Since) &&
		(q.Kind == "" || q.Kind == r.Kind) &&
		(q.Skill == "" || q.Skill == r.Skill) &&
		(q.Project == "" || q.Project == r.Project) &&
		(q.Session == "" || q.Session == r.Session) &&
		(!q.Failed || !r.OK)
}
