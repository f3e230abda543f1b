package trust

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

// TestFind: a project that nobody trusted provides no program, however PATH leads
// there; every ordinary PATH still finds what it has.
func TestFind(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string) string { return filepath.Join(root, filepath.FromSlash(path)) }
	for _, file := range []string{
		"home/project/claude", "home/project/sub/claude", "home/project/node_modules/.bin/claude",
		"home/.nvm/.git/HEAD", "home/.nvm/versions/node/v22/bin/claude", "home/.local/bin/claude", "home/bin/keep",
		"home/other/.git/HEAD", "home/other/bin/claude", "usr/bin/claude",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(at(file)), 0o777), os.WriteFile(at(file), []byte("#!/bin/sh\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"home/bin/claude":       "home/other/bin/claude",     // a tool of the user's own
		"home/links/claude":     "home/project/claude",       // a link into the project
		"home/detour/claude":    "home/project/out/claude",   // a link that leads through it
		"home/project/out":      "usr/bin",                   // the project's own link
		"home/project-bin":      "home/project/node_modules", // a folder of the project by another name
		"home/project/usr-bin":  "usr/bin",                   // the machine's folder, by a link of the project
		"home/linked-project":   "home/project",              // the project by another name
		"home/.volta/bin/shims": "home/.nvm/versions/node/v22/bin",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(at(link)), 0o777), os.Symlink(at(to), at(link))); err != nil {
			t.Fatal(err)
		}
	}
	project := at("home/project")
	store := Store{Dir: at("home/state/trust")}
	policy := func() Policy {
		return Policy{Store: store, Home: at("home"), Near: func() []string { return []string{project} }}.Now()
	}
	const missing = "missing"
	for _, tt := range []struct{ path, want string }{ // want "": refused
		{".", missing}, {":", missing}, {"./", missing}, {"sub", missing}, {"../project", missing}, {"node_modules/.bin", missing},
		{at("home/project/node_modules/.bin"), ""}, {at("home/project/sub/.."), ""}, {at("home/linked-project"), ""},
		{at("home/project-bin/.bin"), ""}, {at("home/links"), ""}, {at("home/detour"), ""}, {at("home/project/usr-bin"), ""},
		// Layouts that people have:
		{at("usr/bin"), "usr/bin/claude"},
		{at("home/.local/bin"), "home/.local/bin/claude"},
		{at("home/.nvm/versions/node/v22/bin"), "home/.nvm/versions/node/v22/bin/claude"}, // a repository, but not the one we are in
		{at("home/.volta/bin/shims"), "home/.volta/bin/shims/claude"},
		{at("home/bin"), "home/bin/claude"}, // links to another project of the user's
		{at("home/other/bin"), "home/other/bin/claude"},
		{"." + ":" + at("usr/bin"), "usr/bin/claude"},
		{":" + at("home/project/node_modules/.bin") + ":" + at("home/nowhere") + ":" + at("home/.local/bin"), "home/.local/bin/claude"},
	} {
		got, err := policy().Find("claude", project, []string{"PATH=" + tt.path})
		if tt.want == missing {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("PATH=%s: %s, %v, want none", tt.path, got, err)
			}
			continue
		}
		if tt.want != "" {
			if err != nil || got != at(tt.want) {
				t.Errorf("PATH=%s: %s, %v, want %s", tt.path, got, err, tt.want)
			}
			continue
		}
		if refused, ok := errors.AsType[*NotTrusted](err); !ok || refused.Dir != project {
			t.Errorf("PATH=%s: %s, %v, want that the project is not trusted", tt.path, got, err)
		}
	}
	if _, err := policy().Find("nothing", project, []string{"PATH=.:" + at("usr/bin")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a program that is nowhere: %v", err)
	}
	for _, path := range []string{"./claude", "sub/claude", project + "/claude"} {
		if got, err := policy().Find(path, project, nil); err == nil {
			t.Errorf("%s: %s, want that the project is not trusted", path, got)
		}
	}
	given := []string{"A=b", "BASH_ENV=" + project + "/claude", "PATH=.:" + at("usr/bin") + ":sub", "BASH_ENV=", "GIT_CONFIG_COUNT=3"}
	env := strings.Join(policy().Env(given), " ")
	if want := "A=b PATH=" + at("usr/bin") + " BASH_ENV= GIT_CONFIG_KEY_3=safe.bareRepository GIT_CONFIG_VALUE_3=explicit" +
		" GIT_CONFIG_KEY_4=core.fsmonitor GIT_CONFIG_VALUE_4=false GIT_CONFIG_COUNT=5"; env != want {
		t.Errorf("Env is %s, want %s", env, want)
	}

	// A project that is trusted provides its programs; a relative folder still means another one elsewhere.
	if _, err := store.Trust(project); err != nil {
		t.Fatal(err)
	}
	if got, err := policy().Find("claude", project, []string{"PATH=.:" + project + "/node_modules/.bin"}); got != at("home/project/node_modules/.bin/claude") {
		t.Errorf("trusted: %s, %v", got, err)
	}
}

// TestEnvGit: a clone can bring a repository among its files, and git runs what the configuration there names.
func TestEnvGit(t *testing.T) {
	_, err := exec.LookPath("git")
	test.Found(t, err)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, ran := filepath.Join(root, "project"), filepath.Join(root, "ran")
	if err := os.Mkdir(project, 0o777); err != nil {
		t.Fatal(err)
	}
	policy := Policy{Store: Store{Dir: filepath.Join(root, "state")}, Home: filepath.Join(root, "home"), Near: func() []string { return []string{project} }}
	git := func(env []string, args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = project, env
		if out, err := cmd.CombinedOutput(); err != nil && args[0] != "-C" {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	plain := append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+policy.Home)
	git(plain, "init", "-q", ".")
	git(plain, "init", "-q", "--bare", "docs")
	for _, setting := range [][2]string{{"core.bare", "false"}, {"core.worktree", ".."}, {"core.fsmonitor", "touch " + ran + "; false"}} {
		git(plain, "config", "--file", "docs/config", setting[0], setting[1])
	}
	git(plain, "-C", "docs", "status")
	if _, err := os.Stat(ran); err != nil {
		t.Fatalf("git alone does not run it: %v", err)
	}
	os.Remove(ran)
	git(policy.Env(plain), "-C", "docs", "status")
	if _, err := os.Stat(ran); err == nil {
		t.Error("git ran a program that a folder of the project names")
	}
}
