// Package upgrade answers: how does a copy that came from a release become the newest one?
package upgrade

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/skillhand/skillhand/internal/atomicfile"
	"github.com/skillhand/skillhand/internal/setup/origin"
)

// Releases is where releases are published.
const Releases = "https://github.com/skillhand/skillhand/releases"

// The most that is read: an archive is a tenth of it.
const most = 200 << 20

// A Mirror is where releases come from, and for which platform.
type Mirror struct {
	URL      string // Releases, or a mirror of it
	OS, Arch string // as Go calls them
}

// Latest returns the version of the newest release.
func (m Mirror) Latest(ctx context.Context) (string, error) {
	res, err := get(ctx, m.URL+"/latest")
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	// The address of the latest release leads to that of its version.
	version := path.Base(res.Request.URL.Path)
	if !origin.Released(version) {
		return "", fmt.Errorf("%s/latest leads to %s, which is no version", m.URL, res.Request.URL)
	}
	return version, nil
}

// Replace puts the programs of a release into folder, in place of those that are there. It compares the archive
// with the release's checksums first, and each program appears whole or not at all.
func (m Mirror) Replace(ctx context.Context, version, folder string) error {
	name := fmt.Sprintf("skillhand-%s-%s-%s", version, m.OS, m.Arch)
	archive, suffix := name+".tar.gz", ""
	if m.OS == "windows" {
		archive, suffix = name+".zip", ".exe"
	}
	data, err := m.checked(ctx, version, archive)
	if err != nil {
		return err
	}
	programs := []string{"skillhand" + suffix, "skillhand-server" + suffix}
	var found [][]byte
	for _, program := range programs {
		binary, err := unpack(archive, data, name+"/"+program)
		if err != nil {
			return fmt.Errorf("%s: %w", archive, err)
		}
		found = append(found, binary)
	}
	for i, program := range programs {
		write := func(file string) error { return atomicfile.Write(file, found[i], 0o755) }
		if err := replace(filepath.Join(folder, program), m.OS, write); err != nil {
			return err
		}
	}
	return nil
}

// replace writes a program. Windows lets nobody overwrite a program that runs, but lets one rename it: it gets its
// name back if the new one cannot be written.
func replace(file, system string, write func(file string) error) error {
	if system != "windows" {
		return write(file)
	}
	old := file + ".old"
	if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	moved := os.Rename(file, old)
	if moved != nil && !errors.Is(moved, os.ErrNotExist) {
		return moved
	}
	err := write(file)
	if err != nil && moved == nil {
		return errors.Join(err, os.Rename(old, file))
	}
	return err
}

// checked downloads an archive and compares it with its checksum.
func (m Mirror) checked(ctx context.Context, version, archive string) ([]byte, error) {
	from := m.URL + "/download/" + version + "/"
	list, err := download(ctx, from+"SHA256SUMS")
	if err != nil {
		return nil, err
	}
	want := ""
	for line := range strings.Lines(string(list)) {
		if sum, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && name == archive {
			want = sum
		}
	}
	if want == "" {
		return nil, fmt.Errorf("SHA256SUMS of %s does not list %s", version, archive)
	}
	data, err := download(ctx, from+archive)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != want {
		return nil, fmt.Errorf("%s: its checksum is %s, want %s", archive, got, want)
	}
	return data, nil
}

func get(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close()
		return nil, fmt.Errorf("%s: %s", url, res.Status)
	}
	return res, nil
}

func download(ctx context.Context, url string) ([]byte, error) {
	res, err := get(ctx, url)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err == nil && len(data) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	return data, nil
}

// unpack returns one file of an archive.
func unpack(archive string, data []byte, name string) ([]byte, error) {
	if strings.HasSuffix(archive, ".zip") {
		zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, err
		}
		f, err := zr.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		return io.ReadAll(io.LimitReader(f, most))
	}
	gz, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for tr := tar.NewReader(gz); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s is not in it", name)
		}
		if err != nil {
			return nil, err
		}
		if h.Name == name {
			return io.ReadAll(io.LimitReader(tr, most))
		}
	}
}
