// Package npm has programs for tests that come as npm packages: agents, and
// tools that judge what agents are given.
package npm

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

	"github.com/gofrs/flock"

	"github.com/skillhand/skillhand/internal/needs"
	"github.com/skillhand/skillhand/proc"
)

// A Tool is a program of some packages, each as name@version.
type Tool struct {
	Name     string
	Packages []string
}

// The tools that tests use.
var (
	Codex = Tool{"codex", []string{"@openai/codex@0.166.0"}}
	// It needs a newer node than many machines have.
	Inspector = Tool{"mcp-inspector", []string{"@modelcontextprotocol/inspector@2.12.0", "node@22.23.3"}}
)

// Bin returns the folder with the tool's programs. The first test that asks for it on a
// machine installs it, into the user's cache folder. Where that cannot be done the test
// is skipped, or fails with SKILLHAND_REQUIRE_ALL=1.
func Bin(t testing.TB, tool Tool) string {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	cache, err := os.UserCacheDir()
	var bin string
	if err == nil {
		bin, err = install(context.Background(), filepath.Join(cache, "skillhand"), tool)
	}
	if err == nil {
		return bin
	}
	needs.Lacking(t, fmt.Errorf("%s: %w", tool.Name, err))
	return ""
}

var installing sync.Mutex

// install puts the tool into a folder of its own below cache, whole or not at all.
// Of several processes that do so at once, one installs and the others wait.
func install(ctx context.Context, cache string, tool Tool) (string, error) {
	_, version, _ := strings.Cut(tool.Packages[0][1:], "@")
	dir := filepath.Join(cache, tool.Name+"-"+version)
	bin := filepath.Join(dir, "node_modules", ".bin")
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return "", err
	}
	lock := flock.New(dir + ".lock")
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer lock.Unlock()
	if _, err := os.Stat(filepath.Join(bin, tool.Name)); err == nil {
		return bin, nil
	}
	temp, err := os.MkdirTemp(cache, tool.Name+"-install-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	var out bytes.Buffer
	args := append([]string{"npm", "install", "--prefix", temp, "--no-audit", "--no-fund", "--loglevel=error"}, tool.Packages...)
	res, err := proc.Run(ctx, proc.Cmd{Args: args, Dir: temp, Stdout: &out, Stderr: &out, Timeout: 5 * time.Minute})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("npm is not on this machine")
	case err != nil:
		return "", err
	case res.Exit != 0 || res.Cut != proc.Not:
		return "", fmt.Errorf("npm install: exit status %d: %s", res.Exit, strings.TrimSpace(out.String()))
	}
	if _, err := os.Stat(filepath.Join(temp, "node_modules", ".bin", tool.Name)); err != nil {
		return "", err
	}
	return bin, os.Rename(temp, dir)
}
