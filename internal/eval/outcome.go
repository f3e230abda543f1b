package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/words"
)

// An Outcome says which skill fired, if any.
type Outcome string

// The outcomes.
const (
	Fired Outcome = "fired" // the skill under test
	Other Outcome = "other" // only other skills
	None  Outcome = "none"
	// ReadFile means that the agent read the skill's file. In Codex and pi a skill fires this way.
	ReadFile Outcome = "read"
	// Called means that the agent called the skill but did not get its text: the page failed, or
	// the call was refused.
	Called Outcome = "called"
	// Unknown means that the agent started a subagent whose actions its stream does not show.
	Unknown Outcome = "unknown"
	Void    Outcome = "void" // no verdict: rate limit, timeout, crash
)

// outcomes lists all outcomes in the order of reports, with what people read about a skill that
// should fire.
var outcomes = []struct {
	outcome Outcome
	words   string
}{
	{Fired, "fires"}, {ReadFile, "read"}, {Called, "called, its page failed"}, {Other, "another fires"}, {None, "does not fire"},
	{Unknown, "unknown whether it fires"}, {Void, "no verdict"},
}

// delivered reports whether the skill's text reached the agent.
func (o Outcome) delivered() bool { return o == Fired || o == ReadFile }

// told reports whether the outcome shows if the skill fired.
func (o Outcome) told() bool { return o != Void && o != Unknown }

// A Reading is the content of a transcript, as far as trials need it.
type Reading struct {
	Outcome Outcome
	Skills  []string // the skills whose text was delivered, in order, each once
	Refused string   // what the agent got instead of the skill's text, if it called the skill and the skill did not fire
	Answer  string
	Why     string // why the outcome is void, or the answer was cut off
	CostUSD float64
	Tokens  int // input and output

	full bool // void because the answer reached the output limit; a skill that fired before has still fired
}

// Names are the names that the CLI may use for a skill: its folder, the name in its frontmatter,
// and both with the name of its plugin before them.
type Names []string

