//go:build unix

package find_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
	"github.com/skillhand/skillhand/skill"
)

// TestNamesByClaude: skillhand accepts the names that the real Claude Code accepts, and no others.
func TestNamesByClaude(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(func(*fakeapi.Request) fakeapi.Answer { return fakeapi.Text("ok") })
	c := realclaude.New(t, api)
	names := []string{
		"plain", "two words", "日本語", "new\nline", "UPPER", "x:y", "-dash", ".hidden", "emoji😀", "quote'd", "back\\slash", "lead ",
		" blank", "two  blanks",
		"star*", "lt<x", "gt>x", "tab\tx", "ctl\x01x", "del\x7fx", "zero\u200bwidth", "nbsp\u00a0x", "shy\u00adx", "rlo\u202ex",
		"vs\ufe0fx",
		"priv\ue000x", "comb\u0301x",
		"idsp\u3000x", "hangul\u3164x", "braille\u2800x", "rep\ufffdx", "un\u0378x", "cgj\u034fx", "latin\xe9",
	}
	for _, name := range names {
		c.Write(".claude/skills/"+name+"/SKILL.md", "---\ndescription: "+"d\n---\nText of it.\n")
	}
	var init struct {
		Skills []string `json:"skills"`
	}
	out := c.Run("-p", "hi", "--output-format", "stream-json", "--verbose")
	for _, e := range out.Events() {
		if e.Subtype == "init" {
			if err := json.Unmarshal(e.Raw, &init); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !slices.Contains(init.Skills, "plain") {
		t.Fatalf("Claude Code lists %q", init.Skills)
	}
	for _, name := range names {
		_, err := find.Finder{Dir: c.Project}.Find(name)
		if theirs := slices.Contains(init.Skills, name); theirs != (err == nil) {
			t.Errorf("%q: Claude Code takes it: %v; we say %v", name, theirs, err)
		}
	}
}

// TestInstalledByName: Find finds a plugin that the real Claude Code installed by plugin:name, with
// the name in its manifest.
func TestInstalledByName(t *testing.T) {
	t.Parallel()
	c := realclaude.New(t, fakeapi.New(t))
	c.Write("market/.claude-plugin/marketplace.json",
		`{"name": "m", "owner": {"name": "Ada"}, "plugins": [{"name": "two", "source": "./two", "description": "d"}]}`)
	c.Write("market/two/.claude-plugin/plugin.json", `{"name": "other", "version": "1.0.0", "skills": ["./more"]}`)
	c.Write("market/two/skills/s/SKILL.md", "S\n")
	c.Write("market/two/more/k/SKILL.md", "K\n")
	for _, args := range [][]string{{"plugin", "marketplace", "add", filepath.Join(c.Project, "market")}, {"plugin", "install", "two@m"}} {
		if out := c.Run(args...); out.Exit != 0 {
			t.Fatalf("claude %q: %+v", args, out)
		}
	}
	h, err := here.From(t.TempDir(), []string{"HOME=" + c.Home})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"other:s", "other:k", "s"} {
		loc, err := h.Finder().Find(name)
		if err != nil || loc.From != skill.FromInstalled || loc.Plugin != "other" || !h.Finder().Trusted(loc.File) {
			t.Errorf("%s: %+v, %v", name, loc, err)
		}
	}
}
