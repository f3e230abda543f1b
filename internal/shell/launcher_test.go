package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

func TestStandsFor(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want string // the name and its first arguments; "" means an ordinary program
	}{
		{"#!/bin/sh\nexec skillhand builtin status \"$@\"\n", "status"},
		{"#!/usr/bin/env bash\nexec skillhand builtin status \"$@\"", "status"},
		{"#!/usr/bin/env -S bash\nexec skillhand builtin status \"$@\"", "status"},
		{"#!/bin/bash\n# starts status\nset -euo pipefail\nexec skillhand builtin status \"$@\"", "status"},
		{"exec skillhand builtin status \"$@\"", "status"},
		{"exec skillhand builtin status --short -n 3 'a b' \"$@\"", "status --short -n 3 a b"},
		{"exec /opt/bin/skillhand builtin status \"$@\"", "status"},
		{"exec \"$CLAUDE_PLUGIN_ROOT/bin/skillhand\" builtin status \"$@\"", "status"},
		{"exec \"${CLAUDE_PLUGIN_ROOT}\"/bin/skillhand builtin status \"$@\"", "status"},
		{"exec \"$(dirname \"$0\")/skillhand\" builtin status \"${@}\"", "status"},
		{"exec \"${ROOT:-/opt}/skillhand\" builtin status \"$@\"", "status"},
		{"set -e\nDIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" >/dev/null && pwd)\"\nexec \"$DIR/../../bin/skillhand\" builtin status \"$@\"", "status"},
		{"here=${0%/*}\nbin=$here/skillhand\nexec \"$bin\" builtin status \"$@\"", "status"},

		{"", ""},
		{"#!/bin/sh\n", ""},
		{"#!/usr/bin/python3\nexec skillhand builtin status \"$@\"", ""},
		{"#!/usr/bin/env python3\n", ""},
		{"exec skillhand builtin status", ""},
		{"exec skillhand builtin status $@", ""},
		{"exec skillhand builtin status \"$*\"", ""},
		{"exec skillhand builtin status \"$@\" more", ""},
		{"exec skillhand builtin \"$1\" \"$@\"", ""},
		{"exec skillhand builtin \"$@\"", ""},
		{"exec skillhand builtin '' \"$@\"", ""},
		{"exec skillhand load status \"$@\"", ""},
		{"exec other builtin status \"$@\"", ""},
		{"exec notskillhand builtin status \"$@\"", ""},
		{"exec \"$X\" builtin status \"$@\"", ""},
		{"exec \"${X:=/skillhand}\" builtin status \"$@\"", ""},
		{"skillhand builtin status \"$@\"", ""},
		{"exec skillhand builtin status \"$@\" &", ""},
		{"exec skillhand builtin status \"$@\" 2>/dev/null", ""},
		{"exec skillhand builtin status \"$@\" | cat", ""},
		{"exec skillhand builtin status \"$@\"\necho more", ""},
		{"echo first\nexec skillhand builtin status \"$@\"", ""},
		{"cd /tmp\nexec skillhand builtin status \"$@\"", ""},
		{"export X=1\nexec skillhand builtin status \"$@\"", ""},
		{"X=1 exec skillhand builtin status \"$@\"", ""},
		{"X=$(rm -rf x)\nexec skillhand builtin status \"$@\"", ""},
		{"X=$(pwd > file)\nexec skillhand builtin status \"$@\"", ""},
		{"X=$((x=1))\nexec skillhand builtin status \"$@\"", ""},
		{"set -x\nexec skillhand builtin status \"$@\"", ""},
		{"if true; then exec skillhand builtin status \"$@\"; fi", ""},
		{"exec skillhand builtin *.sh \"$@\"", ""},
		{"echo 'exec skillhand builtin status \"$@\"'", ""},
		{"# exec skillhand builtin status \"$@\"", ""},
		{"exec skillhand builtin status \"$@", ""},
		{"\x7fELF\x00\x00", ""},
		{strings.Repeat("# long\n", 5000) + "exec skillhand builtin status \"$@\"", ""},
	} {
		name, fixed, ok := standsFor([]byte(tt.src), nil)
		got := ""
		if ok {
			got = strings.Join(append([]string{name}, fixed...), " ")
		}
		if got != tt.want {
			t.Errorf("standsFor(%q) = %q, want %q", tt.src, got, tt.want)
		}
	}
}

