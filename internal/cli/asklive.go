package cli

import (
	"fmt"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/term"
)

// An AskLive shows what Claude does: on a terminal every step, elsewhere only failures and retries.
type AskLive struct {
	agent   string
	spinner *term.Spinner
	Shown   bool // every step is shown
	turn    int
	costs   map[string]float64 // by session
	last    string             // Claude's latest text; the last text is the answer, which is printed elsewhere
}

// NewAskLive returns an AskLive that prints beside a spinner.
func NewAskLive(spinner *term.Spinner, agent string, shown bool) *AskLive {
	return &AskLive{agent: agent, spinner: spinner, Shown: shown, costs: map[string]float64{}}
}

// Event shows one event.
func (l *AskLive) Event(e claude.Event) {
	if l.last != "" && (e.Type == claude.Text || e.Type == claude.Tool || e.Type == claude.Retry) {
		fmt.Fprintf(l.spinner, "  %s\n", l.last)
		l.last = ""
	}
	switch {
	case e.Type == claude.Retry && e.Kind != "":
		fmt.Fprintf(l.spinner, "skillhand: attempt %d failed (%s): %s; trying again in %s\n",
			e.Attempt, e.Kind, term.Short(e.Text), e.Wait.Round(100*time.Millisecond))
	case !l.Shown:
	case e.Type == claude.Retry:
		fmt.Fprintf(l.spinner, "  %s tries again in %s: %s\n", l.agent, e.Wait.Round(100*time.Millisecond), term.Short(e.Text))
	case e.Type == claude.Text:
		l.last = term.Short(e.Text)
	case e.Type == claude.Tool:
		fmt.Fprintf(l.spinner, "  %s %s\n", term.Visible(e.Tool), term.Short(string(e.Input)))
	case e.Type == claude.Result:
		l.costs[e.SessionID] = e.CostUSD
	}
	what := "asking " + l.agent
	if l.turn = max(e.Turn, l.turn); l.turn > 0 {
		what = fmt.Sprintf("turn %d", l.turn)
	}
	if e.Type == claude.Tool {
		what += ", " + term.Visible(e.Tool)
	}
	var cost float64
	for _, usd := range l.costs {
		cost += usd
	}
	if cost > 0 {
		what += fmt.Sprintf(", $%.2f", cost)
	}
	l.spinner.Doing(what)
}
