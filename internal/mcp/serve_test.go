//go:build unix

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillhand/skillhand/internal/test"
)

// TestChanges checks that clients of the old and the new protocol are notified, and only when
// something in a list changes.
func TestChanges(t *testing.T) {
	p := newPlace(t)
	c := p.connect()
	if got := string(c.call("tools/list", "{}").Result); !strings.Contains(got, "There are no skills here now.") {
		t.Error(got)
	}
	told := func(what string) {
		t.Helper()
		c.wait(c.expect("notifications/tools/list_changed"), what)
		c.wait(c.expect("notifications/prompts/list_changed"), what)
		c.wait(c.expect("notifications/resources/list_changed"), what)
	}
	// The watcher may not be ready yet, so repeat the change until it is noticed.
	for n := 0; len(c.expect("notifications/tools/list_changed")) == 0; n++ {
		p.skill("late", fmt.Sprintf("description: Comes late, %d.", n), "")
		time.Sleep(20 * time.Millisecond)
		if n > 3000 {
			t.Fatal("a new skill is not told")
		}
	}
	told("a new skill")
	if got := string(c.call("tools/list", "{}").Result); !strings.Contains(got, "- late: Comes late") {
		t.Error(got)
	}
	for len(c.expect("notifications/tools/list_changed")) > 0 {
		told("the rest")
	}
	p.skill("late", "description: Changed its mind.", "")
	told("a changed skill")
	if err := os.RemoveAll(filepath.Join(p.home, ".claude")); err != nil {
		t.Fatal(err)
	}
	told("skills that are gone")
}

