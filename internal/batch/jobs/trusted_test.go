package jobs

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/trust"
)

// A job file in an untrusted folder may ask without tools, and nothing else.
func TestTrusted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	untrusted := trust.Policy{Store: trust.Store{Dir: t.TempDir()}}
	for _, tt := range []struct{ job, why string }{
		{`"ask": "x"`, ""},
		{`"ask": "x", "model": "haiku", "cwd": "sub"`, ""},
		{`"run": "./a.sh"`, "runs ./a.sh"},
		{`"ask": "x", "skill": "review"`, "loads the skill review"},
		{`"ask": "x", "allowed_tools": ["Bash"]`, "has allowed_tools Bash"},
		{`"ask": "x", "cwd": ".."`, "has a cwd outside the folder of its file"},
		{`"ask": "x", "cwd": "/"`, "has a cwd outside the folder of its file"},
		{`"ask": "x", "agent": "codex"`, "asks codex, which has no option to go without tools"},
	} {
		for name, text := range map[string]string{"jobs.jsonl": `{"id": "j", ` + tt.job + `}`,
			"jobs.yaml": `jobs: [{"id": "j", ` + tt.job + `}]`} {
			file, err := Parse(name, []byte(text), dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, trusted := range []bool{false, true} {
				policy := untrusted
				policy.All = trusted
				list, err := Trusted(t.Context(), policy, dir, file)
				if !trusted && tt.why != "" {
					if err == nil || !strings.HasPrefix(err.Error(), "job j: "+tt.why+"\nnot run: ") {
						t.Errorf("%s: %v, want %s", tt.job, err, tt.why)
					}
					continue
				}
				was, n := file.Jobs, 0
				file.Jobs = list // as callers do
				for j, err := range list.All {
					var spec Spec
					if err != nil || json.Unmarshal(j.Payload, &spec) != nil || spec.NoTools == trusted {
						t.Errorf("%s, trusted %v: %s, %v", tt.job, trusted, j.Payload, err)
					}
					n++
				}
				if err != nil || n != 1 || list.Sum != was.Sum {
					t.Errorf("%s, trusted %v: %d jobs, %v", tt.job, trusted, n, err)
				}
				file.Jobs = was
			}
		}
	}
	var many strings.Builder
	for i := range 20 {
		fmt.Fprintf(&many, `{"id": "j%d", "run": "./a.sh"}`+"\n", i)
	}
	file, err := Parse("jobs.jsonl", []byte(many.String()), dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Trusted(t.Context(), untrusted, dir, file)
	if err == nil || strings.Count(err.Error(), "\n") != 6 || !strings.Contains(err.Error(), "\nand 15 more\n") {
		t.Errorf("many: %v", err)
	}
}
