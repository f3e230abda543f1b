// Command skillhand loads skills for agents, and runs and judges their scripts.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/cli"
)

func main() { os.Exit(run()) }

// run does the work of main and returns the exit status. Tests run it under the name skillhand.
func run() int {
	std := cli.NewStd()
	std.Find = func(name string) (string, error) { return skillhand.FindProgram(name, std.Env) }
	if command := cli.ForServer(os.Args[1:]); command != "" {
		return cli.HandOver(std, command, os.Args[1:])
	}
	root := newRoot(std)
	cli.SetArgs(root, cli.DashArgument(root, os.Args[1:], "ask", "prompt"))
	return cli.Run(std, root)
}

func newRoot(std *cli.Std) *cobra.Command {
	root := &cobra.Command{
		Use:   "skillhand",
		Short: "Lint, test, run and serve agent skills",
		Long:  "Lint, test, run and serve agent skills, and call Claude from scripts with typed results.",
		Example: `  skillhand check                       find what is wrong with the skills here
  skillhand load review src/auth.go     print the skill "review" for an agent
  skillhand try review --runs 5         does it fire, does it help
  git diff | skillhand ask 'Review it'  an answer, or a named failure`,
	}
	root.AddCommand(newLoad(std), newRun(std), newAsk(std), newParse(std), newEmit(std), newMigrate(std), newCheck(std), newMay(std),
		newStatusline(std), newHistory(std), newUsage(std), newList(std), newTest(std), newInit(std), newHook(std), newTrust(std),
		newDoctor(std), newGate(std), newUpgrade(std), newUninstall(std), newBuiltin(std), cli.NewMan(std, false), cli.NewVersionCommand(std))
	root.AddCommand(cli.ServerCommands()...)
	cli.Root(std, root)
	return root
}
