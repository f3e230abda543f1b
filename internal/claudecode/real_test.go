//go:build unix

package claudecode_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// firstField is the field in the first complaint of Claude Code about a manifest.
var firstField = regexp.MustCompile(`(?:Validation errors|validation failed): ([A-Za-z$][^:]*):`)

// TestReal asks the pinned Claude Code which of the recorded plugins it loads: all of them in one run.
func TestReal(t *testing.T) {
	all := readRecordings(t)
	c := realclaude.New(t, fakeapi.New(t))
	args := []string{"-p", "hi", "--output-format", "stream-json", "--verbose"}
	dirs := map[string]int{}
	for i, r := range all {
		name := fmt.Sprintf("p%d", i)
		c.Write(name+"/.claude-plugin/plugin.json", string(r.Manifest))
		c.Write(name+"/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\nText\n")
		dir := filepath.Join(c.Project, name)
		dirs[dir] = i
		args = append(args, "--plugin-dir", dir)
	}
	var init struct {
		Plugins []struct{ Path string }
		Errors  []struct{ Path, Message string } `json:"plugin_errors"`
	}
	for _, e := range c.Run(args...).Events() {
		if e.Subtype == "init" {
			if err := json.Unmarshal(e.Raw, &init); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := slices.Clone(all)
	for i := range got {
		got[i].Loads, got[i].Field = true, ""
	}
	for _, e := range init.Errors {
		i, ok := dirs[e.Path]
		if m := firstField.FindStringSubmatch(e.Message); ok && m != nil {
			got[i].Loads, got[i].Field = false, m[1]
		} else if ok {
			got[i].Loads = false
		}
	}
	if len(init.Plugins) == 0 || len(init.Errors) == 0 {
		t.Fatalf("it loaded %d plugins and had %d errors", len(init.Plugins), len(init.Errors))
	}
	if *test.Record {
		writeRecordings(t, got)
		return
	}
	for i, r := range all {
		if got[i].Loads != r.Loads || got[i].Field != r.Field {
			t.Errorf("%s: Claude Code %s: loads: %v, field %q; recorded: %v, %q", r.Manifest, claudecode.Version, got[i].Loads, got[i].Field, r.Loads, r.Field)
		}
	}
}
