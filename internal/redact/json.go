package redact

import (
	"bytes"
	"encoding/json"

	"github.com/skillhand/skillhand/internal/jsonfind"
)

// JSON returns a document as it was written but for the strings and keys in it
// that hold secrets, also those that are written with escapes. What is no JSON
// comes back as one string.
func (r *Redactor) JSON(doc json.RawMessage) json.RawMessage {
	if len(doc) == 0 {
		return doc
	}
	if !json.Valid(doc) {
		return quote(r.Text(string(doc)))
	}
	var out []byte // nil as long as nothing was replaced
	done := 0
	for i := 0; i < len(doc); {
		start, escaped := i, false
		switch c := doc[i]; {
		case c == '"':
			i, escaped, _ = jsonfind.String(doc, i)
		case c == '-' || '0' <= c && c <= '9':
			i, _ = jsonfind.Number(doc, i)
		default:
			i++
			continue
		}
		if clean, found := r.token(doc[start:i], escaped); found {
			out = append(append(out, doc[done:start]...), quote(clean)...)
			done = i
		}
	}
	if out == nil {
		return doc
	}
	return append(out, doc[done:]...)
}

// token returns what a string or a number says without its secrets, and whether
// there were any. A long one that has none is not copied.
func (r *Redactor) token(token []byte, escaped bool) (clean string, found bool) {
	if escaped {
		var text string
		if json.Unmarshal(token, &text) != nil {
			return "", false // it is valid, so this does not happen
		}
		clean = r.Text(text)
		return clean, clean != text
	}
	token = bytes.Trim(token, `"`)
	m := matcher{trie: r.trie()}
	if scan(&m, token, 0); len(m.hits) == 0 {
		return "", false
	}
	out, _ := pass(&m, nil, token, len(token))
	return string(out), true
}

// quote returns a text as a JSON string.
func quote(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always can be
	return bytes.TrimSpace(b.Bytes())
}
