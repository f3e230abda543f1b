package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// With this variable, the test binary plays other programs.
const role = "PROC_TEST_ROLE"

// init runs on the main thread, and so do main and play, if the thread is locked.
func init() {
	if os.Getenv(role) != "" {
		runtime.LockOSThread()
		return
	}
	// Run may have started this test itself.
	_ = unix.Prctl(unix.PR_MCE_KILL, unix.PR_MCE_KILL_CLEAR, 0, 0, 0)
}

func TestMain(m *testing.M) {
	if name := os.Getenv(role); name != "" {
		if err := play(name, os.Args[1:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func play(name string, args []string) error {
	switch name {
	case "host":
		return playHost(args[0])
	case "main":
		return playMain(args[0])
	case "version":
		KillOrphans()
		return nil
	case "exec":
		return playExec(args[0], args[1])
	case "parent":
		_, err := Run(context.Background(), bash("echo $$ >$1; exec sleep 1000", args[0]))
		return err
	case "guarded":
		c := bash(below+"; sleep 1000 & echo $! >$1; wait", args...)
		c.Guarded = true
		_, err := Run(context.Background(), c)
		return err
	case "mighty":
		return playMighty(args[0])
	case "nested":
		script := daemons["setsid"] + "; " + strings.ReplaceAll(daemons["clean daemon"], "$1", "$2") + "; echo $$ >$3; exec sleep 1000"
		_, err := Run(context.Background(), bash(script, args...))
		return err
	case "thread":
		return playThread()
	case "user":
		return playUser(args)
	}
	return errors.New("no such role: " + name)
}

// as returns the command with which the test binary plays a role.
func as(name string, args ...string) Cmd {
	return Cmd{Args: append([]string{"/proc/self/exe"}, args...), Env: append(os.Environ(), role+"="+name)}
}

// These are ways to leave a process behind. Each writes the process's number to $1 before it ends.
var daemons = map[string]string{
	"background":    `sleep 1000 & echo $! >$1`,
	"pipe closed":   `sleep 1000 >/dev/null 2>&1 & echo $! >$1`,
	"deaf":          `(trap '' INT TERM HUP; sleep 1000 & echo $! >$1; wait) & ` + written,
	"job control":   `set -m; sleep 1000 & echo $! >$1`,
	"bare job":      `set -m; env -i sleep 1000 & echo $! >$1`,
	"setsid":        `setsid bash -c 'echo $$ >$0; exec sleep 1000' $1 & ` + written,
	"daemon":        `setsid bash -c 'sleep 1000 & echo $! >$0' $1 & ` + written,
	"clean setsid":  `env -i setsid bash -c 'echo $$ >$0; exec sleep 1000' $1 & ` + written,
	"clean daemon":  `env -i setsid bash -c 'sleep 1000 >/dev/null 2>&1 & echo $! >$0' $1 & ` + written,
	"cleanest":      `env -i setsid bash -c 'exec env -i sleep 1000 & echo $! >$0' $1 & ` + written,
	"daemon's tree": `setsid bash -c 'env -i setsid bash -c "sleep 1000 & echo \$! >\$0; wait" $0 & wait' $1 & ` + written,
}

const written = `until [ -s $1 ]; do sleep .01; done`

func TestNothingIsLeft(t *testing.T) {
	for name, script := range daemons {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			res, stdout, _ := run(t, bash(script+"; echo done; exit 3", file))
			if res.Exit != 3 || res.Cut != Not || stdout != "done\n" {
				t.Errorf("got %+v and %q, want exit 3 and done", res, stdout)
			}
			wantDead(t, file)
		})
		t.Run(name+", cut", func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out signaled
			out.when("done")
			go func() {
				<-out.seen
				cancel()
			}()
			c := bash(script+"; echo done; sleep 1000", file)
			c.Stdout = &out
			if res, err := Run(ctx, c); err != nil || res.Cut != Canceled {
				t.Errorf("got %+v, %v, want Canceled", res, err)
			}
			wantDead(t, file)
		})
	}
	wantNoChildren(t)
}

// TestLeft checks that processes that were left behind are named, and that processes that end by
// themselves are not.
func TestLeft(t *testing.T) {
	for name, script := range daemons {
		file := filepath.Join(t.TempDir(), "pid")
		// Between its fork and its exec, the process has another name.
		c := bash(script+`; until read -r name </proc/$(<$1)/comm && [ $name = sleep ]; do :; done; exit 0`, file)
		c.Silence = 200 * time.Millisecond
		res, _, _ := run(t, c)
		if !slices.Contains(res.Left, "sleep") || res.Held == strings.Contains(script, ">/dev/null") {
			t.Errorf("%s: got %+v, want a sleep that was left", name, res)
		}
		wantDead(t, file)
	}
	c := bash("sleep 1000 >/dev/null 2>&1 & exit 0")
	if res, _, _ := run(t, c); res.Left != nil {
		t.Errorf("nobody asked: got %+v", res)
	}
	c.Silence = time.Hour
	if res, _, _ := run(t, c); len(res.Left) != 1 || res.Held {
		t.Errorf("got %+v, want one process", res)
	}
	wantNoChildren(t)
}

// A process that is just ending was not left behind, however busy the machine is.
func TestNotLeft(t *testing.T) {
	scripts := []string{
		"exec > >(tee $1); echo hi",
		"exec > >(tee $1 >/dev/null); echo hi",
		"exec > >(cat | sort | tee $1 >/dev/null) 2>&1; echo hi",
		"exec 2> >(tee $1 >/dev/null); echo hi >&2; echo hi",
		"echo hi > >(cat >/dev/null); setsid true & (true &) & exit 0",
		"seq 10000 > >(gzip >$1); exit 0",
	}
	var wg sync.WaitGroup
	dir := t.TempDir()
	for worker := range 8 {
		wg.Go(func() {
			for i := range 25 {
				c := bash(scripts[(worker+i)%len(scripts)], filepath.Join(dir, strconv.Itoa(worker)))
				var out, errs bytes.Buffer
				c.Stdout, c.Stderr, c.Silence = &out, &errs, 5*time.Second
				if res, err := Run(t.Context(), c); err != nil || res.Left != nil || res.Held {
					t.Errorf("%s: got %+v, %v, want nothing left", c.Args[2], res, err)
				}
			}
		})
	}
	wg.Wait()
}

// A kernel may be built without the list of a thread's children.
func TestWithoutChildrenFile(t *testing.T) {
	real := childrenFile
	childrenFile = func() bool { return false }
	t.Cleanup(func() { childrenFile = real })
	TestNothingIsLeft(t)
}

// Without /proc there is still the process group.
func TestWithoutProc(t *testing.T) {
	starter() // checks /proc, once
	real, realFile := procfs, childrenFile
	procfs = func() bool { return false }
	childrenFile = procfs
	t.Cleanup(func() { procfs, childrenFile = real, realFile })
	file := filepath.Join(t.TempDir(), "pid")
	run(t, bash(daemons["background"], file))
	procfs = real
	pid := number(t, file)
	eventually(t, "processes", func() (int, bool) { return pid, !alive(pid) })
	reapOrphan(pid)
}

// Ten sessions below each other, with ten children in each, and new children all the time.
func TestBomb(t *testing.T) {
	mark := fmt.Sprintf("PROC_TEST_BOMB=%d.%d", os.Getpid(), time.Now().UnixNano())
	dir := t.TempDir()
	script := write(t, dir, "bomb", `#!/bin/bash
		trap '' INT TERM HUP
		for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1000 & done
		[ $1 -gt 0 ] && setsid "$0" $(($1 - 1)) &
		[ $1 -gt 0 ] || echo ready
		while :; do sleep 1000 & sleep .01; done
	`, 0o755)
	var out signaled
	out.when("ready")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	most := 0
	go func() {
		<-out.seen
		most = len(withVariable(mark))
		cancel()
	}()
	res, err := Run(ctx, Cmd{Args: []string{script, "9"}, Env: append(os.Environ(), mark), Stdout: &out})
	if err != nil || res.Cut != Canceled {
		t.Errorf("got %+v, %v, want Canceled", res, err)
	}
	if most < 100 {
		t.Errorf("there were %d processes, want 100 or more", most)
	}
	if left := withVariable(mark); len(left) > 0 {
		t.Errorf("%d of %d processes are left: %v", len(left), most, left)
		for _, pid := range left {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// Two programs run at the same time: the end of one does not end the other's children.
func TestApart(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	older := map[string]string{}
	var began []chan struct{}
	for name, script := range daemons {
		file := filepath.Join(dir, strconv.Itoa(len(older)))
		older[name] = file
		var out signaled
		out.when("begun")
		began = append(began, out.seen)
		wg.Go(func() {
			c := bash(script+"; echo begun; exec sleep 1000", file)
			c.Stdout = &out
			if res, err := Run(ctx, c); err != nil || res.Cut != Canceled {
				t.Errorf("%s: got %+v, %v, want Canceled", name, res, err)
			}
		})
	}
	for _, c := range began {
		<-c
	}
	for name, script := range daemons {
		file := filepath.Join(dir, "younger")
		_ = os.Remove(file)
		run(t, bash(script+`; exit 0`, file))
		if !strings.Contains(name, "clean") {
			wantDead(t, file)
		}
		for name, file := range older {
			if pid := number(t, file); !alive(pid) {
				t.Errorf("%s: %d of another program is dead", name, pid)
			}
		}
	}
	cancel()
	wg.Wait()
	for _, file := range older {
		wantDead(t, file)
	}
	wantNoChildren(t) // not even children that could have belonged to another program
}

// TestDoubtfulHolder checks that Run neither kills nor waits for a process that holds the output
// and may belong to another program.
func TestDoubtfulHolder(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	var out signaled
	out.when("begun")
	wg.Go(func() {
		_, _ = Run(ctx, Cmd{Args: bash("echo begun; exec sleep 1000").Args, Stdout: &out})
	})
	<-out.seen
	time.Sleep(20 * time.Millisecond) // the clock of processes has advanced
	file := filepath.Join(t.TempDir(), "pid")
	c := bash(daemons["cleanest"]+"; echo -n .; sleep .05; head -c 60000 /dev/zero", file)
	var slow slowly
	c.Stdout = &slow
	if res, err := Run(t.Context(), c); err != nil || res.Exit != 0 || slow != 60001 {
		t.Errorf("got %+v, %v and %d bytes of output, want 60001", res, err, slow)
	}
	if pid := number(t, file); !alive(pid) {
		t.Errorf("%d is dead, though it could have been another's", pid)
	}
	cancel()
	wg.Wait()
	wantDead(t, file)
}

// If programs end at the same moment, one of them kills the processes that could belong to any of
// them.
func TestBothEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	a := begin(t, bash(daemons["clean daemon"]+"; exec sleep 1000", file))
	b := begin(t, bash("exec sleep 1000"))
	eventually(t, "files to come", func() (int, bool) { return 1, len(readAll(file)) > 0 })
	pid := number(t, file)
	a.kill()
	a.wait()
	b.kill()
	b.wait()
	if alive(pid) {
		t.Errorf("process %d lives on", pid)
	}
	for _, tr := range []*tree{a, b} {
		if exit, err := tr.reap(); err != nil || exit != 137 {
			t.Errorf("reap = %d, %v, want 137", exit, err)
		}
	}
}

// begin starts a program that nobody waits for yet.
func begin(t *testing.T, c Cmd) *tree {
	t.Helper()
	s, err := openStreams(&c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	tr, err := start(&c, s)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestGraceBelow checks that Run remembers a process that it has seen below a program, even if the
// program ends first. The program obeys a signal, and its child, now in another session, does not.
func TestGraceBelow(t *testing.T) {
	older := begin(t, bash("exec sleep 1000"))
	defer func() {
		older.kill()
		older.wait()
		_, _ = older.reap()
	}()
	time.Sleep(20 * time.Millisecond) // the clock of processes has advanced
	file := filepath.Join(t.TempDir(), "pid")
	c := bash(`env -i setsid bash -c 'trap "" INT; echo $$ >$0; while :; do sleep .1; done' $1 & `+written+`; echo done; wait`, file)
	var out signaled
	out.when("done")
	c.Stdout = &out
	c.Grace = []Step{{Interrupt, 100 * time.Millisecond}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-out.seen
		cancel()
	}()
	if res, err := Run(ctx, c); err != nil || res.Exit != 130 || res.Cut != Canceled {
		t.Errorf("got %+v, %v, want exit 130, Canceled", res, err)
	}
	wantDead(t, file)
}

// A program has children of its own: one in its own session, and one daemon. It calls us. Its
// children live, and it can wait for them.
func TestHost(t *testing.T) {
	for range 3 {
		if res, stdout, stderr := run(t, as("host", t.TempDir())); res.Exit != 0 {
			t.Errorf("exit %d: %s%s", res.Exit, stdout, stderr)
		}
	}
}

func playHost(dir string) error {
	if unix.Gettid() != os.Getpid() {
		return errors.New("not on the main thread")
	}
	// Run started us, so we have the brand. A host does not.
	if err := unix.Prctl(unix.PR_MCE_KILL, unix.PR_MCE_KILL_CLEAR, 0, 0, 0); err != nil {
		return err
	}
	plain := exec.Command("sleep", "1000")
	own := exec.Command("sleep", "1000")
	own.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	dead := exec.Command("true")
	dead.SysProcAttr = own.SysProcAttr
	for _, cmd := range []*exec.Cmd{plain, own, dead} {
		if err := cmd.Start(); err != nil {
			return err
		}
	}
	// While one of our programs runs, the host's daemons become its children too.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	var out signaled
	out.when("begun")
	wg.Go(func() {
		_, _ = Run(ctx, Cmd{Args: bash("echo begun; exec sleep 1000").Args, Stdout: &out})
	})
	<-out.seen
	daemon := filepath.Join(dir, "daemon")
	defer func() {
		if pid, err := strconv.Atoi(strings.TrimSpace(string(readAll(daemon)))); err == nil {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}()
	if err := exec.Command("bash", "-c", daemons["clean daemon"], "bash", daemon).Run(); err != nil {
		return err
	}
	for _, script := range daemons {
		file := filepath.Join(dir, "pid")
		_ = os.Remove(file)
		if _, err := Run(ctx, bash(script, file)); err != nil {
			return err
		}
	}
	cancel()
	wg.Wait()
	pid, err := strconv.Atoi(strings.TrimSpace(string(readAll(daemon))))
	if err != nil || !alive(pid) {
		return fmt.Errorf("the host's daemon %d was killed", pid)
	}
	if p, _ := readProcess(pid); p.parent != os.Getpid() {
		return errors.New("the host's daemon did not become our child: nothing was tested")
	}
	for _, cmd := range []*exec.Cmd{plain, own} {
		if !alive(cmd.Process.Pid) {
			return errors.New("a child of the host was killed")
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	if err := dead.Wait(); err != nil {
		return fmt.Errorf("a child of the host was reaped: %w", err)
	}
	for _, child := range scan()[os.Getpid()] {
		if p, _ := readProcess(child); child != pid && (alive(child) || p.branded()) {
			return fmt.Errorf("child %+v is left", p)
		}
	}
	_ = unix.Kill(pid, unix.SIGKILL)
	_ = os.Remove(daemon)
	for err == nil {
		_, err = unix.Wait4(-1, nil, 0, nil) // the daemon, and the process that started it
	}
	if !errors.Is(err, unix.ECHILD) {
		return err
	}
	return nil
}

// Afterwards this process is a subreaper only if it was one before.
func TestSubreaperIsReturned(t *testing.T) {
	defer func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) }()
	for _, before := range []int32{0, 1, 0} {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, uintptr(before), 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		run(t, bash("exit 0"))
		_, _ = Run(t.Context(), Cmd{Args: []string{write(t, t.TempDir(), "bad", "#!/no\n", 0o755)}})
		var after int32
		err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&after)), 0, 0, 0)
		if err != nil || after != before {
			t.Errorf("subreaper is %d, %v, want %d", after, err, before)
		}
	}
}

// A main program that ends quickly ends everything that it started, in whatever session or group it
// is.
func TestKillOrphans(t *testing.T) {
	if res, stdout, _ := run(t, as("main", t.TempDir())); res.Exit != 0 {
		t.Errorf("exit %d: %s", res.Exit, stdout)
	}
}

func playMain(dir string) error {
	// Run started us, so we have the brand. A main program that people start does not.
	if err := unix.Prctl(unix.PR_MCE_KILL, unix.PR_MCE_KILL_CLEAR, 0, 0, 0); err != nil {
		return err
	}
	var wg sync.WaitGroup
	var files []string
	for _, script := range daemons {
		file := filepath.Join(dir, strconv.Itoa(len(files)))
		files = append(files, file)
		var out signaled
		out.when("begun")
		wg.Go(func() {
			_, _ = Run(context.Background(), Cmd{Args: bash(script+"; echo begun; exec sleep 1000", file).Args, Stdout: &out})
		})
		<-out.seen
	}
	KillOrphans()
	wg.Wait()
	for _, file := range files {
		pid, err := strconv.Atoi(strings.TrimSpace(string(readAll(file))))
		if err != nil || alive(pid) {
			return fmt.Errorf("process %d lives on, %v", pid, err)
		}
	}
	if left := scan()[os.Getpid()]; len(left) > 0 {
		return fmt.Errorf("children are left: %v", left)
	}
	return nil
}

// A script becomes one of our programs by exec, which then has the script's children. These live
// on. Processes that the program starts do not.
func TestInherited(t *testing.T) {
	for name, below := range map[string]string{
		"background":  `sleep 1000 & echo $! >$1`,
		"setsid":      `setsid bash -c 'echo $$ >$0; exec sleep 1000' $1 & ` + written,
		"clean":       `env -i setsid bash -c 'echo $$ >$0; exec sleep 1000' $1 & ` + written,
		"not one's":   `bash -c 'sleep 1000 & echo $! >$0; wait' $1 & ` + written,
		"orphan":      `{ until [ -s $2 ]; do sleep .01; done; sleep 1000 & echo $! >$1; } & `,
		"daemon":      `{ until [ -s $2 ]; do sleep .01; done; env -i setsid sleep 1000 & echo $! >$1; } & `,
		"output":      `exec > >(echo $BASHPID >$1; exec sleep 1000); ` + written,
		"our program": role + `=parent "$0" $1 & ` + written,
	} {
		for _, play := range []string{"version", "exec"} {
			if play == "version" && strings.Contains(below, "$2") {
				continue // nothing was started, so no process can become an orphan meanwhile
			}
			t.Run(name+", "+play, func(t *testing.T) {
				dir := t.TempDir()
				theirs, ours := filepath.Join(dir, "theirs"), filepath.Join(dir, "ours")
				exe, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				script := exec.Command("bash", "-c", below+"\n"+role+`=$3 exec "$0" $2 $1`, exe, theirs, ours, play)
				var out bytes.Buffer
				script.Stdout, script.WaitDelay = &out, time.Millisecond // the processes that live on hold it
				if err := script.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
					t.Errorf("%v: %s", err, &out)
				}
				pid := number(t, theirs)
				if !alive(pid) {
					t.Errorf("process %d of the script is dead", pid)
				}
				_ = unix.Kill(pid, unix.SIGKILL)
				if play == "exec" {
					wantDead(t, ours)
				}
			})
		}
	}
}

// playExec runs a program that leaves a daemon behind, and waits until the script's children exist.
func playExec(ours, theirs string) error {
	script := daemons["clean daemon"] + "; until [ -s $2 ]; do sleep .01; done"
	_, err := Run(context.Background(), bash(script, ours, theirs))
	KillOrphans()
	return err
}

// A program that calls us and is killed cannot clean up. We do, whatever it started.
func TestNested(t *testing.T) {
	older := begin(t, bash("exec sleep 1000"))
	time.Sleep(20 * time.Millisecond) // the clock of processes has advanced
	dir := t.TempDir()
	stray, clean, inner := filepath.Join(dir, "stray"), filepath.Join(dir, "clean"), filepath.Join(dir, "inner")
	c := bash(role+`=nested "$0" $1 $2 $3 & until [ -s $3 ]; do sleep .01; done; kill -9 $!`, stray, clean, inner)
	c.Args[3], _ = os.Executable()
	if res, _, stderr := run(t, c); res.Exit != 0 {
		t.Errorf("exit %d: %s", res.Exit, stderr)
	}
	wantDead(t, stray)
	wantDead(t, inner)
	older.kill()
	older.wait()
	_, _ = older.reap()
	wantDead(t, clean) // until now it could have belonged to the other
}

// A program dies with us, even if we had no time to kill it.
func TestParentKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	c := as("parent", file)
	parent := exec.Command(c.Args[0], c.Args[1:]...)
	parent.Env = c.Env
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "files to come", func() (int, bool) { return 1, len(readAll(file)) > 0 })
	_ = parent.Process.Kill()
	_ = parent.Wait()
	pid := number(t, file)
	eventually(t, "processes", func() (int, bool) { return 1, !alive(pid) })
}

