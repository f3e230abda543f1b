//go:build unix

package settings_test

import (
	"path/filepath"
	"testing"

	"github.com/skillhand/skillhand/internal/fakeapi"
	"github.com/skillhand/skillhand/internal/realclaude"
	"github.com/skillhand/skillhand/settings"
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
	got, err := settings.Installed(w.ConfigDir())
	if err != nil || len(got) != 1 {
		t.Fatalf("Installed: %+v, %v", got, err)
	}
	want := settings.Plugin{
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
