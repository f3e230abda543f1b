package proc

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// While programs run, this process is a child subreaper: whatever loses its parent becomes our
// child, so every process of a tree is below the program or below us, and what the program leaves
// behind is among our own children once the program has ended. The kernel gives orphans to our
// main thread, and programs are started by others, so one look at the main thread's list of
// children shows that nothing was left.
//
// Other orphans may be there too, and children the calling program forked itself. An orphan is
// taken for a tree's only if one of these says so:
//
//   - it was seen below the program;
//   - it is in the session or the group that the program was started as;
//   - the tree's mark is in its environment;
//   - this process's mark is in its environment, or it carries the brand and no mark, and no other
//     program still running is old enough to have started it. If there is one, the orphan's end
//     comes with that program's.
//
// Children that this process had when it began are not ours by any of these: a shell that
// becomes a program by exec leaves it its background jobs.
//
// The brand is for daemons that cleaned their environment. It is a property of the threads that
// start all programs, kept by every fork and exec, of no consequence and free to read: that
// memory failures are reported late, which is the default, but asked for. Children that the
// calling program starts by itself come from other threads and don't have it.

// A tree is a program and all that came from it.
type tree struct {
	cmd     *exec.Cmd
	pid     int
	started time.Time      // no limit counts from an earlier moment
	mark    string         // in the environment of its processes
	born    uint64         // no process of it is older; clock ticks since boot
	known   map[int]uint64 // processes seen in it, and when each was born
	over    bool           // its program has ended or is being killed
	ended   atomic.Bool    // its program has ended
}

// trees holds what is running or being started. Its lock also makes searches take turns.
var trees struct {
	sync.Mutex
	running map[*tree]bool // nil before the first
	reaping bool           // this process is a subreaper because we asked for it
}

const markVariable = "SKILLHAND_JOB"

// ownMark is what the marks of all our trees begin with.
var ownMark = sync.OnceValue(newMark)

// guardMark returns what the guard finds our trees by.
func guardMark() string { return ownMark() }

// newMark returns a word that no other process has. All are of one length, so none is the
// beginning of another.
func newMark() string { return strconv.FormatUint(rand.Uint64()|1<<63, 36) }

// startTree starts a program in a session of its own.
func startTree(cmd *exec.Cmd) (*tree, error) {
	t := &tree{cmd: cmd, mark: ownMark() + "-" + newMark()}
	// A program that calls us again starts trees within ours: they keep our mark.
	marks := t.mark
	if outer := os.Getenv(markVariable); outer != "" {
		marks = outer + "." + t.mark
	}
	cmd.Env = append(cmd.Env, markVariable+"="+marks)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL}

	if err := starter().start(t); err != nil {
		return nil, err
	}
	return t, nil
}

// adopt makes orphans our children. The lock is held.
func adopt() {
	if trees.running == nil {
		trees.running = map[*tree]bool{}
	}
	var already int32
	if len(trees.running) > 0 || unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&already)), 0, 0, 0) != nil || already != 0 {
		return
	}
	trees.reaping = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil
}

// release leaves orphans to init again when none of our programs is running. The lock is held.
func release() {
	if len(trees.running) == 0 && trees.reaping {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
		trees.reaping = false
	}
}

