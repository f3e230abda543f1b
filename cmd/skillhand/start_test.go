package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The budget for starting skillhand, summed over the packages that it
// initializes before main. Time would depend on the machine; this does not. The
// limits leave room for small changes: whoever reaches one looks at
// GODEBUG=inittrace=1 first.
const (
	maxInitAllocs = 1_400
	maxInitBytes  = 240_000
)

// mayLink lists the modules that skillhand is built of. A new one is paid for at
// every start: by load and hook, on every skill and tool call.
var mayLink = []string{
	"github.com/cenkalti/backoff/v5",
	"github.com/go-json-experiment/json", // jsontext
	"github.com/google/jsonschema-go",
	"github.com/google/renameio/v2",
	"github.com/inconshreveable/mousetrap", // cobra's, on Windows
	"github.com/rogpeppe/go-internal",      // diff
	"github.com/spf13/cobra",
	"github.com/spf13/pflag",
	"github.com/tailscale/hujson",
	"go.yaml.in/yaml/v3",
	"golang.org/x/sys",
	"golang.org/x/term",
	"golang.org/x/text",
	"golang.org/x/tools", // txtar
	"mvdan.cc/sh/v3",
}

// mustNotLink lists packages that belong to skillhand-server.
var mustNotLink = []string{"net/http", "crypto/tls", "database/sql", "html/template", "expvar", "net/http/pprof"}

// TestStart keeps the start of skillhand cheap.
func TestStart(t *testing.T) {
	program := filepath.Join(t.TempDir(), "skillhand")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Run("modules", func(t *testing.T) {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if len(info.Deps) == 0 {
			t.Error("it names no modules")
		}
		for _, m := range info.Deps {
			if !slices.Contains(mayLink, m.Path) {
				t.Errorf("links %s: may it?", m.Path)
			}
		}
	})
	t.Run("packages", func(t *testing.T) {
		out, err := exec.Command("go", "list", "-deps", ".").Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, pkg := range strings.Fields(string(out)) {
			if slices.Contains(mustNotLink, pkg) {
				t.Errorf("links %s, which is for skillhand-server", pkg)
			}
		}
	})
	t.Run("init", func(t *testing.T) {
		cmd := exec.Command(program, "version")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var trace bytes.Buffer
		cmd.Stderr = &trace
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		packages, allocs, size := initCost(t, trace.String())
		t.Logf("%d packages, %d allocations, %d bytes", packages, allocs, size)
		if packages < 20 || allocs > maxInitAllocs || size > maxInitBytes {
			t.Errorf("%d allocations and %d bytes, want at most %d and %d:\n%s", allocs, size, maxInitAllocs, maxInitBytes, trace.String())
		}
	})
}

// initCost adds up what inittrace prints: init PACKAGE @0.1 ms, 0.02 ms clock, 48 bytes, 1 allocs.
func initCost(t *testing.T, trace string) (packages, allocs, size int) {
	for line := range strings.Lines(trace) {
		f := strings.Fields(line)
		if len(f) != 11 || f[0] != "init" {
			continue
		}
		packages++
		for column, sum := range map[int]*int{7: &size, 9: &allocs} {
			n, err := strconv.Atoi(f[column])
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			*sum += n
		}
	}
	return packages, allocs, size
}
