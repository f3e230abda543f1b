package gate

import "testing"

// TestAsks: only a question at the end is one to the user. What says in the middle that it asks lets nobody go.
func TestAsks(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                      false,
		"It is done.":                           false,
		"Shall I publish it?":                   true,
		"I did half.\n\n**Shall I go on?**\n":   true,
		"Shall I publish CHANGELOG.md?":         true,
		"Which one (a or b)?!":                  true,
		"Publish it? (y/n)":                     true,
		"Publish it?\n\n[yes/no]":               true,
		"Shall I publish it? Please confirm.":   true,
		"Shall I publish it?\n\nLet me know.":   true,
		"Which of these?\n\n1. main\n2. next\n": true,
		"Which of these?\n- **main**: now\n- **next**: later":                true,
		"I need to know:\n1. Which branch? I suggest main.\n2. The version.": true,
		"Shall I run this?\n```sh\nnpm publish\n```":                         true,
		"要发布吗？":                          true,
		"„Soll ich es veröffentlichen?“": true,

		"What did I do? I wrote the changelog, and all tests pass.": false,
		"Is it done? Yes!": false,
		"Did the tests pass? They did.\n\nIt is done.":  false,
		"It is done? It is. Let me know what is next.":  false,
		"It is done. Let me know if you need more.":     false,
		"I asked `is it there?` and it is.":             false,
		"It is done:\n- the changelog\n- the tests":     false,
		"It is done.\n```\nready?\n```":                 false,
		"See https://example.com/?q=1 for the release.": false,
		"要发布吗？已经发布了。":                                   false,
	} {
		if got := Asks(text); got != want {
			t.Errorf("Asks(%q) = %v, want %v", text, got, want)
		}
	}
}
