//go:build !unix

package main

import (
	"bytes"
	"io"
	"os"
)

// readFile appends to text what is in a file, up to most bytes.
func readFile(file string, text []byte, most int) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return text, err
	}
	defer f.Close()
	b := bytes.NewBuffer(text)
	_, err = b.ReadFrom(io.LimitReader(f, int64(most)))
	return b.Bytes(), err
}
