// Package migrate answers one question: what does this old skill look like in the current format?
//
// Script and Tree are pure: they take bytes and return edits. Only a Migration reads, runs and
// writes files. The same input always gives the same edit, and migrating the result of an edit
// changes nothing more.
package migrate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/words"
)

// A LeftAloneError says why a file should stay as it is.
type LeftAloneError struct {
	Name   string
	Line   int // 0 means the file as a whole
	Reason string
}

func (e *LeftAloneError) Error() string { return at(e.Name, e.Line, e.Reason) }

// A ParseError says where a file cannot be parsed.
type ParseError struct {
	Name   string
	Line   int
	Reason string
}

func (e *ParseError) Error() string { return at(e.Name, e.Line, e.Reason) }

func at(name string, line int, text string) string {
	if line == 0 {
		return fmt.Sprintf("%s: %s", name, text)
	}
	return fmt.Sprintf("%s:%d: %s", name, line, text)
}

// Options say how to migrate a script. The zero value changes bash scripts only.
type Options struct {
	Bash   bool // turn a script for sh into one for bash
	Inline bool // put the code that reports into the script, which then needs no file beside it
}

// Script changes a bash script that prints text, so that it prints a report, alone on stdout,
// however it ends. The script sources a ReportFile in its own folder, unless opt says to put the
// code into it. The error is a *LeftAloneError or a *ParseError.
func Script(name string, src []byte, opt Options) (*files.Edit, error) {
	s, err := read(name, src, opt, nil)
	if err != nil {
		return nil, err
	}
	if opt.Inline {
		return s.edit("")
	}
	return s.edit("./")
}

// Report returns the content of the ReportFile.
func Report() []byte { return []byte(reportText()) }

// A script is a script that was read and understood.
type script struct {
	name    string
	src     []byte
	shebang change // the change for a script that gets another shell
	use     *usage
	trapped bool             // a file that it sources sets an EXIT trap
	guard   *syntax.IfClause // the clause that contains its commands, if something sources it; nil if nothing does
}

// read parses a script, unless its usage is known. It rejects scripts by what can be seen from
// outside.
func read(name string, src []byte, opt Options, known *usage) (*script, error) {
	s := &script{name: name, src: src, use: known}
	leave := func(line int, reason string) (*script, error) { return nil, &LeftAloneError{name, line, reason} }
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return nil, &ParseError{name, lineAt(src, i), "not a text file (it has a zero byte)"}
	}
	switch shell := interpreter(src); shell {
	case "bash":
	case "":
		return leave(1, "no #! line: it may be meant to be sourced")
	case "sh":
		if !opt.Bash {
			return leave(1, "an sh script (--bash turns it into a bash script)")
		}
		end := bytes.IndexByte(append(slices.Clip(src), '\n'), '\n')
		s.shebang = change{at: bytes.LastIndex(append([]byte(" "), src[:end]...), []byte("sh")) - 1, insert: "ba"}
	default:
		return leave(1, "a script for "+shell+", not bash")
	}
	if i := bytes.Index(append(slices.Clip(src), '\n'), []byte("\r\n")); i >= 0 {
		return leave(lineAt(src, i), "lines end with CR LF, which bash reads as part of the words")
	}
	if s.use == nil {
		file, err := parse(name, src)
		if err != nil {
			return nil, err
		}
		s.use = understand(file)
	}
	return s, nil
}

// maxNesting is how many levels the parser is known to survive. The parser is recursive, and
// nothing can catch the end of its stack.
const maxNesting = 50_000

var keyword = words.Regexp("[({[`&|!]|\\b(?:if|while|until|for|select|case|coproc|time|function)\\b")

