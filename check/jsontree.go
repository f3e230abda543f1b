package check

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// A node is a value in a JSON file, and where it stands.
type node struct {
	key        string // of an object's member
	keyAt      int    // where its key stands
	start, end int    // of the value
	value      any    // a string, number, boolean or nil; json.Delim('{') or '[' for what has items
	items      []*node
}

// A jsonError says where a text is no JSON.
type jsonError struct {
	offset int
	text   string
}

// parseJSON reads a JSON text. A byte order mark is no fault.
func parseJSON(src string) (*node, *jsonError) {
	mark := len(src) - len(strings.TrimPrefix(src, "\ufeff"))
	dec := json.NewDecoder(strings.NewReader(src[mark:]))
	p := &jsonParser{src: src, mark: mark, dec: dec}
	n, err := p.value(0)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the value")
		}
	}
	if err == nil {
		return n, nil
	}
	fault := &jsonError{p.at(), err.Error()}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		fault.offset = max(0, mark+int(syntax.Offset)-1)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		fault.offset, fault.text = len(strings.TrimRight(src, " \t\r\n")), "it ends too early"
	}
	return nil, fault
}

type jsonParser struct {
	src  string
	mark int
	dec  *json.Decoder
}

const maxJSONDepth = 100

// at is where the decoder stands.
func (p *jsonParser) at() int { return p.mark + int(p.dec.InputOffset()) }

// next is where the next token starts.
func (p *jsonParser) next() int {
	i := p.at()
	for i < len(p.src) && strings.IndexByte(" \t\r\n,:", p.src[i]) >= 0 {
		i++
	}
	return i
}

func (p *jsonParser) value(depth int) (*node, error) {
	if depth > maxJSONDepth {
		return nil, errors.New("nested too deeply")
	}
	n := &node{start: p.next()}
	token, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	n.value = token
	delim, ok := token.(json.Delim)
	for ok && p.dec.More() {
		key, keyAt := "", p.next()
		if delim == '{' {
			t, err := p.dec.Token()
			if err != nil {
				return nil, err
			}
			key, _ = t.(string) // keys of objects are strings
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		item.key, item.keyAt = key, keyAt
		n.items = append(n.items, item)
	}
	if ok {
		if _, err := p.dec.Token(); err != nil {
			return nil, err
		}
	}
	n.end = p.at()
	return n, nil
}

func (n *node) isObject() bool { return n != nil && n.value == json.Delim('{') }
func (n *node) isList() bool   { return n != nil && n.value == json.Delim('[') }

// text returns a string, or "" and false.
func (n *node) text() (string, bool) {
	if n == nil {
		return "", false
	}
	s, ok := n.value.(string)
	return s, ok
}

// get returns the member of an object that counts, or nil.
func (n *node) get(key string) *node {
	if !n.isObject() {
		return nil
	}
	for i := len(n.items) - 1; i >= 0; i-- {
		if n.items[i].key == key {
			return n.items[i]
		}
	}
	return nil
}

// kind names what a value is.
func (n *node) kind() string {
	switch v := n.value.(type) {
	case json.Delim:
		if v == '{' {
			return "an object"
		}
		return "a list"
	case string:
		return "a text"
	case bool:
		return "true or false"
	case nil:
		return "null"
	}
	return "a number"
}
