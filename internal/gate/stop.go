package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/session"
)

// MaxReminders is how often an agent is told in one turn that something is missing.
const MaxReminders = 2

// A Stop decides whether an agent may stop, if the user switched on a gate for what it does. Any doubt
// means that it may.
type Stop struct {
	Here    here.Here
	Compile Compiler
	Run     func(ctx context.Context, dir string, env []string, command string, limit time.Duration) (why string, err error)
	Hide    func(text string) string // takes secrets out
}

// An event is what Claude Code tells a hook of Stop or SubagentStop. A field of another kind than these
// makes the event one that is not understood.
type event struct {
	Name            string            `json:"hook_event_name"`
	Session         string            `json:"session_id"`
	Prompt          string            `json:"prompt_id"`
	Cwd             string            `json:"cwd"`
	Mode            string            `json:"permission_mode"`
	Transcript      string            `json:"transcript_path"`
	Last            string            `json:"last_assistant_message"`
	Background      []json.RawMessage `json:"background_tasks"`
	Crons           []json.RawMessage `json:"session_crons"`
	Agent           string            `json:"agent_id"`
	AgentType       string            `json:"agent_type"`
	AgentTranscript string            `json:"agent_transcript_path"`
}

// doubt says why an event alone is reason enough to let the agent stop, or returns "".
func (e *event) doubt() string {
	switch {
	case e.Name != "Stop" && e.Name != "SubagentStop":
		return "no agent stops"
	case e.Name == "SubagentStop" && (e.Agent == "" || e.AgentType == "" || e.AgentTranscript == ""):
		return "no subagent stops" // as at the end of a compaction
	case e.Name == "Stop" && e.Agent != "":
		return "it is not known who stops"
	case e.Mode == "plan" || e.Mode == "":
		return "the agent plans"
	case len(e.Background) > 0 || len(e.Crons) > 0:
		return "work goes on in the background"
	case e.Prompt == "" || e.Last == "":
		return "the agent said nothing"
	case Asks(e.Last):
		return "the agent asks something"
	}
	return ""
}

// Answer answers an event. The answer is good even if there is an error.
func (s Stop) Answer(ctx context.Context, data []byte) (session.Answer, error) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return session.Answer{}, fmt.Errorf("gate: the event is not understood: %w", err)
	}
	if e.doubt() != "" {
		return session.Answer{}, nil
	}
	id := session.ID{Session: e.Session, Agent: e.Agent}
	given, err := s.Here.Sessions().Reminded(id, e.Prompt)
	if err != nil {
		return session.Answer{}, gateFault(err)
	}
	t, err := e.turn(ctx, given)
	if err != nil || t == nil {
		return session.Answer{}, gateFault(err)
	}
	dir, ok := s.folder(e.Cwd)
	if !ok || s.Here.Policy().Now().May(dir) != nil {
		return session.Answer{}, nil
	}
	var faults []error
	var all []judged
	for i, d := range t.Skills {
		if slices.ContainsFunc(t.Skills[i+1:], func(later Delivered) bool { return later.Folder == d.Folder }) {
			continue
		}
		j, err := s.judge(ctx, t, d, dir)
		if faults = append(faults, gateFault(err)); j != nil {
			all = append(all, *j)
		}
	}
	answer, err := s.decide(id, e.Prompt, given, all)
	return answer, errors.Join(append(faults, gateFault(err))...)
}

func gateFault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("gate: the agent may stop: %w", err)
}

// lag is how long a transcript may take to have the agent's last words.
const lag = 2 * time.Second

