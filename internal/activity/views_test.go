package activity

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/test"
)

func TestPercent(t *testing.T) {
	for _, tt := range []struct{ part, whole, want int }{
		{0, 0, 0}, {0, 5, 0}, {5, 5, 100}, {1, 1000, 1}, {999, 1000, 99}, {2, 3, 67},
	} {
		if got := percent(tt.part, tt.whole); got != tt.want {
			t.Errorf("percent(%d, %d) = %d, want %d", tt.part, tt.whole, got, tt.want)
		}
	}
}

// TestBoxes checks that every line of a box is as wide as the box, whatever the box contains.
// Without colors, no recorded text reaches the terminal as a command.
func TestBoxes(t *testing.T) {
	words := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("abc 日語👩\u200d🚀🏽e\u0301ไ\x1b[2J\n\t\u202e"))))
	now := time.Date(2026, 11, 15, 5, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		var records []Record
		for range rapid.IntRange(0, 30).Draw(t, "records") {
			r := Record{
				Time: now.Add(-time.Duration(rapid.IntRange(0, 6*24*3600).Draw(t, "age")) * time.Second), Kind: Run,
				Skill: words.Draw(t, "skill"), OK: rapid.Bool().Draw(t, "ok"), DurationMS: rapid.Float64Range(0, 1e9).Draw(t, "duration"),
				CostUSD: rapid.Float64Range(0, 1e6).Draw(t, "cost"), InputHash: words.Draw(t, "input"),
			}
			if !r.OK {
				r.Category = words.Draw(t, "category")
			}
			if rapid.Bool().Draw(t, "sure") {
				c := rapid.Float64Range(0, 1).Draw(t, "confidence")
				r.Confidence = &c
			}
			records = append(records, r)
		}
		review := ReviewOf(records, now.AddDate(0, 0, -7), now)
		retro := &Retro{Review: *review}
		status := &Status{
			Project: words.Draw(t, "project"), Session: "s", Recent: records[:min(recent, len(records))],
			Loaded: []Loaded{{Skill: words.Draw(t, "loaded"), Time: now}}, Total: review.Total, OK: review.OK, Next: review.Next,
		}
		asked := rapid.OneOf(rapid.IntRange(-5, -1), rapid.IntRange(1, 250)).Draw(t, "width")
		look := Look{Columns: asked, Now: now}
		want := min(max(asked, term.MinWidth), term.MaxWidth)
		for _, box := range []string{status.Box(look), retro.Box(look)} {
			for line := range strings.SplitSeq(strings.TrimSuffix(box, "\n"), "\n") {
				if got := term.Cells(line); got != want {
					t.Fatalf("%d columns, want %d: %q in\n%s", got, want, line, box)
				}
			}
			if strings.ContainsAny(box, "\x1b\t\u202e") {
				t.Fatalf("control characters in %q", box)
			}
		}
		for _, text := range []string{status.Markdown(look), retro.Markdown(), Records(records, look)} {
			if strings.ContainsAny(text, "\x1b\u202e") {
				t.Fatalf("control characters in %q", text)
			}
		}
	})
}

// TestLooks shows status and retro at several widths.
func TestLooks(t *testing.T) {
	now := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	test.Cases(t, "testdata/looks/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		records := readRecords(t, c.Files["records"])
		review := ReviewOf(records, now.AddDate(0, 0, -7), now)
		status := &Status{
			Project: "/home/me/src/日本語",
			Session: "3f2a7c1e-5b60-4d10-9c3e-0123456789ab",
			Total:   review.Total,
			OK:      review.OK,
			Next:    review.Next[:min(steps, len(review.Next))],
		}
		for i := range records {
			status.Recent = append(status.Recent, records[len(records)-1-i])
		}
		if len(records) > 0 {
			status.Loaded = []Loaded{{Skill: "review", Time: now.Add(-3 * time.Minute)}, {Skill: "レビュー", Time: now.Add(-30 * time.Hour)}}
		}
		retro, look := &Retro{Review: *review}, Look{Home: "/home/me", Now: now}
		got := map[string]string{"markdown": retro.Markdown(), "status markdown": status.Markdown(look), "history": Records(records, look)}
		for _, width := range []int{40, 60, 80, 200} {
			look.Columns = width
			got[fmt.Sprint("status ", width)] = status.Box(look)
			got[fmt.Sprint("retro ", width)] = retro.Box(look)
		}
		return got
	})
}

// TestManyLoaded checks that the skills that fit are listed and that the others are counted.
func TestManyLoaded(t *testing.T) {
	now := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	for n, want := range map[int]string{recent: "", recent + 2: "  and 2 more"} {
		status := &Status{Session: "s"}
		for i := range n {
			status.Loaded = append(status.Loaded, Loaded{Skill: fmt.Sprint("skill-", i), Time: now})
		}
		box := status.Box(Look{Now: now})
		if strings.Count(box, "skill-") != recent || !strings.Contains(box, want) || want == "" && strings.Contains(box, " more") {
			t.Errorf("%d are loaded:\n%s", n, box)
		}
	}
}

// TestFailuresAreRed checks that failures are red and that nothing else is.
func TestFailuresAreRed(t *testing.T) {
	now := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	records := []Record{
		{Time: now, Kind: Run, Skill: "good", OK: true},
		{Time: now, Kind: Run, Skill: "bad", Category: "CONFLICT"},
	}
	retro := &Retro{Review: *ReviewOf(records, now.AddDate(0, 0, -7), now)}
	box := retro.Box(Look{Now: now, Paint: term.Painter(true)})
	for failed, want := range map[string]bool{"\x1b[31m       1": true, "\x1b[31m       0": false} {
		if strings.Contains(box, failed) != want {
			t.Errorf("%q: want %v in\n%q", failed, want, box)
		}
	}
}

func readRecords(t *testing.T, lines string) []Record {
	t.Helper()
	var records []Record
	for line := range strings.Lines(lines) {
		var r Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}
