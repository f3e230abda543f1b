// Package realclaude runs the real Claude CLI in tests: one pinned version, installed once
// into the user's cache folder, in a clean HOME, with dummy keys, against a fakeapi.API.
//
// Claude.Run runs it once, as a script would. Claude.Start begins a conversation, over
// several prompts, with /compact, /clear and skills among them. Obey is a model that does as
// it is told in the prompt, so that a test can say in one line which tool is used by whom.
//
// # What this version was seen to do
//
// The tests here hold it to most of this. Hooks, in order and with all their fields, are in
// testdata/*.txtar.
//
// Conversations. A prompt on stdin that has a uuid is announced as queued, started and
// completed (command_lifecycle events); a uuid that was used before is dropped without a
// word. /compact and /clear answer with a result of no turns. The Agent tool runs in the
// background unless its input has run_in_background false, and its end then starts a turn,
// and a result, that no prompt asked for.
//
// Requests. The headers X-Claude-Code-Session-Id and, for a subagent, X-Claude-Code-Agent-Id
// say who asks; the latter is agent_id in hooks. A compaction's request has the header of
// the agent that is compacted.
//
// Sessions. /clear ends the session (SessionEnd, reason clear) and begins one with another
// session_id (SessionStart, source clear). Compaction keeps the id. Its order is PreCompact,
// the request, SubagentStop of an agent that never started (agent_type is empty, its agent_id
// is nobody's), SessionStart with source compact, PostCompact. If a subagent is compacted,
// PreCompact, SessionStart and PostCompact have its agent_id. A PreCompact may come without a
// compaction after it. A summary without <summary> tags is asked for a second time. The
// additionalContext of SessionStart reaches the model, with compact and clear too, in a
// system message of the next request: "SessionStart hook additional context: …".
//
// Agents. PreToolUse of the Skill tool has agent_id and agent_type in a subagent, and neither
// in the main agent. A skill that an agent's frontmatter preloads has no PreToolUse.
//
// Environment. Hooks have CLAUDE_CODE_SESSION_ID and CLAUDE_PROJECT_DIR; on SessionStart
// CLAUDE_ENV_FILE; from plugins CLAUDE_PLUGIN_ROOT and CLAUDE_PLUGIN_DATA. Directives have
// CLAUDE_CODE_SESSION_ID and none of the others. Nobody has CLAUDE_SESSION_ID. Of a subagent
// a directive sees nothing: its environment is that of the main agent. A plugin's bin folder
// is in the PATH of directives, not of hooks.
//
// Skills used again. A slash command sends the whole text each time. The Skill tool does not:
// if the text is the one it sent to this agent last, the model gets "Skill /NAME is already
// loaded above; instructions unchanged."; after a compaction "Skill /NAME was loaded earlier
// (see the invoked-skills reminder above)…"; another text is sent whole, after "(Re-invocation
// of /NAME — …)". The reminder after a compaction holds the text of a skill's last use.
//
// Plugins. In hooks.json a command with args, even an empty list, is run without a shell;
// ${CLAUDE_PLUGIN_ROOT} is replaced in both, other variables are not. "plugin validate
// --strict --profile directory" takes that form, and a shell command that quotes
// "${CLAUDE_PLUGIN_ROOT}"; it refuses an unquoted one, and unknown events. It wants an author,
// a licence, a README of 40 words and a square PNG of 512 pixels or more as
// .claude-plugin/icon.png.
package realclaude
