package main

import (
	"errors"
	"fmt"

	"github.com/skillhand/skillhand/claude"
)

// The exit statuses of skillhand.
const (
	exitOK      = 0
	exitFailed  = 1 // it ran and failed, or there are findings
	exitUsage   = 2
	exitMissing = 3 // something needed is not there
	exitLater   = 4 // it failed for now, and is worth trying again
	exitAccount = 5 // credentials or quota
	exitTimeout = 124
)

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

// usagef makes an error about how skillhand was called.
func usagef(format string, a ...any) error {
	return &statusError{exitUsage, fmt.Errorf(format, a...)}
}

// exitStatus is the one place where an error becomes an exit status.
func exitStatus(err error) int {
	var status *statusError
	var signal *interrupted
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &signal):
		return 128 + int(signal.signal)
	case errors.As(err, &status):
		return status.status
	}
	return exitFailed
}

// askStatus is the exit status of a failure to get an answer.
func askStatus(e *claude.Error) int {
	switch {
	case e.Category == claude.Auth, e.Category == claude.Quota:
		return exitAccount
	case e.Category == claude.Timeout:
		return exitTimeout
	case e.Temporary():
		return exitLater
	}
	return exitFailed
}
