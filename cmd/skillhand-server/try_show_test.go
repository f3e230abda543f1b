package main

import "testing"

func TestTryDraws(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o           tryOptions
		screen, out bool
		want        bool
	}{
		{tryOptions{}, true, true, true},
		{tryOptions{}, true, false, true},
		{tryOptions{}, false, true, false},
		{tryOptions{json: true}, true, false, true},
		{tryOptions{json: true}, true, true, false},
		{tryOptions{from: "x"}, true, true, false},
	} {
		if got := tt.o.draws(tt.screen, tt.out); got != tt.want {
			t.Errorf("json %v, from %q, screen %v, out %v: %v", tt.o.json, tt.o.from, tt.screen, tt.out, got)
		}
	}
}
