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
run() { printf '$'; printf ' %q' "$@"; printf '\n'; "$@"; }
# refused runs what must fail: if it does not, the demo does.
refused() { if run "$@"; then echo "demo: this should have failed" >&2; exit 1; fi; }
[ -t 1 ] || say() { printf '\n# %s\n' "$*"; }

say "This skill looks fine. skillhand knows what Claude Code would do with it:"
mkdir -p .claude/skills/release-notes
cat > .claude/skills/release-notes/SKILL.md <<'SKILL'
---
name: release-notes
description: Writes release notes from merged pull requests. Use when someone prepares a release.
---
Merged since the last release:

!`gh pr list --state merged --limit 30 --json number,title`

Follow [the template](references/template.md).
SKILL
run cat .claude/skills/release-notes/SKILL.md
refused skillhand check release-notes
rm -r .claude/skills/release-notes

say "A skill is text for an agent, with commands whose output becomes part of it:"
run cat .claude/skills/review/SKILL.md

say "Nobody has trusted this project yet, so nothing in it runs:"
run skillhand load review main.go < /dev/null

say "Trust it, and the agent reads the page with live output:"
run skillhand trust
run skillhand load review main.go --session demo

say "The second time in a session, the agent gets only the fresh output:"
run skillhand load review main.go --session demo

say "An argument is data, whatever it looks like. This one would delete the project if it were pasted into the command:"
run skillhand load review 'main.go; rm -rf .'
run ls

say "A skill can have a script. It does its work and reports what it did:"
run cat .claude/skills/count/execute.sh
say "Run it: the report is compared with what happened."
run skillhand run count main.go

say "This one claims a file that it did not write, and success although it failed. skillhand does not believe it:"
cat > liar.sh <<'SCRIPT'
#!/usr/bin/env bash
echo "Building... done"
skillhand emit --confidence 0.99 --deliverable app.tar.gz
exit 3
SCRIPT
chmod +x liar.sh
run cat liar.sh
refused skillhand run ./liar.sh

say "Scripts that only print text can be read too, by rule and not by guesswork:"
printf '0 errors found\nCreated: lines.txt\nConfidence: 92%%\n✅ Done\n' > good.log
printf 'Upload successful: no\nFAILED: disk is full\n' > bad.log
run cat good.log bad.log
run skillhand parse good.log bad.log

say "Or upgrade such a script. It still does the same, and it prints a report however it ends:"
cat > old.sh <<'SCRIPT'
#!/usr/bin/env bash
cp main.go backup.go || { echo "❌ ERROR: no copy made"; exit 1; }
echo "✅ SUCCESS: copy made"
echo "Created: backup.go"
echo "Confidence: 0.9"
SCRIPT
chmod +x old.sh
run cat old.sh
# The functions that build the report are the same in each script, and long: not shown.
run skillhand migrate --diff old.sh | awk '
  /^\+# skillhand: the script itself/ { if (cut) print "+  ... " cut - 1 " lines that build the report"; cut = 0 }
  cut { cut++; next }
  { print }
  /^\+# skillhand: stdout/ { cut = 1 }'
run skillhand run ./old.sh

say "Many jobs are a batch. Each runs until it has one result, whatever happens in between:"
cat > step.sh <<'SCRIPT'
#!/usr/bin/env bash
echo "$1" >> started
sleep 0.3
skillhand emit --confidence 1
SCRIPT
cat > steps.yaml <<'JOBS'
name: steps
jobs:
  - {each: "step-*.txt", run: ./step.sh, args: ["{file}"]}
  - {id: sum, run: ./step.sh, args: [sum], needs: [step-1.txt, step-2.txt]}
JOBS
chmod +x step.sh
touch step-{1,2,3,4,5,6}.txt
run cat steps.yaml
say "It is killed in the middle, with no time to tidy up:"
skillhand batch run steps.yaml --jobs 2 > first.log 2>&1 &
victim=$!
until [ -f started ] && [ "$(wc -l < started)" -ge 5 ]; do sleep 0.02; done
kill -9 $victim
{ wait $victim; } 2>/dev/null || true
run cat first.log
say "The same command goes on. What was done is not done again:"
run skillhand batch run steps.yaml --jobs 2 -o results.jsonl
run cut -d, -f1,2 results.jsonl
[ "$(wc -l < results.jsonl)" -eq 7 ] || { echo "demo: want seven results" >&2; exit 1; }

say "Everything is also available as JSON, for programs:"
run skillhand run --json count main.go

say "skillhand remembers what happened here, but not the texts:"
run skillhand history status

say "And it says what is missing here:"
run skillhand doctor