// below starts, below a program, a process in its own session, and a process without an
// environment.
const below = `setsid bash -c 'echo $$ >$0; exec sleep 1000' $2 & env -i bash -c 'echo $$ >$0; exec sleep 1000' $3 &
until [ -s $2 -a -s $3 ]; do sleep .01; done`

// Processes that a guarded program has started die with us too. The guard kills them, and ends
// after that.
func TestGuarded(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"child", "far", "clean"} {
		files = append(files, filepath.Join(dir, name))
	}
	c := as("guarded", files...)
	parent := exec.Command(c.Args[0], c.Args[1:]...)
	parent.Env = c.Env
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "files to come", func() (int, bool) { return 1, len(readAll(files[0])) > 0 })
	var guards []int
	for _, pid := range scan()[parent.Process.Pid] {
		if bytes.Contains(readAll(process{pid: pid}.path("cmdline")), []byte("read -r mark")) {
			guards = append(guards, pid)
		}
	}
	if len(guards) != 1 {
		t.Errorf("%d guards, want 1", len(guards))
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	for _, file := range files {
		pid := number(t, file)
		eventually(t, "processes", func() (int, bool) { return 1, !alive(pid) })
	}
	for _, pid := range guards {
		eventually(t, "the guard", func() (int, bool) { return 1, !alive(pid) })
	}
}

