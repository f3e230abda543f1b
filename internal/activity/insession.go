package activity

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/here"
)

// maxQuick limits the part of the index that frequent callers, such as the status line, read.
const maxQuick = 4 << 20

// InSession returns the index's data about a session of Claude Code in a folder. It reads no
// transcript, and only the index of that folder. It reports whether there is any data.
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

// OfSession returns an account of a session of Claude Code. It reads the new parts of the
// transcripts in that session's folder and in no other. It returns nil if the session has no
// transcript.
func OfSession(h here.Here, session string) (*Account, error) {
	f, err := folderOf(h, session)
	if f == nil || err != nil {
		return nil, err
	}
	r, a := readFolders([]*folder{f}, Options{Session: session})
	a.Advice = append(a.Advice, r.advise(a, nil)...)
	return a, nil
}

// Transcript returns the transcript of a session of Claude Code, or "" if there is none.
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

// claudeFolder returns the name of the folder where Claude Code keeps a project's transcripts.
func claudeFolder(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, dir)
}

// Uncalled returns the skills that were offered in a project since a time but never called. It
// reads only the index and no transcript. Without an index it returns nothing.
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

// Uncalled returns the skills that were offered but never called.
func (a *Account) Uncalled() (names []string) {
	for _, s := range a.Skills {
		if s.Counts.Offered > 0 && s.Counts.Fired() == 0 {
			names = append(names, s.Name)
		}
	}
	return names
}
