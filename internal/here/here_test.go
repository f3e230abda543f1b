package here

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// drive is what makes a path absolute, as in C:/h.
var drive = map[bool]string{true: "C:"}[runtime.GOOS == "windows"]

// onDrive is a path of this system for one that begins with a slash.
func onDrive(path string) string {
	if strings.HasPrefix(path, "/") {
		path = drive + path
	}
	return filepath.FromSlash(path)
}

func TestFrom(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(below, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		env                     string // separated by blanks
		state, project, session string
		fault                   string
	}{
		{"HOME=/h", "/h/.local/state/skillhand", dir, "", ""},
		{"HOME=/h XDG_STATE_HOME=/x", "/x/skillhand", dir, "", ""},
		{"HOME=/h XDG_STATE_HOME=x", "/h/.local/state/skillhand", dir, "", ""},
		{"HOME=/h SKILLHAND_STATE_DIR=/s", "/s", dir, "", ""},
		{"HOME=/h SKILLHAND_STATE_DIR=s", "", "", "", "SKILLHAND_STATE_DIR is s: want an absolute path"},
		{"SKILLHAND_STATE_DIR=/s", "/s", dir, "", ""},
		{"", "", "", "", `HOME is "": set it`},
		{"HOME=h", "", "", "", `HOME is "h": set it`},
		{"HOME=/h CLAUDE_PROJECT_DIR=/p", "/h/.local/state/skillhand", "/p", "", ""},
		{"HOME=/h CLAUDE_PROJECT_DIR=p", "/h/.local/state/skillhand", dir, "", ""},
		{"HOME=/h CLAUDE_CODE_SESSION_ID=b CLAUDE_SESSION_ID=a", "/h/.local/state/skillhand", dir, "a", ""},
		{"HOME=/h CLAUDE_CODE_SESSION_ID=b CLAUDE_SESSION_ID=../a", "/h/.local/state/skillhand", dir, "b", ""},
		{"HOME=/h CLAUDE_PLUGIN_ROOT=/nowhere", "", "", "", "the plugin root: /nowhere: no such file or directory"},
	} {
		h, err := From(below, strings.Fields(strings.ReplaceAll(tt.env, "=/", "="+drive+"/")))
		if tt.fault != "" {
			if err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(tt.fault, " /", " "+filepath.FromSlash(drive+"/"))) {
				t.Errorf("%s: %v, want %s", tt.env, err, tt.fault)
			}
			continue
		}
		if err != nil || h.Dir != below || h.State != onDrive(tt.state) || filepath.Clean(h.Project) != onDrive(tt.project) || h.Session != tt.session {
			t.Errorf("%s: %+v, %v", tt.env, h, err)
		}
	}
}

// TestOdd: only settings that are bad are reported.
func TestOdd(t *testing.T) {
	for _, tt := range []struct{ env, want string }{
		{"", ""},
		{"CLAUDE_SESSION_ID=", ""},
		{"CLAUDE_SESSION_ID=a CLAUDE_CODE_SESSION_ID=b", ""},
		{"CLAUDE_SESSION_ID=../a CLAUDE_CODE_SESSION_ID=b", "CLAUDE_SESSION_ID is not used: "},
	} {
		odd := strings.Join(Env(strings.Fields(tt.env)).Odd(), "\n")
		if (odd == "") != (tt.want == "") || !strings.HasPrefix(odd, tt.want) || strings.Contains(odd, "\n") {
			t.Errorf("%s: %q, want %q", tt.env, odd, tt.want)
		}
	}
}

// TestSettings: Claude Code's settings are where its own variable says.
func TestSettings(t *testing.T) {
	for env, want := range map[string]string{"": "/h/.claude", "CLAUDE_CONFIG_DIR=/c": "/c"} {
		w := Here{Home: "/h", Project: "/p", Env: strings.Fields(env)}.Settings()
		if got := filepath.ToSlash(w.ConfigDir()); got != want || w.Dir != "/p" {
			t.Errorf("%s: %s in %s, want %s", env, got, w.Dir, want)
		}
	}
}

