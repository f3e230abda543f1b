// Package render answers one question: what page should the agent read? It fills in variables, runs
// directives, and wraps their output.
package render

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/skill"
)

// An Env holds everything that a page depends on besides the skill itself.
type Env struct {
	Vars      map[string]string // the built-in variables that have a value
	Args      Args
	Shell     *shell.Shell // runs directives and bindings
	Bindings  *Bindings    // the skill's bindings.json, or nil
	Later     bool         // a later use: the reference text and fresh output, not the instructions again
	Reference string       // the first text of a later use; "" means the built-in one

	Wrap      Wrap
	Strict    bool   // a failed directive, broken YAML or an unclosed block fails the page
	NoExec    bool   // run nothing; directives and bindings stay as written
	Untrusted string // why nothing may run and what to do, or ""; each directive becomes an <error> with this text
	MaxOutput int    // the most characters of one directive's output; 0 means 30,000
	OutputDir string // the folder for longer output; "" means the system's temporary folder

	Record *Recording // if set, gets every outcome
	Replay *Recording // if set, has every outcome, and nothing runs
}

// Wrap says which directives get <skill-output> around their output.
type Wrap string

// The values of Wrap.
const (
	WrapAuto   Wrap = "" // directives with a line of their own
	WrapAlways Wrap = "always"
	WrapNever  Wrap = "never"
)

// A Trace says what happened while a page was rendered.
type Trace struct {
	Directives []Directive
	Warnings   []string
	Withheld   string // the warning that nothing ran although something should have, or ""
}

// A Directive is the outcome of one directive.
type Directive struct {
	Command    string    `json:"command"`
	Line       int       `json:"line"`
	How        shell.How `json:"how"` // "" if it did not run
	Exit       int       `json:"exit"`
	DurationMS float64   `json:"duration_ms"`
	Bytes      int64     `json:"bytes"` // the size of its output, both streams

	Offset     int `json:"-"` // of the directive in the file
	Start, End int `json:"-"` // of its replacement on the page; equal if there is no page
}

// concurrent limits how many commands of a page, directives or bindings, run at once.
const concurrent = 16

// Page writes the page for s. It writes nothing if there is an error.
func Page(ctx context.Context, w io.Writer, s *skill.Skill, env Env) (Trace, error) {
	r := &renderer{skill: s, env: env, slots: make(chan struct{}, concurrent), shown: make([]bool, len(env.Args.Words))}
	if env.Shell != nil && env.Shell.Env != nil {
		r.redact = redact.New(env.Shell.Env)
	} else {
		r.redact = redact.New(os.Environ())
	}
	for _, n := range s.Notes {
		r.warnings = append(r.warnings, s.Say(n))
	}
	if env.Replay != nil {
		env.Replay.restore(env.Vars)
	}
	parts, err := r.plan()
	if err == nil {
		err = r.strict()
	}
	if err == nil {
		err = r.bind(ctx, parts)
	}
	if err == nil {
		err = r.run(ctx, parts)
	}
	if err != nil {
		return r.trace(parts), err
	}
	text := r.join(parts)
	_, err = io.WriteString(w, text)
	return r.trace(parts), err
}

// strict fails a page under Strict if its text is not what its author meant. (An unclosed section
// fails every page.)
func (r *renderer) strict() error {
	if !r.env.Strict {
		return nil
	}
	var faults []error
	for _, n := range r.skill.Notes {
		if n.Strict() {
			faults = append(faults, errors.New(r.skill.Say(n)))
		}
	}
	return errors.Join(faults...)
}

type renderer struct {
	skill    *skill.Skill
	env      Env
	redact   *redact.Redactor
	bound    map[string]string // the outputs of bindings
	took     bool              // a placeholder showed arguments
	shown    []bool            // which arguments were shown
	slots    chan struct{}     // one entry for each command that runs
	mu       sync.Mutex
	warnings []string
	withheld string // see Trace
}

