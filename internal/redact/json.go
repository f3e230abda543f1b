package redact

import (
	"bytes"
	"encoding/json"

	"github.com/skillhand/skillhand/internal/jsonfind"
)

// JSON returns a document as it was written, without the secrets in its strings, keys and numbers.
// It also finds secrets that are written with escapes. It returns a text that is not JSON as one
// string.
func (r *Redactor) JSON(doc json.RawMessage) json.RawMessage {
	if len(doc) == 0 {
		return doc
	}
	if !json.Valid(doc) {
		return quote(r.Text(string(doc)))
	}
	var out []byte // nil until something is replaced
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

// token returns the content of a string or a number without its secrets, and whether there were
// any. It does not copy a long token that contains none.
func (r *Redactor) token(token []byte, escaped bool) (clean string, found bool) {
	if escaped {
		var text string
		if json.Unmarshal(token, &text) != nil {
			return "", false // cannot happen: the document is valid
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

// quote returns text as a JSON string.
func quote(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can always be encoded
	return bytes.TrimSpace(b.Bytes())
}
