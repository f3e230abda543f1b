package setup

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/internal/trust"
)

// patience is how long a program may take to print its version.
const patience = 30 * time.Second

// programs inspects the programs that can be run here.
type programs struct {
	here   here.Here
	policy trust.Policy
}

func (p programs) bash(ctx context.Context) Finding {
	out, err := p.ask(ctx, "bash", "-c", `printf '%s, %s' "$BASH_VERSION" "$BASH"`)
	if err == nil {
		return Finding{"bash", OK, out, ""}
	}
	fix := "install the package bash"
	switch runtime.GOOS {
	case "windows":
		fix = "install Git for Windows and put its bin folder on PATH"
	case "darwin":
		fix = "put /bin on PATH"
	}
	return Finding{"bash", Missing,
		fmt.Sprintf("%v: most scripts need it, and so do directives that are more than a simple command", err), fix}
}

// path checks whether hooks, launchers and skills that call skillhand would find this program.
func (p programs) path(ctx context.Context, own DiagnoseRequest) Finding {
	fix := "put its folder on PATH"
	if self, err := os.Executable(); err == nil {
		fix = "put " + filepath.Dir(self) + " on PATH"
	}
	out, err := p.ask(ctx, "skillhand", "version", "--json")
	if err != nil {
		return Finding{"path", Note, fmt.Sprintf("%v: hooks, and skills that call skillhand, do not find it", err), fix}
	}
	var other struct{ Version, Commit string }
	if err := json.Unmarshal([]byte(out), &other); err != nil || other.Version != own.Version || other.Commit != own.Commit {
		return Finding{"path", Note, fmt.Sprintf("skillhand on PATH is not this one: it is %s, this is %s",
			build(other.Version, other.Commit), build(own.Version, own.Commit)),
			fix + ", before the other one"}
	}
	return Finding{"path", OK, "skillhand " + own.Version, ""}
}

func build(version, commit string) string {
	if version == "" {
		return "unknown"
	}
	if len(commit) > 12 {
		commit = commit[:12]
	}
	return strings.TrimSpace(version + " " + commit)
}

// claude says whether the Claude CLI is here, and whether it is logged in.
func (p programs) claude(ctx context.Context) []Finding {
	name := p.here.Env.Get("SKILLHAND_CLAUDE")
	if name == "" {
		name = "claude"
	}
	out, err := p.ask(ctx, name, "--version")
	if err != nil {
		return []Finding{{"claude", Note, fmt.Sprintf("%v: needed to ask Claude, not to load or run skills", err),
			"npm install -g @anthropic-ai/claude-code\nor, if it is elsewhere, set SKILLHAND_CLAUDE to its path"}}
	}
	return []Finding{claudeVersion(name, out), p.login(runtime.GOOS)}
}

// claudeVersion compares the CLI's version with the version that skillhand follows.
func claudeVersion(name, out string) Finding {
	version, _, _ := strings.Cut(out, " ")
	switch order, ok := compareVersions(version, claudecode.Version); {
	case !ok:
		return Finding{"claude", Note, fmt.Sprintf("%s: says %q, which is not a version", name, out), ""}
	case order < 0:
		return Finding{"claude", Note,
			fmt.Sprintf("%s: older than %s, the version skillhand was tested with", version, claudecode.Version), "claude update"}
	case order > 0:
		return Finding{
			"claude", Note,
			fmt.Sprintf("%s: newer than %s, the version skillhand was tested with and --dialect claude follows", version, claudecode.Version),
			"",
		}
	}
	return Finding{"claude", OK, version, ""}
}

// login says which credentials the Claude CLI would use. Only the service knows whether they are
// valid.
func (p programs) login(system string) Finding {
	const fix = "claude auth login\nor set ANTHROPIC_API_KEY"
	with := settings.Login(p.here.Settings(), p.here.Env.Get)
	switch {
	case with != "":
		return Finding{"login", OK, "Claude Code logs in with " + with, ""}
	case system == "darwin":
		return Finding{"login", Note, "unknown: Claude Code may be logged in through the keychain; claude auth status tells", fix}
	}
	return Finding{"login", Note, "Claude Code is not logged in: no key in the environment, no login in " + p.here.Settings().ConfigDir(), fix}
}

// agents says which other agents are here, for ask --agent. They are optional, so none is reported
// as missing.
func (p programs) agents() []Finding {
	var all []Finding
	for _, a := range agents.Driven() {
		name := cmp.Or(p.here.Env.Get(a.Variable()), a.Program())
		path, err := p.policy.Find(name, p.here.Dir, p.here.Env)
		if refused, ok := errors.AsType[*trust.NotTrusted](err); ok {
			all = append(all, Finding{"agent", Note, fmt.Sprintf("%s: %v", a.Name, refused), ""})
		} else if err == nil {
			all = append(all, Finding{"agent", OK, fmt.Sprintf("%s: %s (tried with %s)", a.Name, path, a.Version()), ""})
		}
	}
	return all
}

// compareVersions compares two versions of the form 1.2.3.
func compareVersions(a, b string) (order int, ok bool) {
	var x, y [3]int
	for _, v := range []struct {
		text string
		to   *[3]int
	}{{a, &x}, {b, &y}} {
		if n, _ := fmt.Sscanf(v.text, "%d.%d.%d", &v.to[0], &v.to[1], &v.to[2]); n != 3 {
			return 0, false
		}
	}
	return slices.Compare(x[:], y[:]), true
}

// ask runs a program that prints one fact about itself.
func (p programs) ask(ctx context.Context, words ...string) (string, error) {
	path, err := p.policy.Find(words[0], p.here.Dir, p.here.Env)
	if refused, ok := errors.AsType[*trust.NotTrusted](err); ok {
		return "", fmt.Errorf("%s: %w", words[0], refused)
	}
	var out bytes.Buffer
	var res proc.Result
	if err == nil {
		c := proc.Cmd{Args: append([]string{path}, words[1:]...), Dir: p.here.Dir, Env: p.policy.Env(p.here.Env),
			Stdout: &out, Timeout: patience, MaxOutput: 1 << 16}
		res, err = proc.Run(ctx, c)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s: not found", words[0])
	case err != nil:
		return "", fmt.Errorf("%s: cannot be run: %w", words[0], files.Cause(err))
	case res.Cut == proc.Timeout:
		return "", fmt.Errorf("%s: no answer within %v", words[0], patience)
	case res.Exit != 0:
		return "", fmt.Errorf("%s: exit status %d", words[0], res.Exit)
	}
	return redact.New(p.here.Env).Text(strings.TrimSpace(out.String())), nil
}
