package lsp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/here"
)

const lspText = "---\ndescription: d\neffort: \n\n---\n🎉 !`find . -name \\'x\\'`\n!`kubectl get pods || true`\n"

// An editor talks to the server as a real editor does.
type editor struct {
	*jrpc2.Client
	t         *testing.T
	published chan publishParams
}

func newEditor(t *testing.T) *editor {
	home := t.TempDir()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(context.Background(), here.Here{Dir: home, Home: home, Env: here.Env{"HOME=" + home}}, "test", toServer, fromServer)
	}()
	e := &editor{t: t, published: make(chan publishParams, 2000)}
	e.Client = jrpc2.NewClient(channel.LSP(out, in), &jrpc2.ClientOptions{OnNotify: func(r *jrpc2.Request) {
		var p publishParams
		if r.Method() == "textDocument/publishDiagnostics" && r.UnmarshalParams(&p) == nil {
			e.published <- p
		}
	}})
	t.Cleanup(func() {
		e.Notify(context.Background(), "exit", nil)
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
		fromServer.Close()
		e.Close()
	})
	return e
}

// call sends a request and reads its answer.
func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	if err := e.CallResult(context.Background(), method, params, result); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	if err := e.Notify(context.Background(), method, params); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// TestLSP sends the requests of an editor and checks the answers.
func TestLSP(t *testing.T) {
	dir := t.TempDir()
	uri := "file://" + filepath.Join(dir, ".claude", "skills", "s", "SKILL.md")
	e := newEditor(t)
	var init initializeResult
	e.call("initialize", map[string]any{"capabilities": map[string]any{}, "rootUri": "file://" + dir}, &init)
	if init.ServerInfo.Name != "skillhand" || !init.Capabilities.HoverProvider {
		t.Errorf("%+v", init)
	}
	e.notify("initialized", map[string]any{})
	e.open("textDocument/didOpen", uri, 1, lspText)
	found := (<-e.published).Diagnostics
	rules := map[string]diagnostic{}
	for _, d := range found {
		rules[d.Code] = d
	}
	// The emoji is two units wide in an editor.
	if r := rules["SK301"].Range; r.Start != (position{5, 18}) || r.End != (position{5, 23}) {
		t.Errorf("SK301 at %+v of %+v", r, found)
	}
	e.asks(uri, rules)

	e.open("textDocument/didChange", uri, 2, "---\ndescription: d\n---\nText.\n")
	if p := <-e.published; len(p.Diagnostics) != 0 {
		t.Errorf("after the change: %+v", p.Diagnostics)
	}
	e.notify("textDocument/didClose", textParams{textID{uri}})
	<-e.published
	var none any
	e.call("shutdown", nil, &none)
}

// TestConfiguration checks that an editor shows the findings of skillhand check, with the same
// configuration.
func TestConfiguration(t *testing.T) {
	e := newEditor(t)
	var init initializeResult
	e.call("initialize", map[string]any{"capabilities": map[string]any{}}, &init)
	for config, want := range map[string]bool{
		"":                                     true,
		"check: {rules: {SK301: off}}":         false,
		"check: {exclude: [.claude/skills]}":   false,
		"check: {exclude: [.claude/skills/t]}": true,
	} {
		dir := t.TempDir()
		if err := errors.Join(os.Mkdir(filepath.Join(dir, ".git"), 0o777),
			os.WriteFile(filepath.Join(dir, check.ConfigName), []byte(config), 0o666)); err != nil {
			t.Fatal(err)
		}
		e.open("textDocument/didOpen", "file://"+filepath.Join(dir, ".claude", "skills", "s", "SKILL.md"), 1, lspText)
		found := false
		for _, d := range (<-e.published).Diagnostics {
			found = found || d.Code == "SK301"
		}
		if found != want {
			t.Errorf("%q: SK301 is shown: %v, want %v", config, found, want)
		}
	}
}