func parse(name string, src []byte) (*syntax.File, error) {
	if len(src) > maxNesting && len(keyword.Get().FindAllIndex(src, maxNesting+1)) > maxNesting {
		return nil, &ParseError{name, 0, fmt.Sprintf("more than %d brackets, operators and keywords", maxNesting)}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(bytes.NewReader(src), name)
	if err == nil {
		return file, nil
	}
	if e, ok := errors.AsType[syntax.ParseError](err); ok {
		return nil, &ParseError{name, int(e.Pos.Line()), e.Text}
	}
	if e, ok := errors.AsType[syntax.LangError](err); ok {
		return nil, &ParseError{name, int(e.Pos.Line()), e.Feature + " is not bash"}
	}
	return nil, &ParseError{name, 0, err.Error()}
}

// interpreter returns the shell that a script's first line names, or "".
func interpreter(src []byte) string {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	rest, ok := strings.CutPrefix(strings.TrimSuffix(string(line), "\r"), "#!")
	if !ok {
		return ""
	}
	words := strings.Fields(rest)
	for len(words) > 1 && (strings.HasSuffix(words[0], "/env") || strings.HasPrefix(words[0], "-")) {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	return words[0][strings.LastIndexByte(words[0], '/')+1:]
}

func lineAt(src []byte, i int) int { return 1 + bytes.Count(src[:i], []byte("\n")) }

// A change inserts text into a file.
type change struct {
	at     int
	insert string
}

// apply makes the changes. Changes at one place are made in the given order.
func apply(src []byte, changes []change) []byte {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var out bytes.Buffer
	done := 0
	for _, c := range changes {
		out.Write(src[done:c.at])
		out.WriteString(c.insert)
		done = c.at
	}
	out.Write(src[done:])
	return out.Bytes()
}

// edit makes the changes, unless what the script does forbids them. up is the path from the
// script's folder to the ReportFile; if it is "", the code is put into the script.
func (s *script) edit(up string) (*files.Edit, error) {
	e := &files.Edit{Name: s.name, Before: s.src, After: s.src}
	u := s.use
	if u.migrated {
		return e, nil
	}
	if u.library() {
		return nil, &LeftAloneError{s.name, 0, "it only defines things: a library"}
	}
	start, end := s.start(), s.end()
	if s.guard != nil {
		start, end = s.lineStart(int(s.guard.Then[0].Pos().Offset())), change{int(s.guard.FiPos.Offset()), "skillhand_end\n"}
	}
	if l, ok := u.obstacle(lineAt(s.src, start)); ok {
		return nil, &LeftAloneError{s.name, l.Line, l.Text}
	}
	p := preamble{fd: s.freeFD(), ends: !u.catches && !bytes.HasSuffix(s.src, []byte(`\`)), asks: u.asks, trapped: s.trapped, up: up}
	changes := []change{{start, p.text()}}
	if s.shebang.insert != "" {
		changes = append(changes, s.shebang)
	}
	for _, pos := range u.traps {
		changes = append(changes, change{pos, "skillhand_"})
	}
	for _, st := range u.background {
		changes = append(changes, closing(st, p.fd)...)
	}
	if p.ends && !u.exits {
		changes = append(changes, end)
	}
	e.After = apply(s.src, changes)
	// The parser and bash may disagree about where the commands of an odd script end.
	if _, err := parse(s.name, e.After); err != nil {
		return nil, &LeftAloneError{s.name, 0, "an edit would break its syntax"}
	}
	return e, nil
}

// start returns the place of the preamble. It is before the first command, and before the comment
// that belongs to that command. It is after the comment at the top of the file, because scripts
// often print that comment as their help.
func (s *script) start() int {
	first := int(s.use.file.Stmts[0].Pos().Offset())
	first = bytes.LastIndexByte(s.src[:first], '\n') + 1
	top := true // still in the block that begins with the #! line
	at, from := 0, 0
	for from < first {
		end := from + bytes.IndexByte(s.src[from:], '\n') + 1
		line := bytes.TrimSpace(s.src[from:end])
		switch {
		case len(line) == 0:
			top = false
			at = end
		case top:
			at = end
		}
		from = end
	}
	return at
}

// lineStart returns the start of a command's line, or of the command itself if something precedes
// it on the line.
func (s *script) lineStart(at int) int {
	line := bytes.LastIndexByte(s.src[:at], '\n') + 1
	if len(bytes.TrimSpace(s.src[line:at])) > 0 {
		return at
	}
	return line
}

// end returns the change that marks the end of the file as a way out.
func (s *script) end() change {
	insert := "skillhand_end\n"
	if !bytes.HasSuffix(s.src, []byte("\n")) {
		insert = "\n" + insert
	}
	return change{len(s.src), insert}
}

// freeFD returns a file descriptor such that the script mentions neither it nor the next one.
func (s *script) freeFD() string {
	for fd := 19; ; fd += 2 {
		if !s.mentions(fd) && !s.mentions(fd+1) {
			return fmt.Sprint(fd)
		}
	}
}

func (s *script) mentions(fd int) bool {
	n := fmt.Sprint(fd)
	return bytes.Contains(s.src, []byte(n+">")) || bytes.Contains(s.src, []byte(n+"<")) || bytes.Contains(s.src, []byte("&"+n))
}

// closing returns the changes that keep a background command from holding the real stdout open.
func closing(st *syntax.Stmt, fd string) []change {
	end := int(st.Semicolon.Offset())
	if _, list := st.Cmd.(*syntax.BinaryCmd); list || st.Negated {
		return []change{{int(st.Pos().Offset()), "{ "}, {end, "; } " + fd + ">&- "}}
	}
	return []change{{end, " " + fd + ">&- "}}
}
