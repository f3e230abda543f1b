package shell

import (
	"io"
	"os"
	"sync"
)

// inMemory is how many bytes of an Output are kept in memory.
const inMemory = 64 << 10

// An Output is what a line printed on one stream. It keeps the beginning in memory and the rest in
// a temporary file, so that 100 MB need no memory. The zero value is ready to use, and a nil Output
// is empty.
type Output struct {
	mu   sync.Mutex
	head []byte   // the first inMemory bytes
	rest *os.File // the bytes after head; nil if there are none
	size int64
	shut bool // the line has ended: what it still prints is not part of it
}

// NewOutput returns an Output that holds s.
func NewOutput(s string) *Output {
	o := &Output{}
	_, _ = o.Write([]byte(s))
	return o
}

// Write appends p.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shut {
		return 0, os.ErrClosed
	}
	n := min(len(p), inMemory-len(o.head))
	o.head = append(o.head, p[:n]...)
	o.size += int64(n)
	if n == len(p) {
		return n, nil
	}
	if o.rest == nil {
		f, err := os.CreateTemp("", "skillhand-output-")
		if err != nil {
			return n, err
		}
		// A file without a name disappears with this process, however the process ends. On systems
		// that cannot remove an open file, Close removes it.
		_ = os.Remove(f.Name())
		o.rest = f
	}
	m, err := o.rest.Write(p[n:])
	o.size += int64(m)
	return n + m, err
}

// Len returns how many bytes were printed.
func (o *Output) Len() int64 {
	if o == nil {
		return 0
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size
}

// Bytes returns the whole output. It is meant for outputs whose Len is known to be small.
func (o *Output) Bytes() ([]byte, error) {
	return o.read(int(o.Len()))
}

// String returns the whole output. It is meant for outputs that fit into memory, where nothing can
// fail.
func (o *Output) String() string {
	b, _ := o.Bytes()
	return string(b)
}

// Head returns the first n bytes, or all if there are fewer.
func (o *Output) Head(n int) []byte {
	b, _ := o.read(n)
	return b
}

func (o *Output) read(n int) ([]byte, error) {
	if o == nil || n <= 0 {
		return nil, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	b := make([]byte, min(int64(n), o.size))
	m := copy(b, o.head)
	if m == len(b) {
		return b, nil
	}
	k, err := o.rest.ReadAt(b[m:], 0)
	return b[:m+k], err
}

// WriteTo writes the whole output to w.
func (o *Output) WriteTo(w io.Writer) (int64, error) {
	if o == nil {
		return 0, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := w.Write(o.head)
	if err != nil || o.rest == nil {
		return int64(n), err
	}
	m, err := io.Copy(w, io.NewSectionReader(o.rest, 0, o.size-int64(len(o.head))))
	return int64(n) + m, err
}

// Close discards the output. An Output that fits into memory needs no Close.
func (o *Output) Close() error {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.shut = true
	o.head, o.size = nil, 0
	if o.rest == nil {
		return nil
	}
	err := o.rest.Close()
	_ = os.Remove(o.rest.Name())
	o.rest = nil
	return err
}

// end refuses all later writes: an abandoned built-in may still print.
func (o *Output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.shut = true
}
