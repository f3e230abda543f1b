package migrate

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
)

// A held says why a script must stay as it is.
type held struct {
	by   string // the file that reads the script
	line int
	why  string
}

func (h held) String() string { return fmt.Sprintf("%s:%d %s", h.by, h.line, h.why) }

// hold keeps a script as it is, because of a line in another file.
func (t *tree) hold(p, by string, line int, why string) {
	if _, ok := t.keep[p]; !ok && p != by {
		t.keep[p] = held{by, line, why}
	}
}

// holdRun holds the scripts that are run by a script whose own output something reads, because
// their output is part of that.
func (t *tree) holdRun(paths []string) {
	queue := slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		h, held := t.keep[p]
		_, hook := isHook(p, t.files[p])
		return t.usages[p] == nil || !hook && (!held || h.why == sourcesIt)
	})
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		for _, m := range t.usages[p].calls {
			if !m.flow.own {
				continue
			}
			for _, q := range t.named(p, m.text) {
				if _, held := t.keep[q]; !held && q != p {
					t.hold(q, p, m.line, runsIt)
					if t.usages[q] != nil {
						queue = append(queue, q)
					}
				}
			}
		}
	}
}

// named lists the scripts that a path in the file from may name, and rather one too many. It is the
// script beside the file, or else every script whose path ends that way. In a text for people, a
// path that names no file of the tree means the only script of that name, or the nearest.
func (t *tree) named(from, text string) []string {
	text = strings.TrimPrefix(text, own) // the script's own folder is searched first anyway
	end := ending(text)
	if end == "" || strings.Contains(end, unknown) || path.Ext(end) == "" && !strings.Contains(text, "/") {
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
	exact := len(ends) > 0 && strings.Contains(end, "/")
	if len(ends) == 0 { // installed elsewhere, or from another folder
		ends = slices.DeleteFunc(slices.Clone(t.names[path.Base(end)]), func(p string) bool { return !t.isScript(p) })
	}
	if (path.Ext(from) == ".md" || isProse(path.Ext(from))) && !exact && len(ends) > 1 {
		return nearest(from, ends)
	}
	return ends
}

// nearest returns the script in the nearest folder around a text that contains any of the scripts.
// If that folder contains several, the text is an example, and nearest returns none.
func nearest(from string, scripts []string) []string {
	for dir := path.Dir(from); ; dir = path.Dir(dir) {
		near := slices.DeleteFunc(slices.Clone(scripts), func(p string) bool { return dir != "." && !strings.HasPrefix(p, dir+"/") })
		switch {
		case len(near) == 1:
			return near
		case len(near) > 1 || dir == "." || dir == "/":
			return nil
		}
	}
}

// all lists every script that a word in the file from may name, and rather one too many.
func (t *tree) all(from string, m mention) []string {
	if rest, ok := strings.CutPrefix(m.text, own); ok {
		if beside := path.Join(path.Dir(from), rest); t.files[beside] != nil {
			return []string{beside}
		}
		m.text = rest
	}
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

// ending returns a path without what leads to it, such as / or ../.
func ending(text string) string {
	end := strings.TrimPrefix(path.Clean("/"+text), "/")
	for strings.HasPrefix(end, "../") {
		end = end[3:]
	}
	return end
}

// hookWord matches words that only hooks and status lines use: events, their fields, and the fields
// of an answer.
var hookWord = words.Regexp(`\b(?:(?:Pre|Post)ToolUse|UserPromptSubmit|Session(?:Start|End)|Subagent(?:Start|Stop)|(?:Pre|Post)Compact|` +
	`(?:Stop|Notification) hook|hook_event_name|hookSpecificOutput|permissionDecision|stop_hook_active|tool_input|transcript_path|systemMessage|[sS]tatusLine)`)

// isHook reports whether a script answers events of Claude Code or of git. It is in a folder for
// hooks, or it uses words of hooks; then line is the first such line.
func isHook(p string, src []byte) (line int, ok bool) {
	if m := hookWord.Get().FindIndex(src); m != nil {
		return lineAt(src, m[0]), true
	}
	return 0, slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(folder string) bool { return strings.HasSuffix(folder, "hooks") })
}

// saysStdout matches a text that says what a script prints on stdout.
var saysStdout = words.Regexp(`(?i)\b(?:prints?|outputs?|returns?|emits?|echoes|writes?|streams?)\b[^.]{0,80}\bstdout\b` +
	`|\bmachine[- ](?:readable|parse?able)\b|\boutputs?:\s*["']`)

// promisesStdout reports whether a text promises something about a script's stdout.
func promisesStdout(text string) bool {
	m := saysStdout.Get().FindString(text)
	return m != "" && !strings.Contains(m, "nothing") && !strings.Contains(text, "stdout and stderr") &&
		!strings.Contains(text, "stdout/stderr")
}

// promised returns the line of a comment that promises something about the script's own stdout, or
// 0. A comment on a function is about that function.
func (u *usage) promised() (line int) {
	var text strings.Builder
	last := 0
	syntax.Walk(u.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			return false
		case *syntax.Stmt:
			_, function := n.Cmd.(*syntax.FuncDecl)
			for _, c := range n.Comments {
				if function && n != u.file.Stmts[0] || line > 0 {
					break
				}
				at := int(c.Pos().Line())
				if at > last+1 {
					text.Reset()
				}
				last = at
				if text.WriteString(c.Text + " "); promisesStdout(text.String()) {
					line = at
				}
			}
		}
		return line == 0
	})
	return line
}

// fixed reports whether a pattern has a part that distinguishes one script from another. The ending
// of a name does not.
func fixed(pattern string) bool {
	pattern = strings.TrimSuffix(strings.TrimSuffix(pattern, ".sh"), ".bash")
	return strings.ContainsFunc(pattern, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
