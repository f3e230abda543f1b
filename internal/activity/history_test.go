package activity

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/skillhand/skillhand/internal/test"
)

// writeVariable turns this test program into a writer: it appends records to the store in that
// folder, and prints the name of each record after writing it.
const writeVariable = "SKILLHAND_TEST_WRITE"

// writeRecords appends records from a process of its own, and prints the name of each.
func writeRecords(dir string) {
	for i := range 300 {
		name := fmt.Sprint(os.Getpid(), "-", i)
		if err := (Store{Dir: dir, MaxSize: 6 << 10}).Append(Record{Kind: Run, Skill: name,
			Project: strings.Repeat("p", i%40)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(name)
	}
}

// TestManyWriters lets 20 processes write and rotate, kills half of them, and reads at the same
// time. It checks that every record that was reported as written is found once.
func TestManyWriters(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "history"), MaxSize: 6 << 10}
	var mu sync.Mutex
	var written []string
	var writers sync.WaitGroup
	for i := range 20 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writeVariable+"="+s.Dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killAfter := rand.IntN(250)
		writers.Go(func() {
			n := 0
			for lines := bufio.NewScanner(out); lines.Scan(); n++ {
				mu.Lock()
				written = append(written, lines.Text())
				mu.Unlock()
				if i%2 == 0 && n == killAfter {
					cmd.Process.Kill()
				}
			}
			if err := cmd.Wait(); err != nil && i%2 != 0 {
				t.Errorf("writer: %v", err)
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	reads := 0
	for ended := false; !ended && !t.Failed(); reads++ {
		select {
		case <-done:
			ended = true // read all once more
		default:
		}
		mu.Lock()
		want := written[:len(written):len(written)]
		mu.Unlock()
		found, err := s.Read(Query{})
		if err != nil {
			t.Error(err)
		}
		times := map[string]int{}
		for _, r := range found.Records {
			times[r.Skill]++
		}
		for _, name := range want {
			if times[name] != 1 {
				t.Errorf("%s is there %d times", name, times[name])
			}
		}
	}
	<-done
	files, err := s.finished()
	if err != nil || len(files) < 10 {
		t.Errorf("%d files were finished (%v)", len(files), err)
	}
	if len(written) < 10*300 {
		t.Errorf("only %d were written", len(written))
	}
	t.Logf("%d records, %d files, %d reads", len(written), len(files), reads)
}

// TestReadWhileRotating begins a new file after about every second record. At the same time, it
// looks for the latest record that was written before.
func TestReadWhileRotating(t *testing.T) {
	for range 12 {
		s := Store{Dir: t.TempDir(), MaxSize: 120}
		var written atomic.Int64
		var writer sync.WaitGroup
		writer.Go(func() {
			for i := range maxFiles {
				if err := s.Append(Record{Kind: Run, DurationMS: float64(i + 1)}); err != nil {
					t.Error(err)
					return
				}
				written.Store(int64(i + 1))
			}
		})
		for before := int64(0); before < maxFiles && !t.Failed(); before = written.Load() {
			latest := 0.0
			if _, err := s.Each(Query{Within: 3}, func(r *Record) { latest = max(latest, r.DurationMS) }); err != nil ||
				latest < float64(before) {
				t.Errorf("the latest is %v, but %d were written (%v)", latest, before, err)
			}
		}
		writer.Wait()
	}
}

func write(t *testing.T, s Store, records ...Record) {
	t.Helper()
	for _, r := range records {
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
}

func names(f Found) string {
	var all []string
	for _, r := range f.Records {
		all = append(all, r.Name())
	}
	return strings.Join(all, " ")
}

// TestTornLine cuts the last line at every byte, as a killed writer may leave it.
func TestTornLine(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	write(t, s, Record{Kind: Run, Skill: "one"}, Record{Kind: Run, Skill: "two"})
	path := filepath.Join(s.Dir, current)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second := bytes.Index(whole, []byte("\n\n")) + 1
	for cut := second; cut < len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		write(t, s, Record{Kind: Run, Skill: "three"})
		found, err := s.Read(Query{})
		if err != nil {
			t.Fatal(err)
		}
		want, damaged := "one three", 1
		switch cut {
		case second, second + 1:
			damaged = 0
		case len(whole) - 1: // everything except the newline
			want, damaged = "one two three", 0
		}
		if names(found) != want || found.Damaged != damaged {
			t.Errorf("cut at %d: %s and %d damaged, want %s and %d", cut, names(found), found.Damaged, want, damaged)
		}
	}
}

func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		test.Lacking(t, err)
	}
	s := Store{Dir: t.TempDir()}
	if err := os.Symlink("/dev/full", filepath.Join(s.Dir, current)); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(Record{Kind: Run}); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("Append: %v", err)
	}
}

func TestPrivate(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "a", "history")}
	write(t, s, Record{Kind: Run})
	for path, want := range map[string]fs.FileMode{s.Dir: 0o700, filepath.Join(s.Dir, current): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}

