// Package lsp answers one question: what does check say about the file in this editor? It speaks
// the Language Server Protocol: findings as you type, fixes, hover and completion.
package lsp

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/skill"
)

// Serve answers an editor on in and out until the editor exits, its messages end, or ctx ends. It
// never runs anything.
func Serve(ctx context.Context, h here.Here, version string, in io.Reader, out io.Writer) error {
	l := &server{here: h, version: version, open: map[string]*document{}, stale: make(chan struct{}, 1), exited: make(chan struct{})}
	l.rpc = jrpc2.NewServer(l.methods(), &jrpc2.ServerOptions{AllowPush: true, Concurrency: 1}) // one at a time, in the editor's order
	l.rpc.Start(newFraming(in, out))
	stopped := make(chan error, 1)
	go func() { stopped <- l.rpc.Wait() }()
	checking, stop := context.WithCancel(ctx)
	var checker sync.WaitGroup
	checker.Go(func() { l.checkStale(checking) })
	defer checker.Wait()
	defer stop()
	select {
	case err := <-stopped:
		return err
	case <-l.exited: // later messages do not matter
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A server talks to one editor.
type server struct {
	rpc     *jrpc2.Server
	here    here.Here
	version string

	mutex  sync.Mutex
	open   map[string]*document // by URI
	stale  chan struct{}        // holds a token when some document is not checked yet
	exited chan struct{}        // closed when the editor exits
	leave  sync.Once
}

// A document is one version of a file that the editor has open.
type document struct {
	path    string
	src     string
	version *int // the editor's version number; nil if the editor sends none

	check     sync.Once
	published bool
	findings  []*check.Finding
	verdicts  []check.Verdict
}

// maxText limits the length in bytes of a text that is checked. A huge file that nobody reads must
// not slow the editor down.
const maxText = 200_000

func (l *server) methods() handler.Map {
	return handler.Map{
		"initialize":                       handler.New(l.initialize),
		"initialized":                      handler.New(heard),
		"shutdown":                         handler.New(heard),
		"exit":                             handler.New(l.goodbye),
		"textDocument/didOpen":             handler.New(l.didOpen),
		"textDocument/didChange":           handler.New(l.didChange),
		"textDocument/didSave":             handler.New(l.didSave),
		"textDocument/didClose":            handler.New(l.didClose),
		"textDocument/codeAction":          handler.New(l.codeAction),
		"textDocument/hover":               handler.New(l.hover),
		"textDocument/completion":          handler.New(l.completion),
		"workspace/didChangeWatchedFiles":  handler.New(heard),
		"workspace/didChangeConfiguration": handler.New(heard),
		"$/setTrace":                       handler.New(heard),
		"$/cancelRequest":                  handler.New(heard),
	}
}

// heard answers messages that need no action.
func heard(context.Context, *jrpc2.Request) (any, error) { return nil, nil }

func (l *server) goodbye(context.Context, *jrpc2.Request) (any, error) {
	l.leave.Do(func() { close(l.exited) })
	return nil, nil
}

func (l *server) initialize(context.Context, *jrpc2.Request) (initializeResult, error) {
	var r initializeResult
	r.Capabilities.TextDocumentSync = 1 // the editor sends the whole text at every change
	r.Capabilities.HoverProvider = true
	r.Capabilities.CodeActionProvider.Kinds = []string{"quickfix"}
	r.Capabilities.CompletionProvider.Triggers = []string{":", " "}
	r.ServerInfo.Name, r.ServerInfo.Version = "skillhand", l.version
	return r, nil
}

func (l *server) didOpen(_ context.Context, p didOpenParams) error {
	l.update(p.TextDocument.URI, p.TextDocument.Text, p.TextDocument.Version)
	return nil
}

func (l *server) didChange(_ context.Context, p didChangeParams) error {
	if len(p.Changes) > 0 {
		l.update(p.TextDocument.URI, p.Changes[len(p.Changes)-1].Text, p.TextDocument.Version)
	}
	return nil
}

// didSave checks a document again, because other files that matter to it may have changed.
func (l *server) didSave(_ context.Context, p textParams) error {
	if d := l.document(p.TextDocument.URI); d != nil {
		l.update(p.TextDocument.URI, d.src, d.version)
	}
	return nil
}

func (l *server) didClose(ctx context.Context, p textParams) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.open, p.TextDocument.URI)
	return l.publish(ctx, publishParams{URI: p.TextDocument.URI, Diagnostics: []diagnostic{}})
}

func (l *server) document(uri string) *document {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.open[uri]
}

// update stores a new text and wakes the checker.
func (l *server) update(uri, src string, version *int) {
	path := pathOf(uri)
	if path == "" {
		return
	}
	l.mutex.Lock()
	l.open[uri] = &document{path: path, src: src, version: version}
	l.mutex.Unlock()
	select {
	case l.stale <- struct{}{}:
	default: // the checker already knows
	}
}

// checkStale checks new texts and publishes the findings. If a file changed several times in the
// meantime, only its latest text is checked: a fast typist needs no more.
func (l *server) checkStale(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.stale:
		}
		for uri, d := range l.unpublished() {
			l.look(ctx, d)
			found := []diagnostic{}
			for _, f := range d.findings {
				found = append(found, d.diagnostic(f))
			}
			if len(d.src) > maxText {
				found = append(found, d.tooLong())
			}
			l.mutex.Lock()
			if l.open[uri] == d && ctx.Err() == nil {
				d.published = true
				// An editor that is gone does not matter here, because reading from it fails too.
				_ = l.publish(ctx, publishParams{URI: uri, Version: d.version, Diagnostics: found})
			}
			l.mutex.Unlock()
		}
	}
}