// wait waits for the program's end. Until reap, its number stays its own.
func (t *tree) wait() {
	for unix.Waitid(unix.P_PID, t.pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	t.ended.Store(true)
}

// reap returns the exit status of a program that has ended.
func (t *tree) reap() (int, error) {
	trees.Lock()
	defer trees.Unlock()
	err := t.cmd.Wait() // at once: it has ended
	delete(trees.running, t)
	release()
	if t.cmd.ProcessState == nil {
		return 0, err
	}
	return exit(t.cmd.ProcessState), nil
}

// signal asks every process of the tree to end.
func (t *tree) signal(s Signal) bool {
	t.send(s.unix())
	return true
}

func (t *tree) gone() bool {
	live, _ := t.find()
	return len(live) == 0
}

// left names the processes of the tree, and reports whether all of them wait for
// something: one that is busy may be about to end.
func (t *tree) left() (names []string, idle bool) {
	live, calm := t.find()
	for rounds := 5; len(live) == 0 && !calm && rounds > 0; rounds-- {
		live, calm = t.find()
	}
	idle = true
	for _, p := range live {
		if name := bytes.TrimSuffix(readAll(p.path("comm")), []byte("\n")); len(name) > 0 { // else it is gone by now
			names = append(names, string(name))
			idle = idle && (p.state == 'S' || p.state == 'T' || p.state == 't')
		}
	}
	return names, idle
}

// tidy clears away the remains of orphans.
func (t *tree) tidy() { t.find() }

// kill ends every process of the tree.
func (t *tree) kill() {
	// If several end at the same moment, the last one to say so takes what none of them
	// can tell to be its own.
	trees.Lock()
	t.over = true
	trees.Unlock()
	rounds := 5
	exterminate(func() bool {
		left, calm := t.send(unix.SIGKILL)
		if left == 0 {
			rounds--
		}
		return left == 0 && (calm || rounds == 0)
	})
}

// exterminate repeats a round of killing, since processes fork while they are
// being searched for, until it reports that none was left. It gives up when patience has run
// out, but not before it made enough rounds: on a busy machine one may take a second.
func exterminate(round func() (done bool)) {
	limit := time.Now().Add(patience)
	wait := 100 * time.Microsecond
	for rounds := 1; !round() && (rounds < leastRounds || time.Now().Before(limit)); rounds++ {
		time.Sleep(wait)
		wait = min(2*wait, 10*time.Millisecond)
	}
}

// send sends sig to every process of the tree, once.
func (t *tree) send(sig unix.Signal) (count int, calm bool) {
	live, calm := t.find()
	// The group gets it in one stroke, which no fork can evade. The program, even dead, keeps
	// the group's number from being given to others.
	trees.Lock()
	if trees.running[t] {
		_ = unix.Kill(-t.pid, sig)
	}
	trees.Unlock()
	for _, p := range live {
		if p.group != t.pid {
			p.send(sig)
		}
	}
	return len(live), calm
}

// find returns the live processes of the tree and reaps the dead orphans among them. If it is not
// calm, it should be repeated: an orphan died, and may have left us its own children meanwhile, or
// there is one that may be of the tree and could not be judged just now.
func (t *tree) find() (live []process, calm bool) {
	calm = true
	if !t.ended.Load() {
		if program, ok := readProcess(t.pid); ok && program.state != 'Z' {
			live = append(live, program)
		}
	}
	defer keepApart()()
	orphans := orphans()
	if len(live)+len(orphans) == 0 {
		return nil, true
	}
	trees.Lock()
	defer trees.Unlock()
	self, session := os.Getpid(), ownSession()
	for _, pid := range orphans {
		p, ok := readProcess(pid)
		if !ok || p.parent != self || p.session == session || isProgram(pid) {
			continue // gone by now, or never ours: a tree has no process in our session
		}
		mine, doubt := t.owns(p)
		switch {
		case p.state == 'Z' && (mine || p.branded()) && reapOrphan(pid):
			calm = false
		case mine:
			live = append(live, p)
		case doubt:
			calm = false
		}
	}
	descend := listing()
	for i := 0; i < len(live); i++ {
		for _, pid := range descend(live[i].pid) {
			if p, ok := readProcess(pid); ok && p.parent == live[i].pid && p.state != 'Z' {
				live = append(live, p)
			}
		}
	}
	for _, p := range live {
		if t.known == nil {
			t.known = map[int]uint64{}
		}
		t.known[p.pid] = p.born
	}
	return live, calm
}

// owns reports whether an orphan is of the tree. The lock is held.
func (t *tree) owns(p process) (mine, doubt bool) {
	if born, ok := t.known[p.pid]; ok && born == p.born {
		return true, false
	}
	if t.pid != 0 && (p.session == t.pid || p.group == t.pid) {
		return true, false
	}
	env := readAll(p.path("environ"))
	if bytes.Contains(env, []byte(t.mark)) {
		return true, false
	}
	if !p.ours(env) {
		return false, false
	}
	for other := range trees.running {
		if other != t && !other.over && other.born <= p.born {
			// In the middle of an exec, a process shows no environment for a moment.
			return false, len(env) == 0 && p.state != 'Z'
		}
	}
	return true, false
}

// ours reports whether a process with this environment comes from a program that we started. A mark says
// which process started it; the brand, that one like us did.
func (p process) ours(env []byte) bool {
	return bytes.Contains(env, []byte(ownMark())) || p.branded() && !bytes.Contains(env, []byte(markVariable+"="))
}

// isProgram reports whether pid is a program that a Run is waiting for. The lock is held.
func isProgram(pid int) bool {
	for t := range trees.running {
		if t.pid == pid {
			return true
		}
	}
	return false
}

// reapOrphan reaps a child that has ended. One whose other threads live on has not.
func reapOrphan(pid int) bool {
	got, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
	return got == pid || err == unix.ECHILD
}

// KillOrphans kills everything that Run started and that is still there: what programs that are
// running now have started, and daemons of which nobody can say any more which program they came
// from. It is for the end of a main program, also one in a hurry. A program that Run is waiting for
// is left for Run to reap. Whatever Run did not start lives on.
func KillOrphans() {
	trees.Lock()
	started := trees.running != nil
	trees.Unlock()
	if !started || !procfs() {
		return
	}
	// A process that loses its parent in the course of this must not get away.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	exterminate(func() bool {
		// A tree without a program takes what is left of those that have ended.
		none, done := &tree{mark: ownMark()}, true
		none.ended.Store(true)
		all := []*tree{none}
		trees.Lock()
		for t := range trees.running {
			if t.over = true; t.pid != 0 {
				all = append(all, t)
			} else {
				done = false // it is being started
			}
		}
		trees.Unlock()
		for _, t := range all {
			left, calm := t.send(unix.SIGKILL)
			done = done && left == 0 && calm
		}
		return done
	})
}

