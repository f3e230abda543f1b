package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/find"
)

// The exit statuses of both programs.
const (
	ExitOK      = 0
	ExitFailed  = 1 // it ran and failed, or there are findings
	ExitUsage   = 2
	ExitMissing = 3 // something needed is not there
	ExitLater   = 4 // a temporary failure, worth trying again
	ExitAccount = 5 // credentials or quota
	ExitTimeout = 124
)

// Statuses says what each exit status means.
var Statuses = [][2]string{
	{"0", "Done."},
	{"1", "It ran and failed, or there are findings."},
	{"2", "Wrong usage. The hook command never exits with it: Claude Code would take it as a block."},
	{"3", "Something needed is missing."},
	{"4", "A temporary failure, worth trying again: network, rate limit, overload."},
	{"5", "Credentials or quota."},
	{"124", "Timed out."},
	{"130, 143", "Interrupted by SIGINT or SIGTERM."},
}

// A statusError carries the exit status of its error.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// Exit makes an error that ends the program with a status.
func Exit(status int, err error) error { return &statusError{status, err} }

// errSaid is the error of a command that has printed what there is to say.
var errSaid = errors.New("failed")

// Said makes an error that ends the program with a status and prints nothing more: what the command
// printed says why.
func Said(status int) error { return Exit(status, errSaid) }

// Usagef makes an error about how the program was called.
func Usagef(format string, a ...any) error { return Exit(ExitUsage, fmt.Errorf(format, a...)) }

// A Failure is what a command prints with --json if it fails before it has printed anything else. It is described by
// schemas/failure-v1.schema.json.
type Failure struct {
	Error      string `json:"error"`
	ExitStatus int    `json:"exit_status"`
}

// wantsJSON reports whether arguments asked a command for JSON that ended with err.
func wantsJSON(cmd *cobra.Command, args []string, err error) bool {
	f, format := cmd.Flags().Lookup("json"), cmd.Flags().Lookup("format")
	if _, bad := errors.AsType[*badFlag](err); bad || f == nil {
		return slices.Contains(args, "--json")
	}
	return f.Value.String() == "true" || format != nil && format.Value.String() == "json"
}

// An interrupted error says which signal ended the command.
type interrupted struct{ signal syscall.Signal }

func (e *interrupted) Error() string { return "interrupted" }

// Terminated reports whether SIGTERM ended the command.
func Terminated(err error) bool {
	var signal *interrupted
	return errors.As(err, &signal) && signal.signal == syscall.SIGTERM
}

// ErrEnded says that a signal ended the command as it is meant to end: nothing is printed.
var ErrEnded = errors.New("ended by a signal")

// ending says how a program ends whose command returned err: its exit status, and the message that
// it prints. cause is the signal that interrupted the command, if one did. A failure has no message
// only if the command printed what there is to say, if a signal was the way to end it, or if the
// reader of our stdout has closed it, as in skillhand load … | head.
func ending(err, cause error) (status int, message string) {
	if err == nil {
		return ExitOK, ""
	}
	said, _ := any(err).(*statusError) // itself: an error around it has more to say
	quiet := said != nil && errors.Is(said.err, errSaid) || closedStdout(err)
	if cause != nil {
		quiet = errors.Is(err, ErrEnded) || closedStdout(err)
		err = cause
	}
	if quiet {
		return ExitStatus(err), ""
	}
	return ExitStatus(err), cmp.Or(err.Error(), fmt.Sprintf("failed without a message (%T)", err)) + advice(err)
}

// advice says, after an error's message, which flag may help: packages have no flags.
func advice(err error) string {
	if missing, ok := errors.AsType[*find.NotFoundError](err); ok && missing.Roots == 0 {
		return "; --root adds a folder"
	}
	return ""
}

// closedStdout reports whether err says that nobody reads our stdout any more, and nothing else.
// Other pipes and connections break with the same errno, and those are worth a message.
func closedStdout(err error) bool {
	switch e := any(err).(type) { // itself, for the same reason
	case *fs.PathError:
		return e.Path == os.Stdout.Name() && errors.Is(e.Err, syscall.EPIPE)
	case interface{ Unwrap() error }:
		return closedStdout(e.Unwrap())
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(e.Unwrap(), func(err error) bool { return !closedStdout(err) })
	}
	return false
}

// ExitStatus turns an error into an exit status; nothing else does.
func ExitStatus(err error) int {
	var status *statusError
	var signal *interrupted
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &signal):
		return 128 + int(signal.signal)
	case errors.As(err, &status):
		return status.status
	case errors.Is(err, fs.ErrNotExist): // a skill, a file or a folder
		return ExitMissing
	}
	return ExitFailed
}

// AskStatus returns the exit status of a failure to get an answer.
func AskStatus(e *claude.Error) int {
	switch {
	case e.Category == claude.Auth, e.Category == claude.Quota:
		return ExitAccount
	case e.Category == claude.Timeout:
		return ExitTimeout
	case e.Kind == claude.Missing:
		return ExitMissing
	case e.Temporary():
		return ExitLater
	}
	return ExitFailed
}
