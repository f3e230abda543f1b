package main

import (
	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/lsp"
)

func newLSP(std *cli.Std) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Show findings of check in an editor, as you type",
		Long: `Serve the Language Server Protocol on stdin and stdout, for editors: findings of
skillhand check as you type, fixes for them, what Claude Code decides about the
directive under the cursor, and completion of frontmatter. lsp runs no commands.
docs/editors.md says how to set up VS Code, Neovim, Zed and Helix.`,
		Example: `  skillhand lsp`,
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := here.From("", std.Env)
			if err != nil {
				return err
			}
			std.Waiting("waiting for an editor on stdin: editors start this command themselves, see docs/editors.md; Ctrl-C ends it")
			return lsp.Serve(cmd.Context(), h, cli.NewVersion().Version, std.In, std.Out)
		},
	}
	cmd.Flags().Bool("stdio", true, "ignored: editors like to pass it")
	return cmd
}
