//go:build unix

package settings_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// TestInstalledByClaude: what the real Claude Code writes when it installs a plugin is what
// Installed and Read read.
func TestInstalledByClaude(t *testing.T) {
	t.Parallel()
	c := realclaude.New(t, fakeapi.New(t))
	market := filepath.Join(c.Project, "market")
	c.Write("market/.claude-plugin/marketplace.json",
		`{"name": "m", "owner": {"name": "Ada"}, "plugins": [{"name": "plug", "source": "./plug", "description": "d"}]}`)
	c.Write("market/plug/.claude-plugin/plugin.json", `{"name": "plug", "version": "1.2.3"}`)
	c.Write("market/plug/skills/s/SKILL.md", "S\n")
	for _, args := range [][]string{
		{"plugin", "marketplace", "add", market},
		{"plugin", "install", "plug@m", "--scope", "project"},
	} {
		if out := c.Run(args...); out.Exit != 0 {
			t.Fatalf("claude %q: %+v", args, out)
		}
	}
	w := settings.Where{Home: c.Home, Dir: c.Project}
	got, err := find.Installed(w.ConfigDir())
	if err != nil || len(got) != 1 {
		t.Fatalf("Installed: %+v, %v", got, err)
	}
	want := find.InstalledPlugin{
		ID: "plug@m", Scope: "project", Project: c.Project,
		Root: filepath.Join(w.ConfigDir(), "plugins/cache/m/plug/1.2.3"),
		From: filepath.Join(market, "plug"),
		Data: filepath.Join(w.ConfigDir(), "plugins/data/plug-m"),
	}
	if got[0] != want {
		t.Errorf("got\n%+v\nwant\n%+v", got[0], want)
	}
	if on, by := settings.Read(w).Plugin("plug@m"); !on || by == nil || by.Source != settings.Project {
		t.Errorf("enabled: %v by %+v", on, by)
	}
	if out := c.Run("plugin", "disable", "plug@m", "--scope", "project"); out.Exit != 0 {
		t.Fatalf("disable: %+v", out)
	}
	if on, _ := settings.Read(w).Plugin("plug@m"); on {
		t.Error("still enabled")
	}
}

// TestLogin: what Login takes for a login is what the real Claude Code takes for one.
func TestLogin(t *testing.T) {
	t.Parallel()
	const token = `{"claudeAiOauth": {"accessToken": "x", "refreshToken": "y", "expiresAt": 9999999999999, "scopes": ["user:inference"]}}`
	for _, tt := range []struct {
		name, file, text, variable string
		want                       string
	}{
		{"nothing", "", "", "", ""},
		{"a key", "", "", "ANTHROPIC_API_KEY=k", "ANTHROPIC_API_KEY"},
		{"a token", "", "", "ANTHROPIC_AUTH_TOKEN=k", "ANTHROPIC_AUTH_TOKEN"},
		{"a token of setup-token", "", "", "CLAUDE_CODE_OAUTH_TOKEN=k", "CLAUDE_CODE_OAUTH_TOKEN"},
		{"another service", "", "", "CLAUDE_CODE_USE_VERTEX=1", "CLAUDE_CODE_USE_VERTEX"},
		{"another address", "", "", "ANTHROPIC_BASE_URL=http://127.0.0.1:1", ""},
		{"a login", ".claude/.credentials.json", token, "", ".claude/.credentials.json"},
		{"a login that is empty", ".claude/.credentials.json", "{}", "", ""},
		{"a key in the settings", ".claude/settings.json", `{"env": {"ANTHROPIC_API_KEY": "k"}}`, "", "ANTHROPIC_API_KEY"},
		{"a helper", ".claude/settings.json", `{"apiKeyHelper": "echo k"}`, "", "apiKeyHelper"},
		{"a stored key", ".claude.json", `{"primaryApiKey": "sk-ant-x"}`, "", "primaryApiKey"},
		{"an account", ".claude.json", `{"oauthAccount": {"emailAddress": "ada@example.com"}}`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := realclaude.New(t, fakeapi.New(t))
			c.Env = append(c.Env, "ANTHROPIC_API_KEY=", tt.variable)
			if tt.file != "" {
				file := filepath.Join(c.Home, tt.file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			getenv := func(name string) string {
				if key, value, _ := strings.Cut(tt.variable, "="); key == name {
					return value
				}
				return ""
			}
			got := settings.Login(settings.Where{Home: c.Home, Dir: c.Project}, getenv)
			if want := tt.want; strings.TrimPrefix(got, c.Home+"/") != want {
				t.Errorf("Login = %q, want %q", got, want)
			}
			var status struct{ LoggedIn bool }
			out := c.Run("auth", "status", "--json")
			if err := json.Unmarshal([]byte(out.Stdout), &status); err != nil || status.LoggedIn != (got != "") {
				t.Errorf("Login = %q, but claude auth status says %s%s", got, out.Stdout, out.Stderr)
			}
		})
	}
}
