package activity

import "testing"

func TestPeriod(t *testing.T) {
	for _, tt := range []struct{ since, want string }{{"all", ""}, {"30d", " from the last 30d"}, {"2026-05-01", " since 2026-05-01"}} {
		if got := Period(tt.since); got != tt.want {
			t.Errorf("Period(%q) = %q, want %q", tt.since, got, tt.want)
		}
	}
}
