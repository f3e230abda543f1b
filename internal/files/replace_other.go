//go:build !unix

package files

import "io/fs"

// mayReplace reports why a file must not be replaced. Owners are unknown on this system.
func mayReplace(fs.FileInfo) error { return nil }

// keepOwner does nothing on this system: a file in the same folder has the same owner.
func keepOwner(string, fs.FileInfo) error { return nil }
