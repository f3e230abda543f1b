package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/history"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/session"
	"github.com/skillhand/skillhand/shell"
)

func newStatus(std *stdio) *cobra.Command {
	var o statusOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what is loaded and how the last runs went",
		Long: `Show the skills that this session has loaded, the last runs and questions of this
project with their verdicts, how many of them went well, and what is worth doing.`,
		Example: `  skillhand status
  skillhand status --all
  skillhand status --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("session") {
				if err := session.CheckID(o.session); err != nil {
					return cli.Usagef("--session: %v", err)
				}
			}
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			doc, err := newStatusDocument(dir, std.Env, o)
			if err != nil {
				return err
			}
			if asJSON {
				return std.PrintJSON(doc)
			}
			return std.Print(doc.box(std.Columns(), std.Painter(), std.Env, time.Now()))
		},
	}
	cmd.Flags().StringVar(&o.session, "session", "", "session `id` (default $CLAUDE_SESSION_ID, then $CLAUDE_CODE_SESSION_ID)")
	cmd.Flags().BoolVar(&o.all, "all", false, "every project, not only this one")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// getStatusOutput is the box as a skill's page has it.
func getStatusOutput(_ context.Context, args []string, std shell.Std) int {
	if len(args) > 0 {
		fmt.Fprintln(std.Err, "get-status-output: takes no arguments")
		return cli.ExitUsage
	}
	doc, err := newStatusDocument(std.Dir, std.Env, statusOptions{})
	if err != nil {
		fmt.Fprintf(std.Err, "get-status-output: %v\n", err)
		return cli.ExitFailed
	}
	if _, err := io.WriteString(std.Out, doc.box(term.Columns(nil, lookup(std.Env, "COLUMNS"), term.DefaultWidth), term.NoPaint, std.Env, time.Now())); err != nil {
		fmt.Fprintf(std.Err, "get-status-output: %v\n", err)
		return cli.ExitFailed
	}
	return cli.ExitOK
}

type statusOptions struct {
	session string
	all     bool
}

// A statusDocument is what status --json prints: schemas/status-v1.schema.json.
type statusDocument struct {
	Project string           `json:"project"` // "" means all
	Session string           `json:"session"`
	Loaded  []loadedSkill    `json:"loaded"` // the latest first
	Recent  []history.Record `json:"recent"` // the latest first
	Total   int              `json:"total"`  // of the last 100 runs and questions
	OK      int              `json:"ok"`
	Next    []string         `json:"next"`
}

type loadedSkill struct {
	Skill string    `json:"skill"`
	File  string    `json:"file"`
	Time  time.Time `json:"time"`
}

const (
	rated  = 100 // runs that the success rate is about
	recent = 8   // runs that are listed
	steps  = 3   // of what is worth doing
)

func newStatusDocument(dir string, env []string, o statusOptions) (*statusDocument, error) {
	doc := &statusDocument{Project: skillhand.Project(dir), Session: o.session, Loaded: []loadedSkill{}, Recent: []history.Record{}}
	if o.all {
		doc.Project = ""
	}
	if doc.Session == "" {
		doc.Session = skillhand.SessionOf(env)
	}
	if doc.Session != "" {
		store := session.Store{Dir: filepath.Join(skillhand.StateDir(env), "sessions")}
		marks, err := store.Marks(session.ID{Session: doc.Session})
		if err != nil {
			return nil, err
		}
		for _, m := range marks {
			doc.Loaded = append(doc.Loaded, loadedSkill{m.Skill, m.File, m.Time})
		}
	}
	found, err := skillhand.History(env).Read(history.Query{Project: doc.Project, Last: rated})
	if err != nil {
		return nil, err
	}
	doc.Total = len(found.Records)
	for _, r := range found.Records {
		if r.OK {
			doc.OK++
		}
	}
	for _, r := range slices.Backward(found.Records) {
		if len(doc.Recent) < recent {
			doc.Recent = append(doc.Recent, r)
		}
	}
	review := history.ReviewOf(found.Records, time.Time{}, time.Now())
	doc.Next = review.Next[:min(steps, len(review.Next))]
	return doc, nil
}

// box shows the document to people.
func (d *statusDocument) box(width int, paint term.Paint, env []string, now time.Time) string {
	b := term.NewBox("skillhand status", width, paint)
	project := "every project"
	if d.Project != "" {
		project = home(d.Project, env)
	}
	b.Line(term.Dim("Project  "), term.Plain(term.FitEnd(term.Flat(project), b.Inner-9)))
	if d.Session == "" {
		b.Line(term.Dim("Session  "), term.Dim("none: this is no session of Claude Code"))
	} else {
		b.Line(term.Dim("Session  "), term.Plain(d.Session))
	}
	if d.Session != "" {
		b.Heading("Loaded skills")
		if len(d.Loaded) == 0 {
			b.Line(term.Dim("  none yet"))
		}
		for i, l := range d.Loaded {
			if i == recent {
				b.Line(term.Dim(fmt.Sprintf("  and %d more", len(d.Loaded)-i)))
				break
			}
			when := term.Ago(now.Sub(l.Time))
			b.Line(term.Plain("  "+term.Pad(term.Flat(l.Skill), b.Inner-3-len(when))), term.Dim(" "+when))
		}
	}
	b.Heading("Recent runs")
	if len(d.Recent) == 0 {
		b.Line(term.Dim("  none yet"))
	}
	for _, r := range d.Recent {
		addRecord(b, r, now)
	}
	if d.Total > 0 {
		b.Heading("Success")
		addSuccess(b, d.OK, d.Total)
	}
	if len(d.Next) > 0 {
		b.Heading("Worth doing next")
		for _, step := range d.Next {
			b.Item(step)
		}
	}
	return b.End()
}

// addSuccess adds the share of what went well as a bar.
func addSuccess(b *term.Box, ok, total int) {
	text := fmt.Sprintf(" %d%% of the last %d", percent(ok, total), total)
	if total == 1 {
		text = fmt.Sprintf(" %d%% of the only one", percent(ok, total))
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

// percent is rounded, but says 0 and 100 only if it is none and all.
func percent(part, whole int) int {
	switch {
	case whole == 0 || part == 0:
		return 0
	case part == whole:
		return 100
	}
	return min(99, max(1, (part*100+whole/2)/whole))
}

// The columns of a record.
const (
	verdictCells  = 21 // the longest code of a run
	durationCells = 7
	agoCells      = 8
)

// addRecord adds a line about a run: mark, name, verdict, duration, when. What
// matters least goes if there is no room.
func addRecord(b *term.Box, r history.Record, now time.Time) {
	mark, verdict := term.Green("✓"), ""
	switch {
	case !r.OK:
		mark, verdict = term.Red("✗"), r.Category
	case r.Confidence != nil:
		verdict = banded(*r.Confidence)
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

// home writes a path below the home folder as people do.
func home(path string, env []string) string {
	dir := lookup(env, "HOME")
	if rest, ok := strings.CutPrefix(path, dir); ok && len(dir) > 1 && (rest == "" || strings.HasPrefix(rest, "/")) {
		return "~" + rest
	}
	return path
}
