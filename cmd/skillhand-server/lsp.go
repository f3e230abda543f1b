package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/render"
	"github.com/skillhand/skillhand/skill"
)

func newLSP(std *cli.Std) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Show findings of check in an editor, as you type",
		Long: `Serve the Language Server Protocol on stdin and stdout, for editors: findings of
skillhand check as you type, fixes for them, what Claude Code decides about the
directive under the cursor, and completion of frontmatter. Nothing is ever run.
docs/editors.md says how to set up VS Code, Neovim, Zed and Helix.`,
		Example: `  skillhand lsp`,
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveLSP(cmd.Context(), std)
		},
	}
	cmd.Flags().Bool("stdio", true, "ignored: editors like to pass it")
	return cmd
}

// A languageServer is one editor's, with the texts it has open.
type languageServer struct {
	server *jrpc2.Server
	here   here.Here

	mutex  sync.Mutex
	open   map[string]*openText // by address
	exited chan struct{}        // closed when the editor says goodbye
	leave  sync.Once
}

// An openText is a file as the editor has it, and what was found in it.
type openText struct {
	path     string
	src      string
	findings []*check.Finding
	verdicts []check.Verdict
}

func serveLSP(ctx context.Context, std *cli.Std) error {
	h, err := here.From("", std.Env)
	if err != nil {
		return err
	}
	l := &languageServer{here: h, open: map[string]*openText{}, exited: make(chan struct{})}
	methods := handler.Map{
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
	l.server = jrpc2.NewServer(methods, &jrpc2.ServerOptions{AllowPush: true, Concurrency: 1}) // in the editor's order
	l.server.Start(channel.LSP(std.In, nopCloser{std.Out}))
	stopped := make(chan error, 1)
	go func() { stopped <- l.server.Wait() }()
	select {
	case err = <-stopped:
	case <-l.exited: // what else comes on stdin is not waited for
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return err
}

// heard answers what needs no answer.
func heard(context.Context, *jrpc2.Request) (any, error) { return nil, nil }

// A nopCloser keeps a stream open that is not ours.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func (l *languageServer) goodbye(context.Context, *jrpc2.Request) (any, error) {
	l.leave.Do(func() { close(l.exited) })
	return nil, nil
}

func (l *languageServer) initialize(context.Context, *jrpc2.Request) (initializeResult, error) {
	var r initializeResult
	r.Capabilities.TextDocumentSync = 1 // the whole text at every change
	r.Capabilities.HoverProvider = true
	r.Capabilities.CodeActionProvider.Kinds = []string{"quickfix"}
	r.Capabilities.CompletionProvider.Triggers = []string{":", " "}
	r.ServerInfo.Name, r.ServerInfo.Version = "skillhand", cli.NewVersion().Version
	return r, nil
}

func (l *languageServer) didOpen(ctx context.Context, p didOpenParams) error {
	return l.update(ctx, p.TextDocument.URI, p.TextDocument.Text)
}

func (l *languageServer) didChange(ctx context.Context, p didChangeParams) error {
	if len(p.Changes) == 0 {
		return nil
	}
	return l.update(ctx, p.TextDocument.URI, p.Changes[len(p.Changes)-1].Text)
}

func (l *languageServer) didSave(ctx context.Context, p textParams) error {
	if t := l.text(p.TextDocument.URI); t != nil {
		return l.update(ctx, p.TextDocument.URI, t.src)
	}
	return nil
}

func (l *languageServer) didClose(ctx context.Context, p textParams) error {
	l.mutex.Lock()
	delete(l.open, p.TextDocument.URI)
	l.mutex.Unlock()
	return l.server.Notify(ctx, "textDocument/publishDiagnostics", publishParams{URI: p.TextDocument.URI, Diagnostics: []diagnostic{}})
}

func (l *languageServer) text(uri string) *openText {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.open[uri]
}

// update checks a text and tells the editor what was found.
func (l *languageServer) update(ctx context.Context, uri, src string) error {
	t := &openText{path: pathOf(uri), src: src}
	if t.path == "" {
		return nil
	}
	l.check(ctx, t)
	l.mutex.Lock()
	l.open[uri] = t
	l.mutex.Unlock()
	found := []diagnostic{}
	for _, f := range t.findings {
		found = append(found, t.diagnostic(f))
	}
	return l.server.Notify(ctx, "textDocument/publishDiagnostics", publishParams{URI: uri, Diagnostics: found})
}

// check runs the rules on a text as if it were saved, with the configuration of its repository.
func (l *languageServer) check(ctx context.Context, t *openText) {
	dir := filepath.Dir(t.path)
	where := l.here.Settings()
	finder := check.Finder{Dir: dir, Home: where.Home, Config: where.Config}
	var opt check.Options
	if top := skill.Top(dir); top != "" {
		finder.Dir = top
		file := filepath.Join(top, check.ConfigName)
		if src, err := os.ReadFile(file); err == nil {
			if conf, err := check.ParseConfig(file, src); err == nil { // check itself reports what is wrong with it
				opt = check.Options{Agents: conf.Agents, Rules: conf.Rules, As: conf.As}
			}
		}
	}
	file := finder.Source(t.path, []byte(t.src))
	if file.Kind == check.Text {
		return // no business of ours
	}
	opt.Settings = &where
	res := check.Run(ctx, []check.File{file}, opt)
	t.findings, t.verdicts = res.Findings, res.Verdicts
}

func (t *openText) diagnostic(f *check.Finding) diagnostic {
	d := diagnostic{Range: t.rangeOf(f.Range.Offset, f.Range.End), Code: f.Rule, Source: "skillhand", Message: f.Message}
	d.Severity = map[check.Severity]int{check.Error: 1, check.Warning: 2, check.Info: 3}[f.Severity]
	d.CodeDescription.Href = f.Docs
	if f.Help != "" {
		d.Message += "\n" + f.Help
	}
	return d
}

func (l *languageServer) codeAction(_ context.Context, p codeActionParams) ([]codeAction, error) {
	actions := []codeAction{}
	t := l.text(p.TextDocument.URI)
	if t == nil {
		return actions, nil
	}
	from, to := t.offset(p.Range.Start), t.offset(p.Range.End)
	for _, f := range t.findings {
		if f.Fix == nil || len(f.Fix.Edits) == 0 || f.Range.Offset > to || f.Range.End < from {
			continue
		}
		a := codeAction{Title: f.Rule + ": " + f.Fix.Title, Kind: "quickfix", Diagnostics: []diagnostic{t.diagnostic(f)}, Preferred: !f.Fix.Unsafe}
		edits := []textEdit{}
		for _, e := range f.Fix.Edits {
			edits = append(edits, textEdit{Range: t.rangeOf(e.Offset, e.End), NewText: e.Text})
		}
		a.Edit.Changes = map[string][]textEdit{p.TextDocument.URI: edits}
		actions = append(actions, a)
	}
	return actions, nil
}

// hover says what Claude Code decides about a directive, explains findings, and shows the page on
// the frontmatter, which is no part of it. It runs nothing.
func (l *languageServer) hover(ctx context.Context, p positionParams) (*hover, error) {
	t := l.text(p.TextDocument.URI)
	if t == nil {
		return nil, nil
	}
	at := t.offset(p.Position)
	var parts []string
	for _, v := range t.verdicts {
		if v.Range.Offset <= at && at < v.Range.End {
			text := fmt.Sprintf("**%s**: Claude Code %s: %s", v.Decision, check.ClaudeVersion, v.Reason)
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

// page is what an agent reads, with directives as they are written, if at is in the frontmatter.
func (t *openText) page(ctx context.Context, at int) string {
	s := skill.Parse(t.path, []byte(t.src))
	if len(s.Parts) == 0 || s.Parts[0].Kind != skill.Header || at >= len(s.Parts[0].Source) {
		return ""
	}
	dir := filepath.Dir(t.path)
	vars := map[string]string{"CLAUDE_SKILL_DIR": dir}
	if top := skill.Top(dir); top != "" {
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

// in says where a rule is, if it is not the skill's own.
func in(file string) string {
	if file == "" {
		return ""
	}
	return " in " + file
}

// pathOf is the file that an address stands for, or "".
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
