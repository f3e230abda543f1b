package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
)

// cut returns how the agent's list of skills cut a description. It returns "" if the model got the
// whole description, or if this is unknown. The list of Claude Code is in the session that the
// trial left. For other agents skillhand knows how they make their lists.
func (m *Bundle) cut(s *Subject, place folders) string {
	if m.other == nil {
		return listed(place.home, s.Names)
	}
	found, _ := find.ForAgents(place.project, place.home) // an agent does not list what cannot be read
	for i, v := range m.other.Views(found) {
		if found[i].User || found[i].Place != ".agents" || found[i].Folder != s.Dir {
			continue
		}
		switch {
		case v.Sight == agents.Invisible:
			return "the agent's list of skills leaves it out: " + v.Why
		case v.Sight == agents.Cut && v.Chars == 0:
			return "the agent's list of skills has its name and no description: " + v.Why
		case v.Sight == agents.Cut:
			return fmt.Sprintf("the agent's list of skills cuts its description after %d characters: %s", v.Chars, v.Why)
		}
	}
	return ""
}

// listed returns how Claude Code's list of skills cut a description, by the session that a trial
// left in its HOME. It returns "" if the model got the whole description, or if this is unknown.
func listed(home string, names Names) string {
	known, cut := false, ""
	for _, file := range files.Glob(home, ".claude/projects/*/*.jsonl") {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range bytes.Lines(text) {
			var e struct {
				Attachment struct {
					Type    string `json:"type"`
					Content string `json:"content"`
				} `json:"attachment"`
			}
			if !bytes.Contains(line, []byte("skill_listing")) || !loose(json.Unmarshal(line, &e)) || e.Attachment.Type != "skill_listing" {
				continue
			}
			known = true
			if why, found := inListing(e.Attachment.Content, names); found && why == "" {
				return ""
			} else if found {
				cut = why
			}
		}
	}
	if known && cut == "" {
		return "the agent's list of skills leaves it out"
	}
	return cut
}

// inListing finds a skill in a list with lines such as "- name: description".
func inListing(list string, names Names) (cut string, found bool) {
	for line := range strings.Lines(list) {
		entry, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			continue
		}
		for _, name := range names {
			rest, mine := strings.CutPrefix(entry, name)
			switch {
			case mine && rest == "":
				return "the agent's list of skills has its name and no description", true
			case mine && strings.HasPrefix(rest, ": ") && strings.HasSuffix(rest, "…"):
				return fmt.Sprintf("the agent's list of skills cuts its description after %d characters", len([]rune(rest))-3), true
			case mine && strings.HasPrefix(rest, ": "):
				return "", true
			}
		}
	}
	return "", false
}

// calledOnly returns an error for each prompt that does not call a skill which never fires by
// itself.
func (s *Subject) calledOnly() []error {
	var faults []error
	for _, c := range s.Cases {
		if _, called := s.called(c.Prompt); s.Manual && !called && c.Fires && !c.Open {
			faults = append(faults, fmt.Errorf(
				"%s:%d: %s: disable-model-invocation is true, so it never fires by itself: begin the prompt with /%s",
				c.File, c.Line, c.ID, slices.Concat(s.Names, Names{s.Name})[0]))
		}
	}
	return faults
}
