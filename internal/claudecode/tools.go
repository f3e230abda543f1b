package claudecode

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
