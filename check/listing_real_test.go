//go:build unix

package check

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

func described(n int, more string) string {
	return "---\ndescription: " + strings.Repeat("x", n) + "\n" + more + "---\nText.\n"
}

// TestListing: the real Claude Code lists those skills with a description that we say it does.
func TestListing(t *testing.T) {
	t.Parallel()
	now := time.Now()
	usage := func(uses map[string]int) string {
		used := map[string]map[string]int64{}
		for name, n := range uses {
			used[name] = map[string]int64{"usageCount": int64(n), "lastUsedAt": now.Add(-24 * time.Hour).UnixMilli()}
		}
		text, _ := json.Marshal(map[string]any{"skillUsage": used})
		return string(text)
	}
	skills := func(files map[string]string, name string, lengths ...int) map[string]string {
		for i, n := range lengths {
			files[fmt.Sprintf(".claude/skills/%s%d/SKILL.md", name, i)] = described(n, "")
		}
		return files
	}
	for _, tt := range []struct {
		name          string
		project, home map[string]string
		env           []string
		plugin        bool
	}{
		{"all fit", skills(map[string]string{}, "p", 400, 300, 5), skills(map[string]string{}, "u", 30), nil, false},
		{"long before short", skills(map[string]string{}, "p", 900, 900, 900, 300, 50), nil, []string{"SLASH_COMMAND_TOOL_CHAR_BUDGET=8000"}, false},
		{
			"user, project, commands, plugin, used",
			skills(map[string]string{
				".claude/commands/c.md": described(300, ""), ".claude/commands/in/d.md": "Does it.\n",
				".claude/skills/w/SKILL.md":  described(200, "when_to_use: |\n  one\n  two\nname: other\n"),
				".claude/skills/no/SKILL.md": described(300, "disable-model-invocation: true\n"), ".claude/skills/paths/SKILL.md": described(300, "paths: '*.py'\n"),
				".claude/settings.json": `{"skillListingBudgetFraction": 0.0029}`,
			}, "p", 300, 300, 300),
			skills(map[string]string{
				".claude/commands/mine.md": described(300, ""), ".claude.json": usage(map[string]int{"p2": 5, "plug:s": 9, "u1": 1}),
			}, "u", 300, 300, 300),
			nil, true,
		},
		{
			"settings",
			skills(map[string]string{
				".claude/settings.local.json": `{"skillOverrides": {"p0": "name-only", "p1": "off", "dataviz": "off", "loop": "name-only"},
					"skillListingMaxDescChars": 200}`,
			}, "p", 300, 300, 300, 300, 300),
			skills(map[string]string{".claude/settings.json": `{"model": "claude-haiku-4-5", "env": {"SLASH_COMMAND_TOOL_CHAR_BUDGET": "3300"}}`}, "u", 300),
			[]string{"SLASH_COMMAND_TOOL_CHAR_BUDGET=9000"}, false,
		},
		{
			"a small model", skills(map[string]string{}, "p", 400, 400, 400, 400, 400, 400),
			map[string]string{".claude/settings.json": `{"model": "claude-haiku-4-5", "disableBundledSkills": false}`}, nil, false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			api := fakeapi.New(t)
			api.Handle(func(*fakeapi.Request) fakeapi.Answer { return fakeapi.Text("ok") })
			c := realclaude.New(t, api)
			c.Env = tt.env
			if tt.plugin {
				c.Write("market/.claude-plugin/marketplace.json",
					`{"name": "m", "owner": {"name": "Ada"}, "plugins": [{"name": "plug", "source": "./plug", "description": "d"}]}`)
				c.Write("market/plug/.claude-plugin/plugin.json", `{"name": "plug", "version": "1.2.3"}`)
				c.Write("market/plug/skills/s/SKILL.md", described(300, ""))
				c.Write("market/plug/skills/t/SKILL.md", described(300, ""))
				c.Write("market/plug/commands/t.md", described(120, "")) // is listed in the skill's place
				c.Run("plugin", "marketplace", "add", filepath.Join(c.Project, "market"))
				c.Run("plugin", "install", "plug@m")
			}
			for name, text := range tt.project {
				c.Write(name, text)
			}
			for name, text := range tt.home {
				if name == ".claude.json" {
					text = merged(t, filepath.Join(c.Home, name), text)
				}
				c.Write("../home/"+name, text)
			}
			if tt.plugin { // what was written replaced it
				c.Run("plugin", "enable", "plug@m")
			}
			holdListing(t, c, now)
		})
	}
}

// merged is a JSON file's object with more in it.
func merged(t *testing.T, file, more string) string {
	all := map[string]any{}
	if src, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(src, &all); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal([]byte(more), &all); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func holdListing(t *testing.T, c *realclaude.Claude, now time.Time) {
	got := listOf(t, c)
	w := settings.Where{Home: c.Home, Dir: c.Project}
	getenv := func(name string) string {
		for _, v := range c.Env {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
	opt := Options{Settings: &w, Listing: newListing(w, getenv, now)}
	opt.Listing.Also = installedSkills(w)
	files, err := Finder{Dir: c.Project, Home: c.Home, Exclude: []string{"market"}}.Find(nil)
	if err != nil {
		t.Fatal(err)
	}
	var docs []*document
	opt.rules = &settingsRules{}
	for _, f := range files {
		docs = append(docs, checkFile(f, &opt))
	}
	lists := (&whole{rule: ByName("SK504"), opt: &opt, docs: docs}).lists()
	if len(lists) != 1 {
		t.Fatalf("%d lists", len(lists))
	}
	want := map[string]int{} // the length of a line
	_, dropped := lists[0].listing.arrange(lists[0].skills)
	for _, s := range lists[0].skills {
		want[s.name] = s.bare() + s.more() - 1
	}
	for _, s := range dropped {
		want[s.name] = s.bare() - 1
	}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s: Claude Code's line has %d characters, ours %d", name, got[name], n)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s: Claude Code lists it, we do not", name)
	}
	told := ""
	for _, f := range Run(context.Background(), files, opt).Findings {
		if f.Rule == "SK504" {
			told += f.Message + "\n"
		}
	}
	for _, s := range dropped {
		if !s.own && !strings.Contains(told, s.name) {
			t.Errorf("%s loses its description, which is not told: %s", s.name, told)
		}
	}
}

// listOf asks Claude Code for its list of skills: the lengths of the lines.
func listOf(t *testing.T, c *realclaude.Claude) map[string]int {
	c.Run("-p", "hi")
	for _, q := range c.API.Requests() {
		for _, m := range q.Messages {
			for _, b := range m.Content {
				_, list, ok := strings.Cut(b.Text, "skills are available for use with the Skill tool:\n\n")
				if !ok {
					continue
				}
				for _, end := range []string{"\n</system-reminder>", "\n\n"} {
					list, _, _ = strings.Cut(list, end)
				}
				lines := map[string]int{}
				starts := regexp.MustCompile(`(?m)^- ([\w:-]+(?: \(\w+\))?)(?:: .|$)`).FindAllStringSubmatchIndex(list, -1)
				for i, at := range starts {
					end := len(list)
					if i+1 < len(starts) {
						end = starts[i+1][0] - 1
					}
					lines[list[at[2]:at[3]]] = length(list[at[0]:end])
				}
				return lines
			}
		}
	}
	t.Fatal("no list of skills was sent")
	return nil
}
