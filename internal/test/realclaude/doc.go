// Package realclaude runs the real Claude CLI in tests: one pinned version, installed once into the
// user's cache folder, in a clean HOME, with dummy keys, against a fakeapi.API.
//
// Claude.Run runs the CLI once, as a script would. Claude.Start begins a conversation with several
// prompts, among them /compact, /clear and skills. Obey is a model that follows the prompt, so that
// a test can say in one line who uses which tool.
//
// # Observed behavior of this version
//
// The tests here check most of this. Hooks, in order and with all their fields, are in
// testdata/*.txtar.
//
// Conversations. The CLI announces a prompt on stdin that has a uuid as queued, started and
// completed (command_lifecycle events). It silently drops a prompt whose uuid was used before.
// /compact and /clear answer with a result of no turns. The Agent tool runs in the background
// unless its input has run_in_background false. Its end then starts a turn, with a result, that no
// prompt asked for.
//
// Requests. The headers X-Claude-Code-Session-Id and, for a subagent, X-Claude-Code-Agent-Id say
// who asks. The latter is agent_id in hooks. A compaction's request has the header of the agent
// that is compacted.
//
// Sessions. /clear ends the session (SessionEnd, reason clear) and begins a session with another
// session_id (SessionStart, source clear). Compaction keeps the id. The order of a compaction is
// PreCompact, the request, SubagentStop of an agent that never started (agent_type is empty, and
// its agent_id belongs to no agent), SessionStart with source compact, PostCompact. If a subagent
// is compacted, PreCompact, SessionStart and PostCompact have its agent_id. PreCompact may come
// without a compaction after it. If a summary has no <summary> tags, the CLI asks a second time.
// The additionalContext of SessionStart reaches the model, with compact and clear too. It is in a
// system message of the next request: "SessionStart hook additional context: …".
//
// Agents. PreToolUse of the Skill tool has agent_id and agent_type in a subagent, and neither in
// the main agent. A skill that an agent's frontmatter preloads has no PreToolUse.
//
// Environment. Hooks have CLAUDE_CODE_SESSION_ID and CLAUDE_PROJECT_DIR. Hooks on SessionStart also
// have CLAUDE_ENV_FILE, and hooks of plugins CLAUDE_PLUGIN_ROOT and CLAUDE_PLUGIN_DATA. Directives
// have only CLAUDE_CODE_SESSION_ID. Nothing sets CLAUDE_SESSION_ID. A directive cannot see that a
// subagent runs it: its environment is that of the main agent. A plugin's bin folder is in the PATH
// of directives, but not of hooks.
//
// Skills used again. A slash command sends the whole text each time. The Skill tool does not. If it
// sent the same text to this agent last, the model gets "Skill /NAME is already loaded above;
// instructions unchanged."; after a compaction "Skill /NAME was loaded earlier (see the
// invoked-skills reminder above)…". Another text is sent whole, after "(Re-invocation of /NAME —
// …)". The reminder after a compaction contains the text of a skill's last use.
//
// Plugins. In hooks.json the CLI runs a command with args, even an empty list, without a shell. It
// replaces ${CLAUDE_PLUGIN_ROOT} in both, but no other variables. "plugin validate --strict
// --profile directory" accepts that form, and a shell command that quotes "${CLAUDE_PLUGIN_ROOT}".
// It refuses an unquoted ${CLAUDE_PLUGIN_ROOT} and unknown events. It requires an author, a
// license, a README of 40 words and a square PNG of 512 pixels or more as .claude-plugin/icon.png.
package realclaude
