package setup_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/setup"
	"github.com/skillhand/skillhand/skill"
)

func TestCheckName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a": "", "review": "", "review-2": "", "7": "", strings.Repeat("x", 64): "",
		"":                      "a name has 1 to 64 characters",
		strings.Repeat("x", 65): "a name has 1 to 64 characters",
		"Review":                "only lower case letters",
		"a b":                   "only lower case letters",
		"../a":                  "only lower case letters",
		"a.b":                   "only lower case letters",
		"ä":                     "only lower case letters",
		"-a":                    "hyphens go between words",
		"a-":                    "hyphens go between words",
		"a--b":                  "hyphens go between words",
		"a-first-use":           "reserved for companions",
	} {
		err := setup.CheckName(name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// makers make each thing that there is.
var makers = map[string]func(dir, name string) ([]string, error){
	"skill": setup.NewSkill, "launcher": setup.NewLauncher, "plugin": setup.NewPlugin, "batch": setup.NewBatch,
	"stub": func(dir, name string) ([]string, error) { return setup.NewStub(dir, name, "What it does.") },
}

// TestMakes: what is said to be made is all there is; every template is filled in, skills can be
// read, JSON is JSON, and what runs can be run.
func TestMakes(t *testing.T) {
	t.Parallel()
	for kind, make := range makers {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "deep", "review")
			made, err := make(dir, "review")
			if err != nil {
				t.Fatal(err)
			}
			var there []string
			err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					there = append(there, file)
				}
				return err
			})
			if slices.Sort(made); err != nil || !slices.Equal(made, there) {
				t.Errorf("said %q, there is %q, %v", made, there, err)
			}
			for _, file := range there {
				if fault := faultOf(file); fault != "" {
					t.Errorf("%s: %s", file, fault)
				}
			}
		})
	}
}

func faultOf(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	info, err := os.Stat(file)
	if err != nil {
		return err.Error()
	}
	runs := strings.HasPrefix(string(text), "#!")
	s := skill.Parse(file, text)
	switch {
	case strings.Contains(string(text), "[["):
		return "a template that was not filled in"
	case runs != (info.Mode().Perm()&0o111 != 0):
		return fmt.Sprintf("its mode is %v", info.Mode())
	case filepath.Ext(file) == ".json" && !json.Valid(text):
		return "not JSON"
	case filepath.Base(file) == "SKILL.md" && (s.Front.Broken != "" || s.Front.Name != filepath.Base(filepath.Dir(file)) ||
		skill.IsPlaceholder(s.Front.Description) == (s.Front.Description == "What it does.")): // which is the stub's
		return fmt.Sprintf("%+v", s.Front)
	}
	return ""
}

// TestKeeps: nothing is overwritten, and what is not made leaves nothing behind.
func TestKeeps(t *testing.T) {
	t.Parallel()
	for kind, make := range makers {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			for name, prepare := range map[string]func(dir string) error{
				"file":   func(dir string) error { return os.WriteFile(dir, []byte("mine"), 0o666) },
				"folder": func(dir string) error { return os.Mkdir(dir, 0o777) },
				"link":   func(dir string) error { return os.Symlink("nowhere", dir) },
			} {
				dir := filepath.Join(parent, name)
				if err := prepare(dir); err != nil {
					t.Fatal(err)
				}
				if made, err := make(dir, "review"); err == nil || !strings.HasSuffix(err.Error(), "already exists, nothing was written") || made != nil {
					t.Errorf("%s: made %q, %v", name, made, err)
				}
			}
			if made, err := make(filepath.Join(parent, "bad"), "Bad Name"); err == nil || made != nil {
				t.Errorf("a bad name: made %q, %v", made, err)
			}
			left, err := os.ReadDir(parent)
			if err != nil || len(left) != 3 {
				t.Errorf("left %v, %v", left, err)
			}
		})
	}
}

// TestStub: a stub has its skill's description, whatever is in it, and an end that nobody can guess.
func TestStub(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, tt := range []struct{ description, want string }{
		{"Writes cards.", "Writes cards."},
		{"Use when: 'x' # \"y\" \\ and {z} <b> & !`date` ---\n---\nmore", "Use when: 'x' # \"y\" \\ and {z} <b> & !`date` --- --- more"},
		{"  two\r\n\tlines ", "two lines"},
		{"für Ada 🎂 \u2028 x", "für Ada 🎂 x"},
		{"a\x7fb\u0086c\x00d\x1be", "abcde"},
		{"torn \xff", "torn \ufffd"},
		{"[[.Name]]", "[[.Name]]"},
		{"", ""},
	} {
		made, err := setup.NewStub(filepath.Join(t.TempDir(), "card"), "card", tt.description)
		if err != nil || len(made) != 1 {
			t.Fatalf("%q, %v", made, err)
		}
		text, err := os.ReadFile(made[0])
		if err != nil {
			t.Fatal(err)
		}
		s := skill.Parse(made[0], text)
		if s.Front.Broken != "" || s.Front.Description != tt.want || s.Front.Name != "card" {
			t.Errorf("%q: %+v", tt.description, s.Front)
		}
		_, after, _ := strings.Cut(string(text), "--args - <<'")
		end, _, _ := strings.Cut(after, "'")
		if len(end) < 20 || seen[end] || strings.Count(string(text), end) != 2 {
			t.Errorf("the end is %q", end)
		}
		seen[end] = true
	}
}

func TestStubFolder(t *testing.T) {
	t.Parallel()
	for _, agent := range setup.StubAgents() {
		for _, home := range []bool{false, true} {
			if dir, err := setup.StubFolder(agent, home); err != nil || !filepath.IsLocal(dir) || filepath.Base(dir) != "skills" {
				t.Errorf("%s, %v: %q, %v", agent, home, dir, err)
			}
		}
	}
	if _, err := setup.StubFolder("claude", false); err == nil || !strings.Contains(err.Error(), "want codex, ") {
		t.Error(err)
	}
}
