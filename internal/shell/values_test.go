package shell

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/shell/bind"
	"github.com/skillhand/skillhand/internal/test"
)

// hostile has arguments that would run something, or mean something, if they were ever read as
// code.
var hostile = []string{
	"plain",
	"two words",
	"x; touch pwned",
	"x && touch pwned",
	"x | touch pwned",
	"x & touch pwned &",
	"$(touch pwned)",
	"`touch pwned`",
	"${IFS}$(touch${IFS}pwned)",
	"'; touch pwned; '",
	"\"; touch pwned; \"",
	"'\"'\"'; touch pwned; #",
	"\\'; touch pwned; \\'",
	"\\",
	"\\\\",
	"'",
	"\"",
	"a\"b'c",
	"x\ntouch pwned",
	"x\r\ntouch pwned\r\n",
	"EOF\ntouch pwned\n",
	"END\ntouch pwned\n",
	"\nEOF\ntouch pwned",
	"> pwned",
	">pwned",
	"x >> pwned",
	"< /etc/passwd",
	"<(touch pwned)",
	"$((a[$(touch pwned)]))",
	"a[$(touch pwned)]",
	"$[a[$(touch pwned)]]",
	"}; touch pwned; {",
	"); touch pwned; (",
	"$'\\x60touch pwned\\x60'",
	"{touch,pwned}",
	"*",
	"?",
	"[a-z]*",
	"~",
	"~root",
	"#",
	"!`touch pwned`",
	"```!\ntouch pwned\n```",
	"${x:=$(touch pwned)}",
	"${__skillhand_0}",
	"${__skillhand_1[@]}",
	"$__skillhand_0",
	"$0 $1 $@ $* $# $? $$",
	"%s%n%d",
	"-n",
	"-e \\x41",
	"--help",
	"\u2028touch pwned",
	"\x01\x02\x1b[31m",
	"日本語 ✅",
	"=",
	"x=y",
	"PATH=/nowhere",
	"()",
	"x() { touch pwned; }; x",
	"!!",
	"^a^b",
	"coproc touch pwned",
	"\ttab\t",
	"  blanks  ",
	strings.Repeat("long ", 2000),
}

// ways are the ways to use a value, each with the output that it must have.
var ways = []struct {
	command string
	want    func(v string) string
}{
	{`printf '%s\n' "$0"`, same},
	{`printf '%s\n' '$0'`, same},
	{`printf '%s\n' 'a$0b'"c$0"`, func(v string) string { return "a" + v + "bc" + v }},
	{`printf '%s,' x $0`, func(v string) string { return strings.Join(append([]string{"x"}, wordsOf(v)...), ",") + "," }},
	{`printf '[%s]' x[$0]`, func(v string) string { return "[" + strings.Join(glue("x[", v, "]"), "][") + "]" }},
	{`printf '%s\n' "$(printf %s "$0")"`, trimmed},
	{`printf '%s\n' "$(printf %s '$0')"`, trimmed},
	{`x=$0; printf '%s\n' "$x"`, same},
	{`x="a$0"; printf '%s\n' "$x"`, func(v string) string { return "a" + v }},
	{`X=$0 printenv X`, same},
	{`printf '%s' "$0" | cat`, same},
	{`printf '%s' "$0" | cat | cat && echo`, same},
	{`cat <<< "$0"`, same},
	{`cat <<< $0`, same},
	{"cat <<EOF\n$0\nEOF", same},
	{"cat <<'EOF'\n$0\nEOF", same},
	{"cat <<'EOF'\na `b` $(c) \\d $e $0\nEOF", func(v string) string { return "a `b` $(c) \\d $e " + v }},
	{"cat <<-\"END\"\n\t$0\n\tEND", same},
	{`for i in 1; do printf '%s\n' "$0"; done`, same},
	{`for w in "$0"; do printf '%s\n' "$w"; done`, same},
	{`if [ -n "$0" ]; then printf '%s\n' "$0"; fi`, same},
	{`[[ -n $0 ]] && printf '%s\n' "$0"`, same},
	{`[[ $0 == "$0" ]] && printf '%s\n' "$0"`, same},
	{`case $0 in "$0") printf '%s\n' "$0";; esac`, same},
	{`case "$0" in $0) printf '%s\n' "$0";; esac`, same},
	{`printf '%s\n' "${nothing:-$0}"`, same},
	{`printf '%s\n' ${nothing:-$0}`, same},
	{`a=("$0" b); printf '%s\n' "${a[0]}"`, same},
	{`f() { printf '%s\n' "$1"; }; f "$0"`, same},
	{`(printf '%s\n' "$0")`, same},
	{`{ printf '%s\n' "$0"; }`, same},
	{`printf '%s\n' "$0" # $0`, same},
	{`cat < <(printf '%s' "$0")`, same},
	{`bash -c 'printf "%s\n" "$1"' x "$0"`, same},
	{`printf '%s' "$0" | while IFS= read -r -d '' x || [ -n "$x" ]; do printf '%s' "$x"; done`, same},
	{`: ${DIR} $0; printf '%s\n' "$0"`, same},
	{"printf '%s\\n' \"`printf %s x$0`\" > /dev/null; printf '%s\\n' \"$0\"", same},
	{`x=aPREFIXb; printf '%s\n' "${x/PREFIX/$0}"`, func(v string) string { return "a" + v + "b" }},
	{`x=$0; y="${x#"$0"}"; printf '%s\n' "<$y>$x"`, func(v string) string { return "<>" + v }},
	{`printf '%s\n' "$(printf '%s' "$(printf '%s' "$0")")"`, trimmed},
	{`env X="$0" printenv X`, same},
	{`timeout 5 printf '%s\n' "$0"`, same},
}

