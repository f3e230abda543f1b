package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/mcp"
	"github.com/skillhand/skillhand/view"
)

type mcpOptions struct {
	http, pluginRoot, project string
	allowRun                  bool
}

// tokenVariable has the token that clients of --http must know.
const tokenVariable = "SKILLHAND_MCP_TOKEN"

func newMCP(std *cli.Std) *cobra.Command {
	var o mcpOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve skills to other agents, over the Model Context Protocol",
		Long: `Serve the skills that are found here to an agent that runs no directives itself:
as the tools load_skill and find_skill, as prompts, as resources, and by the
extension io.modelcontextprotocol/skills. Pages are whole and made when they are
asked for. Skills that nobody trusts are not offered, and their commands do not
run.

The agent starts this command itself and talks to it over stdin and stdout. With
--http it listens on this machine instead; clients must send the token that is
printed, or that ` + tokenVariable + ` holds.`,
		Example: `  skillhand mcp
  skillhand mcp --http 127.0.0.1:7777`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runMCP(cmd.Context(), std, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.http, "http", "", "listen on this loopback `address` instead, 127.0.0.1:PORT")
	f.BoolVar(&o.allowRun, "allow-run", false, "also offer run_skill, which runs a skill's script")
	f.StringVar(&o.pluginRoot, "plugin-root", "", "the plugin's `folder` (default $CLAUDE_PLUGIN_ROOT)")
	f.StringVar(&o.project, "project", "", "work in the project in this `folder` instead of here")
	return cmd
}

func runMCP(ctx context.Context, std *cli.Std, o mcpOptions) error {
	server, err := newMCPServer(std, o)
	if err != nil {
		return err
	}
	if o.http == "" {
		return server.Serve(ctx, std.In, std.Out)
	}
	l, err := mcp.Listen(o.http)
	if err != nil {
		return cli.Usagef("--http %v", err)
	}
	defer l.Close()
	token := std.Getenv(tokenVariable)
	if token == "" {
		token = rand.Text()
		if err := std.Print(fmt.Sprintf("Authorization: Bearer %s\n", token)); err != nil {
			return err
		}
	}
	if err := std.Print(fmt.Sprintf("http://%s%s\n", l.Addr(), mcp.Path)); err != nil {
		return err
	}
	return server.ServeHTTP(ctx, l, token)
}

func newMCPServer(std *cli.Std, o mcpOptions) (*mcp.Server, error) {
	env := here.Env(std.Env).Without(tokenVariable) // no page may show it
	h, err := here.Here{PluginRoot: o.pluginRoot, Env: env}.Complete()
	if err == nil && o.project != "" {
		h, err = h.At(o.project)
	}
	if err != nil {
		return nil, err
	}
	rt := &skillhand.Runtime{Here: h, Builtins: view.Builtins(), Self: builtin(), Warn: std.Warn}
	return &mcp.Server{Runtime: rt, Version: cli.NewVersion().Version, AllowRun: o.allowRun, Warn: std.Warn}, nil
}

// builtin is the command that runs a built-in in a process of its own: that of
// the first program, which is beside this one.
func builtin() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	name := "skillhand"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	first := filepath.Join(filepath.Dir(self), name)
	if _, err := os.Stat(first); err != nil {
		return nil
	}
	return []string{first, "builtin"}
}
