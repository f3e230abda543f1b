package bind

import (
	"strings"
	"testing"
)

// line makes a Line of a command in which $ARGUMENTS, $0, $1 and $2 stand for
// values from outside and ${DIR} for a place of ours.
func line(command string, args []string, dir string) Line {
	var l Line
	text := func(s string) {
		if s != "" {
			l.Parts = append(l.Parts, Part{Text: s})
		}
	}
	value := func(written, data string, place bool) {
		l.Parts = append(l.Parts, Part{Text: written, Value: &Value{Data: data, Place: place}})
	}
	for command != "" {
		i := strings.IndexByte(command, '$')
		if i < 0 {
			break
		}
		rest := command[i:]
		switch {
		case strings.HasPrefix(rest, "$ARGUMENTS"):
			text(command[:i])
			value("$ARGUMENTS", strings.Join(args, " "), false)
			command = rest[len("$ARGUMENTS"):]
		case strings.HasPrefix(rest, "${DIR}"):
			text(command[:i])
			value("${DIR}", dir, true)
			command = rest[len("${DIR}"):]
		case len(rest) > 1 && '0' <= rest[1] && rest[1] < '0'+byte(len(args)):
			text(command[:i])
			value(rest[:2], args[rest[1]-'0'], false)
			command = rest[2:]
		default:
			text(command[:i+1])
			command = rest[1:]
		}
	}
	text(command)
	return l
}

func TestSplitData(t *testing.T) {
	for _, tt := range []struct {
		data string
		want string // words joined by |
	}{
		{"", ""},
		{"a", "a"},
		{" a  b\tc\nd ", "a|b|c|d"},
		{`"my file.txt" --fast`, "my file.txt|--fast"},
		{`'a b' c`, "a b|c"},
		{`--name="a b"`, "--name=a b"},
		{`a"b"c ''`, "abc|"},
		{`it's a dog`, "it's|a|dog"},
		{`"x; y" z`, `"x;|y"|z`},
		{`"$(id)"`, `"$(id)"`},
		{`a\ b`, `a\|b`},
		{`"unclosed b`, `"unclosed|b`},
		{"*.go b?", "*.go|b?"},
	} {
		if got := strings.Join(splitData(tt.data, false, false), "|"); got != tt.want {
			t.Errorf("splitData(%q) = %q, want %q", tt.data, got, tt.want)
		}
	}
}

func FuzzValues(f *testing.F) {
	for _, command := range []string{`echo $0 "$0" '$0' $(echo $0)`, "cat <<'EOF'\n$0\nEOF", `"${DIR}/x" "${x:-'$0'}"`, "echo `echo $0`", `case $0 in $0) ;; esac # $0`} {
		f.Add(command, "x; touch pwned", "/a place")
	}
	f.Fuzz(func(t *testing.T, command, value, place string) {
		p, err := Bind(line(command, []string{value}, place))
		if err != nil {
			return
		}
		// Two different values must give the same code: data never reaches it.
		other, err := Bind(line(command, []string{"\x00other\x00"}, "\x00elsewhere\x00"))
		if err != nil {
			return // it may be refused for what it holds
		}
		if p.Text != other.Text {
			t.Errorf("the code depends on the data:\n%q\n%q", p.Text, other.Text)
		}
	})
}
