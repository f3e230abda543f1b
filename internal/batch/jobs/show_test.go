package jobs_test

import (
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/batch/jobs"
)

// TestListLine checks that an old batch is listed with the name that identifies it, and with the
// time when it ended.
func TestListLine(t *testing.T) {
	made := time.Date(2026, 5, 1, 3, 0, 0, 0, time.Local)
	ended := made.Add(5 * time.Hour)
	s := &batch.Status{ID: 2, Name: "nightly", Old: true, Created: made, Ended: &ended, Total: 1, Done: 1}
	if got, want := jobs.ListLine(s), "nightly@2  (until 2026-05-01 08:00:00)  1 job, 1 done\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
