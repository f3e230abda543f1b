package setup

import (
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode/settings"
)

// TestStatusLine: only a line that is as skillhand wrote it goes, and only from a file that is the user's to change.
func TestStatusLine(t *testing.T) {
	const own = `{"statusLine": {"type": "command", "command": "skillhand statusline", "padding": 0}}`
	for _, tt := range []struct {
		source settings.Source
		text   string
		want   ItemStatus // "" if it is not skillhand's
	}{
		{settings.User, own, ItemFound},
		{settings.Local, own, ItemFound},
		{settings.Managed, own, ItemLeft},
		{settings.User, `{"statusLine": {"type": "command", "command": "skillhand statusline", "padding": 4}}`, ItemLeft},
		{settings.User, `{"statusLine": {"type": "command", "command": "other"}}`, ""},
		{settings.User, `{}`, ""},
	} {
		f, err := settings.Parse("f", []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		it := statusLine(settings.Path{Name: "f", Source: tt.source}, f)
		if it == nil {
			it = &Item{}
		}
		if it.Status != tt.want || (it.remove != nil) != (tt.want == ItemFound) {
			t.Errorf("%s %s: %q, want %q", tt.source, tt.text, it.Status, tt.want)
		}
	}
}
