//go:build unix

package realclaude

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/skillhand/skillhand/internal/needs"
)

// fakeNPM is an npm that takes its time to install a claude of the given version, and notes
// each time that it was called.
func fakeNPM(t *testing.T, version string) (npm, log string) {
	t.Helper()
	dir := t.TempDir()
	npm, log = filepath.Join(dir, "npm"), filepath.Join(dir, "log")
	script := `#!/bin/sh
echo "$@" >>` + log + `
mkdir -p "$3/node_modules/.bin"
sleep 0.1
printf '#!/bin/sh\necho "` + version + ` (Claude Code)"\n' >"$3/node_modules/.bin/claude"
chmod +x "$3/node_modules/.bin/claude"
`
	if err := os.WriteFile(npm, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return npm, log
}

func TestInstallOnce(t *testing.T) {
	npm, log := fakeNPM(t, Version)
	cache := t.TempDir()
	dir := filepath.Join(cache, "new", "claude")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			program, err := install(t.Context(), dir, npm)
			if err != nil {
				t.Error(err)
			} else if _, err := os.Stat(program); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	calls, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(calls), "\n"); n != 1 {
		t.Errorf("npm ran %d times:\n%s", n, calls)
	}
	if !strings.Contains(string(calls), " @anthropic-ai/claude-code@"+Version+"\n") {
		t.Errorf("npm was asked for: %s", calls)
	}
	// Found again, npm is not needed.
	if _, err := install(t.Context(), dir, "no-such-npm"); err != nil {
		t.Error(err)
	}
	wantEntries(t, filepath.Dir(dir), "claude", "claude.lock")
}

func TestInstallFails(t *testing.T) {
	other, _ := fakeNPM(t, "9.9.9")
	for _, tt := range []struct{ name, npm, want string }{
		{"no npm", "no-such-npm", "claude " + Version + ": no-such-npm is not on this machine"},
		{"npm fails", "false", "claude " + Version + ": false: exit status 1: "},
		{"installs nothing", "true", "claude " + Version + ": "},
		{"another version", other, `claude ` + Version + `: npm installed "9.9.9 (Claude Code)"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cache := t.TempDir()
			_, err := install(t.Context(), filepath.Join(cache, "claude"), tt.npm)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error: %v, want %s", err, tt.want)
			}
			wantEntries(t, cache, "claude.lock")
		})
	}
}

func wantEntries(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

// A verdict is a testing.TB that notes how a test would have ended.
type verdict struct {
	testing.TB
	text string
}

func (v *verdict) Helper()                           {}
func (v *verdict) Skip(args ...any)                  { v.end("skip: " + fmt.Sprint(args...)) }
func (v *verdict) Fatal(args ...any)                 { v.end("fail: " + fmt.Sprint(args...)) }
func (v *verdict) Fatalf(format string, args ...any) { v.end("fail: " + fmt.Sprintf(format, args...)) }

func (v *verdict) end(text string) {
	v.text = text
	runtime.Goexit()
}

// verdictOf returns how f ends the test that it is given.
func verdictOf(t *testing.T, f func(t testing.TB)) string {
	v := &verdict{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(v)
	}()
	<-done
	return v.text
}

func TestLacking(t *testing.T) {
	for require, want := range map[string]string{"": "skip: no npm", "1": "fail: no npm"} {
		t.Setenv("SKILLHAND_REQUIRE_ALL", require)
		if got := verdictOf(t, func(t testing.TB) { needs.Lacking(t, errors.New("no npm")) }); got != want {
			t.Errorf("with SKILLHAND_REQUIRE_ALL=%s: %s, want %s", require, got, want)
		}
	}
}
