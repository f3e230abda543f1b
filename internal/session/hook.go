package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// An event is what Claude Code sends to a hook, as far as it matters here.
type event struct {
	name, session, agent string
	source               string // of SessionStart
	tool, skill          string // of PreToolUse
	command              string // of UserPromptExpansion
	turn                 Turn
	badAgent             bool // it names an agent that cannot be one
}

// readEvent reads an event. It ignores a field of the wrong type, so that one odd field does not
// hide the others.
func readEvent(data []byte) (event, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &fields); err != nil {
		return event{}, errors.New("hook: not a hook event: want a JSON object")
	}
	text := func(fields map[string]json.RawMessage, name string) (s string) {
		_ = json.Unmarshal(fields[name], &s)
		return s
	}
	e := event{
		name: text(fields, "hook_event_name"), session: text(fields, "session_id"), agent: text(fields, "agent_id"),
		source: text(fields, "source"), tool: text(fields, "tool_name"), command: text(fields, "command_name"),
		turn: Turn{Prompt: text(fields, "prompt_id"), Transcript: text(fields, "transcript_path")},
	}
	var input map[string]json.RawMessage
	if json.Unmarshal(fields["tool_input"], &input) == nil {
		e.skill = text(input, "skill")
	}
	if raw, ok := fields["agent_id"]; ok && string(raw) != "null" && string(raw) != `""` && CheckID(e.agent) != nil {
		e.agent, e.badAgent = "", true
	}
	return e, nil
}

// An Answer is a hook's answer to Claude Code. The zero value says nothing.
type Answer struct {
	Output   *Output `json:"hookSpecificOutput,omitempty"`
	Decision string  `json:"decision,omitempty"` // block: of a gate alone
	Reason   string  `json:"reason,omitempty"`   // what the agent is told then

	Stops bool `json:"-"` // an agent is about to stop: a gate may be asked
}

// An Output adds to the agent's context.
type Output struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// Hook handles an event. The answer is valid even with an error: a hook must never break a session.
func (s Store) Hook(data []byte) (Answer, error) {
	e, err := readEvent(data)
	if err != nil {
		return Answer{}, err
	}
	id := ID{Session: e.session, Agent: e.agent}
	switch e.name {
	case "PreCompact", "PostCompact":
		return Answer{}, s.Forget(id, e.agent == "")
	case "SessionStart":
		return s.start(id, e.source, e.badAgent)
	case "SubagentStart":
		if e.agent == "" {
			return Answer{}, errors.New("hook: SubagentStart without an agent_id")
		}
		return Answer{}, errors.Join(s.Forget(id, false), s.Began(id))
	case "SubagentStop":
		if e.agent == "" {
			return Answer{}, nil // the compaction's own call ends with this event too
		}
		return Answer{Stops: true}, s.Ended(id)
	case "Stop":
		return Answer{Stops: true}, nil
	case "SessionEnd":
		return Answer{}, errors.Join(s.Drop(e.session), s.Sweep())
	case "PreToolUse":
		if e.tool != "Skill" || e.skill == "" {
			return Answer{}, nil
		}
		if e.badAgent {
			id.Agent = Unknown
		}
		return Answer{}, s.Note(id, PlainName(e.skill), e.turn)
	case "UserPromptExpansion":
		// A slash command always goes to the main agent.
		if e.command == "" {
			return Answer{}, nil
		}
		return Answer{}, s.Note(ID{Session: e.session}, PlainName(e.command), e.turn)
	case "":
		return Answer{}, errors.New("hook: the event has no hook_event_name")
	}
	return Answer{}, fmt.Errorf("hook: nothing to do for %q", shorten(e.name))
}

// PlainName returns a skill's name without the slash and the plugin before it.
func PlainName(skill string) string {
	skill = strings.TrimPrefix(skill, "/")
	return skill[strings.LastIndexByte(skill, ':')+1:]
}

// start handles the start of a session, new or resumed. What the transcript has kept is unknown: a
// crash may have lost the page, a rewind may have removed it.
func (s Store) start(id ID, source string, badAgent bool) (Answer, error) {
	err := s.Forget(id, id.Agent == "")
	if source == "clear" {
		return Answer{}, errors.Join(err, s.ForgetEarlier(id.Session))
	}
	if source != "compact" {
		return Answer{}, errors.Join(err, s.Sweep())
	}
	if id.Agent != "" || badAgent {
		return Answer{}, err
	}
	loaded, lerr := s.Earlier(id.Session)
	if len(loaded) == 0 {
		return Answer{}, errors.Join(err, lerr)
	}
	return Answer{Output: &Output{Event: "SessionStart", Context: reload(loaded)}}, errors.Join(err, lerr)
}

// maxContext limits how much a hook adds to the agent's context.
const maxContext = 10_000

// reload tells the agent which skills it can no longer rely on. It does not mention their old
// arguments and does not ask for a load right away, because both made agents repeat finished work.
func reload(loaded []Mark) string {
	text := "The conversation was compacted. The instructions of the skills below were read before that and are no longer complete. " +
		"Before you rely on one of them, load it again, with the arguments of the current request:"
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