func TestRotation(t *testing.T) {
	now := time.Now()
	day := 24 * time.Hour
	s := Store{Dir: t.TempDir(), MaxSize: 1000}
	for i := range 100 {
		write(t, s, Record{Kind: Run, Skill: fmt.Sprint(i), Time: now})
	}
	found, err := s.Read(Query{})
	if err != nil || len(found.Records) != 100 || found.Records[0].Skill != "0" || found.Records[99].Skill != "99" {
		t.Errorf("%s (%v)", names(found), err)
	}
	if files, _ := s.finished(); len(files) < 5 {
		t.Errorf("%d files", len(files))
	}
	if found, _ = s.Read(Query{Last: 3}); names(found) != "97 98 99" {
		t.Errorf("the last three: %s", names(found))
	}
	if found, _ = s.Read(Query{Within: 30, Skill: "50"}); names(found) != "" {
		t.Errorf("within the last 30: %s", names(found))
	}

	// Append finishes a file that began long ago, and removes a file that was finished long ago.
	s = Store{Dir: t.TempDir()}
	write(t, s, Record{Kind: Run, Skill: "old", Time: now.Add(-31 * day)}, Record{Kind: Run, Skill: "new", Time: now})
	files, err := s.finished()
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	ancient := now.Add(-500*day).UTC().Format(stamp) + "-X" + ending
	if err := os.WriteFile(filepath.Join(s.Dir, ancient),
		[]byte(`{"time":"2020-01-01T00:00:00Z","kind":"run","skill":"ancient","project":"","ok":true,"duration_ms":0}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	if found, _ := s.Read(Query{}); names(found) != "ancient old new" {
		t.Errorf("%s", names(found))
	}
	if found, _ := s.Read(Query{Since: now.Add(-day)}); names(found) != "new" {
		t.Errorf("since yesterday: %s", names(found))
	}
	write(t, s, Record{Kind: Run, Skill: "a", Time: now.Add(-31 * day)}, Record{Kind: Run, Skill: "b", Time: now})
	if found, _ := s.Read(Query{}); names(found) != "old a new b" {
		t.Errorf("after a sweep: %s", names(found))
	}
}

func TestQuery(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	at := func(minute int) time.Time { return time.Date(2026, 11, 15, 5, minute, 0, 0, time.UTC) }
	write(t, s,
		Record{Time: at(1), Kind: Run, Skill: "a", Project: "/p", OK: true, Session: "s1"},
		Record{Time: at(2), Kind: Run, Skill: "b", Project: "/q", Session: "s1", Category: "CONFLICT"},
		Record{Time: at(3), Kind: Ask, PromptHash: "0123456789", Project: "/p", OK: true, Session: "s2"},
		Record{Time: at(4), Kind: Ask, Skill: `ä"<`, Project: "/p", Category: "auth"},
	)
	for _, tt := range []struct {
		q    Query
		want string
	}{
		{Query{}, `a b prompt 01234567 ä"<`},
		{Query{Kind: Run}, "a b"},
		{Query{Kind: Ask, Failed: true}, `ä"<`},
		{Query{Skill: `ä"<`}, `ä"<`},
		{Query{Skill: "/p"}, ""},
		{Query{Project: "/p", Last: 2}, `prompt 01234567 ä"<`},
		{Query{Session: "s1"}, "a b"},
		{Query{Since: at(3)}, `prompt 01234567 ä"<`},
		{Query{Failed: true}, `b ä"<`},
		{Query{Within: 1}, `ä"<`},
	} {
		if found, err := s.Read(tt.q); err != nil || names(found) != tt.want || found.Damaged != 0 {
			t.Errorf("Read(%+v) = %s, %v, %d damaged, want %s", tt.q, names(found), err, found.Damaged, tt.want)
		}
	}
	if found, err := (Store{Dir: filepath.Join(t.TempDir(), "none")}).Read(Query{}); err != nil || len(found.Records) != 0 {
		t.Errorf("an empty history: %v, %v", found, err)
	}
}

// TestChunks checks that the result does not depend on where a file is cut into chunks or on its
// content.
func TestChunks(t *testing.T) {
	s := Store{Dir: t.TempDir(), MaxSize: 1 << 30}
	var want []string
	for i := range 3000 {
		name := fmt.Sprint("skill", i)
		want = append(want, name)
		write(t, s, Record{Kind: Run, Skill: name, Project: strings.Repeat("p", i%700), Time: time.UnixMilli(int64(i + 1))})
		if i == 1500 {
			f, err := os.OpenFile(filepath.Join(s.Dir, current), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(strings.Repeat("x", 3*chunk)); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
	}
	found, err := s.Read(Query{})
	if err != nil || names(found) != strings.Join(want, " ") || found.Damaged == 0 {
		t.Errorf("%d records, %d damaged, %v", len(found.Records), found.Damaged, err)
	}
}

// TestLongFields checks that a record's line is small whatever the record contains.
func TestLongFields(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	long := strings.Repeat("ä", 100_000)
	write(t, s, Record{Kind: Run, Skill: long, Project: long, Category: long, Detail: long, Session: long,
		PromptHash: long, InputHash: long})
	found, err := s.Read(Query{})
	if err != nil || len(found.Records) != 1 || len(found.Records[0].Skill) > maxField+3 ||
		!strings.HasSuffix(found.Records[0].Skill, "ä…") {
		t.Errorf("%v", err)
	}
	if info, _ := os.Stat(filepath.Join(s.Dir, current)); info.Size() > 10_000 {
		t.Errorf("%d bytes", info.Size())
	}
}

func TestHash(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{{}, {""}, {"ab"}, {"a", "b"}, {"a", "b", ""}, {"b", "a"}} {
		h := Hash(parts...)
		if other, ok := seen[h]; ok {
			t.Errorf("Hash(%q) = Hash(%q)", parts, other)
		}
		seen[h] = parts
	}
	if Hash("a", "b") != "e5a01fee14e0ed5c48714f22180f25ad" {
		t.Errorf("a hash is not what it was: %s", Hash("a", "b"))
	}
}

// TestRoundTrip checks that records are read as they were written.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringMatching(`[ -~äöü日本]{0,12}`), rapid.String())
		r := Record{
			Time:  time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "time")).UTC(),
			Kind:  Kind(rapid.SampledFrom([]string{"run", "ask", "ü\n"}).Draw(t, "kind")),
			Skill: text.Draw(t, "skill"), Label: text.Draw(t, "label"), Job: text.Draw(t, "job"),
			Batch: text.Draw(t, "batch"), Agent: text.Draw(t, "agent"),
			PromptHash: text.Draw(t, "prompt"), Project: text.Draw(t, "project"), OK: rapid.Bool().Draw(t, "ok"),
			Category: text.Draw(t, "category"), Detail: text.Draw(t, "detail"), DurationMS: rapid.Float64Range(-1, 1e9).Draw(t, "duration"),
			CostUSD: rapid.Float64Range(0, 1e-5).Draw(t, "cost"), Session: text.Draw(t, "session"), InputHash: text.Draw(t, "input"),
		}
		if rapid.Bool().Draw(t, "has confidence") {
			c := rapid.Float64Range(0, 1).Draw(t, "confidence")
			r.Confidence = &c
		}
		line, err := r.line()
		if err != nil {
			t.Fatal(err)
		}
		var got *Record
		rd := newReader(Query{}, func(r *Record) { got = r })
		rd.line(bytes.TrimSpace(line))
		if got == nil {
			t.Fatalf("not read: %s", line)
		}
		var want Record
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Fatalf("%s: (-want +got):\n%s", line, diff)
		}
	})
}

