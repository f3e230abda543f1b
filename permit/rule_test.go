package permit

import "testing"

func TestParseRule(t *testing.T) {
	for _, tt := range []struct {
		text, spec string
		kind       Kind
		never      bool
	}{
		{"Bash", "", All, false},
		{"Bash(*)", "*", All, false},
		{"Bash()", "", All, false},
		{"Bash(npm test)", "npm test", Exact, false},
		{"Bash(npm run test:unit)", "npm run test:unit", Exact, false},
		{"Bash(git log:*)", "git log", Prefix, false},
		{"Bash(git log *)", "git log", Prefix, false},
		{"Bash(git log*)", "git log", Begins, false},
		{"Bash(git * main)", "git * main", Pattern, false},
		{"Bash(* --version)", "* --version", Pattern, false},
		{"Bash(./scripts/*.sh *)", "./scripts/*.sh *", Pattern, false},
		{"Bash(python3.*)", "python3.", Begins, false},
		{`Bash(grep "a|b":*)`, `grep "a|b"`, Prefix, false},
		{`Bash(foo a\\b)`, `foo a\b`, Exact, false},
		{`Bash(foo '\(')`, "foo '('", Exact, false},
		{"Bash(foo :*)", "foo ", Prefix, true},
		{"Bash(foo: *)", "foo:", Prefix, true},
		{"Bash( foo:*)", " foo", Prefix, true},
		{"Bash(foo:* )", "foo:* ", Pattern, true},
		{"Bash(which:qmd)", "which:qmd", Exact, true},
		{"Bash(npx:x:*)", "npx:x", Prefix, true},
		{"Bash(:*)", "", Prefix, true},
		{"Bash(foo:*:*)", "foo:*", Prefix, true},
		{"Bash(npm run *:*)", "npm run *", Prefix, true},
		{"Bash(foo.*)", "foo.", Begins, true},
		{"Bash(a|b:*)", "a|b", Prefix, true},
		{"Bash(a,b:*)", "a,b", Prefix, true},
		{"Bash(command:foo *)", "command:foo", Prefix, true},
		{"bash(foo:*)", "foo:*", Other, true},
		{"Bash(foo", "", Dead, true},
		{"Bash[foo]", "", Dead, true},
		{"(foo:*)", "", Dead, true},
		{"Read(/x/**)", "/x/**", Other, false},
		{"mcp__a__b", "", Other, false},
	} {
		r := ParseRule(tt.text)
		if r.Text != tt.text || r.Spec != tt.spec || r.Kind != tt.kind || (r.Never != "") != tt.never {
			t.Errorf("ParseRule(%q) = %+v, want %s of %q, never: %v", tt.text, r, tt.kind, tt.spec, tt.never)
		}
	}
}

func TestParseRules(t *testing.T) {
	for _, tt := range []struct {
		list       string
		want       []string
		everything int // rules that allow everything, though they read otherwise
	}{
		{"", nil, 0},
		{"Read, Bash(git log:*),Bash(ls)", []string{"Read", "Bash(git log:*)", "Bash(ls)"}, 0},
		{"Read Bash(echo a, b)\tGrep", []string{"Read", "Bash(echo a, b)", "Grep"}, 0},
		{"Bash(echo (a b) c)", []string{"Bash(echo (a b)", "c)"}, 0},
		{"Bash (git:*)", []string{"Bash", "(git:*)"}, 1},
		{"Read, Bash()", []string{"Read", "Bash()"}, 1},
		{"Bash(a b, Read", []string{"Bash(a b, Read"}, 0},
	} {
		got := ParseRules(tt.list)
		everything := 0
		for i, r := range got {
			if i >= len(tt.want) || r.Text != tt.want[i] {
				t.Errorf("ParseRules(%q) = %+v", tt.list, got)
				break
			}
			if r.Everything != "" {
				everything++
			}
		}
		if len(got) != len(tt.want) || everything != tt.everything {
			t.Errorf("ParseRules(%q): %d rules, %d of them allow everything; want %d, %d", tt.list, len(got), everything, len(tt.want), tt.everything)
		}
	}
}

// TestLikeWithoutStar: a rule about one host is no pattern.
func TestLikeWithoutStar(t *testing.T) {
	q := Request{Tool: "WebFetch", Command: "https://example.com/x", Allow: []string{"WebFetch(domain:example.com)"}}
	if v := Decide(q); v.Decision != Allow {
		t.Errorf("%+v", v)
	}
}