// events calls f for each event of a transcript, converted to Claude Code's format. by is the agent
// that wrote it; nil means Claude Code. Lines that are not events are skipped.
func events(file string, by *agents.Agent, f func(e *event)) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	decode := func(line []byte) {
		if e := decodeEvent(line); e != nil {
			f(e)
		}
	}
	line, end := decode, func() {}
	if by != nil {
		from := by.Reader(agents.Question{})
		line, end = func(line []byte) { from.Line(bytes.TrimSpace(line), decode) }, func() { from.End(decode) }
	}
	for lines := bufio.NewReaderSize(in, 64<<10); ; {
		text, err := lines.ReadBytes('\n')
		line(text)
		if errors.Is(err, io.EOF) {
			end()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// decodeEvent decodes a line of a transcript. It returns nil if the line is not an event.
func decodeEvent(line []byte) *event {
	e := &event{}
	if !loose(json.Unmarshal(line, e)) {
		return nil
	}
	e.parts = blocks(e.Message.Content)
	return e
}

// A stream is the part of a transcript that was read, in the CLI's stream-json. A skill fired if
// the agent called it and got its text, whatever happened before.
type stream struct {
	calls  map[string]*call // calls of the Skill tool, by id
	order  []*call
	result *resultEvent // the last result

	delivers bool   // a result that names its skill delivered the text, as in agents other than Claude Code
	hides    string // the tool that starts a subagent which the stream does not show, or ""
	hidden   bool   // the agent called that tool
}

// A call is a call of the Skill tool. It delivers the skill if its result is not an error and the
// skill's text follows.
type call struct {
	id, parent, skill  string
	launched, complete bool
	refused            bool
	fault              string // the text of the refusal
}

// An event is a line of the stream, with the fields that trials need.
type event struct {
	Type    string `json:"type"`
	Parent  string `json:"parent_tool_use_id"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Result    json.RawMessage `json:"tool_use_result"`
	Model     string          `json:"model"`
	Version   string          `json:"claude_code_version"`
	Timestamp string          `json:"timestamp"`
	resultEvent

	parts []block // the parts of the message
}

type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	For     string          `json:"tool_use_id"`
	Said    json.RawMessage `json:"content"`
	IsError bool            `json:"is_error"`
}

type resultEvent struct {
	Subtype string          `json:"subtype"`
	IsError json.RawMessage `json:"is_error"`
	Turns   int             `json:"num_turns"`
	Text    string          `json:"result"`
	Errors  []string        `json:"errors"`
	Stop    string          `json:"stop_reason"`
	CostUSD float64         `json:"total_cost_usd"`
	Usage   struct {
		In      int `json:"input_tokens"`
		Out     int `json:"output_tokens"`
		Read    int `json:"cache_read_input_tokens"`
		Created int `json:"cache_creation_input_tokens"`
	} `json:"usage"`
}

func (s *stream) event(e *event) {
	switch e.Type {
	case "result":
		s.result = &e.resultEvent
	case "assistant":
		for _, b := range e.parts {
			switch {
			case b.Type == "tool_use" && b.Name == "Skill":
				s.called(e.Parent, b)
			case b.Type == "tool_use" && b.Name == s.hides:
				s.hidden = true
			}
		}
	case "user":
		for _, b := range e.parts {
			switch b.Type {
			case "tool_result":
				s.answered(e, b)
			case "text":
				s.delivered(e.Parent, b.Text)
			}
		}
	}
}

// loose reports whether a line could be decoded. A field of an unexpected type counts as missing.
func loose(err error) bool {
	_, odd := errors.AsType[*json.UnmarshalTypeError](err)
	return err == nil || odd
}

// blocks returns the blocks of a message. A message that is a single text has one block.
func blocks(content json.RawMessage) []block {
	var all []block
	if loose(json.Unmarshal(content, &all)) && all != nil {
		return all
	}
	var text string
	if json.Unmarshal(content, &text) != nil {
		return nil
	}
	return []block{{Type: "text", Text: text}}
}

func (s *stream) called(parent string, b block) {
	var input struct {
		Skill   string `json:"skill"`
		Command string `json:"command"` // in older versions
	}
	if !loose(json.Unmarshal(b.Input, &input)) || s.calls[b.ID] != nil {
		return
	}
	name := input.Skill
	if name == "" {
		name = input.Command
	}
	c := &call{id: b.ID, parent: parent, skill: strings.TrimPrefix(strings.TrimSpace(name), "/")}
	if s.calls == nil {
		s.calls = map[string]*call{}
	}
	s.calls[b.ID] = c
	s.order = append(s.order, c)
}

func (s *stream) answered(e *event, b block) {
	c := s.calls[b.For]
	if c == nil {
		return
	}
	if b.IsError {
		c.refused, c.fault = true, b.said()
		return
	}
	var result struct {
		Success *bool  `json:"success"`
		Name    string `json:"commandName"`
		Status  string `json:"status"`
	}
	if json.Unmarshal(e.Result, &result) == nil {
		if result.Success != nil && !*result.Success {
			c.refused, c.fault = true, b.said()
			return
		}
		if result.Name != "" {
			c.skill = result.Name
		}
		// The stream does not show the text in the separate conversation of a subagent or a fork.
		c.complete = c.complete || (s.delivers || c.parent != "") && result.Success != nil && result.Name != ""
	}
	c.launched = true
}

// said returns the output of a tool, without the tags that the CLI puts around its own errors.
func (b *block) said() string {
	var texts []string
	for _, part := range blocks(b.Said) {
		texts = append(texts, part.Text)
	}
	text := strings.TrimPrefix(strings.TrimSpace(strings.Join(texts, "\n")), "<tool_use_error>")
	return strings.TrimSpace(strings.TrimSuffix(text, "</tool_use_error>"))
}

// delivered handles a text that the CLI added to a conversation. It is the skill's text if a skill
// is being launched there. A skill with context: fork has its own conversation, whose parent is the
// call.
func (s *stream) delivered(parent, text string) {
	if c := s.calls[parent]; c != nil && !c.complete {
		c.complete = true
		return
	}
	var found *call
	folder := ""
	if named, ok := claudecode.SkillFolder(text); ok {
		folder = path.Base(strings.ReplaceAll(named, `\`, "/"))
	}
	for _, c := range s.order {
		if c.parent != parent || c.complete || c.refused || !c.launched && base(c.skill) != folder {
			continue
		}
		if found == nil || folder != "" && base(found.skill) != folder && base(c.skill) == folder {
			found = c
		}
	}
	if found != nil {
		found.complete = true
	}
}

// base returns a skill's name without the name of its plugin.
func base(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

func (s *stream) reading(skill Names) Reading {
	r := Reading{Outcome: None}
	for _, c := range s.order {
		if !c.launched || !c.complete {
			if slices.Contains(skill, c.skill) {
				r.Refused = cmp.Or(c.fault, "nothing")
			}
			continue
		}
		if !slices.Contains(r.Skills, c.skill) {
			r.Skills = append(r.Skills, c.skill)
		}
		switch {
		case slices.Contains(skill, c.skill):
			r.Outcome = Fired
		case r.Outcome == None:
			r.Outcome = Other
		}
	}
	switch {
	case r.Outcome == Fired:
		r.Refused = ""
	case r.Refused != "":
		r.Outcome = Called
	}
	if s.result == nil {
		r.Outcome, r.Why = Void, "the transcript ends without a result"
		return r
	}
	r.Answer, r.CostUSD = s.result.Text, s.result.CostUSD
	u := s.result.Usage
	r.Tokens = u.In + u.Out + u.Read + u.Created
	s.result.settle(&r)
	return r
}

// outputFull matches what agents print if an answer reached the model's output limit.
var outputFull = words.Regexp(`\boutput token maximum\b|\bmax_output_tokens\b`)

// settle decides whether a result is a verdict. A model that used up its turns, or refused, had its
// chance. So did a model that reached its output limit after it had the skill. After any other
// failure the outcome is void.
func (e *resultEvent) settle(r *Reading) {
	failed := e.Subtype != "success" || len(e.IsError) > 0 && string(e.IsError) != "false"
	why := e.Text
	if len(e.Errors) > 0 {
		why = strings.Join(e.Errors, "; ")
	}
	if why == "" {
		why = cmp.Or(e.Subtype, "a result that says nothing")
	}
	switch {
	case e.Subtype == "error_max_turns", e.Stop == "refusal":
		r.Why = why
	case failed && outputFull.Get().MatchString(why):
		if r.full, r.Why = true, why; !r.Outcome.delivered() {
			r.Outcome = Void
		}
	case failed:
		r.Outcome, r.Why = Void, why
	case e.Turns == 0:
		r.Outcome, r.Why = Void, "the model was not asked"
	}
}
