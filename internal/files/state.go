package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// StateMark is the file in which the state folder says what in it is skillhand's. What it does not list is somebody else's.
const StateMark = ".skillhand"

// MakeState makes a folder of the state folder, with a note that skillhand made it. One that is there already stays as it is.
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

// StateNames lists what a state folder says is skillhand's; nothing is, if it says nothing.
func StateNames(dir string) []string {
	text, _ := os.ReadFile(filepath.Join(dir, StateMark))
	return strings.Fields(string(text))
}
