package jobs

import (
	"slices"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/batch"
)

// TestPaused checks that a batch that waits for a usage limit reports the end of the wait, once for
// each time.
func TestPaused(t *testing.T) {
	var said []string
	w := &Watch{Name: "nightly", Warn: func(text string) { said = append(said, text) }}
	first := time.Date(2026, 5, 1, 8, 0, 0, 0, time.Local)
	then := first.Add(time.Hour)
	for _, paused := range []*time.Time{nil, &first, &first, &then} {
		w.show(t.Context(), &batch.Status{Created: first.Add(-time.Minute), Paused: paused})
	}
	want := []string{
		"nightly: usage limit reached, waiting until 2026-05-01 08:00:00",
		"nightly: usage limit reached, waiting until 2026-05-01 09:00:00",
	}
	if !slices.Equal(said, want) {
		t.Errorf("it says %q, want %q", said, want)
	}
}
