package claudepage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/words"
)

const (
	parallel  = 64       // commands at once; Claude Code starts all
	maxOutput = 64 << 20 // bytes that a command may write before it is ended
)

// run runs the page's directives, all at once, and puts their outputs in as they come. One that
// fails fails the page, but the others still run to their end.
func (p *Page) run(ctx context.Context, r Request) error {
	var runs []int
	for i := range p.Directives {
		if !p.Directives[i].Deferred {
			runs = append(runs, i)
		}
	}
	if len(runs) == 0 {
		return nil
	}
	sh, err := newBash(r)
	if err != nil {
		return err
	}
	defer sh.close()

	type done struct {
		i    int
		text string
		err  error
	}
	results := make(chan done)
	slots := make(chan struct{}, parallel)
	for _, i := range runs {
		go func() {
			slots <- struct{}{}
			text, err := sh.run(ctx, &p.Directives[i])
			<-slots
			results <- done{i, text, err}
		}()
	}
	faults := make([]error, len(p.Directives))
	for range runs {
		d := <-results
		if faults[d.i] = d.err; d.err == nil {
			p.Text = splice(p.Text, p.Directives[d.i].Source, d.text)
		}
	}
	return named(p.Directives, faults)
}

// named returns the fault that Claude Code tells, or nil. It tells the first that happens. Since it
// starts the commands one after the other, that is the earlier of two that take equally long; here
// they take turns, so commands count as equal if one took little more than the quickest.
func named(directives []Directive, faults []error) error {
	var quickest time.Duration = -1
	for i, err := range faults {
		if _, ok := errors.AsType[*Failure](err); err != nil && !ok {
			return err // we could not find out
		}
		if d := directives[i].Duration; err != nil && (quickest < 0 || d < quickest) {
			quickest = d
		}
	}
	for i, err := range faults {
		if err != nil && directives[i].Duration <= 2*quickest+10*time.Millisecond {
			return err
		}
	}
	return nil
}

// A bash runs commands the way Claude Code's Bash tool does.
type bash struct {
	request Request
	program string
	setup   string // what stands before each command
	dir     string // for our own files while commands run
	timeout time.Duration
	limit   int // bytes of output that fit in the page
	env     []string
}

func newBash(r Request) (*bash, error) {
	dir, err := os.MkdirTemp("", "claudepage-")
	if err != nil {
		return nil, err
	}
	b := &bash{
		request: r,
		program: "/bin/bash",
		setup:   `\builtin shopt -s expand_aliases 2>/dev/null || true`,
		dir:     dir,
		timeout: cmp.Or(r.Timeout, setting(r.Env, "BASH_DEFAULT_TIMEOUT_MS", 120_000)*time.Millisecond),
		limit:   int(min(setting(r.Env, "BASH_MAX_OUTPUT_LENGTH", shownBytes), shownBytes)),
		env:     environment(r),
	}
	if _, err := os.Stat(b.program); errors.Is(err, fs.ErrNotExist) {
		b.program = "bash"
	}
	if r.Claude != "" {
		file := filepath.Join(dir, "functions.sh")
		if err := os.WriteFile(file, []byte(functions(r.Claude)), 0o600); err != nil {
			b.close()
			return nil, err
		}
		b.setup = "source " + quote(file) + " 2>/dev/null || true"
	}
	return b, nil
}

func (b *bash) close() { _ = os.RemoveAll(b.dir) }

// run runs one command and returns what the page shows in its place. It is given to bash as
// Claude Code does it, because bash's own messages tell: they count lines and name eval.
func (b *bash) run(ctx context.Context, d *Directive) (string, error) {
	cwd, err := os.CreateTemp(b.dir, "cwd-")
	if err != nil {
		return "", err
	}
	_ = cwd.Close()
	out := &capture{limit: b.limit, dir: b.request.OutputDir}
	var stream io.Writer = out
	flush := func() error { return nil }
	if b.request.Clean != nil {
		clean := b.request.Clean(out)
		stream, flush = clean, clean.Close
	}
	run := b.request.Run
	if run == nil {
		run = proc.Run
	}
	res, err := run(ctx, proc.Cmd{
		Args: []string{b.program, "-c", b.setup + ` && \builtin shopt -u extglob 2>/dev/null || true` +
			" && eval " + quote(d.Command) + " < /dev/null && pwd -P >| " + quote(cwd.Name())},
		Dir:       b.request.Project,
		Env:       b.env,
		Stdout:    stream,
		Stderr:    stream,
		Timeout:   b.timeout,
		MaxOutput: maxOutput,
		Grace:     []proc.Step{{Signal: proc.Terminate, Wait: time.Second}},
	})
	d.Exit, d.Duration, d.Bytes = res.Exit, res.Duration, out.total
	if err := errors.Join(err, flush(), out.close()); err != nil {
		out.discard()
		return "", fmt.Errorf("%s: %w", d.Source, err)
	}
	switch {
	case res.Cut == proc.Canceled:
		out.discard()
		return "", context.Cause(ctx)
	case res.Cut == proc.Flooded:
		out.discard()
		return "", fmt.Errorf("%s: wrote more than %d MB", d.Source, maxOutput>>20)
	case res.Cut == proc.Timeout:
		return "", b.failure(d, out, "Command timed out after "+seconds(b.timeout))
	case res.Exit != 0 && !(res.Exit == 1 && findsNothing(d.Command)):
		return "", b.failure(d, out, "")
	}
	return out.page(b.moved(cwd.Name())), nil
}

