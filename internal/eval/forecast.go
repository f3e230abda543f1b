package eval

import (
	"fmt"
	"strings"

	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
)

// Calls counts the trials of some skills in one agent. If all goes well, each trial asks the agent
// once.
func (o *Options) Calls(subjects ...*Subject) int {
	n := 0
	for _, s := range subjects {
		for _, c := range s.Cases {
			n += len(o.ArmsOf(&c)) * o.RunsOf(&c)
		}
	}
	return n
}

// Forecast says how many questions about each skill would be asked, in how many agents. If known is
// set, it adds what such trials cost before. The history does not say in which agent that was.
func (o *Options) Forecast(h here.Here, subjects []*Subject, agents int, known bool) string {
	var b strings.Builder
	for _, s := range subjects {
		var arms []string
		for _, a := range o.Arms() {
			arms = append(arms, string(a))
		}
		cost := "cost unknown"
		if usd, ok := LastCost(h, s.Name); known && !ok {
			cost += " (never tried here)"
		} else if known {
			cost = fmt.Sprintf("the last try cost %s in all", term.Dollars(usd))
		}
		fmt.Fprintf(&b, "%s: %s, %s: %s; %s\n", s.Name, term.Plural(len(s.Cases), "case"), strings.Join(arms, " and "),
			term.Plural(agents*o.Calls(s), "trial"), cost)
	}
	return b.String()
}
