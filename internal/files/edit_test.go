package files_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/files"
)

// TestPatch: git applies what Patch prints, for a file that changes, was empty, comes or goes.
func TestPatch(t *testing.T) {
	for _, tt := range []struct {
		isThere       bool
		before, after string
	}{{true, "a\nb\n", "a\nc\n"}, {true, "a\nb", "c"}, {true, "a\r\n", "b\r\n"}, {true, "", "new\n"}, {false, "", "new\n"},
		{true, "old\n", ""}} {
		dir := t.TempDir()
		file := filepath.Join(dir, "skills", "a", "SKILL.md")
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if tt.isThere {
			if err := os.WriteFile(file, []byte(tt.before), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		e := &files.Edit{Name: "skills/a/SKILL.md", Before: []byte(tt.before), After: []byte(tt.after)}
		apply := exec.Command("git", "apply", "-")
		apply.Dir, apply.Stdin = dir, strings.NewReader(e.Patch())
		if out, err := apply.CombinedOutput(); err != nil {
			t.Errorf("%q to %q: %v: %s\n%s", tt.before, tt.after, err, out, e.Patch())
		}
		got, err := os.ReadFile(file)
		if string(got) != tt.after || os.IsNotExist(err) != (tt.after == "") {
			t.Errorf("%q became %q, %v, want %q", tt.before, got, err, tt.after)
		}
	}
	outside := &files.Edit{Name: "/x/SKILL.md", Before: []byte("a\n"), After: []byte("b\n")}
	if got := outside.Patch(); !strings.HasPrefix(got, "--- /x/SKILL.md\n") {
		t.Error(got)
	}
}
