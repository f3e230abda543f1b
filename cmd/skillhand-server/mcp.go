package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/mcp"
	"github.com/skillhand/skillhand/internal/setup"
)

type mcpOptions struct {
	at       cli.At
	http     string
	allowRun bool

	install, uninstall, scope string
	dryRun                    bool
}

// tokenVariable names the variable with the token that clients of --http must send.
const tokenVariable = "SKILLHAND_MCP_TOKEN"

func newMCP(std *cli.Std) *cobra.Command {
	var o mcpOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve skills to other agents, over the Model Context Protocol",
		Long: `Serve the skills found here to an agent that runs no directives itself: as the tools
load_skill and find_skill, as prompts, as resources, and through the extension
io.modelcontextprotocol/skills. skillhand makes a whole page whenever the agent asks
for one. It does not offer skills that you do not trust, and does not run their
commands.

The agent starts this command itself and talks to it over stdin and stdout. With
--http it listens on this machine instead; clients must send the token that
skillhand prints, or the one in ` + tokenVariable + `.

--install changes the agent's own configuration so that the agent starts this
command. It adds one entry, leaves the rest as it is, and shows the difference.
--uninstall removes that entry.`,
		Example: `  skillhand mcp --install codex
  skillhand mcp --install vscode --scope project --dry-run
  skillhand mcp --http 127.0.0.1:7777`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("install") || cmd.Flags().Changed("uninstall") {
				return installMCP(std, o)
			}
			if cmd.Flags().Changed("scope") || o.dryRun {
				return cli.Usagef("--scope and --dry-run go with --install and --uninstall")
			}
			return runMCP(cmd.Context(), std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.http, "http", "", "listen on this loopback `address` instead, 127.0.0.1:PORT")
	f.BoolVar(&o.allowRun, "allow-run", false, "also offer run_skill, which runs a skill's script")
	o.at.Flags(cmd)
	cli.OneOf(cmd, &o.install, "install", "configure this `agent` to start skillhand mcp", setup.MCPAgents()...)
	cli.OneOf(cmd, &o.uninstall, "uninstall", "remove what --install wrote for this `agent`", setup.MCPAgents()...)
	o.scope = "user"
	cli.OneOf(cmd, &o.scope, "scope", "the `scope` of the configuration", "user", "project")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what --install or --uninstall would change; change nothing")
	cmd.MarkFlagsMutuallyExclusive("install", "uninstall")
	return cmd
}

// installMCP changes an agent's configuration, or shows the change.
func installMCP(std *cli.Std, o mcpOptions) error {
	agent, flag := o.install, "--install"
	if o.install == "" {
		agent, flag = o.uninstall, "--uninstall"
	}
	if o.http != "" {
		return cli.Usagef("%s does not go with --http: the agent starts the server itself", flag)
	}
	h, err := here.From(o.at.Cwd, std.Env)
	if err != nil {
		return err
	}
	owner, project := setup.MCPOwner{Home: h.Home, Project: files.Around(h.Dir), Getenv: h.Env.Get}, o.scope == "project"
	change, already := (*setup.MCPChange)(nil), "already there"
	if o.uninstall != "" {
		already = "no entry for skillhand"
		change, err = setup.PlanMCPRemoval(agent, owner, project)
	} else {
		change, err = setup.PlanMCP(agent, owner, project, o.command(std))
	}
	if manual, ok := errors.AsType[*setup.ByHandError](err); ok {
		err = fmt.Errorf("%w\nthe file is unchanged; add this entry by hand", err)
		return errors.Join(std.Print(manual.Text), err)
	}
	if err != nil {
		return err
	}
	diff := change.Diff()
	if diff == "" {
		return std.Print(fmt.Sprintf("%s: %s\n", change.File, already))
	}
	if err := std.Print(diff); err != nil || o.dryRun {
		return err
	}
	if err := change.Write(); err != nil {
		return err
	}
	done := "written"
	if len(change.After) == 0 {
		done = "removed, because nothing else was in it"
	}
	std.Say(fmt.Sprintf("%s: %s; %s notices when it is started again", change.File, done, agent))
	return nil
}

// command returns the command that the agent is to start. Desktop programs often have a different
// PATH, so the user's configuration contains the full path. A project's configuration is for
// everybody and contains only the name.
func (o mcpOptions) command(std *cli.Std) setup.MCPCommand {
	c := setup.MCPCommand{Program: "skillhand", Args: []string{"mcp"}}
	if first := std.Program(); first != "" && o.scope == "user" {
		c.Program = first
	}
	if o.allowRun {
		c.Args = append(c.Args, "--allow-run")
	}
	add := func(flag, dir string) {
		if abs, err := filepath.Abs(dir); dir != "" && err == nil {
			c.Args = append(c.Args, flag, abs)
		}
	}
	add("--plugin-root", o.at.PluginRoot)
	add("--cwd", o.at.Cwd)
	for _, root := range o.at.Roots {
		add("--root", root)
	}
	return c
}

// softLimit is the memory at which Go collects garbage more often. Without it, the garbage of large
// calls takes as much memory again.
const softLimit = 224 << 20

func runMCP(ctx context.Context, std *cli.Std, o mcpOptions) error {
	server, err := newMCPServer(std, o)
	if err != nil {
		return err
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // GOMEMLIMIT is not set
		debug.SetMemoryLimit(softLimit)
	}
	if o.http == "" {
		std.Waiting("waiting for an agent on stdin: agents start this command themselves, see skillhand mcp --install; Ctrl-C ends it")
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
	env := here.Env(std.Env).Without(tokenVariable) // no page may print the token
	h, err := o.at.Here(env)
	if err != nil {
		return nil, err
	}
	return &mcp.Server{Runtime: std.Runtime(h), Version: cli.NewVersion().Version, AllowRun: o.allowRun, Warn: std.Warn}, nil
}
