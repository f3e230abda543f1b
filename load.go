package skillhand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/skillhand/skillhand/internal/cause"
	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/render"
	"github.com/skillhand/skillhand/session"
	"github.com/skillhand/skillhand/shell"
	"github.com/skillhand/skillhand/skill"
	"github.com/skillhand/skillhand/trust"
)

// A LoadRequest says which skill to load and how. Only Skill is required.
type LoadRequest struct {
	Skill string // a name, plugin:name, or the path of a folder or file
	Args  render.Args
	Agent string // which agent reads the page; "" means what hooks noted, else the main one

	Full      bool // the whole text, whatever the agent has seen
	Later     bool // the page of a later use, whatever the agent has seen
	Strict    bool // a directive that fails, broken YAML or an unclosed block fails the load
	NoExec    bool // nothing runs, directives stay as written
	Refused   bool // nothing runs, and the page is that of a folder that is not trusted: errors in the place of directives
	Wrap      render.Wrap
	Timeout   time.Duration // for each directive; 0 means 120 seconds
	MaxOutput int           // characters of one directive's output on the page; 0 means 30,000
	Record    string        // file to keep every directive's outcome in
	Replay    string        // file to take every directive's outcome from
	Partial   bool          // with Replay, for a look: a directive without an outcome stays as written, and nothing is written to disk
}

// A Page is a skill as the agent should read it. Deliver it with WriteTo or
// WriteJSON, or give it back with Close.
//
// As JSON it is what skillhand load --json prints: schemas/load-v1.schema.json.
type Page struct {
	Skill      string             `json:"skill"`
	File       string             `json:"file"`
	FirstUse   bool               `json:"first_use"`
	Text       string             `json:"text"`
	Directives []render.Directive `json:"directives"`
	Warnings   []string           `json:"warnings"`

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
	p, err := rt.at(req.Skill)
	if err != nil {
		return nil, err
	}
	return (&load{LoadRequest: req, place: p}).page(ctx)
}

// A load is one request at its place.
type load struct {
	LoadRequest
	*place
	noUse bool // nobody in this session reads the page
}

func (l *load) page(ctx context.Context) (*Page, error) {
	found, err := l.finder().Look(l.Skill)
	if err != nil {
		return nil, err
	}
	loc := found.Location
	if note := found.Note(); note != "" {
		l.warn(note)
	}
	s, err := skill.Read(loc)
	if err != nil {
		return nil, err
	}
	if loadsItself(s) {
		return nil, fmt.Errorf("%s: its only directive loads %s, which is this file: put the text in %s", s.File, s.Name, filepath.Join(filepath.Dir(s.File), "first-use.md"))
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
		if err := env.Record.Write(l.Record); err != nil {
			page.Close()
			return page, fmt.Errorf("%s: %w", l.Record, cause.Of(err))
		}
	}
	return page, nil
}

// render makes the page, the whole of it or that of a later use.
func (l *load) render(ctx context.Context, s *skill.Skill, env render.Env) (*Page, error) {
	page := &Page{Skill: s.Name, File: s.File, Directives: []render.Directive{}, Warnings: []string{}, source: s, vars: env.Vars, warn: l.warn}
	var odd []string
	if env.Untrusted == "" { // what was withheld now must come later
		if claim, err := l.claim(s); err != nil {
			odd = append(odd, fmt.Sprintf("cannot tell what the session has seen, so the page has the whole text: %v", err))
		} else {
			page.claim = claim
		}
	}
	env.Later = l.Later || page.claim != nil && page.claim.Seen && !l.Full
	text, trace, err := renderText(ctx, s, env)
	// A compaction that began meanwhile has taken away what the page refers to.
	if err == nil && env.Later && !l.Later && !page.claim.StillSeen() {
		env.Later = false
		text, trace, err = renderText(ctx, s, env)
	}
	page.FirstUse = !env.Later
	page.Directives = append(page.Directives, trace.Directives...)
	page.Warnings = append(append(page.Warnings, odd...), trace.Warnings...)
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
	if l.Session == "" || l.depth > 0 || l.noUse || l.NoExec || l.Replay != "" || l.Later {
		return nil, nil
	}
	store := l.Sessions()
	reader, err := l.reader(store, s.Name)
	if err != nil || !reader.Known {
		return nil, err
	}
	name := s.Name
	if l.PluginRoot != "" && paths.Inside(paths.Real(l.PluginRoot), s.Real) {
		name = skill.PluginName(l.PluginRoot) + ":" + name // as an agent would ask for it
	}
	claim, err := store.Claim(session.ID{Session: l.Session, Agent: reader.Agent}, name, s.Real, session.Hash(s.Source()))
	if err == nil && reader.Noted {
		attended := l.Env.Get("CLAUDE_CODE_SESSION_ATTENDED")
		claim.In(reader.Turn, attended != "" && attended != "0") // a person can rewind; nobody can in claude -p
	}
	return claim, err
}

// reader finds out which agent reads the page. Inside Claude Code the hooks
// note who is about to load what; without a note it could be any of them.
func (l *load) reader(store session.Store, name string) (session.Waiting, error) {
	if l.Agent != "" {
		return session.Waiting{Agent: l.Agent, Known: true}, store.Take(session.ID{Session: l.Session, Agent: l.Agent}, name)
	}
	w, err := store.Taken(l.Session, name)
	if err == nil && !w.Noted {
		w = session.Waiting{Known: l.Env.Get("CLAUDECODE") == ""}
	}
	return w, err
}

