// Package words answers one question: what does a word of a command line stand
// for? It takes quotes and backslashes away and leaves the expansions to its
// callers, who know what these are: values, variables, or nothing certain.
package words

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// A parser is larger than what it makes of most lines, so it is used again.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// Parse reads text as bash would.
func Parse(text string) (*syntax.File, error) {
	p := parsers.Get().(*syntax.Parser)
	defer parsers.Put(p)
	return p.Parse(strings.NewReader(text), "")
}

// A Piece is text of a word, without its quotes, or an expansion in it.
type Piece struct {
	Text   string
	Quoted bool            // it is neither split nor matched against files
	Expand bool            // Text may be a pattern, braces or somebody's home: *, {a,b}, ~
	Node   syntax.WordPart // the expansion; nil for text
}

// Pieces takes a word apart. Empty quotes are a piece too: they make a field.
func Pieces(w *syntax.Word) []Piece {
	if w == nil {
		return nil
	}
	pieces := make([]Piece, 0, len(w.Parts))
	for _, part := range w.Parts {
		q, ok := part.(*syntax.DblQuoted)
		if !ok {
			pieces = append(pieces, piece(part, false))
			continue
		}
		for _, part := range q.Parts {
			pieces = append(pieces, piece(part, true))
		}
		if len(q.Parts) == 0 {
			pieces = append(pieces, Piece{Quoted: true})
		}
	}
	return pieces
}

func piece(part syntax.WordPart, quoted bool) Piece {
	switch part := part.(type) {
	case *syntax.Lit:
		if quoted {
			return Piece{Text: unescape(part.Value, "$`\"\\\n"), Quoted: true}
		}
		return Piece{Text: unescape(part.Value, ""), Expand: strings.ContainsAny(part.Value, "*?[{~")}
	case *syntax.SglQuoted:
		if !part.Dollar || !strings.Contains(part.Value, `\`) {
			return Piece{Text: part.Value, Quoted: true}
		}
		quoted = true // $'\n': one field, whatever it says
	}
	return Piece{Quoted: quoted, Node: part}
}

// unescape removes the backslashes that quote. Between double quotes only
// those before the characters of only do.
func unescape(s, only string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) || only != "" && !strings.Contains(only, s[i+1:i+2]) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if s[i] != '\n' { // a backslash at a line's end joins the lines
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// Literal returns what a word says that is nothing but text, quoted or not.
func Literal(w *syntax.Word) (text string, ok bool) {
	return Text(w, nil)
}

// Lit works as Literal does, for those who need not tell a word that is unknown from an empty one.
func Lit(w *syntax.Word) string {
	text, _ := Literal(w)
	return text
}

// A Value is what an expansion stands for.
type Value struct {
	Text string
	List []string // the fields of "${v[@]}"
	All  bool     // it is the List
}

// Text returns what a word stands for where it is not split. It is not known
// if expand does not know an expansion; a nil expand knows none.
func Text(w *syntax.Word, expand func(Piece) (Value, bool)) (text string, ok bool) {
	var b strings.Builder
	for _, p := range Pieces(w) {
		if p.Node == nil {
			b.WriteString(p.Text)
			continue
		}
		if expand == nil {
			return "", false
		}
		v, ok := expand(p)
		if !ok {
			return "", false
		}
		b.WriteString(v.Text)
		b.WriteString(strings.Join(v.List, " "))
	}
	return b.String(), true
}

// Fields returns the fields that a word becomes as an argument. Expansions
// outside quotes are split at blanks; nothing is matched against files.
func Fields(w *syntax.Word, expand func(Piece) (Value, bool)) (fields []string, ok bool) {
	var f splitter
	for _, p := range Pieces(w) {
		if p.Node == nil {
			f.Add(p.Text)
			continue
		}
		if expand == nil {
			return nil, false
		}
		v, ok := expand(p)
		switch {
		case !ok:
			return nil, false
		case v.All:
			f.List(v.List)
		case p.Quoted:
			f.Add(v.Text)
		default:
			f.Split(v.Text)
		}
	}
	return f.End(), true
}

// A splitter puts fields together.
type splitter struct {
	fields []string
	field  strings.Builder
	open   bool // a field has begun, though it may be empty: ""
}

// Add adds to the present field.
func (s *splitter) Add(text string) {
	s.field.WriteString(text)
	s.open = true
}

// List adds fields, the first and the last of which join what stands beside them.
func (s *splitter) List(fields []string) {
	for i, text := range fields {
		if i > 0 {
			s.end()
		}
		s.Add(text)
	}
}

// Split adds text that is split at blanks.
func (s *splitter) Split(text string) {
	for text != "" {
		switch n := strings.IndexAny(text, " \t\n"); {
		case n < 0:
			s.Add(text)
			return
		case n > 0:
			s.Add(text[:n])
			text = text[n:]
		default:
			s.end()
			text = text[1:]
		}
	}
}

// End returns the fields.
func (s *splitter) End() []string {
	s.end()
	return s.fields
}

func (s *splitter) end() {
	if s.open {
		s.fields = append(s.fields, s.field.String())
		s.field.Reset()
		s.open = false
	}
}

// Plain reports whether an expansion is nothing but $x or ${x}.
func Plain(exp *syntax.ParamExp) bool {
	return exp.Param != nil && exp.Index == nil && exp.Exp == nil && exp.Slice == nil && exp.Repl == nil && exp.Names == 0 &&
		!exp.Excl && !exp.Length && !exp.Width && !exp.IsSet && exp.Flags == nil && exp.NestedParam == nil && exp.Modifiers == nil &&
		exp.Split == 0 && exp.GlobSubst == 0 && exp.RcExpand == 0
}
