#!/usr/bin/env bash
# The main jobs of skillhand in a folder of their own: nothing here touches your files.
set -euo pipefail
demo=$(mktemp -d)
trap 'rm -rf "$demo"' EXIT
export HOME="$demo/home" SKILLHAND_STATE_DIR="$demo/state"
unset CLAUDECODE CLAUDE_PLUGIN_ROOT CLAUDE_PROJECT_DIR CLAUDE_SESSION_ID CLAUDE_CODE_SESSION_ID SKILLHAND_TRUST SKILLHAND_HISTORY
mkdir -p "$HOME" "$demo/project/.claude/skills"
cp -r "$(dirname "$0")"/skills/* "$demo/project/.claude/skills/"
cd "$demo/project"
git init -q . 2>/dev/null || mkdir .git
printf 'package main\n\nfunc main() {}\n' > main.go

say() { printf '\n\033[1m# %s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n# %s\n' "$*"; }
run() { printf '$'; printf ' %q' "$@"; printf '\n'; "$@"; }
# refused runs what must fail: if it does not, the demo does.
refused() { if run "$@"; then echo "demo: this should have failed" >&2; exit 1; fi; }

say "This skill looks fine. check knows what Claude Code would do with it:"
mkdir -p skills/release-notes
cat > skills/release-notes/SKILL.md <<'SKILL'
---
name: release-notes
description: Writes release notes from merged pull requests. Use when someone prepares a release.
---
!`gh pr list --state merged`

Follow [the template](references/template.md).
SKILL
run cat skills/release-notes/SKILL.md
refused skillhand check release-notes

say "A skill's commands run only once you trust its folder. Then load prints what the agent reads:"
run cat .claude/skills/review/SKILL.md
run skillhand trust
run skillhand load review main.go --session demo

say "The second time in a session, the agent gets only the fresh output:"
run skillhand load review main.go --session demo

say "An argument is data. Pasted into the command, this one would delete the project:"
run skillhand load review 'main.go; rm -rf .' --session demo 2> /dev/null
run ls

say "A script reports what it did, and run compares that with what happened. This one did not do it:"
cat > liar.sh <<'SCRIPT'
#!/usr/bin/env bash
skillhand emit --confidence 0.99 --deliverable app.tar.gz
exit 3
SCRIPT
chmod +x liar.sh
run cat liar.sh
refused skillhand run ./liar.sh

say "Many jobs are a batch. This one is killed in the middle, with no time to tidy up:"
cat > steps.yaml <<'JOBS'
name: steps
jobs:
  - {each: "step-*.txt", run: ./step.sh, args: ["{file}"]}
  - {id: sum, run: ./step.sh, args: [sum], needs: [step-1.txt, step-2.txt]}
JOBS
cat > step.sh <<'SCRIPT'
#!/usr/bin/env bash
echo "$1" >> started
sleep 0.3
skillhand emit --confidence 1
SCRIPT
chmod +x step.sh
touch step-{1,2,3,4,5,6}.txt
run cat steps.yaml
echo '$ skillhand batch run steps.yaml --jobs 2 & sleep 1; kill -9 $!'
skillhand batch run steps.yaml --jobs 2 2>&1 &
victim=$!
until [ -f started ] && [ "$(wc -l < started)" -ge 5 ]; do sleep 0.02; done
kill -9 $victim
{ wait $victim; } 2>/dev/null || true

say "The same command goes on. Finished jobs are not run again:"
run skillhand batch run steps.yaml --jobs 2 -o results.jsonl
[ "$(wc -l < results.jsonl)" -eq 7 ] || { echo "demo: want seven results" >&2; exit 1; }

say "Next, in a project of your own:"
cat <<'NEXT'
skillhand check               # find mistakes in the skills of this folder
skillhand init skill NAME     # or begin with a new skill
skillhand load NAME           # read it as the agent does
skillhand page                # see all of it in the browser
skillhand try NAME --init     # measure whether an agent uses it: needs the Claude CLI
docs/first-skill.md explains each step. make demo used bin/; go install ./cmd/... installs skillhand.
NEXT