// A planned part of the page is one of the skill's parts, or our own text.
type planned struct {
	part       skill.Part
	inOutput   bool
	task       *task // for a directive
	start, end int   // its place on the page
}

func (r *renderer) warn(format string, a ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.warnings = append(r.warnings, fmt.Sprintf(format, a...))
}

// reference is the first text of a later use if the plugin has no text of its own. It is a prompt:
// agents looped when it asked them to load the skill again.
const reference = "The instructions of this skill were loaded earlier in this session and still hold. " +
	"What follows is fresh data for them, not new instructions."

// plan decides which parts make up the page.
func (r *renderer) plan() ([]*planned, error) {
	sections, err := r.skill.Sections()
	if err != nil {
		return nil, err
	}
	sectioned := sections.Skill.Exists() || sections.Output.Exists()
	var parts []*planned
	for i, p := range r.skill.Parts {
		part := &planned{part: p, inOutput: sections.Output.Has(i)}
		switch {
		case p.Kind == skill.Header:
			continue
		case r.env.Later && sectioned && !part.inOutput && !(p.Kind == skill.Tag && p.Tag == "output"):
			continue
		}
		parts = append(parts, part)
	}
	if r.env.Later {
		if !sectioned {
			parts = r.freshLines(parts)
		}
		return r.later(parts), nil
	}
	return r.trimStart(parts), nil
}

// freshLines returns the parts of a later use of a skill without sections: every directive and every
// bound variable, inline ones with their line.
func (r *renderer) freshLines(parts []*planned) []*planned {
	var fresh, line []*planned
	alone, inline := false, false
	end := func() {
		if alone || inline {
			fresh = append(fresh, line...)
			fresh = append(fresh, plain("\n"))
		}
		line, alone, inline = nil, false, false
	}
	for _, p := range parts {
		switch {
		case p.part.Kind == skill.Directive && p.part.Alone:
			line, alone = []*planned{p}, true // only white space is beside it
		case p.part.Kind == skill.Text:
			for text := range strings.Lines(p.part.Source) {
				if trimmed := strings.TrimRight(text, "\r\n"); !alone && trimmed != "" {
					line = append(line, plain(trimmed))
				}
				if strings.HasSuffix(text, "\n") {
					end()
				}
			}
		case !alone:
			inline = inline || p.part.Kind == skill.Directive ||
				p.part.Kind == skill.Variable && p.part.Braced && !p.part.Escaped && r.env.Bindings.has(p.part.Name)
			line = append(line, p)
		}
	}
	end()
	return fresh
}

// later puts the reference text before the fresh parts.
func (r *renderer) later(parts []*planned) []*planned {
	text := strings.TrimRight(r.env.Reference, "\r\n")
	if text == "" {
		text = reference
	}
	page := []*planned{plain(text + "\n")}
	if len(parts) > 0 {
		page = append(page, plain("\n"))
	}
	return append(page, parts...)
}

func plain(text string) *planned {
	return &planned{part: skill.Part{Kind: skill.Text, Source: text}}
}

// trimStart drops the empty lines between the frontmatter and the text.
func (r *renderer) trimStart(parts []*planned) []*planned {
	if len(parts) == 0 || len(r.skill.Parts) == 0 || r.skill.Parts[0].Kind != skill.Header || parts[0].part.Kind != skill.Text {
		return parts
	}
	parts[0].part.Source = strings.TrimLeft(parts[0].part.Source, "\r\n")
	return parts
}

// A value replaces a variable.
type value struct {
	data  string
	words []string // its words in a directive, unquoted; nil means data, split
	ours  bool     // a path or id of our own
}

// lookup returns the value of a variable. known is false for an undefined variable.
func (r *renderer) lookup(p skill.Part) (v value, known, has bool) {
	if p.Braced {
		if slices.Contains(skill.Variables(), p.Name) {
			data, has := r.env.Vars[p.Name]
			return value{data: data, ours: true}, true, has
		}
		if r.env.Bindings.has(p.Name) {
			data, has := r.bound[p.Name]
			return value{data: data}, true, has
		}
		return value{}, false, false
	}
	i := r.position(p)
	if i < 0 {
		return value{data: r.env.Args.Text(), words: r.env.Args.fields()}, true, true
	}
	return r.argument(i)
}

