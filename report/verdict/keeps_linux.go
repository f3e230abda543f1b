package verdict

import "golang.org/x/sys/unix"

// keepsFiles reports whether a file system keeps what is written to it. Those
// that only show what the kernel knows, such as /proc, have no blocks; one in
// memory may have none either, if it has no limit.
func keepsFiles(path string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return false
	}
	return st.Blocks > 0 || st.Type == unix.TMPFS_MAGIC || st.Type == unix.FUSE_SUPER_MAGIC
}
