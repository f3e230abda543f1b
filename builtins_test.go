package skillhand_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/here"
)

// TestBuiltins: a program that hands Builtins to a Runtime loads the skills of
// our plugin as the command does.
func TestBuiltins(t *testing.T) {
	plugin, err := filepath.Abs("plugin")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	rt := &skillhand.Runtime{
		Here:     here.Here{Dir: home, PluginRoot: plugin, Env: []string{"HOME=" + home}},
		Builtins: skillhand.Builtins(), TrustAll: true,
	}
	for skill, want := range map[string]string{
		"status":            "╭─ skillhand status ─",
		"statusline":        `{"status":"NONE"`,
		"run-retrospective": "# Retrospective, ",
	} {
		page, err := rt.Load(t.Context(), skillhand.LoadRequest{Skill: skill})
		if err != nil {
			t.Errorf("%s: %v", skill, err)
			continue
		}
		if !strings.Contains(page.Text, want) || len(page.Directives) != 1 || page.Directives[0].How != "builtin" {
			t.Errorf("%s: %+v\n%s", skill, page.Directives, page.Text)
		}
	}
}
