package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A tree is a program and the job object that holds the program and everything it starts.
type tree struct {
	cmd     *exec.Cmd
	pid     int
	started time.Time
	job     windows.Handle // 0 if Windows gave us none: then only the program is ended
	err     error          // the error from waiting
}

// startTree starts a program suspended, and lets it run once it is in its job. Everything that it
// starts is then in the job too. If we are killed, Windows closes the job, and ends the processes
// in it.
func startTree(cmd *exec.Cmd) (*tree, error) {
	t := &tree{cmd: cmd, job: newJob(), started: time.Now()}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED}
	if err := cmd.Start(); err != nil {
		t.closeJob()
		return nil, err
	}
	t.pid = cmd.Process.Pid
	var resumed error
	err := cmd.Process.WithHandle(func(process uintptr) {
		if t.job != 0 && windows.AssignProcessToJobObject(t.job, windows.Handle(process)) != nil {
			t.closeJob()
		}
		resumed = resume(process)
	})
	if err == nil {
		err = resumed
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.closeJob()
		return nil, err
	}
	return t, nil
}

// newJob creates a job object whose processes end when it is closed. It returns 0 if it cannot.
func newJob() windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)),
		uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0
	}
	return job
}

var ntResumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// resume lets a suspended program run. ResumeThread would need a handle of the program's thread,
// which package os does not keep.
func resume(process uintptr) error {
	if err := ntResumeProcess.Find(); err != nil {
		return err
	}
	if status, _, _ := ntResumeProcess.Call(process); status != 0 {
		return windows.NTStatus(status)
	}
	return nil
}

func (t *tree) wait() {
	if err := t.cmd.Wait(); t.cmd.ProcessState == nil {
		t.err = err
	}
}

// signal returns false: Windows has no polite signal.
func (t *tree) signal(Signal) bool { return false }

func (t *tree) gone() bool { return true }

// left returns no names: a console that Windows opened for the program may be in the job, and was
// not left behind.
func (t *tree) left() (names []string, idle bool) { return nil, true }

func (t *tree) kill() {
	if t.job == 0 || windows.TerminateJobObject(t.job, 1) != nil {
		_ = t.cmd.Process.Kill()
	}
}

func (t *tree) reap() (int, error) {
	t.closeJob()
	if t.err != nil {
		return 0, t.err
	}
	return t.cmd.ProcessState.ExitCode(), nil
}

func (t *tree) closeJob() {
	if t.job != 0 {
		_ = windows.CloseHandle(t.job)
		t.job = 0
	}
}

// signalled returns 0: Windows has no signals.
func signalled(*os.ProcessState) int { return 0 }

func (t *tree) tidy() {}

// KillOrphans does nothing here: a program's children end with its job.
func KillOrphans() {}

// runnable returns path, with its extension, if there is a program.
func runnable(path, dir string) (string, error) {
	file, err := exec.LookPath(in(dir, path))
	if err != nil {
		return "", err
	}
	return filepath.Abs(file)
}

func mayEnter(string) bool { return true }

// hasWriter returns true, because Windows cannot tell. An open pipe therefore counts as held.
func hasWriter(*os.File) bool { return true }

// readNow returns 0, because it cannot read without waiting here.
func readNow(*os.File, []byte) int { return 0 }
