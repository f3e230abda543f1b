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

// A Subject is a skill under test. It is plain data, which a packed Bundle contains.
type Subject struct {
	Name        string `json:"name"`        // the name that the agent uses
	Description string `json:"description"` // the text that the agent reads before the skill fires
	Cases       []Case `json:"cases"`

	Names     Names    `json:"names"`
	Folder    string   `json:"folder"`              // with links resolved
	Companion string   `json:"companion,omitempty"` // the folder with the companion skill, or ""; it is copied together with the skill
	Dir       string   `json:"dir"`                 // the name of its folder
	Plugin    string   `json:"plugin,omitempty"`    // the root of its plugin, or ""
	Manual    bool     `json:"manual,omitempty"`    // it never fires by itself, but people may call it
	Whole     bool     `json:"whole,omitempty"`     // the plugin as a whole, not one of its skills
	User      bool     `json:"user,omitempty"`      // one of the user's own skills
	Trusted   bool     `json:"trusted,omitempty"`   // the machine that packed it trusts it
	Was       *Subject `json:"was,omitempty"`       // the skill at a revision: see At
}

// NewSubject returns a skill that can be tried. It does not read the cases yet.
func NewSubject(loc skill.Location) (*Subject, error) {
	if loc.Command {
		return nil, fmt.Errorf("%s: is a command, which only people call; want a skill", loc.File)
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

// NewPlugin returns a whole plugin that can be tried. Any of its skills counts as fired, and the
// arm without the skill has none of them. The cases come from the plugin's own evals folder.
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

// HasSuite reports whether some cases have the form of claude plugin eval, or the Subject is a
// whole plugin.
func (s *Subject) HasSuite() bool {
	return s.Whole || slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Suite != nil })
}

// callsGit reports whether a directive of the skill calls git and so needs a repository.
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

// A manifest is a plugin's description of itself, with the fields that trials need.
type manifest struct {
	Name, Version string
	Experimental  struct{ Evals string }
}

func readManifest(root string) (manifest, error) {
	return readJSON[manifest](filepath.Join(root, ".claude-plugin", "plugin.json"))
}

// foldersOf returns the folders of a skill: its own, which agents find, and its companion's, from
// which skillhand load takes the first use.
func foldersOf(loc skill.Location) (own, companion string) {
	own = loc.Main().Folder
	if _, err := os.Stat(filepath.Join(own, skill.MainFile)); own == loc.Folder || err != nil {
		return loc.Folder, ""
	}
	return own, files.Real(loc.Folder)
}

// in returns the version of the skill for an arm: the current one, or the one at a revision.
func (s *Subject) in(arm Arm) *Subject {
	if arm.Kind() == Against && s.Was != nil {
		return s.Was
	}
	return s
}

// called returns the text after the skill's name in a prompt that calls the skill, as in /card Ada.
// Such a prompt shows whether the skill helps, not whether it fires.
func (s *Subject) called(prompt string) (rest string, called bool) {
	prompt = strings.TrimSpace(prompt)
	name := prompt
	if i := strings.IndexFunc(prompt, unicode.IsSpace); i >= 0 {
		name, rest = prompt[:i], strings.TrimSpace(prompt[i:])
	}
	name, called = strings.CutPrefix(name, "/")
	return rest, called && slices.Contains(s.Names, name)
}

// install copies the skill to where an agent finds it: the project, the user's home, or its plugin.
// In the arm without the skill it copies everything except the skill. It returns the arguments that
// the CLI needs. It leaves out the skill's evals, because agents must not read them.
func (s *Subject) install(arm Arm, place folders) ([]string, error) {
	if arm == Against {
		if s.Was == nil {
			return nil, errors.New("the skill at the revision is missing")
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

// root returns the folder of a trial that contains the skill: the project, the user's home or a
// plugin.
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
