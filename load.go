package skillhand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

// A LoadRequest says which skill to load and how. Only Skill is required.
type LoadRequest struct {
	Skill string // a name, plugin:name, or the path of a folder or file
	Args  Args
	Agent string // which agent reads the page; "" means what hooks noted, else the main one

	Use       Use    // which page; "" means what the session says
	Exec      Exec   // where directives get their output from; "" runs them
	Recording string // a file of every directive's outcome: Run writes it, Replayed and Partial read it
	Strict    bool   // a directive that fails, broken YAML or an unclosed block fails the load
	Wrap      Wrap
	Timeout   time.Duration // for each directive; 0 means 120 seconds
	MaxOutput int           // characters of one directive's output on the page; 0 means 30,000
}

// Use says which page of a skill is wanted.
type Use string

// The pages of a skill.
const (
	BySession Use = ""          // the whole text at the first use in the session, the reference page later
	Full      Use = "full"      // the whole text, whatever the agent has seen
	Reference Use = "reference" // the page of a later use, whatever the agent has seen
)

// Exec says where the output of directives comes from. Only Run starts anything.
type Exec string

// The ways to get the output of directives.
const (
	Run       Exec = ""
	AsWritten Exec = "as written" // nothing runs, directives stay as written
	Refused   Exec = "refused"    // an error stands in the place of each directive, as in a folder that is not trusted
	Replayed  Exec = "replayed"   // every outcome is in Recording; one that is missing fails the load
	Partial   Exec = "partial"    // as Replayed, but a directive without an outcome stays as written, and nothing is written to disk
)

// check reports what is wrong with a request, whatever the skill.
func (r LoadRequest) check() error {
	switch r.Use {
	case BySession, Full, Reference:
	default:
		return fmt.Errorf("%s: Use is %q, want %q or %q", r.Skill, r.Use, Full, Reference)
	}
	switch r.Exec {
	case Run:
	case AsWritten, Refused:
		if r.Recording != "" {
			return fmt.Errorf("%s: %s: nothing to record: Exec is %q", r.Skill, r.Recording, r.Exec)
		}
	case Replayed, Partial:
		if r.Recording == "" {
			return fmt.Errorf("%s: Exec is %q, but Recording names no file", r.Skill, r.Exec)
		}
	default:
		return fmt.Errorf("%s: Exec is %q, want %q, %q, %q or %q", r.Skill, r.Exec, AsWritten, Refused, Replayed, Partial)
	}
	return nil
}

// A Page is a skill as the agent should read it. Deliver it with WriteTo or
// WriteJSON, or give it back with Close.
//
// As JSON it is what skillhand load --json prints: schemas/load-v1.schema.json.
type Page struct {
	Skill      string      `json:"skill"`
	File       string      `json:"file"`
	FirstUse   bool        `json:"first_use"`
	Text       string      `json:"text"`
	Directives []Directive `json:"directives"`
	Warnings   []string    `json:"warnings"`
	Withheld   string      `json:"-"` // the warning that commands did not run since the skill is not trusted, if so

	source *skill.Skill
	loc    skill.Location
	vars   map[string]string // the built-in variables
	claim  *session.Claim
	warn   func(string)
}

// WriteTo writes the page's text to w. If all of it was written the skill counts
// as seen from then on; else it does not.
func (p *Page) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, p.Text)
	return int64(n), p.delivered(err)
}

// WriteJSON writes the page as one line of JSON to w, and counts as WriteTo does.
func (p *Page) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return p.delivered(enc.Encode(p))
}

// delivered commits the page, or gives it back.
func (p *Page) delivered(err error) error {
	if err != nil {
		p.Close()
		return err
	}
	if p.claim == nil {
		return nil
	}
	if err := p.claim.Commit(); err != nil {
		p.warn(fmt.Sprintf("the next load will print the whole text again: %v", err))
	}
	p.claim = nil
	return nil
}

// Close gives a page back that was not delivered: the skill does not count as
// seen. After a delivery it does nothing.
func (p *Page) Close() {
	if p.claim != nil {
		p.claim.Close()
		p.claim = nil
	}
}

// Failed lists what went wrong on the page, a line each.
func (p *Page) Failed() []string {
	var all []string
	for _, d := range p.Directives {
		if d.Exit != 0 {
			all = append(all, fmt.Sprintf("%s:%d: exit status %d: %s", p.File, d.Line, d.Exit, d.Command))
		}
	}
	return all
}

