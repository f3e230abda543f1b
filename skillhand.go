// Package skillhand is the hand behind an agent's skills: it loads a skill as
// the agent should read it, live output included, and runs a skill's script and
// judges what it reports.
//
// Each job is a method of Runtime; the packages beneath are useful alone.
package skillhand

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/claudepage"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/render"
	"github.com/skillhand/skillhand/session"
	"github.com/skillhand/skillhand/shell"
	"github.com/skillhand/skillhand/skill"
	"github.com/skillhand/skillhand/trust"
)

// A Runtime is where skills are found and run. The zero value works in the
// caller's folder and environment.
type Runtime struct {
	Dir      string                // the working folder; "" means the caller's
	Env      []string              // nil means the caller's environment
	StateDir string                // "" means where the environment says: see StateDir
	Builtins map[string]shell.Func // what directives can call without starting a process
	Self     []string              // the command that runs a built-in in a process of its own: skillhand builtin
	TrustAll bool                  // run commands from anywhere; also set by SKILLHAND_TRUST=all
}

// A LoadRequest says which skill to load and how. Only Skill is required.
type LoadRequest struct {
	Skill      string // a name, plugin:name, or the path of a folder or file
	Args       render.Args
	Session    string // "" means none: then the text is always whole
	Agent      string // which agent reads the page; "" means what hooks noted, else the main one
	PluginRoot string // the plugin whose skills come first, and whose commands may run
	Project    string // the project to work in; "" means the one around the working folder

	Claude  bool // the page that Claude Code 2.1.325 would send, byte for byte
	ViaTool bool // with Claude: invoked by the model's Skill tool instead of a slash command

	Full      bool // the whole text, whatever the agent has seen
	Later     bool // the page of a later use, whatever the agent has seen
	Strict    bool // a directive that fails fails the load
	NoExec    bool // nothing runs, directives stay as written
	Wrap      render.Wrap
	Timeout   time.Duration // for each directive; 0 means 120 seconds
	MaxOutput int           // characters of one directive's output on the page; 0 means 30,000
	Record    string        // file to keep every directive's outcome in
	Replay    string        // file to take every directive's outcome from

	// Ask is called if commands would run from a folder that is not trusted. If
	// it says yes the folder is trusted from then on. nil means no.
	Ask func(dir string, commands []string) (bool, error)
}

// A Page is a skill as the agent should read it.
type Page struct {
	Skill    string
	File     string
	FirstUse bool
	Text     string
	render.Trace

	claim *session.Claim
}

// Commit says that the page was delivered: written out in full, without an
// error. Only then does the skill count as seen.
func (p *Page) Commit() error {
	if p.claim == nil {
		return nil
	}
	return p.claim.Commit()
}

// maxDepth bounds skills that load skills: a directive may call skillhand again.
const maxDepth = 8

// maxPrinted bounds what one directive may print. The whole of it is kept in a
// file, so it also bounds what a runaway one costs on disk.
const maxPrinted = 128 << 20

// depthVariable tells a nested skillhand how deep it is.
const depthVariable = "SKILLHAND_DEPTH"

// Load finds a skill and makes its page. On a failure of a directive under
// Strict the page is returned too, without text, for its trace.
func (rt *Runtime) Load(ctx context.Context, req LoadRequest) (*Page, error) {
	l, err := rt.newLoad(req)
	if err != nil {
		return nil, err
	}
	if req.Claude {
		return l.claude(ctx)
	}
	loc, err := l.finder.Find(req.Skill)
	if err != nil {
		return nil, err
	}
	s, err := skill.Read(loc)
	if err != nil {
		return nil, err
	}
	if loadsItself(s) {
		return nil, fmt.Errorf("%s: its only directive loads %s, which is this file again: put the text into %s", s.File, s.Name, filepath.Join(filepath.Dir(s.File), "first-use.md"))
	}
	env, err := l.renderEnv(s, loc)
	if err != nil {
		return nil, err
	}
	page := &Page{Skill: s.Name, File: s.File}
	if env.Untrusted == "" { // what was withheld now must come later
		page.claim = l.claim(s)
	}
	env.Later = req.Later || page.claim != nil && page.claim.Seen && !req.Full
	page.FirstUse = !env.Later
	var text bytes.Buffer
	page.Trace, err = render.Page(ctx, &text, s, env)
	if err != nil {
		return page, err
	}
	if env.Record != nil {
		if err := env.Record.Write(req.Record); err != nil {
			return page, fmt.Errorf("%s: %w", req.Record, cause(err))
		}
	}
	page.Text = text.String()
	return page, nil
}

