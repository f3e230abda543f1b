package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/trust"
)

// Confirm returns what asks a person whether a folder's commands may run; doing is what the command
// does. It is nil where nobody can be asked.
func (std *Std) Confirm(doing string) func(ctx context.Context, q trust.Question) (bool, error) {
	if !std.Interactive() {
		return nil
	}
	return func(ctx context.Context, q trust.Question) (bool, error) {
		std.Screen.Lock()
		defer std.Screen.Unlock()
		if q.Changes != "" {
			std.Say(fmt.Sprintf("%s has changed since you pinned it:\n\n%s\n%s would run:\n", q.Dir, term.Indent(q.Changes), doing))
		} else {
			std.Say(fmt.Sprintf("%s is not trusted yet. %s would run:\n", q.Dir, doing))
		}
		for _, c := range q.Commands {
			fmt.Fprintln(std.Err, term.Indent(c))
		}
		return std.Ask(ctx, fmt.Sprintf("\nTrust %s and run its commands from now on? [y/N] ", q.Dir))
	}
}

// Ask asks a person at the terminal for a yes.
func (std *Std) Ask(ctx context.Context, question string) (bool, error) {
	fmt.Fprint(std.Err, std.broken(term.Visible(question)))
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(std.In).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes", nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}
