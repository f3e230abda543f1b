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
		start := i
		switch c := doc[i]; {
		case c == '"':
			i, _, _ = jsonfind.String(doc, i)
		case c == '-' || '0' <= c && c <= '9':
			i, _ = jsonfind.Number(doc, i)
		default:
			i++
			continue
		}
		text := string(doc[start:i])
		if doc[start] == '"' && json.Unmarshal(doc[start:i], &text) != nil {
			continue // it is valid, so this does not happen
		}
		if clean := r.Text(text); clean != text {
			out = append(append(out, doc[done:start]...), quote(clean)...)
			done = i
		}
	}
	if out == nil {
		return doc
	}
	return append(out, doc[done:]...)
}

// quote returns a text as a JSON string.
func quote(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always can be
	return bytes.TrimSpace(b.Bytes())
}
