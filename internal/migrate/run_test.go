//go:build unix

package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/skillhand/skillhand/report"
)

// TestMain lets a signal end scripts even if the shell that started the tests ignores the signal,
// as under nohup. A signal that is handled here has its default action in the programs that are
// started.
func TestMain(m *testing.M) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	os.Exit(m.Run())
}

// TestRuns runs every script of testdata/runs in real bash, before and after the edit. The exit
// status and the files must be the same, and the report must say what the script's text said.
func TestRuns(t *testing.T) {
	ran := 0
	for _, s := range runs(t) {
		ran++
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			edit, err := Script(s.name, s.src, Options{Inline: len(s.name)%2 == 0})
			if err != nil {
				t.Fatal(err)
			}
			before, after := run(t, s.src), run(t, edit.After)
			if before.status != s.status || after.status != s.status {
				t.Errorf("exit status %d before, %d after, want %d\n%s", before.status, after.status, s.status, after.stderr)
			}
			if diff := cmp.Diff(before.files, after.files); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
			if missing := missingLines(before.stdout+before.stderr, after.stderr); missing != "" && s.name != "set-x" {
				t.Errorf("output is lost: %q, stderr is now:\n%s", missing, after.stderr)
			}
			if !utf8.ValidString(after.stdout) {
				t.Errorf("%q is not UTF-8", after.stdout)
			}
			if diff := cmp.Diff(wantReport(before), gotReport(t, after)); diff != "" {
				t.Errorf("report (-what the text says +what is reported):\n%s\n%s", diff, after.stdout)
			}
		})
	}
	if ran < 80 {
		t.Errorf("%d scripts, want at least 80", ran)
	}
}

// TestOtherWays: a migrated script reports in every way of starting it, but not when it is sourced.
func TestOtherWays(t *testing.T) {
	e, err := Script("ways.sh", []byte("#!/bin/bash\necho \"Created: x\"\n"), Options{Inline: true})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ways.sh")
	if err := os.WriteFile(file, e.After, 0o666); err != nil {
		t.Fatal(err)
	}
	const good = `{"success":true,"confidence":0.5,"deliverables":["x"]`
	for _, tt := range []struct{ command, want string }{
		{`bash "$1"`, good},
		{`bash < "$1"`, good},
		{`bash --posix "$1"`, good},
		{`bash -x "$1"`, good},
		{`env -i /bin/bash "$1"`, good},
		{`bash "$1" >&-; echo $?`, "0\n"},
		{`bash "$1" > /dev/full; echo $?`, "0\n"},
		{`. "$1"; echo "still here"`, "Created: x\nstill here\n"},
		{`x=$(bash "$1" 2> /dev/null); echo "${x:0:15}"`, `{"success":true` + "\n"},
	} {
		out, err := exec.Command("bash", "-c", tt.command, "bash", file).Output()
		if err != nil || !strings.HasPrefix(string(out), tt.want) {
			t.Errorf("%s: %v\n%s", tt.command, err, out)
		}
	}
}

// TestPlaces: a script finds the file that reports from its own folder, in every way of calling it.
func TestPlaces(t *testing.T) {
	top := t.TempDir()
	tree, _ := Tree([]File{
		{"tree/a b/execute.sh", []byte("#!/bin/bash\necho \"Created: x\"\n")},
		{"tree/c/d/execute.sh", []byte("#!/bin/bash\necho \"Created: y\"\n")},
	}, TreeOptions{})
	var names []string
	for _, r := range tree {
		names = append(names, r.Path)
		file := filepath.Join(top, filepath.FromSlash(r.Path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, r.Edit.After, 0o777)); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"tree/a b/execute.sh", "tree/c/d/execute.sh", "tree/skillhand-report.bash"}; !slices.Equal(names, want) {
		t.Fatalf("%q, want %q", names, want)
	}
	for _, command := range []string{
		`bash "tree/a b/execute.sh"`,
		`cd "tree/a b" && bash execute.sh`,
		`cd "tree/a b" && ./execute.sh`,
		`cd / && bash "$OLDPWD/tree/a b/execute.sh"`,
		`cd "tree/a b" && PATH= /bin/bash execute.sh`,
		`env -i /bin/bash "tree/a b/execute.sh"`,
		`ln -s "tree/a b/execute.sh" link; bash link`,
		`ln -s link link2; PATH= /bin/bash ./link2`,
		`mkdir -p far; ln -s "../tree/a b/execute.sh" far/link; cd / && bash "$OLDPWD/far/link"`,
		`ln -s "tree/a b" folder; bash folder/execute.sh`,
		`PATH="$PWD/tree/a b:$PATH"; execute.sh`,
		`bash -eu "tree/a b/execute.sh"`,
		`CDPATH=/ bash "tree/a b/execute.sh"`,
	} {
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir = top
		out, err := cmd.Output()
		if err != nil || !strings.HasPrefix(string(out), `{"success":true,"confidence":0.5,"deliverables":["x"]`) {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	if err := os.Remove(filepath.Join(top, "tree", ReportFile)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "tree/c/d/execute.sh")
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), ReportFile) {
		t.Errorf("without the file: %v\n%s", err, out)
	}
}

