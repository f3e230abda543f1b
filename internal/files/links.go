package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// most is how many links a path may have, as in Linux.
const mostLinks = 40

// Follow returns where an absolute path really leads, last, and before that the
// folders that hold what the path leaves on its way: a link, or what ".." leaves. The
// folders that it does not leave hold all the rest.
func FollowLinks(path string) (trail []string, err error) {
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
		if links++; links > mostLinks {
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

// LinksOut reports whether a file is a link to one that lies outside its folder, and to which. The
// folder itself may be a link: installers make such.
func LinksOut(file string) (real string, out bool) {
	if info, err := os.Lstat(file); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return "", false
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	return real, err != nil || !Inside(dir, real)
}
