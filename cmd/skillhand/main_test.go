package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/skillhand/skillhand/internal/test"
)

func TestMain(m *testing.M) {
	// Else each process takes a second to end under -race.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	testscript.Main(m, map[string]func(){
		"skillhand": func() { os.Exit(run()) },
		"claude":    func() { os.Exit(test.PlayClaude()) },
	})
}

// TestScripts runs the command line as people type it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("SKILLHAND_STATE_DIR", filepath.Join(env.WorkDir, "state"))
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o777)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"schema":  test.SchemaScript,
			"size":    sizeCommand,
			"fifo":    fifoCommand,
			"orphans": orphansCommand,
		},
	})
}

// size FILE BYTES makes a file of that many bytes, mostly text.
func sizeCommand(ts *testscript.TestScript, _ bool, args []string) {
	n := 0
	ts.Check(json.Unmarshal([]byte(args[1]), &n))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat([]byte("words of a skill\n"), n/17+1)[:n], 0o666))
}

// fifo FILE makes a named pipe.
func fifoCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(exec.Command("mkfifo", ts.MkAbs(args[0])).Run())
}

// orphans PATTERN fails if a process whose command line has the pattern is alive.
func orphansCommand(ts *testscript.TestScript, neg bool, args []string) {
	out, _ := exec.Command("ps", "-eo", "pid,stat,args").Output()
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); strings.Contains(line, args[0]) && !strings.HasPrefix(fields[1], "Z") && !ofAnother(ts, fields[0]) {
			ts.Fatalf("still alive: %s", line)
		}
	}
}

// ofAnother reports whether a process belongs to another run of these tests.
func ofAnother(ts *testscript.TestScript, pid string) bool {
	env, err := os.ReadFile("/proc/" + pid + "/environ")
	if err != nil {
		return false
	}
	for kv := range strings.SplitSeq(string(env), "\x00") {
		if work, ok := strings.CutPrefix(kv, "WORK="); ok {
			return work != ts.Getenv("WORK")
		}
	}
	return false
}
