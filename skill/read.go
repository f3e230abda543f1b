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

// MaxSize is how long a skill's file may be. A page that long reaches no agent whole.
const MaxSize = files.MaxSize

// Read reads and parses the skill at loc. The file is opened once, and its real
// path is checked against what was opened: a link that changes meanwhile cannot
// make one file's text pass for another's.
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

// Front reads only the frontmatter of the skill at l, and what a list of skills
// would say about it: its description, else the first line of its text. A text
// for the first use is described by the SKILL.md that it belongs to.
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

// text reads the file, which must lie in its folder, for those who need not know
// where that really is.
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

// direct reports whether the file stands in its folder itself, so that nothing
// but a link could lead it elsewhere.
func (l Location) direct() bool { return filepath.Dir(l.File) == l.Folder }

// realPlace is where a file really is, and its folder.
type realPlace struct{ file, folder string }

// check reports whether the file lies in its folder.
func (r realPlace) check(l Location) error {
	if !files.Inside(r.folder, r.file) {
		return fmt.Errorf("%s: links to %s, outside its skill's folder", l.File, r.file)
	}
	return nil
}

// where finds out where the location's file really is, and which file that is.
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

// read reads the file and finds out where it really is: in its folder, or it is
// refused.
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
