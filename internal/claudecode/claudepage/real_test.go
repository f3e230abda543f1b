//go:build unix

package claudepage_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/claudepage"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// TestReal asks the pinned Claude Code itself about the cases of testdata/real.json. What it says is
// what the file wants, and TestRecorded holds this package to it.
func TestReal(t *testing.T) {
	test.Real(t)
	cases := readCases(t, "real.json")
	t.Run("cases", func(t *testing.T) {
		for i := range cases {
			c := &cases[i]
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				got := c.ask(t)
				if *test.Record {
					c.Want = got
				} else if toJSON(t, got) != toJSON(t, c.Want) {
					t.Errorf("Claude Code %s says\n%s\nwant\n%s", claudecode.Version, toJSON(t, got), toJSON(t, c.Want))
				}
			})
		}
	})
	if *test.Record && !t.Failed() {
		writeCases(t, "real.json", cases)
	}
}

// ask has the real program render the case.
func (c *recording) ask(t *testing.T) want {
	api := fakeapi.New(t)
	api.Handle(realclaude.Obey)
	real := realclaude.New(t, api)
	claudepage.Write(t, real.Project, c.Files)
	for name, text := range c.Home {
		claudepage.Write(t, real.Home, map[string]string{name: strings.NewReplacer("{{PROJECT}}", real.Project, "{{HOME}}", real.Home).Replace(text)})
	}
	for k, v := range c.Env {
		real.Env = append(real.Env, k+"="+strings.NewReplacer("{{PROJECT}}", real.Project, "{{HOME}}", real.Home).Replace(v))
	}
	root := real.Project
	real.Project = filepath.Join(root, c.Cwd)
	args := ""
	if c.Args != nil {
		args = *c.Args
	}
	prompt := strings.TrimSuffix("/"+c.Skill+" "+args, " ")
	if c.Via == "tool" {
		prompt = "call Skill " + toJSON(t, map[string]string{"skill": c.Skill, "args": args})
	}
	flags := append([]string{"-p", "--session-id", session, "--allowedTools", "Skill"}, c.CLI...)
	out := real.Run(append(flags, "--", prompt)...)
	text, fault := page(api, prompt, c.Via == "tool"), ""
	switch {
	case len(api.Requests()) == 0:
		fault = strings.TrimSuffix(out.Stdout, "\n")
	case c.Via == "tool":
		for _, q := range api.Requests() {
			for _, b := range q.Results() {
				if b.IsError {
					fault = b.Said()
				}
			}
		}
	}
	places := strings.NewReplacer(root, "{{PROJECT}}", real.Home, "{{HOME}}", session, "{{SESSION}}", filepath.Dir(root), "{{ROOT}}")
	fault, text = places.Replace(fault), places.Replace(text)
	switch {
	case fault != "":
		return want{Error: &fault}
	case text == prompt:
		return want{Unknown: true}
	}
	return want{Text: &text}
}

// page returns the text block that holds the skill: the last that the model was sent, but for the
// newline that separates it from the next.
func page(api *fakeapi.API, prompt string, tool bool) string {
	for _, q := range slices.Backward(api.Requests()) {
		for _, turn := range slices.Backward(q.Messages) {
			if turn.Role != "user" {
				continue
			}
			for _, b := range slices.Backward(turn.Content) {
				if b.Type == "text" && !strings.HasPrefix(b.Text, "<system-reminder>") {
					return b.Text
				}
			}
			break
		}
		break
	}
	return ""
}

func writeCases(t *testing.T, file string, cases []recording) {
	t.Helper()
	var b strings.Builder
	b.WriteString("[\n")
	for i, c := range cases {
		b.WriteString(" " + toJSON(t, c))
		if i < len(cases)-1 {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	b.WriteString("]\n")
	if err := os.WriteFile(filepath.Join("testdata", file), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