// A load is one request with its defaults filled in.
type load struct {
	LoadRequest
	*job
}

func (rt *Runtime) newLoad(req LoadRequest) (*load, error) {
	j, err := rt.newJob(req.Skill, req.Project, req.PluginRoot, req.Ask)
	if err != nil {
		return nil, err
	}
	req.PluginRoot = j.plugin
	return &load{LoadRequest: req, job: j}, nil
}

// A job is what every request starts from: the runtime with its defaults filled in.
type job struct {
	rt     *Runtime
	env    []string
	dir    string
	home   string
	state  string
	plugin string // the plugin's root, if one was named
	finder skill.Finder
	store  trust.Store
	ask    func(dir string, commands []string) (bool, error)
}

func (rt *Runtime) newJob(name, project, plugin string, ask func(string, []string) (bool, error)) (*job, error) {
	j := &job{rt: rt, env: rt.Env, dir: rt.Dir, state: rt.StateDir, plugin: plugin, ask: ask}
	if j.env == nil {
		j.env = os.Environ()
	}
	depth, _ := strconv.Atoi(getenv(j.env, depthVariable))
	if depth >= maxDepth {
		return nil, fmt.Errorf("%s: skills load each other %d deep: stopped", name, depth)
	}
	var err error
	if j.dir, err = filepath.Abs(j.dir); err != nil {
		return nil, err
	}
	here := j.dir // a relative path is the caller's, whatever the project
	if project != "" {
		j.dir = in(here, project)
	}
	if info, err := os.Stat(j.dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: not a folder", j.dir)
	}
	if plugin != "" {
		j.plugin = in(here, plugin)
		if info, err := os.Stat(j.plugin); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s: the plugin root is not a folder", j.plugin)
		}
	}
	if j.state == "" {
		j.state = StateDir(j.env)
	}
	j.home = home(j.env)
	j.env = setenv(j.env, depthVariable, strconv.Itoa(depth+1))
	j.finder = skill.Finder{PluginRoot: j.plugin, Dir: j.dir, Here: here, Home: j.home}
	j.store = trust.Store{Dir: filepath.Join(j.state, "trust")}
	return j, nil
}

// claim begins a use of the skill in its session. Without a session, without
// running anything, and where the agent is not known for sure, there is none,
// and the page has the whole text.
func (l *load) claim(s *skill.Skill) *session.Claim {
	if l.Session == "" || l.NoExec || l.Replay != "" || l.Later {
		return nil
	}
	store := session.Store{Dir: filepath.Join(l.state, "sessions")}
	agent, known, err := l.reader(store, s.Name)
	if err == nil && !known {
		return nil
	}
	var claim *session.Claim
	if err == nil {
		var source strings.Builder
		for _, p := range s.Parts {
			source.WriteString(p.Source)
		}
		file, rerr := filepath.EvalSymlinks(s.File)
		if rerr != nil {
			file = s.File
		}
		name := s.Name
		if l.PluginRoot != "" && skill.Inside(real(l.PluginRoot), file) {
			name = skill.PluginName(l.PluginRoot) + ":" + name // as an agent would ask for it
		}
		claim, err = store.Claim(session.ID{Session: l.Session, Agent: agent}, name, file, session.Hash([]byte(source.String())))
	}
	if err != nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("what the session has seen is not known, so the text is whole: %v", err))
		return nil
	}
	return claim
}

// reader finds out which agent reads the page. Inside Claude Code the hooks
// note who is about to load what; without a note it could be any of them.
func (l *load) reader(store session.Store, name string) (agent string, known bool, err error) {
	if l.Agent != "" {
		return l.Agent, true, store.Take(session.ID{Session: l.Session, Agent: l.Agent}, name)
	}
	w, err := store.Taken(l.Session, name)
	if err != nil || w.Noted {
		return w.Agent, w.Known, err
	}
	return "", getenv(l.env, "CLAUDECODE") == "", nil
}

