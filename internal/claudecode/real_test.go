//go:build unix

package claudecode_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
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

// TestRealPrices asks the pinned Claude Code what requests of each model cost, one after another in one session.
func TestRealPrices(t *testing.T) {
	all := readCharges(t)
	var now charge
	api := fakeapi.New(t)
	api.Handle(func(*fakeapi.Request) fakeapi.Answer {
		return fakeapi.Message{Text: "ok", Usage: fakeapi.Usage{
			Input: now.Input, Output: now.Output, CacheRead: now.CacheRead, CacheWrite: now.CacheWrite, CacheWrite1: now.CacheWrite1,
			Searches: now.Searches, Speed: now.Speed, Geo: now.Geo,
		}}
	})
	claude := realclaude.New(t, api)
	claude.Env = []string{"CLAUDE_CODE_DISABLE_LEGACY_MODEL_REMAP=1"} // else it asks a newer Opus in the place of an old one
	s := claude.Start("--model", all[0].Model)
	var before float64
	for i, c := range all {
		now = c
		s.Use(c.Model)
		var result struct {
			USD float64 `json:"total_cost_usd"`
		}
		if err := json.Unmarshal(s.Send(fmt.Sprint("question ", i)).Result.Raw, &result); err != nil {
			t.Fatal(err)
		}
		// The first change to a model asks it something, too, which costs nothing.
		asked := slices.DeleteFunc(api.Requests(), func(q *fakeapi.Request) bool { return len(q.Tools) == 0 })
		if q := asked[len(asked)-1]; len(asked) != i+1 || q.Model != c.Model {
			t.Fatalf("%s: %d requests, the last for %s", c.Model, len(asked), q.Model)
		}
		usd := math.Round((result.USD-before)*1e9) / 1e9
		before = result.USD
		if !*test.Record && usd != c.USD {
			t.Errorf("%+v: Claude Code %s charges $%v", c, claudecode.Version, usd)
		}
		all[i].USD = usd
	}
	if *test.Record {
		var b bytes.Buffer
		for i, c := range all {
			line, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s%s", map[bool]string{true: "[\n", false: ",\n"}[i == 0], line)
		}
		b.WriteString("\n]\n")
		if err := os.WriteFile(pricesFile, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
