package activity

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/internal/term"
)

// A StatusRequest selects the activity of a status. The zero value selects this session and
// project.
type StatusRequest struct {
	Session string // "" means the session of the environment
	All     bool   // every project
}

// A Status reports what a session has loaded and how the last runs went.
// schemas/status-v1.schema.json describes it.
type Status struct {
	Project string   `json:"project"` // "" means all
	Session string   `json:"session"`
	Loaded  []Loaded `json:"loaded"` // the latest first
	Used    []Used   `json:"used"`   // in the session, according to its transcript; the most expensive first
	Recent  []Record `json:"recent"` // the latest first
	Total   int      `json:"total"`  // of the last 100 runs and asks
	OK      int      `json:"ok"`
	Next    []string `json:"next"`
}

// A Loaded skill is a skill that the session has seen.
type Loaded struct {
	Skill string    `json:"skill"`
	File  string    `json:"file"`
	Time  time.Time `json:"time"`
}

const (
	rated  = 100 // runs that the success rate covers
	recent = 8   // runs that are listed
	steps  = 3   // steps to do next that are listed
)

// NewStatus returns the status of the environment h.
func NewStatus(h here.Here, req StatusRequest) (*Status, error) {
	h, err := h.Complete()
	if err != nil {
		return nil, err
	}
	s := &Status{Project: project(h), Session: cmp.Or(req.Session, h.Session), Loaded: []Loaded{}, Used: []Used{}, Recent: []Record{}}
	if req.All {
		s.Project = ""
	}
	if s.Session != "" {
		marks, err := h.Sessions().Marks(session.ID{Session: s.Session})
		if err != nil {
			return nil, err
		}
		for _, m := range marks {
			s.Loaded = append(s.Loaded, Loaded{m.Skill, m.File, m.Time})
		}
	}
	found, err := store(h).Read(Query{Project: s.Project, Last: rated})
	if err != nil {
		return nil, err
	}
	s.Total = len(found.Records)
	for _, r := range found.Records {
		if r.OK {
			s.OK++
		}
	}
	for _, r := range slices.Backward(found.Records) {
		if len(s.Recent) < recent {
			s.Recent = append(s.Recent, r)
		}
	}
	review := ReviewOf(found.Records, time.Time{}, time.Now())
	used, advice := usedIn(h, s.Session)
	s.Used = append(s.Used, used...)
	s.Next = slices.Concat(advice, review.Next)
	s.Next = append([]string{}, s.Next[:min(steps, len(s.Next))]...)
	return s, nil
}

// Box returns a status for people.
func (s *Status) Box(look Look) string {
	b := look.box("skillhand status")
	project := "every project"
	if s.Project != "" {
		project = look.path(s.Project)
	}
	b.Line(term.Dim("Project  "), term.Plain(term.FitEnd(term.Flat(project), b.Inner-9)))
	if s.Session == "" {
		b.Line(term.Dim("Session  "), term.Dim("none (not inside a Claude Code session)"))
	} else {
		b.Line(term.Dim("Session  "), term.Plain(s.Session))
	}
	if s.Session != "" {
		b.Heading("Loaded skills")
		if len(s.Loaded) == 0 {
			b.Line(term.Dim("  none yet"))
		}
		for i, l := range s.Loaded {
			if i == recent {
				b.Line(term.Dim(fmt.Sprintf("  and %d more", len(s.Loaded)-i)))
				break
			}
			when := term.Ago(look.now().Sub(l.Time))
			b.Line(term.Plain("  "+term.Pad(term.Flat(l.Skill), b.Inner-3-len(when))), term.Dim(" "+when))
		}
	}
	addUsed(b, "Called in this session", s.Used, 30)
	b.Heading("Recent runs")
	if len(s.Recent) == 0 {
		b.Line(term.Dim("  none yet"))
	}
	for _, r := range s.Recent {
		addRecord(b, r, look.now())
	}
	if s.Total > 0 {
		b.Heading("Success")
		addSuccess(b, s.OK, s.Total)
	}
	if len(s.Next) > 0 {
		b.Heading("What to do")
		for _, step := range s.Next {
			b.Item(step)
		}
	}
	return b.End()
}

