package claudepage

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/skill"
)

// A workflow is a script that Claude Code offers as a command. What it sends for one is not the
// script, but how to run it.
type workflow struct {
	name   string
	about  string
	when   string
	phases []string
}

// workflowsIn reads the scripts in a folder, or the one script that path is.
func workflowsIn(path, prefix string) []entry {
	files := []string{path}
	if filepath.Ext(path) != ".js" {
		files, _ = filepath.Glob(filepath.Join(path, "*.js"))
	}
	var found []entry
	for _, file := range files {
		src, err := skill.ReadFile(file)
		if err != nil {
			continue
		}
		if w, ok := parseWorkflow(string(src)); ok {
			w.name = prefix + w.name
			found = append(found, entry{name: w.name, file: file, workflow: &w})
		}
	}
	return found
}

// text is what is sent for the workflow.
func (w *workflow) text(args string) string {
	var b strings.Builder
	b.WriteString("Run the \"" + w.name + "\" workflow.\n\n" + w.about + "\n\n")
	if w.when != "" {
		b.WriteString(w.when + "\n\n")
	}
	if len(w.phases) > 0 {
		b.WriteString("Phases:\n- " + strings.Join(w.phases, "\n- ") + "\n\n")
	}
	b.WriteString("Invoke: Workflow({ name: " + jsString(w.name))
	if args != "" {
		b.WriteString(", args: " + jsString(args))
	}
	b.WriteString(" })\n\nIf the user asks you to modify this workflow or write a new script, load the `workflow-authoring` skill first.")
	return b.String()
}

func jsString(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always has a JSON form
	return strings.TrimSuffix(b.String(), "\n")
}

// parseWorkflow reads the description that a script begins with: export const meta = {…}, in which
// nothing is computed. Claude Code passes over a script that has none, and one whose rest is no
// JavaScript; of the rest this only sees whether its brackets match.
func parseWorkflow(src string) (w workflow, ok bool) {
	p := &literals{s: src}
	for _, word := range []string{"export", "const", "meta", "="} {
		if !p.word(word) {
			return w, false
		}
	}
	meta, ok := p.value(0)
	object, isObject := meta.(map[string]any)
	if !ok || !isObject || !balanced(p.s[p.i:]) {
		return w, false
	}
	w.name, _ = object["name"].(string)
	w.about, _ = object["description"].(string)
	w.when, _ = object["whenToUse"].(string)
	phases, _ := object["phases"].([]any)
	for _, phase := range phases {
		p, _ := phase.(map[string]any)
		title, ok := p["title"].(string)
		if detail, _ := p["detail"].(string); detail != "" {
			title += ": " + detail
		}
		if ok {
			w.phases = append(w.phases, title)
		}
	}
	return w, w.name != "" && w.about != ""
}

// literals reads JavaScript values that are written out.
type literals struct {
	s    string
	i    int
	open bool // a comment was never closed
}

// blanks skips white space and comments.
func (p *literals) blanks() {
	for p.i < len(p.s) {
		rest := p.s[p.i:]
		switch r, n := utf8.DecodeRuneInString(rest); {
		case isSpace(r):
			p.i += n
		case strings.HasPrefix(rest, "//"):
			p.i += len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool { return r != '\n' }))
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				p.i, p.open = len(p.s), true
				return
			}
			p.i += end + 2
		default:
			return
		}
	}
}

// word skips a word or sign, if it is the next.
func (p *literals) word(w string) bool {
	p.blanks()
	end := p.i + len(w)
	if !strings.HasPrefix(p.s[p.i:], w) || isWord(w[0]) && end < len(p.s) && isWord(p.s[end]) {
		return false
	}
	p.i = end
	return true
}

const maxNested = 100 // of values; a deeper one is not read

