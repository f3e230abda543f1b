package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var made = time.Date(2026, 11, 15, 4, 54, 45, 0, time.UTC)

// A packed is an entry as read from an archive.
type packed struct {
	Name, Text string
	Mode       fs.FileMode
	Time       time.Time
}

// TestArchives checks that an archive contains its entries in order, all with the same time. The
// order and time of packing leave no trace.
func TestArchives(t *testing.T) {
	entries := []entry{{"z/last.md", []byte("last"), false}, {"bin", []byte("#!"), true}, {"a.md", nil, false}}
	want := []packed{
		{"x-1/a.md", "", 0o644, made},
		{"x-1/bin", "#!", 0o755, made},
		{"x-1/z/last.md", "last", 0o644, made},
	}
	for name, tt := range map[string]struct {
		pack   func(string, []entry, time.Time) ([]byte, error)
		unpack func(*testing.T, []byte) []packed
	}{
		"tar.gz": {tarGz, untar},
		"zip":    {zipped, unzip},
	} {
		t.Run(name, func(t *testing.T) {
			one, err := tt.pack("x-1", entries, made)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, tt.unpack(t, one)); diff != "" {
				t.Errorf("unpacked (-want +got):\n%s", diff)
			}
			turned := slices.Clone(entries)
			slices.Reverse(turned)
			two, err := tt.pack("x-1", turned, made.In(time.FixedZone("elsewhere", 3600)))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(one, two) {
				t.Error("the same files in another order, and in another time zone, make another archive")
			}
			if three, err := tt.pack("x-1", entries[1:], made); err != nil || bytes.Equal(one, three) {
				t.Errorf("other files make the same archive (%v)", err)
			}
		})
	}
}

// TestMake builds a release for this platform twice. Both have the same bytes, complete and
// correct.
func TestMake(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1794718485")
	level = gzip.NoCompression
	here := platform{runtime.GOOS, runtime.GOARCH}
	make := func() map[string][]byte {
		dir := filepath.Join(t.TempDir(), "dist")
		r := release{Root: "../..", Out: dir, Version: "v1.2.3", Platforms: []platform{here}}
		if err := r.Make(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.Make(t.Context()); err == nil || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("a second release into the same folder: %v", err)
		}
		files := map[string][]byte{}
		for _, e := range must(os.ReadDir(dir))(t) {
			files[e.Name()] = must(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		}
		return files
	}
	one, two := make(), make()
	archive := "skillhand-v1.2.3-" + here.OS + "-" + here.Arch + ".tar.gz"
	unpack := untar
	if here.OS == "windows" {
		archive, unpack = strings.TrimSuffix(archive, ".tar.gz")+".zip", unzip
	}
	names := []string{
		"SHA256SUMS", "npm-skillhand-" + here.npmName() + "-1.2.3.tgz", "npm-skillhand-1.2.3.tgz", "skillhand-plugin-v1.2.3.zip",
		archive, "skillhand-v1.2.3.sbom.json",
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, sorted(one)); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	for _, name := range names {
		if !bytes.Equal(one[name], two[name]) {
			t.Errorf("%s: not the same twice", name)
		}
	}
	checkSums(t, one)

	files := map[string]packed{}
	for _, f := range unpack(t, one[archive]) {
		_, name, _ := strings.Cut(f.Name, "/")
		files[name] = f
	}
	for _, name := range []string{
		"LICENSE", "README.md", "CHANGELOG.md", "docs/architecture.md", "man/man1/skillhand.1", "man/man1/skillhand-load.1",
		"man/man1/skillhand-server.1",
		"completions/skillhand.bash", "completions/_skillhand", "completions/skillhand.fish", "completions/skillhand.ps1",
	} {
		if f := files[name]; f.Text == "" || f.Mode != 0o644 || !f.Time.Equal(made) {
			t.Errorf("%s: %d bytes, mode %v, time %v", name, len(f.Text), f.Mode, f.Time)
		}
	}
	if page := files["man/man1/skillhand.1"].Text; !strings.Contains(page, `"2026\-11\-15" "skillhand v1.2.3"`) {
		t.Errorf("skillhand.1 begins with %.80q", page)
	}
	for _, name := range programs {
		checkBinary(t, program(name, runtime.GOOS), files)
	}
	checkPlugin(t, unzip(t, one["skillhand-plugin-v1.2.3.zip"]))
	t.Run("npm", func(t *testing.T) { testNPM(t, one, archive) })
	t.Run("get", func(t *testing.T) { testGet(t, one, archive) })
	t.Run("container", func(t *testing.T) { testContainer(t, &release{Version: "v1.2.3"}, one, archive) })
}

func checkSums(t *testing.T, files map[string][]byte) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(string(files["SHA256SUMS"])), "\n")
	if len(lines) != len(files)-1 {
		t.Errorf("SHA256SUMS has %d lines for %d files", len(lines), len(files)-1)
	}
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		if got := sha256.Sum256(files[name]); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s: not the sum that SHA256SUMS says", name)
		}
	}
}