// maxPrinted bounds what one directive may print. The whole of it is kept in a
// file, so it also bounds what a runaway one costs on disk.
const maxPrinted = 128 << 20

// Load finds a skill and makes its page. On a failure of a directive under
// Strict the page is returned too, without text, for what ran.
func (rt *Runtime) Load(ctx context.Context, req LoadRequest) (*Page, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	p, err := rt.at(req.Skill)
	if err != nil {
		return nil, err
	}
	return (&load{req: req, at: p}).page(ctx)
}

// A load is one request at its place.
type load struct {
	req   LoadRequest
	at    *environment // folder, environment, policy
	noUse bool         // nobody in this session reads the page
}

// read reads the skill at a location. A SKILL.md that was named by its path, and only loads its skill, stands for it.
func (l *load) read(loc skill.Location) (*skill.Skill, skill.Location, error) {
	s, err := skill.Read(loc)
	if err != nil || !loadsItself(s) {
		return s, loc, err
	}
	if text, err := l.at.finder().Find(loc.Folder); err == nil && text.File != loc.File {
		s, err = skill.Read(text)
		return s, text, err
	}
	text := filepath.Join(filepath.Dir(s.File), "first-use.md")
	return nil, loc, fmt.Errorf("%s: its only directive loads %s, which is this file: put the text in %s", s.File, s.Name, text)
}

func (l *load) page(ctx context.Context) (*Page, error) {
	found, err := l.at.finder().Look(l.req.Skill)
	if err != nil {
		return nil, err
	}
	loc := found.Location
	if note := found.Note(); note != "" {
		l.at.rt.warn(note)
	}
	if other := l.at.finder().HiddenInClaude(loc); other != "" {
		l.at.rt.warn(fmt.Sprintf("Claude Code does not load this skill: %s has the same name and comes first", other))
	}
	s, loc, err := l.read(loc)
	if err != nil {
		return nil, err
	}
	env, err := l.renderEnv(ctx, s)
	if err != nil {
		return nil, err
	}
	page, err := l.render(ctx, s, env)
	page.loc = skill.Location{Name: loc.Name, File: s.Real, Folder: s.Dir, Command: loc.Command} // what was read, not what a link now leads to
	if err != nil {
		page.Close()
		return page, err
	}
	if env.Record != nil {
		if err := env.Record.Write(l.req.Recording); err != nil {
			page.Close()
			return page, fmt.Errorf("%s: %w", l.req.Recording, files.Cause(err))
		}
	}
	return page, nil
}

// render makes the page, the whole of it or that of a later use.
func (l *load) render(ctx context.Context, s *skill.Skill, env render.Env) (*Page, error) {
	page := &Page{Skill: s.Name, File: s.File, Directives: []render.Directive{}, Warnings: []string{}, source: s, vars: env.Vars,
		warn: l.at.rt.warn}
	var odd []string
	if env.Untrusted == "" { // what was withheld now must come later
		if claim, err := l.claim(s); err != nil {
			odd = append(odd, fmt.Sprintf("cannot tell what the session has seen, so the page has the whole text: %v", err))
		} else {
			page.claim = claim
		}
	}
	asked := l.req.Use == Reference
	env.Later = asked || page.claim != nil && page.claim.Seen && l.req.Use != Full
	text, trace, err := renderText(ctx, s, env)
	// A compaction that began meanwhile has taken away what the page refers to.
	if err == nil && env.Later && !asked && !page.claim.StillSeen() {
		env.Later = false
		text, trace, err = renderText(ctx, s, env)
	}
	page.FirstUse = !env.Later
	page.Directives = append(page.Directives, trace.Directives...)
	page.Warnings, page.Withheld = append(append(page.Warnings, odd...), trace.Warnings...), trace.Withheld
	if err != nil {
		return page, err
	}
	page.Text = text
	if page.hasError() {
		page.Close() // what the agent could not read was not seen
	}
	return page, nil
}

// hasError reports whether a directive failed, here or on a page that one printed.
func (p *Page) hasError() bool {
	return slices.ContainsFunc(p.Directives, func(d render.Directive) bool {
		return d.Exit != 0 || strings.Contains(p.Text[d.Start:d.End], "<error>")
	})
}

func renderText(ctx context.Context, s *skill.Skill, env render.Env) (string, render.Trace, error) {
	var text bytes.Buffer
	trace, err := render.Page(ctx, &text, s, env)
	return text.String(), trace, err
}

