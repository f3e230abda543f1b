package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/lazy"
	"github.com/skillhand/skillhand/internal/term"
)

var (
	numbered   = lazy.Regexp(`\$([0-9])\b`)
	priceAfter = lazy.Regexp(`^(\.[0-9]{1,2}\b|,[0-9]{3}\b|/(mo|month|yr|year|user|seat|hour|hr|day|run|call|1M|M|k)($|[^-\w/.])|` +
		` ?[–-] ?\$[0-9]| (million|billion|USD|dollars?|each)\b|` +
		` (per|an?) (call|day|hour|image|million|minute|month|page|request|run|seat|token|unit|user|week|year)\b)`)
	awkBefore  = lazy.Regexp(`\b[gmn]?awk\b[^'|]*'[^']*$`)
	firstTaken = lazy.Regexp(`\$(0\b|ARGUMENTS)`)
	manyHinted = lazy.Regexp(`\.\.\.|…|--|\b(args|arguments|flags|options)\b`)
	hinted     = lazy.Regexp(`<[^<>]+>|\[[^\[\]<>]+\]`)
	shellFence = lazy.Regexp("(?ms)^[ \t]*```(?:bash|sh|shell|zsh)[ \t]*\r?\n(.*?)^[ \t]*```[ \t]*\r?$")
)

// placeholderInText is about $1 that is not meant as an argument: in a price, in a program of awk's, or in
// a shell function. Claude Code replaces it, in code as well, if there are as many arguments. It is also about $1
// that is meant as the first, which is $0 (testdata/claude/SK207-placeholder.txtar).
func placeholderInText(p *pass) {
	if p.doc.file.Kind == Text && p.doc.frontEnd() == 0 {
		return // nobody gives it arguments
	}
	front := &p.doc.skill.Front
	hint, hasHint := front.Field("argument-hint")
	_, arguments := front.Field("arguments")
	body := p.doc.body()
	if !hasHint && !arguments && !strings.Contains(body, "$ARGUMENTS") {
		return
	}
	numbers := numbered.Get().FindAllStringIndex(body, -1)
	if len(numbers) == 0 {
		return
	}
	own := shellsOwn(body)
	first, most := -1, 0 // where $1 first stands for an argument, and the highest number
	for _, m := range numbers {
		at := p.doc.bodyStart() + m[0]
		if at > 0 && p.doc.src[at-1] == '\\' || p.doc.inDirective(at) {
			continue
		}
		line := p.doc.lineText(p.doc.lineAt(at))
		column := at - p.doc.lines[p.doc.lineAt(at)-1]
		what := notArgument(line, column, column+2)
		if what == "" {
			what = own.around(m[0])
		}
		n, _ := strconv.Atoi(p.doc.src[at+1 : at+2]) // it is a digit
		if what == "" {
			if n == 1 && first < 0 {
				first = at
			}
			most = max(most, n)
			continue
		}
		f := p.find(at, at+2, "with %s or more, one of them replaces $%d in this %s", term.Plural(n+1, "argument"), n, what)
		f.Help = fmt.Sprintf(`write \$%d, which Claude Code turns into $%[1]d`, n)
		f.Fix = replace("escape it", true, at, at, `\`)
	}
	if named := hintedArguments(hint.Value); first >= 0 && !arguments && named > 0 && most >= named && !firstTaken.Get().MatchString(body) {
		f := p.find(first, first+2, "Claude Code counts arguments from 0: the hint names %s, so $%d stays as it is", term.Plural(named, "argument"), most)
		f.Help = "write $0 for the first argument"
	}
}

// hintedArguments counts the arguments that a hint names, or returns 0 if it does not say how many there may be.
func hintedArguments(hint string) int {
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

func (d *document) inDirective(offset int) bool {
	return slices.ContainsFunc(d.directives, func(x *directive) bool { return x.start <= offset && offset < x.end })
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

// shellsOwn are the parts of a text in which a shell has arguments of its own: functions in a fence of
// shell code, and a fence that shows a whole script.
func shellsOwn(body string) stretches {
	var all stretches
	for _, m := range shellFence.Get().FindAllStringSubmatchIndex(body, -1) {
		start, code := m[2], body[m[2]:m[3]]
		if strings.HasPrefix(strings.TrimSpace(code), "#!") {
			all = append(all, stretches{{start, m[3], "script"}}...)
			continue
		}
		program, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(code), "")
		if err != nil {
			continue
		}
		syntax.Walk(program, func(n syntax.Node) bool {
			if f, ok := n.(*syntax.FuncDecl); ok {
				all = append(all, stretches{{start + int(f.Pos().Offset()), start + int(f.End().Offset()), "shell function"}}...)
			}
			return true
		})
	}
	return all
}
