package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

// A manifest lists, by path, the files of a pinned folder that can run or say what runs. Of
// Markdown only the commands and the allowed tools count, so that prose can change. Of everything
// else every byte counts.
type manifest map[string]pinned

type pinned struct {
	Hash string `json:"hash"`
	Text string `json:"text,omitempty"` // text to show later how the file changed
}

const (
	maxPinned    = 10_000    // files
	maxPinnedAll = 256 << 20 // bytes
	maxShown     = 64 << 10  // bytes of one file that are kept to show how it changed
)

// snapshot reads a folder as it is now, and what its links lead to elsewhere: running a link runs
// its target.
func snapshot(dir string) (manifest, error) {
	s := snapshotter{dir: dir, into: manifest{}, walked: map[string]bool{}}
	return s.into, s.walk(dir, "")
}

// A snapshotter makes a manifest.
type snapshotter struct {
	dir    string // the pinned folder, by real path
	into   manifest
	size   int64
	walked map[string]bool // folders elsewhere, by real path
}

// walk adds the files of a folder, with paths below at.
func (s *snapshotter) walk(folder, at string) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir // history of the folder, not content
		case d.IsDir():
			return nil
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		rel = at + filepath.ToSlash(rel)
		if d.Type()&fs.ModeSymlink != 0 {
			return s.link(path, rel)
		}
		text, err := pinnedText(path, d.Type(), at == "")
		if err != nil {
			return err
		}
		return s.add(rel, text)
	})
}

// link adds a link: where it leads and, if that is outside of the folder, what is there.
func (s *snapshotter) link(path, rel string) error {
	to, err := os.Readlink(path)
	if err != nil {
		return err
	}
	text := []byte("link to " + to)
	real, err := realPath(path)
	if err != nil || files.Inside(s.dir, real) {
		return s.add(rel, text) // it leads nowhere, or to something that is pinned itself
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return s.add(rel, text)
	case !info.IsDir():
		there, err := pinnedText(real, info.Mode().Type(), false)
		if err != nil {
			return err
		}
		return s.add(rel, slices.Concat(text, []byte("\n"), there))
	}
	if err := s.add(rel, text); err != nil || s.walked[real] {
		return err
	}
	s.walked[real] = true
	return s.walk(real, rel+"/")
}

func (s *snapshotter) add(rel string, text []byte) error {
	if len(s.into) == maxPinned {
		return fmt.Errorf("%s: more than %d files: pin the folders of its skills instead", s.dir, maxPinned)
	}
	if s.size += int64(len(text)); s.size > maxPinnedAll {
		return fmt.Errorf("%s: more than %d MB: pin the folders of its skills instead", s.dir, maxPinnedAll>>20)
	}
	p := pinned{Hash: digest(text)}
	if len(text) <= maxShown && utf8.Valid(text) && !bytes.ContainsRune(text, 0) {
		p.Text = string(text)
	}
	s.into[rel] = p
	return nil
}

// pinnedText returns the part of a file's text that counts. Prose in the folder itself does not
// count, because Run compares every byte. Elsewhere all of it counts, because nobody looks again.
func pinnedText(path string, kind fs.FileMode, own bool) ([]byte, error) {
	if !kind.IsRegular() {
		return []byte("not a file: " + kind.String()), nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil || !own {
		return text, err
	}
	return counts(path, info.Mode(), text), nil
}

func counts(path string, mode fs.FileMode, text []byte) []byte {
	if strings.EqualFold(filepath.Ext(path), ".md") && mode&0o111 == 0 && len(text) <= skill.MaxSize {
		s := skill.Parse(path, text)
		lines := s.Commands()
		for _, tool := range s.Front.AllowedTools {
			lines = append(lines, "allowed-tools: "+tool)
		}
		return []byte(strings.Join(lines, "\n"))
	}
	return text
}

func (m manifest) hash() string {
	sum := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(sum, "%s\x00%s\x00", path, m[path].Hash)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Pin trusts dir as it is now. After a change to its commands or scripts nothing runs until it is
// pinned again. With a digest, dir must still have that digest, so that the user pins what they saw.
func (s Store) Pin(dir, digest string) (real string, err error) {
	if real, err = realDir(dir); err != nil {
		return "", err
	}
	m, err := snapshot(real)
	if err != nil {
		return "", err
	}
	if digest != "" && digest != m.hash() {
		return "", fmt.Errorf("%s: not pinned: its digest is %s, not %s", real, m.hash(), digest)
	}
	data, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	if err := files.MakeState(s.Dir); err != nil {
		return "", err
	}
	// Write the manifest first: the mark means nothing without it.
	if err := files.Write(s.file(real)+pinSuffix, data, 0o600); err != nil {
		return "", err
	}
	return real, files.Write(s.file(real), []byte(real+"\npin "+m.hash()+"\n"), 0o600)
}

// pinSuffix ends the name of a pinned folder's manifest.
const pinSuffix = ".pin"

// ErrNotPinned says that a folder is not pinned, so there is nothing to compare it with.
var ErrNotPinned = errors.New("not pinned")

// Changes returns a diff of a pinned folder's scripts, and of the commands in its Markdown, since it
// was pinned, and the folder's digest now. The diff is "" if nothing changed.
func (s Store) Changes(dir string) (changes, digest string, err error) {
	real, err := realDir(dir)
	if err != nil {
		return "", "", err
	}
	before := manifest{}
	data, err := os.ReadFile(s.file(real) + pinSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", ErrNotPinned
	}
	if err == nil {
		err = json.Unmarshal(data, &before)
	}
	if err != nil {
		return "", "", fmt.Errorf("the pinned state of %s cannot be read: %w", real, err)
	}
	now, err := snapshot(real)
	if err != nil {
		return "", "", err
	}
	all := maps.Clone(before)
	maps.Copy(all, now)
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(all)) {
		was, is := before[path], now[path]
		switch {
		case was.Hash == is.Hash:
		case was.Text == is.Text: // too large, or not text
			fmt.Fprintf(&b, "%s changed: %s is now %s\n", path, short(was.Hash), short(is.Hash))
		default:
			b.Write(diff.Diff("pinned/"+path, lines(was.Text), "now/"+path, lines(is.Text)))
		}
	}
	return b.String(), now.hash(), nil
}

func lines(text string) []byte {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return []byte(text)
}

func short(hash string) string {
	if hash == "" {
		return "nothing"
	}
	return hash[:12]
}
