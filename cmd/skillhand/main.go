// Command skillhand loads skills for agents, and runs and judges their scripts.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/cli"
)

func main() { os.Exit(run()) }

// run is main without the exit. It is also what the tests call skillhand.
func run() int {
	std := &stdio{Std: cli.NewStd()}
	std.Find = func(name string) (string, error) { return skillhand.FindProgram(name, std.Env) }
	if command := cli.ForServer(os.Args[1:]); command != "" {
		return cli.HandOver(std.Std, command, os.Args[1:])
	}
	root := newRoot(std)
	cli.SetArgs(root, dashPrompt(root, os.Args[1:]))
	return cli.Run(std.Std, root)
}

// A stdio is what a command reads, writes and depends on.
type stdio struct {
	*cli.Std
}

func newRoot(std *stdio) *cobra.Command {
	root := &cobra.Command{
		Use:   "skillhand",
		Short: "The hand behind an agent's skills",
		Long: `skillhand prints a skill as the agent should read it, with live output from the
commands in it. It also runs a skill's script and judges what the script
reports. Arguments are data, never code. Commands run only from folders that
you trust.`,
		Example: `  skillhand load review src/auth.go     print the skill "review" for an agent
  skillhand load ./skills/review        the same, by its path
  skillhand run deploy staging          run the script of "deploy" and judge it
  skillhand ask 'What is this?' --json  ask Claude: an answer or a named failure
  skillhand parse out.txt               read the report in a script's output
  skillhand migrate --dry-run skills    upgrade old skills to the current format
  skillhand status                      what is loaded, how the last runs went
  skillhand trust                       let this project's skills run commands`,
	}
	root.AddCommand(newLoad(std), newRun(std), newAsk(std), newParse(std), newEmit(std), newMigrate(std), newCheck(std), newExplain(std), newStatus(std), newStatusline(std), newRetro(std), newHistory(std), newList(std), newTest(std), newInit(std), newHook(std), newTrust(std), newDoctor(std), newBuiltin(std), cli.NewMan(std.Std, false), cli.NewVersionCommand(std.Std))
	root.AddCommand(cli.ServerCommands()...)
	cli.Root(std.Std, root)
	return root
}
