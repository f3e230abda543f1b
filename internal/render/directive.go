package render

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/skill"
)

// A task is one directive on its way to the page.
type task struct {
	line    shell.Line
	command string // built-in variables filled in, arguments as written
	written string // as written; its key in a recording
	pattern string // the command with its !`…` or fences, for error messages
	outcome *Outcome
}

// newTask prepares a directive. Its arguments stay apart from its text.
func (r *renderer) newTask(p *planned) *task {
	t := &task{}
	var command, written strings.Builder
	for _, part := range p.part.Command {
		written.WriteString(part.Source)
		if part.Kind != skill.Variable {
			t.line.Parts = append(t.line.Parts, shell.Part{Text: part.Source})
			command.WriteString(part.Source)
			continue
		}
		v, known, has := r.lookup(part)
		text := part.Source
		switch {
		case part.Escaped && known:
			text = strings.TrimPrefix(text, `\`)
			t.line.Parts = append(t.line.Parts, shell.Part{Text: text})
		case part.Escaped || !has:
			t.line.Parts = append(t.line.Parts, shell.Part{Text: text})
		default:
			r.take(part)
			t.line.Parts = append(t.line.Parts, shell.Part{Text: text, Value: &shell.Value{Data: v.data, Words: v.words, Ours: v.ours}})
			if v.ours {
				text = v.data
			}
		}
		command.WriteString(text)
	}
	t.command, t.written = command.String(), written.String()
	t.pattern = "!`" + t.command + "`"
	if p.part.Block {
		t.command = strings.TrimRight(t.command, "\n")
		fence := p.part.Source[:strings.IndexByte(p.part.Source, '!')]
		t.pattern = fence + "!\n" + t.command + "\n" + fence
	}
	return t
}

// start runs a task as soon as fewer than concurrent others run. A panic of a built-in, a refusal and
// a missing program are outcomes too.
func (r *renderer) start(ctx context.Context, t *task) {
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	began := time.Now()
	res, err := r.env.Shell.Run(ctx, t.line)
	if err != nil {
		t.outcome = &Outcome{Exit: 1, Reason: err.Error(), duration: time.Since(began)}
		return
	}
	t.outcome = &Outcome{How: res.How, Exit: res.Exit, Reason: res.Reason, Missing: res.Missing, stdout: res.Stdout,
		stderr: res.Stderr, duration: res.Duration}
	if res.Reason != "" && res.Exit == 0 {
		t.outcome.Exit = 1
	}
}

func (r *renderer) directive(p *planned) string {
	if r.env.Untrusted != "" {
		return "<error>" + r.env.Untrusted + "</error>"
	}
	o := p.task.outcome
	if o == nil || o.Missing {
		return p.part.Source
	}
	if o.Exit != 0 {
		return "<error>" + p.task.failure(r) + "</error>"
	}
	text := r.fit(o.success())
	switch {
	case r.env.Wrap == WrapNever:
		return text
	case p.part.Alone:
		if text == "" {
			return "<skill-output></skill-output>"
		}
		return "<skill-output>\n" + text + "\n</skill-output>"
	case r.env.Wrap == WrapAlways:
		return "<skill-output>" + text + "</skill-output>"
	}
	return text
}

// failure returns the message for a directive that failed.
func (t *task) failure(r *renderer) string {
	return `Bash command failed for pattern "` + t.pattern + `": ` + t.outcome.failure(r)
}

// success returns the output of a directive that succeeded: stdout, then stderr.
func (o *Outcome) success() content {
	return content{{out: o.stdout}, {out: o.stderr}}
}

// failure returns the output of a failed directive, with marks that tell the streams apart, and the
// reason why it was stopped.
func (o *Outcome) failure(r *renderer) string {
	var c content
	if !empty(o.stdout) {
		c = append(c, piece{out: o.stdout, trim: true})
	}
	if !empty(o.stderr) {
		if len(c) > 0 {
			c = append(c, piece{text: "\n"})
		}
		c = append(c, piece{text: "[stderr]\n"}, piece{out: o.stderr})
	}
	text := r.fit(c)
	switch {
	case o.Reason == "" && len(c) == 0:
		return fmt.Sprintf("exit status %d", o.Exit)
	case o.Reason == "":
		return text
	case empty(o.stderr):
		text = strings.TrimPrefix(text+"\n[stderr]", "\n")
	}
	return text + "\n" + o.Reason
}

// empty reports whether a stream has only newlines.
func empty(o *shell.Output) bool {
	const few = 64
	return o.Len() <= few && strings.TrimRight(string(o.Head(few)), "\r\n") == ""
}

// content holds text in pieces, some of which may be too large for memory.
type content []piece

type piece struct {
	text string
	out  *shell.Output
	trim bool // without its trailing newlines
}

func (c content) size() (n int64) {
	for _, p := range c {
		n += int64(len(p.text)) + p.out.Len()
	}
	return n
}

// head returns about the first n bytes.
func (c content) head(n int) string {
	var b strings.Builder
	for _, p := range c {
		text := p.text
		if p.out != nil {
			text = string(p.out.Head(n))
		}
		if p.trim {
			text = strings.TrimRight(text, "\r\n")
		}
		b.WriteString(text)
		if b.Len() >= n {
			break
		}
	}
	return b.String()
}

func (c content) writeTo(w io.Writer) error {
	for _, p := range c {
		if _, err := io.WriteString(w, p.text); err != nil {
			return err
		}
		if p.out != nil {
			if _, err := p.out.WriteTo(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// preview limits how many characters of a long output are on the page.
const preview = 2000

// fit returns the content for the page, without trailing newlines and secrets. If it is too long,
// the page gets its beginning and the path of the rest.
func (r *renderer) fit(c content) string {
	limit := r.env.MaxOutput
	if limit == 0 {
		limit = 30_000
	}
	if c.size() <= int64(limit)*utf8.UTFMax {
		text := strings.TrimRight(c.head(limit*utf8.UTFMax), "\r\n")
		if utf8.RuneCountInString(text) <= limit {
			return r.redact.Text(text)
		}
	}
	// Hide secrets before cutting, because the cut may be inside one.
	head := cut(r.redact.Head(c.head(preview*utf8.UTFMax*4)), preview)
	if r.env.Replay != nil && r.env.Replay.Partial {
		return fmt.Sprintf("%s\n[cut here: %d bytes in all, the whole output is in a file of its own]", head, c.size())
	}
	file, err := r.keep(c)
	if err != nil {
		r.warn("%s: the full output of a directive could not be saved: %v", r.skill.File, err)
		return fmt.Sprintf("%s\n[cut here: %d bytes in all, which could not be saved: %v]", head, c.size(), err)
	}
	return fmt.Sprintf("%s\n[cut here: %d bytes in all, the whole output is in %s]", head, c.size(), file)
}

func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// keep writes long output to a file that only the user can read.
func (r *renderer) keep(c content) (name string, err error) {
	dir := r.env.OutputDir
	if dir != "" {
		if err := files.MakeState(dir); err != nil {
			return "", err
		}
		files.Sweep(dir, keptFor)
	}
	f, err := os.CreateTemp(dir, r.skill.Name+"-*.txt")
	if err != nil {
		return "", err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	w := r.redact.Writer(f)
	if err := c.writeTo(w); err != nil {
		return "", err
	}
	return f.Name(), w.Close()
}

// keptFor limits how long a long output is kept after its page.
const keptFor = 30 * 24 * time.Hour
