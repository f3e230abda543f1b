package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestReadAll: who says nothing, says it for too long, or is interrupted is not waited for; too much is cut.
func TestReadAll(t *testing.T) {
	stopped := errors.New("stopped")
	for _, tt := range []struct {
		name string
		feed func(w *io.PipeWriter, stop context.CancelCauseFunc)
		want string
		err  error
	}{
		{"all", func(w *io.PipeWriter, _ context.CancelCauseFunc) { _, _ = io.WriteString(w, "hello"); w.Close() }, "hello", nil},
		{"late but in time", func(w *io.PipeWriter, _ context.CancelCauseFunc) {
			_, _ = io.WriteString(w, "a")
			time.Sleep(5 * time.Second)
			_, _ = io.WriteString(w, "b")
			w.Close()
		}, "ab", nil},
		{"too much", func(w *io.PipeWriter, _ context.CancelCauseFunc) { _, _ = io.WriteString(w, strings.Repeat("x", 20)) },
			strings.Repeat("x", 10), nil},
		{"silent", func(*io.PipeWriter, context.CancelCauseFunc) {}, "", ErrSilent},
		{"endless", func(w *io.PipeWriter, _ context.CancelCauseFunc) { _, _ = io.WriteString(w, "a") }, "", ErrEndless},
		{"broken", func(w *io.PipeWriter, _ context.CancelCauseFunc) { w.CloseWithError(io.ErrUnexpectedEOF) }, "", io.ErrUnexpectedEOF},
		{"stopped", func(_ *io.PipeWriter, stop context.CancelCauseFunc) { stop(stopped) }, "", stopped},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			r, w := io.Pipe()
			defer r.Close() // ends what still reads or writes
			go tt.feed(w, stop)
			got, err := ReadAll(ctx, r, 10, time.Second, 10*time.Second)
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("%s: %q, %v, want %q, %v", tt.name, got, err, tt.want, tt.err)
			}
		})
	}
}
