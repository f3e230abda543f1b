package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
)

func newStatusline(std *cli.Std) *cobra.Command {
	var req activity.InstallRequest
	var install, uninstall bool
	cmd := &cobra.Command{
		Use:   "statusline",
		Short: "Print Claude Code's status line, or install it",
		Long: `Print Claude Code's status line: model, folder, context used, cost, loaded skills
and the last runs. Claude Code passes the first four as JSON on stdin. This command
never fails: it leaves out what it does not know.

--install adds the status line to .claude/settings.json of this project, or with
--user to your own settings. The rest of the file stays as it is, byte for byte.
--install replaces another status line only with --force. --uninstall removes
skillhand's.`,
		Example: `  skillhand statusline --install
  skillhand statusline --install --user
  skillhand statusline --uninstall
  echo '{"model":{"display_name":"Opus"}}' | skillhand statusline`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			switch {
			case req.Force && !install:
				return cli.Usagef("--force needs --install")
			case req.User && !install && !uninstall:
				return cli.Usagef("--user needs --install or --uninstall")
			case uninstall:
				return uninstallLine(std, req.User)
			case !install:
				return std.Print(activity.StatusLine(std.Env, activity.ReadLineInput(std.In)) + "\n")
			}
			return installLine(std, req)
		},
	}
	cmd.Flags().BoolVar(&install, "install", false, "add it to .claude/settings.json")
	cmd.Flags().BoolVar(&uninstall, "uninstall", false, "remove it from .claude/settings.json")
	cmd.MarkFlagsMutuallyExclusive("install", "uninstall")
	cmd.Flags().BoolVar(&req.Force, "force", false, "replace another status line")
	cmd.Flags().BoolVar(&req.User, "user", false, "change your own settings, which count in all your projects")
	return cmd
}

func installLine(std *cli.Std, req activity.InstallRequest) error {
	h, err := here.From("", std.Env)
	if err != nil {
		return err
	}
	done, err := activity.InstallLine(h, req)
	switch {
	case err != nil:
		return err
	case done.Already:
		return std.Print(term.Near(done.File) + ": the status line is already installed\n")
	case done.Hidden != nil:
		std.Warn(fmt.Sprintf("%s:%d: this status line takes precedence", done.Hidden.File, done.Hidden.Line))
	}
	return std.Print(term.Near(done.File) + ": status line installed\n")
}

func uninstallLine(std *cli.Std, user bool) error {
	h, err := here.From("", std.Env)
	if err != nil {
		return err
	}
	file, gone, err := activity.RemoveLine(h, user)
	switch {
	case err != nil:
		return err
	case !gone:
		return std.Print(term.Near(file) + ": there is no status line\n")
	}
	return std.Print(term.Near(file) + ": status line removed\n")
}
