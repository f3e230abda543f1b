package skillhand

import (
	"context"
	"fmt"
	"io"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/here"
)

// Builtins returns the functions that skillhand's own plugin calls. A Runtime needs them to load
// the plugin's skills.
func Builtins() map[string]Builtin {
	all := map[string]Builtin{}
	for _, b := range activity.Builtins() {
		all[b.Name] = func(_ context.Context, args []string, std Std) int { return printView(b, args, std) }
	}
	return all
}

// The exit statuses of built-ins.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// printView prints a view, or the reason why it failed.
func printView(b activity.Builtin, args []string, std Std) (exit int) {
	if len(args) > 0 && !b.Args {
		fmt.Fprintf(std.Err, "%s: takes no arguments\n", b.Name)
		return exitUsage
	}
	h, err := here.From(std.Dir, std.Env)
	text := ""
	if err == nil {
		text, err = b.Text(h, args, std.Err)
	}
	if err == nil {
		_, err = io.WriteString(std.Out, text)
	}
	if err != nil {
		fmt.Fprintf(std.Err, "%s: %v\n", b.Name, err)
		return exitFailed
	}
	return exitOK
}
