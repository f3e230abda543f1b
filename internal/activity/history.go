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

// A Kind is what was done.
type Kind string

// The kinds of records.
const (
	Run  Kind = "run"
	Ask  Kind = "ask"
	Gate Kind = "gate" // an agent stopped that had a skill whose gate was on
)

// NotDone is the category of a gate that let an agent go though checks did not hold.
const NotDone = "not-done"

// A Record is one run or question, or the end of a turn that had a gate. It is described by schemas/history-v1.schema.json.
type Record struct {
	Time       time.Time `json:"time"` // when it ended; Append sets it if it is zero
	Kind       Kind      `json:"kind"`
	Skill      string    `json:"skill,omitempty"`       // its name, or that of a script
	Label      string    `json:"label,omitempty"`       // what the caller calls it
	Job        string    `json:"job,omitempty"`         // in a batch: its name and the job's id
	Batch      string    `json:"batch,omitempty"`       // when that batch was made, which tells it from others of its name
	Agent      string    `json:"agent,omitempty"`       // who was asked; "" means Claude
	PromptHash string    `json:"prompt_hash,omitempty"` // see Hash
	Project    string    `json:"project"`
	OK         bool      `json:"ok"`
	Category   string    `json:"category,omitempty"` // why not: of a question's failure, or the code of a run's most telling problem
	Detail     string    `json:"detail,omitempty"`   // a finer word than the category
	Confidence *float64  `json:"confidence,omitempty"`
	DurationMS float64   `json:"duration_ms"`
	CostUSD    float64   `json:"cost_usd,omitempty"`
	Session    string    `json:"session,omitempty"`
	InputHash  string    `json:"input_hash,omitempty"` // the same for the same input: see Hash
	Reminders  int       `json:"reminders,omitempty"`  // of a gate: how often the agent was told what is missing
	Retried    bool      `json:"retried,omitempty"`    // a later record is about the same job: set by who reads
}

// A Job says which one of which batch a record is about.
type Job struct{ Name, Batch string } // see Record's Job and Batch

// Try is the label of trials: their skill tells one from another.
const Try = "try"

// Name returns what people call the thing that ran.
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

// Hash tells inputs apart without keeping them. It depends on where one part
// ends and the next begins.
func Hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// A Store keeps records in files below a folder, which is made when needed. Any
// number of processes may append, read and rotate at once, and no lock can keep
// one of them waiting.
type Store struct {
	Dir     string
	MaxSize int64         // of a file before the next is begun; 0 means 1 MB
	MaxAge  time.Duration // of a file before the next is begun; 0 means 30 days
	Keep    time.Duration // how long a finished file is kept; 0 means 400 days
}

const (
	defaultMaxSize = 1 << 20
	defaultMaxAge  = 30 * 24 * time.Hour
	defaultKeep    = 400 * 24 * time.Hour
	maxFiles       = 256 // finished files; the oldest go first

	current = "current.jsonl"
	ending  = ".jsonl"
	// maxField keeps a record small: writing it is one write, which others see whole.
	maxField = 1000
)

// Append adds a record. Without an error it is written, whatever happens to
// this process or another afterwards.
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
	// One write at the end of the file: no other can come between. It begins
	// with a newline too, since a writer that was killed, or found the disk
	// full, may have left half a line.
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
	data, _ := json.Marshal(s) // a string has no fault
	return data
}

// full reports which file was just appended to, and whether it is big or old enough.
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

// firstTime reads the time of a file's first record, with which every line begins.
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

// rotate ends the current file by giving it another name. Whoever has it open
// goes on writing to it, and it is read under its new name. If two rotate at
// once a file may end early, no more: names are never used twice. What fails
// here is tried again by the next append; the record is written already.
func (s Store) rotate(full fs.FileInfo) {
	path := filepath.Join(s.Dir, current)
	if now, err := os.Stat(path); err != nil || !os.SameFile(full, now) {
		return // someone else was first
	}
	name := time.Now().UTC().Format(stamp) + "-" + rand.Text()[:8] + ending
	if os.Rename(path, filepath.Join(s.Dir, name)) == nil {
		s.sweep()
	}
}

// stamp begins the name of a finished file: when it was finished. Names sort by it.
const stamp = "20060102T150405.000000000Z"

// sweep removes finished files that are too old, or too many.
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

// A file is a finished one.
type file struct {
	name  string
	ended time.Time
}

// finished lists the finished files, the oldest first.
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

// A Query says which records are wanted. The zero value wants all.
type Query struct {
	Since   time.Time
	Kind    Kind
	Skill   string
	Project string
	Session string
	Failed  bool // only what is not OK
	Last    int  // only the latest so many; 0 means all
	Within  int  // look at no more than the latest so many, whatever they are; 0 means at all
}

// Found is what a query came to.
type Found struct {
	Records []Record // the oldest first
	Damaged int      // lines that could not be read: what killed writers left
}

// Read returns the records that q wants. Every record that was written before
// is among them, also while others write and rotate.
func (s Store) Read(q Query) (Found, error) {
	var found Found
	var err error
	found.Damaged, err = s.Each(q, func(r *Record) { found.Records = append(found.Records, *r) })
	slices.Reverse(found.Records)
	// Writers stamp a record before they write it, so two can change places.
	slices.SortStableFunc(found.Records, func(a, b Record) int { return a.Time.Compare(b.Time) })
	return found, err
}

// Each calls f for each record that q wants, the latest first, and returns how
// many lines could not be read. The record is f's only until it returns.
func (s Store) Each(q Query, f func(*Record)) (damaged int, err error) {
	// The current file is opened before the finished ones are listed: if it is
	// finished in between it is in both places, never in none.
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
		// A record can reach a file a moment after it was finished.
		if r.done || !q.Since.IsZero() && file.ended.Add(time.Hour).Before(q.Since) {
			break
		}
		if err := r.readOther(filepath.Join(s.Dir, file.name), now); err != nil {
			return r.damaged, err
		}
	}
	return r.damaged, nil
}

// WriteLines writes a line of JSON for each record.
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
