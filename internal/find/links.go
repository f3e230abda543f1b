package find

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/skillhand/skillhand/internal/files"
)

// A DeadLink says that a symbolic link leads nowhere.
type DeadLink struct {
	Target    string // as the link contains it
	Submodule string // the submodule that contains the target, if that submodule is not checked out
	Loop      bool   // the link leads back to itself
}

func (e *DeadLink) Error() string {
	switch {
	case e.Submodule != "":
		return fmt.Sprintf("a symbolic link to %s, in the submodule %s, which is not checked out", e.Target, e.Submodule)
	case e.Loop:
		return fmt.Sprintf("a symbolic link to %s, which leads back to it", e.Target)
	}
	return fmt.Sprintf("a symbolic link to %s, which does not exist", e.Target)
}

// Help returns what to do about the link.
func (e *DeadLink) Help() string {
	if e.Submodule != "" {
		return "run git submodule update --init " + e.Submodule
	}
	return "restore the target, or make the link lead to where it is now"
}

// deadLink describes the link at a path, if it leads nowhere or into a submodule that is not
// checked out. Otherwise it returns nil.
func deadLink(path string) *DeadLink {
	target, err := os.Readlink(path)
	if err != nil {
		return nil
	}
	_, err = os.Stat(path)
	to := files.In(files.Real(filepath.Dir(path)), target)
	if top := files.Top(filepath.Dir(path)); top != "" {
		for _, module := range submodules(top) {
			at := filepath.Join(files.Real(top), filepath.FromSlash(module))
			if files.Inside(at, to) && absent(filepath.Join(at, ".git")) {
				return &DeadLink{Target: target, Submodule: module}
			}
		}
	}
	if err == nil {
		return nil
	}
	return &DeadLink{Target: target, Loop: errors.Is(err, syscall.ELOOP)}
}

// submodules lists the folders of a repository's submodules.
func submodules(top string) (folders []string) {
	src, err := files.ReadFile(filepath.Join(top, ".gitmodules"))
	if err != nil {
		return nil
	}
	for lines := bufio.NewScanner(bytes.NewReader(src)); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), "="); ok && strings.TrimSpace(key) == "path" {
			folders = append(folders, strings.TrimSpace(value))
		}
	}
	return folders
}
