package trust

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestStore(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(base, "pro ject")
	file := filepath.Join(project, "skills", "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(project, link); err != nil {
		t.Fatal(err)
	}
	s := Store{Dir: filepath.Join(base, "state", "trust")}
	want := func(path string, trusted bool, more ...string) {
		t.Helper()
		own := Policy{Store: s, Own: more}
		found := Policy{Store: s, More: func() []string { return more }}
		for _, p := range []Policy{own, own.Now(), found, found.Now()} {
			if err := p.May(path); (err == nil) != trusted {
				t.Errorf("May(%s), own %q: %v", path, more, err)
			}
		}
	}
	want(file, false)
	want(file, true, project)
	want(file, true, link)
	want(file, false, filepath.Join(base, "pro"))
	want(filepath.Join(base, "nowhere"), false, base)

	if real, err := s.Trust(link); err != nil || real != project {
		t.Fatalf("Trust(%s) = %s, %v", link, real, err)
	}
	want(file, true)
	want(project, true)
	want(filepath.Join(link, "skills", "SKILL.md"), true)
	want(base, false)
	if list, err := s.List(); err != nil || len(list) != 1 || list[0].Dir != project {
		t.Errorf("List() = %v, %v", list, err)
	}

	// A mark that is not what its name says trusts nothing.
	mark := s.file(project)
	for _, text := range []string{"", "/\n", project, base + "\n", "\x00", project + "\nx\n", project + "\npin 0\n"} {
		if err := os.WriteFile(mark, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want(file, false)
	}
	if _, err := s.Trust(project); err != nil {
		t.Fatal(err)
	}
	want(file, true)
	if info, err := os.Stat(mark); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mark is %v, %v", info.Mode(), err)
	}
	if err := os.Rename(project, project+"2"); err != nil {
		t.Fatal(err)
	}
	want(filepath.Join(project+"2", "skills", "SKILL.md"), false)
	if _, err := s.Revoke(project); err != nil {
		t.Errorf("a folder that is gone cannot be revoked: %v", err)
	}
	if _, err := s.Revoke(project + "2"); err == nil {
		t.Error("revoked what was not trusted")
	}
	if _, err := s.Trust(filepath.Join(base, "nowhere")); err == nil {
		t.Error("trusted what is not there")
	}
}

func TestManyAtOnce(t *testing.T) {
	base := t.TempDir()
	s := Store{Dir: filepath.Join(base, "state")}
	var wg sync.WaitGroup
	for i := range 20 {
		dir := filepath.Join(base, fmt.Sprint("d", i%5))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if _, err := s.Trust(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if list, err := s.List(); err != nil || len(list) != 5 {
		t.Errorf("List() = %v, %v; want 5 folders", list, err)
	}
}

// TestPin: trust that is bound to the content ends with a change of what can run.
func TestPin(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "skills")
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	skill := filepath.Join(dir, "a", "SKILL.md")
	write("a/SKILL.md", "Some prose.\n\n!`./run.sh`\n")
	write("a/run.sh", "echo one\n")
	asked := []Question{}
	p := Policy{Store: Store{Dir: filepath.Join(base, "state", "trust")}}
	if _, err := p.Store.Pin(dir, ""); err != nil {
		t.Fatal(err)
	}
	want := func(step string, changed bool) {
		t.Helper()
		err := p.May(skill)
		refused, _ := errors.AsType[*NotTrusted](err)
		if (err != nil) != changed || changed && (refused == nil || !refused.Changed) {
			t.Errorf("%s: %v", step, err)
		}
	}
	want("as it was", false)
	write("a/SKILL.md", "Other prose.\n\n!`./run.sh`\n")
	write(".git/HEAD", "x")
	want("other prose", false)
	write("a/run.sh", "echo two\n")
	write("a/SKILL.md", "Other prose.\n\n!`./run.sh; id`\n")
	want("another script", true)

	p.Confirm = func(_ context.Context, q Question) (bool, error) {
		asked = append(asked, q)
		return true, nil
	}
	if err := p.Allow(t.Context(), skill, func() []string { return []string{"./run.sh"} }); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"-./run.sh\n+./run.sh; id\n", "-echo one\n+echo two\n"} {
		if len(asked) != 1 || !strings.Contains(asked[0].Changes, part) {
			t.Errorf("the question shows no %q: %+v", part, asked)
		}
	}
	want("seen and pinned again", false)

	// The pinned text is the one that was shown, not one that came while the user read it.
	write("a/run.sh", "echo three\n")
	p.Confirm = func(context.Context, Question) (bool, error) {
		write("a/run.sh", "echo four\n")
		return true, nil
	}
	if err := p.Allow(t.Context(), skill, func() []string { return []string{"./run.sh"} }); err == nil ||
		!strings.Contains(err.Error(), "not pinned: its digest is") {
		t.Errorf("changed while the user read: %v", err)
	}
	want("not seen", true)
	if _, err := p.Store.Pin(dir, ""); err != nil {
		t.Fatal(err)
	}
	write("a/new", "")
	want("a new file", true)
}

