package activity

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
)

// A historyReader reads the lines of history files, the latest first.
type historyReader struct {
	q       Query
	f       func(*Record)
	needles [][]byte     // the bytes that each selected line contains
	jobs    map[Job]bool // jobs already read: earlier records of these jobs were retried
	buf     []byte
	rec     Record // the current record

	looked, wanted, damaged int
	done                    bool // no more records are needed
}

func newReader(q Query, f func(*Record)) *historyReader {
	r := &historyReader{q: q, f: f, jobs: map[Job]bool{}}
	for name, value := range map[string]string{"kind": string(q.Kind), "skill": q.Skill, "project": q.Project, "session": q.Session} {
		if value == "" {
			continue
		}
		r.needles = append(r.needles, append([]byte(`"`+name+`":`), quote(value)...))
	}
	return r
}

// readOther reads a finished file, unless it does not exist any more or is the open file.
func (r *historyReader) readOther(path string, open *os.File) error {
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

// chunk is the number of bytes to read at once. A query for the latest records reads only a little
// of a long file.
const chunk = 64 << 10

// read reads the lines of a file, starting at its current end: a line written later may be
// incomplete.
func (r *historyReader) read(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var rest []byte // the end of a line that begins before the bytes read so far
	for end := info.Size(); end > 0 && !r.done; {
		start := max(0, end-chunk)
		if len(rest) > chunk {
			r.damaged++ // no valid line is that long
			rest = nil
		}
		data := slices.Grow(r.buf[:0], chunk+len(rest))[:end-start]
		if _, err := f.ReadAt(data, start); err != nil {
			return err
		}
		data = append(data, rest...)
		r.buf, end = data, start
		first := 0
		if start > 0 {
			if first = bytes.IndexByte(data, '\n'); first < 0 {
				first = len(data)
			}
		}
		r.lines(data[first:])
		rest = slices.Clone(data[:first])
	}
	return nil
}

// lines reads whole lines, the last first.
func (r *historyReader) lines(data []byte) {
	for len(data) > 0 && !r.done {
		data = bytes.TrimRight(data, "\n")
		start := bytes.LastIndexByte(data, '\n') + 1
		if line := data[start:]; len(line) > 0 {
			r.line(line)
		}
		data = data[:start]
	}
}

func (r *historyReader) line(line []byte) {
	r.looked++
	if r.q.Within > 0 && r.looked >= r.q.Within {
		r.done = true
	}
	job := bytes.Contains(line, []byte(`,"job":`))
	if !job && !r.has(line) {
		if line[0] != '{' || line[len(line)-1] != '}' { // half a line
			r.damaged++
		}
		return
	}
	r.rec = Record{}
	if json.Unmarshal(line, &r.rec) != nil || r.rec.Time.IsZero() || r.rec.Kind == "" {
		r.damaged++
		return
	}
	if r.rec.Job != "" {
		this := Job{r.rec.Job, r.rec.Batch}
		r.rec.Retried, r.jobs[this] = r.jobs[this], true
	}
	if r.q.wants(&r.rec) {
		r.f(&r.rec)
		r.wanted++
		r.done = r.done || r.wanted == r.q.Last
	}
}

// has reports whether q may select a line. It does not parse the line as JSON, because most lines
// of a long history are not selected.
func (r *historyReader) has(line []byte) bool {
	for _, n := range r.needles {
		if !bytes.Contains(line, n) {
			return false
		}
	}
	return !r.q.Failed || bytes.Contains(line, []byte(`"ok":false`))
}

func (q Query) wants(r *Record) bool {
	return !r.Time.Before(q.Since) &&
		(q.Kind == "" || q.Kind == r.Kind) &&
		(q.Skill == "" || q.Skill == r.Skill) &&
		(q.Project == "" || q.Project == r.Project) &&
		(q.Session == "" || q.Session == r.Session) &&
		(!q.Failed || !r.OK)
}
