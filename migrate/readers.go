package migrate

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/skill"
)

// mentions notes which scripts a file depends on as they are.
func (t *tree) mentions(p string) {
	switch {
	case path.Base(p) == ReportFile:
	case t.usages[p] != nil:
		for _, m := range t.usages[p].sources {
			for _, q := range t.all(m) {
				t.hold(q, fmt.Sprintf("%s:%d sources it", p, m.line))
			}
		}
		for _, m := range t.usages[p].calls {
			if !m.place.used {
				continue
			}
			for _, q := range t.named(p, m.text) {
				t.hold(q, fmt.Sprintf("%s:%d reads what it prints", p, m.line))
			}
			if m.open {
				for _, q := range t.like(m.text) {
					if q != p {
						t.hold(q, fmt.Sprintf("%s:%d may read what it prints", p, m.line))
					}
				}
			}
		}
	case path.Ext(p) == ".md":
		t.page(p)
	case isProse(path.Ext(p)):
		t.captures(p)
	default: // settings, a Makefile, a workflow, a program: who names it may read it
		t.holdNamed(p, string(t.files[p]), 1, "names it, and may read what it prints")
	}
}

// holdNamed holds all scripts that are named in a text, which begins at a line.
func (t *tree) holdNamed(p, text string, line int, why string) {
	for l := range strings.Lines(text) {
		for _, name := range t.namesIn(l) {
			for _, q := range t.named(p, name) {
				t.hold(q, fmt.Sprintf("%s:%d %s", p, line, why))
			}
		}
		for _, pattern := range globName().FindAllString(l, -1) {
			for _, q := range t.matching(pattern) {
				t.hold(q, fmt.Sprintf("%s:%d %s", p, line, why))
			}
		}
		line++
	}
}

var (
	pathName     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w./@+-]*[\w@+-]`) })
	globName     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w.-]+/[\w./*-]*\*[\w./*-]*`) })
	variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{?\w+\}?`) })
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

// namesIn lists what may be the name of a script in a line: a file's name, or
// a path that ends in one. A name without an ending is one only in a path.
func (t *tree) namesIn(line string) (names []string) {
	for _, name := range pathName().FindAllString(variableName().ReplaceAllString(line, " "), -1) {
		if base := path.Base(name); len(t.names[base]) > 0 && (path.Ext(base) != "" || strings.Contains(name, "/")) {
			names = append(names, name)
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

// captures notes the scripts that commands in a text for people read.
func (t *tree) captures(p string) {
	line := 0
	for l := range strings.Lines(string(t.files[p])) {
		line++
		for _, name := range t.namesIn(l) {
			if captured(l, name) {
				for _, q := range t.named(p, name) {
					t.hold(q, fmt.Sprintf("%s:%d reads what it prints", p, line))
				}
			}
		}
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
		t.keep[p] = Note{0, reason}
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

var hookWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:hook_event_name|hookSpecificOutput|permissionDecision|stop_hook_active|tool_input|systemMessage)\b`)
})

// isHook reports whether a script answers events of Claude Code: by where it is, or
// by the fields of an event that it reads or answers with, and in which line.
func isHook(p string, src []byte) (line int, ok bool) {
	if m := hookWord().FindIndex(src); m != nil {
		return lineAt(src, m[0]), true
	}
	return 0, slices.Contains(strings.Split(path.Dir(p), "/"), "hooks")
}
