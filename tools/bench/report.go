package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/report"
)

//go:embed report.mjs
var peer []byte

// reports measures reading reports beside Node doing the same.
func (b *bench) reports(binary, dir string) error {
	if _, err := exec.LookPath("node"); err != nil {
		return fmt.Errorf("node, the peer of reports, is not installed")
	}
	script := filepath.Join(dir, "report.mjs")
	if err := os.WriteFile(script, peer, 0o666); err != nil {
		return err
	}
	names := []string{"273 B", "9.4 KB in logs", "1 MB"}
	texts := [][]byte{reportOf(1), inLogs(reportOf(24)), reportOf(5500)}
	files := make([]string, len(texts))
	for i, text := range texts {
		files[i] = filepath.Join(dir, fmt.Sprintf("report%d.txt", i))
		if err := os.WriteFile(files[i], text, 0o666); err != nil {
			return err
		}
	}
	ours, theirs := slices.Repeat([]time.Duration{time.Hour}, len(texts)), slices.Repeat([]time.Duration{time.Hour}, len(texts))
	for range 3 { // in turns
		out, err := exec.Command("node", append([]string{script, "time"}, files...)...).Output()
		if err != nil {
			return fmt.Errorf("node: %w", err)
		}
		for i, line := range strings.Fields(string(out)) {
			ns, err := strconv.ParseFloat(line, 64)
			if err != nil {
				return err
			}
			theirs[i] = min(theirs[i], time.Duration(ns))
			t, err := timeParse(texts[i])
			if err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
			ours[i] = min(ours[i], t)
		}
	}
	for i, name := range names {
		row(fmt.Sprintf("parse and check a report, %s / Node", name), ours[i], theirs[i], float64(theirs[i])/float64(ours[i]), "more than 1 x faster")
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
		row(fmt.Sprintf("%s / a quarter of it", a.name), large, small, float64(large)/float64(small), "about 4")
	}
	return nil
}

// adversaries are texts that quadratic parsers choke on.
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

// reportFiles measures 10,000 files in one process.
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
	t := b.medians(21, slices.Concat([]string{binary, "parse", "--json"}, files), slices.Concat([]string{"node", script, "files"}, files))
	row("10,000 report files in one process / Node", t[0], t[1], float64(t[1])/float64(t[0]), "at least 5 x faster")
	return b.err
}

// timeParse returns how long it takes to parse a text, warm.
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
	best := time.Hour // what else the machine does only makes it slower
	for range 100 {
		best = min(best, batch(n))
	}
	return best, nil
}

// reportOf makes a report of n of everything. One makes 273 bytes.
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

// inLogs puts a report among log lines.
func inLogs(text []byte) []byte {
	line := "2026-01-01T12:00:00.000Z INFO  building module core, 12 of 345 files, 0 errors so far\n"
	return []byte(strings.Repeat(line, 30) + string(text) + "\n" + strings.Repeat(line, 30))
}
