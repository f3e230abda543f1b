package agent

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestHabits: each agent lists skills as it was recorded to.
func TestHabits(t *testing.T) {
	var recorded map[string]struct {
		Listed   []string // places whose skill was listed
		Names    int
		WithFull int `json:"with_full_description"` // of 120 skills with 640 characters each
		Longest  int `json:"longest_description"`
		DMI      bool
		NoName   bool `json:"no_name"` // a skill without a name was listed
	}
	load(t, "lists.json", &recorded)
	for _, a := range All() {
		r, h := recorded[a.Name], known[a.Name]
		var places []string
		for _, p := range h.project {
			places = append(places, "project "+p)
		}
		for _, p := range h.user {
			places = append(places, "user "+strings.ReplaceAll(p, "/", "-"))
		}
		slices.Sort(places)
		if !slices.Equal(places, r.Listed) {
			t.Errorf("%s looks in %q, recorded %q", a.Name, places, r.Listed)
		}
		if r.Names == 0 {
			continue // of Codex only the places are in this file
		}
		var many []Skill
		for i := range 120 {
			many = append(many, Skill{Name: fmt.Sprintf("s%03d", i), Place: ".agents", Named: true, Description: 640})
		}
		sights, _ := Sees(a.Name, many)
		whole := 0
		for _, s := range sights {
			if s == Seen {
				whole++
			}
		}
		if whole != r.WithFull {
			t.Errorf("%s: %d of 120 are whole, recorded %d", a.Name, whole, r.WithFull)
		}
		odd, _ := Sees(a.Name, []Skill{{Place: ".agents", Named: true, Hidden: true}, {Place: ".agents"}})
		if a.Name == "copilot" {
			odd[0] = map[bool]Sight{true: Seen, false: Invisible}[r.DMI] // not told apart from the limit
		}
		if (odd[0] == Seen) != r.DMI || (odd[1] == Seen) != r.NoName {
			t.Errorf("%s: hidden %s, without a name %s; recorded listed %v, %v", a.Name, odd[0], odd[1], r.DMI, r.NoName)
		}
	}
}