// TestSignal: a signal still ends the script, and the report says so.
func TestSignal(t *testing.T) {
	for _, src := range []string{
		"#!/bin/bash\necho \"Created: x\"\nsleep 3\n",
		"#!/bin/bash\nset -e\ntrap 'echo bye' EXIT\necho \"Created: x\"\nsleep 3\n",
	} {
		e, err := Script("signal.sh", []byte(src), Options{Inline: true})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "signal.sh")
		if err := os.WriteFile(file, e.After, 0o666); err != nil {
			t.Fatal(err)
		}
		stdout, err := os.Create(file + ".out") // a file, because nobody waits for the sleep, which also holds stdout
		if err != nil {
			t.Fatal(err)
		}
		defer stdout.Close()
		cmd := exec.Command("bash", file)
		cmd.Stdout = stdout
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := stderr.Read(make([]byte, 100)); err != nil { // the script has begun
			t.Fatal(err)
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // end the sleep
		if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() || ws.Signal() != syscall.SIGTERM {
			t.Errorf("it ended with %v", cmd.ProcessState)
		}
		out, err := os.ReadFile(stdout.Name())
		if err != nil || !bytes.Contains(out, []byte(`"success":false`)) || !bytes.Contains(out, []byte("ended by a signal")) {
			t.Errorf("report: %q, %v", out, err)
		}
	}
}

type runCase struct {
	name   string
	status int
	src    []byte
}

func runs(t testing.TB) []runCase {
	files, err := filepath.Glob("testdata/runs/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all []runCase
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			c := runCase{src: f.Data}
			if _, err := fmt.Sscanf(f.Name, "%s %d", &c.name, &c.status); err != nil {
				t.Fatalf("%s: %q: %v", file, f.Name, err)
			}
			if c.name == "no-newline" { // an archive cannot hold a file without a newline
				c.src = bytes.TrimSuffix(c.src, []byte("\n"))
			}
			all = append(all, c)
		}
	}
	return all
}

type outcome struct {
	status         int
	stdout, stderr string
	files          map[string]string
	took           time.Duration
}

