package gate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/words"
)

// A Turn is what an agent of Claude Code did about a prompt, by the transcript of its session.
type Turn struct {
	Prompt string      // the prompt's id
	Skills []Delivered // whose text reached the agent, the latest last
	Calls  []ToolCall  // in order
	Answer string      // the last thing it said

	// Doubt says why nobody may be held to anything in this turn, or is "".
	Doubt string

	ended    bool   // the last entry is what the agent said at the end
	feedback int    // what hooks said when it wanted to stop
	typed    string // the command that the prompt is, whose text has not come yet
	byID     map[string]int
	times    []time.Time // of Calls
	launch   map[string]bool
	loaded   map[string]string // the folders of skills whose text the agent has, by the names that they were called by
	asked    bool              // it started subagents
}

// A Delivered skill is one whose text reached the agent.
type Delivered struct {
	Name   string // as it was called
	Folder string
}

// An entry is a line of a transcript, as far as it matters here.
type entry struct {
	Type    string          `json:"type"`
	Subtype string          `json:"subtype"`
	Meta    bool            `json:"isMeta"`
	Summary bool            `json:"isCompactSummary"`
	Side    bool            `json:"isSidechain"`
	Prompt  string          `json:"promptId"`
	Source  string          `json:"sourceToolUseID"`
	Denied  json.RawMessage `json:"toolDenialKind"`
	Time    time.Time       `json:"timestamp"`
	Result  json.RawMessage `json:"toolUseResult"`
	Message struct {
		Content json.RawMessage `json:"content"`
		Stop    string          `json:"stop_reason"`
	} `json:"message"`
	Attachment struct {
		Type string `json:"type"`
	} `json:"attachment"`
}

// A part is one of a message.
type part struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	For     string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	IsError bool            `json:"is_error"`
}

// maxTranscript is how much of a transcript is read; a longer one tells nothing.
const maxTranscript = 256 << 20

// ReadTurn reads the last turn of a transcript, that of a subagent if side is set. With skill, the folder of one, it
// reads what was done from the last turn on in which that skill was delivered.
func ReadTurn(file string, side bool, skill string) (*Turn, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", file)
	case info.Size() > maxTranscript:
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", file, info.Size(), maxTranscript)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, since := newTurn(map[string]string{}), (*Turn)(nil)
	for lines := bufio.NewReaderSize(f, 64<<10); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return t.after(since), nil // a line without an end is still being written
		}
		if err != nil {
			return nil, err
		}
		var e entry
		if !matters(line) || json.Unmarshal(line, &e) != nil || e.Side != side {
			continue
		}
		if e.begins() {
			if t = t.after(since); skill != "" && t.has(skill) {
				since = t
			}
			t = newTurn(t.loaded)
		}
		if t.add(&e); since != nil && t.has(skill) {
			since = nil
		}
	}
}

// after returns a turn with those before it, from the one on that counts, if there is one.
func (t *Turn) after(since *Turn) *Turn {
	if since == nil {
		return t
	}
	t.Prompt, t.Skills, t.asked = since.Prompt, slices.Concat(since.Skills, t.Skills), t.asked || since.asked
	t.Calls, t.times = slices.Concat(since.Calls, t.Calls), slices.Concat(since.times, t.times)
	if t.Answer == "" {
		t.Answer = since.Answer
	}
	return t
}

func newTurn(loaded map[string]string) *Turn {
	return &Turn{byID: map[string]int{}, launch: map[string]bool{}, loaded: loaded}
}

// matters reports whether a line can say something about a turn; most bytes are in others.
func matters(line []byte) bool {
	return slices.ContainsFunc([]string{`"type":"user"`, `"type":"assistant"`, `"compact_boundary"`, `"queued_command"`},
		func(s string) bool { return bytes.Contains(line, []byte(s)) })
}

func (t *Turn) has(folder string) bool {
	return slices.ContainsFunc(t.Skills, func(d Delivered) bool { return files.Real(d.Folder) == folder })
}