// TestGiven: what was given is not filled in, and a relative path is the caller's.
func TestGiven(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("sub/plug", 0o777); err != nil {
		t.Fatal(err)
	}
	h, err := Here{Dir: "sub", PluginRoot: "plug", State: "state", Home: "/h", Session: "s", Env: Env{"HOME=/other", "CLAUDE_SESSION_ID=e"}}.Complete()
	want := Here{
		Dir:        filepath.Join(dir, "sub"),
		PluginRoot: filepath.Join(dir, "sub", "plug"),
		State:      filepath.Join(dir, "state"),
		Home:       "/h",
		Session:    "s",
		Project:    filepath.Join(dir, "sub"),
	}
	if err != nil || h.Dir != want.Dir || h.PluginRoot != want.PluginRoot || h.State != want.State || h.Home != want.Home ||
		h.Session != want.Session || h.Project != want.Project {
		t.Errorf("%+v, %v", h, err)
	}
	if _, err := (Here{Dir: "gone", Home: "/h"}).Complete(); err == nil {
		t.Error("a folder that is not there is one")
	}
	at, err := h.At("plug")
	if err != nil || at.Dir != want.PluginRoot || at.Env.Get("CLAUDE_PROJECT_DIR") != want.PluginRoot || at.Finder().Here != want.Dir {
		t.Errorf("%+v, %v", at, err)
	}
}

// TestEnviron: on Windows PATH and HOME are there, however Windows calls them; elsewhere nothing changes.
func TestEnviron(t *testing.T) {
	for _, tt := range []struct{ system, env, want string }{
		{"windows", `Path=C:\bin USERPROFILE=C:\Users\ada`, `PATH=C:\bin USERPROFILE=C:\Users\ada HOME=C:\Users\ada`},
		{"windows", `HOME= USERPROFILE=C:\Users\ada`, `USERPROFILE=C:\Users\ada HOME=C:\Users\ada`},
		{"windows", `PATH=C:\bin HOME=D:\ada USERPROFILE=C:\Users\ada`, `PATH=C:\bin HOME=D:\ada USERPROFILE=C:\Users\ada`},
		{"windows", `PathExt=.EXE =C:=C:\`, `PathExt=.EXE =C:=C:\`},
		{"linux", "Path=/x USERPROFILE=/u", "Path=/x USERPROFILE=/u"},
	} {
		given := Env(strings.Fields(tt.env))
		if got := strings.Join(environ(tt.system, given), " "); got != tt.want {
			t.Errorf("%s: %s becomes %s, want %s", tt.system, tt.env, got, tt.want)
		}
		if strings.Join(given, " ") != tt.env {
			t.Errorf("%s: the caller's environment was changed: %q", tt.system, given)
		}
	}
}

func TestEnv(t *testing.T) {
	e := Env{"A=1", "AB=2", "A=3", "B", "C="}
	for name, want := range map[string]string{"A": "3", "AB": "2", "B": "", "C": "", "D": ""} {
		if got := e.Get(name); got != want {
			t.Errorf("Get(%s) = %q", name, got)
		}
	}
	if _, set := e.Lookup("C"); !set {
		t.Error("C is set")
	}
	if got := strings.Join(e.With("A", "x"), " "); got != "AB=2 B C= A=x" {
		t.Errorf("With: %s", got)
	}
}

// TestOwn: a plugin that Codex installed is the user's own, and nothing else near it.
func TestOwn(t *testing.T) {
	home := t.TempDir()
	policy := Here{Home: home, State: filepath.Join(home, "state"), Dir: home, Project: home, Env: Env{}}.Policy()
	for dir, want := range map[string]bool{".codex/plugins/cache/m/p/1/skills/s": true, ".codex/plugins/other": false, ".codex/elsewhere": false} {
		dir = filepath.Join(home, filepath.FromSlash(dir))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := policy.May(dir); (err == nil) != want {
			t.Errorf("%s: %v, want it trusted: %v", dir, err, want)
		}
	}
}
