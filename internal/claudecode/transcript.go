package claudecode

import "strings"

// Interrupted begins the line of a transcript that says that a person stopped the agent.
const Interrupted = "[Request interrupted by user"

// StopFeedback begins the text that tells an agent why a hook did not let it stop.
const StopFeedback = "Stop hook feedback:"

// skillBase begins the text of a skill, unless the skill is a command's file.
const skillBase = "Base directory for this skill: "

// SkillFolder returns the folder that the text of a skill names in its first line. A skill that was changed
// since the agent had it last begins with a note on that.
func SkillFolder(text string) (folder string, ok bool) {
	if strings.HasPrefix(text, "(Re-invocation of /") {
		_, text, _ = strings.Cut(text, "\n")
		text = strings.TrimLeft(text, "\n")
	}
	first, _, _ := strings.Cut(text, "\n")
	folder, ok = strings.CutPrefix(first, skillBase)
	return strings.TrimSpace(folder), ok
}

// TypedCommand returns the name of the slash command that a prompt is, as transcripts have it, or "".
func TypedCommand(prompt string) string {
	if !strings.HasPrefix(prompt, "<command-") {
		return ""
	}
	_, after, _ := strings.Cut(prompt, "<command-name>/")
	name, _, _ := strings.Cut(after, "</command-name>")
	return name
}

// AlreadyLoaded reports whether a text that stands for that of a skill says that the agent has it, unchanged, since it
// used the skill before.
func AlreadyLoaded(text string) bool {
	return strings.HasPrefix(text, "Skill /") && strings.Contains(text, " is already loaded above; instructions unchanged")
}
