// Package view answers one question: what happened here, as people and agents want to see it?
//
// A view is data first, and is printed as JSON, as a box for a terminal, or as
// Markdown for an agent. Builtins are the same views for the pages of skills.
package view

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/report"
)

// A Look is how a box is drawn. The zero value works.
type Look struct {
	Columns int                            // 0 means 80
	Paint   func(code, text string) string // colours text; nil means no colours
	Home    string                         // a path below it is shown as ~/…
	Now     time.Time                      // what "2m ago" counts from; the zero time means now
}

func (l Look) box(title string) *term.Box {
	return term.NewBox(title, cmp.Or(l.Columns, term.DefaultWidth), l.paint())
}

func (l Look) paint() term.Paint {
	if l.Paint == nil {
		return term.NoPaint
	}
	return l.Paint
}

func (l Look) now() time.Time {
	if l.Now.IsZero() {
		return time.Now()
	}
	return l.Now
}

// path writes a path below the home folder as people do.
func (l Look) path(path string) string {
	if rest, ok := strings.CutPrefix(path, l.Home); ok && len(l.Home) > 1 && (rest == "" || strings.HasPrefix(rest, "/")) {
		return "~" + rest
	}
	return path
}

// A builtin is a function that directives can call without starting a process.
type builtin struct {
	short string // what it prints, in a few words
	takes bool   // it takes arguments
	text  func(h here.Here, args []string, warn io.Writer) (string, error)
}

var builtins = map[string]builtin{
	"list-skills":              {"the skills that can be loaded here, and what each is for", false, listSkills},
	"get-status-output":        {"what this session has loaded, and how the last runs went", false, statusOutput},
	"get-statusline-output":    {"whether Claude Code has a status line, and how to install one", false, statuslineOutput},
	"get-retrospective-output": {"a look back at the last 7 days, or at the PERIOD that is named", true, retroOutput},
}

// Builtins are the functions that the skills of our plugin call. A Runtime that
// loads them needs these.
func Builtins() map[string]shell.Func {
	all := map[string]shell.Func{}
	for name, b := range builtins {
		all[name] = func(_ context.Context, args []string, std shell.Std) int { return b.call(name, args, std) }
	}
	return all
}

// call prints what a built-in has to say, or why it has nothing to say.
func (b builtin) call(name string, args []string, std shell.Std) (exit int) {
	if len(args) > 0 && !b.takes {
		fmt.Fprintf(std.Err, "%s: takes no arguments\n", name)
		return exitUsage
	}
	h, err := here.From(std.Dir, std.Env)
	text := ""
	if err == nil {
		text, err = b.text(h, args, std.Err)
	}
	if err == nil {
		_, err = io.WriteString(std.Out, text)
	}
	if err != nil {
		fmt.Fprintf(std.Err, "%s: %v\n", name, err)
		return exitFailed
	}
	return exitOK
}

// BuiltinNames lists the names of Builtins in order.
func BuiltinNames() []string { return slices.Sorted(maps.Keys(builtins)) }

// BuiltinShort says in a few words what a built-in prints.
func BuiltinShort(name string) string { return builtins[name].short }

// The exit statuses of built-ins.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// listSkills has a line for each skill that can be loaded by name.
func listSkills(h here.Here, _ []string, warn io.Writer) (string, error) {
	all, faults := h.Finder().List()
	var text strings.Builder
	for _, loc := range all {
		_, summary, err := loc.Front()
		if err != nil {
			faults = append(faults, err)
			continue
		}
		fmt.Fprintf(&text, "%s: %s\n", loc.Call, strings.Join(strings.Fields(summary), " "))
	}
	for _, err := range faults {
		fmt.Fprintf(warn, "list-skills: %v\n", err)
	}
	return text.String(), nil
}

// Confidence is a confidence with its band, and with as many decimals as show
// why it is in that band.
func Confidence(c float64) string {
	band := report.Band(c)
	for decimals := 2; ; decimals++ {
		text := strconv.FormatFloat(c, 'f', decimals, 64)
		if shown, err := strconv.ParseFloat(text, 64); err != nil || report.Band(shown) == band {
			return text + " " + band
		}
	}
}
