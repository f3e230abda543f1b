// Package links answers one question: who decides where a path leads? Whoever can
// change a link on the way chooses the file at its end.
package links

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// most is how many links a path may have, as in Linux.
const most = 40

// Follow returns where an absolute path really leads, last, and before that the
// folders that hold what the path leaves on its way: a link, or what ".." leaves. The
// folders that it does not leave hold all the rest.
func Follow(path string) (trail []string, err error) {
	root := filepath.VolumeName(path) + string(filepath.Separator)
	at, names, links := root, strings.Split(path[len(root)-1:], string(filepath.Separator)), 0
	for ; len(names) > 0; names = names[1:] {
		switch names[0] {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			trail = append(trail, at)
			continue
		}
		next := filepath.Join(at, names[0])
		info, err := os.Lstat(next)
		if err != nil {
			return nil, err
		}
		if info.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if err != nil {
			return nil, err
		}
		if links++; links > most {
			return nil, fmt.Errorf("%s: too many links", path)
		}
		trail = append(trail, at)
		if filepath.IsAbs(target) {
			at = root
		}
		names = slices.Concat([]string{""}, strings.Split(target, string(filepath.Separator)), names[1:])
	}
	return append(trail, at), nil
}
