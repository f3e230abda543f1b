package settings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/files"
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
	return files.Write(name, out, 0o644)
}

// Set returns the JSON object src with a key set to a value, which is JSON too. A path of several
// keys leads into objects within objects, which are made if need be. All other bytes stay.
// The file's name is for errors.
func Set(file string, src []byte, value string, path ...string) ([]byte, error) {
	at, err := readObject(file, src)
	if err != nil {
		return nil, err
	}
	if at == nil {
		return fmt.Appendf(src, "{\n  %s\n}\n", entry(value, path, "  ")), nil
	}
	for i, key := range path {
		found := at.Get(key)
		switch {
		case found == nil:
			return insert(src, at, path[i:], value), nil
		case i == len(path)-1:
			return splice(src, found.Start, found.End, value), nil
		case !found.IsObject():
			return nil, fmt.Errorf("%s:%d: %s is not an object, left as it is", file, lineAt(src, found.Start), strings.Join(path[:i+1], "."))
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
	return files.Write(name, out, 0o644)
}

// Remove returns a file's text without the key that path leads to; all else stays as it is.
func Remove(file string, src []byte, path ...string) ([]byte, error) {
	for {
		at, err := readObject(file, src)
		if err != nil {
			return nil, err
		}
		for _, key := range path[:len(path)-1] {
			at = at.Get(key)
		}
		if !at.IsObject() {
			return src, nil
		}
		members := at.Items
		i := slices.IndexFunc(members, func(m *doc.Node) bool { return m.Key == path[len(path)-1] })
		switch {
		case i < 0:
			return src, nil
		case i > 0:
			src = splice(src, members[i-1].End, members[i].End, "")
		case len(members) > 1:
			comma := members[0].End + bytes.IndexByte(src[members[0].End:], ',')
			src = splice(src, at.Start+1, comma+1, "")
		default:
			src = splice(src, at.Start+1, at.End-1, "")
		}
	}
}

// insert puts a new key last into the object at, and sets it off as the first one is.
func insert(src []byte, at *doc.Node, path []string, value string) []byte {
	if len(at.Items) == 0 {
		indent := indentAt(src, at.Start)
		return splice(src, at.Start, at.End, "{\n"+indent+"  "+entry(value, path, indent+"  ")+"\n"+indent+"}")
	}
	blank := string(src[at.Start+1 : at.Items[0].KeyAt])
	indent := ""
	if i := strings.LastIndexByte(blank, '\n'); i >= 0 {
		indent = blank[i+1:]
	}
	last := at.Items[len(at.Items)-1]
	return splice(src, last.End, last.End, ","+blank+entry(value, path, indent))
}

// entry writes the member that path leads to.
func entry(value string, path []string, indent string) string {
	if len(path) > 1 {
		inner := indent + "  "
		value = "{\n" + inner + entry(value, path[1:], inner) + "\n" + indent + "}"
	}
	return quote(path[0]) + ": " + value
}

// indentAt returns the white space at the start of the line that an offset is in.
func indentAt(src []byte, offset int) string {
	line := src[bytes.LastIndexByte(src[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func splice(src []byte, from, to int, text string) []byte {
	return slices.Concat(src[:from], []byte(text), src[to:])
}

// readObject reads the one object that a file consists of, or nil if the file is blank.
func readObject(file string, src []byte) (*doc.Node, error) {
	if len(bytes.TrimLeft(bytes.TrimPrefix(src, []byte("\ufeff")), " \t\r\n")) == 0 {
		return nil, nil
	}
	root, fault := doc.ParseJSON(string(src))
	if fault == nil && !root.IsObject() {
		fault = &doc.Error{Offset: root.Start, Text: "it is not an object"}
	}
	if fault != nil {
		return nil, &Fault{File: file, Line: lineAt(src, fault.Offset), Start: fault.Offset, End: fault.Offset + 1, Text: "not JSON: " + fault.Text}
	}
	return root, nil
}

// lastOfEach drops the members that a later one of the same name replaces.
func lastOfEach(n *doc.Node) []*doc.Node {
	last := map[string]*doc.Node{}
	for _, m := range n.Items {
		last[m.Key] = m
	}
	return slices.DeleteFunc(slices.Clone(n.Items), func(m *doc.Node) bool { return last[m.Key] != m })
}

func lineAt(src []byte, offset int) int {
	return 1 + bytes.Count(src[:min(offset, len(src))], []byte("\n"))
}

// AddItems returns the JSON object src with strings added to the end of the list that path leads to, which is made if need be.
// All other bytes stay.
func AddItems(file string, src []byte, items []string, path ...string) ([]byte, error) {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = quote(item)
	}
	at, err := readObject(file, src)
	if err != nil {
		return nil, err
	}
	for _, key := range path {
		at = at.Get(key)
	}
	if !at.IsList() || len(at.Items) == 0 {
		if at != nil && !at.IsList() {
			return nil, fmt.Errorf("%s:%d: %s is not a list, left as it is", file, lineAt(src, at.Start), strings.Join(path, "."))
		}
		return Set(file, src, "["+strings.Join(quoted, ", ")+"]", path...)
	}
	last, before := at.Items[len(at.Items)-1], at.Start+1
	if len(at.Items) > 1 {
		before = at.Items[len(at.Items)-2].End
	}
	blank := strings.Replace(string(src[before:last.Start]), ",", "", 1) // what sets the last item off sets off those after it
	text := ""
	for _, item := range quoted {
		text += "," + cmp.Or(blank, " ") + item
	}
	return splice(src, last.End, last.End, text), nil
}

// quote writes a string as JSON, with < > and & as they are.
func quote(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always has a JSON form
	return strings.TrimSuffix(b.String(), "\n")
}
