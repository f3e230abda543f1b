package bind

import (
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// A Files says what is known about the files that a line may name.
type Files struct {
	Env    func(name string) (value string, set bool) // the environment in which the line runs
	Named  func(path string) bool                     // whether a path names a file, or folder, that must not run
	Guess  func() bool                                // whether an unknown word may name such a file
	Strays func(path string) bool                     // whether a link that must not choose leads elsewhere on the way to a path
	// Script reports whether an interpreter that gets this path may run such a file: a folder, or
	// the path with an extension.
	Script func(path string) bool
}

// Runs reports whether the program would run a file that must not run. For the line, such a file is
// like a value from outside: where a value would be code, the file would run. So Runs puts the
// file's name in as a value, and judges the line.
func (p *Program) Runs(files Files) bool {
	if p.file == nil {
		return false // bash reports what is wrong with it
	}
	f := &filer{Program: p, Files: files, set: map[string]bool{}}
	links := files.Strays != nil && files.Guess()
	syntax.Walk(p.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				f.set[n.Name.Value] = true
			}
		case *syntax.WordIter:
			f.set[n.Name.Value] = true
		case *syntax.CallExpr: // read x, printf -v x
			for _, w := range n.Args {
				f.set[words.Lit(w)] = true
			}
		}
		return true
	})
	strays := false
	syntax.Walk(p.file, func(n syntax.Node) bool {
		f.node(n)
		strays = strays || links && f.strays(n)
		return true
	})
	if strays {
		return true
	}
	line, found := f.line()
	if found || files.Guess() {
		p, file, err := line.parse()
		return err == nil && len(line.judge(p, file, World{}, files)) > 0
	}
	return false
}

// A filer looks for the names of files in a program.
type filer struct {
	*Program
	Files
	set   map[string]bool // the variables that the line sets
	swaps []swap
}

// A swap puts parts of a line in the place of a word of the program's text.
type swap struct {
	from, to int
	parts    []Part
}

func (f *filer) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		if len(n.Args) == 0 {
			return
		}
		// Code of another language contains strings that look like paths.
		r := lookup(programName(words.Lit(n.Args[0])), nil)
		reader := r != nil && r.kind == isLang
		if name, known := words.Text(n.Args[0], f.expand); known && strings.Contains(name, "/") {
			f.word(n.Args[0], false) // else it is found in PATH
		}
		for _, w := range n.Args[1:] {
			f.word(w, reader)
		}
	case *syntax.Assign:
		if n.Value != nil {
			f.word(n.Value, false)
		}
	case *syntax.ArrayElem:
		if n.Value != nil {
			f.word(n.Value, false)
		}
	case *syntax.WordIter:
		for _, w := range n.Items {
			f.word(w, false)
		}
	case *syntax.Redirect:
		if n.Op == syntax.RdrIn || n.Op == syntax.RdrInOut || n.Op == syntax.WordHdoc {
			f.word(n.Word, false)
		}
		if n.Hdoc != nil {
			from, to := int(n.Hdoc.Pos().Offset()), int(n.Hdoc.End().Offset())
			f.within(from, to, f.Text[from:to], false, func(text string) string { return text })
		}
	}
}

// word checks one word, and puts the file that it names in as a value. For an unknown word, the
// judge assumes any content.
func (f *filer) word(w *syntax.Word, reader bool) {
	from, to := int(w.Pos().Offset()), int(w.End().Offset())
	text, known := words.Text(w, f.expand)
	home := isHome(w)
	if home {
		folder, _ := f.Env("HOME")
		text = folder + text[1:]
	}
	switch {
	case !known, !home && slices.ContainsFunc(words.Pieces(w), func(p words.Piece) bool { return p.Expand }):
		// The judge assumes that it may contain any text of the project.
	case f.Named(text):
		f.swaps = append(f.swaps, swap{from, to, []Part{a(text)}})
	case len(text) > 1 && text[0] == '@' && f.Named(text[1:]): // gcc @options
		f.swaps = append(f.swaps, swap{from, to, []Part{{Text: "@"}, a(text[1:])}})
	case len(text) > 2 && text[0] == '-' && isNameChar(text[1]) && f.Named(text[2:]): // -fscript
		f.swaps = append(f.swaps, swap{from, to, []Part{{Text: text[:2]}, a(text[2:])}})
	default:
		n := len(f.swaps)
		quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
		f.within(from, to, text, reader, quote)
		if len(f.swaps) == n && slices.ContainsFunc(words.Pieces(w), func(p words.Piece) bool { return p.Node != nil }) {
			f.swaps = append(f.swaps, swap{from, to, []Part{{Text: quote(text)}}}) // its value is known
		}
	}
}

