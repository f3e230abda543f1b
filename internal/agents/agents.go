// Package agents answers: what is known of each agent that reads skills?
//
// An agent is one file: its names, the folders it looks in, which files are its own, how it is started
// without a person, what its stream and its transcripts say, how its list of skills is cut, where MCP
// servers are configured, and what lets it in. Everybody reads the same table. The package describes and
// reads; it starts no program.
//
// A sentence about what an agent does has a recorded answer of the real program behind it: testdata has
// streams, and skills with what each agent sent of them to its model. What nobody asked is unknown.
package agents

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Claude is the name of Claude Code.
const Claude = "claude"

// An Agent is what is known of one agent. Fields that are empty are not known, or there is no such thing.
type Agent struct {
	Name  string // as users write it, and its program is called
	Title string // as people call it
	Since string // what became of it, with the day: "closed to …, 2026-06-18"

	Project Folders // below a project
	User    Folders // below the home
	Own     Own     // what is its alone

	Package     string // of npm, with the version that was asked; "" if none was
	Node        string // the package of npm with a node that runs it, if many machines have an older one
	Fires       Firing // how a skill shows that it fired
	Hides       Subagents
	Tells       Bill
	Loads       Tool // the tool by which its model loads a skill
	Login       Login
	Transcripts Transcripts
	MCP         MCP

	// Approve are the arguments without which a run without a person takes nothing from a project; nil if it needs none.
	Approve []string

	driver *driver  // how it is started, and its stream; nil if it is not driven through the claude client
	list   *profile // how it lists skills; nil if nobody asked
}

// Subagents say what of them an agent's stream does not show. Its sessions may.
type Subagents struct {
	Tool     string // that starts a subagent; "" if the stream shows what that does
	Sessions string // a pattern of files below the home that have what was said to one
}

// Folders are where an agent looks, below a project or below the home, with slashes.
type Folders struct {
	Skills   []string // folders of skills
	New      string   // the one of them for a skill that is made for this agent; "" if that is not known
	Commands []string // folders of commands or prompts
	Agents   []string // folders of subagents
	Hooks    []string // files with hooks, or folders of such files
}

// Own says by which signs a file is one agent's and no other's.
type Own struct {
	Folders     []string // names of folders in which all is its
	Plugins     []string // names of folders and files that make the folder around them a plugin of its
	AgentFields []string // fields of a subagent's file that no other agent has
	HookFields  []string // fields of a hook that no other agent has
}

// Transcripts are where an agent leaves what was said.
type Transcripts struct {
	Variable string // that names the agent's folder; "" if there is none
	Home     string // the agent's folder below the home, unless the variable says otherwise
	Below    string // the folder of transcripts in it
	Files    string // a pattern of their names, or of their folder's and theirs; "" if they are not read
}

// A Login is what lets an agent in: files below the home, and variables. A name that ends in * begins so.
type Login struct {
	Files, Variables []string
	Elsewhere        []string // variables among them that say where the user is, and with whom
	Trust            string   // the variable that is true if the agent may trust the folder it works in
}

// An MCP says where servers are configured.
type MCP struct {
	User      string // the user's file, below Folder; "" if it is not known
	Project   string // the project's
	Variable  string // that names the folder of the user's file
	Folder    string // that folder below the home, unless the variable says otherwise
	Key       string // of the object that has the servers; "" means TOML
	Kind      string // what an entry says about the kind of server; "": nothing
	OneList   bool   // the program and its arguments are one list
	Commented bool   // the file may have a c behind its name, and comments
}

// A Firing is how an agent's stream shows that a skill fired.
type Firing string

// The ways in which skills fire.
const (
	ByTool Firing = "fired" // a tool delivered the text
	ByRead Firing = "read"  // the agent read the skill's file
)

// A Bill is how an agent's stream tells what it spends; "" if it does not.
type Bill string

// The ways in which agents tell what they spend.
const (
	InDollars Bill = "dollars" // by the prices of its own configuration
	InTokens  Bill = "tokens"
)

// A Tool is a call by which a model has an agent load a skill.
type Tool struct {
	Name   string
	Field  string // of its input, which names the skill or, where the model reads it, its file
	Format string // of the field's value, if it is not that alone
}

// All returns every agent, those of which most is known first. Where several have a skill of one name,
// their order is ours.
func All() []*Agent { return slices.Clone(table()) }

var table = sync.OnceValue(func() []*Agent {
	return append([]*Agent{claudeCode, codex, copilot, gemini, opencode, qwen, pi}, others()...)
})

// Get returns the agent of a name; nil if there is none.
func Get(name string) *Agent {
	for _, a := range table() {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Driven returns the agents that can be asked beside Claude Code, in the order of their names.
func Driven() []*Agent {
	driven := slices.DeleteFunc(All(), func(a *Agent) bool { return a.driver == nil })
	slices.SortFunc(driven, func(a, b *Agent) int { return strings.Compare(a.Name, b.Name) })
	return driven
}

// Names returns the names of the agents that can be asked, claude among them, in their order. Of the same
// it is known how they list skills.
func Names() []string {
	names := []string{Claude}
	for _, a := range Driven() {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}

// Find returns the agent to ask that has a name; nil for Claude Code. The error is an *OptionError.
func Find(name string) (*Agent, error) {
	if name == "" || name == Claude {
		return nil, nil
	}
	if a := Get(name); a != nil && a.driver != nil {
		return a, nil
	}
	return nil, &OptionError{Field: "agent " + strconv.Quote(name), Fault: "want one of " + strings.Join(Names(), ", ")}
}

// SkillFolders returns the folders below a project, or below the home, in which any agent looks for
// skills, in the order of All.
func SkillFolders(user bool) []string {
	var all []string
	for _, a := range table() {
		for _, folder := range a.folders(user).Skills {
			if !slices.Contains(all, folder) {
				all = append(all, folder)
			}
		}
	}
	return all
}

// OwnerOf returns the agent whose own a folder or a file of a name is; nil if that is nobody's alone.
func OwnerOf(base string) *Agent {
	for _, a := range table() {
		if slices.Contains(a.Own.Folders, base) {
			return a
		}
	}
	return nil
}

// PluginOf returns the agent for which a folder or a file of a name makes the folder around it a plugin; nil if none.
func PluginOf(base string) *Agent {
	for _, a := range table() {
		if slices.Contains(a.Own.Plugins, base) {
			return a
		}
	}
	return nil
}

func (a *Agent) folders(user bool) Folders {
	if user {
		return a.User
	}
	return a.Project
}
