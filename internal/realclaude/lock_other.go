//go:build !unix

package realclaude

// lock does nothing: here two processes may both install, and the rename decides.
func lock(string) (unlock func(), err error) { return func() {}, nil }
