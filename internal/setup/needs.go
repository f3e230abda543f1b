package setup

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/skill"
)

// WhatIsHere returns which needs of skills can be met here. It starts no program.
func WhatIsHere(h here.Here, policy trust.Policy) Present {
	list, _ := h.Finder().List()
	return Present{
		Program: func(name string) (string, bool) {
			path, err := policy.Find(name, h.Dir, h.Env)
			return path, err == nil
		},
		Variable: func(name string) bool { return h.Env.Get(name) != "" },
		Skill: func(name string) bool {
			return slices.ContainsFunc(list, func(l skill.Location) bool { return l.Name == name || l.Call == name || l.Plugin+":"+l.Name == name })
		},
		Agent: func(name string) bool {
			return slices.Contains(claudecode.Subagents(), name) || slices.ContainsFunc([]string{h.Project, h.Home}, func(dir string) bool {
				return dir != "" && find.IsThere(filepath.Join(dir, ".claude", "agents", name+".md"))
			})
		},
		Server: func(name string) bool { return hasServer(h, name) },
	}
}

// hasServer reports whether the project or the user configures an MCP server for Claude Code.
func hasServer(h here.Here, name string) bool {
	for _, file := range []string{filepath.Join(h.Project, ".mcp.json"), filepath.Join(h.Home, ".claude.json")} {
		var f struct {
			Servers  map[string]json.RawMessage `json:"mcpServers"`
			Projects map[string]struct {
				Servers map[string]json.RawMessage `json:"mcpServers"`
			} `json:"projects"`
		}
		src, err := files.ReadFile(file)
		if err != nil || json.Unmarshal(src, &f) != nil {
			continue
		}
		if f.Servers[name] != nil || f.Projects[h.Project].Servers[name] != nil {
			return true
		}
	}
	return false
}
