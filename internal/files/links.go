package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostLinks limits the links on a path, as Linux does.
const mostLinks = 40

// FollowLinks resolves an absolute path. The last result is where the path really leads. Before it come
// the folders that the path leaves on its way, through a link or "..".
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

// LinksOut reports whether a file is a link to a file outside its folder, and to which. The folder
// itself may be a link: installers make such links.
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
