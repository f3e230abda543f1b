package settings

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

func TestListing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"home/.claude/settings.json":       `{"skillListingBudgetFraction": 0.02, "model": "opus", "disableBundledSkills": true, "skillOverrides": {"a": "off", "b": "on"}}`,
		"repo/.claude/settings.json":       `{"skillListingMaxDescChars": 300, "skillOverrides": {"b": "name-only"}}`,
		"repo/.claude/settings.local.json": `{"skillListingBudgetFraction": 0.5, "disableBundledSkills": false}`,
		"home/.claude.json":                `{"skillUsage": {"new": {"usageCount": 8, "lastUsedAt": 864000000}, "week": {"usageCount": 8, "lastUsedAt": 259200000}, "old": {"usageCount": 8, "lastUsedAt": 1}, "odd": {}}}`,
	})
	w := Where{Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "repo"), System: filepath.Join(dir, "none")}
	got := fmt.Sprintf("%+v", Read(w).Listing())
	if want := "{Fraction:0.5 MaxDescription:300 Overrides:map[a:off b:name-only] NoBundled:false Model:opus}"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	used := Usage(w, time.UnixMilli(864_000_000)) // ten days
	for name, want := range map[string]float64{"new": 8, "week": 4, "old": 2.97, "odd": 0} {
		if d := used[name] - want; d > 0.01 || d < -0.01 {
			t.Errorf("%s counts %.2f, want %.2f", name, used[name], want)
		}
	}
	if later := Usage(w, time.UnixMilli(86_400_000_000))["old"]; later != 0.8 {
		t.Errorf("an old use counts %.2f, want a tenth", later)
	}
}

// TestListingFaults: a value of the wrong kind has Claude Code pass over the whole file.
func TestListingFaults(t *testing.T) {
	for src, want := range map[string]string{
		`{"skillListingBudgetFraction": 2}`:   "f:1: skillListingBudgetFraction is not a number above 0, at most 1, so Claude Code ignores the whole file",
		`{"skillListingBudgetFraction": 0}`:   "f:1: skillListingBudgetFraction is not a number above 0, at most 1, so Claude Code ignores the whole file",
		`{"skillListingBudgetFraction": "1"}`: "f:1: skillListingBudgetFraction is not a number above 0, at most 1, so Claude Code ignores the whole file",
		`{"skillListingMaxDescChars": 1.5}`:   "f:1: skillListingMaxDescChars is not a whole number above 0, so Claude Code ignores the whole file",
		`{"skillOverrides": []}`:              "f:1: skillOverrides is not an object, so Claude Code ignores the whole file",
		`{"skillOverrides": {"a": "maybe"}}`:  "f:1: skillOverrides.a is not on, name-only, user-invocable-only or off, so Claude Code ignores the whole file",
		`{"disableBundledSkills": "yes"}`:     "f:1: disableBundledSkills is not true or false, so Claude Code ignores the whole file",
	} {
		if _, err := Parse("f", []byte(src)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}
