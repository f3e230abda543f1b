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
	FromUser      = "user"      // a folder of the user
	FromInstalled = "installed" // a plugin that Claude Code installed
)

// A Location is where a skill or command was found.
type Location struct {
	// foo, also for a plugin's plug:foo and for foo-first-use/SKILL.md; folder:foo for a command in a
	// folder
	Name    string `json:"name"`
	Call    string `json:"call"`             // in a list: the name, plugin:name or path that finds only this skill
	Plugin  string `json:"plugin,omitempty"` // the plugin's name, or ""
	From    string `json:"from"`             // one of the constants above; "" for a skill named by its path
	Command bool   `json:"command"`          // a command, commands/foo.md, not a skill
	File    string `json:"file"`             // the file to read
	// the folder of the skill or of all commands, as it was found; the real path of File is inside it
	Folder string `json:"-"`
}

// Check reports why the location's file must not be read: it is missing, or its real path is outside
// of the skill's folder. The folder may be a link, as installers make them. A linked file could be
// any file of the user.
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