// claim begins a use of the skill in its session. Without a session, without
// running anything, within another page or script, which may do anything with it,
// and where the agent is not known for sure, there is none, and the page has the
// whole text.
func (l *load) claim(s *skill.Skill) (*session.Claim, error) {
	if l.at.Session == "" || l.at.depth > 0 || l.noUse || l.req.Exec != Run || l.req.Use == Reference {
		return nil, nil
	}
	store := l.at.Sessions()
	reader, err := l.reader(store, s.Name)
	if err != nil || !reader.Known {
		return nil, err
	}
	name := s.Name
	if l.at.PluginRoot != "" && files.Inside(files.Real(l.at.PluginRoot), s.Real) {
		name = find.PluginName(l.at.PluginRoot) + ":" + name // as an agent would ask for it
	}
	claim, err := store.Claim(session.ID{Session: l.at.Session, Agent: reader.Agent}, name, s.Real, session.Hash(s.Source()))
	if err == nil && reader.Noted {
		attended := l.at.Env.Get("CLAUDE_CODE_SESSION_ATTENDED")
		claim.In(reader.Turn, attended != "" && attended != "0") // a person can rewind; nobody can in claude -p
	}
	return claim, err
}

// reader finds out which agent reads the page. Inside Claude Code the hooks
// note who is about to load what; without a note it could be any of them.
func (l *load) reader(store session.Store, name string) (session.Waiting, error) {
	if l.req.Agent != "" {
		return session.Waiting{Agent: l.req.Agent, Known: true}, store.Take(session.ID{Session: l.at.Session, Agent: l.req.Agent}, name)
	}
	w, err := store.Taken(l.at.Session, name)
	if err == nil && !w.Noted {
		w = session.Waiting{Known: l.at.Env.Get("CLAUDECODE") == ""}
	}
	return w, err
}

// renderEnv gathers what the page depends on.
func (l *load) renderEnv(ctx context.Context, s *skill.Skill) (render.Env, error) {
	plugin := l.at.PluginRoot
	if plugin == "" {
		plugin = find.PluginOf(s.Dir)
	}
	plugin = files.Real(plugin) // what is judged is what is used, whatever becomes of a link meanwhile
	if l.req.Wrap == "" {
		l.req.Wrap = render.Wrap(l.at.config().Wrap)
	}
	env := render.Env{
		Vars: l.vars(s, plugin), Args: l.req.Args, Shell: l.shell(),
		Wrap: l.req.Wrap, Strict: l.req.Strict, NoExec: l.req.Exec == AsWritten,
		MaxOutput: l.req.MaxOutput, OutputDir: l.at.OutputDir(),
	}
	if plugin != "" && l.at.policy.May(plugin) == nil {
		env.Reference = readReference(plugin)
		env.Shell.Launchers = []string{filepath.Join(plugin, "hooks", "bin"), filepath.Join(plugin, "bin")}
	}
	var err error
	if env.Bindings, err = render.ReadBindings(filepath.Join(s.Dir, "bindings.json")); err != nil {
		return env, err
	}
	switch l.req.Exec {
	case Replayed, Partial:
		if env.Replay, err = render.ReadRecording(l.req.Recording); err != nil {
			return env, err
		}
		env.Replay.Partial = l.req.Exec == Partial
		return env, env.Replay.Fits(s.Name, l.at.hide.Text(l.req.Args.Raw))
	case Refused:
		env.Untrusted = (&trust.NotTrusted{Dir: trust.Root(s.Real)}).Error()
		if err := l.at.policy.May(s.Real); err != nil {
			env.Untrusted = err.Error()
		}
		return env, nil
	case AsWritten:
		return env, nil
	}
	if l.req.Recording != "" {
		env.Record = &render.Recording{}
	}
	err = l.at.policy.Allow(ctx, s.Real, func() []string { return append(s.Commands(), env.Bindings.Commands()...) })
	if err == nil {
		err = l.at.policy.Read(s.Real, s.Source())
	}
	if err == nil && env.Bindings != nil {
		err = l.at.policy.Read(filepath.Join(s.Dir, "bindings.json"), env.Bindings.Source)
	}
	if refused, ok := errors.AsType[*trust.NotTrusted](err); ok {
		env.Untrusted, err = refused.Error(), nil
	}
	return env, err
}

