package upgrade_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/setup/upgrade"
)

// releases serves one release with the programs for a platform.
func releases(t *testing.T, name string, programs map[string]string) (url string, archive *[]byte) {
	t.Helper()
	packed := tarGz(t, name, programs)
	file := name + ".tar.gz"
	if strings.Contains(name, "windows") {
		packed, file = zipped(t, name, programs), name+".zip"
	}
	sum := sha256.Sum256(packed)
	mux := http.NewServeMux()
	mux.HandleFunc("/releases/latest", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/releases/tag/v2.0.0", http.StatusFound)
	})
	mux.HandleFunc("/releases/tag/v2.0.0", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/releases/download/v2.0.0/"+file, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(packed) })
	mux.HandleFunc("/releases/download/v2.0.0/SHA256SUMS", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "%x  %s\n", sum, file) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/releases", &packed
}

func TestReplace(t *testing.T) {
	for _, system := range []string{"linux", "windows"} {
		t.Run(system, func(t *testing.T) {
			exe := map[string]string{"windows": ".exe"}[system]
			name := "skillhand-v2.0.0-" + system + "-amd64"
			url, archive := releases(t, name, map[string]string{"skillhand" + exe: "new", "skillhand-server" + exe: "new server"})
			m := upgrade.Mirror{URL: url, OS: system, Arch: "amd64"}
			version, err := m.Latest(t.Context())
			if err != nil || version != "v2.0.0" {
				t.Fatalf("the latest is %q, %v", version, err)
			}
			dir := t.TempDir()
			read := func(file string) string {
				data, err := os.ReadFile(filepath.Join(dir, file+exe))
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			}
			for _, file := range []string{"skillhand", "skillhand-server"} {
				if err := os.WriteFile(filepath.Join(dir, file+exe), []byte("old"), 0o755); err != nil {
					t.Fatal(err)
				}
			}

			whole := (*archive)[0]
			(*archive)[0] ^= 1
			if err := m.Replace(t.Context(), version, dir); err == nil || !strings.Contains(err.Error(), "checksum is") {
				t.Errorf("a changed archive: %v", err)
			}
			if got := read("skillhand"); got != "old" {
				t.Errorf("after a wrong checksum the program is %q", got)
			}
			(*archive)[0] = whole
			if err := m.Replace(t.Context(), version, dir); err != nil {
				t.Fatal(err)
			}
			if one, two := read("skillhand"), read("skillhand-server"); one != "new" || two != "new server" {
				t.Errorf("the programs are %q and %q", one, two)
			}
			if err := m.Replace(t.Context(), "v9.0.0", dir); err == nil || !strings.Contains(err.Error(), "404") {
				t.Errorf("a release that is not there: %v", err)
			}
		})
	}
}

// TestProgram: only an older copy that came from an archive is replaced.
func TestProgram(t *testing.T) {
	name := fmt.Sprintf("skillhand-v2.0.0-%s-%s", runtime.GOOS, runtime.GOARCH)
	exe := map[string]string{"windows": ".exe"}[runtime.GOOS]
	url, _ := releases(t, name, map[string]string{"skillhand" + exe: "new", "skillhand-server" + exe: "new"})
	for _, tt := range []struct {
		version string
		dryRun  bool
		changed bool
		says    string
	}{
		{"v1.9.0", true, false, "would be upgraded from v1.9.0 to v2.0.0"},
		{"v1.9.0", false, true, "upgraded from v1.9.0 to v2.0.0"},
		{"v1.10.0", false, true, "upgraded from v1.10.0 to v2.0.0"},
		{"v2.0.0-rc.1", false, true, "upgraded from v2.0.0-rc.1 to v2.0.0"},
		{"v2.0.0", false, false, "v2.0.0 is the newest version"},
		{"v2.1.0-rc.1", false, false, "v2.1.0-rc.1 is ahead of the newest version, v2.0.0"},
		{"v10.0.0", true, false, "v10.0.0 is ahead of the newest version, v2.0.0"},
		{"v1.9.0-3-gabc", false, false, "To upgrade it: git pull"},
	} {
		program := filepath.Join(t.TempDir(), "skillhand"+exe)
		if err := os.WriteFile(program, []byte("old"), 0o755); err != nil {
			t.Fatal(err)
		}
		doc, err := upgrade.Program(t.Context(), program, tt.version, environment(url), tt.dryRun)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(program)
		if err != nil || doc.Changed != tt.changed || (string(text) == "new") != tt.changed || !strings.Contains(doc.String(), tt.says) {
			t.Errorf("%s: %v, %q: %s", tt.version, err, text, doc)
		}
	}
}

// TestUnreachable: where nobody says which version is the newest, it may help to try again.
func TestUnreachable(t *testing.T) {
	none := httptest.NewServer(http.NewServeMux())
	defer none.Close()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) // as where there are no releases
	defer elsewhere.Close()
	for _, url := range []string{none.URL, elsewhere.URL} {
		_, err := upgrade.Program(t.Context(), filepath.Join(t.TempDir(), "skillhand"), "v1.0.0", environment(url), false)
		if _, ok := errors.AsType[*upgrade.UnreachableError](err); !ok || !strings.Contains(err.Error(), url+"/latest") {
			t.Errorf("the error is %v", err)
		}
	}
}

// environment names a mirror, and nothing else.
func environment(url string) func(string) string {
	return func(name string) string { return map[string]string{"SKILLHAND_RELEASES": url}[name] }
}

func tarGz(t *testing.T, folder string, files map[string]string) []byte {
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	tw := tar.NewWriter(gz)
	for name, text := range files {
		if err := tw.WriteHeader(&tar.Header{Name: folder + "/" + name, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t *testing.T, folder string, files map[string]string) []byte {
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	for name, text := range files {
		w, err := zw.Create(folder + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
