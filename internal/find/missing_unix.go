//go:build unix

package find

import "syscall"

// missing reports whether nothing is at a path. Most folders that could hold skills do not exist.
// Asking costs less than trying to open them, and less than package os, which describes what it
// finds.
func missing(path string) bool {
	var found syscall.Stat_t
	return syscall.Stat(path, &found) == syscall.ENOENT
}

// absent reports whether nothing is at a path, not even a link that leads nowhere.
func absent(path string) bool {
	var found syscall.Stat_t
	return syscall.Lstat(path, &found) == syscall.ENOENT
}

func isLink(path string) bool {
	var found syscall.Stat_t
	return syscall.Lstat(path, &found) == nil && found.Mode&syscall.S_IFMT == syscall.S_IFLNK
}
