package proc

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// A streams carries a program's input and output between the program and the caller.
type streams struct {
	program string
	child   [3]*os.File // the program's ends
	lent    [3]bool     // files that we must not close: the caller's, or a file that occurs twice
	stdin   *os.File    // our ends
	outputs []output
	source  io.Reader // the source of stdin

	copying  sync.WaitGroup
	finishes chan struct{} // closed when all output has been copied
	stop     chan struct{} // closed when the program should be ended: too much output, or an error
	heard    chan struct{} // has an item if there was output since the last look

	mu      sync.Mutex
	limit   int64 // bytes
	passed  int64
	tooMuch bool
	err     error // the first *StreamError
	halt    sync.Once
}

// An output is one stream to the caller.
type output struct {
	name string
	from *os.File
	to   io.Writer
}

func openStreams(c *Cmd) (_ *streams, err error) {
	s := &streams{
		program:  c.name(),
		limit:    c.MaxOutput,
		finishes: make(chan struct{}),
		stop:     make(chan struct{}),
		heard:    make(chan struct{}, 1),
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if err := s.openInput(c.Stdin); err != nil {
		return nil, err
	}
	if err := s.openOutput(1, "stdout", c.Stdout); err != nil {
		return nil, err
	}
	if same(c.Stdout, c.Stderr) {
		s.child[2], s.lent[2] = s.child[1], true
		return s, nil
	}
	return s, s.openOutput(2, "stderr", c.Stderr)
}

func (s *streams) openInput(r io.Reader) (err error) {
	switch r := r.(type) {
	case nil:
		s.child[0], err = os.Open(os.DevNull)
	case *os.File:
		s.child[0], s.lent[0] = r, true
	default:
		s.source = r
		s.child[0], s.stdin, err = os.Pipe()
	}
	return err
}

func (s *streams) openOutput(fd int, name string, w io.Writer) (err error) {
	if w == nil && s.limit == 0 {
		s.child[fd], err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		return err
	}
	if w == nil {
		w = io.Discard // only to count the bytes
	}
	r, child, err := os.Pipe()
	if err != nil {
		return err
	}
	s.child[fd] = child
	s.outputs = append(s.outputs, output{name, r, w})
	return nil
}

// same reports whether a and b are the same writer. Writers that cannot be compared are not.
func same(a, b io.Writer) bool {
	defer func() { _ = recover() }() // comparing slices panics
	return a != nil && a == b
}

// pump closes our copies of the program's ends, now that the program has them, and starts copying.
func (s *streams) pump() {
	s.closeChild()
	if s.source != nil {
		go s.feed()
	}
	for _, o := range s.outputs {
		s.copying.Go(func() { s.copy(o) })
	}
	if len(s.outputs) == 0 {
		close(s.finishes)
		return
	}
	go func() {
		s.copying.Wait()
		close(s.finishes)
	}()
}

// feed writes the program's input. It is no error if the program does not read all of it.
func (s *streams) feed() {
	r := &noting{Reader: s.source}
	_, _ = io.Copy(s.stdin, r)
	if r.err != nil {
		// Closing stdin would tell the program that the input was complete. finish closes it after
		// the program's end.
		s.fail("stdin", r.err)
		return
	}
	_ = s.stdin.Close()
}

// A noting remembers why reading failed. io.Copy does not tell a failed read from a failed write.
type noting struct {
	io.Reader
	err error
}

func (r *noting) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

const (
	pipeSize = 64 << 10 // the size of a pipe, and so the most that one read can return
	pipeMost = 1 << 20  // the largest size that a pipe can be given
)

var buffers = sync.Pool{New: func() any { return new([pipeSize]byte) }}

// copy passes on a stream until no process can write to it any more.
func (s *streams) copy(o output) {
	buf := buffers.Get().(*[pipeSize]byte)
	defer buffers.Put(buf)
	defer o.from.Close()
	for {
		n, err := o.from.Read(buf[:])
		if n > 0 {
			s.pass(&o, buf[:n])
			select {
			case s.heard <- struct{}{}:
			default:
			}
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			s.drain(&o, buf[:])
			return
		}
		if err != nil {
			return
		}
	}
}

// drain passes on what is in the pipe now. A process that holds the other end may continue to
// write, but the program's own output is no more than a pipe can hold.
func (s *streams) drain(o *output, buf []byte) {
	if o.from.SetReadDeadline(time.Time{}) != nil {
		return
	}
	for total := 0; total < pipeMost; {
		n := readNow(o.from, buf)
		if n <= 0 {
			return
		}
		s.pass(o, buf[:n])
		total += n
	}
}

// pass writes b to the caller, as far as the limit allows. After an error the stream is still read,
// so that a program that was asked to end is not stuck while writing.
func (s *streams) pass(o *output, b []byte) {
	if b = b[:s.allow(len(b))]; len(b) == 0 || o.to == nil {
		return
	}
	n, err := o.to.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		o.to = nil
		s.fail(o.name, err)
	}
}

// allow returns how many of n bytes are within the limit.
func (s *streams) allow(n int) int {
	if s.limit == 0 {
		return n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if left := s.limit - s.passed; int64(n) > left {
		n = int(max(left, 0))
		s.tooMuch = true
		s.halt.Do(func() { close(s.stop) })
	}
	s.passed += int64(n)
	return n
}

func (s *streams) fail(stream string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = &StreamError{s.program, stream, err}
	}
	s.halt.Do(func() { close(s.stop) })
}

func (s *streams) flooded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tooMuch
}

func (s *streams) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// finished reports whether all output was passed on within the given time.
func (s *streams) finished(wait time.Duration) bool {
	select {
	case <-s.finishes:
		return true
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-s.finishes:
		return true
	case <-timer.C:
		return false
	}
}

// linger waits for the rest of the output until the output is silent for the given time, or
// continues for too long. It reports whether some process still holds the output.
func (s *streams) linger(ctx context.Context, silence time.Duration) (held bool) {
	quiet, over := time.NewTimer(silence), time.NewTimer(mostWords*silence)
	defer quiet.Stop()
	defer over.Stop()
	for {
		select {
		case <-s.heard:
			quiet.Reset(silence)
			continue
		case <-s.finishes:
		case <-s.stop:
		case <-quiet.C:
		case <-over.C:
		case <-ctx.Done():
		}
		return s.held()
	}
}

// held reports whether some process can still write to an output. Output that was not passed on yet
// proves less: the caller may be slow.
func (s *streams) held() bool {
	select {
	case <-s.finishes:
		return false
	default:
		return slices.ContainsFunc(s.outputs, func(o output) bool { return hasWriter(o.from) })
	}
}

// finish passes on the output that is there, and closes everything.
func (s *streams) finish() {
	if s.stdin != nil {
		_ = s.stdin.Close()
	}
	if s.finished(holder) {
		return
	}
	for _, o := range s.outputs {
		if o.from.SetReadDeadline(time.Now()) != nil {
			_ = o.from.Close()
		}
	}
	<-s.finishes
}

// close closes the streams if no program was started with them.
func (s *streams) close() {
	s.closeChild()
	if s.stdin != nil {
		_ = s.stdin.Close()
	}
	for _, o := range s.outputs {
		_ = o.from.Close()
	}
}

func (s *streams) closeChild() {
	for i, f := range s.child {
		if f != nil && !s.lent[i] {
			_ = f.Close()
		}
	}
}
