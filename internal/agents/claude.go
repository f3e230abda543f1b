package agents

// claudeCode is the agent that the others are compared with. Package claude drives it, and internal/claudecode has
// what is known of it beyond this table.
var claudeCode = &Agent{
	Name: Claude, Title: "Claude Code",
	Project: Folders{
		Skills: []string{".claude/skills"}, New: ".claude/skills", Commands: []string{".claude/commands"}, Agents: []string{".claude/agents"},
		Hooks: []string{".claude/settings.json", ".claude/settings.local.json"},
	},
	User: Folders{
		Skills: []string{".claude/skills"}, New: ".claude/skills", Commands: []string{".claude/commands"}, Agents: []string{".claude/agents"},
		Hooks: []string{".claude/settings.json"},
	},
	Own:         Own{Folders: []string{".claude"}, Plugins: []string{".claude-plugin"}},
	Fires:       ByTool,
	Loads:       Tool{Name: "Skill", Field: "skill"},
	Transcripts: Transcripts{Variable: "CLAUDE_CONFIG_DIR", Home: ".claude", Below: "projects", Files: "*.jsonl"},
	MCP:         MCP{User: ".claude.json", Project: ".mcp.json", Variable: "CLAUDE_CONFIG_DIR", Key: "mcpServers", Kind: "stdio"},
	list: &profile{
		order: []string{"~/.claude", ".claude"}, obeys: []FaultID{Hidden, HiddenText, Paths},
		plugins: ", and in plugins once they are installed, or with claude --plugin-dir",
	},
}
