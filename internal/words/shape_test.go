package words_test

import (
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/words"
)

// TestSameShape puts a value in place of the X in a line, and checks whether SameShape finds the
// same shape.
func TestSameShape(t *testing.T) {
	for _, c := range []struct {
		line, value string
		same        bool
	}{
		{"echo X", "hello", true},
		{"echo X", "two words", true},
		{"echo X", "-n --flag=a", true},
		{"echo X", "src/*.go", true},
		{"echo 'X'", "a; b | c", true},
		{`echo "X"`, "a; b | c > d", true},
		{"echo X", "a; touch b", false},
		{"echo X", "a\ntouch b", false},
		{"echo X", "a && b", false},
		{"echo X", "a | b", false},
		{"echo X", "a &", false},
		{"echo X", "a > b", false},
		{"echo X", "a 2>&1", false},
		{"echo X", "$(b)", false},
		{"echo X", "`b`", false},
		{"echo X", "<(b)", false},
		{"echo X", "$HOME", false},
		{"echo X", "$((1))", false},
		{"echo X", "a # b", false},
		{"echo X", "a (", false},
		{"echo 'X'", "'; b; '", false},
		{`echo "X"`, `"; b; "`, false},
		{`echo "X"`, "$(b)", false},
		{"X y", "rm", false},
		{`"X" y`, "rm", false},
		{"'X' y", "rm", false},
		{"./X.sh y", "rm", false},
		{"A=X ls", "1", true},
		{"A=X ls", "1 rm", false},
		{"A=X ls", "1 PATH=.", false},
		{"export X", "b", false},
		{"export X", "PATH=.", false},
		{"export A=X", "b", true},
		{"export A=X", "b PATH=.", false},
		{"declare X=1", "PATH", false},
		{"X=1 ls", "PATH", false},
		{"X() { ls; }; ls", "ls", false},
		{"for X in a; do ls; done", "PATH", false},
		{"echo ${A:-X}", "b", true},
		{"echo ${A:-X}", "$(b)", false},
		{"echo ${X}", "A@P", false},
		{"echo ${A[X]}", "1", true},
		{"echo ${A[X]}", "$(b)", false},
		{"[[ -f X ]]", "a", true},
		{"[[ -f X ]]", "a || -v b", false},
		{"[[ X a ]]", "-v", false},
		{"[[ 1 X 2 ]]", "-eq", false},
		{"cat <<E\nX\nE", "text", true},
		{"cat <<E\nX\nE", "E\ntouch b", false},
		{"cat <<E\nX\nE", "$(b)", false},
		{"case X in a) ls;; esac", "b", true},
		{"case X in a) ls;; esac", "a in *) rm;; esac; case b", false},
		{"ls X", "", true},
		{"echo X; ls", `a\`, false},
		{"echo 'X' 'X'", "a' b 'c", true},
	} {
		if got := words.SameShape(strings.ReplaceAll(c.line, "X", c.value), strings.ReplaceAll(c.line, "X", "x")); got != c.same {
			t.Errorf("%q with %q: same shape %v, want %v", c.line, c.value, got, c.same)
		}
	}
}

// FuzzSameShape pastes any value into a line. If the line keeps its shape, it is still a single
// command without redirections.
func FuzzSameShape(f *testing.F) {
	for _, v := range []string{
		"a", "a b", "a;b", "$(a)", "'", `"`, "\\", "\n", "a\\\nb", "{a,b}", "~", "*", "#", "a #", "((", "[[", "!", "`a`", "$'a'", "x=1",
		"\x00", "é",
	} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		if !words.SameShape("echo "+v, "echo x") {
			return
		}
		if !words.SameShape("echo x", "echo "+v) {
			t.Errorf("%q: same shape one way only", v)
		}
		file, err := words.Parse("echo " + v)
		if err != nil {
			t.Fatalf("%q has the shape of a line and does not parse: %v", v, err)
		}
		if len(file.Stmts) != 1 || len(file.Stmts[0].Redirs) > 0 {
			t.Errorf("%q: %d statements, %d redirections", v, len(file.Stmts), len(file.Stmts[0].Redirs))
		}
	})
}
