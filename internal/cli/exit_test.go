package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"testing"
)

// TestEnding: a program that fails says why, unless its command has, a signal was the way to end it, or nobody reads.
func TestEnding(t *testing.T) {
	write := func(name string) error { return &fs.PathError{Op: "write", Path: name, Err: syscall.EPIPE} }
	closed := fmt.Errorf("stdout: %w", write(os.Stdout.Name()))
	database := &net.OpError{Op: "write", Net: "unix", Err: os.NewSyscallError("write", syscall.EPIPE)}
	term, other := &interrupted{syscall.SIGTERM}, errors.New("other")
	for _, tt := range []struct {
		name       string
		err, cause error
		status     int
		message    string
	}{
		{"done", nil, nil, 0, ""},
		{"done in spite of a signal", nil, term, 0, ""},
		{"any error", other, nil, 1, "other"},
		{"canceled", context.Canceled, nil, 1, "context canceled"},
		{"a deadline", context.DeadlineExceeded, nil, 1, "context deadline exceeded"},
		{"a status", Exit(ExitLater, other), nil, 4, "other"},
		{"a status, and no error", Exit(ExitLater, nil), nil, 4, "exit status 4"},
		{"an empty error", errors.New(""), nil, 1, "failed without a message (*errors.errorString)"},
		{"a missing file", fs.ErrNotExist, nil, 3, "file does not exist"},

		{"said", Said(ExitLater), nil, 4, ""},
		{"said, and more", errors.Join(Said(ExitLater), other), nil, 4, "failed\nother"},
		{"said, wrapped", fmt.Errorf("b: %w", Said(ExitLater)), nil, 4, "b: failed"},
		{"said, and a signal", Said(ExitLater), term, 143, "interrupted"},

		{"a signal", context.Canceled, term, 143, "interrupted"},
		{"a signal is the way to end it", ErrEnded, term, 143, ""},
		{"ended without a signal", ErrEnded, nil, 1, "ended by a signal"},

		{"stdout is closed", closed, nil, 1, ""},
		{"stdout is closed, said by each of many", errors.Join(closed, Exit(3, closed)), nil, 3, ""},
		{"stdout is closed, and a signal", closed, term, 143, ""},
		{"stdout is closed, and more", errors.Join(closed, other), nil, 1, "stdout: write /dev/stdout: broken pipe\nother"},
		{"stdout is full", &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.ENOSPC}, nil, 1,
			"write /dev/stdout: no space left on device"},
		{"another pipe is closed", write("|1"), nil, 1, "write |1: broken pipe"},
		{"a database is gone", fmt.Errorf("database: %w", database), nil, 1, "database: write unix: write: broken pipe"},
		{"a broken pipe", syscall.EPIPE, nil, 1, "broken pipe"},
	} {
		if status, message := ending(tt.err, tt.cause); status != tt.status || message != tt.message {
			t.Errorf("%s: status %d, %q, want %d, %q", tt.name, status, message, tt.status, tt.message)
		}
	}
}
