package here

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/files"
)

// ConfigName is the name of the configuration file, at the top of a repository.
const ConfigName = ".skillhand.yaml"

// A ConfigText is the content of a configuration, whether or not it counts.
type ConfigText struct {
	Roots     []string // further folders of skills, as written
	Model     string   // the default model
	BudgetUSD float64  // the most that an ask, or all trials together, may cost; 0 means no limit
	Agents    []string // the agents that skills are for
	Wrap      string   // how output is wrapped: auto, always or never

	Check *yaml.Node // the settings of check, which reads them; nil means none
}

// ParseConfig reads a configuration. The reader collects its faults.
func ParseConfig(file string, src []byte) (c ConfigText, r doc.Reader) {
	r.File = file
	root := r.Parse(src)
	if root == nil {
		return c, r
	}
	f := r.Fields(root, "the configuration", "roots", "model", "budget", "agents", "wrap", "check")
	doc.Set(f, "roots", r.TextOrTexts, &c.Roots)
	doc.Set(f, "model", r.Filled, &c.Model)
	doc.Set(f, "budget", r.Dollars, &c.BudgetUSD)
	doc.Set(f, "agents", r.TextOrTexts, &c.Agents)
	doc.Set(f, "wrap", r.OneOf("auto", "always", "never"), &c.Wrap)
	c.Check = f["check"]
	return c, r
}

// A Config is the part of the project's .skillhand.yaml that counts. Flags override it.
type Config struct {
	File      string   // the file, or "" if there is none
	Roots     []string // further folders of skills
	Model     string   // the default model
	BudgetUSD float64  // the most that an ask, or all trials together, may cost; 0 means no limit
	Agents    []string // the agents that skills are for
	Wrap      string   // how output is wrapped; "" means not set
	Missing   []string // roots that do not exist

	// Ignored lists the keys that do not count because the project is not trusted: those that choose
	// what is asked, started or spent, and roots outside of the project.
	Ignored []string
}

// ConfigFile returns the path of the configuration for a folder: at the top of its repository, or in
// the folder.
func ConfigFile(dir string) string { return filepath.Join(files.Around(dir), ConfigName) }

// Config reads the project's configuration. With an error, none of it counts.
func (h Here) Config() (Config, error) {
	file := ConfigFile(h.Dir)
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return Config{}, nil
	}
	src, err := files.ReadFile(file)
	if err != nil {
		return Config{File: file}, err
	}
	said, r := ParseConfig(file, src)
	if err := r.Err(); err != nil {
		return Config{File: file}, err
	}
	c := h.inForce(file, said)
	for _, root := range c.Roots {
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			c.Missing = append(c.Missing, root)
		}
	}
	return c, nil
}

// Faults returns the reasons why a configuration does not count in full: the error of reading it
// and roots that do not exist.
func (c Config) Faults(err error) []error {
	var all []error
	if err != nil {
		all = append(all, err)
	}
	for _, root := range c.Missing {
		all = append(all, fmt.Errorf("%s: roots: %s: no such folder", c.File, root))
	}
	return all
}

func (h Here) inForce(file string, said ConfigText) Config {
	c := Config{File: file, Model: said.Model, BudgetUSD: said.BudgetUSD, Agents: said.Agents, Wrap: said.Wrap}
	project := files.Real(filepath.Dir(file))
	var outside []string
	for _, root := range said.Roots {
		if h.Home != "" && strings.HasPrefix(root, "~/") {
			root = filepath.Join(h.Home, root[2:])
		}
		root = files.In(filepath.Dir(file), root)
		if files.Inside(project, files.Real(root)) {
			c.Roots = append(c.Roots, root)
		} else {
			outside = append(outside, root)
		}
	}
	if c.Model == "" && c.BudgetUSD == 0 && c.Agents == nil && c.Wrap == "" && outside == nil {
		return c // nothing depends on trust
	}
	if h.Policy().May(file) == nil {
		c.Roots = append(c.Roots, outside...)
		return c
	}
	for _, key := range []struct {
		name string
		set  bool
	}{{"roots", outside != nil}, {"model", c.Model != ""}, {"budget", c.BudgetUSD != 0}, {"agents", c.Agents != nil}, {"wrap", c.Wrap != ""}} {
		if key.set {
			c.Ignored = append(c.Ignored, key.name)
		}
	}
	return Config{File: file, Roots: c.Roots, Ignored: c.Ignored}
}
