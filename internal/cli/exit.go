package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/skillhand/skillhand/claude"
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

// A statusError carries the exit status of its error. Without an error, all
// there is to say was said.
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

// Exit makes an error that ends the program with a status. Without an err
// nothing more is printed.
func Exit(status int, err error) error { return &statusError{status, err} }

// Usagef makes an error about how the program was called.
func Usagef(format string, a ...any) error { return Exit(ExitUsage, fmt.Errorf(format, a...)) }

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

// ExitStatus is the one place where an error becomes an exit status.
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

// AskStatus is the exit status of a failure to get an answer.
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
