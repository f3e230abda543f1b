//go:build unix

package proc

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// guard is a shell that outlives us, and waits on a pipe from us. When we are killed, the system
// closes our end of the pipe. The shell then kills the programs that we reported to it and all
// processes in their groups. On Linux it also kills all processes with our mark. On other systems
// it kills the programs' descendants. The programs are still there then, because only the guard
// ends them.
var guard struct {
	sync.Mutex
	programs int // how many programs count on the guard
	shell    *exec.Cmd
	pipe     *os.File
}

// guardScript reads our mark, or an empty line. Then it reads a line + PID for each program that
// was started, and - PID for each that has ended.
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

// openGuard starts the guard, unless it is running. Without a shell there is no guard.
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

// closeGuard reports to the guard that a program has ended. The number 0 means a program that did
// not start. The guard ends with the last program.
func closeGuard(pid int) {
	guard.Lock()
	defer guard.Unlock()
	tellGuard("- %d\n", pid)
	if guard.programs--; guard.programs > 0 || guard.shell == nil {
		return
	}
	_ = guard.shell.Process.Kill() // before the guard sees the end of its input
	_ = guard.shell.Wait()
	guard.pipe.Close()
	guard.shell, guard.pipe = nil, nil
}

// tellGuard writes a line to the guard, if there is one. The caller holds the lock.
func tellGuard(format string, a ...any) {
	if guard.pipe != nil {
		fmt.Fprintf(guard.pipe, format, a...) // if somebody killed the guard, it cannot help
	}
}