// renderEnv gathers what the page depends on.
func (l *load) renderEnv(ctx context.Context, s *skill.Skill) (render.Env, error) {
	plugin := l.PluginRoot
	if plugin == "" {
		plugin = skill.PluginOf(s.Dir)
	}
	plugin = paths.Real(plugin) // what is judged is what is used, whatever becomes of a link meanwhile
	if l.Wrap == "" {
		l.Wrap = render.Wrap(l.config().Wrap)
	}
	env := render.Env{
		Vars: l.vars(s, plugin), Args: l.Args, Shell: l.shell(),
		Wrap: l.Wrap, Strict: l.Strict, NoExec: l.NoExec,
		MaxOutput: l.MaxOutput, OutputDir: l.OutputDir(),
	}
	if plugin != "" && l.policy.May(plugin) == nil {
		env.Reference = readReference(plugin)
		env.Shell.Launchers = []string{filepath.Join(plugin, "hooks", "bin"), filepath.Join(plugin, "bin")}
	}
	var err error
	if env.Bindings, err = render.ReadBindings(filepath.Join(s.Dir, "bindings.json")); err != nil {
		return env, err
	}
	if l.Replay != "" {
		if env.Replay, err = render.ReadRecording(l.Replay); err != nil {
			return env, err
		}
		env.Replay.Partial = l.Partial
		return env, env.Replay.Fits(s.Name, l.hide.Text(l.Args.Raw))
	}
	if l.Record != "" {
		env.Record = &render.Recording{}
	}
	if l.Refused {
		env.Untrusted = (&trust.NotTrusted{Dir: trust.Place(s.Real)}).Error()
		if err := l.policy.May(s.Real); err != nil {
			env.Untrusted = err.Error()
		}
		return env, nil
	}
	if l.NoExec {
		return env, nil
	}
	err = l.policy.Allow(ctx, s.Real, func() []string { return append(s.Commands(), env.Bindings.Commands()...) })
	if err == nil {
		err = l.policy.Read(s.Real, s.Source())
	}
	if err == nil && env.Bindings != nil {
		err = l.policy.Read(filepath.Join(s.Dir, "bindings.json"), env.Bindings.Source)
	}
	if refused, ok := errors.AsType[*trust.NotTrusted](err); ok {
		env.Untrusted, err = refused.Error(), nil
	}
	return env, err
}

// vars are the built-in variables that have a value here.
func (l *load) vars(s *skill.Skill, plugin string) map[string]string {
	effort := s.Front.Effort
	if effort == "" {
		effort = l.Env.Get("CLAUDE_EFFORT")
	}
	if effort == "" {
		effort = "medium"
	}
	vars := map[string]string{
		"CLAUDE_PROJECT_DIR": l.Project,
		// By its real path, so that no link leads from it to somewhere else.
		"CLAUDE_SKILL_DIR": filepath.Dir(s.Real),
		"CLAUDE_EFFORT":    effort,
	}
	for name, value := range map[string]string{
		"CLAUDE_SESSION_ID":  l.Session,
		"CLAUDE_PLUGIN_ROOT": plugin,
		"CLAUDE_PLUGIN_DATA": l.Env.Get("CLAUDE_PLUGIN_DATA"),
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
	env := l.Env.With("CLAUDE_PROJECT_DIR", l.Project)
	if l.Session != "" {
		env = env.With("CLAUDE_SESSION_ID", l.Session)
	}
	if l.PluginRoot != "" {
		env = env.With("CLAUDE_PLUGIN_ROOT", paths.Real(l.PluginRoot))
	}
	sh := &shell.Shell{Builtins: l.Builtins, Self: l.Self, Dir: l.Dir, Env: env, Timeout: l.Timeout, MaxOutput: maxPrinted}
	if !l.policy.All {
		sh.MayRun = remembered(l.mayRun)
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
func (p *place) mayRun(path string) error {
	if !p.inProject(path) {
		return nil
	}
	return p.policy.Run(path)
}

// inProject reports whether a real path lies in the project that we are in, or
// in a repository.
func (p *place) inProject(path string) bool {
	if p.policy.InProject(path) {
		return true
	}
	top := paths.Top(path)
	return top != "" && !paths.Inside(top, paths.Real(p.Home)) // a home that is a repository is no project
}

// readReference returns the plugin's own text for later uses, if it has one.
func readReference(plugin string) string {
	file := filepath.Join(plugin, "skills", "reference.md")
	if !paths.Inside(paths.Real(plugin), paths.Real(file)) {
		return ""
	}
	text, err := skill.ReadFile(file)
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
	words := strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(all[0]))
	for i := 0; i+1 < len(words); i++ {
		if filepath.Base(words[i]) != "skillhand" || words[i+1] != "load" {
			continue
		}
		return slices.ContainsFunc(words[i+2:], func(w string) bool {
			return w == s.Name || strings.HasSuffix(w, ":"+s.Name) || strings.HasSuffix(w, "/"+s.Name) || w == "${CLAUDE_SKILL_DIR}"
		})
	}
	return false
}
