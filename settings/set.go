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
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/atomicfile"
)

// SetFile sets a key in a file, which is made if need be, and replaced as a whole. One that is
// linked to is replaced where it lies. An error means that the file is as it was.
func SetFile(name, value string, path ...string) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	src, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := Set(name, src, value, path...)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(name, out, 0o644)
}

// Set returns the JSON object src with a key set to a value, which is JSON too. A path of several
// keys leads into objects within objects, which are made if need be. All other bytes stay.
// The file's name is for errors.
func Set(file string, src []byte, value string, path ...string) ([]byte, error) {
	o, err := readObject(file, src)
	if err != nil {
		return nil, err
	}
	if o.end == 0 { // nothing is in the file
		return fmt.Appendf(src, "{\n  %s\n}\n", entry(value, path, "  ")), nil
	}
	at := member{from: o.start, to: o.end}
	for i, key := range path {
		members := children(src, at)
		found, ok := find(members, key)
		switch {
		case !ok:
			return insert(src, at, members, path[i:], value), nil
		case i == len(path)-1:
			return splice(src, found.from, found.to, value), nil
		case src[found.from] != '{':
			return nil, fmt.Errorf("%s:%d: %s is not an object, left as it is", file, lineAt(src, found.from), strings.Join(path[:i+1], "."))
		}
		at = found
	}
	return src, nil
}

// RemoveFile removes the key that path leads to from a file, which is replaced as a whole. An error
// means that the file is as it was.
func RemoveFile(name string, path ...string) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	out, err := Remove(name, src, path...)
	if err != nil {
		return err
	}
	return atomicfile.Write(name, out, 0o644)
}

// Remove returns a file's text without the key that path leads to; all else stays as it is.
func Remove(file string, src []byte, path ...string) ([]byte, error) {
	for {
		o, err := readObject(file, src)
		if err != nil {
			return nil, err
		}
		at, ok := member{from: o.start, to: o.end}, o.end > 0
		for _, key := range path[:len(path)-1] {
			if ok {
				at, ok = find(children(src, at), key)
			}
		}
		if !ok || src[at.from] != '{' {
			return src, nil
		}
		members := children(src, at)
		i := slices.IndexFunc(members, func(m member) bool { return m.name == path[len(path)-1] })
		switch {
		case i < 0:
			return src, nil
		case i > 0:
			src = splice(src, members[i-1].to, members[i].to, "")
		case len(members) > 1:
			comma := members[0].to + bytes.IndexByte(src[members[0].to:], ',')
			src = splice(src, at.from+1, comma+1, "")
		default:
			src = splice(src, at.from+1, at.to-1, "")
		}
	}
}

// insert puts a new key last into the object at, and sets it off as the first one is.
func insert(src []byte, at member, members []member, path []string, value string) []byte {
	if len(members) == 0 {
		indent := indentAt(src, at.from)
		return splice(src, at.from, at.to, "{\n"+indent+"  "+entry(value, path, indent+"  ")+"\n"+indent+"}")
	}
	inside := src[at.from+1:]
	blank := string(inside[:len(inside)-len(bytes.TrimLeft(inside, jsonSpace))])
	indent := ""
	if i := strings.LastIndexByte(blank, '\n'); i >= 0 {
		indent = blank[i+1:]
	}
	last := members[len(members)-1]
	return splice(src, last.to, last.to, ","+blank+entry(value, path, indent))
}

// entry writes the member that path leads to.
func entry(value string, path []string, indent string) string {
	key, _ := json.Marshal(path[0]) // a string always has a JSON form
	if len(path) > 1 {
		inner := indent + "  "
		value = "{\n" + inner + entry(value, path[1:], inner) + "\n" + indent + "}"
	}
	return string(key) + ": " + value
}

// indentAt returns the white space at the start of the line that an offset is in.
func indentAt(src []byte, offset int) string {
	line := src[bytes.LastIndexByte(src[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// jsonSpace is what may stand between the parts of a JSON text.
const jsonSpace = " \t\r\n"

func splice(src []byte, from, to int, text string) []byte {
	return slices.Concat(src[:from], []byte(text), src[to:])
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

func (o object) member(name string) (member, bool) { return find(o.members, name) }

// find returns the last member of a name: it is the one that counts.
func find(members []member, name string) (found member, ok bool) {
	for _, m := range members {
		if m.name == name {
			found, ok = m, true
		}
	}
	return found, ok
}

// lastOfEach drops the members that a later one of the same name replaces.
func lastOfEach(members []member) []member {
	last := map[string]int{}
	for i, m := range members {
		last[m.name] = i
	}
	var kept []member
	for i, m := range members {
		if last[m.name] == i {
			kept = append(kept, m)
		}
	}
	return kept
}

// readObject finds the members of the one object that a file consists of.
func readObject(file string, src []byte) (object, error) {
	var o object
	bom := len(src) - len(bytes.TrimPrefix(src, []byte("\ufeff")))
	if len(bytes.TrimLeft(src[bom:], jsonSpace)) == 0 {
		return o, nil
	}
	dec := json.NewDecoder(bytes.NewReader(src[bom:]))
	var whole json.RawMessage
	err := dec.Decode(&whole)
	end := bom + int(dec.InputOffset())
	switch {
	case err == nil && whole[0] != '{':
		end, err = end-len(whole), errors.New("it is not an object")
	case err == nil && len(bytes.TrimLeft(src[end:], jsonSpace)) > 0:
		end, err = len(src)-len(bytes.TrimLeft(src[end:], jsonSpace)), errors.New("more text after the object")
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		end, err = len(src), errors.New("it ends too early")
	case err != nil:
		if s, ok := errors.AsType[*json.SyntaxError](err); ok {
			end = max(0, bom+int(s.Offset)-1)
		}
	}
	if err != nil {
		return o, fmt.Errorf("%s:%d: not JSON: %w", file, lineAt(src, end), err)
	}
	o.start, o.end = end-len(whole), end
	o.members = children(src, member{from: o.start, to: o.end})
	return o, nil
}

// children returns the members of the object or the items of the list at m. What it reads is known
// to be JSON.
func children(src []byte, m member) []member {
	dec := json.NewDecoder(bytes.NewReader(src[m.from:m.to]))
	open, _ := dec.Token()
	var all []member
	for dec.More() {
		var c member
		if open == json.Delim('{') {
			key, err := dec.Token()
			if err != nil {
				return all
			}
			c.name, _ = key.(string) // keys of objects are strings
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return all
		}
		c.to = m.from + int(dec.InputOffset())
		c.from = c.to - len(value)
		all = append(all, c)
	}
	return all
}

// lineAt is the number of the line that an offset is in.
func lineAt(src []byte, offset int) int {
	return 1 + bytes.Count(src[:min(offset, len(src))], []byte("\n"))
}
