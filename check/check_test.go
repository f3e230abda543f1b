package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/skill"
)

// special are files of a case that are no files of the tree that is checked.
//
//	want        the findings, a line each
//	fixed       what --fix changes, as a diff
//	unsafe      what --fix --unsafe-fixes changes beyond that
//	options     as=plugin, dialect=skillhand, home=FOLDER, budget=100, files=A B
//	executable  names of files that may be executed
//	links       symbolic links, NAME -> TARGET
var special = []string{"want", "fixed", "unsafe", "options", "executable", "links"}

func isSpecial(name string) bool {
	for _, s := range special {
		if s == name {
			return true
		}
	}
	return false
}

// A tree is a case laid down in a folder.
type tree struct {
	dir   string
	files []File
	opt   Options
}

func layDown(t *testing.T, c test.Case) tree {
	t.Helper()
	tr := tree{dir: t.TempDir(), opt: Options{Jobs: 2}}
	if err := os.Mkdir(filepath.Join(tr.dir, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range c.Files {
		if isSpecial(name) {
			continue
		}
		file := filepath.Join(tr.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.Contains(c.Files["executable"], name) {
			mode = 0o755
		}
		text = strings.NewReplacer("<CR>", "\r", "<ZWSP>", "\u200b", "<RLO>", "\u202e", "<BOM>", "\ufeff", "<NUL>", "\x00", "<XFF>", "\xff").Replace(text)
		if strings.Contains(text, "<REPEAT>") {
			head, tail, _ := strings.Cut(text, "<REPEAT>")
			text = head + strings.Repeat("All work and no play. ", 1200) + tail
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(c.Files["links"]) {
		name, target, _ := strings.Cut(strings.TrimSpace(line), " -> ")
		link := filepath.Join(tr.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o777), os.Symlink(target, link)); err != nil {
			t.Fatal(err)
		}
	}
	finder := Finder{Dir: tr.dir}
	var paths []string
	for line := range strings.Lines(c.Files["options"]) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "as":
			tr.opt.As = Place(value)
		case "dialect":
			tr.opt.Dialect = value
		case "home":
			finder.Home = filepath.Join(tr.dir, value)
		case "settings": // those of the tree count
			tr.opt.Settings = &settings.Where{Home: filepath.Join(tr.dir, value), System: filepath.Join(tr.dir, "system")}
		case "budget":
			fmt.Sscan(value, &tr.opt.Listing.Budget)
		case "files":
			paths = strings.Fields(value)
		default:
			t.Fatalf("unknown option %s", key)
		}
	}
	if src := c.Files[ConfigName]; src != "" {
		conf, err := ParseConfig(ConfigName, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		tr.opt.Agents, tr.opt.Rules, finder.Exclude = conf.Agents, conf.Rules, conf.Exclude
	}
	finder.Others = tr.opt.isForOthers()
	var err error
	if tr.files, err = finder.Find(paths); err != nil {
		t.Fatal(err)
	}
	return tr
}

// concise is what is found, a line each, without the folder of the test.
func (tr tree) concise(t *testing.T) string {
	var b bytes.Buffer
	res := Run(context.Background(), tr.files, tr.opt)
	if err := (Printer{}).Concise(&b, res.Findings); err != nil {
		t.Fatal(err)
	}
	for _, v := range res.Verdicts {
		if v.RuleFile != "" {
			fmt.Fprintf(&b, "%s:%d: %s by %s in %s\n", v.File, v.Line, v.Decision, v.Rule, v.RuleFile)
		}
	}
	return strings.ReplaceAll(b.String(), tr.dir+"/", "")
}

// TestRules runs testdata: what each rule finds, what it does not, and what its fixes make of it.
func TestRules(t *testing.T) {
	test.Cases(t, "testdata/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		tr := layDown(t, c)
		want := tr.concise(t)
		safe, unsafe := tr.mend(t, false), tr.mend(t, true)
		if unsafe == safe {
			unsafe = ""
		}
		return map[string]string{"want": want, "fixed": safe, "unsafe": unsafe}
	})
}

// mend returns the diff of all fixes, and holds them to their promises.
func (tr tree) mend(t *testing.T, unsafe bool) string {
	ctx := context.Background()
	fixes := Mend(ctx, tr.files, tr.opt, unsafe)
	var b strings.Builder
	after := append([]File{}, tr.files...)
	for _, e := range fixes.Edits {
		b.WriteString(e.Diff())
		for i, f := range after {
			if f.Path == fixes.Paths[e] {
				after[i].Source = e.After
			}
		}
		if strings.HasSuffix(e.Name, ".md") {
			if before, now := broken(e.Before), broken(e.After); now > before {
				t.Errorf("%s: a fix broke it:\n%s", e.Name, e.After)
			}
		} else if _, fault := doc.ParseJSON(string(e.After)); fault != nil {
			t.Errorf("%s: a fix broke it: %s", e.Name, fault.Text)
		}
	}
	for _, file := range fixes.Executables {
		b.WriteString("executable " + strings.TrimPrefix(file, tr.dir+"/") + "\n")
	}
	again := Mend(ctx, after, tr.opt, unsafe)
	if len(again.Edits) > 0 {
		t.Errorf("fixing again changes more:\n%s", again.Edits[0].Diff())
	}
	for _, f := range Run(ctx, after, tr.opt).Findings {
		if f.Fix != nil && f.Fix.Executable == "" && (unsafe || !f.Fix.Unsafe) {
			t.Errorf("%s:%d: %s offers a fix that is not made: %s", f.File, f.Range.Line, f.Rule, f.Fix.Title)
		}
	}
	return b.String()
}

// broken counts what keeps a text from being read.
func broken(src []byte) int {
	n := 0
	for _, note := range skill.Parse("s/SKILL.md", src).Notes {
		if note.Code != skill.NoteStrayClose {
			n++
		}
	}
	return n
}

// TestDocs: every rule has a page that explains it, and a case that shows it.
func TestDocs(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range All() {
		if seen[r.ID] || seen[r.Name] {
			t.Errorf("%s %s: there twice", r.ID, r.Name)
		}
		seen[r.ID], seen[r.Name] = true, true
		if doc := r.Doc(); !strings.HasPrefix(doc, "# "+r.ID+" "+r.Name+"\n") || strings.Count(doc, "\n") < 3 {
			t.Errorf("%s: check/doc/%s.md does not explain it", r.ID, r.ID)
		}
		src, err := os.ReadFile("testdata/" + r.ID + ".txtar")
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Contains(src, []byte(" "+r.ID+": ")) {
			t.Errorf("testdata/%s.txtar does not show it", r.ID)
		}
	}
}
