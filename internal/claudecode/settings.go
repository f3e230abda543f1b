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

// LoginKeys returns the keys of a settings file that are about getting in.
func LoginKeys() []string {
	return []string{"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "forceLoginMethod"}
}

// LoginVariables returns the variables in a settings file that are about getting in. A name that ends in * begins so.
func LoginVariables() []string {
	return []string{
		"ANTHROPIC_*", "CLAUDE_CODE_USE_*", "CLAUDE_CODE_SKIP_*", "CLAUDE_CODE_OAUTH_*", "AWS_*", "GOOGLE_*", "CLOUD_ML_*", "VERTEX_*",
	}
}

// LoginState returns the keys of .claude.json that are about getting in.
func LoginState() []string { return []string{"primaryApiKey", "oauthAccount", "customApiKeyResponses"} }

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
