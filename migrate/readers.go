package migrate

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/edit"
	"github.com/skillhand/skillhand/skill"
)

// mentions notes which scripts a file depends on as they are.
func (t *tree) mentions(p string) {
	switch {
	case path.Base(p) == ReportFile:
	case t.usages[p] != nil:
		t.reads(p, t.usages[p], 0)
	case path.Ext(p) == ".md":
		t.page(p)
	case isProse(path.Ext(p)):
		t.captures(p)
	default: // settings, a Makefile, a workflow, a program: who names it may read it
		t.holdNamed(p, string(t.files[p]), 1, "names it, and may read what it prints")
	}
}

// MayName reports whether a file may name a script of which it has no name in one piece.
func MayName(data []byte) bool {
	has := func(text string) bool { return bytes.Contains(data, []byte(text)) }
	return has(`"command"`) || (has(".sh") || has(".bash")) && openName().Match(data)
}

// reads holds the scripts that commands in a file read, or may read. They begin
// after so many of its lines.
func (t *tree) reads(p string, u *usage, after int) {
	for _, m := range u.sources {
		for _, q := range t.all(m) {
			t.hold(q, fmt.Sprintf("%s:%d sources it", p, after+m.line))
		}
	}
	for _, m := range u.calls {
		if !m.place.used {
			continue
		}
		why := "reads what it prints"
		if m.may {
			why = "hands it on, and may read what it prints"
		}
		for _, q := range t.named(p, m.text) {
			t.hold(q, fmt.Sprintf("%s:%d %s", p, after+m.line, why))
		}
		if m.open {
			t.holdLike(p, m.text, after+m.line)
		}
	}
	for _, m := range u.writes {
		t.holdNamed(p, m.text, after+m.line, "writes its name, for something that may read what it prints")
	}
}

// holdLike holds the scripts that a name with unknown parts may be.
func (t *tree) holdLike(p, pattern string, line int) {
	for _, q := range t.meant(p, t.like(pattern)) {
		if q != p {
			t.hold(q, fmt.Sprintf("%s:%d may read what it prints", p, line))
		}
	}
}

// meant are those of all scripts that a pattern matches that a file can mean by it: a
// text for people means what is beside it.
func (t *tree) meant(p string, scripts []string) []string {
	if path.Ext(p) != ".md" {
		return scripts
	}
	return slices.DeleteFunc(slices.Clone(scripts), func(q string) bool { return !strings.HasPrefix(q, path.Dir(p)+"/") })
}

// holdNamed holds all scripts that are named in a text, which begins at a line.
func (t *tree) holdNamed(p, text string, line int, why string) {
	hold := func(scripts []string) {
		for _, q := range scripts {
			t.hold(q, fmt.Sprintf("%s:%d %s", p, line, why))
		}
	}
	for l := range strings.Lines(text) {
		plain := withoutQuotes(l)
		for _, l := range slices.Compact([]string{l, plain}) {
			for _, name := range t.namesIn(l, true) {
				hold(t.named(p, name))
			}
			for _, pattern := range globName().FindAllString(l, -1) {
				hold(t.meant(p, t.matching(pattern)))
			}
			for _, name := range t.openNames(l) {
				if pattern := inserted().ReplaceAllString(name, unknown); strings.Contains(path.Base(pattern), unknown) {
					t.holdLike(p, pattern, line)
				}
			}
		}
		for _, folder := range t.foldersIn(plain) {
			hold(t.matching(folder + "/*"))
		}
		line++
	}
}

// openNames lists names of scripts in a line in which a program puts something.
func (t *tree) openNames(line string) []string {
	if !strings.ContainsAny(line, "{$%") || !strings.Contains(line, ".sh") && !strings.Contains(line, ".bash") {
		return nil
	}
	return openName().FindAllString(line, -1)
}

// foldersIn lists the folders with scripts that a command in settings names, as in run-parts FOLDER.
func (t *tree) foldersIn(line string) (folders []string) {
	if !strings.Contains(line, "command") {
		return nil
	}
	for _, name := range pathName().FindAllString(variableName().ReplaceAllString(line, " "), -1) {
		if strings.Contains(name, "/") && t.folders[path.Base(name)] {
			folders = append(folders, ending(name))
		}
	}
	return folders
}