// position returns the index of a placeholder's argument; -1 means all of them.
func (r *renderer) position(p skill.Part) int {
	switch {
	case p.Named:
		return p.Arg
	case p.Name == "ARGUMENTS":
		return -1
	}
	i := 0
	for _, c := range p.Name {
		if i = i*10 + int(c-'0'); i > len(r.env.Args.Words) {
			break // also keeps $99999999999999999999 from wrapping around
		}
	}
	return i
}

func (r *renderer) argument(i int) (v value, known, has bool) {
	if i >= len(r.env.Args.Words) {
		return value{}, true, false
	}
	return value{data: r.env.Args.Words[i], words: r.env.Args.Words[i : i+1 : i+1]}, true, true
}

// text returns the value of a variable in the text, and whether it is a path or id of our own.
func (r *renderer) text(p skill.Part) (text string, own bool) {
	v, known, has := r.lookup(p)
	switch {
	case p.Escaped && known:
		return strings.TrimPrefix(p.Source, `\`), false
	case p.Escaped || !has:
		return p.Source, false
	}
	r.take(p)
	return v.data, v.ours
}

// take notes which arguments the page shows.
func (r *renderer) take(p skill.Part) {
	if p.Braced {
		return
	}
	r.took = true
	switch i := r.position(p); {
	case i < 0:
		r.shown = nil // all of them are shown
	case i < len(r.shown):
		r.shown[i] = true
	}
}

// missing reports whether the arguments must be appended to the page. The first page needs them only
// if it shows none. A later use has other arguments, so it must show them all.
func (r *renderer) missing() bool {
	if !r.env.Args.Given() {
		return false
	}
	return !r.took || r.env.Later && slices.Contains(r.shown, false)
}

// bind checks the variables of a page and runs the bindings that it uses.
func (r *renderer) bind(ctx context.Context, parts []*planned) error {
	var faults []error
	var used []string
	seen := map[string]bool{} // names seen so far
	each(parts, func(p skill.Part) {
		if p.Kind != skill.Variable || p.Escaped {
			return
		}
		_, known, has := r.lookup(p)
		switch {
		case r.env.Bindings.has(p.Name) && p.Braced:
			if !seen[p.Name] {
				seen[p.Name] = true
				used = append(used, p.Name)
			}
		case known && !has && p.Braced && !seen[p.Name]:
			seen[p.Name] = true
			r.warn("%s:%d: ${%s} has no value here and is left as written", r.skill.File, p.Line, p.Name)
		case !known && r.env.Bindings != nil && !p.InCode:
			faults = append(faults, fmt.Errorf("%s:%d: unknown variable ${%s}", r.skill.File, p.Line, p.Name))
		}
	})
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	if r.env.Untrusted != "" {
		return r.distrust(parts, used)
	}
	if len(used) == 0 || r.env.NoExec {
		return nil
	}
	bound, err := r.env.Bindings.resolve(ctx, r, used)
	r.bound = bound
	return err
}

// distrust warns that nothing runs because the folder is not trusted, if anything would have run.
func (r *renderer) distrust(parts []*planned, bindings []string) error {
	line := 0
	for _, p := range parts {
		if p.part.Kind == skill.Directive || p.part.Kind == skill.Variable && p.part.Braced && slices.Contains(bindings, p.part.Name) {
			line = p.part.Line
			break
		}
	}
	if line == 0 {
		return nil
	}
	if r.env.Strict {
		return fmt.Errorf("%s:%d: %s", r.skill.File, line, r.env.Untrusted)
	}
	r.withheld = fmt.Sprintf("%s:%d: %s", r.skill.File, line, r.env.Untrusted)
	r.warn("%s", r.withheld)
	return nil
}

// each calls f for every part, and every part of a directive's command.
func each(parts []*planned, f func(skill.Part)) {
	for _, p := range parts {
		f(p.part)
		for _, c := range p.part.Command {
			f(c)
		}
	}
}

// run runs the page's directives, several at a time.
func (r *renderer) run(ctx context.Context, parts []*planned) error {
	var tasks []*task
	replay := r.env.Replay.player()
	for _, p := range parts {
		if p.part.Kind != skill.Directive {
			continue
		}
		p.task = r.newTask(p)
		if replay != nil {
			outcome, ok := replay.next(p.task.written)
			if !ok && r.env.Replay.Partial {
				continue
			}
			if !ok {
				return fmt.Errorf("%s:%d: %s has no outcome for this directive: record it again", r.skill.File, p.part.Line, r.env.Replay.File)
			}
			p.task.outcome = outcome
			continue
		}
		if r.env.NoExec || r.env.Untrusted != "" {
			continue
		}
		tasks = append(tasks, p.task)
	}
	r.startAll(ctx, tasks)
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if left := replay.left(); left > 0 && !r.env.Replay.Partial {
		r.warn("%s: %d recorded outcomes match no directive of %s", r.env.Replay.File, left, r.skill.File)
	}
	r.record(parts)
	return r.failures(parts)
}

// startAll runs tasks to their ends. Each worker runs several, so that it grows its stack only once.
func (r *renderer) startAll(ctx context.Context, tasks []*task) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(concurrent, len(tasks)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(tasks)); i = next.Add(1) - 1 {
				r.start(ctx, tasks[i])
			}
		})
	}
	wg.Wait()
}

// failures fails the page under Strict if a directive failed.
func (r *renderer) failures(parts []*planned) error {
	var faults []error
	for _, p := range parts {
		if p.task == nil {
			continue
		}
		switch o := p.task.outcome; {
		case o == nil:
		case o.Missing:
			r.warn("%s:%d: no such launcher, the directive is left as written: %s", r.skill.File, p.part.Line, p.task.command)
			faults = append(faults, fmt.Errorf("%s:%d: no such launcher: %s", r.skill.File, p.part.Line, p.task.command))
		case o.Exit != 0:
			faults = append(faults, fmt.Errorf("%s:%d: %s", r.skill.File, p.part.Line, p.task.failure(r)))
		}
	}
	if !r.env.Strict {
		return nil
	}
	return errors.Join(faults...)
}

// join puts the page together.
func (r *renderer) join(parts []*planned) string {
	var page, text strings.Builder
	flush := func() {
		page.WriteString(r.redact.Text(text.String())) // as a whole: half a secret is not recognized
		text.Reset()
	}
	for _, p := range parts {
		switch p.part.Kind {
		case skill.Variable:
			value, own := r.text(p.part)
			if own {
				flush()
				page.WriteString(value)
				continue
			}
			text.WriteString(value)
		case skill.Directive:
			flush()
			p.start = page.Len()
			page.WriteString(r.redact.Text(r.directive(p)))
			p.end = page.Len()
		case skill.Escape:
			text.WriteString(strings.TrimPrefix(p.part.Source, `\`))
		default:
			text.WriteString(p.part.Source)
		}
	}
	if r.missing() {
		text.WriteString("\n\nARGUMENTS: " + r.env.Args.Text())
	}
	flush()
	return page.String()
}

func (r *renderer) trace(parts []*planned) Trace {
	t := Trace{Withheld: r.redact.Text(r.withheld)}
	for _, w := range r.warnings {
		t.Warnings = append(t.Warnings, r.redact.Text(w))
	}
	for _, p := range parts {
		if p.task == nil {
			continue
		}
		d := Directive{Command: r.redact.Text(p.task.command), Line: p.part.Line, Offset: p.part.Offset, Start: p.start, End: p.end}
		if o := p.task.outcome; o != nil {
			d.How, d.Exit, d.Bytes = o.How, o.Exit, o.size()
			d.DurationMS = float64(o.duration.Microseconds()) / 1000
		}
		t.Directives = append(t.Directives, d)
	}
	return t
}
