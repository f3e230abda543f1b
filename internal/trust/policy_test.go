package trust

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// layOut makes files below a folder of the test's own, each with its path as text.
func layOut(t *testing.T, files ...string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(name), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPlace: what is trusted is as much as people think of as one thing.
func TestPlace(t *testing.T) {
	tests := []struct{ file, want string }{
		{"repo/skills/a/SKILL.md", "repo"},
		{"plugin/skills/a/SKILL.md", "plugin"},
		{"plugin/skills/a/scripts/execute.sh", "plugin"},
		{"plugin/commands/a.md", "plugin"},
		{"plugin/commands/sub/a.md", "plugin"},
		{"project/.claude/skills/a/SKILL.md", "project"},
		{"project/.agents/skills/a/scripts/execute.sh", "project"},
		{"project/.other/skills/a/SKILL.md", "project/.other/skills/a"},
		{"loose/a/SKILL.md", "loose/a"},
		{"loose/a", "loose/a"},
		{"gone/a/SKILL.md", "gone/a"},
	}
	files := []string{"repo/.git/HEAD", "plugin/.claude-plugin/plugin.json"}
	for _, tt := range tests {
		if filepath.Ext(tt.file) != "" && !strings.HasPrefix(tt.file, "gone") {
			files = append(files, tt.file)
		}
	}
	dir := layOut(t, files...)
	for _, tt := range tests {
		if got := Root(filepath.Join(dir, tt.file)); got != filepath.Join(dir, tt.want) {
			t.Errorf("Root(%s) = %s, want %s", tt.file, got, tt.want)
		}
	}
}

// TestAllow: who is asked, about what, and what comes of the answer.
func TestAllow(t *testing.T) {
	dir := layOut(t, "skills/a/SKILL.md")
	file := filepath.Join(dir, "skills", "a", "SKILL.md")
	store := Store{Dir: filepath.Join(dir, "state")}
	commands := func() []string { return []string{"id"} }
	refused := func(err error) bool { _, ok := errors.AsType[*NotTrusted](err); return ok }
	if err := (Policy{Store: store}).Allow(t.Context(), file, commands); !refused(err) {
		t.Errorf("nobody to ask: %v", err)
	}
	answer := func(yes bool, err error) Policy {
		return Policy{Store: store, Confirm: func(_ context.Context, q Question) (bool, error) {
			if q.Dir != filepath.Dir(file) || len(q.Commands) != 1 || q.Changes != "" {
				t.Errorf("asked %+v", q)
			}
			return yes, err
		}}
	}
	if err := answer(true, nil).Allow(t.Context(), file, func() []string { return nil }); err != nil || (Policy{Store: store}).May(file) == nil {
		t.Errorf("nothing would run: %v", err)
	}
	if err := answer(false, nil).Allow(t.Context(), file, commands); !refused(err) {
		t.Errorf("no: %v", err)
	}
	gone := errors.New("the terminal is gone")
	if err := answer(true, gone).Allow(t.Context(), file, commands); !errors.Is(err, gone) {
		t.Errorf("no answer: %v", err)
	}
	if err := (Policy{Store: store}).May(file); !refused(err) {
		t.Errorf("after no yes: %v", err)
	}
	if err := answer(true, nil).Allow(t.Context(), file, commands); err != nil {
		t.Errorf("yes: %v", err)
	}
	if err := (Policy{Store: store}).Allow(t.Context(), file, commands); err != nil {
		t.Errorf("after a yes: %v", err)
	}
	list, err := store.List()
	if err != nil || len(list) != 1 || list[0] != (Folder{Dir: filepath.Dir(file), Trusted: true}) {
		t.Errorf("List() = %+v, %v", list, err)
	}
}

// TestChanges: what is new, gone, or no text shows too.
func TestChanges(t *testing.T) {
	dir := layOut(t, "a/gone.sh", "a/bytes", "a/large", "a/same")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "a", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("bytes", "\x00one")
	put("large", strings.Repeat("x", maxShown+1))
	store := Store{Dir: filepath.Join(dir, "state")}
	if _, _, err := store.Changes(filepath.Join(dir, "a")); !errors.Is(err, ErrNotPinned) {
		t.Errorf("before it is pinned: %v", err)
	}
	if _, err := store.Pin(filepath.Join(dir, "a"), ""); err != nil {
		t.Fatal(err)
	}
	if list, err := store.List(); err != nil || len(list) != 1 || !list[0].Pinned {
		t.Errorf("List() = %+v, %v", list, err)
	}
	put("bytes", "\x00two")
	put("large", strings.Repeat("y", maxShown+1))
	put("new.sh", "id\n")
	if err := os.Remove(filepath.Join(dir, "a", "gone.sh")); err != nil {
		t.Fatal(err)
	}
	got, _, err := store.Changes(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bytes changed: ", "large changed: ", "now/new.sh\n", "+id\n", "pinned/gone.sh\n", "-a/gone.sh\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "same") {
		t.Errorf("what is the same shows:\n%s", got)
	}
}
