package settings

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/doc"
)

// A Listing is what settings say about the list of skills that Claude Code gives the model. The
// zero value says nothing.
type Listing struct {
	Fraction       float64             // skillListingBudgetFraction: of the context window
	MaxDescription int                 // skillListingMaxDescChars
	Overrides      map[string]Override // skillOverrides, by skill
	NoBundled      bool                // disableBundledSkills
	Model          string              // whose context window it is
}

// An Override says how a skill is listed.
type Override string

// The overrides.
const (
	On       Override = "on"
	NameOnly Override = "name-only"
	UserOnly Override = "user-invocable-only" // not listed
	Off      Override = "off"                 // not listed
)

// Listing returns what all files say together.
func (s *Settings) Listing() Listing {
	all := Listing{Overrides: map[string]Override{}}
	for _, f := range s.Files {
		l := f.Listing
		if l.Fraction != 0 {
			all.Fraction = l.Fraction
		}
		if l.MaxDescription != 0 {
			all.MaxDescription = l.MaxDescription
		}
		if l.Model != "" {
			all.Model = l.Model
		}
		if _, says := f.values["disableBundledSkills"]; says {
			all.NoBundled = l.NoBundled
		}
		maps.Copy(all.Overrides, l.Overrides)
	}
	return all
}

// listing reads a key that is about the list of skills.
func (p *parser) listing(m *doc.Node) {
	l := &p.f.Listing
	raw := p.raw(m)
	switch m.Key {
	case claudecode.KeyListingFraction:
		if json.Unmarshal(raw, &l.Fraction) != nil || l.Fraction <= 0 || l.Fraction > 1 {
			p.fault(m, m.Key, "a number above 0, at most 1")
		}
	case claudecode.KeyListingMaxChars:
		var n float64
		if json.Unmarshal(raw, &n) != nil || n <= 0 || n != math.Trunc(n) || n > math.MaxInt32 {
			p.fault(m, m.Key, "a whole number above 0")
		}
		l.MaxDescription = int(n)
	case claudecode.KeyNoBundled:
		l.NoBundled = *p.truth(m)
	case claudecode.KeyOverrides:
		if !m.IsObject() {
			p.fault(m, m.Key, "an object")
			return
		}
		l.Overrides = map[string]Override{}
		for _, v := range m.Items {
			o := Override(text(p.raw(v)))
			if !slices.Contains([]Override{On, NameOnly, UserOnly, Off}, o) {
				p.fault(v, m.Key+"."+v.Key, "on, name-only, user-invocable-only or off")
			}
			l.Overrides[v.Key] = o
		}
	}
}

// Usage returns how much each skill is used, as Claude Code weighs it: a use counts half after a
// week, and never less than a tenth.
func Usage(w Where, now time.Time) map[string]float64 {
	var state struct {
		Skills map[string]struct {
			Count float64 `json:"usageCount"`
			Last  float64 `json:"lastUsedAt"` // in milliseconds
		} `json:"skillUsage"`
	}
	used := map[string]float64{}
	if readState(w, &state) {
		for name, u := range state.Skills {
			days := now.Sub(time.UnixMilli(int64(u.Last))).Hours() / 24
			used[name] = u.Count * max(math.Pow(0.5, days/7), 0.1)
		}
	}
	return used
}