// renderEnv gathers what the page depends on.
func (l *load) renderEnv(s *skill.Skill, loc skill.Location) (render.Env, error) {
	plugin := l.PluginRoot
	if plugin == "" {
		plugin = pluginOf(real(loc.Folder))
	}
	env := render.Env{
		Vars: l.vars(s, plugin), Args: l.Args, Shell: l.shell(),
		Wrap: l.Wrap, Strict: l.Strict, NoExec: l.NoExec,
		MaxOutput: l.MaxOutput, OutputDir: filepath.Join(l.state, "output"),
	}
	if plugin != "" && l.mayRun(plugin) {
		env.Reference = readReference(plugin)
		env.Shell.Launchers = []string{filepath.Join(plugin, "hooks", "bin"), filepath.Join(plugin, "bin")}
	}
	var err error
	if env.Bindings, err = render.ReadBindings(filepath.Join(filepath.Dir(s.File), "bindings.json")); err != nil {
		return env, err
	}
	if l.Replay != "" {
		if env.Replay, err = render.ReadRecording(l.Replay); err != nil {
			return env, err
		}
		return env, env.Replay.Fits(s.Name, redact.New(l.env).Text(l.Args.Raw))
	}
	if l.Record != "" {
		env.Record = &render.Recording{}
	}
	if l.NoExec {
		return env, nil
	}
	env.Untrusted, err = l.untrusted(loc.File, func() []string { return append(commands(s), env.Bindings.Commands()...) })
	return env, err
}

// untrusted returns the folder that the user would have to trust before the
// commands of file may run, or "" if they may.
func (j *job) untrusted(file string, list func() []string) (dir string, err error) {
	if j.mayRun(file) {
		return "", nil
	}
	commands := list()
	if len(commands) == 0 {
		return "", nil
	}
	place := Place(file)
	if j.ask == nil {
		return place, nil
	}
	yes, err := j.ask(place, commands)
	if err != nil || !yes {
		return place, err
	}
	_, err = j.store.Trust(place)
	return "", err
}

// mayRun reports whether what is at path lies where commands may run.
func (j *job) mayRun(path string) bool {
	if j.rt.TrustAll || getenv(j.env, "SKILLHAND_TRUST") == "all" {
		return true
	}
	own := j.finder.UserRoots()
	if j.plugin != "" {
		own = append(own, j.plugin)
	}
	return j.store.Trusted(path, own...)
}

// real returns where a path really leads.
func real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// Place returns the folder that must be trusted for a skill's file, or a
// script, to run: the repository it is really in, else the project or plugin
// around it, else its own folder.
func Place(file string) string {
	folder := filepath.Dir(real(file))
	if top := skill.Top(folder); top != "" {
		return top
	}
	of := folder
	if filepath.Base(of) == "scripts" {
		of = filepath.Dir(of) // a skill's scripts belong to it
	}
	if plugin := pluginOf(of); plugin != "" {
		return plugin
	}
	skills := filepath.Dir(of)
	if around := filepath.Dir(skills); filepath.Base(skills) == "skills" && (filepath.Base(around) == ".claude" || filepath.Base(around) == ".agents") {
		return filepath.Dir(around)
	}
	return folder
}

// pluginOf returns the plugin that a skill's folder belongs to, or "". It is no
// plugin merely because one is somewhere above.
func pluginOf(folder string) string {
	skills := filepath.Dir(folder)
	root := filepath.Dir(skills)
	if filepath.Base(skills) != "skills" {
		return ""
	}
	if info, err := os.Stat(filepath.Join(root, ".claude-plugin", "plugin.json")); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return root
}

// vars are the built-in variables that have a value here.
func (l *load) vars(s *skill.Skill, plugin string) map[string]string {
	effort := s.Front.Effort
	if effort == "" {
		effort = getenv(l.env, "CLAUDE_EFFORT")
	}
	if effort == "" {
		effort = "medium"
	}
	vars := map[string]string{
		"CLAUDE_PROJECT_DIR": l.project(),
		"CLAUDE_SKILL_DIR":   filepath.Dir(s.File),
		"CLAUDE_EFFORT":      effort,
	}
	for name, value := range map[string]string{
		"CLAUDE_SESSION_ID":  l.Session,
		"CLAUDE_PLUGIN_ROOT": plugin,
		"CLAUDE_PLUGIN_DATA": getenv(l.env, "CLAUDE_PLUGIN_DATA"),
	} {
		if value != "" {
			vars[name] = value
		}
	}
	return vars
}

// project is the folder that ${CLAUDE_PROJECT_DIR} stands for.
func (l *load) project() string {
	if l.Project != "" {
		return l.dir
	}
	if dir := getenv(l.env, "CLAUDE_PROJECT_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	if top := skill.Top(l.dir); top != "" {
		return top
	}
	return l.dir
}

// shell runs the page's directives. What they start sees the same project,
// session and plugin, so that a nested skillhand does.
func (l *load) shell() *shell.Shell {
	env := setenv(l.env, "CLAUDE_PROJECT_DIR", l.project())
	if l.Session != "" {
		env = setenv(env, "CLAUDE_SESSION_ID", l.Session)
	}
	if l.PluginRoot != "" { // one that was not named is not trusted, here or below
		env = setenv(env, "CLAUDE_PLUGIN_ROOT", l.PluginRoot)
	}
	return &shell.Shell{Builtins: l.rt.Builtins, Self: l.rt.Self, Dir: l.dir, Env: env, Timeout: l.Timeout, MaxOutput: maxPrinted}
}

