package trust

import (
	"fmt"
	"os"
	"path/filepath"
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
		if got := s.Trusted(path, more...); got != trusted {
			t.Errorf("Trusted(%s, %q) = %v", path, more, got)
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
	if list, err := s.List(); err != nil || len(list) != 1 || list[0] != project {
		t.Errorf("List() = %q, %v", list, err)
	}

	// A mark that is not what its name says trusts nothing.
	mark := s.file(project)
	for _, text := range []string{"", "/\n", project, base + "\n", "\x00"} {
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
		t.Errorf("List() = %q, %v; want 5 folders", list, err)
	}
}
