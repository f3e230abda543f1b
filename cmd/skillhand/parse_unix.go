//go:build unix

package main

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
	for len(text) < most {
		text = slices.Grow(text, 4096)
		n, err := again(func() (int, error) { return unix.Read(fd, text[len(text):min(cap(text), most)]) })
		if n <= 0 {
			return text, err
		}
		text = text[:len(text)+n]
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
