package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/skill"
)

// A Maker makes the folder of a new skill, as NewSkill and NewLauncher do.
type Maker func(dir, name string) ([]string, error)

// WithGate returns a Maker that also makes a done.yaml.
func (m Maker) WithGate(dir, name string) ([]string, error) {
	made, err := m(dir, name)
	if err != nil {
		return nil, err
	}
	if err := copyTree(dir, "templates/gate", values{Name: name}); err != nil {
		return made, err
	}
	return append(made, filepath.Join(dir, "done.yaml")), nil
}

// NewStubs makes stubs of a skill for agents. If the skill does not exist, or if its folder was
// chosen, it also makes the skill. Stubs go into the user's home or into the project, as the skill
// does.
func NewStubs(finder find.Finder, project, name, folder string, chosen bool, makeSkill Maker, agents []string) (made []string, err error) {
	loc, err := finder.Find(name)
	if errors.Is(err, fs.ErrNotExist) || chosen {
		if made, err = makeSkill(folder, name); err != nil {
			return nil, err
		}
		loc, err = finder.Find(name)
	}
	if err != nil {
		return nil, err
	}
	_, about, err := loc.Front()
	if err != nil {
		return nil, err
	}
	root := project
	if loc.From == skill.FromUser {
		root = finder.Home
	}
	targets := map[string]bool{}
	for _, agent := range agents {
		folder, err := StubFolder(agent, loc.From == skill.FromUser)
		if err != nil {
			return nil, err
		}
		target := filepath.Join(root, folder, name)
		if targets[target] {
			continue // two agents read the same folder
		}
		targets[target] = true
		files, err := NewStub(target, name, about)
		if err != nil {
			return nil, err
		}
		made = append(made, files...)
		if now, err := finder.Find(name); err != nil || now.File != loc.File {
			os.RemoveAll(target)
			return nil, fmt.Errorf("%s: a stub here would hide the skill itself, %s: move that to .claude/skills", target, loc.File)
		}
	}
	return made, nil
}
