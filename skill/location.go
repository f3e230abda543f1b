package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/skillhand/skillhand/internal/files"
)

// Where a skill comes from.
const (
	FromRoot      = "root"      // a folder that the caller chose
	FromPlugin    = "plugin"    // the plugin that was named
	FromProject   = "project"   // the project, its plugins included
	FromUser      = "user"      // a folder of the user's own
	FromInstalled = "installed" // a plugin that Claude Code installed
)

// A Location is where a skill or command was found.
type Location struct {
	// foo, also for a plugin's plug:foo and for foo-first-use/SKILL.md; for a command in a folder folder:foo
	Name    string `json:"name"`
	Call    string `json:"call"`             // in a list: the name, plugin:name or path that finds this one and no other
	Plugin  string `json:"plugin,omitempty"` // the plugin's name, if it is from one
	From    string `json:"from"`             // one of the constants above; "" if it was named by its path
	Command bool   `json:"command"`          // commands/foo.md, no skill
	File    string `json:"file"`             // the file to read
	// the skill's folder, or that of all commands, as it was found: File, links resolved, lies inside it
	Folder string `json:"-"`
}

// Check reports why the location's file cannot be read as its skill's: it is missing, or, links
// resolved, it does not lie in the skill's own folder. The folder itself may be a link: installers
// make such. A linked file could be any file of the user's.
func (l Location) Check() error {
	info, err := os.Lstat(l.File)
	switch {
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	case err != nil:
		return fmt.Errorf("%s: %w", l.File, files.Cause(err))
	case info.Mode().IsRegular() && l.direct():
		return nil
	}
	if info, err = os.Stat(l.File); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: a broken link", l.File)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", l.File, files.Cause(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", l.File)
	}
	real, _, err := l.where()
	if err != nil {
		return err
	}
	return real.check(l)
}
