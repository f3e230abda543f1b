// Package settings answers one question: what do Claude Code's settings files
// say about a key, and how is it changed?
package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/atomicfile"
)

// Files are where Claude Code reads its settings.
type Files struct{ Local, Project, User string }

// Of names the files of a project and a user. config is where Claude Code keeps
// what is the user's (CLAUDE_CONFIG_DIR); "" means .claude in home.
func Of(project, home, config string) Files {
	if config == "" {
		config = filepath.Join(home, ".claude")
	}
	return Files{
		Local:   filepath.Join(project, ".claude", "settings.local.json"),
		Project: filepath.Join(project, ".claude", "settings.json"),
		User:    filepath.Join(config, "settings.json"),
	}
}

// Found is a key's value, and where it stands.
type Found struct {
	File  string
	Line  int
	Value json.RawMessage
}

// Find returns the value of a key that counts, or nil: the project's own local
// file before the one it shares, and both before the user's.
func (f Files) Find(key string) (*Found, error) {
	for _, file := range []string{f.Local, f.Project, f.User} {
		src, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		o, err := readObject(file, src)
		if err != nil {
			return nil, err
		}
		if m, ok := o.member(key); ok && string(src[m.from:m.to]) != "null" {
			return &Found{file, lineAt(src, m.from), json.RawMessage(src[m.from:m.to])}, nil
		}
	}
	return nil, nil
}

// Set sets a key of a file to a value, and changes no other byte. A file that
// does not exist is made; one that is linked to is replaced where it lies.
func Set(file, key, value string) error {
	named := file
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	src, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := setKey(named, src, key, value)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(file, out, 0o644)
}

// setKey returns a JSON object with a key set to a value. All other bytes stay.
func setKey(file string, src []byte, key, value string) ([]byte, error) {
	o, err := readObject(file, src)
	if err != nil {
		return nil, err
	}
	if m, ok := o.member(key); ok {
		return splice(src, m.from, m.to, value), nil
	}
	if o.end == 0 { // nothing is in the file
		return fmt.Appendf(src, "{\n  %q: %s\n}\n", key, value), nil
	}
	entry := fmt.Sprintf("%q: %s", key, value)
	if len(o.members) == 0 {
		return splice(src, o.start, o.end, "{\n  "+entry+"\n}"), nil
	}
	// It comes last, and is set off as the first one is.
	inside := src[o.start+1:]
	blank := inside[:len(inside)-len(bytes.TrimLeft(inside, jsonSpace))]
	last := o.members[len(o.members)-1]
	return splice(src, last.to, last.to, ","+string(blank)+entry), nil
}

// jsonSpace is what may stand between the parts of a JSON text.
const jsonSpace = " \t\r\n"

func splice(src []byte, from, to int, text string) []byte {
	return bytes.Join([][]byte{src[:from], []byte(text), src[to:]}, nil)
}

// An object is where the members of a JSON object stand in its source.
type object struct {
	start, end int // of the whole; end is 0 if the source is blank
	members    []member
}

type member struct {
	name     string
	from, to int // of the value
}

// member returns the last one of that name: it is the one that counts.
func (o object) member(name string) (found member, ok bool) {
	for _, m := range o.members {
		if m.name == name {
			found, ok = m, true
		}
	}
	return found, ok
}

// readObject finds the members of the one object that a file consists of.
func readObject(file string, src []byte) (object, error) {
	var o object
	bom := len(src) - len(bytes.TrimPrefix(src, []byte("\ufeff")))
	if len(bytes.TrimLeft(src[bom:], jsonSpace)) == 0 {
		return o, nil
	}
	dec := json.NewDecoder(bytes.NewReader(src[bom:]))
	at := func() int { return bom + int(dec.InputOffset()) }
	fault := func(err error) (object, error) {
		where := at()
		if s, ok := errors.AsType[*json.SyntaxError](err); ok {
			where = max(0, bom+int(s.Offset)-1)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			where, err = len(src), errors.New("it ends too early")
		}
		return object{}, fmt.Errorf("%s:%d: not JSON, left as it is: %w", file, lineAt(src, where), err)
	}
	token, err := dec.Token()
	if err != nil {
		return fault(err)
	}
	if token != json.Delim('{') {
		return fault(errors.New("it is not an object"))
	}
	o.start = at() - 1
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fault(err)
		}
		var m member
		m.name, _ = key.(string) // keys of objects are strings
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fault(err)
		}
		m.from, m.to = at()-len(value), at()
		o.members = append(o.members, m)
	}
	if _, err := dec.Token(); err != nil {
		return fault(err)
	}
	o.end = at()
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fault(errors.New("something follows the object"))
	}
	return o, nil
}

// lineAt is the number of the line that an offset is in.
func lineAt(src []byte, offset int) int {
	return 1 + bytes.Count(src[:min(offset, len(src))], []byte("\n"))
}
