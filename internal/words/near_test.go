package words

import (
	"strings"
	"testing"
)

func TestClosest(t *testing.T) {
	names := []string{"status", "statusline", "review", "retro", "run"}
	for _, tt := range []struct{ name, want string }{
		{"statsu", "status"},
		{"stat", "status statusline"},
		{"Review", "review"},
		{"reveiw", "review"},
		{"rnu", "run"},
		{"xyzzy", ""},
	} {
		if got := strings.Join(Closest(tt.name, names), " "); got != tt.want {
			t.Errorf("Closest(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}