// failure returns the error that Claude Code makes of a command that failed. It calls all output
// stderr, since it keeps one stream.
func (b *bash) failure(d *Directive, out *capture, reason string) error {
	out.discard()
	text := claudecode.TrimSpace(out.text())
	if reason != "" && text != "" {
		reason += "\n"
	}
	if text = reason + text; text != "" {
		text = "[stderr]\n" + text
	}
	message := fmt.Sprintf("Shell command failed for pattern \"%s\": %s", d.Source, text)
	if b.request.Tool {
		return &Failure{claudecode.TrimSpace(message)}
	}
	return &Failure{printable(message)}
}

var terminalSequence = words.Regexp(`\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_](?s:.*?)(?:\x07|\x1b\\)|[ -/]+[0-~]|[@-Z\\-_=>])`)

// printable takes out what a terminal would obey and not show. A user sees the message of a
// command that failed, Claude gets it as it is.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, terminalSequence.Get().ReplaceAllString(s, ""))
}

// moved returns a note if the command left the project: Claude Code then goes back.
func (b *bash) moved(file string) string {
	at, err := os.ReadFile(file)
	cwd := strings.TrimSuffix(string(at), "\n")
	if err != nil || cwd == "" {
		return ""
	}
	project, err := filepath.EvalSymlinks(b.request.Project)
	if err != nil || files.Inside(project, cwd) {
		return ""
	}
	return "Shell cwd was reset to " + b.request.Project
}

// environment returns the caller's, with what Claude Code sets for a command. Its own socket and token
// stay out: they are not for us to hand on.
func environment(r Request) []string {
	var env []string
	path := ""
	for _, v := range r.Env {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "CLAUDE_CODE_MESSAGING_") {
			continue
		}
		if name == "PATH" {
			path = value
		}
		env = append(env, v)
	}
	env = append(env,
		"HOME="+r.Home,
		"PWD="+r.Project,
		"SHELL=/bin/bash",
		"AI_AGENT=claude-code_"+strings.ReplaceAll(claudecode.Version, ".", "-")+"_agent",
		"CLAUDECODE=1",
		"CLAUDE_CODE_CHILD_SESSION=1",
		"CLAUDE_CODE_ENTRYPOINT=sdk-cli",
		"CLAUDE_CODE_SESSION_ATTENDED=0",
		"CLAUDE_CODE_SESSION_ID="+r.Session,
		"CLAUDE_EFFORT="+r.Effort,
		"COREPACK_ENABLE_AUTO_PIN=0",
		"GIT_EDITOR=true",
		"NoDefaultCurrentDirectoryInExePath=1",
	)
	if r.Claude != "" {
		env = append(env, "CLAUDE_CODE_EXECPATH="+r.Claude)
	}
	for _, p := range r.finder().Plugins() {
		if bin := filepath.Join(p.Root, "bin"); p.Fault == "" && files.IsFolder(bin) {
			path += string(os.PathListSeparator) + bin
			env = append(env, "PATH="+path)
		}
	}
	return env
}

// setting reads a positive number from an environment.
func setting(env []string, name string, otherwise time.Duration) time.Duration {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				otherwise = time.Duration(n)
			}
		}
	}
	return otherwise
}

// seconds writes a duration the way Claude Code does: cut below a minute, rounded above.
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	s := d.Round(time.Second) / time.Second
	return fmt.Sprintf("%dm %ds", s/60, s%60)
}

// quote makes s one word of shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'" }

// functions defines grep, find and rg over the programs that are built into claude.
func functions(claude string) string {
	claude = quote(claude)
	return `shopt -s expand_aliases
if ! hash rg 2>/dev/null; then
  rg() { ( exec -a rg ` + claude + ` "$@" ); }
fi
find() { ( exec -a bfs ` + claude + ` -S dfs -regextype findutils-default "$@" ); }
grep() {
  local a
  for a in "$@"; do
    case "$a" in
      -*-filter*|-*-pager*|-*-view*|-*-format-open*|-*-config*|---*|-@*|-[Zz]*|-[!-]*[Zz]*|--null|--null-data)
        command grep "$@"
        return ;;
    esac
  done
  ( exec -a ugrep ` + claude +
		` -G --ignore-files --hidden -I --exclude-dir=.git --exclude-dir=.svn --exclude-dir=.hg --exclude-dir=.bzr --exclude-dir=.jj --exclude-dir=.sl "$@" )
}
`
}
