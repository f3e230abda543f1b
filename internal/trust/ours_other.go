//go:build !unix

package trust

// onlyOurs reports why others than the user can write to a folder. On this system the folder is in
// the user's profile, and its mode does not show its permissions.
func onlyOurs(string) error { return nil }
