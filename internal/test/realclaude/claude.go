package realclaude

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
)

// A Claude is the CLI with its own HOME and project, which are empty at first. A test may change
// the fields between runs.
type Claude struct {
	API     *fakeapi.API
	Home    string
	Project string        // the folder it runs in
	Env     []string      // more variables, as NAME=value; they override the variables set here
	Timeout time.Duration // for a run, or for one turn of a session; 0 means 5 minutes

	StatusLine string // the command of a terminal's status line; "" means none

	t       testing.TB
	program string
	temp    string
}

// New returns a Claude that talks to api. Its folders are removed when the test ends.
func New(t testing.TB, api *fakeapi.API) *Claude {
	t.Helper()
	program := Program(t)
	// Do not use t.TempDir: the CLI makes a socket in the folder, and a socket's path must be
	// short.
	root, err := os.MkdirTemp("", "claude")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	if root, err = filepath.EvalSymlinks(root); err != nil { // the path that the CLI uses
		t.Fatal(err)
	}
	c := &Claude{
		API: api, Home: filepath.Join(root, "home"), Project: filepath.Join(root, "project"),
		t: t, program: program, temp: filepath.Join(root, "tmp"),
	}
	for _, dir := range []string{c.Home, c.Project, c.temp} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// Write writes a file in the project and returns its path.
func (c *Claude) Write(name, text string) string {
	c.t.Helper()
	path := filepath.Join(c.Project, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// An Output is the result of a run of the CLI.
type Output struct {
	Exit   int
	Stdout string
	Stderr string
}

// Events returns the events of a run with --output-format stream-json.
func (o Output) Events() []Event {
	var events []Event
	for line := range bytes.Lines([]byte(o.Stdout)) {
		if e, ok := parseEvent(line); ok {
			events = append(events, e)
		}
	}
	return events
}

// An Event is one line of stream-json.
type Event struct {
	Type       string          `json:"type"`
	Subtype    string          `json:"subtype"`
	SessionID  string          `json:"session_id"`
	Result     string          `json:"result"`
	IsError    bool            `json:"is_error"`
	Turns      int             `json:"num_turns"`
	Structured json.RawMessage `json:"structured_output"`
	Command    string          `json:"command_uuid"` // for a command_lifecycle event
	State      string          `json:"state"`
	Raw        json.RawMessage `json:"-"` // the whole line
}

func parseEvent(line []byte) (Event, bool) {
	e := Event{Raw: bytes.Clone(bytes.TrimSpace(line))}
	return e, json.Unmarshal(line, &e) == nil
}

// Run runs the CLI without input until it ends. If the run takes too long, the test fails.
func (c *Claude) Run(args ...string) Output {
	c.t.Helper()
	out, err := c.run(c.t.Context(), args)
	if err != nil {
		c.t.Fatalf("claude %q: %v\nstdout: %s\nstderr: %s", args, err, out.Stdout, out.Stderr)
	}
	return out
}

func (c *Claude) run(ctx context.Context, args []string) (Output, error) {
	var stdout, stderr bytes.Buffer
	cmd := c.command(args)
	cmd.Stdout, cmd.Stderr, cmd.Timeout = &stdout, &stderr, c.timeout()
	res, err := proc.Run(ctx, cmd)
	switch {
	case err != nil:
	case res.Cut == proc.Timeout:
		err = fmt.Errorf("no end within %v", cmd.Timeout)
	case res.Cut != proc.Not:
		err = ctx.Err()
	}
	return Output{Exit: res.Exit, Stdout: stdout.String(), Stderr: stderr.String()}, err
}

func (c *Claude) command(args []string) proc.Cmd {
	return proc.Cmd{
		Args: append([]string{c.program}, args...),
		Dir:  c.Project,
		Env:  slices.Concat([]string{"HOME=" + c.Home, "PATH=" + os.Getenv("PATH")}, c.Variables(), c.Env),
		// After SIGINT the CLI ends its own children.
		Grace: []proc.Step{{Signal: proc.Interrupt, Wait: 2 * time.Second}},
	}
}

// Variables returns those with which the CLI asks the API, and nobody else.
func (c *Claude) Variables() []string {
	return []string{
		"TERM=dumb",
		"TMPDIR=" + c.temp,
		"CLAUDE_CODE_SHELL=/bin/bash", // without it, the CLI runs commands in zsh if there is one
		"ANTHROPIC_BASE_URL=" + c.API.URL,
		"ANTHROPIC_API_KEY=dummy-key",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
	}
}

func (c *Claude) timeout() time.Duration {
	if c.Timeout == 0 {
		return 5 * time.Minute // long, because a busy machine is not an error
	}
	return c.Timeout
}
