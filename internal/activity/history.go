package activity

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/files"
)

// A Kind is the kind of a record.
type Kind string

// The kinds of records.
const (
	Run  Kind = "run"
	Ask  Kind = "ask"
	Gate Kind = "gate" // an agent stopped while a skill's gate was on
)

// NotDone is the category of a gate that let an agent stop although checks failed.
const NotDone = "not-done"

// A Record is one run, one ask, or the end of a turn that had a gate.
// schemas/history-v1.schema.json describes it.
type Record struct {
	Time       time.Time `json:"time"` // when it ended; Append sets a zero time to now
	Kind       Kind      `json:"kind"`
	Skill      string    `json:"skill,omitempty"`       // the name of a skill or a script
	Label      string    `json:"label,omitempty"`       // the name that the caller gave
	Job        string    `json:"job,omitempty"`         // in a batch: the batch's name and the job's id
	Batch      string    `json:"batch,omitempty"`       // when the batch was created, to distinguish batches of the same name
	Agent      string    `json:"agent,omitempty"`       // the agent that was asked; "" means Claude
	PromptHash string    `json:"prompt_hash,omitempty"` // see Hash
	Project    string    `json:"project"`
	OK         bool      `json:"ok"`
	Category   string    `json:"category,omitempty"` // of an ask's failure, or the code of a run's most important problem
	Detail     string    `json:"detail,omitempty"`   // more specific than the category
	Confidence *float64  `json:"confidence,omitempty"`
	DurationMS float64   `json:"duration_ms"`
	CostUSD    float64   `json:"cost_usd,omitempty"`
	Session    string    `json:"session,omitempty"`
	InputHash  string    `json:"input_hash,omitempty"` // the same for the same input; see Hash
	Reminders  int       `json:"reminders,omitempty"`  // of a gate: how often the agent was reminded of failed checks
	Retried    bool      `json:"retried,omitempty"`    // a later record is about the same job; set by the reader
}

// A Job identifies the job that a record is about.
type Job struct{ Name, Batch string } // see Record's Job and Batch

// Try is the label of trials. Their skill distinguishes them.
const Try = "try"

// Name returns the name to print for a record.
func (r Record) Name() string {
	switch {
	case r.Label == Try && r.Skill != "":
		return Try + " " + r.Skill
	case r.Kind == Gate:
		return string(Gate) + " " + r.Skill
	case r.Label != "":
		return r.Label
	case r.Skill != "":
		return r.Skill
	case r.PromptHash != "":
		return "prompt " + r.PromptHash[:min(8, len(r.PromptHash))]
	}
	return string(r.Kind)
}

// Hash returns a hash that distinguishes inputs, so that the history need not keep them. It depends
// on where one part ends and the next begins.
func Hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// A Store keeps records in files in a folder, which it creates when needed. Any number of processes
// may append, read and rotate at the same time. There are no locks, so no process waits for
// another.
type Store struct {
	Dir     string
	MaxSize int64         // of a file before the next begins; 0 means 1 MB
	MaxAge  time.Duration // of a file before the next begins; 0 means 30 days
	Keep    time.Duration // how long finished files are kept; 0 means 400 days
}

const (
	defaultMaxSize = 1 << 20
	defaultMaxAge  = 30 * 24 * time.Hour
	defaultKeep    = 400 * 24 * time.Hour
	maxFiles       = 256 // finished files; sweep removes the oldest first

	current = "current.jsonl"
	ending  = ".jsonl"
	// maxField limits a field, so that a record is small: one write writes it, and readers see all
	// of it or nothing.
	maxField = 1000
)

// Append adds a record. If it returns no error, the record stays, even if this or another process
// is killed afterwards.
func (s Store) Append(r Record) error {
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	line, err := r.line()
	if err != nil {
		return err
	}
	f, err := s.open()
	if err != nil {
		return err
	}
	// A single write at the end of the file cannot mix with other writes. It begins with a newline
	// too, because a writer that was killed, or that found the disk full, may have left half a
	// line.
	if _, err := f.Write(line); err != nil {
		f.Close()
		return err
	}
	info, full := s.full(f, r.Time)
	if err := f.Close(); err != nil {
		return err
	}
	if full {
		s.rotate(info)
	}
	return nil
}

func (s Store) open() (*os.File, error) {
	const how = os.O_APPEND | os.O_CREATE | os.O_RDWR
	path := filepath.Join(s.Dir, current)
	f, err := os.OpenFile(path, how, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := files.MakeState(s.Dir); err != nil {
			return nil, err
		}
		f, err = os.OpenFile(path, how, 0o600)
	}
	return f, err
}

func (r Record) line() ([]byte, error) {
	r.Time, r.Retried = r.Time.UTC().Truncate(time.Millisecond), false
	for _, field := range []*string{&r.Skill, &r.Label, &r.PromptHash, &r.Project, &r.Category, &r.Detail, &r.Session, &r.InputHash} {
		if len(*field) > maxField {
			*field = strings.ToValidUTF8((*field)[:maxField], "") + "…"
		}
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte("\n"), data, []byte("\n")), nil
}

