package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// An entry is a file in an archive.
type entry struct {
	Name    string // with slashes, below the archive's only folder
	Data    []byte
	Program bool // executable
}

func (e entry) mode() fs.FileMode {
	if e.Program {
		return 0o755
	}
	return 0o644
}

// inOrder sorts entries for an archive, because the order in which they were found is arbitrary.
func inOrder(entries []entry) []entry {
	return slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
}

// level is the compression level of a tar.gz. The test of a whole release is not about compression
// and turns it off, because with the race detector it would take minutes.
var level = gzip.BestCompression

// tarGz packs entries into folder. All entries have the same time, and the same owner, which names
// no user.
func tarGz(folder string, entries []entry, made time.Time) ([]byte, error) {
	var b bytes.Buffer
	gz, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		return nil, err
	}
	tw := tar.NewWriter(gz)
	for _, e := range inOrder(entries) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + e.Name, Size: int64(len(e.Data)), Mode: int64(e.mode()),
			ModTime: made, Format: tar.FormatUSTAR}
		if err := tw.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := tw.Write(e.Data); err != nil {
			return nil, err
		}
	}
	if err := tw.Close(); err != nil {
		return nil, err
	}
	if err := gz.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// zipped packs entries into folder, as tarGz does.
func zipped(folder string, entries []entry, made time.Time) ([]byte, error) {
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	for _, e := range inOrder(entries) {
		h := &zip.FileHeader{Name: folder + "/" + e.Name, Method: zip.Deflate, Modified: made.UTC()}
		h.SetMode(e.mode())
		w, err := zw.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.Data); err != nil {
			return nil, err
		}
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