// Where processes do not show their environment, the guard looks below the programs, because only
// the guard ends them.
func TestGuardElsewhere(t *testing.T) {
	if _, err := exec.LookPath("pgrep"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	far, clean := filepath.Join(dir, "far"), filepath.Join(dir, "clean")
	start := func() *exec.Cmd {
		program := exec.Command("bash", "-c", below+"; wait", "bash", "", far, clean)
		program.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		return program
	}
	program, ended := start(), exec.Command("sleep", "1000")
	ended.SysProcAttr = program.SysProcAttr
	if err := ended.Start(); err != nil {
		t.Fatal(err)
	}
	defer ended.Wait()
	defer ended.Process.Kill()
	eventually(t, "files to come", func() (int, bool) { return 1, len(readAll(far)) > 0 && len(readAll(clean)) > 0 })
	guard := exec.Command("/bin/sh", "-c", guardScript)
	guard.Stdin = strings.NewReader(fmt.Sprintf("\n+ %d\n+ %d\n- %d\n", program.Process.Pid, ended.Process.Pid, ended.Process.Pid))
	_ = guard.Run() // its status means nothing
	_ = program.Wait()
	for _, file := range []string{far, clean} {
		pid := number(t, file)
		eventually(t, "processes", func() (int, bool) { return 1, !alive(pid) })
	}
	if !alive(ended.Process.Pid) {
		t.Error("a program of which it was told that it had ended was killed")
	}
}

// Orphans go to the main thread, so other threads start programs.
func TestNotTheMainThread(t *testing.T) {
	c := as("thread")
	c.Timeout = 10 * time.Minute
	if res, stdout, _ := run(t, c); res.Exit != 0 {
		t.Errorf("exit %d, cut %d: %s", res.Exit, res.Cut, stdout)
	}
}

func playThread() error {
	c := &starters{work: make(chan func())}
	c.join(make(chan struct{})) // it returns: another goroutine joined
	tid := make(chan int)
	c.work <- func() { tid <- unix.Gettid() }
	if <-tid == os.Getpid() {
		return errors.New("programs are started by the main thread")
	}
	return nil
}

// The threads that start programs outlive the threads that end with their goroutines.
func TestThreads(t *testing.T) {
	var out bytes.Buffer
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and stays locked, so the thread ends too
		go func() {
			_, err := Run(t.Context(), Cmd{Args: bash("sleep .2; echo alive").Args, Stdout: &out})
			done <- err
		}()
		time.Sleep(50 * time.Millisecond)
	}()
	if err := <-done; err != nil || out.String() != "alive\n" {
		t.Errorf("got %v and %q, want alive", err, out.String())
	}
}

