package doc

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// A Node is a value in a JSON text, with its offsets. Its methods accept a nil Node, which means a
// missing value.
type Node struct {
	Key        string // of a member of an object
	KeyAt      int    // the offset of Key
	Start, End int    // of the value
	Value      any    // a string, float64, bool or nil; json.Delim('{') or '[' if there are Items
	Items      []*Node
}

// An Error says where and why a text is not JSON.
type Error struct {
	Offset int
	Text   string
}

func (e *Error) Error() string { return e.Text }

// ParseJSON parses a JSON text, which may begin with a byte order mark.
func ParseJSON(src string) (*Node, *Error) {
	mark := len(src) - len(strings.TrimPrefix(src, "\ufeff"))
	dec := json.NewDecoder(strings.NewReader(src[mark:]))
	p := &jsonParser{src: src, mark: mark, dec: dec}
	n, err := p.value(0)
	if err == nil {
		if rest := strings.TrimLeft(src[n.End:], " \t\r\n"); rest != "" {
			return nil, &Error{len(src) - len(rest), "more text after the value"}
		}
		return n, nil
	}
	fault := &Error{p.at(), err.Error()}
	var syntax *json.SyntaxError
	// a Decoder counts from its last token
	if errors.As(json.Unmarshal([]byte(src[mark:]), new(json.RawMessage)), &syntax) {
		fault.Offset, fault.Text = max(0, mark+int(syntax.Offset)-1), syntax.Error()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		fault.Offset, fault.Text = len(strings.TrimRight(src, " \t\r\n")), "unexpected end of file"
	}
	return nil, fault
}

type jsonParser struct {
	src  string
	mark int
	dec  *json.Decoder
}

const maxDepth = 10_000 // the limit of encoding/json

// at returns the decoder's offset in src.
func (p *jsonParser) at() int { return p.mark + int(p.dec.InputOffset()) }

// next returns the offset of the next token.
func (p *jsonParser) next() int {
	i := p.at()
	for i < len(p.src) && strings.IndexByte(" \t\r\n,:", p.src[i]) >= 0 {
		i++
	}
	return i
}

func (p *jsonParser) value(depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, errors.New("nested too deeply")
	}
	n := &Node{Start: p.next()}
	token, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	n.Value = token
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
		item.Key, item.KeyAt = key, keyAt
		n.Items = append(n.Items, item)
	}
	if ok {
		if _, err := p.dec.Token(); err != nil {
			return nil, err
		}
	}
	n.End = p.at()
	return n, nil
}

// IsObject reports whether the value is an object.
func (n *Node) IsObject() bool { return n != nil && n.Value == json.Delim('{') }

// IsList reports whether the value is a list.
func (n *Node) IsList() bool { return n != nil && n.Value == json.Delim('[') }

// Text returns the string of n. It returns "" and false if n is not a string.
func (n *Node) Text() (string, bool) {
	if n == nil {
		return "", false
	}
	s, ok := n.Value.(string)
	return s, ok
}

// Texts returns the strings of a list, or a single string as a list. It returns nil if n is
// neither.
func (n *Node) Texts() []string {
	if s, ok := n.Text(); ok {
		return []string{s}
	}
	if !n.IsList() {
		return nil
	}
	list := []string{}
	for _, item := range n.Items {
		if s, ok := item.Text(); ok {
			list = append(list, s)
		}
	}
	return list
}

// Get returns the member of an object with this key, or nil. Of several members, the last counts.
func (n *Node) Get(key string) *Node {
	if !n.IsObject() {
		return nil
	}
	for _, item := range slices.Backward(n.Items) {
		if item.Key == key {
			return item
		}
	}
	return nil
}

// The kinds of values, as messages call them.
const (
	Text   = "a string"
	List   = "a list"
	Object = "an object"
	Bool   = "true or false"
	Number = "a number"
	Null   = "null"
)

// Kind returns the kind of a value, as messages call it.
func (n *Node) Kind() string {
	if n == nil {
		return Null
	}
	switch v := n.Value.(type) {
	case json.Delim:
		if v == '{' {
			return Object
		}
		return List
	case string:
		return Text
	case bool:
		return Bool
	case nil:
		return Null
	}
	return Number
}
