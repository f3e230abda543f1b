package check

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/words"
)

func scriptRules() []*Rule {
	return []*Rule{
		{ID: "SK204", Name: "shebang", Severity: Warning, kinds: []Kind{Skill, Plugin}, run: shebang,
			Summary: "a script has no #! line, or one that does not start it"},
		{ID: "SK208", Name: "script-syntax", Severity: Error, kinds: []Kind{Skill, Plugin}, run: scriptSyntax,
			Summary: "bash cannot read a script, or its lines end in a carriage return"},
	}
}

// scripts calls f with the files in the folders of scripts of a skill or plugin.
func (p *pass) scripts(f func(file string, mode fs.FileMode)) {
	for _, folder := range []string{"scripts", "bin", "hooks"} {
		dir := filepath.Join(p.folder(), folder)
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				file := filepath.Join(dir, e.Name())
				p.doc.reads(file)
				f(file, info.Mode())
			}
		}
	}
}

func (p *pass) folder() string {
	dir := filepath.Dir(p.doc.file.Path)
	if p.doc.file.Kind == Plugin {
		dir = filepath.Dir(dir)
	}
	return dir
}

func isShellFile(file string) bool {
	return slices.Contains([]string{".sh", ".bash"}, filepath.Ext(file))
}

func shebang(p *pass) {
	if !files.IsFile(p.doc.file.Path) {
		return
	}
	p.scripts(func(file string, mode fs.FileMode) {
		head := firstBytes(file)
		first, _, _ := bytes.Cut(head, []byte("\n"))
		line := string(first)
		isScript := slices.Contains(scriptEndings, filepath.Ext(file))
		isRun := mode&0o111 != 0 || runtime.GOOS == "windows" // by its path: otherwise nobody but a reader sees its first line
		switch fault, help := shebangFault(line, filepath.Ext(file)); {
		case !isScript || !isRun && !strings.HasPrefix(help, "rename"):
		case strings.HasPrefix(line, "#!") && strings.HasSuffix(line, "\r"):
			f := p.beside(file, head, 1, "the #! line ends in a carriage return, which becomes part of the interpreter's name: the script cannot be run")
			f.Help = "save it with LF line ends"
		case fault != "":
			p.beside(file, head, 1, "%s", fault).Help = help
		case isShellFile(file) && mode&0o111 != 0 && len(head) > 0 && !strings.HasPrefix(line, "#!") && runtime.GOOS != "windows" && !isSourced(file):
			f := p.beside(file, head, 1, "the script is executable but has no #! line: which shell runs it depends on who calls it")
			f.Help = "begin it with #!/usr/bin/env bash"
		}
	})
}

// interpreters are programs that a #! line may name, and the endings of the files they read.
var interpreters = []struct{ name, endings string }{
	{"bash", ".sh .bash"}, {"sh", ".sh .bash"}, {"zsh", ".sh"}, {"dash", ".sh"}, {"ksh", ".sh"}, {"ash", ".sh"}, {"python", ".py"},
	{"python3", ".py"}, {"python2", ".py"},
	{"node", ".js .mjs .cjs .ts"}, {"ruby", ".rb"}, {"perl", ".pl"},
}

// shebangFault says why a first line does not start a script as it means to, and what to write.
func shebangFault(line, ending string) (fault, help string) {
	line = strings.TrimRight(line, " \t\r")
	if strings.HasPrefix(line, "#/bin/") || strings.HasPrefix(line, "#/usr/bin/") || strings.HasPrefix(line, "# !/") || strings.HasPrefix(line, "!#/") {
		return fmt.Sprintf("%s is no #! line, so it says nothing about who runs the file", line), "begin it with #!"
	}
	rest, ok := strings.CutPrefix(line, "#!")
	parts := strings.Fields(rest)
	if !ok || len(parts) == 0 {
		return "", ""
	}
	if !strings.HasPrefix(parts[0], "/") {
		return fmt.Sprintf("the #! line names %s without a folder, which no system looks for", parts[0]), "write #!/usr/bin/env " + parts[0]
	}
	program := filepath.Base(parts[0])
	if program == "env" {
		switch {
		case len(parts) == 1:
			return "the #! line names env and no program", "write #!/usr/bin/env bash"
		case len(parts) > 2 && !strings.HasPrefix(parts[1], "-") && !strings.Contains(parts[1], "="):
			return fmt.Sprintf("Linux hands %q to env as one name, and there is no such program", strings.Join(parts[1:], " ")),
				"write #!/usr/bin/env -S " + strings.Join(parts[1:], " ")
		}
		program = parts[len(parts)-1]
	}
	var names []string
	for _, i := range interpreters {
		names = append(names, i.name)
		if i.name != program || slices.Contains(strings.Fields(i.endings), ending) {
			continue
		}
		if slices.ContainsFunc(interpreters, func(o struct{ name, endings string }) bool { return slices.Contains(strings.Fields(o.endings), ending) }) {
			return fmt.Sprintf("the #! line names %s, and the file ends in %s: by its ending, the wrong program reads it", program, ending),
				"rename it to " + strings.Fields(i.endings)[0] + ", or correct the #! line"
		}
	}
	for _, known := range names {
		if !slices.Contains(names, program) && len(known) > 3 && words.Distance(program, known) == 1 && program[0] == known[0] &&
			strings.Trim(program, "abcdefghijklmnopqrstuvwxyz") == "" {
			return fmt.Sprintf("the #! line names %s, which is no program", program), "write " + known
		}
	}
	return "", ""
}

