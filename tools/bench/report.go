package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/report"
)

//go:embed report.mjs
var peer []byte

// reports measures reading reports, compared to Node. Both are measured as whole processes.
func (b *bench) reports(binary, dir string) error {
	if _, err := exec.LookPath("node"); err != nil {
		return fmt.Errorf("node, the peer of reports, is not installed")
	}
	script := filepath.Join(dir, "report.mjs")
	if err := os.WriteFile(script, peer, 0o666); err != nil {
		return err
	}
	if err := b.reportFiles(binary, dir, script); err != nil {
		return err
	}
	for _, a := range adversaries {
		small, err := timeParse([]byte(a.text(a.n)))
		if err != nil {
			return err
		}
		large, err := timeParse([]byte(a.text(4 * a.n)))
		if err != nil {
			return err
		}
		cost(fmt.Sprintf("%s / a quarter of it", a.name), large, small, "about 4")
	}
	return nil
}

// adversaries are texts that make quadratic parsers slow.
var adversaries = []struct {
	name string
	n    int
	text func(n int) string
}{
	{"40,000 braces", 10_000, func(n int) string { return strings.Repeat("{", n) }},
	{"40,000 objects that are not closed", 10_000, func(n int) string { return "x" + strings.Repeat(`{"a":`, n) }},
	{"20,000 legacy deliverables", 5000, func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "Created: src/file%d.ts\n", i)
		}
		return b.String()
	}},
	{"a line of 10 MB", 10 << 20 / 4, func(n int) string { return strings.Repeat("word ", n/5) }},
}

// reportFiles measures reading 1, 100 and 10,000 files in one process.
func (b *bench) reportFiles(binary, dir, script string) error {
	folder := filepath.Join(dir, "reports")
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	var files []string
	for i := range 10_000 {
		file := filepath.Join(folder, fmt.Sprintf("%d.json", i))
		if err := os.WriteFile(file, reportOf(1), 0o666); err != nil {
			return err
		}
		files = append(files, file)
	}
	for _, n := range []int{1, 100, 10_000} {
		some := files[:n]
		t := b.medians(21, slices.Concat([]string{binary, "parse", "--json"}, some), slices.Concat([]string{"node", script, "files"}, some))
		speed(fmt.Sprintf("parse of %d reports / Node", n), t[0], t[1], "at least 3 x faster")
	}
	return b.err
}

// timeParse returns how long it takes to parse a text after a warm-up.
func timeParse(text []byte) (time.Duration, error) {
	if r := report.Parse(text, report.Options{}); r.Method == report.JSON && r.Report == nil {
		return 0, fmt.Errorf("%v", r.Faults)
	}
	batch := func(n int) time.Duration {
		began := time.Now()
		for range n {
			report.Parse(text, report.Options{})
		}
		return time.Since(began) / time.Duration(n)
	}
	n := 1
	for batch(n)*time.Duration(n) < 3*time.Millisecond {
		n *= 2
	}
	best := time.Hour // everything else on the machine only makes it slower
	for range 100 {
		best = min(best, batch(n))
	}
	return best, nil
}

// reportOf returns a report with n items of each kind. With n = 1 it has 273 bytes.
func reportOf(n int) []byte {
	r := report.Report{Success: true, Confidence: 0.92, Metrics: map[string]float64{"execution_time_ms": 1234, "files_modified": 2}}
	for i := range n {
		r.Deliverables = append(r.Deliverables, fmt.Sprintf("src/module%d/auth.ts", i))
		if i > 0 {
			r.Metrics[fmt.Sprintf("coverage_%d", i)] = float64(i) + 0.875
		}
		r.Errors = append(r.Errors, report.Error{
			Code: "FILE_NOT_FOUND", Message: fmt.Sprintf("Configuration file %d was not found anywhere here", i),
			Context: json.RawMessage(fmt.Sprintf(`{"path":"./config/%d.json","line":%d}`, i, i)),
		})
	}
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return text
}
