package eval

import "testing"

// TestTyped: prompts are made of a description's parts, as people would type them.
func TestTyped(t *testing.T) {
	for _, tt := range []struct {
		description string
		want        []string
	}{
		{"Sorts photos by year.", []string{"Please sort photos by year"}},
		{"Extracts text from PDF files, fills forms. Use when the user wants to merge PDF documents.",
			[]string{"Please extract text from PDF files", "Can you fill forms?", "I want to merge PDF documents"}},
		{
			"You MUST use this before any creative work - creating features, building components.",
			[]string{"I need help with creative work", "Can you help me with creating features?"},
		},
		{"Use when the user asks about Kubernetes manifests", []string{"I need help with Kubernetes manifests"}},
		{`Use when the user says "make me a card".`, nil},
		{"Use when someone prepares a release, or tags a version.", []string{"Please prepare a release", "Can you tag a version?"}},
		{"Use when the user mentions Kubernetes manifests.", []string{"I need help with Kubernetes manifests"}},
		{"Use when the user is preparing a release.", []string{"I need help with preparing a release"}},
		{"Counts the words of a text file. Use when someone asks how long a text is.",
			[]string{"Please count the words of a text file", "Can you tell me how long a text is?"}},
		{"Use when the user asks what a release changed or whether the tests pass.",
			[]string{"Please tell me what a release changed", "Can you tell me whether the tests pass?"}},
		{"", nil},
	} {
		got := typed(tt.description)
		if len(got) != len(tt.want) {
			t.Errorf("typed(%q) = %q, want %q", tt.description, got, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("typed(%q)[%d] = %q, want %q", tt.description, i, got[i], tt.want[i])
			}
		}
	}
}
