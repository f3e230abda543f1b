package verdict

import "golang.org/x/sys/unix"

// keepsFiles reports whether the file system of a path keeps what is written to it. File systems
// that only show data of the kernel, such as /proc, have no blocks. A file system in memory may
// also have no blocks, if it has no limit.
func keepsFiles(path string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return false
	}
	return st.Blocks > 0 || st.Type == unix.TMPFS_MAGIC || st.Type == unix.FUSE_SUPER_MAGIC
}