func BenchmarkEach(b *testing.B) {
	s := Store{Dir: b.TempDir()}
	c := 0.9
	for i := range 100_000 {
		err := s.Append(Record{
			Kind:       Run,
			Skill:      fmt.Sprint("skill", i%20),
			Project:    "/home/me/src/project",
			OK:         i%7 != 0,
			Confidence: &c,
			DurationMS: 123.4,
			Session:    "3f2a7c1e-1234-4abc-8def-0123456789ab",
			InputHash:  Hash("a"),
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		n := 0
		if _, err := s.Each(Query{}, func(*Record) { n++ }); err != nil || n != 100_000 {
			b.Fatal(n, err)
		}
	}
}

func ExampleStore() {
	dir, _ := os.MkdirTemp("", "history-")
	defer os.RemoveAll(dir)
	store := Store{Dir: dir}
	store.Append(Record{Kind: Run, Skill: "deploy", OK: true})
	store.Append(Record{Kind: Run, Skill: "build", Category: "TIMED_OUT"})
	found, _ := store.Read(Query{Failed: true})
	for _, r := range found.Records {
		fmt.Println(r.Name(), r.Category)
	}
	// Output: build TIMED_OUT
}

// TestJobs checks that a record of a job that was retried stays and is marked. A job of another
// batch of the same name is another job.
func TestJobs(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for i, r := range []Record{
		{Job: "b/one", Category: "TIMED_OUT"}, {Job: "b/two", OK: true}, {Skill: "other"}, {Job: "b/one", OK: true},
		{Job: "b/three", Category: "CONFLICT"}, {Job: "b/three", Category: "CONFLICT"},
		{Job: "c/one", Batch: "monday", Category: "CONFLICT"}, {Job: "c/one", Batch: "tuesday", OK: true},
	} {
		r.Kind, r.Project, r.Time = Run, "/p", at.Add(time.Duration(i)*time.Second)
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		q    Query
		want []string
	}{
		{Query{}, []string{"b/one retried", "b/two", "", "b/one", "b/three retried", "b/three", "c/one", "c/one"}},
		{Query{Failed: true}, []string{"b/one retried", "", "b/three retried", "b/three", "c/one"}},
		{Query{Skill: "other"}, []string{""}},
		{Query{Last: 3}, []string{"b/three", "c/one", "c/one"}},
	} {
		found, err := s.Read(tt.q)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, r := range found.Records {
			name := r.Job
			if r.Retried {
				name += " retried"
			}
			got = append(got, name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v: %s", tt.q, diff)
		}
	}
}
