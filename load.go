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

// A LoadRequest names a skill to load. Only Skill is required.
type LoadRequest struct {
	Skill string // a name, plugin:name, or the path of a folder or file
	Args  Args
	Agent string // the agent that reads the page; "" means the one a hook noted, else the main agent

	Use       Use    // which page; "" lets the session decide
	Exec      Exec   // where the output of directives comes from; "" runs them
	Recording string // a file with every directive's outcome: Run writes it, Replayed and Partial read it
	Strict    bool   // fail on a failed directive, broken YAML or an unclosed block
	Wrap      Wrap
	Timeout   time.Duration // for each directive; 0 means 120 seconds
	MaxOutput int           // the most characters of one directive's output; 0 means 30,000
}

// Use selects one of a skill's pages.
type Use string

// The pages of a skill.
const (
	BySession Use = ""          // the whole page at the first use in the session, the reference page later
	Full      Use = "full"      // the whole page, whatever the agent has seen
	Reference Use = "reference" // the page of a later use, whatever the agent has seen
)

// Exec says where the output of directives comes from. Only Run starts processes.
type Exec string

// The ways to get the output of directives.
const (
	Run       Exec = ""
	AsWritten Exec = "as written" // run nothing; directives stay as written
	Refused   Exec = "refused"    // replace each directive with an error, as in an untrusted folder
	Replayed  Exec = "replayed"   // take every outcome from Recording; a missing one fails the load
	Partial   Exec = "partial"    // as Replayed, but directives without an outcome stay as written; writes nothing to disk
)

// check reports a malformed request.
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

// A Page is a skill as the agent should read it. Deliver it with WriteTo or WriteJSON, or give it
// back with Close.
//
// skillhand load --json prints it: schemas/load-v1.schema.json.
type Page struct {
	Skill      string      `json:"skill"`
	File       string      `json:"file"`
	FirstUse   bool        `json:"first_use"`
	Text       string      `json:"text"`
	Directives []Directive `json:"directives"`
	Warnings   []string    `json:"warnings"`
	Withheld   string      `json:"-"` // the warning that no command ran because the skill is not trusted, or ""

	source *skill.Skill
	loc    skill.Location
	vars   map[string]string // the built-in variables
	claim  *session.Claim
	warn   func(string)
}

// WriteTo writes the page's text to w. The skill then counts as seen, if all of it was written.
func (p *Page) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, p.Text)
	return int64(n), p.delivered(err)
}

// WriteJSON writes the page to w as one line of JSON, and marks the skill as seen as WriteTo does.
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

// Close gives back a page that was not delivered, so that the skill does not count as seen. After
// a delivery it does nothing.
func (p *Page) Close() {
	if p.claim != nil {
		p.claim.Close()
		p.claim = nil
	}
}

// Failed lists the page's failures, one a line.
func (p *Page) Failed() []string {
	var all []string
	for _, d := range p.Directives {
		if d.Exit != 0 {
			all = append(all, fmt.Sprintf("%s:%d: exit status %d: %s", p.File, d.Line, d.Exit, d.Command))
		}
	}
	return all
}

// maxPrinted limits what one directive may print. All of it is kept in a file, so this also limits
// how much disk a runaway directive uses.
const maxPrinted = 128 << 20

// Load finds a skill and renders its page. If a directive fails under Strict, Load also returns
// the page without its text, to show what ran.
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

// A load is a request at work.
type load struct {
	req   LoadRequest
	at    *environment // folder, environment, policy
	noUse bool         // no agent in this session reads the page
}

