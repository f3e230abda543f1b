package usage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/internal/term"
)

// Advice is something worth doing about a skill.
type Advice struct {
	Skill string `json:"skill"`
	Kind  string `json:"kind"` // one of the constants below
	Text  string `json:"text"`
}

// What advice is about.
const (
	Invisible = "invisible"  // agents never saw it in their list
	Bare      = "bare"       // they saw its name, and not what it is for
	Refused   = "refused"    // it was called, and not allowed
	Broken    = "broken"     // it was called, and could not be loaded
	Lost      = "lost"       // people had to call it after the model had chosen another
	Unused    = "unused"     // it was offered, and never called
	SameWords = "same_words" // two descriptions say the same
	Costly    = "costly"     // a call costs far more than those of others
)

// Installed is a skill that is on this machine.
type Installed struct {
	Name        string // as an agent calls it
	Description string
	Hidden      bool      // from the model, by its own frontmatter
	Project     string    // the folder that has it; "" means that it is there everywhere
	Changed     time.Time // the file
}

// A chance is a session in which a model was given a list.
type chance struct {
	agent, project string
	last           time.Time
	offered, bare  map[string]bool
}

const (
	lostOften   = 2   // from here on it is no accident
	costlyTimes = 5   // the usual cost of a call
	costlyShare = 0.2 // of what all skills cost
	sameShare   = 0.6 // of the words of two descriptions
	sameWords   = 4   // fewer say little
	costlyPeers = 4   // skills that make a usual cost
)

// advise says what is worth doing, the gravest first.
func (r *reporter) advise(report *Report, installed []Installed) (all []Advice) {
	add := func(skill, kind, text string, args ...any) {
		all = append(all, Advice{skill, kind, fmt.Sprintf(text, args...)})
	}
	for _, s := range installed {
		r.adviseInstalled(s, add)
	}
	for _, s := range report.Skills {
		if n := s.Counts.Refused; n > 0 {
			add(s.Name, Refused, "%d of %s refused: allow Skill(%s), or take disable-model-invocation out", n, term.Plural(s.Counts.Fired(), "call"), s.Name)
		}
		if n := s.Counts.Failed; n > 0 {
			add(s.Name, Broken, "%d of %s failed: skillhand load %s shows why", n, term.Plural(s.Counts.Fired(), "call"), s.Name)
		}
		for _, other := range slices.Sorted(maps.Keys(s.LostTo)) {
			if n := s.LostTo[other]; n >= lostOften && n > s.Counts.ByModel {
				add(s.Name, Lost, "people called it %d times after the model had chosen %s: say in both descriptions which is for what", n, other)
			}
		}
	}
	adviseCost(report.Skills, add)
	for i, a := range installed {
		for _, b := range installed[i+1:] {
			if share := alike(a.Description, b.Description); share >= sameShare && a.Name != b.Name && !a.Hidden && !b.Hidden &&
				(a.Project == b.Project || a.Project == "" || b.Project == "") {
				add(a.Name, SameWords, "its description shares %.0f %% of its words with that of %s: a model cannot choose between them", share*100, b.Name)
			}
		}
	}
	if r.o.Skill != "" {
		all = slices.DeleteFunc(all, func(a Advice) bool { return a.Skill != r.o.Skill })
	}
	order := []string{Invisible, Refused, Broken, Lost, Bare, Costly, SameWords, Unused}
	slices.SortStableFunc(all, func(a, b Advice) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)), strings.Compare(a.Skill, b.Skill))
	})
	return all
}

// adviseInstalled looks at the sessions in which a skill could have been seen.
func (r *reporter) adviseInstalled(s Installed, add func(skill, kind, text string, args ...any)) {
	chances, offered, bare := 0, 0, 0
	for _, c := range r.chances {
		if c.agent != "claude" || c.last.Before(s.Changed) || s.Project != "" && !paths.Inside(s.Project, c.project) {
			continue
		}
		chances++
		if c.offered[s.Name] {
			offered++
		}
		if c.bare[s.Name] {
			bare++
		}
	}
	known := r.skills[s.Name]
	fired := known != nil && known.Counts.Fired() > 0
	switch {
	case chances == 0 || s.Hidden:
	case offered == 0:
		add(s.Name, Invisible, "installed, and in the list of none of %s: skillhand check says why", term.Plural(chances, "session"))
	case bare == offered:
		add(s.Name, Bare, "listed without its description in %s: shorten descriptions, or hide skills that nobody needs", term.Plural(bare, "session"))
	case !fired && (r.o.Since.IsZero() || s.Changed.Before(r.o.Since)):
		add(s.Name, Unused, "offered in %s, and never called: say in its description when to use it, or remove it", term.Plural(offered, "session"))
	}
}

// adviseCost finds skills whose calls cost many times the usual.
func adviseCost(skills []Skill, add func(skill, kind, text string, args ...any)) {
	var each []float64
	var sum float64
	for _, s := range skills {
		if s.Counts.Delivered > 0 && s.Cost.USD != nil {
			each = append(each, *s.Cost.USD/float64(s.Counts.Delivered))
			sum += *s.Cost.USD
		}
	}
	if len(each) < costlyPeers {
		return
	}
	slices.Sort(each)
	usual := each[len(each)/2]
	for _, s := range skills {
		if s.Counts.Delivered == 0 || s.Cost.USD == nil {
			continue
		}
		if one := *s.Cost.USD / float64(s.Counts.Delivered); one >= costlyTimes*usual && *s.Cost.USD >= costlyShare*sum {
			add(s.Name, Costly, "a call costs $%.2f, %.0f times the usual; its text is $%.2f of $%.2f: let a script do the work, or shorten it",
				one, one/usual, s.Cost.TextUSD, *s.Cost.USD)
		}
	}
}

// fewAdvice is how much of a kind people are shown at first.
const fewAdvice = 3

// Few is the first advice of each kind, and how much there is beyond, by kind.
func Few(all []Advice) (few []Advice, more map[string]int) {
	more = map[string]int{}
	seen := map[string]int{}
	for _, a := range all {
		if seen[a.Kind]++; seen[a.Kind] <= fewAdvice {
			few = append(few, a)
		} else {
			more[a.Kind]++
		}
	}
	return few, more
}

// alike is the share of words that two descriptions have in common.
func alike(a, b string) float64 {
	x, y := wordsOf(a), wordsOf(b)
	if len(x) < sameWords || len(y) < sameWords {
		return 0
	}
	common := 0
	for w := range x {
		if y[w] {
			common++
		}
	}
	return float64(common) / float64(len(x)+len(y)-common)
}

// small are words that say nothing about a skill.
const small = " the and for use when with this that skill you your from are "

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if w = strings.TrimSuffix(w, "s"); len(w) > 2 && !strings.Contains(small, " "+w+" ") {
			words[w] = true
		}
	}
	return words
}
