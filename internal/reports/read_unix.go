//go:build unix

package reports

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// readFile reads a file into text, up to most bytes. Package os makes each file
// ready to be waited for, which costs more than reading a small one.
func readFile(file string, text []byte, most int) ([]byte, error) {
	text = text[:0]
	fd, err := again(func() (int, error) { return unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return text, err
	}
	defer func() { _ = unix.Close(fd) }()
	stream := false // a pipe or a terminal
	for len(text) < most {
		text = slices.Grow(text, 4096)
		room := text[len(text):min(cap(text), most)]
		n, err := again(func() (int, error) {
			if stream {
				return unix.Read(fd, room)
			}
			return unix.Pread(fd, room, int64(len(text)))
		})
		if err != nil && !stream && len(text) == 0 {
			stream = true // or the error comes again
			continue
		}
		if n <= 0 {
			return text, err
		}
		text = text[:len(text)+n]
		if !stream && n < len(room) {
			return text, nil // a file has given all it has; to ask again costs a tenth more
		}
	}
	return text, nil
}

// again calls f until no signal comes in between.
func again(f func() (int, error)) (int, error) {
	for {
		n, err := f()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