var quotes = strings.NewReplacer(`"`, "", "'", "", `\`, "")

// withoutQuotes is a line without quotes and escapes, as in "$D"/"a".sh.
func withoutQuotes(line string) string {
	return quotes.Replace(escapedRune().ReplaceAllStringFunc(line, func(e string) string {
		n, _ := strconv.ParseUint(e[2:], 16, 16) // four hexadecimal digits
		return string(rune(n))
	}))
}

var (
	pathName     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w./@+-]*[\w@+-]`) })
	globName     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w.-]+/[\w./*-]*\*[\w./*-]*`) })
	variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{?\w+\}?`) })
	escapedRune  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\u[0-9a-fA-F]{4}`) })
	// A script's name in which a program puts something: {x}.sh, ${x}.sh, $(x).sh, $x.sh, %s.sh.
	inserted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$?\{+[^{}]*\}+|\$\([^()]*\)|\$\w+|%[sv]`) })
	openName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:[\w./-]|` + inserted().String() + `)*(?:` + inserted().String() + `)[\w.-]*\.(?:sh|bash)\b`)
	})
)

// matching lists the scripts whose path ends as a pattern says.
func (t *tree) matching(pattern string) (scripts []string) {
	for _, paths := range t.names {
		for _, p := range paths {
			parts, n := strings.Split(p, "/"), strings.Count(pattern, "/")+1
			end := strings.Join(parts[max(0, len(parts)-n):], "/")
			if ok, err := path.Match(pattern, end); ok && err == nil && t.isScript(p) {
				scripts = append(scripts, p)
			}
		}
	}
	return scripts
}

// namesIn lists what may be the name of a script in a line: a file's name, or a path
// that ends in one. A name without an ending is one only in a path, or in code.
func (t *tree) namesIn(line string, code bool) (names []string) {
	for _, name := range pathName().FindAllString(variableName().ReplaceAllString(line, " "), -1) {
		switch base := path.Base(name); {
		case len(t.names[base]) == 0:
		case path.Ext(base) != "" || strings.Contains(name, "/"):
			names = append(names, name)
		case code:
			names = append(names, "./"+name)
		}
	}
	return names
}

// page notes the scripts whose output is part of a page, or is read by commands
// that a page tells an agent to run. To run one is no reading: that is what a report is for.
func (t *tree) page(p string) {
	s := skill.Parse(p, t.files[p])
	for _, part := range s.Parts {
		switch part.Kind {
		case skill.Header: // hooks
			t.holdNamed(p, part.Source, part.Line, "names it, and may read what it prints")
		case skill.Directive:
			t.holdNamed(p, part.Source, part.Line, "puts what it prints on the page")
		}
	}
	t.captures(p)
}

// isProse reports whether a file with this ending is for people to read.
func isProse(ext string) bool {
	return ext == ".txt" || ext == ".rst" || ext == ".adoc" || ext == ".markdown" || ext == ".html"
}

// captures notes the scripts that a text for people reads: by commands in its lines,
// and by the code in its fences.
func (t *tree) captures(p string) {
	var fence, language string
	var code strings.Builder
	line, begin := 0, 0
	for l := range strings.Lines(string(t.files[p])) {
		line++
		for _, name := range t.namesIn(l, false) {
			if captured(l, name) {
				for _, q := range t.named(p, name) {
					t.hold(q, fmt.Sprintf("%s:%d reads what it prints", p, line))
				}
			}
		}
		switch m := fenceLine().FindStringSubmatch(l); {
		case fence == "" && m != nil:
			fence, language, begin = m[1], strings.ToLower(m[2]), line
			code.Reset()
		case fence != "" && m != nil && strings.HasPrefix(m[1], fence) && m[2] == "":
			t.code(p, language, code.String(), begin)
			fence = ""
		case fence != "":
			code.WriteString(l)
		}
	}
}

var (
	fenceLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[ \t>]*(```+|~~~+)[ \t]*([^\\s`]*)") })
	placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[\w .|/-]+>`) })
)

// code holds the scripts that code in a text reads, as a file with it would.
func (t *tree) code(p, language, code string, after int) {
	switch language {
	case "bash", "sh", "shell", "zsh", "console":
		if file, err := parse(p, []byte(placeholder().ReplaceAllString(code, "x"))); err == nil {
			t.reads(p, understand(file), after)
		}
	case "", "text", "txt", "plaintext", "markdown", "md", "diff", "mermaid", "output", "log", "tree":
	default:
		t.holdNamed(p, code, after+1, "names it, and may read what it prints")
	}
}

// captured reports whether a line of text may read what the script of this name
// prints: it stands after $( or <( or a backquote that begins a command, or before
// a pipe or a redirection. A bar in a table is a pipe only within a code span.
func captured(line, name string) bool {
	for rest, at := line, 0; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		at += i
		before, after := line[:at], line[at+len(name):]
		if open := strings.LastIndexAny(before, "("); open > 0 && strings.IndexByte("$<", before[open-1]) >= 0 && !strings.Contains(before[open:], ")") {
			return true
		}
		if assignedBackquote().MatchString(before) {
			return true
		}
		if span, _, ok := strings.Cut(after, "`"); ok && strings.Count(before, "`")%2 == 1 {
			after = span
		} else if strings.HasPrefix(strings.TrimSpace(line), "|") {
			after = "" // a table
		}
		if pipeAfter().MatchString(after) {
			return true
		}
		rest, at = line[at+len(name):], at+len(name)
	}
}

var (
	assignedBackquote = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\\w=\"?`[^`]*$") })
	// Up to the end of the command: | but not ||, > but not > /dev/null or >&2.
	pipeAfter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[^|;&>]*(?:&[^&|;>]*)?(?:\|(?:[^|]|$)|(?:^|[^2])>>?\s*[^&>\s/]|(?:^|[^2])>>?\s*/[^d])`)
	})
)

func (t *tree) hold(p, reason string) {
	if _, ok := t.keep[p]; !ok {
		t.keep[p] = edit.Note{Line: 0, Text: reason}
	}
}

// named lists the scripts that a path in the file from may name: the one beside
// it, else all whose path ends that way, rather one too many.
func (t *tree) named(from, text string) []string {
	end := ending(text)
	if end == "" || path.Ext(end) == "" && !strings.Contains(text, "/") {
		return nil
	}
	for _, beside := range []string{path.Join(path.Dir(from), text), path.Join(path.Dir(from), end)} {
		if _, ok := t.files[beside]; ok && t.isScript(beside) {
			return []string{beside}
		}
	}
	ends := slices.DeleteFunc(slices.Clone(t.names[path.Base(end)]), func(p string) bool {
		return !strings.HasSuffix("/"+p, "/"+end) && !strings.HasSuffix("/"+end, "/"+p) || !t.isScript(p)
	})
	if len(ends) == 0 { // installed elsewhere, or from another folder
		return slices.DeleteFunc(slices.Clone(t.names[path.Base(end)]), func(p string) bool { return !t.isScript(p) })
	}
	return ends
}

// all lists every script that a word may name, rather one too many.
func (t *tree) all(m mention) []string {
	end := ending(m.text)
	if end == "" {
		return nil
	}
	var ends []string
	for _, p := range t.names[path.Base(end)] {
		if strings.HasSuffix("/"+p, "/"+end) {
			ends = append(ends, p)
		}
	}
	if len(ends) == 0 {
		return t.names[path.Base(end)]
	}
	return ends
}

// ending is a path without what leads to it.
func ending(text string) string {
	end := strings.TrimPrefix(path.Clean("/"+text), "/")
	for strings.HasPrefix(end, "../") {
		end = end[3:]
	}
	return end
}

// What only hooks and status lines speak of: events, their fields, and the fields of an answer.
var hookWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:(?:Pre|Post)ToolUse|UserPromptSubmit|Session(?:Start|End)|Subagent(?:Start|Stop)|(?:Pre|Post)Compact|(?:Stop|Notification) hook|` +
		`hook_event_name|hookSpecificOutput|permissionDecision|stop_hook_active|tool_input|transcript_path|systemMessage|[sS]tatusLine)`)
})

// isHook reports whether a script answers events, of Claude Code or of git: by where
// it is, or by the words that it uses, and in which line.
func isHook(p string, src []byte) (line int, ok bool) {
	if m := hookWord().FindIndex(src); m != nil {
		return lineAt(src, m[0]), true
	}
	return 0, slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(folder string) bool { return strings.HasSuffix(folder, "hooks") })
}
