package term

import "testing"

func TestUp(t *testing.T) {
	t.Parallel()
	tests := []struct {
		widths  []int
		columns int
		want    string
	}{
		{nil, 80, ""}, {[]int{0}, 80, "\x1b[1A\r"}, {[]int{79, 10}, 80, "\x1b[2A\r"}, {[]int{79, 10}, 40, "\x1b[3A\r"},
		{[]int{80, 81}, 40, "\x1b[5A\r"},
	}
	for _, tt := range tests {
		if got := up(tt.widths, tt.columns); got != tt.want {
			t.Errorf("up(%v, %d) = %q, want %q", tt.widths, tt.columns, got, tt.want)
		}
	}
}