const maxScript = 1 << 20 // longer ones are not read

func scriptSyntax(p *pass) {
	if !files.IsFile(p.doc.file.Path) {
		return
	}
	p.scripts(func(file string, mode fs.FileMode) {
		info, err := os.Stat(file)
		if !isShellFile(file) || err != nil || info.Size() > maxScript {
			return
		}
		src, err := files.ReadFile(file)
		if err != nil || bytes.Contains(src, []byte("{{")) { // a template
			return
		}
		first, _, _ := bytes.Cut(src, []byte("\n"))
		switch isBash := !bytes.HasPrefix(first, []byte("#!")) ||
			bytes.Contains(first, []byte("sh")) && !bytes.Contains(first, []byte("zsh")) && !bytes.Contains(first, []byte("fish")); {
		case !isBash:
		case mode&0o111 != 0 && bytes.HasSuffix(first, []byte("\r")) && bytes.HasPrefix(first, []byte("#!")): // SK204 tells
		case bytes.Count(src, []byte("\r\n")) > bytes.Count(src, []byte("\n"))/2:
			p.beside(file, src, 1, "the lines end in a carriage return, which bash takes for a part of the last word").Help = "save it with LF line ends"
		default:
			p.unreadableScript(file, src)
		}
	})
}

func (p *pass) unreadableScript(file string, src []byte) {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(bytes.NewReader(src), "")
	fault, ok := errors.AsType[syntax.ParseError](err)
	if !ok || !isRefusedByBash(fault.Text) {
		return // fine; or what other shells can do, which our parser knows; or what bash may take
	}
	lines := strings.Split(string(src), "\n")
	at := int(fault.Pos.Line())
	if at >= 1 && at <= len(lines) && strings.Contains(lines[at-1], "--allowed") && strings.Contains(lines[at-1], "(") {
		f := p.beside(file, src, at, "bash cannot read the rule after --allowedTools: it has parentheses and no quotes")
		f.Help = "put the rule in single quotes"
		return
	}
	p.beside(file, src, at, "bash cannot read the script: %s", fault.Text).Help = "bash -n shows where it stops"
}

// refusedByBash are the errors of our parser that bash has too: TestBash asks it about each. Arithmetic, subscripts and
// operators of expansions are not among them, as bash reads those when they are run.
var refusedByBash = []words.Regexp{
	"^`\\w+` statement must end with",
	"^reached EOF without closing quote",
	"^reached EOF without matching `(\\(|\\$\\(|\\{)`",
	"^`[^`]+` can only be used (to end|to close a block|to close a subshell|in an `if`|in a loop|in a case clause)",
	"^`[^`]+` can only immediately follow a statement",
	"^`(&&|\\|\\||\\||\\|&|foo\\(\\))` must be followed by a statement$",
	"^`(then|do|else|elif|\\{)` must be followed by a statement list",
	"^`[<>]+` must be followed by a word",
	"^a command can only contain words and redirects; encountered `\\(`",
	"^`foo\\(` must be followed by `\\)`",
	"^`(for foo \\[in words\\]|case x)` must be followed by",
	"^case patterns must be separated",
}

// isRefusedByBash reports whether an error of our parser is of a kind that bash has too.
func isRefusedByBash(text string) bool {
	return slices.ContainsFunc(refusedByBash, func(kind words.Regexp) bool { return kind.Get().MatchString(text) })
}