// turn reads what the agent did about the prompt, in which it was reminded a few times; nil if it may stop whatever
// that was. The transcript is written behind the agent's back: it must have come as far as the event, or work that was
// done would be missing.
func (e *event) turn(ctx context.Context, given int) (*Turn, error) {
	file, side := e.Transcript, false
	if e.Agent != "" {
		file, side = e.AgentTranscript, true
	}
	for end := time.Now().Add(lag); ; {
		t, err := ReadTurn(file, side, "")
		switch {
		case err != nil:
			return nil, err
		case t.ended && t.feedback >= given && t.Prompt == e.Prompt && strings.TrimSpace(t.Answer) == strings.TrimSpace(e.Last):
			if t.Doubt != "" || len(t.Skills) == 0 || side && t.asked {
				return nil, nil
			}
			return t, t.AddSubagents(file)
		case time.Now().After(end):
			return nil, fmt.Errorf("%s does not end with the agent's last words", file)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// folder returns where the agent works: the project, or the worktree that it went to.
func (s Stop) folder(cwd string) (string, bool) {
	project := s.Here.Project
	if !filepath.IsAbs(cwd) {
		return "", false
	}
	if top := files.Top(cwd); top != "" && top != files.Top(project) {
		return top, true
	}
	return project, files.Inside(files.Real(project), files.Real(cwd))
}

// A judged skill is one whose gate was asked.
type judged struct {
	skill   Delivered
	done    *Done
	results []Result
}

// judge asks the checks of a skill; nil if its gate is off, if it has none, or if nobody trusts it.
func (s Stop) judge(ctx context.Context, t *Turn, skill Delivered, dir string) (*judged, error) {
	policy := s.Here.Policy().Now()
	if on, err := policy.GateOn(skill.Folder); err != nil || !on {
		return nil, err
	}
	folder := files.Real(skill.Folder)
	if policy.May(filepath.Join(folder, DoneFile)) != nil {
		return nil, nil
	}
	done, err := ReadDone(folder, s.Compile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if err := policy.Read(done.File, done.Source); err != nil {
		return nil, err
	}
	scene := t.Scene(folder, dir)
	scene.Compile = s.Compile
	env := policy.Env(s.Here.Env)
	scene.Run = func(ctx context.Context, command string, limit time.Duration) (string, error) {
		why, err := s.Run(ctx, dir, env, command, limit)
		if late, ok := errors.AsType[TimedOut](err); ok {
			return "", Unknown(late.Error()) // a machine may be busy
		}
		return why, err
	}
	return &judged{skill, done, done.Judge(ctx, scene, s.Hide)}, nil
}

// Scene returns what a turn left for the checks of the skill in folder.
func (t *Turn) Scene(folder, dir string) *Scene {
	scene := &Scene{Dir: dir, Skill: folder, Answer: t.Answer, Calls: func() ([]ToolCall, error) { return t.Calls, nil }}
	for _, d := range t.Skills {
		input, _ := json.Marshal(map[string]string{"skill": d.Name}) // a map of strings has no fault
		if !slices.ContainsFunc(t.Calls, func(c ToolCall) bool { return c.Tool == "Skill" && inInput(c.Input, d.Name) }) {
			scene.Typed = append(scene.Typed, ToolCall{Tool: "Skill", Input: input, OK: true})
		}
	}
	return scene
}

// decide blocks if a check fails for sure, and remembers how it ended.
func (s Stop) decide(id session.ID, prompt string, given int, all []judged) (session.Answer, error) {
	if len(all) == 0 {
		return session.Answer{}, nil
	}
	failed := slices.ContainsFunc(all, func(j judged) bool { return slices.ContainsFunc(j.results, Result.Failed) })
	if !failed || given >= MaxReminders {
		return session.Answer{}, s.remember(id, given, all)
	}
	store := s.Here.Sessions()
	err := store.Remind(id, prompt, given+1)
	if err != nil {
		return session.Answer{}, err
	}
	if id.Agent != "" {
		err = store.Began(id) // it goes on
	}
	return session.Answer{Decision: "block", Reason: reason(all, MaxReminders-given-1)}, err
}

// The limits of what an agent is told.
const (
	maxWhy    = 1200
	maxReason = 6000
)

// reason tells an agent what is missing.
func reason(all []judged, left int) string {
	var b strings.Builder
	for _, j := range all {
		if !slices.ContainsFunc(j.results, Result.Failed) {
			continue
		}
		fmt.Fprintf(&b, "The skill %s is not done. These checks of %s do not hold:\n", j.skill.Name, j.done.File)
		for _, r := range j.results {
			if r.Failed() && b.Len() < maxReason {
				why := r.Why
				if len(why) > maxWhy {
					why = "…" + strings.ToValidUTF8(why[len(why)-maxWhy:], "")
				}
				fmt.Fprintf(&b, "- %s\n  %s\n", r.Check, strings.ReplaceAll(why, "\n", "\n  "))
			}
		}
	}
	b.WriteString("Do what is missing, and do not change the checks. If that is not possible, say what is missing and why, or ask the user.")
	if left == 0 {
		b.WriteString(" This is the last reminder.")
	}
	return b.String()
}

// remember adds how it ended to the history: for each skill, whether its checks hold, and after how many
// reminders. What could not be told is no end.
func (s Stop) remember(id session.ID, given int, all []judged) error {
	if s.Here.Env.Get("SKILLHAND_HISTORY") == "off" {
		return nil
	}
	var faults []error
	for _, j := range all {
		r := activity.Record{Kind: activity.Gate, Skill: s.Hide(j.skill.Name), Session: id.Session, OK: true,
			Project: files.Real(files.Around(s.Here.Project)), Reminders: given}
		var missing []string
		for _, c := range j.results {
			if r.OK = r.OK && c.OK != nil; c.Failed() {
				missing = append(missing, c.Check)
			}
		}
		switch {
		case len(missing) > 0:
			r.OK, r.Category, r.Detail = false, activity.NotDone, strings.Join(missing, "; ")
		case !r.OK:
			continue
		}
		faults = append(faults, activity.Store{Dir: s.Here.HistoryDir()}.Append(r))
	}
	return errors.Join(faults...)
}
