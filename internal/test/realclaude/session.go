package realclaude

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/skillhand/skillhand/internal/proc"
)

// A Session is one conversation with several prompts, in one process.
type Session struct {
	c      *Claude
	args   []string
	stdin  *io.PipeWriter
	stop   context.CancelFunc
	ended  chan struct{}
	result proc.Result // set before ended is closed, like err and stderr
	err    error
	stderr bytes.Buffer
	events events
}

// Start begins a session, which ends at the latest with the test. args are more flags, such as
// --plugin-dir or --allowedTools.
func (c *Claude) Start(args ...string) *Session {
	c.t.Helper()
	args = append([]string{"-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"}, args...)
	ctx, stop := context.WithCancel(context.Background())
	stdin, writer := io.Pipe()
	s := &Session{c: c, args: args, stdin: writer, stop: stop, ended: make(chan struct{})}
	s.events.arrived = make(chan struct{}, 1)
	cmd := c.command(args)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &s.events, &s.stderr
	go func() {
		defer close(s.ended)
		s.result, s.err = proc.Run(ctx, cmd)
		stdin.CloseWithError(io.ErrClosedPipe) // so that no Send waits for a process that has ended
	}()
	c.t.Cleanup(func() {
		stop()
		<-s.ended
	})
	return s
}

// A Turn is the output of the CLI from the end of the previous turn to the end of this prompt.
type Turn struct {
	Events []Event
	Result Event // the result of the prompt itself
}

// Send sends a prompt and waits until the CLI has finished it. Commands such as /compact and /clear
// are prompts too.
func (s *Session) Send(prompt string) Turn {
	s.c.t.Helper()
	id := uuid()
	line, err := json.Marshal(map[string]any{
		"type":    "user",
		"uuid":    id,
		"message": map[string]any{"role": "user", "content": prompt},
	})
	if err != nil {
		s.c.t.Fatal(err)
	}
	if _, err := s.stdin.Write(append(line, '\n')); err != nil {
		s.fatal(prompt, "the session has ended")
	}
	timeout := time.After(s.c.timeout())
	for {
		if turn, ok := s.events.turn(id); ok {
			return turn
		}
		select {
		case <-s.events.arrived:
		case <-s.ended:
			if turn, ok := s.events.turn(id); ok {
				return turn
			}
			s.fatal(prompt, "the session ended without a result")
		case <-timeout:
			s.fatal(prompt, "no result within "+s.c.timeout().String())
		}
	}
}

// Use makes the session ask another model, from the next prompt on.
func (s *Session) Use(model string) {
	s.c.t.Helper()
	line := fmt.Sprintf(`{"type":"control_request","request_id":%q,"request":{"subtype":"set_model","model":%q}}`+"\n", uuid(), model)
	if _, err := s.stdin.Write([]byte(line)); err != nil {
		s.fatal(model, "the session has ended")
	}
}

// Close ends the input and waits for the CLI to end. Stdout contains the output after the last
// turn.
func (s *Session) Close() Output {
	s.c.t.Helper()
	s.stdin.Close()
	select {
	case <-s.ended:
	case <-time.After(s.c.timeout()):
		s.fatal("", "no end within "+s.c.timeout().String())
	}
	if s.err != nil {
		s.c.t.Fatal(s.err)
	}
	return Output{Exit: s.result.Exit, Stdout: s.events.rest(), Stderr: s.stderr.String()}
}

// fatal stops the CLI and fails the test with everything that is known.
func (s *Session) fatal(prompt, fault string) {
	s.c.t.Helper()
	s.stop()
	<-s.ended
	s.c.t.Fatalf("claude %q: %q: %s\nexit status %d, error %v\nstdout: %s\nstderr: %s",
		s.args, prompt, fault, s.result.Exit, s.err, s.events.rest(), s.stderr.String())
}

// events splits the CLI's stdout into turns.
type events struct {
	arrived chan struct{} // holds a token after something was written

	mu      sync.Mutex
	pending []byte // not yet read
}

func (e *events) Write(p []byte) (int, error) {
	e.mu.Lock()
	e.pending = append(e.pending, p...)
	e.mu.Unlock()
	select {
	case e.arrived <- struct{}{}:
	default:
	}
	return len(p), nil
}

// turn returns the output up to the end of the prompt with this id, once that end is there. The CLI
// announces the beginning and the end of a prompt that has an id. Counting results would not be
// enough: when a background task ends, the CLI asks the model, and that has its own result.
func (e *events) turn(id string) (Turn, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var turn Turn
	end := 0
	for line := range bytes.Lines(e.pending) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		end += len(line)
		event, ok := parseEvent(line)
		if !ok {
			continue
		}
		turn.Events = append(turn.Events, event)
		switch {
		case event.Type == "result":
			turn.Result = event
		case event.Type == "command_lifecycle" && event.Command == id && (event.State == "completed" || event.State == "cancelled"):
			e.pending = e.pending[end:]
			return turn, true
		}
	}
	return Turn{}, false
}

func (e *events) rest() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return string(e.pending)
}

// uuid returns a random UUID of version 4. The CLI drops a prompt if it has seen the UUID before.
func uuid() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
