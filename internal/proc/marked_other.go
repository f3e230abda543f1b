//go:build !linux

package proc

// KillMarked kills the processes that were started with a variable in their environment. Only
// Linux shows it.
func KillMarked(variable, value string) {}
