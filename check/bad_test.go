package check

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/skillhand/skillhand/internal/claudecode/claudepage"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/skill"
)

func readCase(t testing.TB, file string) test.Case {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := test.Case{Comment: string(a.Comment), Files: map[string]string{}}
	for _, f := range a.Files {
		c.Files[f.Name] = string(f.Data)
	}
	return c
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestBadInput: whatever one file is like, it is a finding at its place, and the rest is checked.
func TestBadInput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and odd names")
	}
	dir := t.TempDir()
	skills := filepath.Join(dir, ".claude", "skills")
	at := func(name string) string { return filepath.Join(skills, name, "SKILL.md") }
	write(t, at("good"), "---\ndescription: good\n---\n!`find . -name \\'x\\'`\n")
	write(t, at("yaml"), "---\ndescription: \"not closed\n---\nText.\n")
	write(t, at("huge"), strings.Repeat("x", skill.MaxSize+1))
	write(t, at("fence"), "---\ndescription: fence\n---\n```!\nls\n")
	write(t, at("secret"), "---\ndescription: secret\n---\n")
	write(t, at("bad\xffname"), "---\ndescription: odd\n---\n!`find . -name \\'x\\'`\n")
	write(t, at("empty"), "")
	for link, to := range map[string]string{"loop": ".", "up": "../..", "self": "self"} {
		if err := os.Symlink(to, filepath.Join(skills, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(skills, "dangling"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", at("dangling")); err != nil {
		t.Fatal(err)
	}
	want := []string{"good/SKILL.md:4:16: error SK301", "yaml/SKILL.md:2:14: error SK101", "huge/SKILL.md:1:1: error SK001", "fence/SKILL.md:4:1: error SK312",
		"bad\ufffdname/SKILL.md:4:16: error SK301", "dangling/SKILL.md:1:1: error SK001: a symbolic link to nowhere, which does not exist",
		"self:1:1: error SK001: a symbolic link to self, which leads back to it", "empty/SKILL.md:1:1: error SK106"}
	if os.Getuid() != 0 {
		if err := os.Chmod(at("secret"), 0); err != nil {
			t.Fatal(err)
		}
		want = append(want, "secret/SKILL.md:1:1: error SK001")
	}
	files, err := Finder{Dir: dir}.Find(nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := (Printer{}).Concise(&b, Run(context.Background(), files, Options{}).Findings); err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !strings.Contains(b.String(), ".claude/skills/"+w) {
			t.Errorf("%s is not among\n%s", w, b.String())
		}
	}
	if n := strings.Count(b.String(), "good/SKILL.md"); n > 2 { // with SK401
		t.Errorf("good is there %d times: a loop was followed", n)
	}
}

// FuzzCheck: no text makes it fail, and every range lies in the text.
func FuzzCheck(f *testing.F) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range cases {
		for name, text := range readCase(f, file).Files {
			if strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".json") {
				f.Add(name, text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if strings.ContainsAny(name, "\x00") || len(text) > 20_000 {
			return
		}
		dir := "/nowhere"
		for _, name := range []string{
			"SKILL.md", ".claude/commands/c.md", ".claude/agents/a.md", ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json",
			"hooks/hooks.json",
		} {
			file := Finder{Dir: dir}.Source(filepath.Join(dir, "s", name), []byte(text))
			opt := Options{Dialect: "skillhand", Agents: []string{"claude", "spec"}}
			for _, found := range Run(context.Background(), []File{file}, opt).Findings {
				if r := found.Range; r.Offset < 0 || r.End < r.Offset || r.End > len(text) || r.Line < 1 || r.Column < 1 || r.EndLine < r.Line {
					t.Errorf("%s: %+v", found.Rule, r)
				}
				if fix := found.Fix; fix != nil {
					for _, e := range fix.Edits {
						if e.Offset < 0 || e.End < e.Offset || e.End > len(text) {
							t.Errorf("%s: %+v", found.Rule, e)
						}
					}
				}
				Printer{Columns: 60}.full(found)
			}
			Mend(context.Background(), []File{file}, opt, true)
		}
	})
}

// TestSafe: a safe fix changes nothing that Claude Code would send or run but the fault itself.
// Its pages are compared with directives left as they are.
func TestSafe(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]bool{"SK301": true, "SK310": true, "SK701": true, "SK002": true} // what these mend is on the page
	for _, file := range cases {
		id := strings.TrimSuffix(filepath.Base(file), ".txtar")
		tr := layDown(t, readCase(t, file))
		for _, e := range Mend(context.Background(), tr.files, tr.opt, false).Edits {
			if strings.HasSuffix(e.Name, ".md") && !changes[id] {
				if before, after := page(t, e.Before), page(t, e.After); before != after {
					t.Errorf("%s: %s: the page was\n%s\nand is\n%s", id, e.Name, before, after)
				}
			}
		}
	}
}

// page is what Claude Code sends for a skill, its directives as they stand.
func page(t *testing.T, src []byte) string {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".claude", "skills", "s", "SKILL.md"), string(src))
	p, err := claudepage.Render(context.Background(), claudepage.Request{
		Name:    "s",
		Args:    "one two",
		Tool:    true,
		Project: dir,
		Home:    filepath.Join(dir, "home"),
		NoRun:   func(d string) string { return d },
	})
	if err != nil {
		return "no page"
	}
	return strings.ReplaceAll(p.Text, dir, "")
}

// TestStops: whoever waits no longer gets what there is.
func TestStops(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Nanosecond)
	defer stop()
	<-ctx.Done()
	if res := Run(ctx, []File{{Path: "x", Kind: Skill}}, Options{}); res.Files != 0 {
		t.Errorf("checked %d files", res.Files)
	}
}

// TestLinear: a hostile text of 200 KB ends. What grows with the square of it would not. Unless
// tortured, it is a quarter of that.
func TestLinear(t *testing.T) {
	repeat := func(text string, n int) string {
		if !test.Tortured() {
			n /= 4
		}
		return strings.Repeat(text, n)
	}
	for name, text := range map[string]string{
		"hidden":      repeat("\u200b", 70_000),
		"flags":       repeat("\U000E0061", 50_000),
		"links":       repeat("[a](b.md)", 20_000),
		"brackets":    repeat("](", 100_000),
		"definitions": repeat("[a]: b.md ", 20_000),
		"labels":      repeat("[a]:\n", 40_000),
		"arguments":   "!`echo " + repeat("$0 ", 3_000) + "`",
		"directives":  repeat("!`cat x`\n", 5_000),
		"examples":    "```markdown\nx\n" + repeat("!`cat x`\n", 20_000) + "```",
		"variables":   "!`" + repeat("${CLAUDE_SKILL_DIR}/scripts/x.sh ", 3_000) + "`",
		"comments":    repeat("<!-- skillhand: ignore SK308 x -->\n", 5_000),
		"find":        "!`find " + repeat("-name \\'x\\' ", 5_000) + "`",
		"marks":       repeat("!", 2_000_000),
	} {
		t.Run(name, func(t *testing.T) {
			f := Finder{Dir: "/nowhere"}.Source("/nowhere/s/SKILL.md", []byte("---\ndescription: d\n---\n"+text+"\n"))
			res := Run(context.Background(), []File{f}, Options{Dialect: "skillhand"})
			if len(res.Findings) > 20_000 {
				t.Errorf("%d findings", len(res.Findings))
			}
		})
	}
}