// TestRemembered checks that cached content of a file is used only while the file and the files
// beside it are the same.
func TestRemembered(t *testing.T) {
	p := newPlace(t)
	p.skill("text", "description: Old.", "Old text.\n")
	file := filepath.Join(p.home, ".claude/skills/text/SKILL.md")
	old := time.Now().Add(-time.Hour)
	age := func() {
		t.Helper()
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	age()
	c := p.connect()
	for range 3 {
		if got := c.load("text", ""); got != "Old text.\n" {
			t.Error(got)
		}
	}
	if got := c.load("text", "x"); got != "Old text.\n\n\nARGUMENTS: x" {
		t.Error(got)
	}
	p.skill("text", "description: New.", "New text, longer.\n")
	if got := c.load("text", ""); got != "New text, longer.\n" {
		t.Error(got)
	}
	age()
	c.load("text", "")
	if list := string(c.call("tools/list", "{}").Result); !strings.Contains(list, "- text: New.") {
		t.Error(list)
	}
	p.write(filepath.Join(filepath.Dir(file), "bindings.json"), "{ broken")
	if text, _, failed := c.tool("load_skill", map[string]any{"name": "text"}); !failed {
		t.Errorf("with broken bindings: %q", text)
	}
	os.Remove(filepath.Join(filepath.Dir(file), "bindings.json"))
	p.write(filepath.Join(filepath.Dir(file), "first-use.md"), "First.\n")
	if got := c.load("text", ""); got != "First.\n" {
		t.Error(got)
	}
	os.Remove(filepath.Join(filepath.Dir(file), "first-use.md"))
	p.skill("text", "description: New.\ndisable-model-invocation: true", "New text, longer.\n")
	if text, _, failed := c.tool("load_skill", map[string]any{"name": "text"}); !failed {
		t.Errorf("for people only: %q", text)
	}
}

// alive reports whether the process whose id is in a file is running.
func alive(file string) bool {
	text, err := os.ReadFile(file)
	var pid int
	if err != nil {
		return false
	}
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		return false
	}
	return syscall.Kill(pid, 0) == nil
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// TestEnd checks that a client that cancels or goes away ends what it started, and that the end of
// the server does too.
func TestEnd(t *testing.T) {
	for _, how := range []string{"cancel", "close", "half"} {
		t.Run(how, func(t *testing.T) {
			p := newPlace(t)
			pid := filepath.Join(p.project, "pid.txt")
			p.skill("slow", "description: Slow.", "!`bash -c 'sleep 1000 & echo $! >"+pid+".new.txt; mv "+pid+".new.txt "+pid+"; wait'`\n")
			c := p.connect()
			id, ch := c.start("tools/call", toolCall("load_skill", map[string]any{"name": "slow"}))
			eventually(t, "the directive does not start", func() bool { return alive(pid) })
			switch how {
			case "cancel":
				c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
				c.wait(ch, "the call that was cancelled")
			case "half":
				_, _ = io.WriteString(c.in, `{"jsonrpc":"2.0","id":77,"method":"tools/l`)
				c.in.Close()
			default:
				c.in.Close()
			}
			eventually(t, "what the client started goes on", func() bool { return !alive(pid) })
			c.in.Close()
			select {
			case err := <-c.done:
				if (err != nil) != (how == "half") {
					t.Errorf("Serve: %v", err)
				}
			case <-time.After(patience):
				t.Error("the server does not end")
			}
		})
	}
}

// TestLastAnswers checks that a client that has closed its input still gets its answers.
func TestLastAnswers(t *testing.T) {
	p := newPlace(t)
	p.skill("card", "description: A card.", "Write it.")
	var out bytes.Buffer
	err := p.server().Serve(t.Context(), strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":`+toolCall("load_skill", map[string]any{"name": "card"})+"}\n"), &out)
	if err != nil || !strings.Contains(out.String(), `"id":1`) || !strings.Contains(out.String(), "Write it.") {
		t.Errorf("Serve: %v\n%s", err, &out)
	}
}

// TestStop: the server must stop during a call.
func TestStop(t *testing.T) {
	p := newPlace(t)
	pid := filepath.Join(p.project, "pid.txt")
	p.skill("slow", "description: Slow.", "!`bash -c 'echo $$ >"+pid+"; exec sleep 1000'`\n")
	ctx, cancel := context.WithCancelCause(t.Context())
	in, w := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- p.server().Serve(ctx, in, io.Discard) }()
	fmt.Fprintln(w,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	fmt.Fprintln(w, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":`+toolCall("load_skill", map[string]any{"name": "slow"})+`}`)
	eventually(t, "the directive does not start", func() bool { return alive(pid) })
	cancel(io.ErrClosedPipe)
	if err := <-done; err != io.ErrClosedPipe || alive(pid) {
		t.Errorf("Serve: %v; the directive goes on: %v", err, alive(pid))
	}
}

// TestManyCalls makes a thousand calls at the same time, each with its own answer.
func TestManyCalls(t *testing.T) {
	p := newPlace(t)
	p.skill("echo", "description: Says it.", "[$ARGUMENTS] !`echo live`\n")
	c := p.connect()
	var all [1000]chan reply
	for i := range all {
		_, all[i] = c.start("tools/call", toolCall("load_skill", map[string]any{"name": "echo", "arguments": fmt.Sprint("call ", i)}))
	}
	for i, ch := range all {
		if text, _, _ := content(t, c.wait(ch, "a call")); text != fmt.Sprintf("[call %d] live\n", i) {
			t.Errorf("call %d: %q", i, text)
		}
	}
}

// TestFlood sends without end. The client gets an answer to everything, perhaps that it is too much.
// The server keeps little of it.
func TestFlood(t *testing.T) {
	test.Torture(t)
	p := newPlace(t)
	gate := filepath.Join(p.project, "gate")
	if err := syscall.Mkfifo(gate, 0o666); err != nil {
		t.Fatal(err)
	}
	p.skill("wait", "description: Waits.", "!`cat "+gate+"`\n")
	c := p.connect()
	const flood = 8_000
	padding := strings.Repeat("x", 30_000) // 240 MB together
	var all []chan reply
	for range flood {
		_, ch := c.start("tools/call", toolCall("load_skill", map[string]any{"name": "wait", "arguments": padding}))
		all = append(all, ch)
	}
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	// Observed: 229 MB, including the client's own copies; without the limits 416 to 478.
	if mem.HeapAlloc > 320<<20 {
		t.Errorf("%d MB are kept", mem.HeapAlloc>>20)
	}
	busy := 0
	for _, ch := range all {
		select {
		case r := <-ch:
			if r.Error == nil || r.Error.Code != codeBusy {
				t.Fatalf("%s %+v", r.Result, r.Error)
			}
			busy++
		default:
		}
	}
	if busy < flood-2*maxCalls {
		t.Errorf("%d of %d were refused", busy, flood)
	}
	c.in.Close() // this cancels the waiting calls
	select {
	case err := <-c.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("the server does not end")
	}
}

// TestLargeCalls checks that the server refuses large waiting calls before they take much memory.
func TestLargeCalls(t *testing.T) {
	p := newPlace(t)
	gate := filepath.Join(p.project, "gate")
	if err := syscall.Mkfifo(gate, 0o666); err != nil {
		t.Fatal(err)
	}
	p.skill("wait", "description: Waits.", "!`cat "+gate+"`\n")
	c := p.connect()
	const large = 3 << 20
	call := toolCall("load_skill", map[string]any{"name": "wait", "arguments": strings.Repeat("x", large)})
	var all []chan reply
	for range 30 {
		_, ch := c.start("tools/call", call)
		all = append(all, ch)
	}
	for _, ch := range all[maxWaiting/large/copies:] {
		if r := c.wait(ch, "a refusal"); r.Error == nil || r.Error.Code != codeBusy {
			t.Fatalf("%.100s %+v", r.Result, r.Error)
		}
	}
	c.in.Close()
	<-c.done
}

// TestNeverReads checks that the server makes few answers for a client that asks for much and reads
// nothing.
func TestNeverReads(t *testing.T) {
	p := newPlace(t)
	const size, calls = 1 << 20, 150
	p.skill("long", "description: Long.", strings.Repeat("words and words\n", size/16))
	in, w := io.Pipe()
	unread, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- p.server().Serve(t.Context(), in, out) }()
	fmt.Fprintln(w,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	if _, err := bufio.NewReader(unread).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for i := range calls {
		fmt.Fprintln(w, `{"jsonrpc":"2.0","id":`+fmt.Sprint(i+2)+`,"method":"tools/call","params":`+
			toolCall("load_skill", map[string]any{"name": "long"})+`}`)
	}
	var mem runtime.MemStats
	for made := uint64(0); mem.TotalAlloc < 8<<20 || mem.TotalAlloc > made+1<<20; time.Sleep(500 * time.Millisecond) { // until it is stable
		made = mem.TotalAlloc
		runtime.GC()
		runtime.ReadMemStats(&mem)
	}
	// Observed: 133 MB; without the limit 642.
	if mem.HeapAlloc > 250<<20 {
		t.Errorf("%d MB are kept", mem.HeapAlloc>>20)
	}
	w.Close()
	unread.Close()
	<-done
}

// TestBadMessages checks that each bad message gets an answer, and the next good message too.
func TestBadMessages(t *testing.T) {
	p := newPlace(t)
	p.skill("echo", "description: Says it.", "[$ARGUMENTS]")
	c := p.connect()
	for _, bad := range []string{
		`{"jsonrpc":"2.0","id":9,"method":"tools/l`, `nonsense`, `[]`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{}`, `"x"`, `null`,
		"\x00\xff", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"id":{},"jsonrpc":"2.0","method":"ping"}`, strings.Repeat("{", 100_000),
		strings.Repeat("x", maxMessage+1),
	} {
		c.send(bad)
		if r := c.wait(c.expect("null"), bad[:min(len(bad), 40)]); r.Error == nil {
			t.Errorf("%.40q: %s", bad, r.Result)
		}
		if got := c.load("echo", "on"); got != "[on]" {
			t.Errorf("after %.40q: %q", bad, got)
		}
	}
	c.send("")
	c.send("  \r")
	for method, params := range map[string]string{"no/such": "{}", "tools/call": `{"name":"none"}`, "resources/read": `{}`,
		"prompts/get": `{}`} {
		if r := c.call(method, params); r.Error == nil {
			t.Errorf("%s %s: %s", method, params, r.Result)
		}
	}
	size := 1 << 20
	if test.Tortured() {
		size = 10 << 20
	}
	big := strings.Repeat("a\"\n`", size/4)
	if got := c.load("echo", big); got != "["+strings.TrimSpace(big)+"]" {
		t.Errorf("an argument of %d bytes: %d", size, len(got))
	}
	if text, _, failed := c.tool("load_skill", map[string]any{"name": "echo",
		"arguments": strings.Repeat("a", 10<<20+1)}); !failed || !strings.Contains(text, "want at most") {
		t.Errorf("an argument of more: %.100q", text)
	}
}

// TestNewProtocol uses the SDK's own client, which speaks the newest protocol.
func TestNewProtocol(t *testing.T) {
	p := newPlace(t)
	p.skill("echo", "description: Says it.", "[$ARGUMENTS]")
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go func() { _ = p.server().Serve(t.Context(), in, out) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "x", Version: "1"}, nil).Connect(t.Context(),
		&sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "load_skill",
		Arguments: map[string]any{"name": "echo", "arguments": "hi"}})
	if err != nil || res.IsError || res.Content[0].(*sdk.TextContent).Text != "[hi]" {
		t.Errorf("%+v, %v", res, err)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 2 || tools.CacheScope != "private" {
		t.Errorf("%+v, %v", tools, err)
	}
}

// TestHTTP checks that a client with the token is served, but not a client without it, under
// another name, or from another site.
func TestHTTP(t *testing.T) {
	p := newPlace(t)
	pid := filepath.Join(p.project, "pid.txt")
	p.skill("echo", "description: Says it.", "[$ARGUMENTS]")
	p.skill("slow", "description: Slow.", "!`bash -c 'echo $$ >"+pid+"; exec sleep 1000'`\n")
	for _, addr := range []string{"0.0.0.0:0", "192.0.2.1:1", ":0", "localhost:0", "[::]:0", "x"} {
		if l, err := Listen(addr); err == nil {
			l.Close()
			t.Errorf("listens on %s", addr)
		}
	}
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.server().ServeHTTP(ctx, l, "s3cret") }()
	addr := l.Addr().String()

	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for _, tt := range []struct {
		host, path, header string
		want               int
	}{
		{addr, Path, "Authorization: Bearer s3cret", 200},
		{addr, Path, "Authorization: Bearer s3cret, Origin: http://" + addr, 200},
		{addr, Path, "", 401},
		{addr, Path, "Authorization: Bearer wrong", 401},
		{addr, Path, "Authorization: Bearer ", 401},
		{"evil.example", Path, "Authorization: Bearer s3cret", 403},
		{strings.Replace(addr, "127.0.0.1", "localhost", 1), Path, "Authorization: Bearer s3cret", 403},
		{addr, Path, "Authorization: Bearer s3cret, Origin: http://evil.example", 403},
		{addr, Path, "Authorization: Bearer s3cret, Origin: null", 403},
		{addr, Path, "Authorization: Bearer s3cret, Sec-Fetch-Site: cross-site", 403},
		{addr, "/", "Authorization: Bearer s3cret", 404},
	} {
		req, _ := http.NewRequest(http.MethodPost, "http://"+addr+tt.path, strings.NewReader(hello))
		req.Host = tt.host
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for pair := range strings.SplitSeq(tt.header, ", ") {
			if name, value, ok := strings.Cut(pair, ": "); ok {
				req.Header.Set(name, value)
			}
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != tt.want {
			t.Errorf("%+v: %s", tt, res.Status)
		}
	}

	session, err := sdk.NewClient(&sdk.Implementation{Name: "x", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: "http://" + addr + Path, HTTPClient: &http.Client{Transport: bearer("s3cret")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "load_skill",
		Arguments: map[string]any{"name": "echo", "arguments": "hi"}})
	if err != nil || res.Content[0].(*sdk.TextContent).Text != "[hi]" {
		t.Errorf("%+v, %v", res, err)
	}
	slow := func(ctx context.Context) *sync.WaitGroup {
		os.Remove(pid)
		var wg sync.WaitGroup
		wg.Go(func() {
			_, _ = session.CallTool(ctx, &sdk.CallToolParams{Name: "load_skill", Arguments: map[string]any{"name": "slow"}})
		})
		eventually(t, "the directive does not start", func() bool { return alive(pid) })
		return &wg
	}
	call, giveUp := context.WithCancel(t.Context())
	wg := slow(call)
	giveUp()
	wg.Wait()
	eventually(t, "what a client gave up goes on", func() bool { return !alive(pid) })

	os.Remove(pid)
	hung, hangUp := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(hung, http.MethodPost, "http://"+addr+Path,
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+toolCall("load_skill",
			map[string]any{"name": "slow"})+`}`))
	req.Header = http.Header{
		"Mcp-Session-Id": {session.ID()}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Authorization": {"Bearer s3cret"},
	}
	wg = &sync.WaitGroup{}
	wg.Go(func() {
		if res, err := http.DefaultClient.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	})
	eventually(t, "the directive does not start", func() bool { return alive(pid) })
	hangUp()
	wg.Wait()
	eventually(t, "what a client began that hung up goes on", func() bool { return !alive(pid) })

	wg = slow(t.Context())
	cancel()
	wg.Wait()
	if err := <-done; err != context.Canceled {
		t.Errorf("ServeHTTP: %v", err)
	}
	eventually(t, "what was running goes on after the server's end", func() bool { return !alive(pid) })
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
