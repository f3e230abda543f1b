//go:build !linux

package proc

// KillMarked does nothing here. Only Linux shows the environment of other processes.
func KillMarked(variable, value string) {}
