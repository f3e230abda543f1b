package skillhand

import (
	"strings"
	"testing"

	"github.com/skillhand/skillhand/skill"
)

func TestLoadRequest(t *testing.T) {
	for _, tt := range []struct {
		req  LoadRequest
		want string // in the error; "" for none
	}{
		{LoadRequest{}, ""},
		{LoadRequest{Recording: "r.json"}, ""},
		{LoadRequest{Use: Reference, Exec: Replayed, Recording: "r.json"}, ""},
		{LoadRequest{Use: "later"}, `Use is "later", want "full" or "reference"`},
		{LoadRequest{Exec: "no"}, `Exec is "no"`},
		{LoadRequest{Exec: AsWritten, Recording: "r.json"}, "r.json: nothing to record"},
		{LoadRequest{Exec: Replayed}, "Recording names no file"},
		{LoadRequest{Exec: Partial}, "Recording names no file"},
	} {
		tt.req.Skill = "s"
		switch err := tt.req.check(); {
		case tt.want == "" && err != nil:
			t.Errorf("%+v: %v", tt.req, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "s: ")):
			t.Errorf("%+v: %v, want %q", tt.req, err, tt.want)
		}
	}
}

func TestLoadsItself(t *testing.T) {
	for line, want := range map[string]bool{
		`skillhand load day`: true,
		`"${CLAUDE_PLUGIN_ROOT}"/bin/skillhand load 'day' "x"`: true,
		`skillhand load plug:day 2>&1 || true`:                 true,
		`cd /tmp && exec skillhand load "$CLAUDE_SKILL_DIR"`:   true,
		`skillhand load ./skills/day`:                          true,
		`skillhand load night`:                                 false,
		`echo 'skillhand load day'`:                            false,
		`skillhand list day`:                                   false,
		`skillhand load "day`:                                  false,
		`skillhand load`:                                       false,
	} {
		s := skill.Parse("day/SKILL.md", []byte("!`"+line+"`\n"))
		s.Name = "day"
		if got := loadsItself(s); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}
