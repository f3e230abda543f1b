// Package claudepage answers one question: what would Claude Code send for this skill?
//
// It follows the version that Version names byte for byte, odd corners and failures included, so
// that authors can see and test a skill outside a session. How the program behaves was learnt by
// running it against a recorder; testdata holds the recordings, and every rule here is one that
// they show.
//
// Arguments are pasted into commands as they are, because Claude Code does that, and a command runs
// only if Claude Code would run that very line. A caller that renders a page for a model should use
// package render, which pastes nothing.
package claudepage

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/proc"
)

// A Request is one use of a skill or command, as Claude Code sees it. Only Name is required.
type Request struct {
	Name string // as typed: s, plug:s, sub:c, /s; or a path to a skill's folder or to a file
	Args string // what follows the name, as one string
	Tool bool   // Claude invokes it with the Skill tool; otherwise a user typed /name

	Project    string // the working folder; "" means the caller's
	Home       string // "" means the user's
	PluginRoot string // a plugin's folder, as for claude --plugin-dir; "" means none
	PluginData string // "" means where Claude Code keeps the data of such a plugin
	Session    string // the session's id
	Effort     string // the session's effort level; "" means medium

	Env       []string      // the environment of commands, before what Claude Code adds; nil means the caller's
	Timeout   time.Duration // for each command; 0 means what Env says, else two minutes
	Claude    string        // the claude program, which brings its own grep, find and rg; "" means the machine's
	OutputDir string        // where output too large for the page is saved; "" means a new temporary folder

	// Clean, if set, passes on what commands write without what must not be shown.
	Clean func(io.Writer) io.WriteCloser

	Mode    string // the permission mode, one of claudecode.Modes; "" means what the user's settings say, else default
	Trusted bool   // arguments may change what a command is made of

	// NoRun, if set, gives the text that stands in for a directive, which is then not run.
	NoRun func(directive string) string

	// Run runs a command; nil means proc.Run.
	Run func(context.Context, proc.Cmd) (proc.Result, error)
}

// A Page is what Claude Code sends for a skill.
type Page struct {
	Text       string
	Directives []Directive // in the order in which Claude Code starts them

	before string // what stands before all else
}

// A Directive is a command in a page.
type Directive struct {
	Source  string // as it stands in the page, arguments filled in
	Command string
	Line    int // in the skill's file, if no argument before it has lines of its own

	Deferred bool // it did not run: the page tells the model to run it

	Exit     int           // meaningful if the command ran
	Duration time.Duration // 0 if it did not run
	Bytes    int64         // how much it wrote
}

// A Failure is an error with which Claude Code itself would end the invocation. Its text is Claude
// Code's own. Any other error means that we could not find out.
type Failure struct {
	Message string
}

func (f *Failure) Error() string { return f.Message }

// Render finds the skill that r names and renders it.
func Render(ctx context.Context, r Request) (*Page, error) {
	s, err := Find(r)
	if err != nil {
		return nil, err
	}
	return s.Render(ctx, r)
}

// Render returns the page for s, after running its directives.
func (s *Skill) Render(ctx context.Context, r Request) (*Page, error) {
	if err := r.complete(); err != nil {
		return nil, err
	}
	page := s.plan(r)
	set := readSettings(r)
	if set.NoSkillShell() {
		page = &Page{Text: withoutCommands(page.Text)}
	}
	r.Env = append(slices.Clone(r.Env), settingsEnv(set, r, s)...)
	if r.NoRun != nil {
		for _, d := range page.Directives {
			page.Text = splice(page.Text, d.Source, r.NoRun(d.Source))
		}
	} else if err := s.execute(ctx, page, r, set); err != nil {
		return nil, err
	}
	page.Text = page.before + s.header() + page.Text
	return page, nil
}

// execute runs the directives that Claude Code would run.
func (s *Skill) execute(ctx context.Context, page *Page, r Request, set *settings.Settings) error {
	if err := s.checkCommands(page.Directives); err != nil {
		return err
	}
	if err := s.permit(page, r, set); err != nil {
		return err
	}
	return page.run(ctx, r)
}

// Directives returns the commands that Render would run for r.
func (s *Skill) Directives(r Request) ([]Directive, error) {
	if err := r.complete(); err != nil {
		return nil, err
	}
	return s.plan(r).Directives, nil
}

// plan returns the page before anything has run.
func (s *Skill) plan(r Request) *Page {
	page := &Page{Text: s.expand(r)}
	page.Directives = scan(page.Text)
	for i := range page.Directives {
		page.Directives[i].Line += s.bodyLine - 1
	}
	return page
}