// TestPinLinks: what a link leads to is pinned too, file or folder, and cycles end.
func TestPinLinks(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(base, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("skills/a/SKILL.md", "!`./run.sh`\n")
	write("skills/a/own.sh", "echo own\n")
	write("elsewhere/run.sh", "echo one\n")
	write("elsewhere/notes.md", "prose\n")
	write("folder/deep/lib.sh", "echo one\n")
	for link, to := range map[string]string{
		"skills/a/run.sh": "../../elsewhere/run.sh", "skills/a/notes.sh": "../../elsewhere/notes.md", "skills/a/lib": "../../folder",
		"skills/a/here.sh": "own.sh", "skills/a/nowhere": "../../nothing", "folder/again": "../folder", "skills/a/all": "..",
	} {
		if err := os.Symlink(to, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	p := Policy{Store: Store{Dir: filepath.Join(base, "state", "trust")}}
	dir := filepath.Join(base, "skills")
	for _, change := range []struct{ file, text string }{
		{"elsewhere/run.sh", "touch pwned\n"}, {"elsewhere/notes.md", "touch pwned\n"}, {"folder/deep/lib.sh", "touch pwned\n"}, {"folder/new.sh", ""},
		{"nothing", "touch pwned\n"}, {"skills/a/own.sh", "touch pwned\n"},
	} {
		if _, err := p.Store.Pin(dir, ""); err != nil {
			t.Fatal(err)
		}
		if err := p.May(filepath.Join(dir, "a", "SKILL.md")); err != nil {
			t.Errorf("as it was pinned: %v", err)
		}
		write(change.file, change.text)
		refused, ok := errors.AsType[*NotTrusted](p.May(filepath.Join(dir, "a", "SKILL.md")))
		if !ok || !refused.Changed {
			t.Errorf("%s changed: %v", change.file, refused)
		}
		if changes, _, err := p.Store.Changes(dir); err != nil || change.text != "" && !strings.Contains(changes, "+touch pwned") {
			t.Errorf("%s changed, and what is shown is %q, %v", change.file, changes, err)
		}
	}
}

// TestNotBelieved: a store that others can write, or that a project brings, says nothing.
func TestNotBelieved(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(base, "project")
	if err := errors.Join(os.MkdirAll(filepath.Join(project, ".git"), 0o777), os.WriteFile(filepath.Join(project, "a"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, state, home string
		mode              os.FileMode
		want              string
	}{
		{"ours", "state1", "", 0o700, ""},
		{"anyone's", "state2", "", 0o777, "others can write"},
		{"the group's", "state3", "", 0o770, "others can write"},
		{"the project's", "project/state", "", 0o700, "are ignored; move "},
		{"the project is the home", "project/state", "project", 0o700, ""},
	} {
		state := filepath.Join(base, tt.state)
		p := Policy{Store: Store{Dir: filepath.Join(state, "trust")}, Home: filepath.Join(base, tt.home, "x")}
		if tt.home != "" {
			p.Home = filepath.Join(base, tt.home)
		}
		if _, err := p.Store.Trust(project); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(state, tt.mode); err != nil {
			t.Fatal(err)
		}
		err := p.May(filepath.Join(project, "a"))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
