package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/trust"
)

// TestGate checks that a skill's hub shows the checks of its done.yaml, whether its gate is on, and what came of it.
func TestGate(t *testing.T) {
	p := newPlace(t, true, map[string]string{
		"release": "---\nname: release\ndescription: d\n---\nText.\n", "plain": "---\nname: plain\ndescription: d\n---\nText.\n",
	})
	c := p.client()
	folder := filepath.Join(p.dir, ".claude/skills/release")
	shows := func(address string, all ...string) {
		t.Helper()
		_, page := p.get(c, address)
		for _, want := range all {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not show %s:\n%s", address, want, page)
			}
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, "done.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, page := p.get(c, "/skill/release"); strings.Contains(page, "gate ") {
		t.Error("it shows a gate though there is no done.yaml")
	}
	write("checks: [{file: CHANGELOG.md}, {answer: done}]\n")
	shows("/skill/release", "gate off, 2 checks", "file: CHANGELOG.md\nanswer: done")
	if err := (trust.Store{Dir: p.site.Runtime.TrustDir()}).SetGate(folder, true); err != nil {
		t.Fatal(err)
	}
	store := activity.Store{Dir: p.site.Runtime.HistoryDir()}
	for _, r := range []activity.Record{{OK: true}, {OK: true, Reminders: 1}, {Category: activity.NotDone}} {
		r.Kind, r.Skill, r.Project = activity.Gate, "release", p.dir
		if err := store.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	p.call("release")
	shows("/skill/release", "gate on, 2 checks", "passed 1 at once, 1 after a reminder, 1 never")
	shows("/skill/release?tab=usage", "Done at first, by its gate", "Done after a reminder", "Never done")
	write("checks: [{fiel: x}]\n")
	shows("/skill/release", "gate broken", "done.yaml:1: unknown key fiel")
}
