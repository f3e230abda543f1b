package activity

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A value is JSON text as it is in a line of a transcript. Most of a line is text that nothing here
// needs. Values are therefore found by skipping, and decoded only where they are used. A value of
// an unexpected kind has no fields and no items, and its string is empty. Damaged text never causes
// a panic.
type value []byte

// each calls f for each key and value of an object, or for each item of an array, until f returns
// false. It reports whether v is of that kind ('{' or '[') and was valid as far as it was read.
func (v value) each(kind jsontext.Kind, f func(key, val value) bool) bool {
	if jsontext.Value(v).Kind() != kind {
		return false
	}
	// An agent may repeat a name, or cut a character in half.
	dec := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	for {
		if next := dec.PeekKind(); next == '}' || next == ']' {
			_, err := dec.ReadToken()
			return err == nil
		}
		var key jsontext.Value
		var err error
		if kind == '{' {
			if key, err = dec.ReadValue(); err != nil || len(key) < 2 {
				return false
			}
			key = key[1 : len(key)-1]
		}
		val, err := dec.ReadValue()
		if err != nil {
			return false
		}
		if !f(value(key), value(val)) {
			return true
		}
	}
}

// fields calls f for each field of an object, in order, until f returns false. It reports whether
// the object is complete.
func (v value) fields(f func(key, val value) bool) bool { return v.each('{', f) }

func (v value) items(f func(value)) {
	v.each('[', func(_, item value) bool { f(item); return true })
}

// A record holds the fields of a transcript's line, in order.
type record []struct{ key, val value }

func readRecord(line value, r record) (record, bool) {
	r = r[:0]
	whole := line.fields(func(key, v value) bool {
		r = append(r, struct{ key, val value }{key, v})
		// Claude Code's records of its own requests are long and contain nothing that counts.
		return string(key) != "type" || !bytes.HasPrefix(v, []byte(`"api-request`))
	})
	return r, whole
}

// get follows a path of field names, as value.get does. It returns the last field if the first name
// is repeated.
func (r record) get(name string, path ...string) value {
	for i := len(r) - 1; i >= 0; i-- {
		if string(r[i].key) == name {
			return r[i].val.get(path...)
		}
	}
	return nil
}

// get follows a path of field names. It returns nil if there is no such field.
func (v value) get(path ...string) value {
	for _, name := range path {
		var found value
		v.fields(func(key, val value) bool {
			if string(key) == name {
				found = val
			}
			return found == nil
		})
		v = found
	}
	return v
}

// str returns the text of a string, or "" for any other value.
func (v value) str() string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil && text == nil {
		return ""
	}
	return string(text)
}

// int returns a whole number that is not negative, or 0 for any other value.
func (v value) int() int64 { return max(0, int64(v.float())) }

// float returns a number between -2^53 and 2^53, or 0 for any other value.
func (v value) float() float64 {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != f || f > 1<<53 || f < -1<<53 {
		return 0
	}
	return f
}

func (v value) isTrue() bool { return string(v) == "true" }

// size returns the length of the text in a value without decoding it: the strings in fields named
// text or content, or the value itself.
func (v value) size() int {
	switch {
	case len(v) == 0:
		return 0
	case v[0] == '"':
		return len(v) - 2 - bytes.Count(v, []byte(`\`))
	case v[0] == '[':
		n := 0
		v.items(func(item value) { n += item.size() })
		return n
	}
	return v.get("text").size() + v.get("content").size()
}
