package skill

import (
	"os"
	"path/filepath"
)

// PluginOf returns the root of the plugin that a skill's folder belongs to, or
// "". It is no plugin's merely because one is somewhere above.
func PluginOf(folder string) string {
	skills := filepath.Dir(folder)
	root := filepath.Dir(skills)
	if filepath.Base(skills) != "skills" {
		return ""
	}
	if info, err := os.Stat(filepath.Join(root, ".claude-plugin", "plugin.json")); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return root
}
