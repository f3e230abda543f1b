package agents

// claudeCode is the agent that the others are compared with. Package claude drives it, and
// internal/claudecode holds all other facts about it.
var claudeCode = &Agent{
	Name: Claude, Title: "Claude Code",
	Project: Folders{
		Skills: []string{".claude/skills"}, New: ".claude/skills", Commands: []string{".claude/commands"},
		Agents: []string{".claude/agents"},
		Hooks:  []string{".claude/settings.json", ".claude/settings.local.json"},
	},
	User: Folders{
		Skills: []string{".claude/skills"}, New: ".claude/skills", Commands: []string{".claude/commands"},
		Agents: []string{".claude/agents"},
		Hooks:  []string{".claude/settings.json"},
	},
	Own:   Own{Folders: []string{".claude"}, Plugins: []string{".claude-plugin"}},
	Fires: ByTool,
	Loads: Tool{Name: "Skill", Field: "skill"},
	Login: Login{
		Variables: []string{
			"ANTHROPIC_*", "CLAUDE_*", "API_TIMEOUT_MS", "DISABLE_*", "MAX_THINKING_TOKENS",
			"BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS",
			"AWS_*", "GOOGLE_*", "CLOUD_ML_REGION", "VERTEX_*", "AZURE_*",
		},
		Elsewhere: []string{
			"CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "CLAUDE_ENV_FILE",
			"CLAUDE_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT",
			"CLAUDE_CODE_EFFORT_LEVEL", "CLAUDE_CODE_TASK_LIST_ID",
		},
	},
	Transcripts: Transcripts{Variable: "CLAUDE_CONFIG_DIR", Home: ".claude", Below: "projects", Files: "*.jsonl"},
	MCP:         MCP{User: ".claude.json", Project: ".mcp.json", Variable: "CLAUDE_CONFIG_DIR", Key: "mcpServers", Kind: "stdio"},
	list: &profile{
		order: []string{"~/.claude", ".claude"}, obeys: []FaultID{Hidden, HiddenText, Paths},
		plugins: ", and in plugins once they are installed, or with claude --plugin-dir",
	},
}
