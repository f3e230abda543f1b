package bind

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// A change says what the steps of a line can do to the text that goes through
// them, from least to most: what a value must not have in it follows.
type change struct {
	cut      bool // parts of it, in another order
	replaces bool // other signs for some of its own, none of them a $ or a `
	escapes  bool // what backslashes and percent signs in it stand for
	signed   bool // it may come to stand behind a $ of the line's own
	composed bool // it stands in an expansion of the line's own
	other    bool // anything at all: base64 -d, python3 -c
}

func (c change) or(d change) change {
	return change{c.cut || d.cut, c.replaces || d.replaces, c.escapes || d.escapes, c.signed || d.signed, c.composed || d.composed, c.other || d.other}
}

// expandable is what a value must be where its text is expanded again after such changes.
func (c change) expandable() kind {
	switch {
	case c.composed:
		return numbers
	case c.other:
		return short
	case c.signed:
		return noBracket
	case c.escapes:
		return unescaped
	case c.cut:
		return noDollar
	}
	return unexpanded
}

// changes reports what a node does to the text that goes into it.
func (s *scope) changes(n syntax.Node) change {
	if x, y, ok := halves(n); ok {
		c, known := s.steps[n]
		if !known {
			c = s.changes(x).or(s.changes(y))
			s.steps[n] = c
		}
		return c
	}
	var c change
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			c = c.or(changesOf(n))
		case *syntax.Assign:
			text, known := words.Literal(n.Value)
			c.composed = c.composed || known && strings.ContainsAny(text, "$`") && len(s.marks(text)) == 0
		case *syntax.Word:
			sign, expansion := signs(n)
			c.signed = c.signed || sign
			c.composed = c.composed || expansion || s.composes(n)
			c.signed = c.signed || s.besideUnknown(n)
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				c = c.or(s.changedBy(n.Args))
			}
		}
		return true
	})
	return c
}

// changesOf says what an expansion makes of a variable: ${x#y} cuts it, ${x//a/b} replaces parts of it.
func changesOf(n *syntax.ParamExp) change {
	c := change{cut: !words.Plain(n) && !n.Length, replaces: n.Repl != nil}
	if r := n.Repl; r != nil {
		from, ok := words.Literal(r.Orig)
		to, ok2 := words.Literal(r.With)
		if r.With == nil {
			ok2 = true
		}
		if !ok || !ok2 || strings.ContainsAny(from+to, "$`") {
			c.other = true
		}
	}
	if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps {
		switch words.Lit(n.Exp.Word) {
		case "E", "P":
			c.escapes = true
		}
	}
	return c
}

// signs reports whether a word's text has a $ in it that no shell takes for an expansion, and whether it has one with its bracket.
func signs(w *syntax.Word) (sign, expansion bool) {
	for _, p := range words.Pieces(w) {
		text := p.Text
		if q, ok := p.Node.(*syntax.SglQuoted); ok {
			text = q.Value
		}
		sign = sign || strings.Contains(text, "$") || codes().MatchString(text)
		expansion = expansion || expansions().MatchString(text)
	}
	return sign, expansion
}

