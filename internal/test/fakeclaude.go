package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// The environment variables that control the play.
const (
	PlayVariable = "CLAUDE_PLAY"
	LogVariable  = "CLAUDE_PLAY_LOG"
)

// A Call is one start of claude.
type Call struct {
	Args   []string `json:"args"`
	Prompt string   `json:"prompt"` // the first 1,000 bytes
	Bytes  int      `json:"bytes"`  // of the whole prompt
	Dir    string   `json:"dir"`
}

// Version is the version of the CLI that is played.
const Version = claudecode.Version

// Session is the id of the session, unless init names another.
const Session = "11111111-2222-4333-8444-555555555555"

// PlayClaude plays the Claude CLI, including its failures: it plays the next scene and returns the
// exit status.
//
// A test binary that is started as claude calls it. The variable CLAUDE_PLAY contains the play:
// scenes separated by semicolons. Each start plays the next scene; the last scene repeats. A scene
// is a list of acts, separated by " | ":
//
//	CLAUDE_PLAY='rate-limit; init | text working on it | result 42'
//
// Without CLAUDE_PLAY, claude follows the prompt, as the act obey does.
//
// CLAUDE_PLAY_LOG names a file to which each start adds a Call as one line. The number of lines
// decides which scene is next, so a play of several scenes needs it.
func PlayClaude() int {
	args := os.Args[1:]
	if slices.Equal(args, []string{"--version"}) {
		fmt.Println(Version + " (Claude Code)")
		return 0
	}
	if !slices.Contains(args, "-p") || !slices.Contains(args, "stream-json") || !slices.Contains(args, "--verbose") {
		fmt.Fprintln(os.Stderr, "error: fakeclaude plays -p --output-format stream-json --verbose only")
		return 1
	}
	number, err := started()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakeclaude:", err)
		return 1
	}
	play := os.Getenv(PlayVariable)
	if play == "" {
		play = "init | obey"
	}
	scenes := strings.Split(play, ";")
	p := &player{out: bufio.NewWriter(os.Stdout), session: Session, interrupts: make(chan os.Signal, 1)}
	acts := strings.Split(scenes[min(number, len(scenes)-1)], " | ")
	if strings.TrimSpace(acts[0]) != "deaf" {
		p.listen()
	}
	if err := note(Call{Args: args, Prompt: p.prompt[:min(len(p.prompt), 1000)], Bytes: len(p.prompt), Dir: dir()}); err != nil {
		fmt.Fprintln(os.Stderr, "fakeclaude:", err)
		return 1
	}
	if slices.ContainsFunc(acts, func(act string) bool { return strings.TrimSpace(act) == "confess" }) {
		signal.Notify(p.interrupts, os.Interrupt) // before anything that may be interrupted
	}
	for _, act := range acts {
		name, rest, _ := strings.Cut(strings.TrimSpace(act), " ")
		if !p.act(name, rest) {
			p.say("result", map[string]any{"subtype": "success", "is_error": true, "num_turns": 1,
				"result": "fakeclaude: no such act: " + act})
			p.exit = 1
		}
		p.out.Flush()
		if p.ended {
			break
		}
	}
	return p.exit
}

func dir() string {
	dir, _ := os.Getwd()
	return dir
}

// started returns how often claude was started before.
func started() (int, error) {
	file := os.Getenv(LogVariable)
	if file == "" {
		return 0, nil
	}
	log, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return 0, err
	}
	return bytes.Count(log, []byte("\n")), nil
}

func note(c Call) error {
	file := os.Getenv(LogVariable)
	if file == "" {
		return nil
	}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(line, '\n'))
	return err
}

type player struct {
	out     *bufio.Writer
	prompt  string
	session string
	message int
	exit    int
	ended   bool

	interrupts chan os.Signal
}

func (p *player) listen() {
	prompt, _ := io.ReadAll(os.Stdin)
	p.prompt = string(prompt)
}

