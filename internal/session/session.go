// Package session answers one question: what has this agent already seen?
//
// It keeps marks per session, agent and skill. In doubt, a skill counts as not seen: one page too
// many costs little, instructions that an agent never read cost much.
package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/files"
)

// A Store keeps marks in a folder, which it makes when needed.
type Store struct {
	Dir string
}

// An ID names the reader of pages: an agent in a session. Agent "" is the main one.
type ID struct {
	Session string
	Agent   string
}

// A Mark says that an agent has seen a skill.
type Mark struct {
	Session string    `json:"session"`
	Agent   string    `json:"agent"`
	Skill   string    `json:"skill"`            // its name, for people
	File    string    `json:"file"`             // its real path, which identifies it
	Hash    string    `json:"hash"`             // of the source that was seen
	Prompt  string    `json:"prompt,omitempty"` // the id of the prompt in whose turn it was seen, if known
	Time    time.Time `json:"time"`
}

// CheckID reports what is wrong with the id of a session or an agent. Ids become parts of paths, so
// few characters are allowed.
func CheckID(id string) error {
	if len(id) == 0 || len(id) > 128 {
		return fmt.Errorf("an id has 1 to 128 characters, this one has %d", len(id))
	}
	for _, r := range id {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_') {
			return fmt.Errorf("an id may contain only letters, digits, - and _, not %q", r)
		}
	}
	return nil
}

// The folders of a session. Ids have no @, so no agent's folder has one of these names.
const (
	mainAgent = "@main"
	notes     = "@notes"
	earlier   = "@earlier"
	active    = "@active" // subagents that have started and not ended
	reminders = "@reminders"
)

// path returns the path of a session, or of something in it. All paths of the store come from here.
func (s Store) path(session string, more ...string) (string, error) {
	if err := CheckID(session); err != nil {
		return "", fmt.Errorf("session %q: %w", shorten(session), err)
	}
	return filepath.Join(append([]string{s.Dir, session}, more...)...), nil
}

func shorten(id string) string { return id[:min(len(id), 40)] }

func folder(agent string) (string, error) {
	if agent == "" {
		return mainAgent, nil
	}
	if err := CheckID(agent); err != nil {
		return "", fmt.Errorf("agent %q: %w", shorten(agent), err)
	}
	return agent, nil
}

// key names the mark of a skill's file.
func key(file string) string {
	sum := sha256.Sum256([]byte(file))
	return hex.EncodeToString(sum[:16])
}

// Hash returns the hash of a skill's source that its mark keeps.
func Hash(source []byte) string {
	sum := sha256.Sum256(source)
	return hex.EncodeToString(sum[:])
}

// A Claim is one use of a skill by an agent, from before its page is rendered until it is delivered.
type Claim struct {
	Seen bool // the agent has seen this very text before

	mark      Mark
	found     Mark     // the mark that was there
	root      *os.Root // the agent's folder as it was when the claim was made
	temporary string   // the file that becomes the mark
}

// Claim begins a use of a skill: file is its real path, hash the hash of its source. It counts only
// after Commit: a page that was not delivered was not seen.
func (s Store) Claim(id ID, name, file, hash string) (*Claim, error) {
	dir, err := s.Folder(id)
	if err != nil {
		return nil, err
	}
	c := &Claim{mark: Mark{Session: id.Session, Agent: id.Agent, Skill: name, File: file, Hash: hash}}
	// The folder stays open: Forget moves it away as a whole, so a mark that comes too late is
	// written into the old folder and does not count.
	if err := files.MakeState(s.Dir); err != nil {
		return nil, err
	}
	if c.root, err = openRoot(dir); err != nil {
		return nil, err
	}
	// If nothing can be written here, Forget could not forget anything either.
	c.temporary = "." + key(file) + "-" + rand.Text()
	if err := c.root.WriteFile(c.temporary, nil, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.root.Close()
		return nil, err
	}
	c.Seen = c.seen()
	return c, nil
}

