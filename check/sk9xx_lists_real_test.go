//go:build unix

package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand"
	caller "github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realagent"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// TestListLoses: what is said to be cut is in no request of the real program, what is said to remain is, and the fix brings the
// sentence that says when to use a skill into it.
func TestListLoses(t *testing.T) {
	test.Real(t)
	const skills = 120
	filler := strings.Repeat("It looks at every one of them. ", 18)
	when := func(i int) string { return fmt.Sprintf("Use when zebra%03d crosses.", i) }
	texts := map[string]string{}
	for i := range skills {
		texts[fmt.Sprintf("s%03d", i)] = fmt.Sprintf("Counts stripes of number %03d. %s%s", i, filler, when(i))
	}
	texts["twin-a"], texts["twin-b"] = "Counts twins. "+filler+"The first.", "Counts twins. "+filler+"The second."

	t.Run("codex", func(t *testing.T) {
		t.Parallel()
		dir, home := shortDir(t), shortDir(t)
		for name, text := range texts {
			writeSkill(t, filepath.Join(dir, ".agents/skills", name), text)
		}
		model := realagent.NewModel(t, func(realagent.Request) realagent.Answer { return realagent.Answer{Text: "all done"} })
		setup := realagent.New(t, agents.Get("codex"), model.URL, home)
		dialect, err := skillhand.Agent("codex")
		if err != nil {
			t.Fatal(err)
		}
		client := caller.Client{
			Path: setup.Program, Dialect: dialect, Timeout: 5 * time.Minute,
			Env: append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}, setup.Env...),
		}
		ask := func() string {
			if _, err := client.Ask(t.Context(), caller.Request{Prompt: "hello there", Dir: dir, Model: setup.Model}); err != nil {
				t.Fatal(err)
			}
			all := model.Requests()
			return all[len(all)-1].Body
		}
		files, err := Finder{Dir: dir, Others: true}.Find(nil)
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{Agents: []string{"codex"}}
		sent, lost, twins := ask(), 0, 0
		for _, f := range Run(t.Context(), files, opt).Findings {
			if f.Rule != "SK908" {
				continue
			}
			var chars int
			name := filepath.Base(filepath.Dir(f.File))
			if _, err := fmt.Sscanf(f.Message, "codex's list shows the same %d", &chars); err == nil {
				if twins++; strings.Count(sent, texts[name][:chars]) != 2 || strings.Contains(sent, "The second.") {
					t.Errorf("%s: %s", f.File, f.Message)
				}
				continue
			}
			lost++
			_, err := fmt.Sscanf(f.Message, "codex's list shows the first %d", &chars)
			if err != nil || !strings.Contains(sent, texts[name][:chars]) || strings.Contains(sent, texts[name][:chars+1]) {
				t.Errorf("%s: %s: %v", f.File, f.Message, err)
			}
		}
		if lost != skills || twins != 1 {
			t.Errorf("%d sentences are lost and %d twins found, want %d and 1", lost, twins, skills)
		}
		for _, e := range Mend(t.Context(), files, opt, true).Edits {
			if err := os.WriteFile(filepath.Join(dir, e.Name), e.After, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		sent = ask()
		for i := range skills {
			if !strings.Contains(sent, when(i)) {
				t.Errorf("after the fix the request lacks %q", when(i))
			}
		}
	})

	t.Run("claude", func(t *testing.T) {
		t.Parallel()
		api := fakeapi.New(t)
		api.Handle(func(*fakeapi.Request) fakeapi.Answer { return fakeapi.Text("ok") })
		c := realclaude.New(t, api)
		long := "Counts stripes. " + strings.Repeat("It looks at every one of them. ", 60) + when(1)
		writeSkill(t, filepath.Join(c.Project, ".claude/skills/long"), long)
		sent := func() string {
			before := len(api.Requests())
			c.Run("-p", "hi")
			var text strings.Builder
			for _, q := range api.Requests()[before:] {
				for _, m := range q.Messages {
					for _, b := range m.Content {
						text.WriteString(b.Text)
					}
				}
			}
			return text.String()
		}
		files, err := Finder{Dir: c.Project}.Find(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := sent(); !strings.Contains(got, long[:1500]) || strings.Contains(got, "zebra") {
			t.Error("the sentence is in the request, or the beginning is not")
		}
		fixes := Mend(t.Context(), files, Options{}, true)
		if len(fixes.Edits) != 1 {
			t.Fatalf("%d files are fixed, want 1", len(fixes.Edits))
		}
		c.Write(fixes.Edits[0].Name, string(fixes.Edits[0].After))
		if got := sent(); !strings.Contains(got, "- long: "+when(1)) {
			t.Error("after the fix the request lacks the sentence")
		}
	})
}

// shortDir makes a folder with a short path: Codex takes the paths of folders, beyond some length, off the room of its list.
func shortDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func writeSkill(t *testing.T, dir, description string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: " + filepath.Base(dir) + "\ndescription: " + description + "\n---\nText.\n"
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
