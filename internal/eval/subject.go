package eval

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

// A Subject is a skill under test. It is plain data, which goes along in a packed Bundle.
type Subject struct {
	Name        string `json:"name"`        // what the agent calls it
	Description string `json:"description"` // what the agent reads of it before it fires
	Cases       []Case `json:"cases"`

	Names     Names    `json:"names"`
	Folder    string   `json:"folder"`              // links resolved
	Companion string   `json:"companion,omitempty"` // the folder with its first use, or ""; it goes wherever the skill goes
	Dir       string   `json:"dir"`                 // its name among skills
	Plugin    string   `json:"plugin,omitempty"`    // the root of its plugin, or ""
	Manual    bool     `json:"manual,omitempty"`    // it never fires by itself, but people may call it
	Whole     bool     `json:"whole,omitempty"`     // the plugin as a whole, not one skill of it
	User      bool     `json:"user,omitempty"`      // one of the user's own
	Trusted   bool     `json:"trusted,omitempty"`   // where it comes from
	Was       *Subject `json:"was,omitempty"`       // as it was at a revision: see At
}

// NewSubject makes a skill one that can be tried. Its cases are still to be read.
func NewSubject(loc skill.Location) (*Subject, error) {
	if loc.Command {
		return nil, fmt.Errorf("%s: a command, which people call: want a skill", loc.File)
	}
	front, summary, err := loc.Front()
	if err != nil {
		return nil, err
	}
	own, companion := foldersOf(loc)
	s := &Subject{
		Name: cmp.Or(loc.Call, loc.Name), Description: strings.TrimSpace(summary + " " + front.WhenToUse), Folder: files.Real(own),
		Companion: companion, Dir: filepath.Base(own), User: loc.From == skill.FromUser,
	}
	s.Manual = front.DisableModelInvocation
	s.Names = Names{s.Dir}
	if front.Name != "" && front.Name != s.Dir {
		s.Names = append(s.Names, front.Name)
	}
	if root := find.PluginOf(s.Folder); root != "" {
		s.Plugin, s.Dir = root, filepath.Base(s.Folder)
		for _, name := range s.Names {
			s.Names = append(s.Names, find.PluginName(root)+":"+name)
		}
	}
	return s, nil
}

// NewPlugin makes a plugin as a whole one that can be tried: every skill of it counts as fired, and the arm
// without has none of them. Its cases are those in its own evals folder.
func NewPlugin(root string) (*Subject, error) {
	root = files.Real(root)
	name := find.PluginName(root)
	s := &Subject{Name: name, Folder: root, Plugin: root, Dir: filepath.Base(root), Whole: true}
	var about []string
	for _, file := range files.Glob(root, "skills/*/"+skill.MainFile) {
		loc := skill.Location{File: file, Folder: filepath.Dir(file), Name: filepath.Base(filepath.Dir(file))}
		front, summary, err := loc.Front()
		if err != nil {
			return nil, err
		}
		for _, n := range []string{loc.Name, front.Name} {
			if n != "" && !slices.Contains(s.Names, n) {
				s.Names = append(s.Names, n, name+":"+n)
			}
		}
		about = append(about, summary)
	}
	s.Description = strings.Join(about, " ")
	return s, nil
}

// HasSuite reports whether the cases, or some of them, are in the form of claude plugin eval, or of a plugin as a whole.
func (s *Subject) HasSuite() bool {
	return s.Whole || slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Suite != nil })
}

// callsGit reports whether a directive of the skill calls git, which needs a repository.
func (s *Subject) callsGit() bool {
	file := filepath.Join(s.Folder, skill.MainFile)
	text, err := os.ReadFile(file)
	return err == nil && slices.ContainsFunc(skill.Parse(file, text).Commands(), gitCommand.Get().MatchString)
}

var gitCommand = words.Regexp(`(^|[;&|($]\s*|\s)git\s`)