// A process that became root cannot be killed by the user who started it. Run reports that and
// returns.
func TestUnkillable(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to make a program that others cannot kill")
	}
	dir, err := os.MkdirTemp("", "proc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	exe := filepath.Join(dir, "exe")
	copyFile(t, exe, "/proc/self/exe")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(exe, 0o755|os.ModeSetuid)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pid")
	c := as("user", exe, file)
	user := exec.Command(c.Args[0], c.Args[1:]...)
	user.Args[0], user.Path, user.Env = exe, "/proc/self/exe", c.Env
	user.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := user.CombinedOutput()
	pid := number(t, file)
	if !alive(pid) {
		t.Error("it could be killed: nothing was tested")
	}
	_ = unix.Kill(pid, unix.SIGKILL)
	if want := fmt.Sprintf("%s: process %d does not end\n", exe, pid); err == nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

func playUser(args []string) error {
	c := as("mighty", args[1])
	c.Args[0] = args[0]
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for len(readAll(args[1])) == 0 { // it is not out of reach yet
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	_, err := Run(ctx, c)
	return err
}

func playMighty(file string) error {
	if err := syscall.Setreuid(0, 0); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		return err
	}
	time.Sleep(10 * time.Minute)
	return nil
}

// The remains of orphans are removed while their program still runs.
func TestTidy(t *testing.T) {
	tr := begin(t, bash("(setsid true &); exec sleep 1000"))
	defer func() {
		tr.kill()
		tr.wait()
		_, _ = tr.reap()
	}()
	eventually(t, "remains to come", func() (int, bool) { n := remains(); return n, n > 0 })
	tr.tidy()
	if n := remains(); n != 0 {
		t.Errorf("remains of %d orphans are left", n)
	}
	if !alive(tr.pid) {
		t.Error("the program is dead")
	}
}

// remains counts our dead children that another process started.
func remains() (n int) {
	for _, pid := range orphans() {
		if p, ok := readProcess(pid); ok && p.state == 'Z' {
			n++
		}
	}
	return n
}

func TestReadProcess(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "a) R 1 (b")
	copyFile(t, odd, "/bin/sleep")
	cmd := exec.Command(odd, "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	p, ok := readProcess(cmd.Process.Pid)
	if !ok || p.parent != os.Getpid() || p.session != ownSession() || p.born > ticks() || p.born+100*60 < ticks() {
		t.Errorf("readProcess = %+v, %v; want a child of %d in session %d", p, ok, os.Getpid(), ownSession())
	}
	if _, ok := readProcess(1 << 30); ok {
		t.Error("a process that cannot be was read")
	}
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	r, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(w, r)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
}

// wantDead checks that the process whose number is in a file is dead.
func wantDead(t *testing.T, file string) {
	t.Helper()
	if pid := number(t, file); alive(pid) {
		t.Errorf("process %d lives on", pid)
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

func number(t *testing.T, file string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(string(readAll(file))))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return n
}

func alive(pid int) bool {
	p, ok := readProcess(pid)
	return ok && p.state != 'Z'
}

// wantNoChildren checks that no process is left below this one, dead or alive.
func wantNoChildren(t *testing.T) {
	t.Helper()
	if left := scan()[os.Getpid()]; len(left) > 0 {
		t.Errorf("children are left: %v", left)
	}
}

// withVariable returns the live processes that have a variable in their environment.
func withVariable(kv string) (pids []int) {
	all, _ := os.ReadDir("/proc")
	for _, entry := range all {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && bytes.Contains(readAll("/proc/"+entry.Name()+"/environ"), []byte(kv)) && alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
