package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/cli/clitest"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/test"
)

// bin is a folder with both programs in it.
var bin string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	var err error
	if bin, err = os.MkdirTemp("", "skillhand-bin-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	build := exec.Command("go", "build", "-o", bin, "./cmd/...")
	build.Dir, build.Stderr = "../..", os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	return m.Run()
}

// TestScripts runs the command line as people type it, with the two programs as
// they are installed.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("BIN", bin)
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			return os.MkdirAll(home, 0o777)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"schema": test.SchemaScript},
	})
}

// TestCommands: skillhand's help names the commands of this program, in its words.
func TestCommands(t *testing.T) {
	said := func(all []*cobra.Command) (names [][2]string) {
		for _, c := range all {
			names = append(names, [2]string{c.Name(), c.Short})
		}
		return names
	}
	if diff := cmp.Diff(said(cli.ServerCommands()), said(commands(cli.NewStd()))); diff != "" {
		t.Errorf("internal/cli (-) and the commands here (+) differ:\n%s", diff)
	}
}

// TestWords: the flags of all commands have one word for one thing.
func TestWords(t *testing.T) {
	root := &cobra.Command{Use: "skillhand"}
	root.AddCommand(commands(&cli.Std{})...)
	clitest.Failures(t, root, func(std *cli.Std) int { return cli.ServerMain(std, os.Args[1:], commands(std)...) })
	for _, c := range commands(&cli.Std{}) {
		clitest.Check(t, c)
		for line := range strings.SplitSeq(c.Example, "\n") { // other text is broken where it must be
			if n := term.Cells(line); n > 80 {
				t.Errorf("%s --help: %d columns: %s", c.Name(), n, line)
			}
		}
	}
}
