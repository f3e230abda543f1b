//go:build unix

package test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// fakeNPM writes an npm that slowly installs a claude of the given version and logs each call.
func fakeNPM(t *testing.T, version string) (npm, log string) {
	t.Helper()
	dir := t.TempDir()
	npm, log = filepath.Join(dir, "npm"), filepath.Join(dir, "log")
	script := `#!/bin/sh
echo "$@" >>` + log + `
mkdir -p "$3/node_modules/.bin" "$3/node_modules/@anthropic-ai/claude-code"
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
	npm, log := fakeNPM(t, claudecode.Version)
	cache := filepath.Join(t.TempDir(), "new")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := Claude.install(t.Context(), cache, npm); err != nil {
				t.Error(err)
			} else if _, err := os.Stat(filepath.Join(modules(Claude.folder(cache)), ".bin", "claude")); err != nil {
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
	if !strings.Contains(string(calls), " @anthropic-ai/claude-code@"+claudecode.Version+"\n") {
		t.Errorf("npm was asked for: %s", calls)
	}
	// The second time, npm is not needed.
	if err := Claude.install(t.Context(), cache, "no-such-npm"); err != nil {
		t.Error(err)
	}
	wantEntries(t, cache, "claude-"+claudecode.Version, "claude-"+claudecode.Version+".lock")
}

func TestInstallFails(t *testing.T) {
	other, _ := fakeNPM(t, "9.9.9")
	for _, tt := range []struct{ name, npm, want string }{
		{"no npm", "no-such-npm", "no-such-npm is not on this machine"},
		{"npm fails", "false", "false: exit status 1: "},
		{"installs nothing", "true", "stat "},
		{"another version", other, `npm installed "9.9.9 (Claude Code)"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cache := t.TempDir()
			err := Claude.install(t.Context(), cache, tt.npm)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error: %v, want %s", err, tt.want)
			}
			wantEntries(t, cache, "claude-"+claudecode.Version+".lock")
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
