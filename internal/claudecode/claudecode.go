// Package claudecode answers one question: what is Claude Code? It has the version that skillhand was held against, and
// facts about it: hook events, settings keys, permission modes, the shape of a plugin's manifest, bundled skills and
// commands.
//
// It is pure data and functions of text. testdata holds what the real program was seen to do, so a new version means
// this folder and new recordings (go test ./internal/claudecode -run Real -record).
package claudecode

// Version is the Claude Code that skillhand follows and is tested with.
const Version = "2.1.325"

// Events returns the events that a hook can name, as claude plugin validate knows them.
func Events() []string {
	return []string{
		"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest", "PermissionDenied",
		"Notification", "UserPromptSubmit", "UserPromptExpansion", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
		"PreCompact", "PostCompact", "SessionStart", "SessionEnd", "Setup", "TeammateIdle", "TaskCreated", "TaskCompleted",
		"InstructionsLoaded", "ConfigChange", "CwdChanged", "FileChanged", "WorktreeCreate", "WorktreeRemove",
		"Elicitation", "ElicitationResult", "MessageDisplay", "DirectoryAdded",
	}
}

// guards are the events whose hooks may be what keeps a tool from running. A fault in one of them keeps a whole plugin
// from loading; a fault in any other hook costs that hook alone.
var guards = []string{"PreToolUse", "PermissionRequest"}

// A HookType is a way in which a hook runs.
type HookType struct {
	Name  string
	Needs []string // fields that it must have, all of them texts
}

// HookTypes returns the types of hooks.
func HookTypes() []HookType {
	return []HookType{
		{"command", []string{"command"}},
		{"prompt", []string{"prompt"}},
		{"agent", []string{"prompt"}},
		{"http", []string{"url"}},
		{"mcp_tool", []string{"server", "tool"}},
	}
}

// A Bundled skill comes with Claude Code.
type Bundled struct {
	Name  string
	Chars int // the length of its line in the list that the model gets
}

// BundledSkills returns the skills that Claude Code lists by itself. They keep their descriptions when the list gets too
// long, except for the last two, which are the first to lose them.
func BundledSkills() []Bundled {
	return []Bundled{
		{"dataviz", 1447}, {"update-config", 707}, {"keybindings-help", 248}, {"code-review", 840}, {"simplify", 188},
		{"fewer-permission-prompts", 191}, {"loop", 344}, {"claude-api", 1171}, {"workflow-authoring", 252}, {"run", 368},
		{"plugin-authoring", 275}, {"init", 67}, {"security-review", 90},
	}
}

// CommandKind returns what Claude Code calls one of its own commands that is not a skill, or "".
func CommandKind(name string) string {
	switch name {
	case "agents", "auto-mode-setup", "autocompact", "clear", "compact", "output-style", "context", "heapdump",
		"reload-plugins", "reload-skills", "recap", "list-agents":
		return "built-in CLI"
	case "btw", "cd", "color", "config", "effort", "fast", "focus", "mcp", "model", "rename", "usage", "goal", "help",
		"login", "logout", "cost", "exit", "quit", "status", "permissions", "hooks", "memory", "resume", "bug", "feedback",
		"add-dir", "ide", "ios", "plan", "skills", "plugin":
		return "UI"
	}
	return ""
}
