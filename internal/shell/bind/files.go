package bind

import (
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// Files is what somebody knows of the files that a line may name.
type Files struct {
	Env    func(name string) (value string, set bool) // the environment that the line runs in
	Named  func(path string) bool                     // whether a path names a file, or folder, that must not run
	Guess  func() bool                                // whether what cannot be told before may name one
	Strays func(path string) bool                     // whether a link that must not choose leads elsewhere on the way to a path
	// Script reports whether an interpreter that gets this path may run such a file: a folder, or one with an ending.
	Script func(path string) bool
}

// Runs reports whether the program would run a file that must not. To the line,
// such a file is as a value that came from outside: where a value would be code,
// the file would be run. So its name is put in as a value, and the line is judged.
func (p *Program) Runs(files Files) bool {
	if p.file == nil {
		return false // bash says what is wrong with it
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
	set   map[string]bool // variables that the line sets
	swaps []swap
}

// A swap puts parts of a line where the program's text has a word.
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
		// Code of another language has texts of its own that look like paths.
		r := lookup(programName(words.Lit(n.Args[0])), nil)
		reader := r != nil && r.kind == isLang
		if name, known := words.Text(n.Args[0], f.expand); known && strings.Contains(name, "/") {
			f.word(n.Args[0], false) // else it is looked for in PATH
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

// word looks at one word: what it names is put in as a value. Of one that cannot be
// told, a value is made a part.
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
		// The judge knows that it may hold anything of the project's.
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
			f.swaps = append(f.swaps, swap{from, to, []Part{{Text: quote(text)}}}) // what it stands for is known
		}
	}
}

// strays reports whether a command or a redirection names a file elsewhere, by a link: > log, --output=docs/log.txt. Of most
// commands a word without a sign of a path may mean anything else.
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

// a returns a value that stands for one word.
func a(text string) Part { return Part{Text: text, Value: &Value{Data: text, Words: []string{text}}} }

// within looks for names in a text: after an option's =, in a list such as PATH, in
// code. The rest of it is written as quote does.
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

// expand returns what an expansion stands for that is one of the line's values, or a
// variable of the environment.
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
			continue // within one that was swapped
		}
		l.Parts = append(append(l.Parts, Part{Text: f.Text[at:s.from]}), s.parts...)
		at = s.to
	}
	l.Parts = append(l.Parts, Part{Text: f.Text[at:]})
	return l, len(f.swaps) > 0
}

// Code lists the words of a command that it runs as code of a shell.
func (c Command) Code() []string {
	name := programName(c.Words[0])
	for i, w := range c.Words[1:] {
		r := lookup(name, nil)
		if name == "eval" || name == "trap" || r != nil && r.kind == isShell && len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "c") {
			return c.Words[1+i:]
		}
	}
	return nil
}