// addSuccess adds the share of successful runs as a bar.
func addSuccess(b *term.Box, ok, total int) {
	text := " " + share(ok, total)
	if total > 1 {
		text += fmt.Sprintf(" of the last %d", total)
	}
	color := "32"
	switch {
	case ok*2 < total:
		color = "31"
	case ok*10 < total*9:
		color = "33"
	}
	b.Line(term.Plain("  "), term.In(color, term.Meter(ok, total, max(4, min(40, b.Inner-2-len(text))))), term.Plain(text))
}

// share returns a part of a whole in words. For a single run a percentage would say less.
func share(part, whole int) string {
	if whole == 1 {
		return fmt.Sprintf("%d of 1", part)
	}
	return fmt.Sprintf("%d%%", percent(part, whole))
}

// percent returns a rounded percentage. It returns 0 and 100 only for none and all.
func percent(part, whole int) int {
	switch {
	case whole == 0 || part == 0:
		return 0
	case part == whole:
		return 100
	}
	return min(99, max(1, (part*100+whole/2)/whole))
}

// The widths of a record's columns.
const (
	verdictCells  = 21 // the longest code of a run
	durationCells = 7
	agoCells      = 8
)

// addRecord adds a line about a run: mark, name, verdict, duration, time. It drops the less
// important columns if there is no room.
func addRecord(b *term.Box, r Record, now time.Time) {
	mark, verdict := term.Green("✓"), ""
	switch {
	case !r.OK:
		mark, verdict = term.Red("✗"), r.Category
	case r.Confidence != nil:
		verdict = Confidence(*r.Confidence)
	case r.CostUSD > 0:
		verdict = term.Dollars(r.CostUSD)
	}
	name := b.Inner - 4 - 1 - agoCells
	when := " " + term.PadLeft(term.Ago(now.Sub(r.Time)), agoCells)
	took := ""
	if name-1-durationCells >= 30 {
		name -= 1 + durationCells
		took = " " + term.PadLeft(term.ShortDuration(r.DurationMS), durationCells)
	}
	if name-1-verdictCells >= 8 {
		name -= 1 + verdictCells
		verdict = " " + term.Pad(verdict, verdictCells)
	} else {
		verdict = ""
	}
	b.Line(term.Plain("  "), mark, term.Plain(" "+term.Pad(term.Flat(r.Name()), name)), term.Dim(verdict+took+when))
}

// Markdown returns a status for agents and for files.
func (s *Status) Markdown(look Look) string {
	var b strings.Builder
	b.WriteString("# Status\n\n")
	if s.Project == "" {
		b.WriteString("Every project.")
	} else {
		fmt.Fprintf(&b, "Project: %s.", term.Flat(look.path(s.Project)))
	}
	if s.Total == 0 {
		b.WriteString(" Nothing was run or asked yet.\n")
	} else {
		fmt.Fprintf(&b, " %d of %s succeeded.\n", s.OK, term.Plural(s.Total, "run"))
	}
	var rows [][]string
	for _, l := range s.Loaded {
		rows = append(rows, []string{l.Skill, term.Ago(look.now().Sub(l.Time))})
	}
	mdTable(&b, "Loaded skills", []string{"skill", "loaded"}, rows)
	mdTable(&b, "Called in this session", usedHead, usedRows(s.Used))
	rows = nil
	for _, r := range s.Recent {
		verdict := "ok"
		if !r.OK {
			verdict = failure(r)
		}
		rows = append(rows, []string{r.Name(), verdict, confidence(r.Confidence),
			term.ShortDuration(r.DurationMS), term.Ago(look.now().Sub(r.Time))})
	}
	mdTable(&b, "Recent runs", []string{"skill", "verdict", "confidence", "time", "when"}, rows)
	mdSteps(&b, "What to do", s.Next)
	return b.String()
}

// statusOutput returns the box for a skill's page.
func statusOutput(h here.Here, _ []string, _ io.Writer) (string, error) {
	s, err := NewStatus(h, StatusRequest{})
	if err != nil {
		return "", err
	}
	return s.Box(Look{Columns: term.Columns(nil, h.Env.Get("COLUMNS"), 0), Home: h.Home}), nil
}
