package main

import (
	"bufio"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

// testContainer runs the steps of the Dockerfile that install the programs, in a folder that stands
// for the container's root.
func testContainer(t *testing.T, r *release, files map[string][]byte, archive string) {
	if runtime.GOOS != "linux" {
		t.Skip("the container is Linux")
	}
	all := map[string][]byte{}
	for _, p := range platforms { // the template names all platforms, but only one exists
		all[r.archiveName(p)] = files[archive]
	}
	made, err := r.manifests(all)
	if err != nil {
		t.Fatal(err)
	}
	root, context := t.TempDir(), t.TempDir()
	for _, name := range []string{"SHA256SUMS", archive} {
		if err := os.WriteFile(filepath.Join(context, name), files[name], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "usr/local/bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	steps := 0
	for _, step := range instructions(string(made["Dockerfile"])) {
		step = strings.ReplaceAll(step, "${TARGETARCH}", runtime.GOARCH)
		verb, rest, _ := strings.Cut(step, " ")
		switch {
		case verb == "COPY":
			words := strings.Fields(rest)
			to := filepath.Join(root, words[len(words)-1])
			if err := os.MkdirAll(to, 0o777); err != nil {
				t.Fatal(err)
			}
			for _, name := range words[:len(words)-1] {
				data := must(os.ReadFile(filepath.Join(context, name)))(t)
				if err := os.WriteFile(filepath.Join(to, name), data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			steps++
		case verb == "RUN" && strings.Contains(rest, "/tmp/skillhand"):
			script := strings.NewReplacer("/tmp/skillhand", root+"/tmp/skillhand", "/usr/local", root+"/usr/local").Replace(rest)
			if out, err := exec.Command("sh", "-ec", script).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", script, err, out)
			}
			steps++
		}
	}
	if steps != 2 {
		t.Errorf("%d steps put the programs in place, want 2", steps)
	}
	samePrograms(t, "the container", filepath.Join(root, "usr/local/bin"), files[archive])
	if left, _ := filepath.Glob(filepath.Join(root, "tmp/*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// instructions returns the instructions of a Dockerfile, with continued lines joined.
func instructions(text string) (all []string) {
	line := ""
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		part, more := strings.CutSuffix(s.Text(), "\\")
		if line += part; more {
			continue
		}
		if !strings.HasPrefix(line, "#") && line != "" {
			all = append(all, line)
		}
		line = ""
	}
	return all
}

// testGet makes get.sh fetch the archive from a file server.
func testGet(t *testing.T, files map[string][]byte, archive string) {
	for _, tool := range []string{"bash", "curl", "tar", "awk"} {
		_, err := exec.LookPath(tool)
		test.Found(t, err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if data, ok := files[strings.TrimPrefix(r.URL.Path, "/releases/download/v1.2.3/")]; ok {
			_, _ = w.Write(data)
			return
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	to := filepath.Join(t.TempDir(), "skillhand")
	cmd := exec.Command("bash", "get.sh", to)
	cmd.Env = append(os.Environ(), "VERSION=v1.2.3", "RELEASES="+server.URL+"/releases", "no_proxy=*")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	samePrograms(t, "get.sh", to, files[archive])
}

// TestGetBoth checks that an archive without one of the programs installs nothing.
func TestGetBoth(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "tar", "awk", "sha256sum"} {
		_, err := exec.LookPath(tool)
		test.Found(t, err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("the archive is made as for Linux")
	}
	name, dir := "skillhand-v1.2.3-linux-"+runtime.GOARCH, t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, name), 0o777),
		os.WriteFile(filepath.Join(dir, name, "skillhand"), nil, 0o755)); err != nil {
		t.Fatal(err)
	}
	pack := exec.Command("sh", "-c", `tar czf "$0.tar.gz" "$0" && sha256sum "$0.tar.gz" > SHA256SUMS`, name)
	pack.Dir = dir
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := httptest.NewServer(http.StripPrefix("/download/v1.2.3/", http.FileServer(http.Dir(dir))))
	defer server.Close()
	to := filepath.Join(t.TempDir(), "skillhand")
	cmd := exec.Command("bash", "get.sh", to)
	cmd.Env = append(os.Environ(), "VERSION=v1.2.3", "RELEASES="+server.URL, "no_proxy=*")
	out, err := cmd.CombinedOutput()
	if _, stat := os.Stat(to); err == nil || stat == nil || !strings.Contains(string(out), "has no skillhand-server") {
		t.Errorf("%v: %s", err, out)
	}
}

// samePrograms checks that a folder has the programs of an archive.
func samePrograms(t *testing.T, what, folder string, archive []byte) {
	t.Helper()
	want := map[string]string{}
	for _, f := range untar(t, archive) {
		want[filepath.Base(f.Name)] = f.Text
	}
	for _, name := range programs {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || string(data) != want[name] {
			t.Errorf("%s: %s is not the archive's (%v)", what, name, err)
		}
	}
}