// asks compares fixes, hover and completion to the expected texts.
func (e *editor) asks(uri string, rules map[string]diagnostic) {
	t := e.t
	var actions []codeAction
	e.call("textDocument/codeAction", map[string]any{
		"textDocument": textID{uri}, "range": rules["SK301"].Range, "context": map[string]any{"diagnostics": []any{}},
	}, &actions)
	if len(actions) != 1 || actions[0].Edit.Changes[uri][0].NewText != "'x'" {
		t.Errorf("actions: %+v", actions)
	}
	var h hover
	e.call("textDocument/hover", positionParams{textID{uri}, position{6, 5}}, &h)
	if !strings.Contains(h.Contents.Value, "**abort** in `claude -p`, **defer** in auto mode: Claude Code") ||
		!strings.Contains(h.Contents.Value, "Bash(kubectl get pods)") || !strings.Contains(h.Contents.Value, "# SK401") {
		t.Errorf("hover: %s", h.Contents.Value)
	}
	e.call("textDocument/hover", positionParams{textID{uri}, position{1, 3}}, &h)
	if !strings.Contains(h.Contents.Value, "**The page**") || !strings.Contains(h.Contents.Value, "\n!`kubectl get pods || true`\n") ||
		strings.Contains(h.Contents.Value, "description: d") {
		t.Errorf("hover: %s", h.Contents.Value)
	}
	labels := func(at position) string {
		var items []completionItem
		e.call("textDocument/completion", positionParams{textID{uri}, at}, &items)
		var all []string
		for _, i := range items {
			all = append(all, i.Label)
		}
		return strings.Join(all, " ")
	}
	if got := labels(position{2, 8}); got != "low medium high xhigh max" {
		t.Errorf("values: %s", got)
	}
	if got := labels(position{3, 0}); !strings.Contains(got, "allowed-tools") || strings.Contains(got, "description") {
		t.Errorf("fields: %s", got)
	}
	if got := labels(position{6, 0}); got != "" {
		t.Errorf("in the text: %s", got)
	}
}

// open opens a text in the editor, or changes it.
func (e *editor) open(method, uri string, version int, text string) {
	e.notify(method, map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": version, "text": text},
		"contentChanges": []any{map[string]any{"text": text}},
	})
}

// TestCoalesced checks that findings carry the version of their text, and that a text that was
// replaced before its turn has none.
func TestCoalesced(t *testing.T) {
	uri := "file://" + filepath.Join(t.TempDir(), "s", "SKILL.md")
	e := newEditor(t)
	const last = 1000
	e.open("textDocument/didOpen", uri, 1, lspText)
	for v := 2; v <= last; v++ {
		e.open("textDocument/didChange", uri, v, lspText+strings.Repeat("x", v))
	}
	n := 1
	for p := range e.published {
		if p.Version == nil {
			t.Fatal("no version")
		}
		if *p.Version == last {
			break
		}
		n++
	}
	if n > last/2 {
		t.Errorf("%d of %d texts were checked", n, last)
	}
}

// TestLongText checks that a text that is too long is not checked, and that the editor learns why.
func TestLongText(t *testing.T) {
	uri := "file://" + filepath.Join(t.TempDir(), "s", "SKILL.md")
	e := newEditor(t)
	e.open("textDocument/didOpen", uri, 1, lspText+strings.Repeat("!`kubectl get pods`\n", maxText/19))
	found := (<-e.published).Diagnostics
	if len(found) != 1 || !strings.Contains(found[0].Message, "run skillhand check") {
		t.Errorf("%+v", found)
	}
	var h hover
	e.call("textDocument/hover", positionParams{textID{uri}, position{6, 5}}, &h)
	if h.Contents.Value != "" {
		t.Errorf("hover: %s", h.Contents.Value)
	}
}

// TestFraming checks that an unreadable message causes an error, and takes no memory before that.
func TestFraming(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"Content-Length: 99999999999999\r\n\r\n", "Content-Length is 99999999999999: want 0 to 67108864"},
		{"Content-Length: 99999999999999999999999999\r\n\r\n", "Content-Length is 99999999999999999999999999"},
		{"Content-Length: -1\r\n\r\n", "Content-Length is -1"},
		{"Content-Length: 67108865\r\n\r\n", "want 0 to 67108864"},
		{"Content-Type: x\r\n\r\n{}", "no Content-Length"},
		{"GARBAGE\r\n\r\n", "want NAME: VALUE"},
		{"Content-Length: 10\r\n\r\n{}", "cut off"},
		{"Content-Length: 10", "cut off"},
		{strings.Repeat("x", 20_000), "header has more than"},
	} {
		if _, err := newFraming(strings.NewReader(tt.in), io.Discard).Recv(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60q: %v, want %s", tt.in, err, tt.want)
		}
	}
	var out bytes.Buffer
	if err := newFraming(nil, &out).Send([]byte("{}")); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "content-length: 3\nContent-Type: x\n\nabc")
	f := newFraming(&out, io.Discard)
	for _, want := range []string{"{}", "abc"} {
		if got, err := f.Recv(); err != nil || string(got) != want {
			t.Errorf("%q, %v, want %s", got, err, want)
		}
	}
	if _, err := f.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}