// vars returns the built-in variables that have a value here.
func (l *load) vars(s *skill.Skill, plugin string) map[string]string {
	effort := s.Front.Effort
	if effort == "" {
		effort = l.at.Env.Get("CLAUDE_EFFORT")
	}
	if effort == "" {
		effort = "medium"
	}
	vars := map[string]string{
		"CLAUDE_PROJECT_DIR": l.at.Project,
		// By its real path, so that no link leads from it to somewhere else.
		"CLAUDE_SKILL_DIR": filepath.Dir(s.Real),
		"CLAUDE_EFFORT":    effort,
	}
	for name, value := range map[string]string{
		"CLAUDE_SESSION_ID":  l.at.Session,
		"CLAUDE_PLUGIN_ROOT": plugin,
		"CLAUDE_PLUGIN_DATA": l.at.Env.Get("CLAUDE_PLUGIN_DATA"),
	} {
		if value != "" {
			vars[name] = value
		}
	}
	return vars
}

// shell runs the page's directives. What they start sees the same project,
// session and plugin, so that a nested skillhand does.
func (l *load) shell() *shell.Shell {
	env := l.at.Env.With("CLAUDE_PROJECT_DIR", l.at.Project)
	if l.at.Session != "" {
		env = env.With("CLAUDE_SESSION_ID", l.at.Session)
	}
	if l.at.PluginRoot != "" {
		env = env.With("CLAUDE_PLUGIN_ROOT", files.Real(l.at.PluginRoot))
	}
	sh := &shell.Shell{Builtins: l.at.rt.Builtins, Self: l.at.rt.Self, Dir: l.at.Dir, Env: env, Timeout: l.req.Timeout, MaxOutput: maxPrinted}
	if !l.at.policy.All {
		sh.MayRun = remembered(l.at.mayRun)
	}
	return sh
}

// remembered asks about each path once: a page names the same few over and over.
func remembered(ask func(path string) error) func(path string) error {
	var known sync.Map
	return func(path string) error {
		if answer, ok := known.Load(path); ok {
			err, _ := answer.(error)
			return err
		}
		err := ask(path)
		known.Store(path, err)
		return err
	}
}

// mayRun keeps the commands of a trusted skill from leading into a project that
// nobody trusted: what they run must itself be trusted, by its real path. What
// is in no project is the machine's.
func (e *environment) mayRun(path string) error {
	if !e.inProject(path) {
		return nil
	}
	return e.policy.Run(path)
}

// inProject reports whether a real path lies in the project that we are in, or
// in a repository.
func (e *environment) inProject(path string) bool {
	if e.policy.InProject(path) {
		return true
	}
	top := files.Top(path)
	return top != "" && !files.Inside(top, files.Real(e.Home)) // a home that is a repository is no project
}

// readReference returns the plugin's own text for later uses, if it has one.
func readReference(plugin string) string {
	file := filepath.Join(plugin, "skills", "reference.md")
	if !files.Inside(files.Real(plugin), files.Real(file)) {
		return ""
	}
	text, err := files.ReadFile(file)
	if err != nil {
		return "" // the built-in text says the same
	}
	return string(text)
}

// loadsItself reports whether a skill is only a stub that loads the same skill
// again: without a text of its own that would never end.
func loadsItself(s *skill.Skill) bool {
	all := s.Commands()
	if len(all) != 1 {
		return false
	}
	line, err := words.Parse(all[0])
	if err != nil {
		return false
	}
	found := false
	syntax.Walk(line, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			found = found || loads(call, s.Name)
		}
		return !found
	})
	return found
}

// loads reports whether a command is skillhand load of the named skill, or of the folder that the line is in.
func loads(call *syntax.CallExpr, name string) bool {
	var args []string
	for _, w := range call.Args {
		args = append(args, unquoted(w))
	}
	if len(args) > 0 && (args[0] == "exec" || args[0] == "command") {
		args = args[1:]
	}
	if len(args) < 3 || path.Base(args[0]) != "skillhand" || args[1] != "load" {
		return false
	}
	return slices.ContainsFunc(args[2:], func(w string) bool {
		return w == name || strings.HasSuffix(w, ":"+name) || strings.HasSuffix(w, "/"+name) || w == "${CLAUDE_SKILL_DIR}"
	})
}

// unquoted returns a word without its quotes, its variables as ${NAME}.
func unquoted(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range words.Pieces(w) {
		b.WriteString(p.Text)
		if v, ok := p.Node.(*syntax.ParamExp); ok && words.Plain(v) {
			b.WriteString("${" + v.Param.Value + "}")
		}
	}
	return b.String()
}
