package verdict

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/report"
)

func TestJudge(t *testing.T) {
	const good = `{"success":true,"confidence":1,"deliverables":[],"metrics":{},"errors":[]}`
	const failed = `{"success":false,"confidence":0,"deliverables":[],"metrics":{},"errors":[]}`
	for _, tt := range []struct {
		text   string
		result proc.Result
		want   string // the codes of the problems
	}{
		{good, proc.Result{}, ""},
		{good, proc.Result{Exit: 3}, "CONFLICT"},
		{good, proc.Result{Exit: 143, Signal: 15}, "CONFLICT"},
		{good, proc.Result{Exit: 143, Signal: 15, Cut: proc.Timeout}, "TIMED_OUT"},
		{good, proc.Result{Exit: 0, Cut: proc.Timeout}, "TIMED_OUT"},
		{good, proc.Result{Exit: 130, Cut: proc.Canceled}, "INTERRUPTED"},
		{failed, proc.Result{}, "REPORTED_FAILURE"},
		{failed, proc.Result{Exit: 1}, "EXIT_STATUS REPORTED_FAILURE"},
		{"", proc.Result{}, "NO_REPORT"},
		{"", proc.Result{Exit: 1}, "EXIT_STATUS NO_REPORT"},
		{"", proc.Result{Exit: 137, Cut: proc.Timeout}, "TIMED_OUT NO_REPORT"},
		{"{", proc.Result{}, "INVALID_JSON"},
		{`{"success":true,"confidence":2}`, proc.Result{}, "OUT_OF_RANGE MISSING_FIELD MISSING_FIELD MISSING_FIELD"},
		{"SUCCESS", proc.Result{}, ""},
		{"SUCCESS", proc.Result{Exit: 1}, "CONFLICT"},
		{"FAILED", proc.Result{}, "REPORTED_FAILURE"},
		{"Confidence: 0.9", proc.Result{}, ""},
		{"Confidence: 0.9", proc.Result{Exit: 2}, "EXIT_STATUS"},
		{"Confidence: 0.9", proc.Result{Cut: proc.Timeout}, "TIMED_OUT"},
		{"Confidence: 0.9\nUnsuccessful", proc.Result{}, "REPORTED_FAILURE"},
	} {
		v := Judge(report.Parse([]byte(tt.text), report.Options{}), Run{Result: tt.result, Timeout: time.Second})
		var codes []string
		for _, p := range v.Problems {
			codes = append(codes, p.Code)
		}
		if got := strings.Join(codes, " "); got != tt.want {
			t.Errorf("%s, %+v: %s, want %s", tt.text, tt.result, got, tt.want)
		}
		if v.OK != (tt.want == "") || v.TimedOut != strings.Contains(tt.want, "TIMED_OUT") || v.Exit != tt.result.Exit {
			t.Errorf("%s, %+v: %+v", tt.text, tt.result, v)
		}
	}
	v := Judge(report.Parse([]byte(good), report.Options{}), Run{Result: proc.Result{Held: true, Left: []string{"sleep"}}})
	if len(v.Problems) != 0 || len(v.Warnings) != 2 || v.Warnings[0].Code != OutputHeld || v.Warnings[1].Code != EndedProcesses {
		t.Errorf("what was left behind: %+v", v)
	}
}

// TestJudgeSays: a person reads how the script ended, and what to do about a script without a
// report.
func TestJudgeSays(t *testing.T) {
	for _, tt := range []struct {
		text   string
		result proc.Result
		want   string
	}{
		{"SUCCESS", proc.Result{Exit: 3}, "the report says success, but: exit status 3: no disk"},
		{"", proc.Result{Exit: 3}, "exit status 3: no disk; No report found"},
		{"SUCCESS", proc.Result{Exit: 143, Signal: 15}, "the report says success, but: ended by signal 15: no disk"},
		{"", proc.Result{}, "No report found: end the script with skillhand emit, see skillhand emit --help"},
		{"", proc.Result{Cut: proc.Timeout}, "timed out after 1m0s; No report found"},
		{`{"success":true,"confidence":2,"deliverables":[],"metrics":{},"errors":[]}`, proc.Result{},
			"/confidence: Confidence must be between 0.0 and 1.0"},
	} {
		var said []string
		for _, p := range Judge(report.Parse([]byte(tt.text), report.Options{}),
			Run{Result: tt.result, Timeout: time.Minute, Stderr: "line 3\nno disk\n"}).Problems {
			said = append(said, p.Message)
		}
		if got := strings.Join(said, "; "); got != tt.want {
			t.Errorf("%q, %+v: %s, want %s", tt.text, tt.result, got, tt.want)
		}
	}
}