// seen reports whether there is a recent mark of this very text.
func (c *Claim) seen() bool {
	info, err := c.root.Stat(key(c.mark.File))
	if err != nil || time.Since(info.ModTime()) > keptFor {
		return false
	}
	data, err := c.root.ReadFile(key(c.mark.File))
	if err != nil {
		return false
	}
	var m Mark
	ok := json.Unmarshal(data, &m) == nil && m.Session == c.mark.Session && m.Agent == c.mark.Agent && m.File == c.mark.File && m.Hash == c.mark.Hash
	c.found = m
	return ok
}

// StillSeen reports whether the skill was seen when the claim was made and still counts as seen. A
// compaction moves the agent's folder away, and the mark with it.
func (c *Claim) StillSeen() bool {
	was, err := c.root.Stat(".")
	if err != nil {
		return false
	}
	is, err := os.Stat(c.root.Name())
	return err == nil && os.SameFile(was, is) && c.Seen && c.seen()
}

// openRoot opens a folder, and makes it if needed. It tries several times, because Forget may move
// it away again at once.
func openRoot(dir string) (root *os.Root, err error) {
	for range 100 {
		if err := os.MkdirAll(dir, 0o700); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if root, err = os.OpenRoot(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return root, err
}

// Commit marks the skill as seen: its page was written in full.
func (c *Claim) Commit() error {
	defer c.Close()
	c.mark.Time = time.Now()
	data, err := json.Marshal(c.mark)
	if err != nil {
		return err
	}
	err = c.root.WriteFile(c.temporary, data, 0o600)
	if err == nil {
		err = c.root.Rename(c.temporary, key(c.mark.File))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // forgotten in the meantime, so not seen
	}
	return err
}

// Close gives a claim up without committing it.
func (c *Claim) Close() {
	_ = c.root.Remove(c.temporary) // it is gone after a commit
	_ = c.root.Close()
}

// Marks lists what an agent has seen, the latest first.
func (s Store) Marks(id ID) ([]Mark, error) {
	dir, err := s.Folder(id)
	if err != nil {
		return nil, err
	}
	return readMarks(dir)
}

// IDs returns the agents of all sessions.
func (s Store) IDs() ([]ID, error) {
	sessions, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []ID
	for _, e := range sessions {
		all = append(all, s.Agents(e.Name())...)
	}
	return all, err
}

// Agents returns the agents of a session that have seen something.
func (s Store) Agents(session string) []ID {
	dir, err := s.path(session)
	if err != nil {
		return nil
	}
	var all []ID
	entries, _ := os.ReadDir(dir) // a session that is gone has none
	for _, e := range entries {
		switch {
		case e.Name() == mainAgent:
			all = append(all, ID{Session: session})
		case CheckID(e.Name()) == nil:
			all = append(all, ID{Session: session, Agent: e.Name()})
		}
	}
	return all
}

// Folder returns the folder with the marks of an agent, for watchers.
func (s Store) Folder(id ID) (string, error) {
	agent, err := folder(id.Agent)
	if err != nil {
		return "", err
	}
	return s.path(id.Session, agent)
}

func readMarks(dir string) ([]Mark, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Mark
	for _, e := range entries {
		var m Mark
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err == nil && json.Unmarshal(data, &m) == nil && key(m.File) == e.Name() {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b Mark) int { return b.Time.Compare(a.Time) })
	return all, nil
}

// Forget removes the marks of an agent or, with all set, of every agent in the session. Earlier
// still lists what the main agent had seen.
func (s Store) Forget(id ID, all bool) error {
	session, err := s.path(id.Session)
	if err != nil {
		return err
	}
	agent, err := folder(id.Agent)
	if err != nil {
		return err
	}
	var faults []error
	if all || agent == mainAgent {
		faults = append(faults, s.keepEarlier(id.Session)) // if the list cannot be written, forget all the same
	}
	if !all {
		return errors.Join(append(faults, remove(filepath.Join(session, agent)))...)
	}
	entries, err := os.ReadDir(session)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.Name() != notes && e.Name() != active && e.Name() != reminders && !strings.HasPrefix(e.Name(), earlier) {
			faults = append(faults, remove(filepath.Join(session, e.Name())))
		}
	}
	return errors.Join(append(faults, err)...)
}

// Drop removes everything about a session.
func (s Store) Drop(session string) error {
	dir, err := s.path(session)
	if err != nil {
		return err
	}
	return remove(dir)
}

// remove renames a folder before it deletes its files, so that nobody writes into a half-deleted
// folder.
func remove(dir string) error {
	away := filepath.Join(filepath.Dir(dir), "@gone-"+rand.Text())
	if err := os.Rename(dir, away); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	// It is forgotten now. A late commit may still add a file to it. Sweep removes what remains.
	for range 10 {
		if os.RemoveAll(away) == nil {
			break
		}
	}
	return nil
}

// keepEarlier adds the main agent's marks to the list that survives Forget.
func (s Store) keepEarlier(session string) error {
	marks, err := s.Marks(ID{Session: session})
	if err != nil || len(marks) == 0 {
		return err
	}
	before, err := s.Earlier(session)
	if err != nil {
		return err
	}
	for _, m := range before {
		if !slices.ContainsFunc(marks, func(have Mark) bool { return have.File == m.File }) {
			marks = append(marks, m)
		}
	}
	file, err := s.path(session, earlier)
	if err != nil {
		return err
	}
	return writeWhole(file, file+"-"+rand.Text(), marks)
}

// writeWhole writes a value as JSON to a temporary file and renames it.
func writeWhole(file, temporary string, v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(temporary, data, 0o600)
	}
	if err == nil {
		err = os.Rename(temporary, file)
	}
	return err
}