func (p *player) act(name, rest string) bool {
	switch name {
	case "deaf": // does not read the prompt
		os.Stdin.Close()
	case "init": // [SESSION]
		if rest != "" {
			p.session = rest
		}
		p.say("system", map[string]any{"subtype": "init", "model": "claude-fake-1", "tools": []string{"Bash"}})
	case "text": // WORDS
		p.speak(map[string]any{"type": "text", "text": rest})
	case "tool": // NAME INPUT
		tool, input, _ := strings.Cut(rest, " ")
		p.speak(map[string]any{"type": "tool_use", "id": "t", "name": tool, "input": json.RawMessage(input)})
	case "retry": // STATUS MILLISECONDS: the CLI tries again by itself
		status, ms, _ := strings.Cut(rest, " ")
		p.say("system", map[string]any{
			"subtype": "api_retry", "attempt": 1, "max_retries": 2, "error_status": number(status), "retry_delay_ms": number(ms),
			"error": "rate_limit",
		})
	case "result": // WORDS: the final result
		p.result(map[string]any{"result": rest})
	case "echo": // the result is the prompt
		p.result(map[string]any{"result": p.prompt})
	case "obey": // follows the prompt's instruction
		p.obey()
	case "arguments": // the result is the arguments
		p.result(map[string]any{"result": strings.Join(os.Args[1:], " ")})
	case "variable": // NAME: the result is the variable's value
		p.result(map[string]any{"result": os.Getenv(rest)})
	case "structured": // JSON
		p.result(map[string]any{"result": "done", "structured_output": json.RawMessage(rest)})
	case "fail": // STATUS WORDS; status 0 means no status
		status, words, _ := strings.Cut(rest, " ")
		fields := map[string]any{"result": words, "is_error": true, "api_error_status": nil, "total_cost_usd": 0}
		if n := number(status); n > 0 {
			fields["api_error_status"] = n
		}
		p.result(fields)
		p.exit = 1
	case "subtype": // NAME WORDS
		subtype, words, _ := strings.Cut(rest, " ")
		p.result(map[string]any{"subtype": subtype, "is_error": true, "result": nil, "errors": []string{words}})
		p.exit = 1
	case "rate-limit":
		return p.act("init", "") && p.act("fail", "429 API Error: Request rejected (429) · slow down")
	case "raw": // TEXT, as a line
		fmt.Fprintln(p.out, rest)
	case "torn": // TEXT, without an end of line
		p.out.WriteString(rest)
	case "stderr": // TEXT
		fmt.Fprintln(os.Stderr, rest)
	case "file": // PATH: the file's content
		return p.file(rest)
	case "long": // BYTES: a line of that length from Claude
		p.speak(map[string]any{"type": "text", "text": strings.Repeat("x", number(rest))})
	case "output": // BYTES: a line of that length from a tool
		p.say("user", map[string]any{"message": map[string]any{"content": strings.Repeat("x", number(rest))}})
	case "answer": // BYTES: a result of that length
		p.result(map[string]any{"result": strings.Repeat("x", number(rest))})
	case "flood": // MEGABYTES of ordinary lines
		for total := 0; total < number(rest)<<20; total += 1000 {
			p.speak(map[string]any{"type": "text", "text": strings.Repeat("words ", 140)})
		}
	case "trickle": // LINES MILLISECONDS
		repeat(rest, func() { p.speak(map[string]any{"type": "text", "text": "."}); p.out.Flush() })
	case "murmur": // LINES MILLISECONDS, on stderr
		repeat(rest, func() { fmt.Fprintln(os.Stderr, ".") })
	case "sleep": // MILLISECONDS
		p.out.Flush()
		time.Sleep(time.Duration(number(rest)) * time.Millisecond)
	case "hang": // until it is killed
		p.out.Flush()
		time.Sleep(time.Hour)
	case "stubborn": // ignores signals from here on
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
	case "confess": // claims success when it is interrupted
		p.out.Flush()
		<-p.interrupts
		p.result(map[string]any{"result": "stopped well"})
	case "hide": // SECONDS: leaves a child behind in its own session
		p.out.Flush()
		return hide(rest)
	case "die": // of a signal
		p.out.Flush()
		die()
	case "exit": // STATUS
		p.exit, p.ended = number(rest), true
	default:
		return false
	}
	return true
}

// repeat calls say, TIMES MILLISECONDS: so often, with that pause after each call.
func repeat(timesAndPause string, say func()) {
	times, ms, _ := strings.Cut(timesAndPause, " ")
	for range number(times) {
		say()
		time.Sleep(time.Duration(number(ms)) * time.Millisecond)
	}
}

// obey answers "Say X" with X: as structured output if there is a schema, else as text.
func (p *player) obey() {
	words := strings.TrimSpace(p.prompt)
	if len(words) > 4 && strings.EqualFold(words[:4], "say ") {
		words = words[4:]
	}
	if slices.Contains(os.Args, "--json-schema") && json.Valid([]byte(words)) {
		p.result(map[string]any{"result": "done", "structured_output": json.RawMessage(words)})
		return
	}
	p.act("text", words)
	p.act("result", words)
}

func number(text string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(text))
	return n
}

func (p *player) file(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = io.Copy(p.out, f)
	return err == nil
}

// speak returns a message from Claude.
func (p *player) speak(content map[string]any) {
	p.message++
	p.say("assistant", map[string]any{
		"message": map[string]any{"id": fmt.Sprintf("msg_%d", p.message), "model": "claude-fake-1", "role": "assistant",
			"content": []any{content}},
		"parent_tool_use_id": nil,
	})
}

// result prints a successful result with the given fields changed.
func (p *player) result(fields map[string]any) {
	event := map[string]any{
		"subtype": "success", "is_error": false, "num_turns": max(p.message, 1), "total_cost_usd": 0.25,
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 5}, "permission_denials": []any{},
	}
	for name, value := range fields {
		event[name] = value
	}
	p.say("result", event)
}

// say prints an event. The type comes first, as it mostly does in the CLI's output.
func (p *player) say(kind string, fields map[string]any) {
	fields["session_id"] = p.session
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(fields); err != nil {
		fmt.Fprintf(os.Stderr, "fakeclaude: %s: %v\n", kind, err)
		return
	}
	fmt.Fprintf(p.out, `{"type":%q,%s`, kind, body.Bytes()[1:])
}
