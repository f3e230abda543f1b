package agents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A layout is some skills and what each agent lists of them, as testdata/lists/*.txtar has it:
//
//	project/F, home/F   a file below the project or the home; LINK PATH makes it a link
//	…/s<120>/SKILL.md   120 skills, s000 to s119; <N> in the text is the number
//	<TEXT 640>          640 characters that no other file has
//	lists               a row a file (or several alike), a column an agent
//
// A cell is seen (all of the description), cut N (its first N characters), name (only the name), or
// - (nothing).
type layout struct {
	file    string
	archive *txtar.Archive
	rows    []row
	links   [][2]string // name and target
	others  [][2]string // files that are not skills, and their texts
}

// A row is one skill.
type row struct {
	name string // its file, below project or home
	text string
	mark string // the part of the text to look for
	said string // the skill's name
}

var (
	numbered  = regexp.MustCompile(`<([0-9]+)>`)
	generated = regexp.MustCompile(`<TEXT ([0-9]+)>`)
	marked    = regexp.MustCompile(`M[\w.-]+;|\b4242424\b`)
	named     = regexp.MustCompile(`(?m)^name: *"?(.*?)"?\r?$`)
)

func readLayouts(t *testing.T) []*layout {
	t.Helper()
	files, err := filepath.Glob("testdata/lists/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no layouts", err)
	}
	var all []*layout
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l := &layout{file: file, archive: a}
		for _, f := range a.Files {
			l.add(f.Name, strings.NewReplacer("<CR>", "\r", "<BOM>", "\ufeff").Replace(string(f.Data)))
		}
		all = append(all, l)
	}
	return all
}

func (l *layout) add(name, text string) {
	target, isLink := strings.CutPrefix(text, "LINK ")
	switch m := numbered.FindStringSubmatch(name); {
	case name == "lists":
	case isLink:
		l.links = append(l.links, [2]string{name, strings.TrimSpace(target)})
	case !strings.HasSuffix(name, ".md"):
		l.others = append(l.others, [2]string{name, text})
	case m != nil:
		n, _ := strconv.Atoi(m[1])
		for i := range n {
			number := fmt.Sprintf("%03d", i)
			l.add(strings.Replace(name, m[0], number, 1), strings.ReplaceAll(text, "<N>", number))
		}
	default:
		r := row{name: name, said: filepath.Base(filepath.Dir(name)), mark: marked.FindString(text)}
		r.text = generated.ReplaceAllStringFunc(text, func(s string) string {
			n, _ := strconv.Atoi(generated.FindStringSubmatch(s)[1])
			r.mark = longText(strings.Map(letters, name), n)
			return r.mark
		})
		if m := named.FindStringSubmatch(text); m != nil && m[1] != "" {
			r.said = m[1]
		}
		l.rows = append(l.rows, r)
	}
}

func letters(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// longText returns a text of so many characters.
func longText(tag string, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%s%d ", tag, i)
	}
	return b.String()[:size-1] + "E"
}

// lay writes the files.
func (l *layout) lay(t *testing.T, project, home string) {
	t.Helper()
	at := func(name string) string {
		root, rest, _ := strings.Cut(name, "/")
		file := filepath.Join(map[string]string{"project": project, "home": home}[root], filepath.FromSlash(rest))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write := func(name, text string) {
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range l.rows {
		write(r.name, r.text)
	}
	for _, o := range l.others {
		write(o[0], o[1])
	}
	for _, link := range l.links {
		if err := os.Symlink(strings.Replace(link[1], "HOME", home, 1), at(link[0])); err != nil {
			t.Fatal(err)
		}
	}
}

// shared reports whether two skills have the same name.
func (l *layout) shared(name string) bool {
	n := 0
	for _, r := range l.rows {
		if r.said == name {
			n++
		}
	}
	return n > 1
}

// table writes the file lists: cells by agent and row. Numbered rows with the same cells become
// one.
func (l *layout) table(agents []string, cells map[string][]string) string {
	var names []string
	var lines [][]string
	last, lastStem := "", ""
	for i, r := range l.rows {
		var line []string
		for _, a := range agents {
			cell := cells[a][i]
			if a == "opencode" && l.shared(r.said) {
				cell = "?" // the answer is not always the same
			}
			line = append(line, cell)
		}
		stem := regexp.MustCompile(`[0-9]{3}/SKILL.md$`).ReplaceAllString(r.name, "")
		if n := len(lines); n > 0 && stem != r.name && stem == lastStem && slices.Equal(line, lines[n-1]) {
			names[n-1] = last + " to " + filepath.Base(filepath.Dir(r.name))
			continue
		}
		last, lastStem = r.name, stem
		names, lines = append(names, r.name), append(lines, line)
	}
	wide := 0
	for _, n := range names {
		wide = max(wide, len(n))
	}
	var b strings.Builder
	put := func(name string, cells []string) {
		line := fmt.Sprintf("%-*s", wide, name)
		for _, c := range cells {
			line += fmt.Sprintf("  %-8s", c)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	put("", agents)
	for i, n := range names {
		put(n, lines[i])
	}
	return b.String()
}

// want returns the recorded table.
func (l *layout) want() string {
	for _, f := range l.archive.Files {
		if f.Name == "lists" {
			return string(f.Data)
		}
	}
	return ""
}