// ForgetEarlier removes the list that Earlier returns.
func (s Store) ForgetEarlier(session string) error {
	file, err := s.path(session, earlier)
	if err != nil {
		return err
	}
	return removeFile(file)
}

// Earlier lists what the main agent had seen before Forget, the latest first.
func (s Store) Earlier(session string) ([]Mark, error) {
	file, err := s.path(session, earlier)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var marks []Mark
	if json.Unmarshal(data, &marks) != nil {
		marks = nil // a list that cannot be read names nothing
	}
	return marks, nil
}

// A note says that an agent is about to load a skill.
type note struct {
	Agent string    `json:"agent"`
	Skill string    `json:"skill"`
	Time  time.Time `json:"time"`
	Turn  Turn      `json:"turn"`
}

// Unknown stands for an unknown agent in a note. No id looks like it.
const Unknown = "?"

// noteAge limits the time between a note and its load.
const noteAge = 60 * time.Second

// Note remembers that an agent is about to load a skill. A hook knows which agent it is, the load
// itself does not.
func (s Store) Note(id ID, skill string, turn Turn) error {
	if _, err := folder(id.Agent); err != nil && id.Agent != Unknown {
		return err
	}
	dir, err := s.path(id.Session, notes, key(skill))
	if err != nil {
		return err
	}
	if err := errors.Join(files.MakeState(s.Dir), os.MkdirAll(dir, 0o700)); err != nil {
		return err
	}
	return writeWhole(filepath.Join(dir, rand.Text()), filepath.Join(dir, "."+rand.Text()), note{id.Agent, skill, time.Now(), turn})
}

// A Waiting says who is about to load a skill.
type Waiting struct {
	Agent string
	Noted bool // a hook said that someone is about to
	Known bool // and it can only be this agent
	Turn  Turn // the turn in which it loads
}

// spent is the suffix of a note whose load could not be told from another's.
const spent = "-spent"

