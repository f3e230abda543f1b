package usage

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// A value is JSON text as it stands in a line. A line is mostly text that nobody here needs, so values are found by
// skipping, and decoded only where they count. Text that is not JSON gives no fields, or fewer; it never panics.
type value []byte

// fields calls f for each field of an object, in order, until f returns false. It reports whether the object is whole.
func (v value) fields(f func(key, val value) bool) bool {
	i := space(v, 0)
	if i >= len(v) || v[i] != '{' {
		return false
	}
	for i++; ; i++ {
		if i = space(v, i); i < len(v) && v[i] == '}' {
			return true
		}
		end := text(v, i)
		if end < 0 {
			return false
		}
		key := v[i:end]
		if i = space(v, end); i >= len(v) || v[i] != ':' {
			return false
		}
		i = space(v, i+1)
		if end = skip(v, i); end < 0 {
			return false
		}
		if !f(key[1:len(key)-1], v[i:end]) {
			return true
		}
		if i = space(v, end); i >= len(v) || v[i] != ',' && v[i] != '}' {
			return false
		} else if v[i] == '}' {
			return true
		}
	}
}

// A record is the fields of a transcript's line, in order.
type record []struct{ key, val value }

// readRecord reads a line. It reports whether the line is whole.
func readRecord(line value, r record) (record, bool) {
	r = r[:0]
	whole := line.fields(func(key, v value) bool {
		r = append(r, struct{ key, val value }{key, v})
		// Claude Code's records of its own requests are long, and nothing in them counts.
		return string(key) != "type" || !bytes.HasPrefix(v, []byte(`"api-request`))
	})
	return r, whole
}

// get follows a path of field names, as value.get does. A field that is given twice is the last one.
func (r record) get(name string, path ...string) value {
	for i := len(r) - 1; i >= 0; i-- {
		if string(r[i].key) == name {
			return r[i].val.get(path...)
		}
	}
	return nil
}

// items calls f for each item of an array.
func (v value) items(f func(value)) {
	i := space(v, 0)
	if i >= len(v) || v[i] != '[' {
		return
	}
	for i++; ; i++ {
		if i = space(v, i); i >= len(v) || v[i] == ']' {
			return
		}
		end := skip(v, i)
		if end < 0 {
			return
		}
		f(v[i:end])
		if i = space(v, end); i >= len(v) || v[i] != ',' {
			return
		}
	}
}

// get follows a path of field names; nil means there is no such field.
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

// str is a string's text, "" for anything else.
func (v value) str() string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// int is a whole number that is not negative, 0 for anything else.
func (v value) int() int64 { return max(0, int64(v.float())) }

// float is a number below 2^53, 0 for anything else.
func (v value) float() float64 {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != f || f > 1<<53 || f < -1<<53 {
		return 0
	}
	return f
}

func (v value) isTrue() bool { return string(v) == "true" }

// size is how long the texts inside a value are, without decoding them: the strings of fields called text or content,
// or the value itself.
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

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// text is where the string that begins at i ends, or -1.
func text(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for start := i + 1; ; {
		n := bytes.IndexByte(b[start:], '"')
		if n < 0 {
			return -1
		}
		end := start + n
		slashes := 0
		for j := end - 1; j > i && b[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1
		}
		start = end + 1
	}
}

// skip is where the value that begins at i ends, or -1.
func skip(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return text(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	end := i
	for end < len(b) && b[end] != ',' && b[end] != '}' && b[end] != ']' && b[end] > ' ' {
		end++
	}
	if end == i {
		return -1
	}
	return end
}

func skipNested(b []byte, i int) int {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			if i = text(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}
