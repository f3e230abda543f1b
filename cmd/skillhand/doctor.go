package main

import (
	"bytes"
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

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/proc"
	"github.com/skillhand/skillhand/skill"
	"github.com/skillhand/skillhand/trust"
)

// testedClaude is the Claude CLI whose behaviour was recorded.
const testedClaude = "2.1.325"

// patience is how long doctor waits for a program to say its version.
const patience = 10 * time.Second

func newDoctor(std *stdio) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is missing here, and how to get it",
		Long: `Look at what skillhand needs and uses here, one line each: its state folder,
bash, the Claude CLI, the plugin's hooks, trust, and the skills of this folder.

  ok        it is there
  note      skillhand works without it, but something else does not
  wrong     something here is broken
  missing   skillhand needs it

The exit status is 3 if something needed is missing, else 1 if something is
wrong, else 0. Nothing is changed.`,
		Example: `  skillhand doctor
  skillhand doctor --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := os.Getwd()
			if err != nil {
				return errors.New("the working folder is gone")
			}
			spinner := std.Spin("looking around")
			d := doctor{env: std.Env, dir: dir, home: lookup(std.Env, "HOME")}
			checks := d.look(cmd.Context())
			spinner.End()
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if err := std.printChecks(checks, asJSON); err != nil {
				return err
			}
			if status := worst(checks); status != cli.ExitOK {
				return cli.Exit(status, nil)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// A check is one thing that doctor looked at.
type check struct {
	Name   string      `json:"name"`
	Status checkStatus `json:"status"`
	Text   string      `json:"text"` // what there is, or what is amiss
	Fix    string      `json:"fix"`  // what to do about it, or ""
}

type checkStatus string

const (
	checkOK      checkStatus = "ok"
	checkNote    checkStatus = "note"
	checkWrong   checkStatus = "wrong"
	checkMissing checkStatus = "missing"
)

// A doctorDocument is what doctor --json prints: schemas/doctor-v1.schema.json.
type doctorDocument struct {
	OK     bool    `json:"ok"`
	Checks []check `json:"checks"`
}

// worst is the exit status that checks ask for.
func worst(checks []check) int {
	status := cli.ExitOK
	for _, c := range checks {
		switch c.Status {
		case checkMissing:
			return cli.ExitMissing
		case checkWrong:
			status = cli.ExitFailed
		}
	}
	return status
}

func (std *stdio) printChecks(checks []check, asJSON bool) error {
	if asJSON {
		return std.PrintJSON(doctorDocument{OK: worst(checks) == cli.ExitOK, Checks: checks})
	}
	paint := std.Painter()
	colors := map[checkStatus]string{checkOK: "32", checkNote: "33", checkWrong: "31", checkMissing: "1;31"}
	var b strings.Builder
	for _, c := range checks {
		fmt.Fprintf(&b, "%s  %-8s  %s\n", paint(colors[c.Status], fmt.Sprintf("%-7s", c.Status)), c.Name, oneLine(c.Text))
		if c.Fix != "" {
			fmt.Fprintf(&b, "%19s%s\n", "", oneLine(c.Fix))
		}
	}
	if _, err := fmt.Fprint(std.Out, b.String()); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

// oneLine shows text that may come from anywhere.
func oneLine(s string) string { return strings.ReplaceAll(term.Visible(s), "\n", " ") }

// A doctor knows where it looks.
type doctor struct {
	env  []string
	dir  string
	home string
}

func (d doctor) look(ctx context.Context) []check {
	checks := []check{platform(runtime.GOOS), d.state(), d.bash(ctx), d.path(ctx), d.claude(ctx)}
	checks = append(checks, d.hooks()...)
	checks = append(checks, d.trust())
	return append(checks, d.skills()...)
}

// platform says what skillhand cannot do on a system.
func platform(system string) check {
	c := check{Name: "platform", Status: checkOK, Text: system + "/" + runtime.GOARCH}
	switch system {
	case "linux":
	case "windows":
		c.Status = checkNote
		c.Text += ": a program is ended in time, but what it started may live on"
	default:
		c.Status = checkNote
		c.Text += ": a program is ended with its process group, but what left the group may live on"
	}
	return c
}

// state finds out whether the state folder can be written to. It leaves nothing behind.
func (d doctor) state() check {
	dir := skillhand.StateDir(d.env)
	if strings.HasPrefix(dir, os.DevNull) {
		return check{"state", checkMissing, "there is no home folder to keep it in", "set HOME, or SKILLHAND_STATE_DIR, to a folder of yours"}
	}
	at := dir
	for {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	probe, err := os.MkdirTemp(at, ".skillhand-doctor-")
	if err != nil {
		return check{"state", checkMissing, fmt.Sprintf("%s: not writable: %v", dir, plainCause(err)), "set SKILLHAND_STATE_DIR to a folder of yours: without it nothing is remembered, trust included"}
	}
	os.Remove(probe)
	return check{"state", checkOK, dir, ""}
}

func (d doctor) bash(ctx context.Context) check {
	out, err := d.ask(ctx, "bash", "-c", `printf '%s, %s' "$BASH_VERSION" "$BASH"`)
	if err == nil {
		return check{"bash", checkOK, out, ""}
	}
	fix := "install the package bash"
	switch runtime.GOOS {
	case "windows":
		fix = "install Git for Windows and put its bin folder on PATH"
	case "darwin":
		fix = "put /bin on PATH"
	}
	return check{"bash", checkMissing, fmt.Sprintf("%v: directives that are more than simple commands need it, and most scripts", err), fix}
}

// path finds out whether hooks, launchers and skills that call skillhand would find this one.
func (d doctor) path(ctx context.Context) check {
	own := cli.NewVersion()
	fix := "put its folder on PATH"
	if self, err := os.Executable(); err == nil {
		fix = "put " + filepath.Dir(self) + " on PATH"
	}
	out, err := d.ask(ctx, "skillhand", "version", "--json")
	if err != nil {
		return check{"path", checkNote, fmt.Sprintf("%v: hooks, and skills that call skillhand, do not find it", err), fix}
	}
	var other cli.Version
	if err := json.Unmarshal([]byte(out), &other); err != nil || other.Version != own.Version || other.Commit != own.Commit {
		return check{"path", checkNote, fmt.Sprintf("skillhand on PATH is another one (%s) than this (%s)", other.Version, own.Version), fix + ", before the other's"}
	}
	return check{"path", checkOK, "skillhand " + own.Version, ""}
}

func (d doctor) claude(ctx context.Context) check {
	program := lookup(d.env, "SKILLHAND_CLAUDE")
	if program == "" {
		program = "claude"
	}
	out, err := d.ask(ctx, program, "--version")
	if err != nil {
		return check{"claude", checkNote, fmt.Sprintf("%v: needed to ask Claude, not to load and run skills", err), "npm install -g @anthropic-ai/claude-code, or set SKILLHAND_CLAUDE to its path"}
	}
	version, _, _ := strings.Cut(out, " ")
	switch order, ok := compareVersions(version, testedClaude); {
	case !ok:
		return check{"claude", checkNote, fmt.Sprintf("%s: says %q, which is no version", program, out), ""}
	case order < 0:
		return check{"claude", checkNote, fmt.Sprintf("%s: older than %s, with which skillhand was tested", version, testedClaude), "claude update"}
	case order > 0:
		return check{"claude", checkNote, fmt.Sprintf("%s: newer than %s, with which skillhand was tested and which --dialect claude shows", version, testedClaude), ""}
	}
	return check{"claude", checkOK, version, ""}
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

// ask runs a program that says one thing about itself.
func (d doctor) ask(ctx context.Context, words ...string) (string, error) {
	var out bytes.Buffer
	res, err := proc.Run(ctx, proc.Cmd{Args: words, Dir: d.dir, Env: d.env, Stdout: &out, Timeout: patience, MaxOutput: 1 << 16})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s: not found", words[0])
	case err != nil:
		return "", fmt.Errorf("%s: cannot be run: %w", words[0], plainCause(err))
	case res.Cut == proc.Timeout:
		return "", fmt.Errorf("%s: no answer within %v", words[0], patience)
	case res.Exit != 0:
		return "", fmt.Errorf("%s: ends with exit status %d", words[0], res.Exit)
	}
	return strings.TrimSpace(out.String()), nil
}

// hooks finds out whether Claude Code tells skillhand what agents have seen.
func (d doctor) hooks() []check {
	const plugin = "claude plugin marketplace add skillhand/skillhand && claude plugin install skillhand@skillhand"
	var checks []check
	var name, where string // the plugin as Claude Code calls it, and the file that decides about it
	enabled := false
	for _, file := range d.settingsFiles() {
		s, err := readClaudeSettings(file)
		if err != nil {
			checks = append(checks, check{"hooks", checkWrong, err.Error(), ""})
			continue
		}
		if s.callsHook() {
			return append(checks, check{"hooks", checkOK, "skillhand hook, in " + file, ""})
		}
		for id, on := range s.plugins {
			if strings.HasPrefix(id, "skillhand@") {
				name, where, enabled = id, file, on
			}
		}
	}
	switch {
	case enabled:
		return append(checks, check{"hooks", checkOK, "the plugin " + name + ", in " + where, ""})
	case name != "":
		return append(checks, check{"hooks", checkNote, fmt.Sprintf("the plugin %s is disabled in %s: in Claude Code every load has the whole text", name, where), "claude plugin enable " + name})
	}
	return append(checks, check{"hooks", checkNote, "the plugin is not installed: in Claude Code every load has the whole text", plugin})
}

// settingsFiles are what Claude Code reads, each before those that override it.
func (d doctor) settingsFiles() []string {
	var files []string
	if dir := lookup(d.env, "CLAUDE_CONFIG_DIR"); dir != "" {
		files = append(files, filepath.Join(dir, "settings.json"))
	} else if d.home != "" {
		files = append(files, filepath.Join(d.home, ".claude", "settings.json"))
	}
	project := filepath.Join(d.project(), ".claude")
	return append(files, filepath.Join(project, "settings.json"), filepath.Join(project, "settings.local.json"))
}

// claudeSettings is the part of a settings file of Claude Code that matters here.
type claudeSettings struct {
	plugins map[string]bool
	hooks   []hookCommand
}

type hookCommand struct {
	Command string
	Args    []string
}

// readClaudeSettings reads a settings file. One that does not exist says nothing;
// of one that does, what has an unexpected shape is Claude Code's to judge.
func readClaudeSettings(file string) (claudeSettings, error) {
	s := claudeSettings{plugins: map[string]bool{}}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", file, plainCause(err))
	}
	var all struct {
		EnabledPlugins map[string]json.RawMessage
		Hooks          map[string]json.RawMessage
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	for id, value := range all.EnabledPlugins {
		s.plugins[id] = string(value) != "false"
	}
	for _, event := range all.Hooks {
		var matchers []struct{ Hooks []hookCommand }
		if json.Unmarshal(event, &matchers) != nil {
			continue
		}
		for _, m := range matchers {
			s.hooks = append(s.hooks, m.Hooks...)
		}
	}
	return s, nil
}

// callsHook reports whether a hook of the file is skillhand's.
func (s claudeSettings) callsHook() bool {
	return slices.ContainsFunc(s.hooks, func(h hookCommand) bool {
		words := append(strings.Fields(strings.NewReplacer(`"`, "", "'", "").Replace(h.Command)), h.Args...)
		for i := range len(words) - 1 {
			if filepath.Base(words[i]) == "skillhand" && words[i+1] == "hook" {
				return true
			}
		}
		return false
	})
}