// Evals returns the folder with the cases.
func (s *Subject) Evals() string {
	if !s.Whole {
		return filepath.Join(s.Folder, "evals")
	}
	if m, err := readManifest(s.Folder); err == nil && filepath.IsLocal(m.Experimental.Evals) {
		return filepath.Join(s.Folder, m.Experimental.Evals)
	}
	return filepath.Join(s.Folder, "evals")
}

// A manifest is what a plugin says about itself, as far as trials are concerned.
type manifest struct {
	Name, Version string
	Experimental  struct{ Evals string }
}

func readManifest(root string) (manifest, error) {
	return readJSON[manifest](filepath.Join(root, ".claude-plugin", "plugin.json"))
}

// foldersOf returns the folders of a skill: its own, which agents find, and that of its companion, from
// which skillhand load takes the first use.
func foldersOf(loc skill.Location) (own, companion string) {
	own = loc.Main().Folder
	if _, err := os.Stat(filepath.Join(own, skill.MainFile)); own == loc.Folder || err != nil {
		return loc.Folder, ""
	}
	return own, files.Real(loc.Folder)
}

// in returns the skill that an arm has: as it is, or as it was.
func (s *Subject) in(arm Arm) *Subject {
	if arm.Kind() == Against && s.Was != nil {
		return s.Was
	}
	return s
}

// called returns what follows the skill's name in a prompt that calls it, as in /card Ada. Such a
// prompt shows whether the skill helps, not whether it fires.
func (s *Subject) called(prompt string) (rest string, called bool) {
	prompt = strings.TrimSpace(prompt)
	name := prompt
	if i := strings.IndexFunc(prompt, unicode.IsSpace); i >= 0 {
		name, rest = prompt[:i], strings.TrimSpace(prompt[i:])
	}
	name, called = strings.CutPrefix(name, "/")
	return rest, called && slices.Contains(s.Names, name)
}

// install puts the skill where an agent finds it: into the project, into the
// user's home, or into its plugin; or, in the arm without it, everything but it.
// It returns the arguments that the CLI needs. The skill's evals are no part of
// what an agent may read.
func (s *Subject) install(arm Arm, place folders) ([]string, error) {
	if arm == Against {
		if s.Was == nil {
			return nil, errors.New("the skill as it was is not here")
		}
		return s.Was.install(With, place)
	}
	for _, root := range []string{place.project, place.home} {
		for _, dir := range []string{s.Dir, skill.Companion(s.Dir)} {
			if err := os.RemoveAll(filepath.Join(root, ".claude", "skills", dir)); err != nil {
				return nil, err
			}
		}
	}
	if s.Plugin != "" {
		return s.installPlugin(arm, place)
	}
	if arm == Without {
		return nil, nil
	}
	to := filepath.Join(s.root(place), ".claude", "skills", s.Dir)
	if err := copyTree(s.Folder, to, but("evals", ".git")); err != nil || s.Companion == "" {
		return nil, err
	}
	return nil, copyTree(s.Companion, skill.Companion(to), but(".git"))
}

// root returns the folder of a trial below which the skill is: the project, the user's home or a plugin.
func (s *Subject) root(place folders) string {
	switch {
	case s.Plugin != "":
		return filepath.Join(place.root, "plugin", filepath.Base(s.Plugin))
	case s.User:
		return place.home
	}
	return place.project
}

// inPlugin returns the skill's folder within its plugin.
func (s *Subject) inPlugin() (string, error) {
	own, err := filepath.Rel(files.Real(s.Plugin), files.Real(s.Folder))
	return filepath.ToSlash(own), err
}

func (s *Subject) installPlugin(arm Arm, place folders) ([]string, error) {
	if s.Whole && arm == Without {
		return nil, nil
	}
	own, err := s.inPlugin()
	if err != nil {
		return nil, err
	}
	hidden := []string{".git", "evals", path.Join(own, "evals")}
	if arm == Without {
		hidden = append(hidden, own, skill.Companion(own))
	}
	root := s.root(place)
	return []string{"--plugin-dir", root}, copyTree(s.Plugin, root, but(hidden...))
}
