// Package agents answers: what is known of each agent that reads skills?
//
// Each agent has one file. It holds the agent's names, the folders that it searches, and the files
// that belong to it alone. It says how to start the agent without a person, how to read its stream
// and its transcripts, and how it cuts its list of skills. It also says where MCP servers are
// configured, and what the agent needs to log in. All other packages read the same table. The
// package describes and reads; it starts no program.
//
// Every statement about what an agent does is based on a recorded answer of the real program.
// testdata has streams, and skills with what each agent sent of them to its model. Anything that
// was not asked is unknown.
package agents

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Claude is the name of Claude Code.
const Claude = "claude"

// An Agent holds the facts about one agent. An empty field is unknown, or the agent has no such
// thing.
type Agent struct {
	Name  string // as users write it; its program has the same name
	Title string // as people call it
	Since string // what changed about it, with the day: "closed to …, 2026-06-18"

	Project Folders // below a project
	User    Folders // below the home
	Own     Own     // what belongs to it alone

	Package     string // the npm package, with the version that was asked; "" if none was
	Node        string // the npm package of a node that runs it, if many machines have an older node
	Fires       Firing // how a skill shows that it fired
	Hides       Subagents
	Tells       Bill
	Loads       Tool // the tool by which its model loads a skill
	Login       Login
	Transcripts Transcripts
	MCP         MCP

	// Approve are the arguments without which a run without a person accepts nothing from a
	// project; nil if it needs none.
	Approve []string

	driver *driver  // how to start it and read its stream; nil if the claude client does not drive it
	list   *profile // how it lists skills; nil if nobody asked
}

// Subagents say what an agent's stream does not show of its subagents. Its sessions may show it.
type Subagents struct {
	Tool     string // the tool that starts a subagent; "" if the stream shows what the subagent does
	Sessions string // a pattern of files below the home that contain the messages to a subagent
}

// Folders are where an agent looks, below a project or below the home. Paths have slashes.
type Folders struct {
	Skills   []string // folders of skills
	New      string   // the folder in Skills for a skill that is made for this agent; "" if it is unknown
	Commands []string // folders of commands or prompts
	Agents   []string // folders of subagents
	Hooks    []string // files with hooks, or folders of such files
}

// Own says how to recognize files that belong to one agent and to no other.
type Own struct {
	Folders     []string // names of folders whose whole content belongs to it
	Plugins     []string // names of folders and files that make the folder around them a plugin for it
	AgentFields []string // fields of a subagent's file that no other agent has
	HookFields  []string // fields of a hook that no other agent has
}

// Transcripts say where an agent saves its conversations.
type Transcripts struct {
	Variable string // the variable that names the agent's folder; "" if there is none
	Home     string // the agent's folder below the home, unless the variable says otherwise
	Below    string // the folder of transcripts in it
	Files    string // a pattern of their names, or of their folders and names; "" if they are not read
}

// A Login is what an agent needs to log in: files below the home, and variables. If a name ends in
// *, it stands for all names that begin so.
type Login struct {
	Files, Variables []string
	Elsewhere        []string // variables among them that name the user's folders or session
	Trust            string   // the variable that is true if the agent may trust its working folder
}

// An MCP says where servers are configured.
type MCP struct {
	User      string // the user's file, below Folder; "" if it is unknown
	Project   string // the project's file
	Variable  string // the variable that names the folder of the user's file
	Folder    string // the folder of the user's file below the home, unless the variable says otherwise
	Key       string // the key of the object that has the servers; "" means that the file is TOML
	Kind      string // what an entry says about the kind of server; "" means nothing
	OneList   bool   // the program and its arguments are one list
	Commented bool   // the file's name may end in c, and the file may have comments
}

// A Firing says how an agent's stream shows that a skill fired.
type Firing string

// The ways in which skills fire.
const (
	ByTool Firing = "fired" // a tool delivered the text
	ByRead Firing = "read"  // the agent read the skill's file
)

// A Bill says how an agent's stream reports what the agent spends; "" if it does not.
type Bill string

// The ways in which agents report what they spend.
const (
	InDollars Bill = "dollars" // by the prices of its own configuration
	InTokens  Bill = "tokens"
)

// A Tool is the tool that a model calls to have an agent load a skill.
type Tool struct {
	Name   string
	Field  string // the field of its input that names the skill or, where the model reads it, its file
	Format string // the format of the field's value, if it is not the name alone
}

// All returns every agent, the best known first. If several agents have a skill of one name, this
// order decides.
func All() []*Agent { return slices.Clone(table()) }

var table = sync.OnceValue(func() []*Agent {
	return append([]*Agent{claudeCode, codex, copilot, gemini, opencode, qwen, pi}, others()...)
})

// Get returns the agent of a name, or nil.
func Get(name string) *Agent {
	for _, a := range table() {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Driven returns the agents besides Claude Code that can be asked, sorted by name.
func Driven() []*Agent {
	driven := slices.DeleteFunc(All(), func(a *Agent) bool { return a.driver == nil })
	slices.SortFunc(driven, func(a, b *Agent) int { return strings.Compare(a.Name, b.Name) })
	return driven
}

// Names returns the sorted names of all agents that can be asked, including claude. The way they
// list skills is known too.
func Names() []string {
	names := []string{Claude}
	for _, a := range Driven() {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}

// Find returns the agent of a name, which can be asked; nil means Claude Code. The error is an
// *OptionError.
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

// OwnerOf returns the agent to which alone a folder of this name belongs, or nil.
func OwnerOf(base string) *Agent {
	for _, a := range table() {
		if slices.Contains(a.Own.Folders, base) {
			return a
		}
	}
	return nil
}

// PluginOf returns the agent for which a folder or a file of this name makes the folder around it a
// plugin, or nil.
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
