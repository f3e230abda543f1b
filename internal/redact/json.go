package redact

import (
	"bytes"
	"encoding/json"
)

// JSON takes secrets out of the strings and keys of a document, also those that
// are written with escapes. A document without any stays as it was written.
func (r *Redactor) JSON(doc json.RawMessage) json.RawMessage {
	if len(doc) == 0 {
		return doc
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil // it was read as JSON, so this does not happen
	}
	clean, changed := r.value(v)
	if !changed {
		return doc
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(clean) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// value takes secrets out of a value, and reports whether there were any.
func (r *Redactor) value(v any) (clean any, changed bool) {
	switch v := v.(type) {
	case string:
		text := r.Text(v)
		return text, text != v
	case []any:
		for i := range v {
			item, c := r.value(v[i])
			v[i], changed = item, changed || c
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for key, value := range v {
			name := r.Text(key)
			item, c := r.value(value)
			clean[name], changed = item, changed || c || name != key
		}
		return clean, changed
	}
	return v, changed
}