// Taken returns which agent is about to load a skill, and removes its note. If several agents are
// waiting, nobody can tell which one loads, so none is known for sure. Their notes go once as many
// loads have come, or when they are too old. While another subagent is at work the agent is not
// known for sure either, because the skills that a subagent starts with are loaded without a note.
func (s Store) Taken(session, skill string) (Waiting, error) {
	dir, err := s.path(session, notes, key(skill))
	if err != nil {
		return Waiting{}, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Waiting{}, nil
	}
	if err != nil {
		return Waiting{}, err
	}
	w := Waiting{Known: true}
	var all, waiting []string
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		n, ok := readNote(file)
		switch {
		case strings.HasPrefix(e.Name(), ".") || !ok:
			continue // being written, or taken by another load
		case time.Since(n.Time) > noteAge || time.Until(n.Time) > noteAge:
			os.Remove(file)
			continue
		}
		if len(all) > 0 && w.Agent != n.Agent || n.Agent == Unknown {
			w.Known = false
		}
		w.Agent, w.Turn = n.Agent, n.Turn
		all = append(all, file)
		if !strings.HasSuffix(file, spent) {
			waiting = append(waiting, file)
		}
	}
	w.Noted = len(waiting) > 0
	if w.Noted && s.othersActive(session, w.Agent) {
		w.Known = false
	}
	switch {
	case w.Noted && w.Known:
		os.Remove(waiting[0])
	case len(waiting) > 1:
		_ = os.Rename(waiting[0], waiting[0]+spent) // on an error the note stays, and the next page is whole
	default: // the last that waited, or nobody
		for _, file := range all {
			os.Remove(file)
		}
	}
	if !w.Noted {
		return Waiting{Known: true}, nil
	}
	return w, nil
}

// Began notes that a subagent has started.
func (s Store) Began(id ID) error {
	file, err := s.activeFile(id)
	if err != nil {
		return err
	}
	if err := errors.Join(files.MakeState(s.Dir), os.MkdirAll(filepath.Dir(file), 0o700)); err != nil {
		return err
	}
	return os.WriteFile(file, nil, 0o600)
}

// Ended notes that a subagent has ended.
func (s Store) Ended(id ID) error {
	file, err := s.activeFile(id)
	if err != nil {
		return err
	}
	return removeFile(file)
}

// activeFile returns the path of the file that exists while a subagent is at work.
func (s Store) activeFile(id ID) (string, error) {
	agent, err := folder(id.Agent)
	if err != nil {
		return "", err
	}
	return s.path(id.Session, active, agent)
}

// removeFile removes a file, if it is there.
func removeFile(file string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// longestRun limits how long a subagent counts as at work if its end is never reported.
const longestRun = 24 * time.Hour

// othersActive reports whether a subagent other than this agent may be at work.
func (s Store) othersActive(session, agent string) bool {
	dir, err := s.path(session, active)
	if err != nil {
		return true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		info, err := e.Info()
		return err == nil && e.Name() != agent && time.Since(info.ModTime()) < longestRun
	})
}

// Take removes the note of an agent that is known to be loading a skill.
func (s Store) Take(id ID, skill string) error {
	dir, err := s.path(id.Session, notes, key(skill))
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if n, ok := readNote(file); ok && n.Agent == id.Agent {
			return os.Remove(file)
		}
	}
	return err
}

func readNote(file string) (note, bool) {
	var n note
	data, err := os.ReadFile(file)
	return n, err == nil && json.Unmarshal(data, &n) == nil
}

// keptFor limits how long a session without an end is remembered.
const keptFor = 30 * 24 * time.Hour

// Sweep removes marks that are older than 30 days, and sessions that have nothing else.
func (s Store) Sweep() error {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var faults []error
	for _, e := range entries {
		dir := filepath.Join(s.Dir, e.Name())
		if !e.IsDir() {
			continue
		}
		if time.Since(lastUse(dir)) > keptFor {
			faults = append(faults, remove(dir))
			continue
		}
		old, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
		for _, mark := range old {
			if info, err := os.Stat(mark); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > keptFor {
				faults = append(faults, os.Remove(mark))
			}
		}
	}
	return errors.Join(append(faults, err)...)
}

// lastUse returns when a file of a session was last written or, without files, its folder. It
// ignores what it cannot read.
func lastUse(dir string) time.Time {
	var files, folders time.Time
	later := func(t *time.Time, e fs.DirEntry) {
		if info, err := e.Info(); err == nil && info.ModTime().After(*t) {
			*t = info.ModTime()
		}
	}
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if e.IsDir() {
			later(&folders, e)
		} else {
			later(&files, e)
		}
		return nil
	})
	if files.IsZero() {
		return folders
	}
	return files
}