func quote(s string) []byte {
	data, _ := json.Marshal(s) // a string always has a JSON form
	return data
}

// full returns the file that was just appended to, and whether it is large or old enough to rotate.
func (s Store) full(f *os.File, now time.Time) (fs.FileInfo, bool) {
	info, err := f.Stat()
	if err != nil {
		return nil, false
	}
	if info.Size() >= orDefault(s.MaxSize, defaultMaxSize) {
		return info, true
	}
	began, ok := firstTime(f)
	return info, ok && now.Sub(began) > orDefault(s.MaxAge, defaultMaxAge)
}

// firstTime returns the time of a file's first record. Every line begins with its time.
func firstTime(f *os.File) (time.Time, bool) {
	var head [64]byte
	n, _ := f.ReadAt(head[:], 0)
	_, text, _ := bytes.Cut(head[:n], []byte(`{"time":"`))
	text, _, _ = bytes.Cut(text, []byte(`"`))
	t, err := time.Parse(time.RFC3339, string(text))
	return t, err == nil
}

func orDefault[T int64 | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// rotate finishes the current file by renaming it. A process that has the file open continues to
// write to it, and readers find it under its new name. If two processes rotate at once, a file may
// end early, which is harmless: no name is used twice. The next append repeats a rotation that
// fails; the record is already written.
func (s Store) rotate(full fs.FileInfo) {
	path := filepath.Join(s.Dir, current)
	if now, err := os.Stat(path); err != nil || !os.SameFile(full, now) {
		return // another process was first
	}
	name := time.Now().UTC().Format(stamp) + "-" + rand.Text()[:8] + ending
	if os.Rename(path, filepath.Join(s.Dir, name)) == nil {
		s.sweep()
	}
}

// stamp is the form of the time when a file was finished, which begins its name. Files sort by it.
const stamp = "20060102T150405.000000000Z"

// sweep removes finished files that are too old or too many.
func (s Store) sweep() {
	files, err := s.finished()
	if err != nil {
		return
	}
	oldest := time.Now().Add(-orDefault(s.Keep, defaultKeep))
	for i, f := range files {
		if f.ended.Before(oldest) || len(files)-i > maxFiles {
			os.Remove(filepath.Join(s.Dir, f.name))
		}
	}
}

// A file is a finished file.
type file struct {
	name  string
	ended time.Time
}

// finished returns the finished files, the oldest first.
func (s Store) finished() ([]file, error) {
	entries, err := os.ReadDir(s.Dir) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var files []file
	for _, e := range entries {
		when, _, ok := strings.Cut(e.Name(), "-")
		if ended, terr := time.Parse(stamp, when); ok && terr == nil && strings.HasSuffix(e.Name(), ending) {
			files = append(files, file{e.Name(), ended})
		}
	}
	return files, err
}

// A Query selects records. The zero value selects all.
type Query struct {
	Since   time.Time
	Kind    Kind
	Skill   string
	Project string
	Session string
	Failed  bool // only records that are not OK
	Last    int  // only the latest Last records; 0 means all
	Within  int  // read only the latest Within records, selected or not; 0 means all
}

// Found is the result of a query.
type Found struct {
	Records []Record // the oldest first
	Damaged int      // unreadable lines, left by writers that were killed
}

// Read returns the records that q selects. It includes every record that was written before the
// call, even while other processes write and rotate.
func (s Store) Read(q Query) (Found, error) {
	var found Found
	var err error
	found.Damaged, err = s.Each(q, func(r *Record) { found.Records = append(found.Records, *r) })
	slices.Reverse(found.Records)
	// Writers stamp a record before they write it, so two records can be out of order.
	slices.SortStableFunc(found.Records, func(a, b Record) int { return a.Time.Compare(b.Time) })
	return found, err
}

// Each calls f for each record that q selects, the latest first. It returns the number of
// unreadable lines. f must not keep the record after it returns.
func (s Store) Each(q Query, f func(*Record)) (damaged int, err error) {
	// Open the current file before listing the finished files: if the current file is finished in
	// between, it is in both places, never in neither.
	now, err := os.Open(filepath.Join(s.Dir, current))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if err == nil {
		defer now.Close()
	}
	files, err := s.finished()
	if err != nil {
		return 0, err
	}
	r := newReader(q, f)
	if now != nil {
		if err := r.read(now); err != nil {
			return r.damaged, err
		}
	}
	for _, file := range slices.Backward(files) {
		// A record can reach a file a moment after the file was finished.
		if r.done || !q.Since.IsZero() && file.ended.Add(time.Hour).Before(q.Since) {
			break
		}
		if err := r.readOther(filepath.Join(s.Dir, file.name), now); err != nil {
			return r.damaged, err
		}
	}
	return r.damaged, nil
}

// WriteLines writes each record as a line of JSON.
func WriteLines(w io.Writer, records []Record) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, r := range records {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}
