package check

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/words"
)

var (
	numbered   = words.Regexp(`\$\{?([0-9])\b`)
	priceAfter = words.Regexp(`^(\.[0-9]{1,2}\b|,[0-9]{3}\b|/(mo|month|yr|year|user|seat|hour|hr|day|run|call|1M|M|k)($|[^-\w/.])|` +
		` ?[–-] ?\$[0-9]| (million|billion|USD|dollars?|each)\b|` +
		` (per|an?) (call|day|hour|image|million|minute|month|page|request|run|seat|token|unit|user|week|year)\b)`)
	awkBefore  = words.Regexp(`\b[gmn]?awk\b[^'|]*'[^']*$`)
	firstTaken = words.Regexp(`\$\{?0\b`)
	manyHinted = words.Regexp(`\.\.\.|…|--|\b(args|arguments|flags|options)\b`)
	hinted     = words.Regexp(`<[^<>]+>|\[[^\[\]<>]+\]`)
	shellFence = words.Regexp("(?ms)^[ \t]*```(?:bash|sh|shell|zsh)[ \t]*\r?\n(.*?)^[ \t]*```[ \t]*\r?$")
)

// placeholderInText reports $1 that is not meant as an argument: in a price, in a program of awk's, or in
// a shell function. Claude Code replaces it, in code as well, if there are as many arguments. It is also about $1
// that is meant as the first, which is $0 (testdata/claude/SK207-*.txtar).
func placeholderInText(p *pass) {
	if p.doc.file.Kind == Text && p.doc.frontEnd() == 0 {
		return // nobody gives it arguments
	}
	named := p.doc.hintedArguments()
	first, most, inCommand := -1, 0, false // where $1 first stands for an argument, and the highest number
	for _, x := range p.numbers() {
		switch {
		case x.what != "" && !x.inCommand: // SK307 tells of those in commands
			f := p.find(x.at, x.at+2, "$%d stands for the %s argument: with %s or more, that replaces it in this %s", x.n, ordinal(x.n+1),
				term.Plural(x.n+1, "argument"), x.what)
			if p.doc.isBeyondHint(x.n) {
				p.severe(f, Info) // who calls it gives fewer
			}
			f.Help = fmt.Sprintf(`write \$%d, which Claude Code turns into $%[1]d`, x.n)
			f.Fix = replace("escape it", true, x.at, x.at, `\`)
		case x.what == "" && !x.braced:
			if x.n == 1 && first < 0 {
				first = x.at
			}
			inCommand = inCommand || x.n == 1 && x.inCommand
			most = max(most, x.n)
		}
	}
	if first < 0 || !p.doc.countsFromOne(most, inCommand) {
		return
	}
	f := p.find(first, first+2, "Claude Code counts arguments from 0: $1 is the second, and nothing here is $0, the first")
	if named > 0 {
		f.Message = fmt.Sprintf("Claude Code counts arguments from 0: the hint names %s, so $%d stays as it is", term.Plural(named, "argument"), most)
	}
	f.Help = "write $0 for the first argument"
}

// countsFromOne reports whether a skill takes $1 for the first argument: it has no $0, and the hint names no more arguments
// than the highest number. Without such a hint, a $1 in the text may be anything; one in a command cannot, as the
// shell has no arguments.
func (d *document) countsFromOne(highest int, inCommand bool) bool {
	body := d.body()
	if _, named := d.skill.Front.Field("arguments"); named || firstTaken.Get().MatchString(body) || !inCommand && strings.Contains(body, "$ARGUMENTS") {
		return false
	}
	if named := d.hintedArguments(); named > 0 {
		return highest >= named
	}
	hint, _ := d.skill.Front.Field("argument-hint")
	return inCommand && !strings.Contains(hint.Value, "|") // in list|update ID, the first is a verb
}

// A number is a placeholder such as $1 in a text that may be given arguments.
type number struct {
	at, n     int
	braced    bool   // ${1:-x}, which Claude Code leaves to the shell
	inCommand bool   // of a directive
	what      string // whose own it is, if it is not meant as an argument
}

// numbers lists the placeholders with a number. Those in a text that is given no arguments are none.
func (p *pass) numbers() []number {
	front := &p.doc.skill.Front
	body := p.doc.body()
	_, hint := front.Field("argument-hint")
	_, names := front.Field("arguments")
	takes := hint || names || strings.Contains(body, "$ARGUMENTS")
	if !takes && len(p.doc.directives) == 0 || !strings.Contains(body, "$") {
		return nil
	}
	var all []number
	var own stretches
	for i, m := range numbered.Get().FindAllStringSubmatchIndex(body, -1) {
		if i == 0 {
			own = shellsOwn(body)
		}
		at := p.doc.bodyStart() + m[0]
		if at > 0 && p.doc.src[at-1] == '\\' {
			continue
		}
		n := int(body[m[2]] - '0')
		x := number{at: at, n: n, braced: m[2] > m[0]+1}
		if d := p.doc.directiveAt(at); d != nil {
			x.inCommand, x.what = true, d.owner(at)
			all = append(all, x)
			continue
		}
		line := p.doc.lineAt(at)
		column := at - p.doc.lines[line-1]
		if x.what = notArgument(p.doc.lineText(line), column, column+2); x.what == "" {
			x.what = own.around(m[0])
		}
		if takes && !x.braced && x.what != shellComment {
			all = append(all, x)
		}
	}
	return all
}

// hintedArguments counts the arguments that the hint names, or returns 0 if it does not say how many there may be.
func (d *document) hintedArguments() int {
	field, _ := d.skill.Front.Field("argument-hint")
	hint := field.Value
	named := hinted.Get().FindAllString(hint, -1)
	rest := strings.Fields(hinted.Get().ReplaceAllString(hint, " "))
	switch {
	case manyHinted.Get().MatchString(hint):
		return 0
	case len(named) == 0 && len(rest) == 1:
		return 1
	case len(rest) > 0:
		return 0
	}
	return len(named)
}

// isBeyondHint reports whether the hint says that nobody gives an argument with such a number: it names fewer, each in one
// word; or there are many before, and it asks for no prose.
func (d *document) isBeyondHint(n int) bool {
	const many = 6
	field, _ := d.skill.Front.Field("argument-hint")
	hint := field.Value
	switch named := d.hintedArguments(); {
	case hint == "" || prose.Get().MatchString(hint):
		return false
	case named > 0 && !slices.ContainsFunc(hinted.Get().FindAllString(hint, -1), func(s string) bool { return strings.Contains(s, " ") }):
		return n >= named
	}
	return n >= many
}

// prose finds what is asked for in a hint if the answer may have any number of words.
var prose = words.Regexp(`(?i)\.\.\.|…|\b(args?|arguments|description|prompt|topic|question|task|message|text|query|goal|idea|` +
	`instructions?|request|feature|problem|what|why|how|context|focus)\b`)

// directiveAt returns the directive around an offset, or nil.
func (d *document) directiveAt(offset int) *directive {
	i := slices.IndexFunc(d.directives, func(x *directive) bool { return x.start <= offset && offset < x.end })
	if i < 0 {
		return nil
	}
	return d.directives[i]
}

// notArgument says what a numbered placeholder is part of, if that is not an argument.
func notArgument(line string, start, end int) string {
	switch {
	case start > 0 && line[start-1] == '/': // of a path
	case priceAfter.Get().MatchString(line[end:]):
		return "price"
	case awkBefore.Get().MatchString(line[:start]) && strings.Contains(line[end:], "'"):
		return "program of awk's"
	}
	return ""
}

// stretches are parts of a text, each with what it is.
type stretches []struct {
	start, end int
	what       string
}

func (all stretches) around(offset int) string {
	for _, s := range all {
		if s.start <= offset && offset < s.end {
			return s.what
		}
	}
	return ""
}

const shellComment = "comment"

// shellsOwn returns the parts of a text in which a shell has arguments of its own: in a fence of shell code functions, what
// sh -c runs and scripts that are written to a file, and a fence that shows a whole script. Comments are in it as well.
func shellsOwn(body string) (all stretches) {
	for _, m := range shellFence.Get().FindAllStringSubmatchIndex(body, -1) {
		start, code := m[2], body[m[2]:m[3]]
		if strings.HasPrefix(strings.TrimSpace(code), "#!") {
			all = append(all, stretches{{start, m[3], "script"}}...)
			continue
		}
		if own, err := ownIn(code, start); err == nil {
			all = append(all, own...)
			continue
		}
		for part := range strings.SplitAfterSeq(code, "\n\n") { // what is no shell code, such as <N>, may be in one of them
			own, _ := ownIn(part, start)
			all = append(all, own...)
			start += len(part)
		}
	}
	return all
}

// ownIn returns the parts of shell code, which begins at start, in which a shell has arguments of its own.
func ownIn(code string, start int) (all stretches, err error) {
	program, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(code), "")
	if err != nil {
		return nil, err
	}
	add := func(n syntax.Node, what string) {
		all = append(all, stretches{{start + int(n.Pos().Offset()), start + int(n.End().Offset()), what}}...)
	}
	syntax.Walk(program, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			add(n, "shell function")
		case *syntax.Comment:
			add(n, shellComment)
		case *syntax.Redirect:
			if n.Hdoc != nil && strings.HasPrefix(n.Hdoc.Lit(), "#!") {
				add(n.Hdoc, "script")
			}
		case *syntax.CallExpr:
			for i := 0; i+2 < len(n.Args); i++ {
				if slices.Contains([]string{"sh", "bash", "zsh"}, n.Args[i].Lit()) && n.Args[i+1].Lit() == "-c" {
					add(n.Args[i+2], "command of "+n.Args[i].Lit()+" -c")
				}
			}
		}
		return true
	})
	return all, nil
}