func same(v string) string      { return v }
func trimmed(v string) string   { return strings.TrimRight(v, "\n") }
func wordsOf(v string) []string { return split("", v, "") }

// split returns the words that an unquoted value becomes between two texts.
func split(before, v, after string) []string {
	p, err := bind.Bind(Line{Parts: []Part{{Text: "echo " + before}, {Text: "$0", Value: &Value{Data: v}}, {Text: after}}}, bind.World{})
	if err != nil {
		panic(err)
	}
	return p.Vars[0].Words
}

// glue joins the text before and after an unquoted value to its first and last word.
func glue(before, v, after string) []string {
	w := split(before, v, after)
	if len(w) == 0 {
		return []string{before + after}
	}
	w = append([]string(nil), w...)
	w[0] = before + w[0]
	w[len(w)-1] += after
	return w
}

func TestNoArgumentEverRuns(t *testing.T) {
	for _, way := range ways {
		t.Run(way.command, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "bait"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
			for _, v := range hostile {
				s := &Shell{Dir: dir}
				res, err := s.Run(t.Context(), test.Line(way.command, []string{v}, "/a place"))
				if err != nil {
					t.Fatal(err)
				}
				got, want := res.Stdout.String(), way.want(v)
				if res.Reason != "" || strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") || res.Stderr.Len() > 0 {
					t.Errorf("%q: printed %q, want %q (exit %d, reason %q, stderr %q)", v, got, want, res.Exit, res.Reason,
						res.Stderr.String())
				}
				if files, _ := os.ReadDir(dir); len(files) != 1 {
					t.Fatalf("%q left %v behind", v, files)
				}
			}
		})
	}
}

// TestTaken checks ordinary uses that a careful check could mistake for dangerous ones.
func TestTaken(t *testing.T) {
	for _, tt := range []struct{ command, value string }{
		{`ls | xargs grep -l "$0"`, "x"},
		{`find . -print0 | xargs -0 grep -n "$0"`, "x"},
		{`echo "$0" | xargs grep -l x`, "f"},
		{`[ -n "$0" ] && echo yes`, "grep -v foo"},
		{`if [ -z "$0" ]; then echo; fi`, "build -v"},
		{`test "$0" = -x`, "-x"},
		{`sed "s/x/y/" -- "$0"`, "-x"},
		{`sed -n 1p "$0"`, "file"},
		{`node --version; echo "$0"`, "x"},
		{`python3 -V; echo "$0"`, "x"},
		{`bash --version | head -1; echo "$0"`, "x"},
		{`echo "2*3" | bc; echo "$0"`, "x"},
		{"python3 <<\"EOT\"\nprint(1)\nEOT\necho \"$0\"", "x"},
		{"python3 - \"$0\" <<\"EOT\"\nimport sys\nEOT", "x"},
		{"bash -s -- \"$0\" <<\"EOT\"\ntrue\nEOT", "x"},
		{`git -C "$0" status`, "dir"},
		{`timeout "$0" echo hi`, "5"},
		{`nice -n "$0" echo hi`, "5"},
		{`git add . "$0"`, "f"},
		{`find . -name "$0"`, "x"},
		{`find "$0" -type f`, "src"},
		{`git config set user.name "$0"`, "x"},
		{`npm config set x "$0"`, "x"},
		{`kubectl wait "$0"`, "x"},
		{`git log $0`, "--oneline -5"},
		{`git diff "$0"`, "HEAD~1"},
		{`printf "$0: %s\n" x`, "x"},
		{`read -p "Name $0" x`, "x"},
		{`x=$0; echo $(( ${#x} * 2 ))`, "x"},
		{`read -ra p <<< "a b"; for i in "${!p[@]}"; do echo "$i"; done; echo "$0"`, "x"},
		{`declare -i n=0; echo "$0"`, "x"},
		{`n=0; while read -r l; do n=$((n+1)); done < /dev/null; echo "$n $0"`, "x"},
		{`grep -rn "$0" .`, "x"},
		{`cat "$0" | wc -l`, "f"},
		{`jq -r --arg x "$0" '.[$x]' f.json`, "x"},
		{`curl -s "http://127.0.0.1:1/$0"`, "x"},
		{`gh pr view "$0" --json title`, "12"},
		{`docker ps --filter "name=$0"`, "x"},
		{`python3 script.py "$0"`, "x"},
		{`python3 -c 'import sys; print(sys.argv[1])' "$0"`, "-x"},
		{`awk -v x="$0" 'BEGIN { print x }'`, "a b"},
		{`bash script.sh "$0"`, "-c"},
		{`x=$0; case "$x" in a*) echo a;; esac`, "x"},
		{`for f in $0; do wc -l "$f"; done`, "a b"},
		{`x=$(basename "$0"); echo "$x"`, "a/b"},
		{`skillhand load x -- "$0"`, "--flag"},
		{`skillhand load x "$0"`, "src/main.go"},
		{`echo "${x:-'$0'}"`, "a"},
	} {
		if _, err := bind.Bind(test.Line(tt.command, []string{tt.value}, ""), bind.World{}); err != nil {
			t.Errorf("%s with %q: %v", tt.command, tt.value, err)
		}
	}
}

