package agents

import "runtime"

// others returns the agents of which only folders are known, or where MCP is configured. Nobody
// asked what their models see of a skill.
func others() []*Agent {
	all := []*Agent{
		{
			Name: "cursor", Title: "Cursor",
			Project: Folders{
				Skills: []string{".cursor/skills"}, New: ".cursor/skills", Commands: []string{".cursor/commands"},
				Agents: []string{".cursor/agents"},
				Hooks:  []string{".cursor/hooks.json"},
			},
			User: Folders{
				Skills: []string{".cursor/skills"}, New: ".cursor/skills", Commands: []string{".cursor/commands"},
				Agents: []string{".cursor/agents"},
				Hooks:  []string{".cursor/hooks.json"},
			},
			MCP: MCP{User: "mcp.json", Project: ".cursor/mcp.json", Folder: ".cursor", Key: "mcpServers"},
		},
		{
			Name: "cline", Title: "Cline", Own: Own{Folders: []string{".clinerules"}},
			Project: Folders{Skills: []string{".agents/skills", ".cline/skills"}},
			User:    Folders{Skills: []string{".agents/skills", ".cline/skills"}},
		},
		{
			Name: "continue", Title: "Continue",
			Project: Folders{Skills: []string{".claude/skills", ".continue/skills"}},
			User:    Folders{Skills: []string{".continue/skills"}},
		},
		{
			Name: "amp", Title: "Amp",
			Project: Folders{Skills: []string{".agents/skills"}},
			User:    Folders{Skills: []string{".config/agents/skills"}},
		},
		{
			Name: "goose", Title: "goose",
			Project: Folders{Skills: []string{".agents/skills"}, New: ".agents/skills"},
			User:    Folders{Skills: []string{".agents/skills"}, New: ".agents/skills"},
		},
		vscode(),
	}
	for _, name := range []string{
		"aider", "antigravity", "augment", "codebuddy", "crush", "factory", "iflow", "junie", "kilocode", "kiro",
		"qoder", "roo", "trae", "vibe", "windsurf", "zencoder",
	} {
		all = append(all, &Agent{Name: name, Title: name})
	}
	for _, a := range all {
		a.Own.Folders = append(a.Own.Folders, "."+a.Name)
		a.Own.Plugins = append(a.Own.Plugins, "."+a.Name+"-plugin")
	}
	return all
}

// vscode returns VS Code, which keeps its settings where the system keeps the settings of all
// programs.
func vscode() *Agent {
	m := MCP{
		User: "Code/User/mcp.json", Project: ".vscode/mcp.json", Variable: "XDG_CONFIG_HOME", Folder: ".config",
		Key: "servers", Kind: "stdio",
	}
	switch runtime.GOOS {
	case "darwin":
		m.Variable, m.Folder = "", "Library/Application Support"
	case "windows":
		m.Variable, m.Folder = "APPDATA", "AppData/Roaming"
	}
	return &Agent{Name: "vscode", Title: "VS Code", MCP: m}
}
