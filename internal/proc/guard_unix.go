//go:build unix

package proc

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// guard is a shell that outlives us, and waits on a pipe of ours. The system closes our end when we
// are killed. The shell then kills the programs that it was told of, with all in their groups and, on
// Linux, whatever has our mark. Elsewhere it looks below the programs, which are still there: nothing
// but the guard ends them.
var guard struct {
	sync.Mutex
	programs int // that count on it
	shell    *exec.Cmd
	pipe     *os.File
}

// guardScript reads our mark, or an empty line, and then lines: + PID for a program that was started, - PID for one that has ended.
const guardScript = `read -r mark; all=' '
while read -r what pid; do
  case $what in
    +) all="$all$pid " ;;
    -) all="${all%% $pid *} ${all#* $pid }" ;;
  esac
done
below() { for p in $(pgrep -P "$1"); do echo "$p"; below "$p"; done; }
[ -n "$mark" ] || for pid in $all; do far="$far $(below "$pid")"; done
for pid in $all; do kill -9 "-$pid"; done
for pid in $far; do kill -9 "$pid"; done
for round in 1 2 3 4 5 6 7 8 9; do
  [ -n "$mark" ] && found=$(grep -l "$mark" /proc/[0-9]*/environ); [ -n "$found" ] || exit
  for file in $found; do file=${file%/environ}; kill -9 "${file#/proc/}"; done
done`

// openGuard starts the guard, unless it is at work. Without a shell there is none.
func openGuard() {
	guard.Lock()
	defer guard.Unlock()
	if guard.programs++; guard.programs > 1 {
		return
	}
	shell := exec.Command("/bin/sh", "-c", guardScript)
	shell.Dir, shell.Env, shell.SysProcAttr = "/", []string{"PATH=/usr/bin:/bin"}, &syscall.SysProcAttr{Setsid: true}
	in, out, err := os.Pipe()
	if err != nil {
		return
	}
	defer in.Close()
	if shell.Stdin = in; shell.Start() != nil {
		out.Close()
		return
	}
	guard.shell, guard.pipe = shell, out
	tellGuard("%s\n", guardMark())
}

func guardProgram(pid int) {
	guard.Lock()
	defer guard.Unlock()
	tellGuard("+ %d\n", pid)
}

// closeGuard tells the guard that a program has ended; 0 stands for one that did not start. It ends
// with the last of them.
func closeGuard(pid int) {
	guard.Lock()
	defer guard.Unlock()
	tellGuard("- %d\n", pid)
	if guard.programs--; guard.programs > 0 || guard.shell == nil {
		return
	}
	_ = guard.shell.Process.Kill() // before it sees the end of its input
	_ = guard.shell.Wait()
	guard.pipe.Close()
	guard.shell, guard.pipe = nil, nil
}

// tellGuard writes a line to the guard, if there is one. The lock is held.
func tellGuard(format string, a ...any) {
	if guard.pipe != nil {
		fmt.Fprintf(guard.pipe, format, a...) // somebody killed it: then it cannot help
	}
}
