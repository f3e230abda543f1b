// Command skillhand-server is the part of skillhand that needs a database or a
// network: skillhand hands over to it, so that its own start stays fast.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/cli"
)

func main() { os.Exit(run()) }

// run does the work of main and returns the exit status. Tests run it under the name
// skillhand-server.
func run() int {
	std := cli.NewStd()
	std.Env = skillhand.SafeEnv(std.Env) // jobs and trials work in other folders
	std.Find = func(name string) (string, error) { return skillhand.FindProgram(name, std.Env) }
	return cli.ServerMain(std, os.Args[1:], commands(std)...)
}

// commands returns the commands of this program. Each also has a line in internal/cli, from which
// skillhand makes its help.
func commands(std *cli.Std) []*cobra.Command {
	return []*cobra.Command{newBatch(std), newDone(std), newLSP(std), newMCP(std), newPage(std), newServer(std), newTry(std)}
}
