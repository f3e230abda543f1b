package test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/shell/bind"
)

// NeedBash ends a test that runs the real bash if there is no bash.
func NeedBash(t testing.TB) {
	t.Helper()
	if bash() < 0 {
		Lacking(t, "bash is not here")
	}
}

// NeedBash5 ends a test that compares messages if bash is older than 5, which words them
// differently.
func NeedBash5(t testing.TB) {
	t.Helper()
	NeedBash(t)
	if bash() < 5 {
		Lacking(t, "bash is older than version 5")
	}
}

// bash returns 5 for bash 5 or later, 0 for an older bash, and -1 if there is none.
var bash = sync.OnceValue(func() int {
	res, err := proc.Run(context.Background(), proc.Cmd{Args: []string{"bash", "-c", "((BASH_VERSINFO[0] >= 5))"}})
	switch {
	case err != nil:
		return -1
	case res.Exit != 0:
		return 0
	}
	return 5
})

// Line makes a line of a command. In it, $ARGUMENTS, $0, $1 and $2 stand for values from outside,
// and ${DIR} for one of our folders.
func Line(command string, args []string, dir string) bind.Line {
	var l bind.Line
	text := func(s string) {
		if s != "" {
			l.Parts = append(l.Parts, bind.Part{Text: s})
		}
	}
	value := func(written, data string, ours bool) {
		l.Parts = append(l.Parts, bind.Part{Text: written, Value: &bind.Value{Data: data, Ours: ours}})
	}
	for command != "" {
		i := strings.IndexByte(command, '$')
		if i < 0 {
			break
		}
		rest := command[i:]
		switch {
		case strings.HasPrefix(rest, "$ARGUMENTS"):
			text(command[:i])
			value("$ARGUMENTS", strings.Join(args, " "), false)
			command = rest[len("$ARGUMENTS"):]
		case strings.HasPrefix(rest, "${DIR}"):
			text(command[:i])
			value("${DIR}", dir, true)
			command = rest[len("${DIR}"):]
		case len(rest) > 1 && '0' <= rest[1] && rest[1] < '0'+byte(len(args)):
			text(command[:i])
			value(rest[:2], args[rest[1]-'0'], false)
			command = rest[2:]
		default:
			text(command[:i+1])
			command = rest[1:]
		}
	}
	text(command)
	return l
}
