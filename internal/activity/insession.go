package activity

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/here"
)

// maxQuick is how large a part of the index may be for those who are asked all the time.
const maxQuick = 4 << 20

// InSession says what the index knows of one session of Claude Code in a folder: no transcript is read, and only the
// part of the index about that folder. It reports whether there is anything.
func InSession(h here.Here, dir, session string) (Session, bool) {
	if session == "" || dir == "" {
		return Session{}, false
	}
	f := newFolder(h, &claudeReader, filepath.Join(claudeReader.root(h), claudeFolder(dir)))
	if info, err := os.Stat(f.file); err != nil || info.Size() > maxQuick {
		return Session{}, false
	}
	if _, a := readFolders([]*folder{f}, Options{Session: session, IndexOnly: true}); len(a.Sessions) == 1 {
		return a.Sessions[0], true
	}
	return Session{}, false
}

// OfSession reports what a session of Claude Code did with skills. It reads what is new in the transcripts of that
// session's folder, and no other. Nil means that there is no transcript of it.
func OfSession(h here.Here, session string) (*Account, error) {
	f, err := folderOf(h, session)
	if f == nil || err != nil {
		return nil, err
	}
	r, a := readFolders([]*folder{f}, Options{Session: session})
	a.Advice = append(a.Advice, r.advise(a, nil)...)
	return a, nil
}

// Transcript returns the file of a session of Claude Code, or "" if there is none.
func Transcript(h here.Here, session string) (string, error) {
	f, err := folderOf(h, session)
	if f == nil || err != nil {
		return "", err
	}
	return filepath.Join(f.dir, session+".jsonl"), nil
}

// folderOf returns the folder that has the transcript of a session of Claude Code, or nil.
func folderOf(h here.Here, session string) (*folder, error) {
	if session == "" || filepath.Base(session) != session {
		return nil, nil
	}
	all, err := folders(h, claudeReader.agent)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if _, err := os.Stat(filepath.Join(f.dir, session+".jsonl")); err == nil {
			return f, nil
		}
	}
	return nil, nil
}

// claudeFolder returns the name that Claude Code gives to the folder of a project's transcripts.
func claudeFolder(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, dir)
}

// Uncalled lists the skills that were offered in a project since then and never called, as the index knows: no
// transcript is read. Nothing is listed if there is no index.
func Uncalled(h here.Here, since time.Time) (names []string) {
	if _, err := os.Stat(Dir(h)); err != nil {
		return nil
	}
	r, err := Read(h, Options{Since: since, Agent: claudeReader.agent, IndexOnly: true})
	if err != nil {
		return nil
	}
	return r.Uncalled()
}

// Uncalled lists the skills that were offered and never called.
func (a *Account) Uncalled() (names []string) {
	for _, s := range a.Skills {
		if s.Counts.Offered > 0 && s.Counts.Fired() == 0 {
			names = append(names, s.Name)
		}
	}
	return names
}