// launchers makes a folder with scripts that call a built-in, and with other scripts.
func launchers(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stand := func(name string) string {
		return "#!/bin/sh\nexec \"$(dirname \"$0\")/skillhand\" builtin " + name + " --fixed \"$@\"\n"
	}
	for _, f := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{"bin/launch", stand("show"), 0o777},
		{"bin/sub/deep", stand("show"), 0o777},
		{"bin/unknown", stand("nothing"), 0o777},
		{"bin/plain", "#!/bin/sh\necho plain \"$@\"\n", 0o777},
		{"bin/ours", "#!/bin/sh\necho theirs \"$@\"\n", 0o777},
		{"bin/host", "#!/bin/sh\nexec \"$(dirname \"$0\")/../cat-host\" call show \"$@\"\n", 0o777},
		{"bin/locked", stand("show"), 0o666},
		{"bin/cat", "#!/bin/sh\necho not the real cat\n", 0o777},
		{"bin/echo", stand("show"), 0o777},
		{"outside/launch", stand("show"), 0o777},
		{"outside/plain", "#!/bin/sh\necho outside\n", 0o777},
		{"bin/skillhand", "#!/bin/sh\necho launched \"$@\"\n", 0o777},
	} {
		path := filepath.Join(root, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.text), f.mode); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"bin/linked":   "launch",
		"bin/escaped":  "../outside/launch",
		"bin/dangling": "nowhere",
		"bin/folder":   "../outside",
		"alias":        "bin",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestLaunchers(t *testing.T) {
	test.NeedBash(t)
	root := launchers(t)
	s := &Shell{Dir: root, Launchers: []string{filepath.Join(root, "hooks/bin"), filepath.Join(root, "bin")}, Builtins: map[string]Func{
		"show": func(_ context.Context, args []string, std Std) int { fmt.Fprintf(std.Out, "show %q\n", args); return 0 },
		"ours": func(_ context.Context, _ []string, std Std) int { fmt.Fprintln(std.Out, "ours"); return 0 },
	}, Self: []string{"/usr/lib/cat-host", "call"}}
	for _, tt := range []struct {
		line    string // ROOT is a trusted value
		how     How
		exit    int
		missing bool
		printed string // a part of stdout, stderr or the reason
	}{
		{`"ROOT/bin/launch" a 'b c'`, Builtin, 0, false, `show ["--fixed" "a" "b c"]`},
		{`ROOT/bin/launch`, Builtin, 0, false, `show ["--fixed"]`},
		{`bin/launch a`, Builtin, 0, false, `show ["--fixed" "a"]`},
		{`./bin/launch a`, Builtin, 0, false, `show ["--fixed" "a"]`},
		{`outside/../bin/launch`, Builtin, 0, false, `show ["--fixed"]`},
		{`ROOT/bin/sub/deep`, Builtin, 0, false, `show ["--fixed"]`},
		{`ROOT/bin/linked`, Builtin, 0, false, `show ["--fixed"]`},
		{`launch a`, Builtin, 0, false, `show ["--fixed" "a"]`},
		{`launch a | cat`, Embedded, 0, false, `show ["--fixed" "a"]`},
		{`ROOT/bin/launch a 2>&1`, Embedded, 0, false, `show ["--fixed" "a"]`},
		{`echo "$(ROOT/bin/launch a)"`, Embedded, 0, false, `show ["--fixed" "a"]`},
		{`(launch a)`, Bash, 0, false, `launched builtin show --fixed a`},
		{`(ROOT/bin/launch a)`, Bash, 0, false, `launched builtin show --fixed a`},
		{`ROOT/bin/plain x`, Embedded, 0, false, "plain x\n"},
		{`plain x`, Bash, 0, false, "plain x\n"},
		{`plain x | cat`, Bash, 0, false, "plain x\n"},
		{`ours x`, Bash, 0, false, "theirs x\n"},
		{`ROOT/bin/host a`, Builtin, 0, false, `show ["a"]`},
		{`echo a`, Embedded, 0, false, "a\n"},
		{`cat /dev/null`, Embedded, 0, false, ""},

		{`ROOT/bin/nothing a`, Nowhere, 127, true, "no such file"},
		{`ROOT/bin/nothing a 2>/dev/null`, Nowhere, 127, true, "no such file"},
		{`ROOT/bin/nothing || echo none`, Bash, 0, false, "none\n"},
		{`ROOT/outside/nothing`, Bash, 127, false, "No such file or directory"},
		{`ROOT/bin/../outside/nothing`, Bash, 127, false, "No such file or directory"},
		{`nothing a`, Bash, 127, false, "nothing: command not found"},

		{`ROOT/bin/unknown`, Nowhere, 127, false, "unknown built-in nothing"},
		{`unknown`, Nowhere, 127, false, "unknown built-in nothing"},
		{`ROOT/bin/unknown || echo none`, Embedded, 0, false, "none\n"},
		{`ROOT/bin/unknown | cat`, Embedded, 0, false, "unknown built-in nothing\n"},
		{`ROOT/bin/locked`, Nowhere, 126, false, "not executable (chmod +x)"},
		{`ROOT/bin/locked; echo $?`, Embedded, 0, false, "126\n"},
		{`ROOT/bin/escaped`, Nowhere, 126, false, "it links outside its folder, to " + root + "/outside/launch"},
		{`ROOT/bin/folder/launch`, Nowhere, 126, false, "it links outside its folder"},
		{`ROOT/bin/dangling`, Nowhere, 126, false, "no such file"},
		{`ROOT/bin/../outside/plain`, Embedded, 0, false, "outside\n"},
		{`ROOT/outside/launch`, Embedded, 127, false, "skillhand"},
	} {
		var l Line
		for i, text := range strings.Split(tt.line, "ROOT") {
			if i > 0 {
				l.Parts = append(l.Parts, Part{Text: "${CLAUDE_PLUGIN_ROOT}", Value: &Value{Data: root, Ours: true}})
			}
			l.Parts = append(l.Parts, Part{Text: text})
		}
		r := run(t, s, l)
		printed := r.Stdout.String() + r.Stderr.String() + r.Reason
		if r.How != tt.how || r.Exit != tt.exit || r.Missing != tt.missing || !strings.Contains(printed, tt.printed) {
			t.Errorf("%s: how %q, exit %d, missing %v, printed %q; want %q, %d, %v, %q",
				tt.line, r.How, r.Exit, r.Missing, printed, tt.how, tt.exit, tt.missing, tt.printed)
		}
	}
	// The folder may itself be reached by a link.
	s.Launchers = []string{filepath.Join(root, "alias")}
	for _, line := range []string{root + "/alias/launch", root + "/bin/launch", "launch"} {
		if r := run(t, s, code(line)); r.How != Builtin {
			t.Errorf("%s through a linked folder: how %q, reason %q; want builtin", line, r.How, r.Reason)
		}
	}
}

