package skillhand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/proc"
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
		{"", proc.Result{Exit: 1}, "NO_REPORT EXIT_STATUS"},
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
		v := judge(report.Parse([]byte(tt.text), report.Options{}), tt.result, time.Second)
		var codes []string
		for _, p := range v.Problems {
			codes = append(codes, p.Code)
		}
		if got := strings.Join(codes, " "); got != tt.want {
			t.Errorf("%s, %+v: %s, want %s", tt.text, tt.result, got, tt.want)
		}
	}
	v := judge(report.Parse([]byte(good), report.Options{}), proc.Result{Held: true, Left: []string{"sleep"}}, time.Second)
	if len(v.Problems) != 0 || len(v.Warnings) != 2 || v.Warnings[0].Code != OutputHeld || v.Warnings[1].Code != EndedProcesses {
		t.Errorf("what was left behind: %+v", v)
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
		if got := lastLines(tt.text); got != tt.want {
			t.Errorf("%.40q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestTailText: half a secret is not known for one, so what was cut is not shown.
func TestTailText(t *testing.T) {
	for _, tt := range []struct{ dropped, kept, want string }{
		{"", "secret", "secret"},
		{"sec", "ret", ""},
		{"sec", "ret\nb\n", "b\n"},
	} {
		tail := &tail{max: len(tt.kept)}
		fmt.Fprint(tail, tt.dropped, tt.kept)
		if got := tail.text(); got != tt.want {
			t.Errorf("%q, cut from %q: %q, want %q", tt.kept, tt.dropped, got, tt.want)
		}
	}
}

func TestTail(t *testing.T) {
	var all bytes.Buffer
	for _, piece := range []int{1, 9, 10, 3, 25, 7, 0, 64, 5} {
		all.Reset()
		tail := &tail{max: 10}
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

// TestTailParse: what is left of a line that was cut says nothing.
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
		tail := &tail{max: len(tt.kept)}
		fmt.Fprint(tail, tt.dropped, tt.kept)
		if got := tail.parse(); got.Method != tt.want {
			t.Errorf("%q, cut from %q: %s, want %s", tt.kept, tt.dropped, got.Method, tt.want)
		}
	}
}

// TestNewer: file systems have times in steps of a nanosecond, a second, or two.
func TestNewer(t *testing.T) {
	since := time.Date(2026, 1, 1, 12, 0, 3, 400e6, time.UTC)
	now := since.Add(time.Second)
	for _, tt := range []struct {
		modified, changed time.Duration
		want              bool
	}{
		{0, 0, true},
		{time.Nanosecond, -time.Hour, true},
		{-time.Hour, time.Nanosecond, true}, // moved here
		{-time.Nanosecond, -time.Nanosecond, false},
		{-time.Second, -time.Second, false},
		{-400 * time.Millisecond, -400 * time.Millisecond, true}, // whole seconds
		{-1400 * time.Millisecond, -1400 * time.Millisecond, true},
		{-2400 * time.Millisecond, -2400 * time.Millisecond, false},
		{-400 * time.Millisecond, -300 * time.Millisecond, false}, // set by hand before the run
		{time.Hour, -time.Hour, false},
	} {
		if got := newer(since.Add(tt.modified), since.Add(tt.changed), since, now); got != tt.want {
			t.Errorf("%v, %v: %v, want %v", tt.modified, tt.changed, got, tt.want)
		}
	}
}

func TestRedact(t *testing.T) {
	v := &Verdict{
		Problems: []Problem{{"A", "has secret-value-1"}},
		Warnings: []report.Fault{{Path: "/secret-value-1", Message: "secret-value-1"}},
		Report: &report.Report{
			Deliverables: []string{"secret-value-1.txt"}, Metrics: map[string]float64{"secret-value-1": 1, "b": 2},
			Errors: []report.Error{{Code: "secret-value-1", Message: "secret-value-1", Stack: "secret-value-1", Context: json.RawMessage(`{"secret-value-1":["x",{"a":"secret\u002dvalue-1"},12345678901234567890]}`)}},
		},
	}
	v.redact(redact.New([]string{"API_TOKEN=secret-value-1"}))
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret-value") || strings.Count(string(text), "API_TOKEN redacted") != 10 {
		t.Errorf("%s", text)
	}
	if !strings.Contains(string(text), "12345678901234567890") {
		t.Errorf("a number changed: %s", text)
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "execute.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho working >&2; echo x > a; echo SUCCESS; echo Created: a\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	rt := &Runtime{Dir: dir, StateDir: state, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}}

	if v, err := rt.Run(t.Context(), RunRequest{Script: "./execute.sh"}); err == nil || !strings.Contains(err.Error(), "not trusted") {
		t.Fatalf("an untrusted script: %+v, %v", v, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("an untrusted script ran")
	}

	var asked []string
	var stderr bytes.Buffer
	v, err := rt.Run(t.Context(), RunRequest{Script: "./execute.sh", Args: []string{"b"}, Stderr: &stderr, Ask: func(dir string, commands []string) (bool, error) {
		asked = append(asked, commands...)
		return true, nil
	}})
	if err != nil || !v.OK || stderr.String() != "working\n" {
		t.Fatalf("%+v, %v, stderr %q", v, err, stderr.String())
	}
	if diff := cmp.Diff([]string{script + " b"}, asked); diff != "" {
		t.Error(diff)
	}
	want := &report.Report{Success: true, Confidence: 0.5, Deliverables: []string{"a"}, Metrics: map[string]float64{}, Errors: []report.Error{}}
	if diff := cmp.Diff(want, v.Report); diff != "" {
		t.Error(diff)
	}

	// Once it is trusted nobody is asked; what is old is not new.
	v, err = rt.Run(t.Context(), RunRequest{Script: dir, Timeout: time.Minute})
	if err != nil || !v.OK {
		t.Errorf("%+v, %v", v, err)
	}
	if problems := verify(t.Context(), dir, []string{"a", "execute.sh", ".", "b"}, time.Now()); len(problems) != 4 {
		t.Errorf("%+v", problems)
	}
}

// TestVerifyInTime: a folder that there was no time for is not called unchanged.
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
	// What a look tells is told.
	if problems := verify(over, dir, all, since.Add(-time.Hour)); len(problems) != 1 {
		t.Errorf("%+v", problems)
	}
}
