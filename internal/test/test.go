// Package test is what the tests of all packages share: which of them run when, cases as txtar
// archives, schemas, the real bash, and programs from npm.
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

// The flags by which tests rewrite their data.
var (
	Update = flag.Bool("update", false, "rewrite what is wanted in testdata")
	Record = flag.Bool("record", false, "ask the real programs, and write what they do into testdata")
)

// Lacking ends a test for want of what the machine does not have: it is skipped
// by that name, or fails with SKILLHAND_REQUIRE_ALL=1.
func Lacking(t testing.TB, what any) {
	t.Helper()
	if os.Getenv("SKILLHAND_REQUIRE_ALL") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Found ends the test if what it cannot do without was looked for in vain.
func Found(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		Lacking(t, err)
	}
}

// AskAll reports whether the real programs are asked everything, as make real does.
func AskAll() bool { return *Record || os.Getenv("SKILLHAND_REAL") == "1" }

// Real ends a test that asks a real program, unless everything is asked or the test is one that
// always does. Every such test stands in real.txt, so that make real leaves none out.
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

// Tortured reports whether tests may take long and much, as make torture lets them.
func Tortured() bool { return os.Getenv("SKILLHAND_TORTURE") == "1" }

// Torture ends a test that takes long or much, unless make torture runs it.
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
	Always       bool     // in make test too
	Recordings   []string // the files with what the programs answered, as patterns below the folder
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

// findRow returns the row of a test: the one with the longest name that is the test's or a parent's.
func findRow(folder, name string) (found RealTest, ok bool) {
	for _, r := range RealTests() {
		if r.Folder == folder && strings.HasPrefix(name+"/", r.Test+"/") && len(r.Test) > len(found.Test) {
			found, ok = r, true
		}
	}
	return found, ok
}

// folder is the tested package's, below the module's root: where go test starts a test.
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
	return "" // a test binary that plays a program elsewhere
}()
