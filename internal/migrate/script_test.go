//go:build unix

package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/report"
)

// TestScript shows whole edits, and the scripts that are left alone, with the reasons.
func TestScript(t *testing.T) {
	test.Cases(t, "testdata/edits/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		got := map[string]string{}
		for name, src := range c.Files {
			if !strings.HasSuffix(name, ".sh") {
				continue
			}
			src = strings.ReplaceAll(src, "␍", "\r")
			e, err := Script(name, []byte(src), Options{Bash: strings.HasSuffix(name, "-bash.sh")})
			switch {
			case err != nil:
				got[name+".want"] = err.Error() + "\n"
			default:
				var notes strings.Builder
				for _, n := range e.Notes {
					fmt.Fprintf(&notes, "%s:%d: %s\n", name, n.Line, n.Text)
				}
				got[name+".want"] = notes.String() + cutPreamble(e)
			}
		}
		return got
	})
}

// cutPreamble returns a script after the edit, with only the first line of the preamble.
func cutPreamble(e *files.Edit) string {
	before, rest, ok := strings.Cut(string(e.After), firstLine)
	if !ok {
		return string(e.After)
	}
	_, after, _ := strings.Cut(rest, " || exit 1\n\n")
	return before + firstLine + after
}

// TestHears: a migrated script reports what report.Parse reads in the output of the old script. The
// test covers every row of the tables and the output of real programs. The listener hears each
// text. Some texts are also printed by whole scripts, literally and through a variable.
func TestHears(t *testing.T) {
	for _, name := range []string{"legacy.txt", "legacy-odd.txt", "legacy-logs.txt", "programs-fail.txtar", "programs-pass.txtar"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testHears(t, name)
		})
	}
}

func testHears(t *testing.T, name string) {
	dir := t.TempDir()
	put := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(ReportFile, Report())
	texts := heardTexts(t, name)
	var names []string // a name consists of the text's number and the way of printing it
	for n, text := range texts {
		names = append(names, fmt.Sprint(n, ".heard"))
		put(names[len(names)-1], []byte(text+"\n\x01end 0 \n"))
		if n%wholeScript != 0 {
			continue
		}
		for way, src := range printingWays(t, text) {
			e, err := Script(name, []byte(src), Options{})
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			names = append(names, fmt.Sprint(n, ".", way))
			put(names[len(names)-1], e.After)
		}
	}
	code, _, _ := strings.Cut(string(Report()), "if [[ ${BASH_SOURCE[")
	put("listen.bash", []byte(code+`
skillhand_token=$'\1'end skillhand_back=3 skillhand_seconds=0 skillhand_start=
for f in *.heard; do (skillhand_listen < "$f") 3> "$f.out" 2> /dev/null || echo "$f: $?"; done
for f in *.literal *.variable; do bash "$f" > "$f.out" 2> /dev/null || echo "$f: $?"; done
`))
	cmd := exec.Command("bash", "-c", ". ./listen.bash")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(texts) < 100 {
		t.Errorf("%d texts", len(texts))
	}
	for _, name := range names {
		out, err := os.ReadFile(filepath.Join(dir, name+".out"))
		if err != nil {
			t.Fatal(err)
		}
		row, way, _ := strings.Cut(name, ".")
		n, err := strconv.Atoi(row)
		if err != nil {
			t.Fatal(err)
		}
		compareHeard(t, way, texts[n], out)
	}
}

// heardTexts returns the texts of a table, or the output of real programs. A line about a step
// comes before the output of programs that failed.
func heardTexts(t *testing.T, name string) (texts []string) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("../legacy/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(name) == ".txtar" {
		before := ""
		if strings.Contains(name, "fail") {
			before = "✅ dependencies installed\n"
		}
		for _, f := range txtar.Parse(file).Files {
			texts = append(texts, before+strings.TrimSuffix(string(f.Data), "\n"))
		}
		return texts
	}
	for line := range strings.Lines(string(file)) {
		_, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "| ")
		if ok && !strings.HasPrefix(line, "#") {
			texts = append(texts, strings.NewReplacer("¶", "\n", "␍", "\r", "␛", "\x1b").Replace(text))
		}
	}
	return texts
}

// wholeScript is how many rows of a table there are to one that is also run as whole scripts. A
// whole script costs a hundred times as much as the listener.
const wholeScript = 20

// printingWays are scripts that print a text.
func printingWays(t *testing.T, text string) map[string]string {
	t.Helper()
	literal, err := syntax.Quote(text, syntax.LangBash)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"literal":  "#!/bin/bash\nprintf '%s\\n' " + literal + "\n",
		"variable": "#!/bin/bash\nx=" + literal + "\nsay() { echo \"$1\"; }\nsay \"$x\"\n",
	}
}