func run(t *testing.T, src []byte) outcome {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "script.sh")
	work := filepath.Join(dir, "work")
	if err := errors.Join(os.WriteFile(file, src, 0o777), os.Mkdir(work, 0o777),
		os.WriteFile(filepath.Join(dir, ReportFile), Report(), 0o666)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	line, _, _ := strings.Cut(string(src), "\n") // start the shell, not the file: a fork may still have the file open for writing
	options := strings.Fields(strings.TrimPrefix(line, "#!"))[1:]
	cmd := exec.CommandContext(ctx, "bash", append(options[strings.Count(line, "env"):], file)...)
	cmd.Dir = work
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	began := time.Now()
	err := cmd.Run()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // end what the script left in the background
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	o := outcome{stdout: stdout.String(), stderr: stderr.String(), files: map[string]string{}, took: time.Since(began)}
	o.status = cmd.ProcessState.ExitCode()
	if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
		o.status = 128 + int(ws.Signal())
	}
	err = filepath.WalkDir(work, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			rel, _ := filepath.Rel(work, path)
			o.files[rel] = string(data)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// missingLines returns the first line of a that b does not have.
func missingLines(a, b string) string {
	have := map[string]bool{}
	for line := range strings.Lines(b) {
		have[comparable(line)] = true
	}
	for line := range strings.Lines(a) {
		if !have[comparable(line)] {
			return line
		}
	}
	return ""
}

// comparable removes the parts that differ from run to run: bash prints the script's name and line.
func comparable(line string) string {
	line = strings.TrimSuffix(line, "\n")
	if _, rest, ok := strings.Cut(line, ": line "); ok {
		_, rest, _ = strings.Cut(rest, ": ")
		return rest
	}
	if strings.HasPrefix(line, "Usage: ") || strings.HasPrefix(line, "[") || strings.HasPrefix(line, "real") ||
		strings.HasPrefix(line, "user") || strings.HasPrefix(line, "sys") {
		return ""
	}
	return line
}

// wantReport returns the report that the text of the old script means.
func wantReport(o outcome) *report.Report {
	said := report.Parse([]byte(o.stdout), report.Options{})
	want := &report.Report{Confidence: 0.5, Deliverables: []string{}, Metrics: map[string]float64{}, Errors: []report.Error{}}
	if said.Method == report.Legacy {
		want = said.Report
		want.Metrics = map[string]float64{}
	}
	failed := said.Stated && !said.Report.Success
	want.Success = o.status == 0 && !failed
	if o.status != 0 && len(want.Errors) == 0 {
		want.Errors = []report.Error{{Code: "EXIT_STATUS"}}
	}
	return want
}

// gotReport returns the only report on stdout.
func gotReport(t *testing.T, o outcome) *report.Report {
	t.Helper()
	if strings.Count(o.stdout, "\n") != 1 || !strings.HasPrefix(o.stdout, "{") || !strings.HasSuffix(o.stdout, "}\n") {
		t.Fatalf("stdout is not a report alone:\n%s\nstderr:\n%s", o.stdout, o.stderr)
	}
	r := report.Parse([]byte(o.stdout), report.Options{NoLegacy: true, Strict: true})
	if r.Report == nil {
		t.Fatalf("%s: %v", o.stdout, r.Faults)
	}
	ms, ok := r.Report.Metrics["execution_time_ms"]
	if !ok || ms < 0 || ms > float64(o.took.Milliseconds())+1 {
		t.Errorf("execution_time_ms is %v of %v", ms, o.took)
	}
	r.Report.Metrics = map[string]float64{}
	for i := range r.Report.Errors {
		if r.Report.Errors[i].Code == "EXIT_STATUS" {
			r.Report.Errors[i].Message = ""
		}
	}
	return r.Report
}

// TestAskedForJSON runs a script that can print JSON. If it is asked for JSON, it prints JSON as
// before, and otherwise a report.
func TestAskedForJSON(t *testing.T) {
	script := func(asked string) []byte {
		return []byte("#!/bin/bash\nFORMAT=" + asked +
			"\nif [[ $FORMAT == json ]]; then\n  printf '\\n{\\n  \"a\": [1,\\n  2]}'\n  exit 3\nfi\necho '{b} is no JSON'\necho Created: x.txt\n")
	}
	for _, inline := range []bool{true, false} {
		for asked, want := range map[string]string{"json": "{\n  \"a\": [1,\n  2]}", "text": `"deliverables":["x.txt"]`} {
			src := script(asked)
			edit, err := Script("x.sh", src, Options{Inline: inline})
			if err != nil {
				t.Fatal(err)
			}
			before, after := run(t, src), run(t, edit.After)
			if before.status != after.status {
				t.Errorf("%s: exit status %d before, %d after", asked, before.status, after.status)
			}
			if asked == "json" && after.stdout != want || !strings.Contains(after.stdout, want) {
				t.Errorf("%s: stdout is %q, want %q", asked, after.stdout, want)
			}
		}
	}
}

// TestSourced runs scripts that source others. A script that can be both sourced and run prints a
// report only if it is run. An EXIT trap in a sourced file runs before the report.
func TestSourced(t *testing.T) {
	top := t.TempDir()
	results, _ := Tree([]File{
		{"tree/lib.sh", []byte("tidy() { old=$(trap -p EXIT); trap 'echo tidied' EXIT; }\n")},
		{"tree/saves.sh", []byte("tidy() { old=$(trap -p EXIT); trap 'echo lost' EXIT; eval \"$old\"; }\n")},
		{"tree/both.sh", []byte("#!/bin/bash\nwork() { echo \"Created: $1\"; return 3; }\nif [[ ${BASH_SOURCE[0]} == \"$0\" ]]; then\n  work a.txt\nfi\n")},
		{"tree/main.sh", []byte("#!/bin/bash\n. ./lib.sh\n. ./both.sh\ntidy\nwork b.txt\nexit 4\n")},
		{"tree/restores.sh", []byte("#!/bin/bash\n. ./saves.sh\ntidy\necho Created: c.txt\n")},
	}, TreeOptions{})
	for _, r := range results {
		if r.Status == Failed {
			t.Fatalf("%s: %s", r.Path, r.Reason)
		}
		if r.Edit != nil {
			writeScript(t, filepath.Join(top, r.Path), r.Edit.After)
		}
	}
	for name, lib := range map[string]string{
		"lib.sh":   "tidy() { old=$(trap -p EXIT); trap 'echo tidied' EXIT; }\n",
		"saves.sh": "tidy() { old=$(trap -p EXIT); trap 'echo lost' EXIT; eval \"$old\"; }\n",
	} {
		writeScript(t, filepath.Join(top, "tree", name), []byte(lib))
	}
	for _, tt := range []struct {
		command, stdout, stderr string
		status                  int
	}{
		{"./both.sh", `{"success":false,"confidence":0.5,"deliverables":["a.txt"]`, "Created: a.txt\n", 3},
		{". ./both.sh; work x.txt", "Created: x.txt\n", "", 3},
		{"./main.sh", `{"success":false,"confidence":0.5,"deliverables":["b.txt"]`, "Created: b.txt\ntidied\n", 4},
		{"./restores.sh", `{"success":true,"confidence":0.5,"deliverables":["c.txt"]`, "Created: c.txt\n", 0},
	} {
		cmd := exec.Command("bash", "-c", tt.command)
		cmd.Dir = filepath.Join(top, "tree")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != tt.status || !strings.HasPrefix(stdout.String(), tt.stdout) ||
			strings.Count(stdout.String(), "\n") != 1 || stderr.String() != tt.stderr {
			t.Errorf("%s: exit status %d, want %d\nstdout %q\nstderr %q", tt.command, got, tt.status, stdout.String(), stderr.String())
		}
	}
}

func writeScript(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o777); err != nil {
		t.Fatal(err)
	}
}
