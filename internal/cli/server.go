package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/term"
)

// ServerName is the second program, with the commands that need a database or a network. Linking
// them would slow every start, so the first program hands over to the second.
const ServerName = "skillhand-server"

// serverCommands lists the commands of the second program with their short help. A test compares
// the list with the program itself.
var serverCommands = [][2]string{
	{"batch", "Run many scripts and prompts as durable jobs"},
	{"done", "Say whether the checks in a skill's done.yaml pass here"},
	{"lsp", "Show findings of check in an editor, as you type"},
	{"mcp", "Serve skills to other agents, over the Model Context Protocol"},
	{"page", "Look at skills and at what happened, in a browser"},
	{"server", "Show the second program: where it is and what it is built from"},
	{"try", "Try skills with a model: do they fire, do they help"},
}

// ServerCommands returns placeholders for the commands of the second program, for the help and the
// completion of the first.
func ServerCommands() []*cobra.Command {
	var all []*cobra.Command
	for _, c := range serverCommands {
		all = append(all, &cobra.Command{
			Use: c[0], Short: c[1], DisableFlagParsing: true,
			Annotations: map[string]string{ServerName: ""},
			Run:         func(*cobra.Command, []string) {}, // HandOver runs instead
		})
	}
	return all
}

func isServer(c *cobra.Command) bool {
	_, ok := c.Annotations[ServerName]
	return ok
}

// ForServer returns the command of the second program that the arguments name, whether to run it or
// to get its help, its manual page or completions. Otherwise it returns "".
func ForServer(args []string) string {
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "-"):
		case i == 0 && slices.Contains([]string{"help", "man", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}, arg):
		case slices.ContainsFunc(serverCommands, func(c [2]string) bool { return c[0] == arg }):
			if last := i == len(args)-1; last && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
				return "" // the shell completes the name of the command itself
			}
			return arg
		default:
			return ""
		}
	}
	return ""
}

// callerVariable contains the version of the first program that called the second.
const callerVariable = "SKILLHAND_CALLER_VERSION"

// HandOver runs the second program with the same arguments, streams and exit status. It returns the
// status to exit with.
func HandOver(std *Std, command string, args []string) int {
	server, err := std.findServer()
	if err != nil {
		err = Exit(ExitMissing, fmt.Errorf("%s: %w", command, err))
	} else {
		var exit int
		env := append(slices.Clone(std.Env), callerVariable+"="+NewVersion().Version)
		if exit, err = proc.Become(server, append([]string{server}, args...), env); err == nil {
			return exit
		}
		err = Exit(ExitMissing, fmt.Errorf("%s: %w", command, err))
	}
	return std.report(err, nil, slices.Contains(args, "--json"))
}

// AskServer runs the second program and returns its output. Unlike after HandOver, this program
// continues.
func (std *Std) AskServer(ctx context.Context, stdin []byte, limit time.Duration, args ...string) ([]byte, error) {
	server, err := std.findServer()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	res, err := proc.Run(ctx, proc.Cmd{Args: append([]string{server}, args...), Env: std.Env, Stdin: bytes.NewReader(stdin),
		Stdout: &out, Stderr: std.Err, Timeout: limit, MaxOutput: 1 << 20})
	switch {
	case err != nil:
		return nil, err
	case res.Cut != proc.Not:
		return nil, fmt.Errorf("%s %s did not end within %v", ServerName, args[0], limit)
	case res.Exit != 0:
		return nil, fmt.Errorf("%s %s: exit status %d", ServerName, args[0], res.Exit)
	}
	return out.Bytes(), nil
}

// findServer looks for the second program beside the first, then in PATH.
func (std *Std) findServer() (string, error) {
	name := ServerName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err == nil {
		file := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return file, nil
		}
	}
	var refused error
	if std.Find != nil {
		file, err := std.Find(name)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			refused = fmt.Errorf("%s: %w", name, err)
		}
	}
	release := "latest"
	if v := NewVersion().Version; strings.HasPrefix(v, "v") && !strings.Contains(v, "+") {
		release = v
	}
	if refused != nil {
		return "", refused
	}
	return "", fmt.Errorf("needs %s, which was not found next to %s or in PATH\n"+
		"every release contains it; or build both programs: go install github.com/skillhand/skillhand/cmd/...@%s", ServerName,
		cmp.Or(self, "skillhand"), release)
}

// serverManuals runs the second program to write the manual pages of its commands.
func (std *Std) serverManuals(ctx context.Context, dir string) error {
	server, err := std.findServer()
	if err != nil {
		std.Warn("the manual pages of its commands are missing: " + err.Error())
		return nil
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	res, err := proc.Run(ctx, proc.Cmd{Args: []string{server, "man", "--dir", dir}, Env: std.Env, Stdout: std.Err, Stderr: std.Err})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("%s man: exit status %d", server, res.Exit)
	}
	return err
}

// checkCaller warns if the first program has another version than this one. It removes the
// variable, so that programs that we start do not see who called us.
func (std *Std) checkCaller() {
	caller := std.Getenv(callerVariable)
	if caller == "" {
		return
	}
	_ = os.Unsetenv(callerVariable)
	std.Env = slices.DeleteFunc(std.Env, func(kv string) bool { return strings.HasPrefix(kv, callerVariable+"=") })
	if own := NewVersion().Version; caller != own {
		std.Warn(fmt.Sprintf("skillhand is %s, %s is %s: install both from one release", caller, ServerName, own))
	}
}

// ServerMain runs the second program. Its commands have the same names as in the first.
func ServerMain(std *Std, args []string, commands ...*cobra.Command) int {
	std.second = true
	std.checkCaller()
	root := &cobra.Command{
		Use:   "skillhand",
		Short: "The part of skillhand that needs a database or a network",
		Long: `skillhand-server is the part of skillhand that needs a database or a network.
You never need to call it yourself: skillhand COMMAND finds it.`,
	}
	root.AddCommand(commands...)
	man := NewMan(std, true)
	man.Hidden = true
	root.AddCommand(man)
	root.CompletionOptions.HiddenDefaultCmd = true
	Root(std, root)
	SetArgs(root, args)
	return Run(std, root)
}

// A Server describes the second program. It is described by schemas/server-v1.schema.json.
type Server struct {
	Version
	Program  string   `json:"program"` // the path of the program
	Commands []string `json:"commands"`
	Modules  []Module `json:"modules"` // from which the program is built
}

// A Module is a Go module that a program is built from.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// NewServer describes this program.
func NewServer(root *cobra.Command) (*Server, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &Server{Version: NewVersion(), Program: program, Commands: []string{}, Modules: []Module{}}
	for _, c := range documented(root) {
		s.Commands = append(s.Commands, c.Name())
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			s.Modules = append(s.Modules, Module{d.Path, d.Version})
		}
	}
	return s, nil
}

// Text formats the description for people.
func (s *Server) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s, %s/%s)\n", ServerName, s.Version.Version, s.Go, s.OS, s.Arch)
	term.Section(&b, "program", [][2]string{{s.Program, ""}})
	var commands, modules [][2]string
	for _, c := range s.Commands {
		commands = append(commands, [2]string{c, ""})
	}
	for _, m := range s.Modules {
		modules = append(modules, [2]string{m.Path, m.Version})
	}
	term.Section(&b, "commands", commands)
	term.Section(&b, "modules", modules)
	return b.String()
}
