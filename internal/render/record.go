package render

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/shell"
)

// A Recording holds the outcome of every directive and binding of a page, so that the same page can
// be rendered again without running anything.
type Recording struct {
	File string `json:"-"` // the file that it was read from, for messages
	// for previews: a directive without an outcome stays as written and does not fail the page, and
	// long output is not saved
	Partial    bool                `json:"-"`
	Version    int                 `json:"version"`
	Skill      string              `json:"skill"`
	Arguments  string              `json:"arguments"`
	Directives []*Outcome          `json:"directives"`
	Bindings   map[string]*Outcome `json:"bindings,omitempty"`
}

// version is the only version of recordings so far.
const version = 1

// An Outcome is what a directive printed and how it ended.
type Outcome struct {
	Command string    `json:"command"` // as written in the skill
	How     shell.How `json:"how"`
	Exit    int       `json:"exit"`
	Reason  string    `json:"reason,omitempty"`  // why it was stopped or did not start
	Missing bool      `json:"missing,omitempty"` // a launcher that does not exist
	Placed  bool      `json:"placed,omitempty"`  // the streams have variables in place of folders
	Stdout  stream    `json:"stdout,omitempty"`
	Stderr  stream    `json:"stderr,omitempty"`

	stdout, stderr *shell.Output
	duration       time.Duration
}

func (o *Outcome) size() int64 { return o.stdout.Len() + o.stderr.Len() }

// A stream holds bytes. In JSON it is readable if the bytes are text.
type stream string

// MarshalJSON writes bytes that are not text as {"base64": …}.
func (s stream) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(s)) {
		return json.Marshal(string(s))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(s))})
}

// UnmarshalJSON reads either form.
func (s *stream) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err == nil {
		*s = stream(text)
		return nil
	}
	var coded struct {
		Base64 []byte `json:"base64"`
	}
	err := json.Unmarshal(data, &coded)
	*s = stream(coded.Base64)
	return err
}

// record keeps the outcomes of a page without secrets, because recordings are committed.
func (r *renderer) record(parts []*planned) {
	rec := r.env.Record
	if rec == nil {
		return
	}
	rec.Version, rec.Skill, rec.Arguments = version, r.skill.Name, r.redact.Text(r.env.Args.Raw)
	rec.Directives = []*Outcome{}
	for _, p := range parts {
		if p.task == nil || p.task.outcome == nil {
			continue
		}
		rec.Directives = append(rec.Directives, r.kept(p.task.written, p.task.outcome))
	}
}

// kept returns an outcome in the form that is recorded: variables replace the paths of folders, so
// that the page is right in a clone at another path.
func (r *renderer) kept(command string, o *Outcome) *Outcome {
	k := *o
	k.Command = command
	out, err := r.redact.Text(o.stdout.String()), r.redact.Text(o.stderr.String())
	k.Placed = !slices.ContainsFunc(folders, func(name string) bool { return strings.Contains(out+err, "${"+name+"}") })
	if k.Placed { // else nobody could tell which ones were printed
		placedOut, placedErr := r.unplace(out), r.unplace(err)
		k.Placed = placedOut != out || placedErr != err
		out, err = placedOut, placedErr
	}
	k.Stdout, k.Stderr = stream(out), stream(err)
	return &k
}

// folders are the variables that stand for folders. If two have the same value, the first is
// recorded.
var folders = []string{"CLAUDE_SKILL_DIR", "CLAUDE_PLUGIN_DATA", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR"}

// unplace replaces the paths of folders in a text with variables. It begins with the longest path,
// because a skill's folder is inside its project.
func (r *renderer) unplace(text string) string {
	names := slices.Clone(folders)
	slices.SortStableFunc(names, func(a, b string) int { return len(r.env.Vars[b]) - len(r.env.Vars[a]) })
	for _, name := range names {
		if dir := r.env.Vars[name]; len(dir) > 1 {
			text = replacePath(text, dir, "${"+name+"}")
		}
	}
	return text
}

// replacePath replaces a path, but not where its last name continues: /a in /a/b, but not in /ab.
func replacePath(text, path, with string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, path)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(path)
		b.WriteString(text[:i])
		if next, _ := utf8.DecodeRuneInString(text[end:]); end < len(text) &&
			(unicode.IsLetter(next) || unicode.IsDigit(next) || strings.ContainsRune("_-.", next)) {
			b.WriteString(path)
		} else {
			b.WriteString(with)
		}
		text = text[end:]
	}
}

