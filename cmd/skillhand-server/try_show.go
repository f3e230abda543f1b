package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/term"
)

// board returns the display of the trials: rows that are redrawn on a terminal, or else a line for
// each trial.
func (o *tryOptions) board(std *cli.Std, subjects []*eval.Subject) *eval.Board {
	b := eval.NewBoard(&o.Options, subjects)
	if o.draws(std.Live(), term.IsTerminal(std.Out)) {
		b.Screen = std.NewScreen()
	}
	drawn := b.Screen != nil
	b.Each = func(t eval.Trial, found bool) error {
		switch {
		case o.json:
			return std.PrintJSON(t)
		case !drawn && !found:
			fmt.Fprintln(std.Err, term.Fit(term.Flat(t.Line()), 300))
		}
		return nil
	}
	return b
}

// draws reports whether the board is drawn on the screen. It is not if stdout is the same terminal
// and prints JSON.
func (o *tryOptions) draws(screen, out bool) bool { return screen && o.from == "" && !(o.json && out) }

func printTry(std *cli.Std, o *tryOptions, subjects []*eval.Subject, s *eval.Summary, trials []eval.Trial) error {
	switch {
	case o.reportAs != "":
		trials = eval.Sorted(trials)
		text, err := json.MarshalIndent(eval.NewClaudeReport(&o.Options, subjects[0], s, trials), "", "  ")
		if err != nil {
			return err
		}
		text = append(text, '\n')
		if o.from == "" {
			if err := files.Write(filepath.Join(s.Results, "aggregate-result.json"), text, 0o600); err != nil {
				return err
			}
		}
		return std.Print(string(text))
	case o.json:
		return std.PrintJSON(s)
	case o.markdown:
		return std.Print(s.Markdown())
	}
	return std.Print(s.Text(std.Painter()))
}
