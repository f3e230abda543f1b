package bind

import (
	"strings"
	"testing"
)

// refused reports whether a command, in which $ARGUMENTS and $0 stand for values, does not take them.
func refused(command string, args ...string) bool {
	var l Line
	for i, text := range strings.Split(command, "$ARGUMENTS") {
		if i > 0 {
			l.Parts = append(l.Parts, Part{Text: "$ARGUMENTS", Value: &Value{Data: strings.Join(args, " "), Words: args}})
		}
		for i, text := range strings.Split(text, "$0") {
			if i > 0 {
				l.Parts = append(l.Parts, Part{Text: "$0", Value: &Value{Data: args[0]}})
			}
			l.Parts = append(l.Parts, Part{Text: text})
		}
	}
	return len(Judge(l)) > 0
}

// TestTable tries an attack on each row of the table, and its ordinary twin.
func TestTable(t *testing.T) {
	attack := func(command string, args ...string) {
		t.Helper()
		if !refused(command, args...) {
			t.Errorf("%s with %q is not refused", command, args)
		}
	}
	twin := func(command string, args ...string) {
		t.Helper()
		if refused(command, args...) {
			t.Errorf("%s with %q is refused", command, args)
		}
	}
	for name, r := range readers() {
		attack(name+` < "$0"`, "x.txt")
		twin(name+" --version; echo \"$0\"", "$(x); y")
		for flag := range strings.FieldsSeq(r.code) {
			attack(name+" "+flag+` "$0"`, "'); x(\"y\"); ('")
			twin(name+" "+flag+` "$0"`, "12")
		}
		for flag := range strings.FieldsSeq(r.files) {
			attack(name+" "+flag+` "$0"`, "./x.sh")
		}
		if !r.operand && !isDatabase(name) {
			attack(name+` "$0" x`, "./x.sh")
		}
	}
	for name := range shells() {
		if name == "busybox" || name == "toybox" || name == "capsh" || name == "git-shell" {
			continue // they run what follows
		}
		attack(name+` -c "ls $0"`, "; x")
		attack(name+` "$0"`, "./x.sh")
		attack(`echo "$0" | `+name, "x y")
		twin(name+` -c "ls $0"`, "src")
		twin(name+` x.sh "$0"`, "it's (a) $(test); x")
	}
	for name, j := range joiners() {
		host := strings.Repeat("host ", j.skip)
		attack(name+" "+host+`"ls $0"`, "; x")
		for flag := range strings.FieldsSeq(j.code) {
			attack(name+" "+flag+` "$0"`, "; x")
		}
		twin(name+" "+host+`"ls $0"`, "src")
	}
	for name, w := range wrappers() {
		first := strings.Repeat("1 ", w.before)
		attack(name+" "+first+"$0 x", "./x.sh")
		attack(name+" "+first+`sh -c "$0"`, "x; y")
		if name != "time" && name != "coproc" { // which are words of the shell's own
			attack(name+" --what 1 "+first+`"$0" x`, "x")
		}
		twin(name+" "+first+`grep -n "$0" f`, "it's (a) $(test); x")
	}
	for name, c := range carriers() {
		verb, _, _ := strings.Cut(c.verbs, " ")
		first := strings.Repeat("box ", c.before)
		attack(name+" "+verb+" "+first+`sh -c "$0"`, "x; y")
		attack(name+" $ARGUMENTS", verb, "a", "b")
	}
	tryOptions(t, risky(), "", attack, twin)
	tryOptions(t, riskyGit(), "git ", attack, twin)
	for name := range editors() {
		attack(name+` "$0" f`, "+!x")
		attack(name+` -c "$0" f`, "!x y")
		twin(name+` -c "$0" f`, "12")
	}
	for name := range talkers() {
		attack(name+` <<< "$0"`, "!x")
	}
	for name := range terminals() {
		attack(name+` send-keys "$0"`, "x; y")
		twin(name+` kill-session -t "$0"`, "main")
	}
	attack(`sometool --exec "$0"`, "x y")
	twin(`sometool --exec "$0"`, "build")
	twin(`sometool --name "$0"`, "it's (a) $(test); x")
	twin(`./sometool --exec "$0"`, "it's (a) $(test); x")
}

// tryOptions gives a program each of its options, in full, shortened, joined to others, and to their words.
func tryOptions(t *testing.T, table map[string]options, before string, attack, twin func(string, ...string)) {
	t.Helper()
	for name, o := range table {
		if name == "git" {
			continue
		}
		for token := range strings.FieldsSeq(o.runs + " " + o.writes) {
			token = strings.TrimSuffix(token, "~")
			begin, prefix := strings.CutSuffix(token, "*")
			switch {
			case token == "*":
				attack(before+name+" $ARGUMENTS", "--whatever")
			case prefix:
				attack(before+name+" $ARGUMENTS", begin+"x")
			default:
				attack(before+name+" $ARGUMENTS", token, "x")
				attack(before+name+" $ARGUMENTS", token+"=./x")
			}
		}
		for token := range strings.FieldsSeq(o.runs) {
			token = strings.TrimSuffix(token, "~")
			if strings.HasPrefix(token, "-") && !strings.HasSuffix(token, "*") {
				attack(before+name+" "+token+` "$0"`, "./x.sh y")
			}
		}
	}
}