// restore replaces the variables of a recording with the folders of here.
func (rec *Recording) restore(vars map[string]string) {
	var pairs []string
	for _, name := range folders {
		if dir := vars[name]; dir != "" {
			pairs = append(pairs, "${"+name+"}", dir)
		}
	}
	places := strings.NewReplacer(pairs...)
	restore := func(o *Outcome) {
		if o.Placed {
			o.Stdout, o.Stderr = stream(places.Replace(string(o.Stdout))), stream(places.Replace(string(o.Stderr)))
		}
		o.restore()
	}
	for _, o := range rec.Directives {
		restore(o)
	}
	for _, o := range rec.Bindings {
		restore(o)
	}
}

// Write writes the recording to a file: all of it or nothing.
func (rec *Recording) Write(file string) error {
	data, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	info, err := os.Stat(file)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return os.WriteFile(file, data, 0) // write to a device or pipe; do not replace it
	case filepath.Ext(file) != ".json":
		// A recording contains arguments, which anyone may have chosen. It must not replace a skill, a
		// script or anything else that runs.
		return errors.New("a recording's name ends in .json")
	case err == nil && info.Size() > 0:
		if _, err := ReadRecording(file); err != nil {
			return errors.New("this file exists and is not a recording: name another file, or remove it")
		}
	}
	return files.Write(file, data, 0o644)
}

// ReadRecording reads a file that Write wrote.
func ReadRecording(file string) (*Recording, error) {
	data, err := readRecording(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, files.Cause(err))
	}
	rec := &Recording{File: file}
	if err := json.Unmarshal(data, rec); err != nil {
		return nil, fmt.Errorf("%s:%d: not a recording: %s", file, lineOf(data, err), jsonFault(err))
	}
	if rec.Version != version {
		return nil, fmt.Errorf("%s: recording version %d, want %d", file, rec.Version, version)
	}
	for _, o := range rec.Directives {
		if o == nil {
			return nil, fmt.Errorf("%s: an outcome is null", file)
		}
	}
	for name, o := range rec.Bindings {
		if o == nil {
			return nil, fmt.Errorf("%s: the outcome of ${%s} is null", file, name)
		}
	}
	return rec, nil
}

// maxRecording limits the size of a recording, which holds everything that directives printed.
const maxRecording = 512 << 20

func readRecording(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecording+1))
	if err == nil && len(data) > maxRecording {
		err = fmt.Errorf("longer than %d MB", maxRecording>>20)
	}
	return data, err
}

// jsonFault says what is wrong with JSON without mentioning Go types.
func jsonFault(err error) string {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return err.Error()
	}
	if kind.Field == "" {
		return fmt.Sprintf("it is a JSON %s, want an object", kind.Value)
	}
	return fmt.Sprintf("%s is a %s", kind.Field, kind.Value)
}

func (o *Outcome) restore() {
	o.stdout, o.stderr = shell.NewOutput(string(o.Stdout)), shell.NewOutput(string(o.Stderr))
}

// Fits reports whether the recording is of this skill with these arguments, which are kept without
// secrets.
func (rec *Recording) Fits(skill, args string) error {
	if rec.Skill != skill {
		return fmt.Errorf("%s: recorded from the skill %s, not %s", rec.File, rec.Skill, skill)
	}
	if rec.Arguments != args {
		return fmt.Errorf("%s: recorded with the arguments %q, not %q", rec.File, rec.Arguments, args)
	}
	return nil
}

// A player hands out recorded outcomes. It finds a directive by its text, so that prose around it
// can change. Equal directives get their outcomes in order.
type player struct {
	unused  int
	waiting map[string][]*Outcome
}

func (rec *Recording) player() *player {
	if rec == nil {
		return nil
	}
	p := &player{unused: len(rec.Directives), waiting: map[string][]*Outcome{}}
	for _, o := range rec.Directives {
		p.waiting[o.Command] = append(p.waiting[o.Command], o)
	}
	return p
}

func (p *player) next(command string) (*Outcome, bool) {
	queue := p.waiting[command]
	if len(queue) == 0 {
		return nil, false
	}
	p.waiting[command] = queue[1:]
	p.unused--
	return queue[0], true
}

// left counts the outcomes that were not used.
func (p *player) left() int {
	if p == nil {
		return 0
	}
	return p.unused
}

// lineOf returns the line of a JSON error.
func lineOf(data []byte, err error) int {
	var at int64
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	return 1 + strings.Count(string(data[:min(at, int64(len(data)))]), "\n")
}
