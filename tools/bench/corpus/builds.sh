#!/usr/bin/env bash
# Usage: builds.sh OLD [FOLDER]
# Prints how check at the revision OLD and check as it is here differ about the repositories of
# repositories.tsv. Those that FOLDER lacks, each as OWNER+NAME, are fetched into it; without a
# FOLDER they all are, into a temporary one.
set -euo pipefail
cd "$(dirname "$0")/../../.."
old=${1:?usage: builds.sh OLD [FOLDER]}
tmp=$(mktemp -d)
trap 'git worktree remove --force "$tmp/source" 2>/dev/null || true; rm -rf "$tmp"' EXIT
mkdir -p "$tmp/said/old" "$tmp/said/new" "$tmp/clones"
clones=$(cd "${2:-$tmp/clones}" && pwd)

git worktree add -q --detach "$tmp/source" "$old"
(cd "$tmp/source" && go build -o "$tmp/old" ./cmd/skillhand)
go build -o "$tmp/new" ./cmd/skillhand

# fetch NAME COMMIT FOLDER
fetch() {
  git init -q "$3" && git -C "$3" fetch -q --depth 1 "https://github.com/$1" "$2" && git -C "$3" checkout -q -f FETCH_HEAD ||
    { echo "$1 cannot be fetched" >&2; rm -rf "$3"; }
}

while IFS=$'\t' read -r name commit _; do
  case $name in '#'* | '') continue ;; esac
  at=${name/\//+}
  if [ ! -d "$clones/$at" ] && [ -z "${OFFLINE:-}" ]; then fetch "$name" "$commit" "$clones/$at" </dev/null; fi
  [ -d "$clones/$at" ] || continue
  for build in old new; do
    (cd "$clones/$at" && "$tmp/$build" check --json --max-same 0 . </dev/null >"$tmp/said/$build/$at.json" 2>/dev/null) || true
  done
done <tools/bench/corpus/repositories.tsv

[ -n "$(ls "$tmp/said/new")" ] || { echo "none of the repositories is here" >&2; exit 1; }
go run ./tools/bench/corpus "$tmp/said/old" "$tmp/said/new"
