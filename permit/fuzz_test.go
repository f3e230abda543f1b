package permit

import "testing"

// FuzzDecide: no bytes make it panic or point outside of the command, what it suggests runs, and
// it says the same twice.
func FuzzDecide(f *testing.F) {
	for _, c := range []string{"", " ", "ls", "echo 'a", "cat ${CLAUDE_SKILL_DIR}/x | head", "a \\\n b", "[ -f x ] && { ls; }", "X=1; ls &", "find . -name *.md",
		"git log --format=%h", "cat <<'EOF'\nx\nEOF", "echo \"x $(date) ${HOME}\"", "[[ a =~ b ]]", "\x00\xff", "ifconfig ''", "git remote ''", "sed ''", "timeout"} {
		f.Add(c, "Bash(git log:*), Read(~/**)")
		f.Add(c, "")
	}
	f.Fuzz(func(t *testing.T, command, rules string) {
		q := Request{Command: command, Allow: []string{rules}, SkillDir: "/s", PluginRoot: "/plugin"}
		v := Decide(q)
		if v.Offset < 0 || v.Offset > v.End || v.End > len(command) || v.Part != command[v.Offset:v.End] {
			t.Fatalf("%q: part %q at %d to %d", command, v.Part, v.Offset, v.End)
		}
		if again := Decide(q); again.Decision != v.Decision || again.Reason != v.Reason {
			t.Fatalf("%q: %+v, then %+v", command, v, again)
		}
		if v.Suggest == nil {
			return
		}
		if c := v.Suggest.Command; c != "" {
			other := q
			other.Command = c
			if Decide(other).Decision != Allow {
				t.Fatalf("%q: suggested %q asks", command, c)
			}
		}
		if len(v.Suggest.Rules) > 0 {
			q.Allow = append(q.Allow, v.Suggest.Rules...)
			if Decide(q).Decision != Allow {
				t.Fatalf("%q: with %q it still asks", command, v.Suggest.Rules)
			}
		}
	})
}