var expansions = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\\$[({[]|`") })

// besideUnknown reports whether a word puts a value beside text that only the line's run will tell.
func (s *scope) besideUnknown(w *syntax.Word) bool {
	f := s.code(w)
	return len(f.values(s.vals)) > 0 && slices.ContainsFunc(f.bits, func(x bit) bool { return x.hole })
}

// composes reports whether a word puts an expansion or a value beside a $ or a ` of its own.
func (s *scope) composes(w *syntax.Word) bool {
	sign, more := false, false
	for _, p := range words.Pieces(w) {
		if p.Node != nil {
			if q, ok := p.Node.(*syntax.SglQuoted); ok {
				sign = sign || strings.ContainsAny(q.Value, "$`\\")
				continue
			}
			more = true
			continue
		}
		text := p.Text
		for _, b := range s.marked(text) {
			more = more || b.value > 0
			sign = sign || b.value == 0 && strings.ContainsAny(b.text, "$`")
		}
	}
	return sign && more
}

// passing are programs that show text as it is, or text that no value decides.
var passing = sync.OnceValue(func() map[string]bool {
	return set("printenv ed ex vim vi cat head tail basename dirname realpath readlink ls find git sort uniq wc pwd cd test [ [[ true false : mktemp date which command type tee seq sleep mkdir touch rm cp mv ln chmod set shift return exit export local declare unset stat du df nproc uname hostname whoami id trap wait kill diff cmp md5sum sha1sum sha256sum file tree exec eval source . bash env timeout nice nohup time")
})

// cutting are programs that show parts of a text, or put it in another order.
var cutting = sync.OnceValue(func() map[string]bool {
	return set("grep egrep fgrep rg ag cut paste fold fmt column comm join nl tac shuf expand unexpand xargs split csplit pr look strings mapfile readarray getopts for")
})

// changedBy says what a program does to the text that it is given.
func (s *scope) changedBy(args []*syntax.Word) change {
	name := words.Lit(args[0])
	base := path.Base(name)
	switch {
	case base == "echo":
		return s.echoes(args[1:])
	case base == "printf":
		return s.prints(args[1:])
	case base == "read":
		return change{cut: true}
	case base == "tr":
		if slices.ContainsFunc(args[1:], func(w *syntax.Word) bool { _, known := words.Literal(w); return !known }) {
			return change{cut: true, other: true} // it has no files: what is not known are signs
		}
		return tames(args[1:], tameSet())
	case base == "sed" || base == "gsed":
		return tames(args[1:], tameSed())
	case base == "awk" || base == "gawk" || base == "mawk":
		return tames(args[1:], tameAwk())
	case base == "jq" || base == "yq" || base == "envsubst":
		c := tames(args[1:], tameJq())
		c.escapes, c.other = true, c.other || slices.ContainsFunc(args[1:], makesText)
		return c
	case base == "sh" || base == "dash" || base == "ash" || base == "zsh" || base == "busybox":
		return change{cut: true, escapes: true} // their echo knows escapes
	case s.escaped && s.formats(args):
		return change{cut: true, escapes: true}
	case passing()[base]:
		return change{}
	case cutting()[base], strings.Contains(name, "/") && !strings.HasPrefix(name, "/usr") && !strings.HasPrefix(name, "/bin"):
		return change{cut: true} // a script of the author's shows what it was told to
	case (strings.HasPrefix(base, "python") || base == "node") && len(args) > 1 && strings.ContainsAny(words.Lit(args[1]), "./") && !strings.HasPrefix(words.Lit(args[1]), "-"):
		return change{cut: true}
	}
	return change{cut: true, other: true}
}

// makesText reports whether a program for jq may make a text of other signs: implode, gsub.
func makesText(w *syntax.Word) bool {
	text, known := words.Literal(w)
	return known && making().MatchString(text)
}

var making = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(implode|g?sub|join|fromjson|format|env|input|inputs|ltrimstr|rtrimstr|ascii|splits|test|capture|getpath|tojson)\b|"[^"]*[$` + "`" + `]`)
})

// formatters are programs that print by a format, in which percent signs and backslashes stand for something else.
var formatters = sync.OnceValue(func() map[string]bool {
	return set("git find fd fdfind rg stat date diff diff3 time ls tree du seq ps")
})

// formats reports whether a command may get its format from a value, as a word or in one: git log "$0" with --format=….
func (s *scope) formats(args []*syntax.Word) bool {
	formatter, open := false, path.Base(words.Lit(args[0])) == "xargs"
	for _, w := range args {
		text, known := words.Literal(w)
		formatter = formatter || known && formatters()[path.Base(text)]
		open = open || !known || len(s.marks(text)) > 0
	}
	return formatter && open
}

func (s *scope) echoes(args []*syntax.Word) change {
	c := change{composed: s.besides(args)}
	for i, w := range args {
		text, known := words.Literal(w)
		switch {
		case known && strings.HasPrefix(text, "-"):
			c.escapes = c.escapes || strings.Contains(text, "e")
			continue
		case i == 0 || strings.HasPrefix(words.Lit(args[i-1]), "-"):
			c.escapes = c.escapes || !known && s.dash
		}
		break
	}
	return c
}

func (s *scope) prints(args []*syntax.Word) change {
	c := change{composed: s.besides(args)}
	for len(args) > 1 && strings.HasPrefix(words.Lit(args[0]), "-") {
		if words.Lit(args[0]) == "-v" {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return c
	}
	format, known := words.Literal(args[0])
	c.escapes = !known || len(s.marks(format)) > 0 || strings.Contains(format, "%b")
	c.composed = c.composed || len(args) > 1 && codes().MatchString(format)
	c.cut = true // %.3s
	return c
}

// besides reports whether one word of a command has a $ or a ` of its own and another is not known.
func (s *scope) besides(args []*syntax.Word) bool {
	sign, more := false, false
	for _, w := range args {
		text, known := words.Literal(w)
		marked := len(s.marks(text)) > 0
		sign = sign || known && !marked && strings.ContainsAny(text, "$`")
		more = more || !known || marked
	}
	return sign && more
}

// tames says what a program does whose own program is one of the harmless ones: it cuts; any other could do anything.
func tames(args []*syntax.Word, tame *regexp.Regexp) change {
	for _, w := range args {
		text, known := words.Literal(w)
		if !known || !strings.HasPrefix(text, "-") && !tame.MatchString(text) {
			if _, plain := w.Parts[0].(*syntax.ParamExp); plain || len(w.Parts) == 1 && isPath(w) {
				continue // a file
			}
			return change{cut: true, other: true}
		}
	}
	return change{cut: true, replaces: true}
}

// isPath recognises "$x" alone.
func isPath(w *syntax.Word) bool {
	q, ok := w.Parts[0].(*syntax.DblQuoted)
	if !ok || len(q.Parts) != 1 {
		return false
	}
	_, ok = q.Parts[0].(*syntax.ParamExp)
	return ok
}

var (
	codes   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\\\\[0-7xuU]|[$`]") })
	tameSet = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(a-z|A-Z|a-f|A-F|0-9|\[:[a-z]+:\]|\\[ntr]|[A-Za-z0-9 _./,:;@#=+*?'"-])*$`)
	})
	// no $ and no escape but a group in what is put in
	tameSed = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^[^`$\\\\]*$|^s([/|,#])([^/|,#`]*)[/|,#]([^$`\\\\/|,#]|\\\\[0-9&.])*[/|,#][gpI0-9]*$")
	})
	tameAwk = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^[^`\\\\\"%]*$|^[^`\\\\\"%]*(\"[^\"$`\\\\%]*\"[^`\\\\\"%]*)*$")
	})
	tameJq   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[^`\\\\@]*$") })
	aNumeral = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?[0-9]+$`) })
	anIdent  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`) })
	digits   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\^?\[(0-9|\[:digit:\])\](\+|\\\+|\*|\{[0-9,]+\})?\$?$|^\\d\+$`)
	})
)

