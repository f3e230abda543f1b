package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// StateMark names the file that lists what in the state folder is skillhand's. Everything else is
// somebody else's.
const StateMark = ".skillhand"

// MakeState makes a folder in the state folder and notes that skillhand made it. It leaves an
// existing folder as it is.
func MakeState(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) { // another process has just made it
		return nil
	}
	if err == nil {
		err = NoteState(dir)
	}
	return err
}

// NoteState notes that a file or folder of the state folder is skillhand's.
func NoteState(path string) error {
	f, err := os.OpenFile(filepath.Join(filepath.Dir(path), StateMark), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(filepath.Base(path) + "\n")
	return errors.Join(err, f.Close())
}

// StateNames lists what in a state folder is skillhand's, by its mark.
func StateNames(dir string) []string {
	text, _ := os.ReadFile(filepath.Join(dir, StateMark))
	return strings.Fields(string(text))
}
