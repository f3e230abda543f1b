package cli

import (
	"strings"
	"testing"
)

func TestForServer(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", ""},
		{"server", "server"},
		{"server --json", "server"},
		{"--no-color server x", "server"},
		{"help server", "server"},
		{"man server", "server"},
		{"man", ""},
		{"load server", ""},
		{"run help server", ""},
		{"ask man", ""},
		{"serve", ""},
		{"__complete server -", "server"},
		{"__completeNoDesc server -", "server"},
		{"__complete server", ""}, // its name is being typed
		{"__complete load server x", ""},
		{"help help server", ""},
	} {
		if got := ForServer(strings.Fields(tt.args)); got != tt.want {
			t.Errorf("ForServer(%q) = %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestSuggest(t *testing.T) {
	names := []string{"json", "all", "session", "no-color", "max-budget-usd"}
	for typed, want := range map[string]string{
		"jsno": "json", "JSON": "json", "sesion": "session", "max": "max-budget-usd", "nocolor": "no-color", "xyz": "",
	} {
		if got := strings.Join(suggest(typed, names), " "); got != want {
			t.Errorf("suggest(%q) = %q, want %q", typed, got, want)
		}
	}
}
