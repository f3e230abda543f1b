package jobs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/doc"
)

// isLines reports whether a file has one JSON object per line. It judges by the file's name. If the
// name does not say, it reads the first line: this must be an object without the key jobs.
func isLines(file string, src io.ReadSeeker) (bool, error) {
	switch filepath.Ext(file) {
	case ".jsonl", ".ndjson":
		return true, nil
	case ".yaml", ".yml", ".json":
		return false, nil
	}
	for line, err := range lines(src) {
		if err != nil {
			return false, err
		}
		if len(line) == 0 {
			continue
		}
		if _, err := src.Seek(0, io.SeekStart); err != nil {
			return false, err
		}
		var first map[string]json.RawMessage
		if json.Unmarshal(line, &first) != nil {
			return false, nil
		}
		_, whole := first["jobs"]
		return !whole, nil
	}
	return false, nil
}

// lines yields the trimmed lines of a source from its beginning.
func lines(src io.ReadSeeker) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if _, err := src.Seek(0, io.SeekStart); err != nil {
			yield(nil, err)
			return
		}
		r := bufio.NewReaderSize(src, 64<<10)
		for first := true; ; first = false {
			line, err := r.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				yield(nil, err)
				return
			}
			if first {
				line = bytes.TrimPrefix(line, []byte("\uFEFF"))
			}
			if len(line) > 0 && !yield(bytes.TrimSpace(line), nil) || err != nil {
				return
			}
		}
	}
}

// jsonLines reads one job per line. A line with name or defaults and without a job applies to the
// lines after it.
func (p *parser) jsonLines(src io.ReadSeeker) error {
	line := 0
	for text, err := range lines(src) {
		if err != nil {
			return err
		}
		line++
		if len(text) == 0 {
			continue
		}
		n, fault := doc.JSONAsYAML(string(text), line)
		if fault != nil {
			p.FaultAt(line, "not JSON: %s", fault.Text)
			continue
		}
		if hasKey(n, "name") || hasKey(n, "defaults") {
			p.header(p.Fields(n, "a line", "name", "defaults"))
			continue
		}
		if !p.job(line, p.Fields(n, "a line", keys...)) {
			break
		}
	}
	return nil
}

func hasKey(n *yaml.Node, key string) bool {
	for i := 0; i < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// schema reads a JSON Schema from the job file, or from a file that it names. The schema is stored
// in the job, because another machine may not have the file.
func (p *parser) schema(n *yaml.Node, into *json.RawMessage) {
	if n.Kind == yaml.MappingNode {
		var v any
		err := n.Decode(&v)
		if err == nil {
			*into, err = json.Marshal(v)
		}
		if err != nil {
			p.Fault(n, "schema: %v", err)
		}
		return
	}
	before := p.Failed()
	file := p.Text(n, "schema")
	if p.Failed() > before {
		return
	}
	name := file
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.dir, name)
	}
	b, err := os.ReadFile(name)
	var wrong *fs.PathError
	switch {
	case errors.As(err, &wrong):
		p.Fault(n, "schema: %s: %v", file, wrong.Err)
	case !json.Valid(b):
		p.Fault(n, "schema: %s: not JSON", file)
	default:
		var line bytes.Buffer
		_ = json.Compact(&line, b) // b is valid JSON
		*into = line.Bytes()
	}
}

// glob returns the files that a pattern matches, in order, as paths relative to dir. A part that is
// ** matches any number of folders that are not hidden. A pattern may lead out of dir only if
// outside is set.
func glob(dir, pattern string, outside bool) ([]string, error) {
	clean := path.Clean(filepath.ToSlash(pattern))
	up := ""
	for strings.HasPrefix(clean, "../") {
		clean, up = clean[3:], up+"../"
	}
	switch {
	case path.IsAbs(clean) || clean == "..":
		return nil, fmt.Errorf("%s is outside the job file's folder: want a path that begins there", pattern)
	case up != "" && !outside:
		return nil, fmt.Errorf(
			"%s is outside the job file's folder: trust the project with skillhand trust, or move the job file up", pattern)
	}
	parts := strings.Split(clean, "/")
	for _, part := range parts {
		if _, err := path.Match(part, ""); err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
	}
	found := map[string]bool{}
	if err := match(os.DirFS(filepath.Join(dir, filepath.FromSlash(up))), ".", parts, found); err != nil {
		return nil, err
	}
	var files []string
	for f := range found {
		files = append(files, up+f)
	}
	slices.Sort(files)
	return files, nil
}

// match collects the files below a folder whose paths match the parts.
func match(root fs.FS, folder string, parts []string, found map[string]bool) error {
	entries, err := fs.ReadDir(root, folder)
	if err != nil {
		return err
	}
	if parts[0] == "**" && len(parts) > 1 {
		if err := match(root, folder, parts[1:], found); err != nil { // ** matches no folder
			return err
		}
	}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		info, err := fs.Stat(root, name) // a link counts as its target
		if err != nil {
			continue
		}
		hidden := strings.HasPrefix(e.Name(), ".")
		switch {
		case parts[0] == "**":
			if e.IsDir() && !hidden {
				if err := match(root, name, parts, found); err != nil {
					return err
				}
			} else if len(parts) == 1 && info.Mode().IsRegular() && !hidden {
				found[name] = true
			}
		case hidden && !strings.HasPrefix(parts[0], "."):
		default:
			if ok, _ := path.Match(parts[0], e.Name()); !ok {
				continue
			}
			if len(parts) == 1 && info.Mode().IsRegular() {
				found[name] = true
			} else if len(parts) > 1 && info.IsDir() {
				if err := match(root, name, parts[1:], found); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
