#!/usr/bin/env bash
# Runs a test binary, for go test -exec, and adds a line to the file $TIMES: the package's folder and
# the CPU seconds, user and system, that the test and its children took.
TIMEFORMAT="$PWD %U %S"
{ time "$@" 2>&3; } 3>&2 2>>"$TIMES"