// unpublished returns the open documents whose findings the editor does not have.
func (l *server) unpublished() map[string]*document {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	docs := map[string]*document{}
	for uri, d := range l.open {
		if !d.published {
			docs[uri] = d
		}
	}
	return docs
}

func (l *server) publish(ctx context.Context, p publishParams) error {
	return l.rpc.Notify(ctx, "textDocument/publishDiagnostics", p)
}

// look checks a document once.
func (l *server) look(ctx context.Context, d *document) {
	d.check.Do(func() {
		if len(d.src) <= maxText {
			l.run(ctx, d)
		}
	})
}

// run applies the rules to a document as if it were saved, with the configuration of its
// repository.
func (l *server) run(ctx context.Context, t *document) {
	h := l.here
	h.Dir = files.Around(filepath.Dir(t.path))
	c, _ := check.At(h, []string{t.path}) // skillhand check reports faults of the configuration
	res := c.Source(ctx, t.path, []byte(t.src))
	t.verdicts = res.Verdicts
	for _, f := range res.Findings {
		t.findings = append(t.findings, f.Here())
	}
}

// tooLong returns a diagnostic that says why a long text has no findings.
func (t *document) tooLong() diagnostic {
	d := diagnostic{Severity: 3, Source: "skillhand"}
	d.Message = fmt.Sprintf("not checked here: the file has %d bytes, the limit in editors is %d; run skillhand check", len(t.src), maxText)
	return d
}

func (t *document) diagnostic(f *check.Finding) diagnostic {
	d := diagnostic{Range: t.rangeOf(f.Range.Offset, f.Range.End), Code: f.Rule, Source: "skillhand", Message: f.Message}
	d.Severity = map[check.Severity]int{check.Error: 1, check.Warning: 2, check.Info: 3}[f.Severity]
	d.CodeDescription.Href = f.Docs
	if f.Help != "" {
		d.Message += "\n" + f.Help
	}
	return d
}

func (l *server) codeAction(ctx context.Context, p codeActionParams) ([]codeAction, error) {
	actions := []codeAction{}
	t := l.document(p.TextDocument.URI)
	if t == nil {
		return actions, nil
	}
	l.look(ctx, t)
	from, to := t.offset(p.Range.Start), t.offset(p.Range.End)
	for _, f := range t.findings {
		if f.Fix == nil || len(f.Fix.Edits) == 0 || f.Range.Offset > to || f.Range.End < from {
			continue
		}
		a := codeAction{Title: f.Rule + ": " + f.Fix.Title, Kind: "quickfix", Diagnostics: []diagnostic{t.diagnostic(f)},
			Preferred: !f.Fix.Unsafe}
		edits := []textEdit{}
		for _, e := range f.Fix.Edits {
			edits = append(edits, textEdit{Range: t.rangeOf(e.Offset, e.End), NewText: e.Text})
		}
		a.Edit.Changes = map[string][]textEdit{p.TextDocument.URI: edits}
		actions = append(actions, a)
	}
	return actions, nil
}

// hover explains the findings and says what Claude Code decides about a directive. On the
// frontmatter, which is not part of the page, it shows the page. It runs nothing.
func (l *server) hover(ctx context.Context, p positionParams) (*hover, error) {
	t := l.document(p.TextDocument.URI)
	if t == nil {
		return nil, nil
	}
	l.look(ctx, t)
	at := t.offset(p.Position)
	var parts []string
	for _, v := range t.verdicts {
		if v.Range.Offset <= at && at < v.Range.End {
			text := fmt.Sprintf("**%s** in `claude -p`, **%s** in auto mode: Claude Code %s: %s",
				v.Default, v.Auto, claudecode.Version, v.Reason)
			if v.Rule != "" {
				text += " (`" + v.Rule + "`" + in(v.RuleFile) + ")"
			}
			if v.Suggest != "" {
				text += "\n\n" + v.Suggest
			}
			parts = append(parts, text)
		}
	}
	for _, f := range t.findings {
		if f.Range.Offset <= at && at < max(f.Range.End, f.Range.Offset+1) {
			parts = append(parts, check.ByName(f.Rule).Doc())
		}
	}
	if page := t.page(ctx, at); page != "" {
		parts = append(parts, page)
	}
	if len(parts) == 0 {
		return nil, nil
	}
	return &hover{Contents: markup{Kind: "markdown", Value: strings.Join(parts, "\n\n---\n\n")}}, nil
}

// page returns the page with its directives as written if at is in the frontmatter, else "".
func (t *document) page(ctx context.Context, at int) string {
	if len(t.src) > maxText {
		return ""
	}
	s := skill.Parse(t.path, []byte(t.src))
	if len(s.Parts) == 0 || s.Parts[0].Kind != skill.Header || at >= len(s.Parts[0].Source) {
		return ""
	}
	dir := filepath.Dir(t.path)
	vars := map[string]string{"CLAUDE_SKILL_DIR": dir}
	if top := files.Top(dir); top != "" {
		vars["CLAUDE_PROJECT_DIR"] = top
	}
	var b strings.Builder
	if _, err := render.Page(ctx, &b, s, render.Env{Vars: vars, NoExec: true}); err != nil {
		return "No page: " + err.Error()
	}
	const most = 4000 // bytes; a hover is no place to read more
	text := strings.TrimSpace(b.String())
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "\n…"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "**The page**, where nothing has run:\n\n" + fence + "markdown\n" + text + "\n" + fence
}

// in returns " in FILE" if the rule is in a settings file, or "".
func in(file string) string {
	if file == "" {
		return ""
	}
	return " in " + file
}

// pathOf returns the path in a file URI, or "" for any other URI.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // /C:/x
	}
	return filepath.FromSlash(path)
}
