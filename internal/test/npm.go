package test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/proc"
)

// A Tool is a set of packages, each as name@version.
type Tool struct {
	Name     string   // the name of its program, if it has one
	Packages []string // its own package first, then the packages that it needs
	Says     string   // how the output of --version begins; "" skips that check
}

// The tools from npm: agents, and programs that judge pages and the input of agents.
var (
	Claude = Tool{Name: "claude", Packages: []string{"@anthropic-ai/claude-code@" + claudecode.Version}, Says: claudecode.Version + " "}
	// The inspector needs a newer node than many machines have.
	Inspector  = Tool{Name: "mcp-inspector", Packages: []string{"@modelcontextprotocol/inspector@2.12.0", "node@22.23.3"}}
	TypeScript = Tool{Name: "tsc", Packages: []string{"typescript@5.9.3", "@types/node@20.19.43"}}
	Axe        = Tool{Name: "axe", Packages: []string{"axe-core@4.14.0"}}
)

// Bin returns the folder with the tool's programs, if the test may run them: see Real and Modules.
func Bin(t testing.TB, tool Tool) string {
	t.Helper()
	Real(t)
	return filepath.Join(Modules(t, tool), ".bin")
}

// Modules returns the folder with the tool's packages. The first test that needs the tool installs
// it in the user's cache folder. If that is impossible, the test is skipped, or fails with
// SKILLHAND_REQUIRE_ALL=1.
func Modules(t testing.TB, tool Tool) string {
	t.Helper()
	bin, err := Install(tool)
	if err != nil {
		Lacking(t, err)
	}
	return filepath.Dir(bin)
}

// Install installs a tool in the user's cache folder, unless it is already there. It returns the
// folder with the tool's programs.
func Install(tool Tool) (bin string, err error) {
	cache, err := os.UserCacheDir()
	if err == nil {
		cache = filepath.Join(cache, "skillhand")
		err = tool.install(context.Background(), cache, "npm")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", tool.Packages[0], err)
	}
	return filepath.Join(modules(tool.folder(cache)), ".bin"), nil
}

// own returns the name and version of the tool's own package.
func (tool Tool) own() (name, version string) {
	at := strings.LastIndexByte(tool.Packages[0], '@') // a name may begin with @
	return tool.Packages[0][:at], tool.Packages[0][at+1:]
}

// folder returns the folder below cache that the tool is installed in.
func (tool Tool) folder(cache string) string {
	_, version := tool.own()
	return filepath.Join(cache, tool.Name+"-"+version)
}

// modules returns the folder with the packages that npm installed in folder.
func modules(folder string) string { return filepath.Join(folder, "node_modules") }

// install installs the tool in its folder, unless it is already there. If several processes try at
// the same time, one installs and the others wait. The folder appears only when it is complete.
func (tool Tool) install(ctx context.Context, cache, npm string) error {
	folder := tool.folder(cache)
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return err
	}
	lock := flock.New(folder + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	if _, err := os.Stat(folder); err == nil {
		return nil // another process installed it in the meantime
	}
	return tool.download(ctx, folder, npm)
}

func (tool Tool) download(ctx context.Context, folder, npm string) error {
	temp, err := os.MkdirTemp(filepath.Dir(folder), tool.Name+"-install-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	_, err = run(ctx, temp, append([]string{npm, "install", "--prefix", temp, "--no-audit", "--no-fund", "--loglevel=error"},
		tool.Packages...)...)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not on this machine", npm)
	} else if err != nil {
		return err
	}
	name, _ := tool.own()
	if _, err := os.Stat(filepath.Join(modules(temp), filepath.FromSlash(name))); err != nil {
		return err
	}
	if tool.Says != "" { // npm also succeeds if the package's own installation failed
		out, err := run(ctx, temp, filepath.Join(modules(temp), ".bin", tool.Name), "--version")
		if err != nil {
			return err
		}
		if !strings.HasPrefix(out, tool.Says) {
			return fmt.Errorf("npm installed %q", out)
		}
	}
	return os.Rename(temp, folder)
}

// run returns the output of a program, or an error that contains the output.
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
