package main

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/cli/clitest"
)

// TestReference holds the generated parts of docs against the program.
func TestReference(t *testing.T) {
	root := &cobra.Command{Use: "skillhand"}
	root.AddCommand(commands(&cli.Std{})...)
	clitest.Region(t, "../../docs/reference.md", "commands of the second program", clitest.Reference(root))
}