// starters are the threads that start programs. They live as long as this process: a program
// is to be killed when its parent dies, and to the kernel the parent is the thread.
type starters struct {
	work    chan func()
	threads atomic.Int32
	brand   bool // what they start has the brand
}

// One thread would do, but between two programs it waits for the first to get going.
const starterThreads = 3

var starter = sync.OnceValue(func() *starters {
	c := &starters{work: make(chan func())}
	// If we are branded ourselves, so are the children of the calling program, and the brand
	// tells nothing. But then somebody above us looks for it.
	self, ok := readProcess(os.Getpid())
	c.brand = ok && !self.flagged() && unix.Prctl(unix.PR_MCE_KILL_GET, 0, 0, 0, 0) == nil
	return c
})

func (c *starters) start(t *tree) error {
	done := make(chan error, 1)
	work := func() { done <- t.start() }
	select {
	case c.work <- work:
	default: // all are busy
		if c.threads.Add(1) <= starterThreads {
			go c.join(make(chan struct{}))
		} else {
			c.threads.Add(-1)
		}
		c.work <- work
	}
	return <-done
}

// join makes this goroutine one of the starters, on a thread of its own.
func (c *starters) join(joined chan<- struct{}) {
	runtime.LockOSThread()
	if unix.Gettid() == os.Getpid() {
		// The main thread gets the orphans. While we hold it, another goroutine gets another.
		other := make(chan struct{})
		go c.join(other)
		<-other
		runtime.UnlockOSThread()
		close(joined)
		return
	}
	if c.brand {
		_ = unix.Prctl(unix.PR_MCE_KILL, unix.PR_MCE_KILL_SET, unix.PR_MCE_KILL_LATE, 0, 0)
	}
	close(joined)
	for work := range c.work {
		work()
	}
}

// start starts the program, on a thread of the starters. The trees are not locked
// meanwhile: there may be many who want to know that nothing of theirs is left.
func (t *tree) start() error {
	defer keepApart()()
	trees.Lock()
	adopt()
	t.born = ticks()
	trees.running[t] = true
	trees.Unlock()

	t.started = time.Now()
	err := t.cmd.Start()

	trees.Lock()
	defer trees.Unlock()
	if err != nil {
		delete(trees.running, t)
		release()
		return err
	}
	t.pid = t.cmd.Process.Pid
	return nil
}

// keepApart keeps starting and searching apart where the kernel does not list a thread's
// children: there a program just started looks like an orphan. It returns how to end that.
func keepApart() (end func()) {
	if childrenFile() {
		return func() {}
	}
	apart.Lock()
	return apart.Unlock
}

