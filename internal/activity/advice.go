package activity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/words"
)

// Advice says what to improve about a skill.
type Advice struct {
	Skill   string  `json:"skill"`
	Kind    string  `json:"kind"`    // one of the constants below
	Share   float64 `json:"share"`   // of the skill's calls or sessions, or of all dollars: how much following the advice saves, 0 to 1
	Text    string  `json:"text"`    // the problem, and what to do
	Command string  `json:"command"` // a command that shows more, or does it
}

// String returns the advice as one line that ends with its command.
func (a Advice) String() string { return a.Skill + ": " + a.Text + ": " + a.Command }

// The kinds of advice.
const (
	Invisible = "invisible"  // agents never had the skill in their list
	Bare      = "bare"       // agents had its name, but not its description
	Refused   = "refused"    // calls of it were not allowed
	Broken    = "broken"     // calls of it could not load it
	Lost      = "lost"       // people had to call it after the model had chosen another skill
	Unused    = "unused"     // it was offered but never called
	SameWords = "same_words" // two descriptions are too similar
	Costly    = "costly"     // a call costs far more than calls of other skills
)

// An Installed is a skill on this machine.
type Installed struct {
	Name        string // the name that agents use
	File        string
	Description string
	Hidden      bool      // hidden from the model by its own frontmatter
	Project     string    // the project that has it; "" means that every project has it
	Changed     time.Time // when the file last changed
}

// A chance is a session in which a model received a list of skills.
type chance struct {
	agent, project string
	last           time.Time
	offered, bare  map[string]bool
}

const (
	lostOften   = 2   // calls; fewer may be an accident
	costlyTimes = 5   // times the usual cost of a call
	costlyShare = 0.2 // of the cost of all skills
	sameShare   = 0.6 // of the words of two descriptions
	sameWords   = 4   // shorter descriptions say too little
	costlyPeers = 4   // skills needed to determine a usual cost
)

// advise returns all advice. The advice that saves most comes first.
func (r *accountant) advise(account *Account, installed []Installed) (all []Advice) {
	add := func(skill, kind string, share float64, command, text string, args ...any) {
		all = append(all, Advice{skill, kind, share, fmt.Sprintf(text, args...), "skillhand " + command})
	}
	hidden := map[string]bool{}
	for _, s := range installed {
		hidden[s.Name] = s.Hidden
		r.adviseInstalled(s, account.Used(s.Name, s.File), add)
	}
	var skills []Skill // all skills: an account of one skill gives the same advice about it
	for _, name := range slices.Sorted(maps.Keys(r.skills)) {
		skills = append(skills, *r.skills[name])
		adviseCalls(*r.skills[name], hidden[name], add)
	}
	adviseCost(skills, add)
	adviseSameWords(installed, add)
	if r.o.Skill != "" {
		all = slices.DeleteFunc(all, func(a Advice) bool { return a.Skill != r.o.Skill })
	}
	order := []string{Invisible, Broken, Refused, Lost, Bare, Costly, Unused, SameWords}
	slices.SortStableFunc(all, func(a, b Advice) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)),
			strings.Compare(a.Skill, b.Skill))
	})
	return all
}

// An adder adds advice and the command for it.
type adder func(skill, kind string, share float64, command, text string, args ...any)

// adviseCalls adds advice about calls that failed and about calls that a person had to make.
func adviseCalls(s Skill, hidden bool, add adder) {
	c := s.Counts
	part := func(n int) float64 { return float64(n) / float64(max(1, c.Fired())) }
	calls := term.Plural(c.Fired(), "call")
	if n := c.Refused; n > 0 {
		do := "allow Skill(" + s.Name + ")"
		switch {
		case hidden:
			do = "to let the model call it, remove disable-model-invocation"
		case c.Offered == 0: // unknown: no list was recorded
			do += ", or remove disable-model-invocation"
		}
		add(s.Name, Refused, part(n), "usage --skill "+s.Name, "%d of %s refused: %s", n, calls, do)
	}
	if n := c.Blocked; n > 0 {
		add(s.Name, Broken, part(n), "check "+s.Name, "%d of %s failed: no rule allows a command on its page", n, calls)
	}
	if n := c.Failed - c.Blocked; n > 0 {
		add(s.Name, Broken, part(n), "load "+s.Name+" --dialect claude", "%d of %s failed", n, calls)
	}
	if c.Offered == 0 {
		return // the model could not have chosen the skill
	}
	for _, other := range slices.Sorted(maps.Keys(s.LostTo)) {
		if n := s.LostTo[other]; n >= lostOften && n > c.ByModel {
			add(s.Name, Lost, part(n), "try "+s.Name,
				"people called it %d times after the model had chosen %s; say in both descriptions when to use which", n, other)
		}
	}
}

// adviseInstalled adds advice about an installed skill, from the sessions that could have listed
// it.
func (r *accountant) adviseInstalled(s Installed, use Use, add adder) {
	chances, offered, bare := 0, 0, 0
	for _, c := range r.chances {
		if c.agent != "claude" || c.last.Before(s.Changed) || s.Project != "" && !files.Inside(s.Project, c.project) {
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
	switch {
	case chances == 0 || s.Hidden:
	case offered == 0:
		add(s.Name, Invisible, 1, "check "+s.Name, "installed, but missing from the list in all of %s", term.Plural(chances, "session"))
	case bare == offered:
		add(s.Name, Bare, 1, "check", "listed without its description in %s; shorten descriptions, or hide skills that nobody needs",
			term.Plural(bare, "session"))
	case use.Count == 0 && (r.o.Since.IsZero() || s.Changed.Before(r.o.Since)):
		add(s.Name, Unused, 1, "try "+s.Name,
			"offered in %s and never used; say in its description when to use it, or remove it and save about %d tokens a session",
			term.Plural(offered, "session"), tokens(len("- : \n")+len(s.Name)+len(s.Description)))
	}
}

// adviseCost adds advice about skills whose calls cost many times the usual.
func adviseCost(skills []Skill, add adder) {
	var each []float64
	var sum float64
	for _, s := range skills {
		if one, ok := s.PerCall(); ok {
			each = append(each, one)
			sum += *s.Cost.USD
		}
	}
	if len(each) < costlyPeers {
		return
	}
	slices.Sort(each)
	usual := each[len(each)/2]
	for _, s := range skills {
		if one, ok := s.PerCall(); ok && one >= costlyTimes*usual && *s.Cost.USD >= costlyShare*sum {
			add(s.Name, Costly, (one-usual)*float64(s.Counts.Delivered)/sum, "usage --skill "+s.Name,
				"a call costs $%.2f, %.0f times the usual; its text is $%.2f of $%.2f; let a script do the work, or shorten it",
				one, one/usual, s.Cost.TextUSD, *s.Cost.USD)
		}
	}
}

// fewAdvice is how much advice is printed by default.
const fewAdvice = 8

// adviseSameWords adds advice about two skills in one list whose descriptions share most words.
func adviseSameWords(installed []Installed, add adder) {
	sets := make([]map[string]bool, len(installed))
	for i, s := range installed {
		if set := words.Content(s.Description); len(set) >= sameWords && !s.Hidden {
			sets[i] = set
		}
	}
	words.AlikePairs(sets, sameShare, func(i, j int, share float64) {
		a, b := installed[i], installed[j]
		if a.Name != b.Name && (a.Project == b.Project || a.Project == "" || b.Project == "") {
			add(a.Name, SameWords, share/2, "try "+a.Name,
				"its description shares %.0f %% of its words with that of %s; a model cannot choose between them",
				share*100, b.Name)
		}
	})
}
