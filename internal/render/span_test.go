package render

import (
	"bytes"
	"testing"

	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/skill"
)

// TestSpans: a trace says where each directive stands in the file and what
// stands for it on the page, at the first and at a later use; what has no
// outcome in a partial recording stays as written.
func TestSpans(t *testing.T) {
	const src = "---\nname: foo\n---\nA !`words a` b\n\n!`words c`\n"
	for _, tt := range []struct {
		name string
		env  Env
		want []string
	}{
		{"first", Env{}, []string{"[a]", "<skill-output>\n[c]\n</skill-output>"}},
		{"later", Env{Later: true}, []string{"[a]", "<skill-output>\n[c]\n</skill-output>"}},
		{"nothing ran", Env{NoExec: true}, []string{"!`words a`", "!`words c`"}},
		{
			"partial", Env{Replay: &Recording{Partial: true, Directives: []*Outcome{{Command: "words c", Stdout: "old"}}}},
			[]string{"!`words a`", "<skill-output>\nold\n</skill-output>"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.env.Shell = &shell.Shell{Builtins: testBuiltins}
			var page bytes.Buffer
			trace, err := Page(t.Context(), &page, skill.Parse("foo/SKILL.md", []byte(src)), tt.env)
			if err != nil || len(trace.Directives) != len(tt.want) {
				t.Fatalf("%d directives, %v", len(trace.Directives), err)
			}
			for i, d := range trace.Directives {
				if got := page.String()[d.Start:d.End]; got != tt.want[i] {
					t.Errorf("directive %d is %q on the page, want %q", i, got, tt.want[i])
				}
				if got := src[d.Offset:][:2]; got != "!`" {
					t.Errorf("directive %d begins with %q in the file", i, got)
				}
			}
		})
	}
}
