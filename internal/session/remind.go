package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/files"
)

// Reminded returns how often an agent was reminded in the turn of a prompt that something is missing.
func (s Store) Reminded(id ID, prompt string) (n int, err error) {
	for {
		file, err := s.reminder(id, prompt, n+1)
		if err != nil {
			return 0, err
		}
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
			return n, nil
		} else if err != nil {
			return 0, err
		}
		n++
	}
}

// Remind notes reminder n of a turn. It is an error if somebody else has given it, or if that cannot be
// kept: whoever counts wrongly reminds for ever.
func (s Store) Remind(id ID, prompt string, n int) error {
	file, err := s.reminder(id, prompt, n)
	if err != nil {
		return err
	}
	if err := errors.Join(files.MakeState(s.Dir), os.MkdirAll(filepath.Dir(file), 0o700)); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// reminder names the file that says that a reminder was given.
func (s Store) reminder(id ID, prompt string, n int) (string, error) {
	agent, err := folder(id.Agent)
	if err != nil {
		return "", err
	}
	return s.path(id.Session, reminders, fmt.Sprintf("%s-%d", key(agent+"\n"+prompt), n))
}
