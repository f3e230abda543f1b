package claudecode

// Subagents returns the types of subagents that Claude Code brings along, in some version or mode.
func Subagents() []string {
	return []string{
		"claude", "claude-code-guide", "Explore", "fork", "general-purpose", "output-style-setup", "Plan", "statusline-setup", "worker",
	}
}

// RetiredTools returns the tools of earlier versions that this one does not have under any name, each with the one that does
// its work now, or "".
func RetiredTools() map[string]string {
	return map[string]string{
		"MultiEdit": "Edit", "LS": "Glob", "NotebookRead": "Read", "SlashCommand": "Skill", "TodoRead": "", "BashOutput": "",
	}
}

// Tools returns the tools of the version that this package follows, and those of earlier versions that files still name.
func Tools() []string {
	return []string{
		"Agent", "Artifact", "AskUserQuestion", "Bash", "BashOutput", "Brief", "Config", "CronCreate", "CronDelete", "CronList", "Edit",
		"EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "KillBash", "KillShell", "ListAgents",
		"ListMcpResourcesTool", "LS", "LSP", "Monitor", "MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "Read",
		"ReadMcpResourceTool", "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "SlashCommand", "StructuredOutput", "Task",
		"TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoRead", "TodoWrite",
		"ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write",
	}
}
