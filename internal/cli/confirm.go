package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/trust"
)

// Confirm returns a function that asks a person whether a folder's commands may run; doing names
// the command. Without a terminal it returns nil.
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

// Ask asks a person at the terminal, and reports whether the answer is yes.
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

// PinNow is the value of --pin without a digest: the current content of the folder.
const PinNow = "now"

// SeenChanges shows the user the changes since a folder was pinned, and returns the digest of what
// it showed. A model can run this command too, so without a terminal the digest must be given.
func (std *Std) SeenChanges(ctx context.Context, store trust.Store, dir, pin string) (digest string, err error) {
	given := ""
	if pin != PinNow {
		given = pin
	}
	changes, digest, err := store.Changes(dir)
	switch {
	case errors.Is(err, trust.ErrNotPinned):
		return given, nil
	case err != nil || changes == "":
		return given, err
	}
	fmt.Fprintf(std.Err, "changed since you pinned it:\n\n%s\ndigest: %s\n", term.Visible(changes), digest)
	switch {
	case given != "":
		return given, nil
	case !std.Interactive():
		return "", fmt.Errorf("%s: still pinned as before: there is no terminal to ask on; if you accept the "+
			"difference, run: skillhand trust --pin=%s", dir, digest)
	}
	question := "\nTrust it from now on, even if it changes? (with --pin: only as it is now) [y/N] "
	if pin != "" {
		question = "\nTrust it as it is now? [y/N] "
	}
	yes, err := std.Ask(ctx, question)
	if err == nil && !yes {
		err = fmt.Errorf("%s: still pinned as before", dir)
	}
	return digest, err
}