// begins reports whether a line is something that a person said, or Claude Code in a person's place.
func (e *entry) begins() bool {
	if e.Type != "user" || e.Meta || e.Summary {
		return false
	}
	parts := e.parts()
	return !slices.ContainsFunc(parts, func(p part) bool { return p.Type == "tool_result" }) &&
		!slices.ContainsFunc(parts, func(p part) bool { return strings.HasPrefix(p.Text, claudecode.Interrupted) })
}

// parts returns those of the message; one that is a text has one.
func (e *entry) parts() []part {
	var all []part
	if json.Unmarshal(e.Message.Content, &all) == nil {
		return all
	}
	var text string
	if json.Unmarshal(e.Message.Content, &text) != nil {
		return nil
	}
	return []part{{Type: "text", Text: text}}
}

func (t *Turn) add(e *entry) {
	if e.Type == "user" || e.Type == "assistant" {
		t.ended = false
	}
	switch {
	case e.Type == "attachment" && e.Attachment.Type == "queued_command":
		t.Doubt = "the user said something meanwhile"
	case e.Type == "system" && e.Subtype == "compact_boundary", e.Summary:
		t.Doubt = "the conversation was compacted"
		clear(t.loaded)
	case e.Type == "assistant":
		t.assistant(e)
	case e.Type != "user":
	case e.Meta:
		t.meta(e)
	case e.begins():
		t.Prompt = e.Prompt
		for _, p := range e.parts() {
			t.typed = claudecode.TypedCommand(p.Text)
		}
	default:
		t.results(e)
	}
}

func (t *Turn) assistant(e *entry) {
	for _, p := range e.parts() {
		switch p.Type {
		case "text":
			t.Answer, t.ended = p.Text, e.Message.Stop != "tool_use"
		case "tool_use":
			t.ended = false
			if _, seen := t.byID[p.ID]; seen {
				continue
			}
			t.byID[p.ID] = len(t.Calls)
			t.Calls, t.times = append(t.Calls, ToolCall{Tool: p.Name, Input: p.Input}), append(t.times, e.Time)
			switch p.Name {
			case "AskUserQuestion":
				t.Doubt = "the agent asked the user"
			case "EnterPlanMode", "ExitPlanMode":
				t.Doubt = "the agent made a plan"
			case "Agent", "Task", "Workflow":
				t.asked = true
			}
		}
	}
}

// meta takes a text that Claude Code put in: of a skill, perhaps.
func (t *Turn) meta(e *entry) {
	for _, p := range e.parts() {
		if strings.HasPrefix(p.Text, claudecode.StopFeedback) {
			t.feedback++
		}
		folder, ok := claudecode.SkillFolder(p.Text)
		i, called := t.byID[e.Source]
		if called && claudecode.AlreadyLoaded(p.Text) {
			folder = t.loaded[t.Calls[i].skill()]
			ok = folder != ""
		}
		switch {
		case !ok:
		case called && t.launch[e.Source]:
			t.deliver(i, folder)
		case e.Source == "" && t.typed != "":
			t.loaded[t.typed] = folder
			t.Skills, t.typed = append(t.Skills, Delivered{t.typed, folder}), ""
		}
	}
}

// deliver notes that a call of the Skill tool had its text reach the agent.
func (t *Turn) deliver(call int, folder string) {
	c := &t.Calls[call]
	name := c.skill()
	c.OK, t.loaded[name] = true, folder
	t.Skills = append(t.Skills, Delivered{name, folder})
}

// skill returns the skill that a call of the Skill tool names.
func (c *ToolCall) skill() string {
	var input struct{ Skill string }
	_ = json.Unmarshal(c.Input, &input) // what cannot be read names none
	return strings.TrimPrefix(input.Skill, "/")
}

func (t *Turn) results(e *entry) {
	if e.Denied != nil && string(e.Denied) != "null" {
		t.Doubt = "a tool was refused"
	}
	for _, p := range e.parts() {
		if strings.HasPrefix(p.Text, claudecode.Interrupted) {
			t.Doubt = "the turn was interrupted"
		}
		i, called := t.byID[p.For]
		if !called {
			continue
		}
		c := &t.Calls[i]
		if c.Tool == "Skill" { // it succeeded if its text comes
			var result struct {
				Success bool
				Status  string
			}
			t.launch[p.For] = json.Unmarshal(e.Result, &result) == nil && result.Success && !p.IsError
			c.OK = result.Status == "forked"
			continue
		}
		if c.OK = !p.IsError; slices.Contains(Shells, c.Tool) {
			c.Said = said(e.Result, p.Content)
		}
	}
}

