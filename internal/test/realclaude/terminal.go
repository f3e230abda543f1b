package realclaude

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/skillhand/skillhand/internal/proc"
)

// A Terminal is an interactive session: the CLI as people see it, in its own terminal. Hooks report
// the session's events, one line of JSON each.
type Terminal struct {
	c       *Claude
	keys    *io.PipeWriter
	stop    context.CancelFunc
	ended   chan struct{}
	result  proc.Result // set before ended is closed, like err
	err     error
	screen  screen
	log     string // the input of the hooks, one line each
	skipped int    // how many of these lines were read
}

// told lists the events that a test can wait for.
var told = []string{"SessionStart", "SessionEnd", "UserPromptSubmit", "Stop", "PreCompact", "PostCompact", "SubagentStart", "SubagentStop"}

// Open starts the CLI in a terminal and waits until it accepts prompts. The end of the test closes
// the terminal if Close did not.
func (c *Claude) Open(args ...string) *Terminal {
	c.t.Helper()
	t := &Terminal{c: c, ended: make(chan struct{}), log: filepath.Join(c.temp, "hooks.jsonl")}
	t.screen.arrived = make(chan struct{}, 1)
	if old, err := os.ReadFile(t.log); err == nil {
		t.skipped = bytes.Count(old, []byte("\n"))
	}
	hooks := map[string]any{}
	for _, event := range told {
		// Write the whole line at once, because several hooks may run at the same time.
		command := fmt.Sprintf("line=$(cat) && printf '%%s\\n' \"$line\" >> '%s'", t.log)
		hooks[event] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": command}}}}
	}
	settings, err := json.Marshal(map[string]any{"hooks": hooks,
		"statusLine": map[string]any{"type": "command", "command": cmp.Or(c.StatusLine, "true")}})
	if err == nil {
		err = os.WriteFile(filepath.Join(c.temp, "settings.json"), settings, 0o600)
	}
	if err == nil {
		err = c.pastFirstScreens()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	words := append([]string{c.program, "--settings", filepath.Join(c.temp, "settings.json")}, args...)
	for i, w := range words {
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	cmd := c.command(nil)
	cmd.Args = []string{"script", "-qfec", "stty rows 60 cols 200; exec " + strings.Join(words, " "), os.DevNull}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "SHELL=/bin/sh")
	keys, writer := io.Pipe()
	t.keys, cmd.Stdin, cmd.Stdout = writer, keys, &t.screen
	var ctx context.Context
	ctx, t.stop = context.WithCancel(context.Background())
	go func() {
		defer close(t.ended)
		t.result, t.err = proc.Run(ctx, cmd)
		keys.CloseWithError(io.ErrClosedPipe)
	}()
	c.t.Cleanup(t.Close)
	t.Await("SessionStart")
	return t
}

// pastFirstScreens answers the questions that the CLI asks at its first start: the theme, the key
// in the environment, and whether to trust the folder.
func (c *Claude) pastFirstScreens() error {
	file := filepath.Join(c.Home, ".claude.json")
	doc := map[string]any{}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	doc["hasCompletedOnboarding"], doc["theme"] = true, "dark"
	doc["customApiKeyResponses"] = map[string]any{"approved": []string{"dummy-key"}, "rejected": []string{}}
	doc["projects"] = map[string]any{c.Project: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}
	if text, err = json.Marshal(doc); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// Close ends the session as closing the window would.
func (t *Terminal) Close() {
	t.stop()
	<-t.ended
}

// Forget drops everything that the screen has shown so far.
func (t *Terminal) Forget() { t.screen.forget() }

// Press sends keys unchanged.
func (t *Terminal) Press(keys string) {
	t.c.t.Helper()
	if _, err := io.WriteString(t.keys, keys); err != nil {
		t.c.t.Fatalf("the terminal takes no keys: %v\n%s", err, t.screen.text())
	}
}

// Type types a line and presses Enter when the screen shows it.
func (t *Terminal) Type(line string) {
	t.c.t.Helper()
	t.Forget()
	t.Press(line)
	t.Shows(line)
	t.Press("\r")
}

// Shows waits until the screen has shown a text since the last line was typed. It ignores white
// space, because a terminal may move its cursor instead.
func (t *Terminal) Shows(text string) {
	t.c.t.Helper()
	t.wait("the screen does not show "+text, t.screen.arrived, func() bool {
		return strings.Contains(plain(t.screen.text()), plain(text))
	})
}

// A Told is an event that a hook reported.
type Told struct {
	Event   string `json:"hook_event_name"`
	Session string `json:"session_id"`
	Source  string `json:"source"`
	Agent   string `json:"agent_id"`
	Mode    string `json:"permission_mode"`
}

// Await waits for the next event of a name and skips other events.
func (t *Terminal) Await(event string) Told {
	t.c.t.Helper()
	var found Told
	t.wait("no "+event, nil, func() bool {
		text, _ := os.ReadFile(t.log) // the file is missing before the first event
		lines := strings.SplitAfter(string(text), "\n")
		for _, line := range lines[min(t.skipped, len(lines)):] {
			if !strings.HasSuffix(line, "\n") {
				return false
			}
			t.skipped++
			if json.Unmarshal([]byte(line), &found) == nil && found.Event == event {
				return true
			}
		}
		return false
	})
	return found
}

// wait waits until happened returns true. It checks after news, and regularly because files change
// without news.
func (t *Terminal) wait(otherwise string, news <-chan struct{}, happened func() bool) {
	t.c.t.Helper()
	limit := time.NewTimer(t.c.timeout())
	defer limit.Stop()
	for !happened() {
		select {
		case <-news:
		case <-time.After(20 * time.Millisecond):
		case <-t.ended:
			t.c.t.Fatalf("%s: the CLI has ended: %+v, %v\n%s", otherwise, t.result, t.err, t.screen.text())
		case <-limit.C:
			t.c.t.Fatalf("%s within %v:\n%s", otherwise, t.c.timeout(), t.screen.text())
		}
	}
}

// A screen keeps the output of a terminal.
type screen struct {
	arrived chan struct{}
	mu      sync.Mutex
	all     []byte
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	s.all = append(s.all, p...)
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (s *screen) forget() {
	s.mu.Lock()
	s.all = nil
	s.mu.Unlock()
}

// escape matches the sequences that move a cursor or set a color.
var escape = regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|[=>78])`)

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return escape.ReplaceAllString(string(s.all), " ")
}

// plain returns a text without white space.
func plain(text string) string { return strings.Join(strings.Fields(text), "") }
