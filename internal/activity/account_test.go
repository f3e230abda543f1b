package activity

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/test"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writeVariable); dir != "" {
		writeRecords(dir)
		return
	}
	time.Local = time.UTC // for the days in reports
	os.Exit(m.Run())
}

// at returns a machine with a home folder.
func at(t *testing.T, home string) here.Here {
	t.Helper()
	home, err := filepath.Abs(home)
	if err != nil {
		t.Fatal(err)
	}
	return here.Here{Dir: t.TempDir(), Home: home, State: t.TempDir(), Env: here.Env{"HOME=" + home}}
}

func read(t *testing.T, h here.Here, o Options) *Account {
	t.Helper()
	r, err := Read(h, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Faults {
		t.Error(err)
	}
	addsUp(t, r)
	return r
}

// addsUp checks that the costs of all skills and the rest add up to the total, and that the days do
// too.
func addsUp(t interface{ Errorf(string, ...any) }, r *Account) {
	sum, days, sessions := r.Rest, Cost{}, Cost{}
	plus := func(c *Cost, d Cost) {
		usd := c.Known() + d.Known()
		c.USD, c.Unpriced, c.Turns = &usd, c.Unpriced+d.Unpriced, c.Turns+d.Turns
		c.Text, c.Work = c.Text.plus(d.Text), c.Work.plus(d.Work)
	}
	for _, s := range r.Skills {
		plus(&sum, s.Cost)
	}
	for _, d := range r.Days {
		plus(&days, d.Cost)
	}
	for _, s := range r.Sessions {
		plus(&sessions, s.Cost)
	}
	for name, c := range map[string]Cost{"skills and the rest": sum, "days": days, "sessions": sessions} {
		if math.Abs(c.Known()-r.Total.Known()) > 1e-9 || c.Text != r.Total.Text || c.Work != r.Total.Work || c.Turns != r.Total.Turns ||
			c.Unpriced != r.Total.Unpriced {
			t.Errorf("%s: $%.9f, %+v; in total $%.9f, %+v", name, c.Known(), c, r.Total.Known(), r.Total)
		}
	}
}

// TestRecorded reads transcripts that agents recorded. They contain only the lines that are read,
// and other texts of the same length.
func TestRecorded(t *testing.T) {
	homes, err := filepath.Glob("testdata/*/*/want.json")
	if err != nil || len(homes) == 0 {
		t.Fatal("no recordings")
	}
	for _, file := range homes {
		t.Run(filepath.ToSlash(filepath.Dir(file)), func(t *testing.T) {
			h := at(t, filepath.Dir(file))
			h.Env = append(h.Env, "CLAUDE_CONFIG_DIR="+h.Home)
			r := read(t, h, Options{})
			got, err := json.MarshalIndent(r, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			if *test.Update {
				if err := os.WriteFile(file, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// TestUnknownFormat checks that a transcript without any known line is reported with its version,
// and that nothing in it counts.
func TestUnknownFormat(t *testing.T) {
	home := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		file := filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(".claude/projects/x/new1.jsonl", `{"kind":"turn","version":"9.0.1","skill":"card"}`+"\n"+`{"kind":"turn"}`+"\n")
	write(".claude/projects/x/new2.jsonl", `{"kind":"turn","version":"9.0.1"}`+"\n")
	write(".claude/projects/x/binary.jsonl", "SQLite\x00\n")
	write(".claude/projects/x/begun.jsonl", `{"type":"user","mess`) // no whole line yet
	write(".claude/projects/x/empty.jsonl", "")
	write(".claude/projects/x/quiet.jsonl", `{"type":"summary","summary":"x"}`+"\n") // known, but without data
	write(".claude/projects/x/old.jsonl", `{"type":"user","sessionId":"s","message":{"content":"hi"},"timestamp":"2026-11-16T09:00:00Z"}`+"\n"+`{"type":"new-kind"}`+"\n")
	write(".codex/sessions/2026/rollout-1.jsonl", `{"type":"thread","payload":{"cli_version":"7.0"}}`+"\n")
	write(".pi/agent/sessions/p/1.jsonl", `{"type":"session","version":4,"id":"a"}`+"\n")
	write(".qwen/projects/p/chats/1.jsonl", `{"event":"x","version":3}`+"\n")
	h, err := here.Here{Dir: home, Home: home, State: t.TempDir(), Env: here.Env{"HOME=" + home}}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // from the transcripts, then from the index
		r := read(t, h, Options{})
		got := map[string]int{}
		for _, s := range r.Skipped {
			got[s.Agent+" "+s.Version] = s.Files
		}
		if diff := cmp.Diff(map[string]int{"claude ": 1, "claude 9.0.1": 2, "codex 7.0": 1, "qwen 3": 1}, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if len(r.Skills) != 0 || r.Damaged != 0 {
			t.Errorf("%+v, %d damaged", r.Skills, r.Damaged)
		}
	}
	if r := read(t, h, Options{Since: time.Now().AddDate(0, 0, 2)}); len(r.Skipped) != 0 {
		t.Errorf("older than the period: %v", r.Skipped)
	}
	want := "skipped 2 transcripts of claude 9.0.1, whose format is unknown: /x/a.jsonl and others"
	if got := (Skipped{"claude", "9.0.1", 2, "/x/a.jsonl"}).String(); got != want {
		t.Error(got)
	}
}