// said returns what a command printed, without its stderr where that is known.
func said(result, content json.RawMessage) string {
	var both struct{ Stdout *string }
	if json.Unmarshal(result, &both) == nil && both.Stdout != nil {
		return *both.Stdout
	}
	var text string
	_ = json.Unmarshal(content, &text) // what is no text says nothing
	return text
}

// AddSubagents adds what the subagents of a turn did: somebody else may have done the work.
func (t *Turn) AddSubagents(transcript string) error {
	if !t.asked {
		return nil
	}
	below := filepath.Join(strings.TrimSuffix(transcript, ".jsonl"), "subagents")
	for _, depth := range []string{"*.jsonl", "*/*.jsonl", "*/*/*.jsonl"} {
		all, err := filepath.Glob(filepath.Join(below, depth))
		if err != nil {
			return err
		}
		for _, file := range all {
			sub, err := ReadTurn(file, true, "")
			if err != nil {
				return err
			}
			if sub.Prompt == t.Prompt {
				t.merge(sub)
			}
		}
	}
	return nil
}

// merge adds the calls of a subagent, by their times.
func (t *Turn) merge(sub *Turn) {
	type timed struct {
		call ToolCall
		at   time.Time
	}
	var all []timed
	for _, from := range []*Turn{t, sub} {
		for i, c := range from.Calls {
			all = append(all, timed{c, from.times[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b timed) int { return a.at.Compare(b.at) })
	t.Calls, t.times = nil, nil
	for _, c := range all {
		t.Calls, t.times = append(t.Calls, c.call), append(t.times, c.at)
	}
}

// Asks reports whether a text ends with a question to its reader: its last sentence is one. A list, code or a
// parenthesis after the question belongs to it, and so does one sentence that wants an answer.
func Asks(text string) bool {
	lines := strings.Split(strings.TrimSpace(fenced.Get().ReplaceAllString(text, "\n")), "\n")
	for len(lines) > 0 {
		last := strings.TrimSpace(lines[len(lines)-1])
		item := listItem.Get().MatchString(last)
		if item && slices.ContainsFunc(sentences(last), isQuestion) {
			return true
		}
		if last != "" && !item {
			break
		}
		lines = lines[:len(lines)-1]
	}
	all := sentences(strings.Join(lines, "\n"))
	for _, skip := range []func(string) bool{inParentheses, wantsAnswer.Get().MatchString} {
		if n := len(all); n > 1 && skip(all[n-1]) && isQuestion(all[n-2]) {
			return true
		}
	}
	return len(all) > 0 && isQuestion(all[len(all)-1])
}

var (
	fenced      = words.Regexp("(?ms)^[ \\t]*```.*?^[ \\t]*```[ \\t]*$")
	listItem    = words.Regexp(`^(?:[-*+•|>]|\**\(?[0-9A-Za-z]{1,2}[.):])(?:\s|\*)`)
	sentenceEnd = words.Regexp("(?:[.!?]+[\"'`*_)\\]}>»”“’]*(?:\\s|$)|[。！？؟]+|\n\\s*\n)")
	wantsAnswer = words.Regexp(`(?i)\b(?:please|let me know|tell me|say|reply|answer|confirm|choose|pick)\b`)
)

// sentences cuts a text into its sentences.
func sentences(text string) (all []string) {
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	from := 0
	for _, at := range sentenceEnd.Get().FindAllStringIndex(text, -1) {
		add(text[from:at[1]])
		from = at[1]
	}
	add(text[from:])
	return all
}

// isQuestion reports whether a sentence ends with a question mark.
func isQuestion(sentence string) bool {
	end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(sentence, "\"'`*_)]}>»”“’!."))
	return strings.ContainsRune("?？؟", end)
}

// inParentheses reports whether a sentence is one.
func inParentheses(sentence string) bool {
	return strings.HasPrefix(sentence, "(") || strings.HasPrefix(sentence, "[")
}