func FuzzStandsFor(f *testing.F) {
	f.Add([]byte("#!/bin/sh\nexec skillhand builtin status \"$@\"\n"))
	f.Add([]byte("DIR=$(cd \"$(dirname \"$0\")\" && pwd)\nexec \"$DIR/skillhand\" builtin a b \"$@\"\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if name, fixed, ok := standsFor(src, nil); ok != (name != "") || !ok && fixed != nil {
			t.Errorf("standsFor(%q) = %q, %q, %v", src, name, fixed, ok)
		}
	})
}

// and each gets its own arguments after the launcher's.
func TestLauncherCallsAtOnce(t *testing.T) {
	dir := t.TempDir()
	// A name and two fixed words leave room in a slice with capacity four. One call could write
	// into that room for another.
	src := "#!/bin/sh\nexec skillhand builtin say --a --b \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "say-it"), []byte(src), 0o777); err != nil {
		t.Fatal(err)
	}
	s := &Shell{Launchers: []string{dir}, Builtins: map[string]Func{"say": func(_ context.Context, args []string, std Std) int {
		fmt.Fprint(std.Out, strings.Join(args, " "))
		return 0
	}}}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 500 {
				word := fmt.Sprintf("%d-%d", i, k)
				r, err := s.Run(t.Context(), code(filepath.Join(dir, "say-it")+" "+word))
				if err != nil {
					t.Error(err)
					return
				}
				if got, want := r.Stdout.String(), "--a --b "+word; got != want {
					t.Errorf("printed %q, want %q", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestClassLauncher(t *testing.T) {
	dir := t.TempDir()
	for name, src := range map[string]string{
		"show":  "#!/bin/sh\nDIR=$(dirname \"$0\")\nexec \"$DIR/java\" -Xshare:auto -m org.example/org.example.GetStatus \"$@\"\n",
		"other": "#!/bin/sh\nexec skillhand builtin status \"$@\"\n",
		"bad":   "#!/bin/sh\nexec java -m\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(src), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	folders := []string{filepath.Join(dir, "none"), dir}
	if got, want := ClassLauncher(folders, "org.example.GetStatus"), filepath.Join(dir, "show"); got != want {
		t.Errorf("ClassLauncher = %q, want %q", got, want)
	}
	if got := ClassLauncher(folders, "org.example.Other"); got != "" {
		t.Errorf("ClassLauncher of an unknown class = %q", got)
	}
	for name, want := range map[string]bool{"org.example.GetStatus": true, "GetStatus": false, "get-status.sh": false, "./a.B": false,
		"org.example.": false} {
		if got := IsClass(name); got != want {
			t.Errorf("IsClass(%q) = %v, want %v", name, got, want)
		}
	}
}
