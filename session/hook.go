package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// An event is what Claude Code tells a hook, as far as it matters here.
type event struct {
	Name      string `json:"hook_event_name"`
	Session   string `json:"session_id"`
	Agent     string `json:"agent_id"`
	Source    string `json:"source"`       // of SessionStart
	Tool      string `json:"tool_name"`    // of PreToolUse
	Command   string `json:"command_name"` // of UserPromptExpansion
	ToolInput struct {
		Skill string `json:"skill"`
	} `json:"tool_input"`
}

// An Answer is what a hook tells Claude Code. The zero value says nothing.
type Answer struct {
	Output *Output `json:"hookSpecificOutput,omitempty"`
}

// An Output adds to what the agent is told.
type Output struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// Hook does what an event asks for. The answer is good even if there is an
// error: a hook must never break a session.
func (s Store) Hook(data []byte) (Answer, error) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return Answer{}, fmt.Errorf("hook: not a hook event: %w", err)
	}
	id := ID{Session: e.Session, Agent: e.Agent}
	switch e.Name {
	case "PreCompact", "PostCompact":
		return Answer{}, s.Forget(id, e.Agent == "")
	case "SessionStart":
		return s.start(id, e.Source)
	case "SubagentStart":
		if e.Agent == "" {
			return Answer{}, errors.New("hook: SubagentStart without an agent_id")
		}
		return Answer{}, s.Forget(id, false)
	case "SessionEnd":
		return Answer{}, errors.Join(s.Drop(e.Session), s.Sweep())
	case "PreToolUse":
		if e.Tool != "Skill" || e.ToolInput.Skill == "" {
			return Answer{}, nil
		}
		return Answer{}, s.Note(id, PlainName(e.ToolInput.Skill))
	case "UserPromptExpansion":
		// A slash command: the user speaks to the main agent.
		if e.Command == "" {
			return Answer{}, nil
		}
		return Answer{}, s.Note(ID{Session: e.Session}, PlainName(e.Command))
	case "":
		return Answer{}, errors.New("hook: the event has no hook_event_name")
	}
	return Answer{}, fmt.Errorf("hook: nothing to do for %q", shorten(e.Name))
}

// PlainName is a skill's name without the slash and the plugin before it.
func PlainName(skill string) string {
	skill = strings.TrimPrefix(skill, "/")
	return skill[strings.LastIndexByte(skill, ':')+1:]
}

// start begins a session, or goes on with one after its context was lost.
func (s Store) start(id ID, source string) (Answer, error) {
	if source != "compact" && source != "clear" {
		return Answer{}, s.Sweep()
	}
	err := s.Forget(id, id.Agent == "")
	if source == "clear" || id.Agent != "" {
		return Answer{}, err
	}
	loaded, lerr := s.Earlier(id.Session)
	if len(loaded) == 0 {
		return Answer{}, errors.Join(err, lerr)
	}
	return Answer{Output: &Output{Event: "SessionStart", Context: reload(loaded)}}, errors.Join(err, lerr)
}

// maxContext is how much a hook may add to what the agent is told.
const maxContext = 10_000

// reload tells the agent which skills it can no longer rely on. It must not
// ask for their old arguments to be used again, nor for a load right away:
// that made agents repeat work that was done.
func reload(loaded []Mark) string {
	text := "The conversation was compacted. The instructions of the skills named here were read before that and are no longer complete. " +
		"Before you rely on one of them again, load it again, for what is asked then:"
	left := len(loaded)
	for _, m := range loaded {
		line := "\n- " + m.Skill
		more := fmt.Sprintf("\n- and %d more", left)
		if len(text)+len(line)+len(more) > maxContext {
			return text + more
		}
		text += line
		left--
	}
	return text
}