var apart sync.Mutex

// A process is what the system says about one.
type process struct {
	pid, parent, group, session int
	state                       byte
	flags                       uint64
	born                        uint64 // clock ticks since boot
}

func (p process) path(file string) string {
	return "/proc/" + strconv.Itoa(p.pid) + "/" + file
}

// The kernel's flags for the way a process wants to hear of memory failures.
const (
	mceProcess = 0x00000080
	mceEarly   = 0x08000000
)

func (p process) flagged() bool { return p.flags&(mceProcess|mceEarly) == mceProcess }

func (p process) branded() bool { return starter().brand && p.flagged() }

// send sends a signal to p, and to no other process that has its number by now.
func (p process) send(sig unix.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if now, ok := readProcess(p.pid); !ok || now.born != p.born {
		return
	}
	switch {
	case err == nil:
		_ = unix.PidfdSendSignal(fd, sig, nil, 0)
	case errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM):
		_ = unix.Kill(p.pid, sig) // an older kernel, or a sandbox that does not know pidfds
	}
}

// readProcess reads /proc/PID/stat.
func readProcess(pid int) (process, bool) {
	p := process{pid: pid}
	if !procfs() {
		return p, false
	}
	text := readAll(p.path("stat"))
	// The second field is the program's name in brackets, with anything in it.
	f := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(f) < 20 {
		return p, false
	}
	number := func(i int) uint64 {
		n, _ := strconv.ParseUint(string(f[i]), 10, 64)
		return n
	}
	p.state = f[0][0]
	p.parent, p.group, p.session = int(number(1)), int(number(2)), int(number(3))
	p.flags, p.born = number(6), number(19)
	return p, p.state != 'X'
}

// orphans returns our children that another process may have started.
func orphans() []int {
	switch {
	case !procfs():
		return nil
	case !childrenFile():
		return scan()[os.Getpid()]
	}
	self := strconv.Itoa(os.Getpid())
	return numbers(readAll("/proc/self/task/" + self + "/children"))
}

// listing returns a function that lists a process's children.
func listing() func(pid int) []int {
	if !childrenFile() {
		all := scan()
		return func(pid int) []int { return all[pid] }
	}
	return func(pid int) (pids []int) {
		dir := process{pid: pid}.path("task/")
		threads, _ := os.ReadDir(dir)
		for _, thread := range threads {
			pids = append(pids, numbers(readAll(dir+thread.Name()+"/children"))...)
		}
		return pids
	}
}

// scan returns the children of every process: the slow way.
func scan() map[int][]int {
	children := map[int][]int{}
	all, _ := os.ReadDir("/proc")
	for _, entry := range all {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			if p, ok := readProcess(pid); ok {
				children[p.parent] = append(children[p.parent], pid)
			}
		}
	}
	return children
}

// procfs reports whether /proc is there and counts processes as we do, which
// it does not if we are in another process namespace than it.
var procfs = sync.OnceValue(func() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(os.Getpid())
})

// childrenFile reports whether the kernel was built to list a thread's children.
var childrenFile = sync.OnceValue(func() bool {
	self := strconv.Itoa(os.Getpid())
	return procfs() && unix.Access("/proc/self/task/"+self+"/children", unix.R_OK) == nil
})

// readAll reads a file of /proc, or nothing if it is gone. These files are not waited
// for, and most are small: the runtime's way to read would take three times as long.
func readAll(path string) []byte {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	buf := make([]byte, 0, 1024)
	for {
		n, err := unix.Read(fd, buf[len(buf):cap(buf)])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return buf
		}
		if buf = buf[:len(buf)+n]; len(buf) == cap(buf) {
			buf = append(buf, make([]byte, len(buf))...)[:len(buf)]
		}
	}
}

func numbers(text []byte) (list []int) {
	for _, word := range bytes.Fields(text) {
		if n, err := strconv.Atoi(string(word)); err == nil {
			list = append(list, n)
		}
	}
	return list
}

func ownSession() int {
	sid, _ := unix.Getsid(0)
	return sid
}

// ticks returns the time since boot as /proc counts it.
func ticks() uint64 {
	const perSecond = 100
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return 0
	}
	return uint64(now.Nano()) / (uint64(time.Second) / perSecond)
}
