package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

// A case has a job file, jobs.yaml, jobs.jsonl or jobs, and files next to it. It wants a line for
// each job, with its payload, or the errors.
func TestParse(t *testing.T) {
	test.Cases(t, "testdata/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		dir := t.TempDir()
		file := ""
		for name, text := range c.Files {
			if name == "want" || name == "faults" {
				continue
			}
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(name, "jobs") {
				file = name
			}
		}
		got, err := Parse(file, []byte(c.Files[file]), dir)
		if err != nil {
			return map[string]string{"want": "", "faults": err.Error() + "\n"}
		}
		var b strings.Builder
		b.WriteString("name: " + got.Name + "\n")
		for j, err := range got.Jobs.All {
			if err != nil {
				t.Fatal(err)
			}
			line, err := json.Marshal(j)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(strings.ReplaceAll(string(line), dir, "DIR") + "\n")
			if strings.Contains(j.Same, dir) {
				t.Errorf("%s depends on the folder: %s", j.ID, j.Same)
			}
		}
		return map[string]string{"want": b.String(), "faults": ""}
	})
}

// An error names the broken line among ten thousand, and so does the next.
func TestManyLines(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 10_000 {
		switch i {
		case 4_321:
			b.WriteString("{\"id\": \"broken\"\n")
		case 8_000:
			b.WriteString(`{"id": "x", "rum": "./a"}` + "\n")
		default:
			line, _ := json.Marshal(map[string]any{"id": i, "run": "./a"})
			b.WriteString(strings.Replace(string(line), `"id":`, `"id":`, 1) + "\n")
		}
	}
	_, err := Parse("jobs.jsonl", []byte(b.String()), t.TempDir())
	if err == nil {
		t.Fatal("no fault")
	}
	got := strings.Split(err.Error(), "\n")
	if len(got) != 3 || !strings.HasPrefix(got[0], "jobs.jsonl:4322: not JSON: ") ||
		!strings.HasPrefix(got[1], "jobs.jsonl:8001: unknown key rum") || !strings.HasPrefix(got[2], "jobs.jsonl:8001: ") {
		t.Errorf("got %q", got)
	}
}

// A file of JSON lines is read as a stream: it keeps less of a job than the job's line.
func TestStream(t *testing.T) {
	const n = 20_000
	src := io.NewSectionReader(manyLines{}, 0, n*lineSize)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	got, err := Read("jobs.jsonl", src, t.TempDir(), false)
	if err != nil || got.N != n {
		t.Fatalf("%+v, %v", got, err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n; kept > lineSize/4 {
		t.Errorf("%d bytes are kept of a job", kept)
	}
	for range 2 {
		last := ""
		for j, err := range got.Jobs.All {
			if err != nil {
				t.Fatal(err)
			}
			last = j.ID
		}
		if want := "job-00019999"; last != want {
			t.Errorf("the last one is %s, want %s", last, want)
		}
	}
}

// A manyLines is a file that generates as many jobs as are read from it.
type manyLines struct{}

const lineSize = 160

func (manyLines) ReadAt(p []byte, at int64) (int, error) {
	n := 0
	for n < len(p) {
		line := fmt.Sprintf(`{"id": "job-%08d", "ask": "`, at/lineSize)
		line += strings.Repeat("x", lineSize-len(line)-3) + "\"}\n"
		m := copy(p[n:], line[at%lineSize:])
		n, at = n+m, at+int64(m)
	}
	return n, nil
}

// If a file changes between two readings, that is an error. It does not yield other jobs.
func TestChanged(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"id": "a", "ask": "y"}`, `{"id": "a", "ask": x}`, ``} {
		src := []byte(`{"id": "a", "ask": "x"}`)
		got, err := Read("jobs.jsonl", bytes.NewReader(src), t.TempDir(), false)
		if err != nil {
			t.Fatal(err)
		}
		copy(src, strings.Repeat(" ", len(src)))
		copy(src, text)
		var last error
		for _, err := range got.Jobs.All {
			last = err
		}
		if last == nil || last.Error() != "jobs.jsonl was changed while it was read" {
			t.Errorf("%q: %v", text, last)
		}
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	src := "jobs:\n- {id: big, ask: \"" + strings.Repeat("x", MaxJob) + "\"}\n- {id: small, ask: x}\n"
	_, err := Parse("jobs.yaml", []byte(src), t.TempDir())
	if err == nil || !strings.HasPrefix(err.Error(), "jobs.yaml:2: job big has 10486") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(b), "-- ") {
			_, text, _ := strings.Cut(part, "\n")
			f.Add(text, strings.HasPrefix(text, "{"))
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, src string, lines bool) {
		name := "jobs.yaml"
		if lines {
			name = "jobs.jsonl"
		}
		got, err := Parse(name, []byte(src), dir)
		switch {
		case err != nil:
			for line := range strings.SplitSeq(err.Error(), "\n") {
				_ = line
			}
		case got.N == 0:
			t.Error("neither jobs nor faults")
		}
		if err != nil {
			return
		}
		for j, err := range got.Jobs.All {
			if err != nil || j.ID == "" || !json.Valid(j.Payload) || len(j.Payload) > MaxJob {
				t.Errorf("job %+v, %v", j, err)
			}
		}
	})
}