func compareHeard(t *testing.T, way, text string, out []byte) {
	t.Helper()
	want := &report.Report{Confidence: 0.5, Deliverables: []string{}, Errors: []report.Error{}}
	said := report.Parse([]byte(text), report.Options{})
	if said.Report != nil {
		want = said.Report
	}
	want.Success = !said.Stated || said.Report.Success
	if fault := said.Faults; len(fault) > 0 && fault[0].Code == report.Unclear {
		want.Success, want.Errors = false, []report.Error{{Code: string(report.Unclear), Message: fault[0].Message}}
	}
	want.Metrics = nil
	got := report.Parse(out, report.Options{Strict: true}).Report
	if got == nil {
		t.Fatalf("%s %q: no report: %s", way, text, out)
	}
	got.Metrics = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s %q (-what the text says +what is reported):\n%s", way, text, diff)
	}
}

// TestSystemScripts migrates the scripts that the operating system ships. No script may break, and
// migrating twice gives the same as once.
func TestSystemScripts(t *testing.T) {
	files, migrated := 0, 0
	for _, path := range systemScripts(t) {
		src, err := os.ReadFile(path)
		if err != nil || len(src) > 1<<20 {
			continue
		}
		files++
		e, err := Script(path, src, Options{Bash: true})
		if err != nil {
			continue
		}
		migrated++
		checkEdit(t, e)
		if out, err := bashN(e.After); err != nil {
			if before, err := bashN(src); err != nil {
				t.Logf("%s: bash -n fails before: %s", path, before)
				continue
			}
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
	if files > 50 && migrated < files/3 {
		t.Errorf("%d of %d scripts migrated", migrated, files)
	}
	t.Logf("%d of %d scripts migrated", migrated, files)
}

// systemScripts lists the shell scripts outside of anyone's home.
func systemScripts(t *testing.T) (scripts []string) {
	for _, dir := range []string{"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/share", "/etc"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && mayRun(d) {
				if shell := interpreter(start(path)); shell == "bash" || shell == "sh" {
					scripts = append(scripts, path)
				}
			}
			return nil // skip what cannot be read
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return scripts
}

// mayRun reports whether a file may be a script, by its name and mode, because opening all files
// takes long.
func mayRun(d fs.DirEntry) bool {
	if ext := filepath.Ext(d.Name()); ext == ".sh" || ext == ".bash" {
		return true
	}
	info, err := d.Info()
	return err == nil && info.Mode()&0o111 != 0
}

// start returns the beginning of a file.
func start(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	buf := make([]byte, 64)
	n, _ := f.Read(buf)
	return buf[:n]
}

func bashN(src []byte) ([]byte, error) {
	cmd := exec.Command("bash", "-n")
	cmd.Stdin = bytes.NewReader(src)
	return cmd.CombinedOutput()
}

// checkEdit fails the test unless an edit only inserts text, and migrating its result changes
// nothing.
func checkEdit(t *testing.T, e *files.Edit) {
	t.Helper()
	rest := e.After
	for _, c := range e.Before {
		i := bytes.IndexByte(rest, c)
		if i < 0 {
			t.Fatalf("%s: the script is not in its edit any more", e.Name)
		}
		rest = rest[i+1:]
	}
	again, err := Script(e.Name, e.After, Options{Bash: true})
	if err != nil {
		t.Fatalf("%s: twice: %v", e.Name, err)
	}
	if again.Changed() {
		t.Errorf("%s: twice is not once:\n%s", e.Name, again.Diff())
	}
	if e.Changed() == (e.Diff() == "") {
		t.Errorf("%s: diff is %q", e.Name, e.Diff())
	}
}

// FuzzScript: a script that parses still parses after the edit, and migrating twice gives the same
// as once.
func FuzzScript(f *testing.F) {
	for _, s := range runs(f) {
		f.Add(s.src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		e, err := Script("fuzz.sh", src, Options{Bash: true})
		if err != nil {
			if e := new(LeftAloneError); !errors.As(err, &e) && !errors.As(err, new(*ParseError)) {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		checkEdit(t, e)
	})
}

// TestDeep: migrate refuses scripts with endless nesting, and does not crash.
func TestDeep(t *testing.T) {
	for _, open := range []string{"(", "{ ", "if ", "echo $(", "((", "a[", "true && ", "echo a | ", "f() { ", "x=${x/${", "case x in a) "} {
		src := []byte("#!/bin/bash\n" + strings.Repeat(open, 400_000))
		if _, err := Script("deep.sh", src, Options{}); !errors.As(err, new(*ParseError)) {
			t.Errorf("%q: %v", open, err)
		}
	}
	closed := "#!/bin/bash\n" + strings.Repeat("( true\n", 20_000) + strings.Repeat(")\n", 20_000)
	if _, err := Script("closed.sh", []byte(closed), Options{}); err != nil {
		t.Error(err)
	}
}

// TestDiff: patch turns the old script and its diff into the new script.
func TestDiff(t *testing.T) {
	_, err := exec.LookPath("patch")
	test.Found(t, err)
	for _, s := range runs(t) {
		e, err := Script(s.name, s.src, Options{})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, s.src, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("patch", "-s", file)
		cmd.Stdin = strings.NewReader(e.Diff())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s\n%s", s.name, err, out, e.Diff())
		}
		got, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, e.After) {
			t.Errorf("%s: the diff makes something else: %v", s.name, err)
		}
	}
}