// readReference returns the plugin's own text for later uses, if it has one.
func readReference(plugin string) string {
	if plugin == "" {
		return ""
	}
	file := filepath.Join(plugin, "skills", "reference.md")
	if !skill.Inside(real(plugin), real(file)) {
		return ""
	}
	text, err := skill.ReadFile(file)
	if err != nil {
		return "" // the built-in text says the same
	}
	return string(text)
}

// commands lists what a skill's directives would run, for people to look at.
func commands(s *skill.Skill) []string {
	var all []string
	for _, p := range s.Parts {
		if p.Kind != skill.Directive {
			continue
		}
		var b strings.Builder
		for _, c := range p.Command {
			b.WriteString(c.Source)
		}
		all = append(all, strings.TrimSpace(b.String()))
	}
	return all
}

// loadsItself reports whether a skill is only a stub that loads the same skill
// again: without a text of its own that would never end.
func loadsItself(s *skill.Skill) bool {
	all := commands(s)
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

// claude makes the page that Claude Code itself would send.
func (l *load) claude(ctx context.Context) (*Page, error) {
	req := claudepage.Request{
		Name: l.Skill, Args: l.Args.Raw, Tool: l.ViaTool,
		Project: l.dir, Home: l.home, PluginRoot: l.PluginRoot, PluginData: getenv(l.env, "CLAUDE_PLUGIN_DATA"),
		Session: l.Session, Effort: getenv(l.env, "CLAUDE_EFFORT"), Env: l.env, Timeout: l.Timeout,
		Clean:  redact.New(l.env).Writer,
		Claude: getenv(l.env, "SKILLHAND_CLAUDE"), OutputDir: filepath.Join(l.state, "output"),
	}
	if req.Session == "" {
		req.Session = newSession()
	}
	s, err := claudepage.Find(req)
	if err != nil {
		return nil, err
	}
	directives, err := s.Directives(req)
	if err != nil {
		return nil, err
	}
	var warnings []string
	if l.NoExec {
		req.NoRun = func(directive string) string { return directive }
	} else {
		place, err := l.untrusted(s.File, func() (all []string) {
			for _, d := range directives {
				all = append(all, d.Command)
			}
			return all
		})
		if err != nil {
			return nil, err
		}
		if place != "" && l.Strict {
			return nil, fmt.Errorf("%s:%d: %s", s.File, directives[0].Line, render.NotTrusted(place))
		}
		if place != "" {
			warnings = append(warnings, fmt.Sprintf("%s:%d: %s", s.File, directives[0].Line, render.NotTrusted(place)))
			req.NoRun = func(string) string { return "<error>" + render.NotTrusted(place) + "</error>" }
		}
	}
	sent, err := s.Render(ctx, req)
	if err != nil {
		return nil, err
	}
	page := &Page{Skill: s.Name, File: s.File, FirstUse: true, Text: sent.Text}
	page.Warnings = warnings
	for _, d := range sent.Directives {
		how := shell.Bash
		if req.NoRun != nil {
			how = shell.Nowhere
		}
		page.Directives = append(page.Directives, render.Directive{Command: d.Command, Line: d.Line, How: how, Exit: d.Exit, Duration: d.Duration, Bytes: d.Bytes})
	}
	return page, nil
}

// newSession makes an id such as Claude Code gives to a new session, which always has one.
func newSession() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// StateDir is where an environment says that skillhand keeps its state. It is
// never below the working folder by accident: without a home it is nowhere.
func StateDir(env []string) string {
	if dir := getenv(env, "SKILLHAND_STATE_DIR"); dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
	}
	if dir := getenv(env, "XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "skillhand")
	}
	if home := home(env); home != "" {
		return filepath.Join(home, ".local", "state", "skillhand")
	}
	return filepath.Join(os.DevNull, "no-home-folder")
}

// home is the user's home, or "" if the environment names none. A relative one
// would be the project's to choose.
func home(env []string) string {
	if dir := getenv(env, "HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return ""
}

func getenv(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v // the last one counts, as in os/exec
		}
	}
	return value
}

func setenv(env []string, name, value string) []string {
	kept := slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	return append(kept, name+"="+value)
}

// cause is what a path error is about, without the temporary name in it.
func cause(err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		return pathErr.Err
	case errors.As(err, &linkErr):
		return linkErr.Err
	}
	return err
}
