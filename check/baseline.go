package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
)

// A Baseline is the findings that a project lives with for now.
type Baseline struct {
	Version  int             `json:"version"`
	Findings []BaselineEntry `json:"findings"`
}

// A BaselineEntry stands for findings with one fingerprint.
type BaselineEntry struct {
	File        string `json:"file"`
	Rule        string `json:"rule"`
	Fingerprint string `json:"fingerprint"`
	Count       int    `json:"count"`
}

func baseKey(f *Finding) string {
	key, _, _ := strings.Cut(f.Fingerprint, ":")
	return key
}

// NewBaseline makes a baseline of findings.
func NewBaseline(all []*Finding) *Baseline {
	b := &Baseline{Version: 1, Findings: []BaselineEntry{}}
	index := map[string]int{}
	for _, f := range all {
		key := baseKey(f)
		i, ok := index[key]
		if !ok {
			i = len(b.Findings)
			index[key] = i
			b.Findings = append(b.Findings, BaselineEntry{File: f.fixed, Rule: f.Rule, Fingerprint: key})
		}
		b.Findings[i].Count++
	}
	return b
}

// ReadBaseline reads a baseline from its file.
func ReadBaseline(file string) (*Baseline, error) {
	src, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w: skillhand check --write-baseline makes it", file, files.Cause(err))
	}
	if err != nil {
		return nil, err
	}
	return ParseBaseline(file, src)
}

// ParseBaseline reads a baseline.
func ParseBaseline(file string, src []byte) (*Baseline, error) {
	var b Baseline
	if err := json.Unmarshal(src, &b); err != nil {
		why := err.Error()
		if errors.As(err, new(*json.UnmarshalTypeError)) {
			why = "want an object with version and findings"
		}
		return nil, fmt.Errorf("%s: not a baseline: %s: skillhand check --write-baseline makes one", file, why)
	}
	if b.Version != 1 {
		return nil, fmt.Errorf("%s: not a baseline: version is %d, want 1", file, b.Version)
	}
	return &b, nil
}

// Take removes from a result what is in the baseline. It returns how many findings that were,
// and the entries that are stale: nothing in the files that were checked matches them.
func (b *Baseline) Take(r *Result) (taken int, stale []BaselineEntry) {
	left := map[string]int{}
	for _, e := range b.Findings {
		left[e.Fingerprint] += e.Count
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f *Finding) bool {
		if left[baseKey(f)] == 0 {
			return false
		}
		left[baseKey(f)]--
		taken++
		return true
	})
	for _, e := range b.Findings {
		if left[e.Fingerprint] > 0 && (r.checked[e.File] || !find.IsThere(filepath.Join(r.top, filepath.FromSlash(e.File)))) {
			stale = append(stale, e)
		}
	}
	return taken, stale
}
