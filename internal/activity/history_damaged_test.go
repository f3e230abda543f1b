package activity

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDamagedFiltered checks that a query about one skill also counts the unreadable lines.
func TestDamagedFiltered(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	if err := s.Append(Record{Kind: "run", Skill: "x"}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(s.Dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("{\"kind\":\"run\",\"sk\n"); err != nil {
		t.Fatal(err)
	}
	for _, q := range []Query{{}, {Skill: "x"}, {Skill: "y"}} {
		if found, err := s.Read(q); err != nil || found.Damaged != 1 {
			t.Errorf("%+v: %d damaged lines, %v, want 1", q, found.Damaged, err)
		}
	}
}
