package jobs

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/batch"
)

// Stuck returns why no worker does the waiting jobs, or "" if some worker can.
func Stuck(ctx context.Context, db *batch.DB, s *batch.Status) string {
	if s.Open > 0 || s.Left() == 0 {
		return ""
	}
	crew, err := db.Crew(ctx)
	if err != nil || crew.Workers == 0 || len(crew.Unfit) < crew.Workers {
		return ""
	}
	kinds, err := db.WaitingKinds(ctx, s.ID)
	if err != nil || slices.ContainsFunc(kinds, func(kind string) bool { return AgentOf(kind) == "" }) {
		return ""
	}
	var hosts []string
	for _, u := range crew.Unfit {
		if !slices.Contains(hosts, u.Host) {
			hosts = append(hosts, u.Host)
		}
	}
	if own, err := os.Hostname(); err == nil && slices.Equal(hosts, []string{own}) {
		return crew.Unfit[0].Why
	}
	return fmt.Sprintf("%s on %s", crew.Unfit[0].Why, strings.Join(hosts, ", "))
}

// Drained reports whether no jobs are left that a worker can do.
func Drained(ctx context.Context, db *batch.DB) bool {
	all, err := db.List(ctx)
	if err != nil {
		return false // if the error lasts, the worker reports it
	}
	for _, s := range all {
		if !s.Still() && Stuck(ctx, db, &s) == "" {
			return false
		}
	}
	return true
}