// TestHow: the reason of a crash is the last line that states a reason.
func TestHow(t *testing.T) {
	for _, tt := range []struct{ stderr, want string }{
		{"", "exit status 2"},
		{"line 3\nno disk\n", "exit status 2: no disk"},
		{"skillhand: unknown flag: --deliverables\nskillhand: see skillhand emit --help\n",
			"exit status 2: skillhand: unknown flag: --deliverables"},
		{"ls: unrecognized option '--foo'\nTry 'ls --help' for more information.\n", "exit status 2: ls: unrecognized option '--foo'"},
		{"see --help\n", "exit status 2: see --help"},
	} {
		if got := (Run{Result: proc.Result{Exit: 2}, Stderr: tt.stderr}).how(); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.stderr, got, tt.want)
		}
	}
}

// TestJudgeDoubts: Judge warns about a success that contradicts itself.
func TestJudgeDoubts(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"success":true,"confidence":1,"deliverables":[],"metrics":{},"errors":[{"code":"A","message":"b"}]}`, "/errors"},
		{`{"success":true,"confidence":0,"deliverables":[],"metrics":{},"errors":[]}`, "/confidence"},
		{`{"success":false,"confidence":0,"deliverables":[],"metrics":{},"errors":[]}`, ""},
		{`{"success":true,"confidence":0.1,"deliverables":[],"metrics":{},"errors":[]}`, ""},
	} {
		got := ""
		for _, w := range Judge(report.Parse([]byte(tt.text), report.Options{}), Run{}).Warnings {
			if w.Code == Doubtful {
				got += w.Path
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestEndedProcesses(t *testing.T) {
	for _, tt := range []struct{ names, want string }{
		{"", "ended processes that it had left behind"},
		{"sleep", "ended 1 process that it had left behind: sleep"},
		{"sleep bash sleep", "ended 3 processes that it had left behind: bash, sleep"},
		{"a b c d a", "ended 5 processes that it had left behind: a, b, c, ..."},
	} {
		if got := endedProcesses(strings.Split(tt.names, " ")); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.names, got, tt.want)
		}
	}
}

func TestLastLines(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"\n\n", ""},
		{"a", "a"},
		{"a\r\n\r\nb\r\n", "a\n\nb"},
		{"0\n1\n2\n3\n4\n5\n6\n7\n8\n9\na\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\na"},
		{strings.Repeat("x", 299) + "é", strings.Repeat("x", 299) + "..."},
		{strings.Repeat("x", 1e6) + "\nlast", strings.Repeat("x", 300) + "...\nlast"},
	} {
		if got := LastLines(tt.text); got != tt.want {
			t.Errorf("%.40q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestTailText: nobody recognizes half a secret, so a line that was cut is not shown.
func TestTailText(t *testing.T) {
	for _, tt := range []struct{ dropped, kept, want string }{
		{"", "secret", "secret"},
		{"sec", "ret", ""},
		{"sec", "ret\nb\n", "b\n"},
	} {
		tail := &Output{Max: len(tt.kept)}
		fmt.Fprint(tail, tt.dropped, tt.kept)
		if got := tail.String(); got != tt.want {
			t.Errorf("%q, cut from %q: %q, want %q", tt.kept, tt.dropped, got, tt.want)
		}
	}
}

func TestTail(t *testing.T) {
	var all bytes.Buffer
	for _, piece := range []int{1, 9, 10, 3, 25, 7, 0, 64, 5} {
		all.Reset()
		tail := &Output{Max: 10}
		for i := range 20 {
			text := strings.Repeat(string(rune('a'+i)), piece)
			all.WriteString(text)
			if n, err := tail.Write([]byte(text)); n != piece || err != nil {
				t.Fatalf("Write of %d = %d, %v", piece, n, err)
			}
		}
		want := all.Bytes()[max(0, all.Len()-10):]
		got := append(append([]byte{}, tail.buf[tail.next:]...), tail.buf[:tail.next]...)
		if !bytes.Equal(got, want) || tail.cut != (all.Len() > 10) {
			t.Errorf("pieces of %d: kept %q, want %q", piece, got, want)
		}
	}
}

// TestTailParse: the rest of a line that was cut says nothing.
func TestTailParse(t *testing.T) {
	const good = `{"success":true,"confidence":1,"deliverables":[],"metrics":{},"errors":[]}`
	for _, tt := range []struct {
		dropped, kept string
		want          report.Method
	}{
		{"", "SUCCESS", report.Legacy},
		{"NOT ", "SUCCESS", report.None},
		{"NOT ", "SUCCESS\n", report.None},
		{"NOT ", "SUCCESS\nPassed", report.Legacy},
		{"xxx", good, report.JSON},
		{"xxx", "xxx" + good + "\n", report.JSON},
		{"xxx", "{xx\nSUCCESS", report.Legacy},
	} {
		tail := &Output{Max: len(tt.kept)}
		fmt.Fprint(tail, tt.dropped, tt.kept)
		if got := tail.Parse(); got.Method != tt.want {
			t.Errorf("%q, cut from %q: %s, want %s", tt.kept, tt.dropped, got.Method, tt.want)
		}
	}
}

// TestNewer: file systems have times in steps of a nanosecond, a second, or two.
func TestNewer(t *testing.T) {
	since := time.Date(2026, 1, 1, 12, 0, 3, 400e6, time.UTC)
	now := since.Add(time.Second)
	const long = -time.Hour
	for _, tt := range []struct {
		made, modified, changed time.Duration
		want                    bool
	}{
		{long, 0, 0, true},
		{long, time.Nanosecond, long, true},
		{long, long, time.Nanosecond, false}, // moved here, or given another mode
		{0, long, 0, true},                   // a copy that kept the old time
		{long, -time.Nanosecond, -time.Nanosecond, false},
		{long, -time.Second, -time.Second, false},
		{long, -400 * time.Millisecond, -400 * time.Millisecond, true}, // whole seconds
		{long, -1400 * time.Millisecond, -1400 * time.Millisecond, true},
		{long, -2400 * time.Millisecond, -2400 * time.Millisecond, false},
		{long, -400 * time.Millisecond, -300 * time.Millisecond, false}, // set by hand before the run
		{long, time.Hour, long, false},
	} {
		times := times{made: since.Add(tt.made), modified: since.Add(tt.modified), changed: since.Add(tt.changed)}
		if got := times.newer(since, now); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt, got, tt.want)
		}
	}
}

// TestVerifyInTime: a folder that there was no time to search is not called unchanged.
func TestVerifyInTime(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"folder/a", "file"} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	since := time.Now().Add(time.Second)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	all := []string{"folder", "file", "gone"}
	for ctx, want := range map[context.Context]string{
		t.Context(): "DELIVERABLE_UNCHANGED DELIVERABLE_UNCHANGED DELIVERABLE_MISSING ",
		over:        "DELIVERABLE_UNCHECKED DELIVERABLE_UNCHANGED DELIVERABLE_MISSING ",
	} {
		got := ""
		for _, p := range verify(ctx, dir, all, since) {
			got += p.Code + " "
		}
		if got != want {
			t.Errorf("context %v: %s, want %s", ctx.Err(), got, want)
		}
	}
	// A look reports what it finds.
	if problems := verify(over, dir, all, since.Add(-time.Hour)); len(problems) != 1 {
		t.Errorf("%+v", problems)
	}
}

// TestVerifyOld: an old file does not become new by getting another name.
func TestVerifyOld(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("old"), []byte("x"), 0o666), os.Mkdir(at("folder"), 0o777),
		os.WriteFile(at("moved"), nil, 0o666), os.WriteFile(at("mode"), nil, 0o666), os.WriteFile(at("touched"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for _, name := range []string{"old", "folder", "moved", "mode", "touched"} {
		if err := os.Chtimes(at(name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(2 * ClockTick) // nobody can set when a file was made
	since := time.Now()
	time.Sleep(2 * ClockTick)
	now := time.Now()
	if err := errors.Join(os.Symlink("old", at("link")), os.Symlink("folder", at("to-folder")),
		os.Symlink("/", at("root")), os.Link(at("old"), at("name")),
		os.Rename(at("moved"), at("here")), os.Chmod(at("mode"), 0o600), os.Chtimes(at("touched"), now, now),
		os.WriteFile(at("new"), nil, 0o666), os.WriteFile(at("copy"), nil, 0o666), os.Chtimes(at("copy"), long, long)); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, p := range verify(t.Context(), dir, []string{
		"link", "to-folder", "root", "name", "old", "here", "mode", "touched", "new", "copy", "/proc/self/status", "/dev/null",
	}, since) {
		got += p.Code + " " + strings.SplitN(p.Message, ":", 2)[0] + "\n"
	}
	want := "DELIVERABLE_UNCHANGED link\nDELIVERABLE_UNCHANGED to-folder\nDELIVERABLE_UNCHANGED root\nDELIVERABLE_UNCHANGED name\nDELIVERABLE_UNCHANGED old\n" +
		"DELIVERABLE_UNCHANGED here\nDELIVERABLE_UNCHANGED mode\n" +
		"DELIVERABLE_UNCHECKED /proc/self/status\nDELIVERABLE_UNCHECKED /dev/null\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestVerifyLinkedFolder: files that others write into a folder are not the deliverable of a script
// that only links to the folder. If the link existed before, the folder counts as the script's own.
func TestVerifyLinkedFolder(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	long := time.Now().Add(-time.Hour)
	if err := errors.Join(os.Mkdir(at("folder"), 0o777), os.WriteFile(at("folder/log"), nil, 0o666), os.Symlink("folder", at("old")),
		os.Chtimes(at("folder/log"), long, long), os.Chtimes(at("folder"), long, long)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * ClockTick) // nobody can set when a file was last changed
	since := time.Now()
	time.Sleep(2 * ClockTick)
	if err := errors.Join(os.Symlink("folder", at("new")), os.WriteFile(at("folder/log"), []byte("x"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"folder": "", "old": "", "new": DeliverableUnchanged} {
		got := ""
		for _, p := range verify(t.Context(), dir, []string{name}, since) {
			got += p.Code
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
