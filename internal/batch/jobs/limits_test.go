package jobs

import (
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/batch"
)

// TestParseLimits checks that an empty string keeps a limit, that none removes it, and that an
// error names the limit.
func TestParseLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		jobs, rate, budget string
		want               batch.Limits
		fault              string
	}{
		{"", "", "", batch.Limits{}, ""},
		{"none", "none", "none", batch.Limits{Concurrency: -1, Starts: -1, BudgetUSD: -1}, ""},
		{"10000", "30/m", "0.5", batch.Limits{Concurrency: MaxSlots, Starts: 30, Window: time.Minute, BudgetUSD: 0.5}, ""},
		{"10001", "", "", batch.Limits{}, "jobs is 10001, want 1 to 10000, or none"},
		{"0", "", "", batch.Limits{}, "jobs is 0"},
		{"many", "", "", batch.Limits{}, "jobs is many"},
		{"", "30", "", batch.Limits{}, "rate is 30"},
		{"", "", "0", batch.Limits{}, "budget-usd is 0, want dollars, or none"},
		{"", "", "Inf", batch.Limits{}, "budget-usd is Inf"},
		{"", "", "nan", batch.Limits{}, "budget-usd is nan"},
	} {
		got, err := ParseLimits(tt.jobs, tt.rate, tt.budget)
		switch {
		case tt.fault == "" && (err != nil || got != tt.want):
			t.Errorf("ParseLimits(%q, %q, %q) = %+v, %v, want %+v", tt.jobs, tt.rate, tt.budget, got, err, tt.want)
		case tt.fault != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.fault)):
			t.Errorf("ParseLimits(%q, %q, %q): %v, want %s", tt.jobs, tt.rate, tt.budget, err, tt.fault)
		}
	}
}

func TestParseRate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in     string
		starts int
		window time.Duration
	}{
		{"30/m", 30, time.Minute}, {"5/s", 5, time.Second}, {"100/h", 100, time.Hour}, {"10/90s", 10, 90 * time.Second},
		{"30", 0, 0}, {"m/30", 0, 0}, {"0/m", 0, 0}, {"-1/m", 0, 0}, {"1/0s", 0, 0}, {"1/", 0, 0}, {"", 0, 0},
	}
	for _, tt := range tests {
		starts, window, err := parseRate(tt.in)
		if starts != tt.starts || window != tt.window || (err == nil) != (tt.starts > 0) {
			t.Errorf("parseRate(%q) = %d, %v, %v", tt.in, starts, window, err)
		}
	}
}
