package markdown

import (
	"slices"
	"testing"
)

func TestLinks(t *testing.T) {
	for src, want := range map[string][]string{
		"[a](b.md)":                          {"b.md"},
		"![a](<b c.md> \"title\") [d](e)":    {"b c.md", "e"},
		"[a]\n\n[a]: b.md 'title'\n[c]: d\n": {"b.md", "d"},
		`\[a](b.md) [a\](b.md)`:              nil,
		`\[a](b.md) [c](d.md) [\[e\]](f.md)`: {"d.md", "f.md"},
		"code`](b.md)":                       {"b.md"},
		"[a] (b.md) [a](b c.md)":             nil,
		"text ]: x":                          nil,
		"[a]()":                              nil,
		"[a](b(c).md)":                       {"b(c).md"},
	} {
		var got []string
		for _, l := range Links(src, 0, len(src)) {
			got = append(got, l.Destination)
			if src[l.Start:l.End] != l.Destination {
				t.Errorf("Links(%q): %+v", src, l)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("Links(%q) = %q, want %q", src, got, want)
		}
	}
}
