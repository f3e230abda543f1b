package jobs

import (
	"testing"
	"time"
)

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
