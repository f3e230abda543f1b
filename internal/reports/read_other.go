//go:build !unix

package reports

import (
	"bytes"
	"io"
	"os"
)

// readFile reads a file into text, up to most bytes.
func readFile(file string, text []byte, most int) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return text, err
	}
	defer f.Close()
	b := bytes.NewBuffer(text[:0])
	_, err = b.ReadFrom(io.LimitReader(f, int64(most)))
	return b.Bytes(), err
}
