//go:build !unix

package proc

import (
	"os"
	"os/signal"
)

// Become runs a program in place of this one and returns its exit status. The program has our
// streams. Ctrl-C reaches it directly, so it decides what to do.
func Become(path string, args, env []string) (exit int, err error) {
	signal.Ignore(os.Interrupt)
	p, err := os.StartProcess(path, args, &os.ProcAttr{Env: env, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return 0, err
	}
	state, err := p.Wait()
	if err != nil {
		return 0, err
	}
	return state.ExitCode(), nil
}