func (d doctor) project() string {
	if top := skill.Top(d.dir); top != "" {
		return top
	}
	return d.dir
}

func (d doctor) trust() check {
	if lookup(d.env, "SKILLHAND_TRUST") == "all" {
		return check{"trust", checkNote, "SKILLHAND_TRUST=all: commands run from every folder", "unset SKILLHAND_TRUST, unless this is CI or a container"}
	}
	project := d.project()
	store := trust.Store{Dir: filepath.Join(skillhand.StateDir(d.env), "trust")}
	if store.Trusted(project) {
		return check{"trust", checkOK, project, ""}
	}
	return check{"trust", checkNote, project + ": not trusted: its skills load, but run no commands", "skillhand trust, after you have looked at them"}
}

// skills counts the skills that can be loaded here by name, and names those that cannot be read.
func (d doctor) skills() []check {
	finder := skill.Finder{PluginRoot: lookup(d.env, "CLAUDE_PLUGIN_ROOT"), Dir: d.dir, Home: d.home}
	var odd []check
	count := 0
	seen := map[string]bool{}
	for _, root := range finder.Roots() {
		entries, err := os.ReadDir(root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			odd = append(odd, check{"skills", checkWrong, fmt.Sprintf("%s: %v", root, plainCause(err)), ""})
		}
		for _, e := range entries {
			folder := filepath.Join(root, e.Name())
			info, err := os.Stat(folder)
			switch {
			case err != nil:
				odd = append(odd, check{"skills", checkWrong, folder + ": a link that leads nowhere", "remove it, or install the skill again"})
				continue
			case !info.IsDir():
				continue
			}
			name := strings.TrimSuffix(e.Name(), "-first-use")
			if seen[name] {
				continue
			}
			seen[name] = true
			s, err := findAndRead(finder, name)
			switch {
			case errors.Is(err, fs.ErrNotExist): // a folder of something else
			case err != nil:
				odd = append(odd, check{"skills", checkWrong, err.Error(), ""})
			default:
				count++
				for _, n := range s.Notes {
					odd = append(odd, check{"skills", checkNote, s.Say(n), ""})
				}
			}
		}
	}
	all := check{"skills", checkOK, fmt.Sprintf("%d can be loaded here by name (skillhand builtin list-skills)", count), ""}
	if count == 0 {
		all = check{"skills", checkNote, "none can be loaded here by name", "skillhand init skill NAME"}
	}
	return append([]check{all}, odd...)
}

func findAndRead(finder skill.Finder, name string) (*skill.Skill, error) {
	loc, err := finder.Find(name)
	if err != nil {
		return nil, err
	}
	s, err := skill.Read(loc)
	if err != nil {
		return nil, err
	}
	_, err = s.Sections()
	return s, err
}

// plainCause is what a path error is about, for messages that name the path themselves.
func plainCause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
