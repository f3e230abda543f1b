package bind

import (
	"strings"
	"testing"
)

// refused reports whether a command, in which $ARGUMENTS and $0 are values, refuses them.
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
	return len(Judge(l, World{})) > 0
}

// TestTable tries an attack on each row of the table, and an ordinary value in the same place.
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
	eachRow(rows(), "", func(name string, r *row) {
		switch r.kind {
		case isData:
			twin(name+` "$0"`, "it's (a) $(test); x")
			twin(name+` $0`, "--flag")
		case isTool:
			attack(name+" $ARGUMENTS", "--whatever")
			attack(name+` --whatever "$0"`, "./x.sh y")
			attack(name+` --whatever="$0"`, "./x.sh y")
		case isWrap:
			first := strings.Repeat("1 ", r.before)
			attack(name+" "+first+"$0 x", "./x.sh")
			attack(name+" "+first+`sh -c "$0"`, "x; y")
			if name != "time" && name != "coproc" { // these are words of the shell itself
				attack(name+" --what 1 "+first+`"$0" x`, "x")
			}
			twin(name+" "+first+`grep -n "$0" f`, "it's (a) $(test); x")
		case isJoin:
			attack(name+" "+strings.Repeat("host ", r.before)+`"ls $0"`, "; x")
			twin(name+" "+strings.Repeat("host ", r.before)+`"ls $0"`, "src")
		case isShell:
			if name == "capsh" {
				return
			}
			attack(name+` -c "ls $0"`, "; x")
			attack(name+` "$0"`, "./x.sh")
			attack(`echo "$0" | `+name, "x y")
			twin(name+` -c "ls $0"`, "src")
			twin(name+` x.sh "$0"`, "it's (a) $(test); x")
		case isLang:
			attack(name+` < "$0"`, "x.txt")
			for flag, sort := range r.said {
				if sort == '#' {
					attack(name+" "+flag+` "$0"`, "'); x(\"y\"); ('")
					twin(name+" "+flag+` "$0"`, "12")
				}
				if sort == '%' {
					attack(name+" "+flag+` "$0"`, "./x.sh")
				}
			}
		}
	})
	twin(`sometool --name "$0"`, "it's (a) $(test); x")
	attack(`sometool sh -c "$0"`, "x y")
	twin(`./sometool --exec "$0"`, "it's (a) $(test); x")
}

func eachRow(all map[string]*row, before string, f func(string, *row)) {
	for name, r := range all {
		if len(r.said) > 0 || r.kind != isTool {
			f(strings.TrimSpace(before+" "+name), r)
		}
		if name != "git" {
			eachRow(r.subs, strings.TrimSpace(before+" "+name), f)
		}
	}
}

// TestOptions checks that options are recognized in full, joined to others, and joined to their
// words.
func TestOptions(t *testing.T) {
	sort, grep, find := rows()["sort"], rows()["git"].subs["grep"], rows()["find"]
	for _, tt := range []struct {
		r    *row
		word string
		want byte
	}{
		{sort, "-rn", '-'}, {sort, "-k2", '='}, {sort, "-rk2", '='}, {sort, "-o", '>'}, {sort, "-ox", '>'}, {sort, "-rox", '>'},
		{sort, "--key=2", '='},
		{sort, "--compress-program=x", 0}, {sort, "--out=x", 0}, {sort, "-5", '-'}, {sort, "-", 0}, {sort, "--", 0}, {sort, "x", 0},
		{grep, "-O", 0}, {grep, "-nOless", 0}, {grep, "--open-files-in-pager=x", 0}, {grep, "-n", '-'},
		{grep, "--only-matching", '-'}, {grep, "-e", '='}, {grep, "-nA3", '='},
		{find, "-exec", ';'}, {find, "-delete", 0}, {find, "-name", '='}, {find, "-fprint", '>'}, {find, "-print", '-'},
	} {
		if got := tt.r.option(tt.word).sort; got != tt.want {
			t.Errorf("option(%q) is %q, want %q", tt.word, got, tt.want)
		}
	}
}

// TestAdvice checks that any text can be passed in the way that the judge recommends.
func TestAdvice(t *testing.T) {
	for _, name := range []string{"sed", "awk", "jq", "psql", "python", "node"} {
		_, command, found := strings.Cut(rows()[name].advice(name, "x"), "write ")
		if _, after, more := strings.Cut(command, "write "); more {
			command = after
		}
		_, after, _ := strings.Cut(command, "jq ")
		if after != "" {
			command = "jq -n " + after
		}
		if command = strings.ReplaceAll(command, "ARG", "$0"); !found || refused(command, "it's (odd); $(x) | y") {
			t.Errorf("%s: %q takes no text", name, command)
		}
	}
}