// TestOurs checks that our own paths may name programs and scripts, and are one word whatever they
// contain.
func TestOurs(t *testing.T) {
	for _, name := range []string{"plain", "with space", "a'b", `a"b`, "a$HOME", "a`b`", "new\nline", "a;b", "a*b?", "日本", "a\\b",
		"-dash", "a{b,c}"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\nprintf '%s' \"$0\" \"$@\"\n"
		if err := os.WriteFile(filepath.Join(dir, "tool"), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "lib.sh"), []byte("said=lib\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct{ command, want string }{
			{`${DIR}/tool a`, dir + "/toola"},
			{`"${DIR}/tool" a`, dir + "/toola"},
			{`"${DIR}"/tool a`, dir + "/toola"},
			{`'${DIR}/tool' a`, dir + "/toola"},
			{`for i in 1; do ${DIR}/tool a; done`, dir + "/toola"},
			{`sh "${DIR}/tool" a`, dir + "/toola"},
			{`bash ${DIR}/tool $0`, dir + "/toolarg"},
			{`source "${DIR}/lib.sh"; printf %s $said`, "lib"},
			{`cd ${DIR} && printf '%s' *`, "lib.shtool"},
			{`printf '%s' "${DIR}" | cat`, dir},
			{"cat <<'EOF'\n${DIR}\nEOF", dir + "\n"},
			{`ls ${DIR}`, "lib.sh\ntool\n"},
		} {
			s := &Shell{}
			res, err := s.Run(t.Context(), test.Line(tt.command, []string{"arg"}, dir))
			if err != nil {
				t.Fatal(err)
			}
			if res.Stdout.String() != tt.want || res.Exit != 0 || res.Reason != "" {
				t.Errorf("%s in %q: printed %q, want %q (exit %d, %s, %q)", tt.command, name, res.Stdout.String(), tt.want, res.Exit,
					res.Reason, res.Stderr.String())
			}
		}
		for _, command := range []string{`eval "ls ${DIR}"`, `bash -c "ls ${DIR}"`, `bash <<< "ls ${DIR}"`, `echo "ls ${DIR}" | sh`,
			`trap "ls ${DIR}" EXIT`} {
			odd := strings.ContainsAny(name, "'\"$`\n;*?\\{")
			if _, err := bind.Bind(test.Line(command, nil, dir), bind.World{}); isRefusal(err) != odd {
				t.Errorf("%s in %q: %v; want it refused: %v", command, name, err, odd)
			}
		}
	}
	if _, err := bind.Bind(test.Line(`echo $(( ${DIR} ))`, nil, "/a$(touch pwned)"), bind.World{}); !isRefusal(err) {
		t.Error("a folder's name could run in arithmetic")
	}
}

func isRefusal(err error) bool {
	_, ok := errors.AsType[*bind.Refusal](err)
	return ok
}

// FuzzHostile looks for a value that runs, or prints something other than itself.
func FuzzHostile(f *testing.F) {
	for i, v := range hostile {
		f.Add(v, uint8(i))
	}
	f.Fuzz(func(t *testing.T, v string, n uint8) {
		if strings.ContainsRune(v, 0) || len(v) > 10_000 {
			return // no argument of a process can contain a zero byte
		}
		way := ways[int(n)%len(ways)]
		dir := t.TempDir()
		res, err := (&Shell{Dir: dir}).Run(t.Context(), test.Line(way.command, []string{v}, "/a place"))
		if err != nil {
			t.Fatal(err)
		}
		if files, _ := os.ReadDir(dir); len(files) != 0 {
			t.Fatalf("%s with %q left %v behind", way.command, v, files)
		}
		if want := way.want(v); v != "" && res.Reason == "" &&
			strings.TrimRight(res.Stdout.String(), "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("%s with %q printed %q, want %q", way.command, v, res.Stdout.String(), want)
		}
	})
}
