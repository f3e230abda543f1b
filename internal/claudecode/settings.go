package claudecode

// Keys of a settings file that skillhand reads or writes.
const (
	KeyEnv             = "env"
	KeyPermissions     = "permissions"
	KeyMode            = "defaultMode"           // in permissions
	KeyDirs            = "additionalDirectories" // in permissions
	KeyPlugins         = "enabledPlugins"
	KeyNoSkillShell    = "disableSkillShellExecution"
	KeyStatusLine      = "statusLine"
	KeyHooks           = "hooks"
	KeyModel           = "model"
	KeyCleanupDays     = "cleanupPeriodDays"
	KeyListingFraction = "skillListingBudgetFraction"
	KeyListingMaxChars = "skillListingMaxDescChars"
	KeyOverrides       = "skillOverrides"
	KeyNoBundled       = "disableBundledSkills"
)

// Modes returns the permission modes that --permission-mode takes.
func Modes() []string {
	return []string{"default", "auto", "acceptEdits", "plan", "dontAsk", "bypassPermissions"}
}

// SettingsModes returns the permission modes that a settings file may name, in the order of Claude Code's own message.
func SettingsModes() []string {
	return []string{"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "manual", "plan"}
}

// AgentFields returns the frontmatter fields of an agent's file.
func AgentFields() []string {
	return []string{
		"name", "description", "tools", "disallowedTools", "model", "permissionMode", "maxTurns", "skills", "mcpServers", "hooks",
		"memory", "background", "effort", "isolation", "color", "initialPrompt",
	}
}
