package claudecode

import (
	"maps"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/doc"
)

// A Manifest is what a plugin.json says about where things are. A list that is nil was not given: the plugin has the
// usual folder.
type Manifest struct {
	Name      string
	Version   string
	Commands  []Command
	Skills    []string
	Workflows []string
	Needs     []string // the plugins that must be there too
}

// A Command is a path of commands, or one command with a name of its own.
type Command struct {
	Path    string // a Markdown file or a folder, or ""
	Name    string // "" means by its file's name
	Content string // the command itself, if there is no path
}

// A Fault is something in a manifest for which Claude Code does not load the plugin.
type Fault struct {
	Field      string // the path to it, such as author.name; "" is the manifest itself
	Start, End int    // where it stands, in bytes
	Problem    Problem
	Got        string // what stands there: its kind, or a path
	Want       string // what Claude Code wants instead, in words
}

// A Problem is what is wrong with a field.
type Problem int

// The problems.
const (
	NotJSON    Problem = iota // Want says why
	Missing                   // Start is the object that lacks it
	WrongKind                 // Got is not Want
	BadValue                  // of the right kind
	BadPath                   // not a path in the plugin, or not one that ends as Want says
	UnknownKey                // where Claude Code takes no others
)

// String says what is wrong.
func (f Fault) String() string {
	switch f.Problem {
	case NotJSON:
		return "not JSON: " + f.Want
	case Missing:
		return f.Field + " is missing"
	case WrongKind, BadPath:
		if f.Field == "" {
			return "it is " + f.Got + ", want " + f.Want
		}
		return f.Field + " is " + f.Got + ", want " + f.Want
	case UnknownKey:
		return f.Field + " is not a key that Claude Code takes there"
	}
	return f.Field + " must be " + f.Want
}

// Top returns the manifest's field that the fault is in.
func (f Fault) Top() string {
	top, _, _ := strings.Cut(f.Field, ".")
	return top
}

// ParseManifest reads a plugin.json. If there are faults, Claude Code does not load the plugin; what could be read is
// returned all the same.
func ParseManifest(src []byte) (Manifest, []Fault) {
	root, fault := doc.ParseJSON(string(src))
	if fault != nil {
		return Manifest{}, []Fault{{Start: fault.Offset, End: fault.Offset + 1, Problem: NotJSON, Want: fault.Text}}
	}
	var r reader
	r.object(root, "", manifestFields(), false)
	var m Manifest
	m.Name, _ = root.Get("name").Text()
	m.Version, _ = root.Get("version").Text()
	m.Commands = commandsOf(root.Get("commands"))
	m.Skills, m.Workflows = root.Get("skills").Texts(), root.Get("workflows").Texts()
	if list := root.Get("dependencies"); list.IsList() {
		for _, d := range list.Items {
			name, ok := d.Text()
			if !ok {
				name, _ = d.Get("name").Text()
			}
			name, _, _ = strings.Cut(name, "@")
			m.Needs = append(m.Needs, name)
		}
	}
	return m, r.faults
}

// ManifestFields returns the names of the fields that a plugin.json can have. Others are ignored.
func ManifestFields() []string {
	names := []string{"icon", "privacyPolicyUrl"} // which may be anything
	for _, f := range manifestFields() {
		names = append(names, f.name)
	}
	return names
}

// PathFields returns the fields that name files or folders of the plugin.
func PathFields() []string {
	return []string{
		"commands", "agents", "skills", "hooks", "mcpServers", "lspServers", "outputStyles", "themes", "monitors", "workflows",
	}
}

func commandsOf(n *doc.Node) []Command {
	if !n.IsObject() {
		if n == nil {
			return nil
		}
		all := []Command{}
		for _, path := range n.Texts() {
			all = append(all, Command{Path: path})
		}
		return all
	}
	by := map[string]Command{} // the last of a name counts
	for _, c := range n.Items {
		path, _ := c.Get("source").Text()
		content, _ := c.Get("content").Text()
		by[c.Key] = Command{Path: path, Name: c.Key, Content: content}
	}
	all := []Command{}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, by[name])
	}
	return all
}
