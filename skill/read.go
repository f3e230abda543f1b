package skill

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
)

// MaxSize limits the size of a skill's file. No agent gets a longer page whole.
const MaxSize = files.MaxSize

// Read reads and parses the skill at loc. It opens the file once and compares its real path with the
// opened file. A link that changes in the meantime cannot pass off one file as another.
func Read(loc Location) (*Skill, error) {
	src, real, err := loc.read()
	if err != nil {
		return nil, err
	}
	s := Parse(loc.File, src)
	s.Name, s.Real, s.Dir = loc.Name, real.file, real.folder
	if loc.Command {
		s.Dir = filepath.Dir(real.file)
	}
	return s, nil
}

// Front reads only the frontmatter of the skill at l, and its description for a list: the
// description field, else the first line of its text. A first-use text has the description of its
// SKILL.md.
func (l Location) Front() (f Frontmatter, summary string, err error) {
	if main := l.Main(); main != l {
		if f, summary, err := main.front(); err == nil {
			return f, summary, nil
		}
	}
	return l.front()
}

func (l Location) front() (f Frontmatter, summary string, err error) {
	src, err := l.text()
	if err != nil {
		return f, "", err
	}
	text := string(src)
	header := splitFrontmatter(text)
	f, _ = parseFrontmatter(text[:header])
	if summary = strings.TrimSpace(f.Description); summary != "" {
		return f, summary, nil
	}
	for line := range strings.Lines(text[header:]) {
		if summary = strings.TrimSpace(strings.TrimLeft(line, "# \t")); summary != "" {
			break
		}
	}
	return f, summary, nil
}

// text reads the file, which must be inside its folder, without returning its real path.
func (l Location) text() ([]byte, error) {
	src, opened, err := files.ReadOpened(l.File)
	if err != nil {
		return nil, err
	}
	if now, err := os.Lstat(l.File); err == nil && os.SameFile(opened, now) && l.direct() {
		return src, l.checkText(src)
	}
	src, _, err = l.read()
	return src, err
}

// direct reports whether the file is directly in its folder, so that only a link could lead
// elsewhere.
func (l Location) direct() bool { return filepath.Dir(l.File) == l.Folder }

// realPlace holds the real paths of a file and of its folder.
type realPlace struct{ file, folder string }

// check reports whether the file is inside its folder.
func (r realPlace) check(l Location) error {
	if !files.Inside(r.folder, r.file) {
		return fmt.Errorf("%s: links to %s, outside its skill's folder", l.File, r.file)
	}
	return nil
}

// where returns the real place of the location's file, and which file it is.
func (l Location) where() (real realPlace, info fs.FileInfo, err error) {
	if real.folder, err = filepath.EvalSymlinks(l.Folder); err != nil {
		return real, nil, err
	}
	if l.direct() {
		real.file = filepath.Join(real.folder, filepath.Base(l.File))
		if info, err = os.Lstat(real.file); err == nil && info.Mode().IsRegular() {
			return real, info, nil
		}
	}
	if real.file, err = filepath.EvalSymlinks(l.File); err == nil {
		info, err = os.Lstat(real.file)
	}
	return real, info, err
}

// read reads the file and returns its real place. It refuses a file outside of its folder.
func (l Location) read() (src []byte, real realPlace, err error) {
	for range 10 {
		var opened, now fs.FileInfo
		if src, opened, err = files.ReadOpened(l.File); err != nil {
			return nil, real, err
		}
		if real, now, err = l.where(); err != nil || !os.SameFile(opened, now) {
			continue
		}
		if err = real.check(l); err == nil {
			err = l.checkText(src)
		}
		return src, real, err
	}
	return nil, real, files.Changing(l.File)
}

func (l Location) checkText(src []byte) error {
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return fmt.Errorf("%s:%d: not a text file (it has a zero byte)", l.File, 1+bytes.Count(src[:i], []byte("\n")))
	}
	return nil
}
