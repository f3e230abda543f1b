// Package test helps the tests of all packages: it decides which tests run when, and offers cases
// as txtar archives, schemas, the real bash, and programs from npm.
package test

import (
	_ "embed"
	"flag"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// The flags that make tests rewrite their data.
var (
	Update = flag.Bool("update", false, "rewrite what is wanted in testdata")
	Record = flag.Bool("record", false, "ask the real programs, and write what they do into testdata")
)

// Lacking ends a test because the machine lacks something. It skips the test by that name, or fails
// it with SKILLHAND_REQUIRE_ALL=1.
func Lacking(t testing.TB, what any) {
	t.Helper()
	if os.Getenv("SKILLHAND_REQUIRE_ALL") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Found ends the test if something that it needs was not found.
func Found(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		Lacking(t, err)
	}
}

// AskAll reports whether tests ask the real programs everything, as in make real.
func AskAll() bool { return *Record || os.Getenv("SKILLHAND_REAL") == "1" }

// Real ends a test that asks a real program, unless all such tests run or this test always runs.
// Every such test is listed in real.txt, so that make real leaves none out.
func Real(t testing.TB) {
	t.Helper()
	row, ok := findRow(folder, t.Name())
	switch {
	case !ok:
		t.Fatalf("%s %s asks a real program and is not in internal/test/real.txt", folder, t.Name())
	case !row.Always && !AskAll():
		t.Skip("make real asks the real program")
	}
}

// Tortured reports whether tests may take long and use a lot, as in make torture.
func Tortured() bool { return os.Getenv("SKILLHAND_TORTURE") == "1" }

// Torture ends a test that takes long or uses a lot, unless make torture runs it.
func Torture(t testing.TB) {
	t.Helper()
	if !Tortured() {
		t.Skip("make torture runs it")
	}
}

//go:embed real.txt
var realList string

// A RealTest is a row of real.txt: a test that asks real programs.
type RealTest struct {
	Folder, Test string
	Always       bool     // also run by make test
	Recordings   []string // patterns below the folder for the files with the programs' answers
}

// RealTests reads real.txt.
func RealTests() (all []RealTest) {
	for line := range strings.Lines(realList) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		r := RealTest{Folder: words[0], Test: words[1]}
		for _, word := range words[2:] {
			if word == "always" {
				r.Always = true
			} else {
				r.Recordings = append(r.Recordings, word)
			}
		}
		all = append(all, r)
	}
	return all
}

// findRow returns the row of a test: the row with the longest name that is the test's name or a
// parent's.
func findRow(folder, name string) (found RealTest, ok bool) {
	for _, r := range RealTests() {
		if r.Folder == folder && strings.HasPrefix(name+"/", r.Test+"/") && len(r.Test) > len(found.Test) {
			found, ok = r, true
		}
	}
	return found, ok
}

// folder is the path of the tested package below the module's root. go test starts a test there.
var folder = func() string {
	dir, err := os.Getwd()
	for below := ""; err == nil; {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return below
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		below = path.Join(filepath.Base(dir), below)
		dir = parent
	}
	return "" // this test binary plays a program elsewhere
}()
