package setup

import (
	"bytes"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

//go:embed all:templates
var templates embed.FS

// values are the variables of the templates.
type values struct {
	Name   string
	Plugin string // the plugin's name, for a skill in one
	End    string // the word that ends the arguments; it cannot be guessed

	Description string // of a stub, as YAML
}

// CheckName returns an error if the name of a new skill or plugin breaks the rules of the Agent
// Skills specification.
func CheckName(name string) error {
	switch {
	case name == "" || len(name) > 64:
		return fmt.Errorf("a name has 1 to 64 characters, this one has %d", len(name))
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return fmt.Errorf("%q: a name may contain only lower case letters, digits and hyphens%s", name, better(name))
	case strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--"):
		return fmt.Errorf("%q: hyphens go between words", name)
	case skill.IsCompanion(name):
		return fmt.Errorf("%q: the ending -first-use is reserved for companions of another skill", name)
	}
	return nil
}

// better suggests a valid name similar to an invalid one, or returns "".
func better(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if like := strings.Join(words, "-"); CheckName(like) == nil {
		return ", such as " + like
	}
	return ""
}

// NewSkill makes the folder of a new skill with one ordinary SKILL.md, which agents can read
// without skillhand. It returns the files that it wrote.
func NewSkill(dir, name string) ([]string, error) {
	return makeNew(dir, values{Name: name}, "skill", "")
}

// NewLauncher makes the folder of a new skill whose SKILL.md calls skillhand load, with a script
// and a test.
func NewLauncher(dir, name string) ([]string, error) {
	return makeNew(dir, values{Name: name, End: end()}, "launcher", "")
}

// NewPlugin makes the folder of a new plugin with one skill, hello.
func NewPlugin(dir, name string) ([]string, error) {
	return makeNew(dir, values{Name: name, Plugin: name, End: end()}, "plugin", "", "launcher", "skills/hello")
}

// NewBatch makes a folder with a job file, and a script and texts for it to work on.
func NewBatch(dir, name string) ([]string, error) {
	return makeNew(dir, values{Name: name}, "batch", "")
}

// makeNew makes a folder from templates, given as pairs of a template folder and its destination.
func makeNew(dir string, v values, pairs ...string) ([]string, error) {
	if err := CheckName(v.Name); err != nil {
		return nil, err
	}
	return write(dir, func(to string) error {
		for pair := range slices.Chunk(pairs, 2) {
			if pair[1] != "" {
				v.Name = path.Base(pair[1])
			}
			if err := copyTree(filepath.Join(to, filepath.FromSlash(pair[1])), "templates/"+pair[0], v); err != nil {
				return err
			}
		}
		return nil
	})
}

// StubAgents lists the agents that stubs can be made for, in the order of their names. These agents
// read skills but run no directives in them.
func StubAgents() []string {
	var names []string
	for _, a := range agents.All() {
		if a.Project.New != "" && a.Name != agents.Claude {
			names = append(names, a.Name)
		}
	}
	slices.Sort(names)
	return names
}

// StubFolder returns the folder from which an agent reads skills: in a project, or in the user's
// home.
func StubFolder(name string, inHome bool) (string, error) {
	if !slices.Contains(StubAgents(), name) {
		return "", fmt.Errorf("%s: not a known agent: want %s", name, strings.Join(StubAgents(), ", "))
	}
	a := agents.Get(name)
	if inHome {
		return filepath.FromSlash(a.User.New), nil
	}
	return filepath.FromSlash(a.Project.New), nil
}

// NewStub makes the folder of a skill for an agent that can only run commands. The stub says what
// the skill is for, and how to get its page.
func NewStub(dir, name, description string) ([]string, error) {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(description), " "))
	var quoted bytes.Buffer
	enc := json.NewEncoder(&quoted) // a JSON string is also a YAML string, except for control characters
	enc.SetEscapeHTML(false)
	if err := enc.Encode(plain); err != nil {
		return nil, err
	}
	return makeNew(dir, values{Name: name, End: end(), Description: strings.TrimSpace(quoted.String())}, "stub", "")
}

// end returns the word that ends the arguments in a skill's here-document. The word differs in
// every skill, so that no argument can contain it on purpose.
func end() string { return "END_OF_ARGUMENTS_" + strings.ToLower(rand.Text()[:12]) }

// write makes dir and calls fill to fill it. It makes the whole folder or nothing, and never
// overwrites.
func write(dir string, fill func(to string) error) (made []string, err error) {
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("%s: already exists, nothing was written", dir)
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, err
	}
	temporary, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return nil, fmt.Errorf("%s: nothing was written: %w", dir, files.Cause(err))
	}
	defer func() {
		if err != nil {
			os.RemoveAll(temporary)
		}
	}()
	if err := fill(temporary); err != nil {
		return nil, err
	}
	if err := os.Chmod(temporary, 0o755); err != nil {
		return nil, err
	}
	if err := os.Rename(temporary, dir); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s: already exists, nothing was written", dir)
		}
		return nil, err
	}
	err = filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			made = append(made, file)
		}
		return err
	})
	return made, err
}

// copyTree fills in the templates of one folder.
func copyTree(to, from string, v values) error {
	return fs.WalkDir(templates, from, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := templates.ReadFile(name)
		if err != nil {
			return err
		}
		t, err := template.New(name).Delims("[[", "]]").Parse(string(text))
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, v); err != nil {
			return err
		}
		file := filepath.Join(to, filepath.FromSlash(strings.TrimPrefix(name, from+"/")))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if path.Ext(name) == ".sh" || path.Base(path.Dir(name)) == "bin" {
			mode = 0o755
		}
		return os.WriteFile(file, b.Bytes(), mode)
	})
}
