#!/usr/bin/env bash
# The main job of skillhand in a folder of its own: nothing here touches your files.
set -euo pipefail
demo=$(mktemp -d)
trap 'rm -rf "$demo"' EXIT
export HOME="$demo/home" SKILLHAND_STATE_DIR="$demo/state"
unset CLAUDE_PLUGIN_ROOT CLAUDE_PROJECT_DIR CLAUDE_SESSION_ID CLAUDE_CODE_SESSION_ID
mkdir -p "$HOME" "$demo/project/.claude/skills"
cp -r "$(dirname "$0")/skills/review" "$demo/project/.claude/skills/"
cd "$demo/project"
git init -q . 2>/dev/null || mkdir .git
printf 'package main\n\nfunc main() {}\n' > main.go

say() { printf '\n\033[1m# %s\033[0m\n' "$*"; }
run() { printf '$'; printf ' %q' "$@"; printf '\n'; "$@"; }
[ -t 1 ] || say() { printf '\n# %s\n' "$*"; }

say "A skill is text for an agent, with commands whose output belongs into it:"
run cat .claude/skills/review/SKILL.md

say "Nobody has trusted this project yet, so nothing in it runs:"
run skillhand load review main.go < /dev/null

say "Trust it, and the agent reads the page with live output:"
run skillhand trust
run skillhand load review main.go

say "The second time in a session it needs only what is fresh:"
run skillhand load review main.go --reference

say "An argument is data, whatever it looks like. This one would delete the project if it were pasted:"
run skillhand load review 'main.go; rm -rf .'
run ls

say "And what ran, for programs:"
run skillhand load review main.go --json