// strays reports whether a command or a redirection names a file elsewhere, through a link: > log,
// --output=docs/log.txt. For most commands, a word without . or / may be something else than a
// path.
func (f *filer) strays(n syntax.Node) bool {
	var list []*syntax.Word
	paths := true
	switch n := n.(type) {
	case *syntax.Redirect:
		list = []*syntax.Word{n.Word}
	case *syntax.CallExpr:
		if list = n.Args; len(list) > 0 {
			name := words.Lit(list[0])
			paths = among("writers", name) || among("movers", name)
		}
	}
	return slices.ContainsFunc(list, func(w *syntax.Word) bool {
		text, known := words.Text(w, f.expand)
		_, set, _ := strings.Cut(text, "=")
		return known && ((paths || strings.ContainsAny(text, "./")) && f.Strays(text) || set != "" && f.Strays(set))
	})
}

// isHome reports whether a word is a path in the user's home, and nothing else.
func isHome(w *syntax.Word) bool {
	rest, ok := strings.CutPrefix(w.Lit(), "~/")
	return ok && !strings.ContainsAny(rest, `*?[{~\`)
}

// a returns a value that becomes one word.
func a(text string) Part { return Part{Text: text, Value: &Value{Data: text, Words: []string{text}}} }

// within looks for names of files in a text: after an option's =, in a list such as PATH, in code.
// It writes the rest of the text with quote.
func (f *filer) within(from, to int, text string, reader bool, quote func(string) string) {
	between := "=:"
	if !reader {
		between += ",;|&!<>()'\"` \t\n"
	}
	var parts []Part
	found := false
	for rest := text; rest != ""; {
		end := strings.IndexAny(rest, between)
		switch {
		case end == 0:
			end = 1
		case end < 0:
			end = len(rest)
		}
		if token := rest[:end]; f.Named(token) {
			parts, found = append(parts, a(token)), true
		} else {
			parts = append(parts, Part{Text: quote(token)})
		}
		rest = rest[end:]
	}
	if found {
		f.swaps = append(f.swaps, swap{from, to, parts})
	}
}

// expand returns the value of an expansion that is one of the line's values, or a variable of the
// environment.
func (f *filer) expand(piece words.Piece) (words.Value, bool) {
	if v, ok := f.told(piece); ok {
		return v, true
	}
	exp, ok := piece.Node.(*syntax.ParamExp)
	if !ok || exp.Param == nil || !words.Plain(exp) || !isName(exp.Param.Value) || f.set[exp.Param.Value] {
		return words.Value{}, false
	}
	value, known := f.Env(exp.Param.Value)
	return words.Value{Text: value}, known
}

// line returns the program as a line with the values that were put in.
func (f *filer) line() (l Line, found bool) {
	slices.SortStableFunc(f.swaps, func(a, b swap) int { return a.from - b.from })
	at := 0
	for _, s := range f.swaps {
		if s.from < at {
			continue // it is within a word that was already replaced
		}
		l.Parts = append(append(l.Parts, Part{Text: f.Text[at:s.from]}), s.parts...)
		at = s.to
	}
	l.Parts = append(l.Parts, Part{Text: f.Text[at:]})
	return l, len(f.swaps) > 0
}

// Code returns the words of a command that it runs as code of a shell.
func (c Command) Code() []string {
	name := programName(c.Words[0])
	for i, w := range c.Words[1:] {
		r := lookup(name, nil)
		if name == "eval" || name == "trap" ||
			r != nil && r.kind == isShell && len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "c") {
			return c.Words[1+i:]
		}
	}
	return nil
}