// value reads an object, a list, a string, a number or a constant.
func (p *literals) value(depth int) (any, bool) {
	p.blanks()
	if p.i == len(p.s) || depth == maxNested {
		return nil, false
	}
	switch c := p.s[p.i]; {
	case c == '{':
		p.i++
		return p.object(depth)
	case c == '[':
		p.i++
		return p.list(depth)
	case c == '"' || c == '\'' || c == '`':
		return p.str()
	}
	for text, v := range map[string]any{"true": true, "false": false, "null": nil} {
		if p.word(text) {
			return v, true
		}
	}
	n := strings.IndexFunc(p.s[p.i:], func(r rune) bool { return !strings.ContainsRune("+-.0123456789eE", r) })
	if n < 0 {
		return nil, false
	}
	f, err := strconv.ParseFloat(p.s[p.i:p.i+n], 64)
	p.i += n
	return f, err == nil
}

func (p *literals) object(depth int) (any, bool) {
	object := map[string]any{}
	for !p.word("}") {
		key, ok := p.key()
		if !ok || !p.word(":") {
			return nil, false
		}
		if object[key], ok = p.value(depth + 1); !ok {
			return nil, false
		}
		if !p.word(",") && !p.next('}') {
			return nil, false
		}
	}
	return object, true
}

func (p *literals) list(depth int) (any, bool) {
	list := []any{}
	for !p.word("]") {
		v, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		list = append(list, v)
		if !p.word(",") && !p.next(']') {
			return nil, false
		}
	}
	return list, true
}

// next reports whether a sign is the next.
func (p *literals) next(c byte) bool {
	p.blanks()
	return p.i < len(p.s) && p.s[p.i] == c
}

func (p *literals) key() (string, bool) {
	if p.next('"') || p.next('\'') {
		s, ok := p.str()
		return s, ok
	}
	at := p.i
	for p.i < len(p.s) && (isWord(p.s[p.i]) || p.s[p.i] == '$') {
		p.i++
	}
	return p.s[at:p.i], p.i > at
}

// str reads a string. One with something computed in it is none.
func (p *literals) str() (string, bool) {
	quote := p.s[p.i]
	var b strings.Builder
	for p.i++; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == quote:
			p.i++
			return b.String(), true
		case c == '\n' && quote != '`', quote == '`' && strings.HasPrefix(p.s[p.i:], "${"):
			return "", false
		case c == '\\':
			if !p.escape(&b) {
				return "", false
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// escape reads what follows a backslash, up to its last byte.
func (p *literals) escape(b *strings.Builder) bool {
	if p.i++; p.i == len(p.s) {
		return false
	}
	switch c := p.s[p.i]; c {
	case 'n', 't', 'r', 'b', 'f', 'v', '0':
		b.WriteByte("\n\t\r\b\f\v\x00"[strings.IndexByte("ntrbfv0", c)])
	case 'u', 'x':
		digits := map[byte]int{'u': 4, 'x': 2}[c]
		if p.i+digits >= len(p.s) {
			return false
		}
		n, err := strconv.ParseUint(p.s[p.i+1:p.i+1+digits], 16, 32)
		if err != nil {
			return false
		}
		b.WriteRune(rune(n))
		p.i += digits
	case '\n': // a continued line
	default:
		b.WriteByte(c)
	}
	return true
}

// balanced reports whether the brackets of a script match, strings and comments aside.
func balanced(s string) bool {
	p := &literals{s: s}
	var open []byte
	for {
		p.blanks()
		if p.i == len(p.s) {
			return len(open) == 0 && !p.open
		}
		switch c := p.s[p.i]; c {
		case '"', '\'', '`':
			if _, ok := p.str(); ok {
				continue
			}
		case '(', '[', '{':
			open = append(open, c)
		case ')', ']', '}':
			if len(open) == 0 || strings.IndexByte("([{", open[len(open)-1]) != strings.IndexByte(")]}", c) {
				return false
			}
			open = open[:len(open)-1]
		}
		p.i++
	}
}
