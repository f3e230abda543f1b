package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"
)

// These errors say why ReadAll read nothing.
var (
	ErrSilent  = errors.New("nothing came")
	ErrEndless = errors.New("it did not end")
)

// ReadAll reads to the end, but at most the given number of bytes. The first byte must come within
// patience, and the last within limit.
func ReadAll(ctx context.Context, in io.Reader, most int64, patience, limit time.Duration) (string, error) {
	type read struct {
		text []byte
		err  error
	}
	begun, done := make(chan struct{}), make(chan read, 1)
	go func() {
		limited := bufio.NewReader(io.LimitReader(in, most))
		_, _ = limited.Peek(1) // ReadAll reports errors
		close(begun)
		text, err := io.ReadAll(limited)
		done <- read{text: text, err: err}
	}()
	silent, endless := time.NewTimer(patience), time.NewTimer(limit)
	defer silent.Stop()
	defer endless.Stop()
	for {
		select {
		case <-begun:
			silent.Stop()
			begun = nil
		case r := <-done:
			return string(r.text), r.err
		case <-silent.C:
			return "", ErrSilent
		case <-endless.C:
			return "", ErrEndless
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}
