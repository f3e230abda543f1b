package test_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/test"
)

var passed = flag.String("passed", "", "note in real.sum that make real was green for these `folders`")

// TestDigest checks that the recordings and the programs' versions are those of the last green make
// real.
func TestDigest(t *testing.T) {
	text, err := os.ReadFile("real.sum")
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if folder, sum, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			sums[folder] = sum
		}
	}
	now := digests(t)
	if *passed != "" {
		for _, folder := range strings.Fields(strings.ReplaceAll(*passed, "./", "")) {
			sums[folder] = now[folder]
		}
		var out strings.Builder
		for _, folder := range slices.Sorted(maps.Keys(now)) {
			fmt.Fprintln(&out, folder, sums[folder])
		}
		if err := os.WriteFile("real.sum", []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, folder := range slices.Sorted(maps.Keys(now)) {
		sum, unasked := strings.CutSuffix(sums[folder], " unasked") // noted by hand; make real removes the word
		if unasked {
			t.Logf("%s: make real was not green since its digest was noted: run make real PKG=./%[1]s", folder)
		}
		if sum != now[folder] {
			t.Errorf("%s: a recording or a program's version has changed since make real was green: run make real PKG=./%[1]s", folder)
		}
	}
	if len(sums) > len(now) {
		t.Errorf("real.sum has %d folders, real.txt %d: run make real", len(sums), len(now))
	}
}

// digests returns a digest for each folder in real.txt, of all versions and of its recordings.
func digests(t *testing.T) map[string]string {
	t.Helper()
	versions := slices.Concat(test.Claude.Packages, test.Inspector.Packages)
	for _, a := range agents.All() {
		versions = append(versions, a.Package)
	}
	texts := map[string]string{}
	for _, r := range test.RealTests() {
		texts[r.Folder] += "" // a folder without recordings still has the versions
		for _, pattern := range r.Recordings {
			files, err := filepath.Glob(filepath.Join("../..", r.Folder, pattern))
			if err != nil || len(files) == 0 {
				t.Errorf("%s %s: no recording is %s", r.Folder, r.Test, pattern)
			}
			for _, file := range files {
				texts[r.Folder] += contents(t, file)
			}
		}
	}
	sums := map[string]string{}
	for folder, text := range texts {
		sums[folder] = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(versions, " ")+"\n"+text)))
	}
	return sums
}

// ours matches the lines of a recording that contain our own output.
var ours = regexp.MustCompile(`(?m)^check: .*\n`)

// contents returns the output of programs that is recorded in a file, or in all files of a folder.
func contents(t *testing.T, root string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "want.json" { // want.json is our reading of them
			return err
		}
		text, err := os.ReadFile(file)
		fmt.Fprintf(&all, "%s\n%s\n", filepath.ToSlash(file), ours.ReplaceAll(text, nil))
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return strings.ReplaceAll(all.String(), "\r\n", "\n")
}

// TestRealTests checks that every test in real.txt exists, so that make real runs it.
func TestRealTests(t *testing.T) {
	for _, r := range test.RealTests() {
		name, _, _ := strings.Cut(r.Test, "/")
		files, err := filepath.Glob(filepath.Join("../..", r.Folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		there := slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+name+"(t *testing.T) {")
		})
		if !there {
			t.Errorf("%s has no %s", path.Join(r.Folder, "*_test.go"), name)
		}
	}
}
