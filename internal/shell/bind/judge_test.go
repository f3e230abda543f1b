package bind_test

import (
	"testing"

	"github.com/skillhand/skillhand/internal/shell/bind"
	"github.com/skillhand/skillhand/internal/test"
)

// nothing is a world without programs and files.
var nothing = bind.World{Program: func(string) bool { return false }, File: func(string) bool { return false }}

func TestJudge(t *testing.T) {
	for _, tt := range []struct{ command, value, want string }{
		{`echo "$0"`, "; reboot", ""},
		{`$0`, "reboot", "$0 would be the command name, and an argument cannot choose what runs: write the command name yourself, and pass the value as an argument"},
		{`awk '{print $0}' f`, `x; system("reboot")`,
			`$0 (in awk's program) could make the code run or write something: write \$0 if you mean awk's own; else write awk -v v="$0" '{ print v }'`},
		{`echo $(( $0 + 1 ))`, "a[$(reboot)]",
			"$0 (in arithmetic) would be evaluated as arithmetic, which can run commands: check that it is a number first, or compare it as text"},
		{`git grep $0`, "-nOreboot",
			"$0 (in an option of git grep) could be an option that runs or writes something: write the options yourself; " +
				"before a path put --, before a revision --end-of-options"},
		{`PATH="$0:$PATH"; ls`, ".", "$0 (in PATH) would change how commands are found or run: set PATH to fixed text, and pass the value as an argument"},
		{`export "$0"`, "PATH=.", "$0 (in export) would change how commands are found or run: name the variable yourself, and keep the value in it"},
		{`eval "$(cat f)"; echo "$0"`, "; reboot", `$0 (in eval) would be part of the code, and is not a number: write the command itself, with "$0" as one of its arguments`},
		{`eval "$(cat f)"; echo "$0"`, "12", ""},
		{`find . -name $0`, "x -delete",
			"$0 (in an option of find) could be an option that runs or writes something: put it in double quotes, or write the name yourself"},
		{`find $0 -type f`, "-delete",
			"$0 (in an option of find) could be an option that runs or writes something: write the options yourself, and begin a path with ./"},
		{`bash scripts/$0`, "../x",
			"$0 (in the file that bash runs) would choose what runs: " +
				"a word may pick a file there: write scripts/$0.sh and give its name without a path"},
		{`gh pr view $0`, "--editor", "$0 (in an option of gh pr) could be an option that runs or writes something: write the options yourself"},
		{`sed "s/TODO/$0/" f`, "a/b", `$0 (in sed's program) could make the code run or write something: write another sign than / around it, such as s|old|$0|`},
		{`sed "s/TODO/$0/" f`, "(a/b)", `$0 (in sed's program) could make the code run or write something: ` +
			`sed takes no arguments: write awk -v v="$0" '{ gsub(/old/, v) } 1'`},
		{`jq "$0" package.json`, ".scripts | keys", ""},
		{`jq "$0" package.json`, "$ENV", `$0 (in jq's program) could make the code run or write something: ` +
			`write the program yourself, and pass the value: jq --arg v "$0" '$v'`},
		{`python3 -c "print('$0')"`, "it's", `$0 (in python's program) could make the code run or write something: ` +
			`write python3 -c 'import sys; print(sys.argv[1])' "$0"`},
		{`npm test -- $0`, "--require=./evil.js", "$0 (in an option of npm test) could be an option that runs or writes something: " +
			"write the options yourself"},
		{`npm test -- $0`, "--watch", ""},
		{`npm test -- $0`, "src/app.test.js", ""},
		{`[ -n "$0" ] && echo yes`, "--verbose", ""},
		{`node x.js "$0" --write-prompt-only`, "it's (odd)", ""},
		{`wget -q "$0" && make`, "http://example.com/Makefile",
			"$0 (in make in a line that writes a file) could end up in a file that the line then runs or obeys, and is not a number: " +
				"give the file a name that says it is data, such as notes.txt, or run the program in another directive"},
		{`wget -q https://example.com/x.json; make "$0"`, "test", ""},
		{`node -e 'const x=1; x[' "$0"`, "x", ""},
		{`x=$(printf) y=$(echo) z=$(set); echo "$0"`, "-x", ""},
		{`x=$0; eval "$x"`, "reboot", `$0 (in eval) would be part of the code, and is not a number: write the command itself, with "$0" as one of its arguments`},
	} {
		got := ""
		if found := bind.Judge(test.Line(tt.command, []string{tt.value}, ""), bind.World{}); len(found) > 0 {
			got = found[0].String()
		}
		if got != tt.want {
			t.Errorf("Judge(%s) with %q:\n got %q\nwant %q", tt.command, tt.value, got, tt.want)
		}
	}
}

// FuzzJudge checks that no line and no value causes a panic.
func FuzzJudge(f *testing.F) {
	f.Add(`sed "s/x/$0/" f | xargs -I{} sh -c '{} $1' "$0"`, "x", "y")
	f.Add("eval \"$0\" <<EOF\n$1\nEOF\n", "$(x)", "`")
	f.Add(`a[$0]=1; git -c "$1" log; awk '{print $0}'; ssh h $1`, "-x", "")
	f.Fuzz(func(t *testing.T, command, a, b string) {
		bind.Judge(test.Line(command, []string{a, b}, "/p"), nothing)
	})
}

// FuzzRuns checks that no line causes a panic, and that a line that names nothing runs nothing.
func FuzzRuns(f *testing.F) {
	f.Add("bash -e x.sh < ~/x <<EOF\n./x.sh\nEOF\n", "x.sh")
	f.Add("a=(x y); for f in *.sh; do eval \"$f\" -fx; done; trap 'x' EXIT; ~/x `x` $(x)", "x")
	f.Fuzz(func(t *testing.T, command, file string) {
		p, err := bind.Bind(test.Line(command, []string{"v"}, "/p"), nothing)
		if err != nil {
			return
		}
		files := bind.Files{
			Env:   func(string) (string, bool) { return "/home", true },
			Named: func(path string) bool { return path == file },
			Guess: func() bool { return true },
		}
		p.Runs(files)
		files.Named, files.Guess = func(string) bool { return false }, func() bool { return false }
		if p.Runs(files) {
			t.Errorf("%q runs a file, and there is none", command)
		}
		commands, _ := p.Commands()
		for _, c := range commands {
			c.Code()
		}
	})
}

func FuzzValues(f *testing.F) {
	for _, command := range []string{
		`echo $0 "$0" '$0' $(echo $0)`, "cat <<'EOF'\n$0\nEOF", `"${DIR}/x" "${x:-'$0'}"`, "echo `echo $0`", `case $0 in $0) ;; esac # $0`,
	} {
		f.Add(command, "x; touch pwned", "/a place")
	}
	f.Fuzz(func(t *testing.T, command, value, place string) {
		p, err := bind.Bind(test.Line(command, []string{value}, place), nothing)
		if err != nil {
			return
		}
		// Two different values must give the same code, because data never gets into the code.
		other, err := bind.Bind(test.Line(command, []string{"\x00other\x00"}, "\x00elsewhere\x00"), nothing)
		if err != nil {
			return // it may be refused because of its content
		}
		if p.Text != other.Text {
			t.Errorf("the code depends on the data:\n%q\n%q", p.Text, other.Text)
		}
	})
}