// counts reports whether a command prints nothing but a number: wc -l < f, grep -c x f, … | wc -l.
func counts(st *syntax.Stmt) bool {
	switch n := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		return counts(n.Y) && (n.Op == syntax.Pipe || counts(n.X))
	case *syntax.CallExpr:
		if len(n.Args) == 0 {
			return false
		}
		var flags string
		var operands []string
		open := 0 // words that are not known: two of them can be options that show any text, and so can one that is split
		for _, w := range n.Args[1:] {
			if _, known := words.Literal(w); !known {
				if open++; slices.ContainsFunc(words.Pieces(w), func(p words.Piece) bool { return p.Node != nil && !p.Quoted }) {
					open++
				}
			}
			if text, known := words.Literal(w); known && strings.HasPrefix(text, "-") && len(operands) == 0 {
				flags += " " + text
			} else {
				operands = append(operands, text)
			}
		}
		if name := words.Lit(n.Args[0]); open > 1 && name != "echo" && name != "tr" {
			return false
		}
		return countsBy(words.Lit(n.Args[0]), flags, operands)
	}
	return false
}

func countsBy(name, flags string, operands []string) bool {
	one := len(operands) > 0 && operands[0] != ""
	switch name {
	case "wc":
		return len(operands) == 0
	case "grep", "egrep", "fgrep", "rg":
		if strings.ContainsAny(flags, "rRHe") {
			return false
		}
		return strings.Contains(flags, "c") && !strings.Contains(flags, "--") && len(operands) <= 2 || strings.Contains(flags, "o") && one && len(operands) == 1 && digits().MatchString(operands[0])
	case "echo", "printf":
		return flags == "" && len(operands) == 1 && aNumber(operands[0])
	case "tr":
		return (flags == " -cd" || flags == " -dc") && one && (operands[0] == "0-9" || operands[0] == "[:digit:]" || operands[0] == "[0-9]")
	case "date":
		return len(operands) == 0 || operands[len(operands)-1] == "+%s" || operands[len(operands)-1] == "+%Y"
	case "jq":
		return one && (strings.HasSuffix(operands[0], "| length") || operands[0] == "length")
	case "git":
		return len(operands) > 1 && operands[0] == "rev-list" && operands[1] == "--count"
	case "stat":
		return len(operands) < 3 && one && (strings.HasSuffix(flags, "-c") || strings.HasSuffix(flags, "-f")) && listed("%s %Y %X %Z %z", operands[0]) || len(operands) == 1 && (strings.HasSuffix(flags, "=%s") || strings.HasSuffix(flags, "=%Y"))
	case "nproc", "id":
		return true
	case "awk":
		return one && operands[0] == "END{print NR}" || one && operands[0] == "END {print NR}"
	}
	return false
}

// reckons reports whether a value can be part of what arithmetic reads, also by a variable's name.
func (s *scope) reckons(n syntax.Node) bool {
	if s.reach(n) {
		return true
	}
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		name := ""
		switch n := n.(type) {
		case *syntax.Lit:
			name = n.Value
		case *syntax.ParamExp:
			if n.Param != nil {
				name = n.Param.Value
			}
		}
		for _, id := range anIdent().FindAllString(name, -1) {
			found = found || s.open[id]
			for _, text := range s.texts[id] {
				found = found || !aNumeral().MatchString(text) && text != ""
			}
		}
		return !found
	})
	return found
}
