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

// While programs run, this process is a child subreaper: every process that loses its parent
// becomes our child. Every process of a tree is therefore below the program or below us. After the
// program has ended, the processes that it left behind are among our own children. The kernel gives
// orphans to our main thread, and other threads start programs. An empty list of the main thread's
// children therefore shows that nothing was left.
//
// There may also be other orphans, and children that the calling program forked itself. An orphan
// belongs to a tree only if one of these is true:
//
//   - it was seen below the program;
//   - it is in the session or the group that the program was started as;
//   - the tree's mark is in its environment;
//   - this process's mark is in its environment, or it carries the brand and no mark, and no other
//     program still running is old enough to have started it. If there is one, the orphan's end
//     comes with that program's.
//
// None of these is true for children that this process had when it began: a shell that becomes a
// program by exec leaves its background jobs to the program.
//
// The brand is for daemons that emptied their environment. It is a property of the threads that
// start all programs, which every fork and exec keeps. It is harmless and free to read: memory
// failures are reported late, which is the default, but here it is asked for explicitly. Children
// that the calling program starts by itself come from other threads and do not have it.

// A tree is a program and all processes that come from it.
type tree struct {
	cmd     *exec.Cmd
	pid     int
	started time.Time      // limits count from this moment or later
	mark    string         // in the environment of its processes
	born    uint64         // no process of the tree is older; clock ticks since boot
	known   map[int]uint64 // processes seen in the tree, and when each was born
	over    bool           // its program has ended or is being killed
	ended   atomic.Bool    // its program has ended
}

// trees holds the programs that are running or being started. Its lock also makes searches take
// turns.
var trees struct {
	sync.Mutex
	running map[*tree]bool // nil before the first program
	reaping bool           // this process is a subreaper because we asked for it
}

const markVariable = "SKILLHAND_JOB"

// ownMark returns the beginning of the marks of all our trees.
var ownMark = sync.OnceValue(newMark)

// guardMark returns the mark by which the guard finds our trees.
func guardMark() string { return ownMark() }

// newMark returns a random word that no other process has. All marks have the same length, so no
// mark is the beginning of another.
func newMark() string { return strconv.FormatUint(rand.Uint64()|1<<63, 36) }

// startTree starts a program in its own session.
func startTree(cmd *exec.Cmd) (*tree, error) {
	t := &tree{cmd: cmd, mark: ownMark() + "-" + newMark()}
	// A program that calls us again starts trees within our tree, so these also keep our mark.
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

// adopt makes orphans our children. The caller holds the lock.
func adopt() {
	if trees.running == nil {
		trees.running = map[*tree]bool{}
	}
	var already int32
	if len(trees.running) > 0 ||
		unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&already)), 0, 0, 0) != nil || already != 0 {
		return
	}
	trees.reaping = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil
}

// release leaves orphans to init again when none of our programs is running. The caller holds the
// lock.
func release() {
	if len(trees.running) == 0 && trees.reaping {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
		trees.reaping = false
	}
}

// wait waits for the program's end. The program keeps its process number until reap.
func (t *tree) wait() {
	for unix.Waitid(unix.P_PID, t.pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	t.ended.Store(true)
}

// reap returns the exit status of a program that has ended.
func (t *tree) reap() (int, error) {
	trees.Lock()
	defer trees.Unlock()
	err := t.cmd.Wait() // returns at once: the program has ended
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

// left returns the names of the tree's processes, and reports whether all of them wait for
// something. A busy process may be about to end.
func (t *tree) left() (names []string, idle bool) {
	live, calm := t.find()
	for rounds := 5; len(live) == 0 && !calm && rounds > 0; rounds-- {
		live, calm = t.find()
	}
	idle = true
	for _, p := range live {
		if name := bytes.TrimSuffix(readAll(p.path("comm")), []byte("\n")); len(name) > 0 { // else it has ended in the meantime
			names = append(names, string(name))
			idle = idle && (p.state == 'S' || p.state == 'T' || p.state == 't')
		}
	}
	return names, idle
}

// tidy removes the remains of orphans.
func (t *tree) tidy() { t.find() }

// kill ends every process of the tree.
func (t *tree) kill() {
	// If several trees end at the same moment, the last one to set over takes the orphans that no
	// tree can recognize as its own.
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

// exterminate repeats a round of killing until the round reports that no process was left, because
// processes fork during the search. It gives up when patience has run out, but not before it made
// enough rounds: on a busy machine a round may take a second.
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
	// All processes of the group get the signal at once, which no fork can evade. Until it is
	// reaped, the program keeps the group's number from being given to another group.
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

// find returns the live processes of the tree, and reaps the dead orphans among them. If it does
// not report calm, it should be repeated. Either an orphan died, and may have left its own children
// to us, or it is still unknown whether an orphan belongs to the tree.
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
			continue // it has ended, or was never ours: a tree has no process in our session
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

// owns reports whether an orphan belongs to the tree. The caller holds the lock.
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
			// A process in the middle of an exec shows no environment for a moment.
			return false, len(env) == 0 && p.state != 'Z'
		}
	}
	return true, false
}