// read reads the skill at a location. A SKILL.md that was named by its path and only loads its own
// skill stands for that skill.
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
	if note := l.at.hiddenNote(loc); note != "" {
		l.at.rt.warn(note)
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
	if l.at.Session == "" && !l.noUse && !s.Front.UserInvocable { // a person asks
		page.Warnings = append(page.Warnings, "Claude Code refuses /"+s.Name+": user-invocable is false, so only the model can use it")
	}
	// The file that was read, even if a link has changed since.
	page.loc = skill.Location{Name: loc.Name, File: s.Real, Folder: s.Dir, Command: loc.Command}
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

// hiddenNote says which file Claude Code loads under the name of a skill instead of it; "" if it loads the skill.
func (e *environment) hiddenNote(loc skill.Location) string {
	other := e.finder().HiddenInClaude(loc)
	if other == "" {
		return ""
	}
	return fmt.Sprintf("Claude Code does not load this skill: %s has the same name and comes first", other)
}

// render makes the whole page or the page of a later use.
func (l *load) render(ctx context.Context, s *skill.Skill, env render.Env) (*Page, error) {
	page := &Page{Skill: s.Name, File: s.File, Directives: []render.Directive{}, Warnings: []string{}, source: s, vars: env.Vars,
		warn: l.at.rt.warn}
	var odd []string
	if env.Untrusted == "" { // the agent must still get what was withheld now
		if claim, err := l.claim(s); err != nil {
			odd = append(odd, fmt.Sprintf("cannot tell what the session has seen, so the page has the whole text: %v", err))
		} else {
			page.claim = claim
		}
	}
	asked := l.req.Use == Reference
	env.Later = asked || page.claim != nil && page.claim.Seen && l.req.Use != Full
	text, trace, err := renderText(ctx, s, env)
	// A compaction that began in the meantime removed the text that the page refers to.
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
		page.Close() // the agent has not seen what it could not read
	}
	return page, nil
}

// hasError reports whether a directive failed, on this page or on one that a directive printed.
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

// claim begins a use of the skill in its session. There is no use, and the page has the whole
// text, without a session, if nothing runs, if the agent is not known for sure, and inside
// another page or script, which may do anything with the output.
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
		name = find.PluginName(l.at.PluginRoot) + ":" + name // the name by which an agent asks for it
	}
	claim, err := store.Claim(session.ID{Session: l.at.Session, Agent: reader.Agent}, name, s.Real, session.Hash(s.Source()))
	if err == nil && reader.Noted {
		attended := l.at.Env.Get("CLAUDE_CODE_SESSION_ATTENDED")
		claim.In(reader.Turn, attended != "" && attended != "0") // a person can rewind a session, but not claude -p
	}
	return claim, err
}

// reader finds out which agent reads the page. In Claude Code, hooks note which agent is about to
// load which skill. Without a note it could be any agent.
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

// renderEnv collects everything that the page depends on.
func (l *load) renderEnv(ctx context.Context, s *skill.Skill) (render.Env, error) {
	plugin := l.at.PluginRoot
	if plugin == "" {
		plugin = find.PluginOf(s.Dir)
	}
	plugin = files.Real(plugin) // use the folder that was judged, even if a link changes in the meantime
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

// vars returns the built-in variables that have a value.
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
		// The real path, so that no link in it can lead elsewhere.
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

// shell returns a runner for the page's directives. They see the same project, session and plugin,
// so a nested skillhand does too.
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

// remembered asks about each path only once, because a page names the same few again and again.
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

// mayRun keeps the commands of a trusted skill out of untrusted projects: the real path of
// whatever they run must be trusted too. Programs outside of projects belong to the machine.
func (e *environment) mayRun(path string) error {
	if !e.inProject(path) {
		return nil
	}
	return e.policy.Run(path)
}

// inProject reports whether a real path is in the current project or in a repository.
func (e *environment) inProject(path string) bool {
	if e.policy.InProject(path) {
		return true
	}
	top := files.Top(path)
	return top != "" && !files.Inside(top, files.Real(e.Home)) // a home folder that is a repository is not a project
}

// readReference returns the plugin's own text for later uses, or "".
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

// loadsItself reports whether a skill is only a stub that loads itself again, which would never
// end.
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

// loads reports whether a command is skillhand load of the named skill or of the line's folder.
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

// unquoted returns a word without quotes, with variables as ${NAME}.
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
