//go:build linux

package plugin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// A sitting is an interactive session with the plugin, as people have it.
type sitting struct {
	*probe
	term *realclaude.Terminal
}

func newSitting(t *testing.T, args ...string) *sitting {

	t.Helper()
	p := newProbe(t, realclaude.Obey, "")
	p.Session.Close()
	s := &sitting{probe: p}
	s.open(args...)
	return s
}

// open opens a terminal. args are further flags of the CLI.
func (s *sitting) open(args ...string) {
	s.t.Helper()
	s.term = s.claude.Open(append([]string{"--plugin-dir", "plug", "--allowedTools", "Skill,Agent"}, args...)...)
}

// ask enters a prompt, waits for the events that come of it, the agent's end the last,
// and returns the pages of the skill that agents were sent.
func (s *sitting) ask(prompt string, events ...string) (pages []string, told realclaude.Told) {
	s.t.Helper()
	s.use++
	s.claude.Write("fresh", fmt.Sprint("fresh-", s.use))
	before := len(s.api.Requests())
	s.term.Type(prompt)
	return s.answered(before, events...)
}

// answered waits for the agent's end, and returns the pages since a request.
func (s *sitting) answered(before int, events ...string) (pages []string, told realclaude.Told) {
	s.t.Helper()
	for _, event := range append(events, "Stop") {
		told = s.term.Await(event)
	}
	for _, q := range s.api.Requests()[before:] {
		for _, news := range s.api.News(q) {
			if strings.Contains(news, "Base directory for this skill: ") && strings.Contains(news, "skills/probe") &&
				!strings.Contains(news, "invoked EARLIER") {
				pages = append(pages, news)
			}
		}
	}
	return pages, told
}

// wantOne checks that a prompt had one page, with or without the instructions.
func (s *sitting) wantOne(step, prompt string, whole bool, events ...string) realclaude.Told {
	s.t.Helper()
	pages, told := s.ask(prompt, events...)
	s.wantPages(pages, step, 1, whole)
	return told
}

// TestTerminal walks through an interactive session: what was read in a turn that the
// conversation still has is not sent again. A person's slash command has the whole text:
// nobody can tell whether the conversation was rewound before it.
func TestTerminal(t *testing.T) {
	s := newSitting(t)
	told := s.wantOne("first use, by the model", model, true)
	if told.Mode != "auto" {
		t.Errorf("an interactive session begins in mode %q, want auto", told.Mode)
	}
	s.wantOne("later use, by the model", model, false)
	s.wantOne("later use, by a person", slash+" b", true)
	s.term.Type("/compact")
	s.term.Await("PostCompact")
	s.wantOne("after a compaction", model, true)
	s.wantOne("later", model, false)

	s.term.Type("/clear")
	if cleared := s.term.Await("SessionStart"); cleared.Source != "clear" || cleared.Session == told.Session {
		t.Errorf("/clear began %+v", cleared)
	}
	told = s.wantOne("after /clear", model, true)
	s.wantOne("later", model, false)

	// The window is closed, and the session goes on in another.
	s.term.Close()
	s.open("--resume", told.Session)
	s.wantOne("after resuming", model, true)
	s.wantOne("later", model, false)
}

// TestTerminalRewind: text read in a turn that was taken back is sent again, though no hook reports that.
func TestTerminalRewind(t *testing.T) {
	s := newSitting(t)
	s.ask("hello")
	s.wantOne("first use", model, true)
	s.wantOne("later use", model, false)
	s.ask("something else")
	s.rewind(3, "call Skill")
	before := len(s.api.Requests())
	s.term.Press("\r") // the prompt is there again
	pages, _ := s.answered(before)
	s.wantPages(pages, "the first use again", 1, true)
	s.rewind(1, "call Skill")
	s.term.Press("\x15") // away with it
	s.wantOne("by a person", slash+" a", true)
}

// rewind takes the last prompts back: n of them, the first of which begins so.
func (s *sitting) rewind(n int, prompt string) {
	s.t.Helper()
	s.term.Type("/rewind")
	s.term.Shows("Enter to continue")
	for range n {
		s.term.Press("\x1b[A")
	}
	s.term.Shows("❯" + prompt)
	s.term.Press("\r")
	s.term.Shows("Restore conversation")
	s.term.Forget()
	s.term.Press("\r")
	s.term.Shows("❯" + prompt)
}

// TestTerminalSubagents: subagents have instructions of their own.
func TestTerminalSubagents(t *testing.T) {
	s := newSitting(t, "--permission-mode", "default") // in auto mode a service decides what subagents may do
	s.wantOne("first use", model, true)
	s.wantOne("a subagent", subagent("general-purpose", model), true, "SubagentStop")
	s.wantOne("a subagent whose skill is preloaded", subagent("skillhand:preloaded", "hello"), true, "SubagentStop")
	s.wantOne("the main agent after that", model, false)
}

// TestTerminalViews: the plugin's own skill and the status line work where people sit.
func TestTerminalViews(t *testing.T) {
	p := newProbe(t, realclaude.Obey, "")
	p.Session.Close()
	p.claude.StatusLine = "printf 'LINE: '; skillhand statusline"
	s := &sitting{probe: p}
	s.open()
	s.term.Shows("LINE: Opus")
	s.wantOne("first use", model, true)
	s.ask("/skillhand:status")
	if page := s.api.News(s.api.Last()); !slices.ContainsFunc(page, func(text string) bool {
		return strings.Contains(text, "skills/status") && strings.Contains(text, "skillhand:probe")
	}) {
		t.Errorf("the page of status does not name the skill that was loaded: %q", page)
	}
}
