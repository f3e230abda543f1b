package realclaude

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillhand/skillhand/claudepage"
	"github.com/skillhand/skillhand/internal/needs"
	"github.com/skillhand/skillhand/proc"
)

// Version is the CLI that tests are written against.
const Version = claudepage.Version

// Program returns the path of the pinned CLI. The first test that asks for it on a machine
// installs it, into the user's cache folder. Where that cannot be done the test is skipped,
// or fails with SKILLHAND_REQUIRE_ALL=1.
func Program(t testing.TB) string {
	t.Helper()
	program, err := installed()
	if err != nil {
		needs.Lacking(t, err)
	}
	return program
}

var installed = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("claude %s: %w", Version, err)
	}
	return install(context.Background(), filepath.Join(cache, "skillhand", "claude-"+Version), "npm")
})

// install returns the CLI in dir, after putting it there if need be. Of several processes
// that do so at once, one installs and the others wait for it. dir appears whole or not at all.
func install(ctx context.Context, dir, npm string) (string, error) {
	program := filepath.Join(dir, "node_modules", ".bin", "claude")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", fmt.Errorf("claude %s: %w", Version, err)
	}
	unlock, err := lock(dir + ".lock")
	if err != nil {
		return "", fmt.Errorf("claude %s: %w", Version, err)
	}
	defer unlock()
	if _, err := os.Stat(program); err == nil {
		return program, nil // while we waited
	}
	if err := download(ctx, dir, npm); err != nil {
		return "", fmt.Errorf("claude %s: %w", Version, err)
	}
	return program, nil
}

func download(ctx context.Context, dir, npm string) error {
	temp, err := os.MkdirTemp(filepath.Dir(dir), "claude-install-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	_, err = run(ctx, temp, npm, "install", "--prefix", temp, "--no-audit", "--no-fund", "--loglevel=error",
		"@anthropic-ai/claude-code@"+Version)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not on this machine", npm)
	} else if err != nil {
		return err
	}
	// npm succeeds even if the package's own installation did not.
	out, err := run(ctx, temp, filepath.Join(temp, "node_modules", ".bin", "claude"), "--version")
	if err != nil {
		return err
	}
	if !strings.HasPrefix(out, Version+" ") {
		return fmt.Errorf("npm installed %q", out)
	}
	return os.Rename(temp, dir)
}

// run returns what a program says, or an error that says it.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	var out bytes.Buffer
	res, err := proc.Run(ctx, proc.Cmd{Args: args, Dir: dir, Stdout: &out, Stderr: &out, Timeout: 5 * time.Minute})
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(out.String())
	if res.Cut != proc.Not {
		return "", fmt.Errorf("%s: no end within %v: %s", args[0], res.Duration, text)
	}
	if res.Exit != 0 {
		return "", fmt.Errorf("%s: exit status %d: %s", args[0], res.Exit, text)
	}
	return text, nil
}
