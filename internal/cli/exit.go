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
	ExitMissing = 3 // something needed is missing
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

// Exit returns an error that ends the program with a status.
func Exit(status int, err error) error { return &statusError{status, err} }

// errSaid is the error of a command that has already printed why it failed.
var errSaid = errors.New("failed")

// Said returns an error that ends the program with a status and prints nothing more, because the
// command has printed why.
func Said(status int) error { return Exit(status, errSaid) }

// Usagef returns an error about wrong usage.
func Usagef(format string, a ...any) error { return Exit(ExitUsage, fmt.Errorf(format, a...)) }

// A Failure is what a command prints with --json if it fails before it has printed anything else.
// It is described by schemas/failure-v1.schema.json.
type Failure struct {
	Error      string `json:"error"`
	ExitStatus int    `json:"exit_status"`
}

// wantsJSON reports whether the arguments of the command that ended with err asked for JSON.
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

// ErrEnded says that a signal ended the command in the normal way. The program prints nothing about
// it.
var ErrEnded = errors.New("ended by a signal")

// ending returns the exit status and the message of a program whose command returned err. cause is
// the signal that interrupted the command, if there was one. The message is empty in three cases:
// the command has printed why it failed, a signal was the normal way to end it, or the reader of
// stdout closed it, as in skillhand load … | head.
func ending(err, cause error) (status int, message string) {
	if err == nil {
		return ExitOK, ""
	}
	said, _ := any(err).(*statusError) // not with AsType: a wrapping error has more to say
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

// advice returns the end of an error's message: a flag that may help. Other packages do not know
// the flags.
func advice(err error) string {
	if missing, ok := errors.AsType[*find.NotFoundError](err); ok && missing.Roots == 0 {
		return "; --root adds a folder"
	}
	return ""
}

// closedStdout reports whether err says only that the reader of stdout has closed it. Broken pipes
// and connections of other kinds have the same errno, and they need a message.
func closedStdout(err error) bool {
	switch e := any(err).(type) { // not with AsType, for the same reason
	case *fs.PathError:
		return e.Path == os.Stdout.Name() && errors.Is(e.Err, syscall.EPIPE)
	case interface{ Unwrap() error }:
		return closedStdout(e.Unwrap())
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(e.Unwrap(), func(err error) bool { return !closedStdout(err) })
	}
	return false
}

// ExitStatus returns the exit status of an error. No other function chooses it.
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

// AskStatus returns the exit status of an ask without an answer.
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
