package main

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

// testNPM installs skillhand with npm, from a registry that has a release of this platform. The
// programs must be those of the archive.
func testNPM(t *testing.T, files map[string][]byte, archive string) {
	if runtime.GOOS == "windows" {
		t.Skip("the CLI is played by a script")
	}
	for _, tool := range []string{"node", "npm", "tar"} {
		_, err := exec.LookPath(tool)
		test.Found(t, err)
	}
	u := newUser(t)
	u.registry = serveRegistry(t, files)
	u.must("npm", "install", "--no-audit", "--no-fund", "skillhand")
	bin := strings.TrimSpace(u.must("node", "-p", "require('path').dirname(require('skillhand').program())"))
	samePrograms(t, "npm", bin, files[archive])
	u.launcher(t, bin)
	u.offline(t, files)
	u.module(t)
}

// A user has a home of their own, and npm.
type user struct {
	t         *testing.T
	home, dir string
	registry  string
}

func newUser(t *testing.T) *user {
	t.Helper()
	u := &user{t: t, home: t.TempDir(), dir: t.TempDir()}
	u.write("package.json", `{"name": "user", "private": true}`)
	return u
}

func (u *user) write(name, text string) {
	u.t.Helper()
	file := filepath.Join(u.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		u.t.Fatal(err)
	}
}

func (u *user) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = u.dir
	cmd.Env = []string{
		"HOME=" + u.home, "PATH=" + os.Getenv("PATH"), "npm_config_registry=" + u.registry, "npm_config_cache=" +
			filepath.Join(u.home, "cache"),
		"npm_config_update_notifier=false", "npm_config_prefix=" + filepath.Join(u.home, "prefix"),
		"SKILLHAND_STATE_DIR=" + filepath.Join(u.home, "state"),
	}
	return cmd
}

func (u *user) must(args ...string) string {
	u.t.Helper()
	out, err := u.command(args...).CombinedOutput()
	if err != nil {
		u.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// launcher tests the command that npm installs: its output, its exit status, and its end by a
// signal.
func (u *user) launcher(t *testing.T, bin string) {
	t.Helper()
	u.write(".claude/skills/s/SKILL.md", "---\nname: s\ndescription: Says things. Use for saying.\n---\n[gone](gone.md)\n")
	if out, err := u.command("npx", "--no-install", "skillhand", "check").CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "SK201") {
		t.Errorf("npx skillhand check: %v\n%s", err, out)
	}
	u.must("npm", "install", "--global", "--no-audit", "--no-fund", "skillhand")
	installed := filepath.Join(u.home, "prefix", "bin", "skillhand")
	if out := u.must(installed, "version"); !strings.HasPrefix(out, "skillhand v1.2.3 ") {
		t.Errorf("version: %s", out)
	}
	if out := u.must(installed, "upgrade"); !strings.Contains(out, "npm install --global skillhand@latest") {
		t.Errorf("upgrade: %s", out)
	}
	page := string(must(os.ReadFile("../../docs/install.md"))(t))
	line := regexp.MustCompile(`(?m)^export PATH=.*$`).FindString(page)
	direct := u.must("sh", "-c", "cd / && "+line+" && command -v skillhand && skillhand version")
	said := filepath.Base(filepath.Dir(bin)) + "/bin/skillhand\nskillhand v1.2.3 "
	if !strings.HasPrefix(direct, filepath.Join(u.home, "prefix")) || !strings.Contains(direct, said) {
		t.Errorf("the program itself, after %s:\n%s", line, direct)
	}
	cmd := u.command(installed, "no-such-command")
	if _ = cmd.Run(); cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("wrong usage: exit status %d, want 2", cmd.ProcessState.ExitCode())
	}
	if out, err := u.command("npm", "uninstall", "--global", "skillhand").CombinedOutput(); err != nil {
		t.Errorf("uninstall: %v\n%s", err, out)
	}
	if _, err := os.Stat(installed); err == nil {
		t.Error("the command is still there")
	}
}

