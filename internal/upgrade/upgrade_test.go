package upgrade_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/upgrade"
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
