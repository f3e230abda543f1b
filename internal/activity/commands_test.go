package activity

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/here"
)

// TestToolUses checks which uses a person approved, in the transcript of a session in a terminal. A
// copy counts once.
func TestToolUses(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".claude/projects/-p-project")
	src, err := os.ReadFile("testdata/approvals.jsonl")
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	for _, name := range []string{"a", "b"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name+".jsonl"), src, 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
	h := here.Here{Home: home, Env: []string{}}
	read := func(since time.Time, below string) (got []string) {
		err := ToolUses(h, since, below, func(u ToolUse) {
			got = append(got, u.Tool+" "+u.Argument+" "+u.Mode+" "+string(u.Decided))
		})
		if err != nil {
			t.Error(err)
		}
		return got
	}
	got := read(time.Time{}, "/p")
	if len(got) != 2 || got[0] != "Bash touch one default allowed by a person" || got[1] != "Bash touch two default denied by a person" {
		t.Errorf("%q", got)
	}
	if got := append(read(time.Time{}, "/q"), read(time.Now().Add(time.Hour), "")...); got != nil {
		t.Errorf("%q", got)
	}
}
