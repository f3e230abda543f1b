// Package words answers one question: what does a word of a command line stand for? It removes
// quotes and backslashes. It leaves expansions to its callers, who know whether an expansion is a
// value, a variable or unknown.
package words

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// parsers keeps parsers for reuse: a parser needs more memory than its result for most lines.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// Parse parses text as bash does.
func Parse(text string) (*syntax.File, error) {
	p := parsers.Get().(*syntax.Parser)
	defer parsers.Put(p)
	return p.Parse(strings.NewReader(text), "")
}

// A Piece is a part of a word: text without its quotes, or an expansion.
type Piece struct {
	Text   string
	Quoted bool            // the shell neither splits the piece nor matches it against files
	Expand bool            // Text may be a pattern, braces or a home folder: *, {a,b}, ~
	Node   syntax.WordPart // the expansion; nil for text
}

// Pieces splits a word into its pieces. Empty quotes are a piece too, because they make a field.
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
		quoted = true // $'\n' is one field, whatever its text
	}
	return Piece{Quoted: quoted, Node: part}
}

// unescape removes the backslashes that quote. If only is not "", it removes just the backslashes
// before those characters, as between double quotes.
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

// Literal returns the text of a word that has no expansions, without its quotes.
func Literal(w *syntax.Word) (text string, ok bool) {
	return Text(w, nil)
}

// Lit returns the text of a word as Literal does, or "" if the word has expansions.
func Lit(w *syntax.Word) string {
	text, _ := Literal(w)
	return text
}

// A Value is the value of an expansion.
type Value struct {
	Text string
	List []string // the fields of "${v[@]}"
	All  bool     // the value is List
}

// Text returns the text of a word in a place where the shell does not split words. ok is false if
// expand does not know an expansion, or if expand is nil and the word has an expansion.
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

// Fields returns the fields that a word becomes as an argument. It splits expansions outside quotes
// at white space, and matches nothing against files.
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

// A splitter builds fields from pieces.
type splitter struct {
	fields []string
	field  strings.Builder
	open   bool // a field has begun; it may be empty: ""
}

// Add adds text to the current field.
func (s *splitter) Add(text string) {
	s.field.WriteString(text)
	s.open = true
}

// List adds fields. The first and the last field join the text beside them.
func (s *splitter) List(fields []string) {
	for i, text := range fields {
		if i > 0 {
			s.end()
		}
		s.Add(text)
	}
}

// Split adds text and splits it at white space.
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

// End returns all fields.
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

// Plain reports whether an expansion is only $x or ${x}.
func Plain(exp *syntax.ParamExp) bool {
	return exp.Param != nil && exp.Index == nil && exp.Exp == nil && exp.Slice == nil && exp.Repl == nil && exp.Names == 0 &&
		!exp.Excl && !exp.Length && !exp.Width && !exp.IsSet && exp.Flags == nil && exp.NestedParam == nil && exp.Modifiers == nil &&
		exp.Split == 0 && exp.GlobSubst == 0 && exp.RcExpand == 0
}
