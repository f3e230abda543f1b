package proc

import "os/exec"

// Launch starts a program that belongs to the user from then on, such as a browser. It is the only
// program started by this package that may outlive us. It has no streams, and signals from our
// terminal do not reach it.
func Launch(args, env []string) error {
	path, err := Find(args[0], "", env)
	if err != nil {
		return err
	}
	cmd := &exec.Cmd{Path: path, Args: args, Env: env, SysProcAttr: launched()}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // nobody needs to know how the program ends
	return nil
}