// checkBinary checks that a program needs no library and does not reveal where it was built.
func checkBinary(t *testing.T, name string, files map[string]packed) {
	t.Helper()
	binary := files[name]
	if binary.Mode != 0o755 {
		t.Errorf("%s: mode %v", name, binary.Mode)
	}
	if !strings.Contains(binary.Text, "v1.2.3") {
		t.Errorf("%s: does not know its version", name)
	}
	if here := must(filepath.Abs("../.."))(t); strings.Contains(binary.Text, here+string(filepath.Separator)) {
		t.Errorf("%s: has the path %s in it", name, here)
	}
	if runtime.GOOS != "linux" {
		return
	}
	f, err := elf.NewFile(strings.NewReader(binary.Text))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("%s: not static: has %v", name, p.Type)
		}
	}
}

func checkPlugin(t *testing.T, files []packed) {
	t.Helper()
	modes := map[string]fs.FileMode{}
	for _, f := range files {
		_, name, _ := strings.Cut(f.Name, "/")
		modes[name] = f.Mode
		if strings.HasSuffix(name, ".go") {
			t.Errorf("the plugin has a test in it: %s", name)
		}
	}
	for name, mode := range map[string]fs.FileMode{
		".claude-plugin/marketplace.json": 0o644, "plugin/.claude-plugin/plugin.json": 0o644, "plugin/hooks/hooks.json": 0o644,
		"plugin/hooks/bin/list-skills": 0o755, "plugin/skills/skillhand/SKILL.md": 0o644, "LICENSE": 0o644,
	} {
		if got, ok := modes[name]; !ok || got != mode {
			t.Errorf("the plugin's %s: there %v, mode %v, want %v", name, ok, got, mode)
		}
	}
}

// TestIdentify checks that an invalid time is an error, not a guess.
func TestIdentify(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	r := release{Root: "../..", Version: "v1"}
	if err := r.identify(t.Context()); err == nil || !strings.Contains(err.Error(), `"yesterday", want seconds`) {
		t.Errorf("got %v", err)
	}
}

func untar(t *testing.T, data []byte) []packed {
	t.Helper()
	tr := tar.NewReader(must(gzip.NewReader(bytes.NewReader(data)))(t))
	var all []packed
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, packed{h.Name, string(must(io.ReadAll(tr))(t)), h.FileInfo().Mode(), h.ModTime.UTC()})
	}
}

func unzip(t *testing.T, data []byte) []packed {
	t.Helper()
	zr := must(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	var all []packed
	for _, f := range zr.File {
		r := must(f.Open())(t)
		all = append(all, packed{f.Name, string(must(io.ReadAll(r))(t)), f.Mode(), f.Modified.UTC()})
		r.Close()
	}
	return all
}

// must ends the test if there is no value.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
