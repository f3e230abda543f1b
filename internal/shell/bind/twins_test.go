package bind_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/shell/bind"
	"github.com/skillhand/skillhand/internal/test"
)

// inertValues are values that people give to skills: words that name nothing here.
var inertValues = []string{"hello", "main", "src/app.py", "fix the typo", "notes.md", "v1.2.3", "release/2.0", "alice"}

// worldOf returns the programs in PATH and the files in a folder as a World.
func worldOf(dir string) bind.World {
	return bind.World{
		Program: func(name string) bool { _, err := exec.LookPath(name); return err == nil },
		File: func(path string) bool {
			list, _ := filepath.Glob(filepath.Join(dir, path) + ".*")
			_, err := os.Lstat(filepath.Join(dir, path))
			return err == nil || len(list) > 0
		},
	}
}

// TestTwins puts ordinary values into the templates of attacks. A line that is not refused must
// print the same output as bash. At most 43 in 100 may be refused.
func TestTwins(t *testing.T) {
	test.NeedBash5(t)
	fresh := bait(t)
	world, taken, refused := worldOf(fresh), []pair(nil), 0
	seen := map[string]bool{}
	for _, p := range append(pairs(t, "hostile.txt", "x"), pairs(t, "fresh.txt", "x")...) {
		if seen[p.template] {
			continue
		}
		seen[p.template] = true
		for i := range p.args {
			p.args[i] = inertValues[(len(p.template)+i)%len(inertValues)]
		}
		if len(bind.Judge(p.line(), world)) == 0 {
			taken = append(taken, p)
		} else {
			refused++
		}
	}
	t.Logf("%d of %d twins are refused", refused, len(seen))
	if refused*100 > 43*len(seen) { // most pass a value as a command, a script or an option, and none of these is allowed there
		t.Errorf("%d of %d twins are refused, want 43 in 100", refused, len(seen))
	}
	twins := pairs(t, "twins.txt")
	refused = 0
	for _, p := range twins { // these have values that fit
		if len(bind.Judge(p.line(), world)) > 0 {
			refused++
		}
	}
	if t.Logf("%d of %d twins of twins.txt are refused", refused, len(twins)); refused*100 > 7*len(twins) {
		t.Errorf("%d of %d twins are refused, want 7 in 100", refused, len(twins))
	}
	same, tried := 0, 0
	for i := 0; i < len(taken); i += 60 {
		got, want := beside(t, fresh, taken[i])
		if tried++; got == want {
			same++
		} else {
			t.Logf("%q with %q printed %q, bash %q", taken[i].template, taken[i].args, got, want)
		}
	}
	if t.Logf("%d of %d print what bash prints", same, tried); same*100 < 93*tried {
		t.Errorf("%d of %d twins print what bash prints, want 93 in 100", same, tried)
	}
}

// beside runs a pair, and bash with the same text, each in its own folder.
func beside(t *testing.T, fresh string, p pair) (got, want string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "w")
	clean := func() {
		os.RemoveAll(dir)
		if err := os.CopyFS(dir, os.DirFS(fresh)); err != nil {
			t.Fatal(err)
		}
	}
	clean()
	env := append(os.Environ(), "LC_ALL=C", "HOME="+t.TempDir())
	r, err := (&shell.Shell{Dir: dir, Timeout: 10 * time.Second, Env: env}).Run(t.Context(), p.line())
	if err != nil {
		t.Fatal(err)
	}
	got = r.Stdout.String()
	r.Stdout.Close()
	r.Stderr.Close()
	clean()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", p.pasted())
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, time.Second
	out, _ := cmd.Output()
	return got, string(out)
}
