package skillhand

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/report"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "execute.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho working >&2; echo x > a; echo SUCCESS; echo Created: a\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	rt := &Runtime{Here: here.Here{Dir: dir, State: state, Env: here.Env{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}}}

	if v, err := rt.Run(t.Context(), RunRequest{Script: "./execute.sh"}); err == nil || !strings.Contains(err.Error(), "not trusted") {
		t.Fatalf("an untrusted script: %+v, %v", v, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("an untrusted script ran")
	}

	var asked []string
	var stderr bytes.Buffer
	rt.Stderr = &stderr
	rt.Confirm = func(_ context.Context, q trust.Question) (bool, error) {
		asked = append(asked, q.Commands...)
		return true, nil
	}
	v, err := rt.Run(t.Context(), RunRequest{Script: "./execute.sh", Args: []string{"b"}})
	if err != nil || !v.OK || stderr.String() != "working\n" {
		t.Fatalf("%+v, %v, stderr %q", v, err, stderr.String())
	}
	if diff := cmp.Diff([]string{script + " b"}, asked); diff != "" {
		t.Error(diff)
	}
	want := &report.Report{Success: true, Confidence: 0.5, Deliverables: []string{"a"}, Metrics: map[string]float64{},
		Errors: []report.Error{}}
	if diff := cmp.Diff(want, v.Report); diff != "" {
		t.Error(diff)
	}

	// Once it is trusted nobody is asked; what is old is not new.
	v, err = rt.Run(t.Context(), RunRequest{Script: dir, Timeout: time.Minute})
	if err != nil || !v.OK {
		t.Errorf("%+v, %v", v, err)
	}
}
