package proc

import "os/exec"

// Launch starts a program that is the user's from then on, such as a browser:
// alone among all that this package starts, it may outlive us. It has no
// streams, and signals from our terminal do not reach it.
func Launch(args, env []string) error {
	path, err := Find(args[0], "", env)
	if err != nil {
		return err
	}
	cmd := &exec.Cmd{Path: path, Args: args, Env: env, SysProcAttr: launched()}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // how it ends is nobody's business
	return nil
}