// offline installs from two files, without a registry. Without the platform's package the user gets
// a message, not a stack trace.
func (u *user) offline(t *testing.T, files map[string][]byte) {
	t.Helper()
	there := *u
	there.registry, there.home = "http://127.0.0.1:1", t.TempDir()
	words := []string{"npm", "install", "--global", "--offline", "--no-audit", "--no-fund"}
	for name, data := range files {
		if strings.HasSuffix(name, ".tgz") {
			there.write(name, string(data))
			words = append(words, "./"+name)
		}
	}
	there.must(words...)
	installed := filepath.Join(there.home, "prefix", "bin", "skillhand")
	if out := there.must(installed, "version"); !strings.HasPrefix(out, "skillhand v1.2.3 ") {
		t.Errorf("version: %s", out)
	}
	if err := os.RemoveAll(filepath.Join(there.home, "prefix/lib/node_modules/@skillhand")); err != nil {
		t.Fatal(err)
	}
	out, err := there.command(installed, "version").CombinedOutput()
	if err == nil || !strings.HasPrefix(string(out), "skillhand: the package @skillhand/") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("without the platform's package: %v\n%s", err, out)
	}
}

// TestProgramInPath makes the module, without its platform's package, find a program in PATH.
func TestProgramInPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a program is a file of another name")
	}
	_, err := exec.LookPath("node")
	test.Found(t, err)
	u := newUser(t)
	u.write("launcher/skillhand", "#!/usr/bin/env node\n")
	u.write("program/skillhand", "a program")
	for _, name := range []string{"launcher/skillhand", "program/skillhand"} {
		if err := os.Chmod(filepath.Join(u.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	module := must(filepath.Abs("../../npm/program.cjs"))(t)
	ask := fmt.Sprintf(`try { console.log(require(%q).program()) } catch (err) { console.log(err.message) }`, module)
	script := filepath.Join(u.dir, "ask.cjs")
	u.write("ask.cjs", ask)
	node := must(exec.LookPath("node"))(t)
	missing := "the package @skillhand/"
	for _, tt := range []struct{ path, want string }{
		{u.dir + "/none:" + u.dir + "/launcher:" + u.dir + "/program", filepath.Join(u.dir, "program/skillhand")},
		{u.dir + "/launcher", missing}, // it would start itself
		{"program::.", missing},        // anybody may own this folder
	} {
		cmd := u.command(node, script)
		cmd.Env = append(cmd.Env, "PATH="+tt.path)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), tt.want) {
			t.Errorf("PATH=%s: %v\n%s\nwant %s", tt.path, err, out, tt.want)
		}
	}
}

// module runs the module's own tests, and makes tsc check its types.
func (u *user) module(t *testing.T) {
	t.Helper()
	for _, name := range []string{"module.test.mjs", "module.types.mts", "claude"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		u.write(name, string(data))
	}
	if err := os.Chmod(filepath.Join(u.dir, "claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := u.command("node", "--test", "module.test.mjs")
	cmd.Env = append(cmd.Env, "CLAUDE="+filepath.Join(u.dir, "claude"), "PIDS="+filepath.Join(u.home, "pids"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the module: %v\n%s", err, out)
	}
	compiler := test.Modules(t, test.TypeScript)
	u.write("tsconfig.json", fmt.Sprintf(`{"compilerOptions": {"strict": true, "noEmit": true, "module": "nodenext", "target": "es2022", "skipLibCheck": false,
		"typeRoots": [%q], "types": ["node"]}, "files": ["module.types.mts"]}`, filepath.Join(compiler, "@types")))
	if out, err := u.command("node", filepath.Join(compiler, "typescript/bin/tsc")).CombinedOutput(); err != nil {
		t.Errorf("tsc: %v\n%s", err, out)
	}
}

// serveRegistry serves a registry on this machine with the release's packages. It leaves out
// platforms that were not built, because an optional dependency may be missing.
func serveRegistry(t *testing.T, files map[string][]byte) string {
	t.Helper()
	var pages sync.Map // by path, in which a name's slash is escaped
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page, ok := pages.Load(r.URL.Path); ok {
			_, _ = w.Write(page.([]byte))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	for file, data := range files {
		if !strings.HasSuffix(file, ".tgz") {
			continue
		}
		manifest := map[string]any{}
		for _, f := range untar(t, data) {
			if f.Name == npmFolder+"/package.json" {
				if err := json.Unmarshal([]byte(f.Text), &manifest); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			}
		}
		if manifest["scripts"] != nil {
			t.Errorf("%s runs something at installation", file)
		}
		name, version := manifest["name"].(string), manifest["version"].(string)
		sum := sha512.Sum512(data)
		manifest["dist"] = map[string]string{"tarball": server.URL + "/files/" + file,
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		doc := map[string]any{"name": name, "dist-tags": map[string]string{"latest": version},
			"versions": map[string]any{version: manifest}}
		page, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		pages.Store("/"+name, page)
		pages.Store("/files/"+file, data)
	}
	return server.URL
}