// ours reports whether a process with this environment comes from a program that we started. A mark
// says which process started it. The brand says that a process like us started it.
func (p process) ours(env []byte) bool {
	return bytes.Contains(env, []byte(ownMark())) || p.branded() && !bytes.Contains(env, []byte(markVariable+"="))
}

// isProgram reports whether pid is a program that a Run is waiting for. The caller holds the lock.
func isProgram(pid int) bool {
	for t := range trees.running {
		if t.pid == pid {
			return true
		}
	}
	return false
}

// reapOrphan reaps a child that has ended. A child whose other threads live on has not ended.
func reapOrphan(pid int) bool {
	got, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
	return got == pid || err == unix.ECHILD
}

// KillOrphans kills all processes that Run started and that still exist: those of running programs,
// and daemons whose program is unknown. It is for the end of a main program, also for a quick end.
// A program that Run is waiting for is left for Run to reap. Processes that Run did not start live
// on.
func KillOrphans() {
	trees.Lock()
	started := trees.running != nil
	trees.Unlock()
	if !started || !procfs() {
		return
	}
	// A process that loses its parent during this must not get away.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	exterminate(func() bool {
		// A tree without a program takes the remains of programs that have ended.
		none, done := &tree{mark: ownMark()}, true
		none.ended.Store(true)
		all := []*tree{none}
		trees.Lock()
		for t := range trees.running {
			if t.over = true; t.pid != 0 {
				all = append(all, t)
			} else {
				done = false // the program is being started
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

// The starters are threads that start programs. They live as long as this process. The kernel kills
// a program when its parent dies, and its parent is the thread that started it.
type starters struct {
	work    chan func()
	threads atomic.Int32
	brand   bool // the programs that they start have the brand
}

// One thread would be enough, but a second program would have to wait until the first is running.
const starterThreads = 3

var starter = sync.OnceValue(func() *starters {
	c := &starters{work: make(chan func())}
	// If we have the brand ourselves, the children of the calling program have it too, and it says
	// nothing. But then a process above us looks for it.
	self, ok := readProcess(os.Getpid())
	c.brand = ok && !self.flagged() && unix.Prctl(unix.PR_MCE_KILL_GET, 0, 0, 0, 0) == nil
	return c
})

func (c *starters) start(t *tree) error {
	done := make(chan error, 1)
	work := func() { done <- t.start() }
	select {
	case c.work <- work:
	default: // all threads are busy
		if c.threads.Add(1) <= starterThreads {
			go c.join(make(chan struct{}))
		} else {
			c.threads.Add(-1)
		}
		c.work <- work
	}
	return <-done
}

// join makes this goroutine one of the starters, on its own thread.
func (c *starters) join(joined chan<- struct{}) {
	runtime.LockOSThread()
	if unix.Gettid() == os.Getpid() {
		// The main thread gets the orphans. While we hold it, another goroutine gets another
		// thread.
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

// start starts the program, on a thread of the starters. It does not hold the lock of trees
// meanwhile, because many trees may want to know whether any of their processes are left.
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

// keepApart prevents that a search runs while a program is being started, on kernels that do not
// list a thread's children: there a new program looks like an orphan. The caller calls end to allow
// it again.
func keepApart() (end func()) {
	if childrenFile() {
		return func() {}
	}
	apart.Lock()
	return apart.Unlock
}

var apart sync.Mutex

// A process has the data that /proc shows about a process.
type process struct {
	pid, parent, group, session int
	state                       byte
	flags                       uint64
	born                        uint64 // clock ticks since boot
}

func (p process) path(file string) string {
	return "/proc/" + strconv.Itoa(p.pid) + "/" + file
}

// These are the kernel's flags for how a process is informed about memory failures.
const (
	mceProcess = 0x00000080
	mceEarly   = 0x08000000
)

func (p process) flagged() bool { return p.flags&(mceProcess|mceEarly) == mceProcess }

func (p process) branded() bool { return starter().brand && p.flagged() }

// send sends a signal to p, and not to another process that got its number in the meantime.
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
		_ = unix.Kill(p.pid, sig) // an older kernel, or a sandbox that does not allow pidfds
	}
}

// readProcess reads /proc/PID/stat.
func readProcess(pid int) (process, bool) {
	p := process{pid: pid}
	if !procfs() {
		return p, false
	}
	text := readAll(p.path("stat"))
	// The second field is the program's name in parentheses, which may contain any characters.
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

// scan returns the children of every process. It is slow.
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

// procfs reports whether /proc exists and numbers processes as we do. It does not if we are in
// another process namespace.
var procfs = sync.OnceValue(func() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(os.Getpid())
})

// childrenFile reports whether the kernel was built to list a thread's children.
var childrenFile = sync.OnceValue(func() bool {
	self := strconv.Itoa(os.Getpid())
	return procfs() && unix.Access("/proc/self/task/"+self+"/children", unix.R_OK) == nil
})

// readAll reads a file of /proc, or nothing if it does not exist any more. Reading these files
// never blocks, and most are small. The runtime's way to read them would take three times as long.
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
