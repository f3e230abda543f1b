package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/skillhand/skillhand/internal/doc"
)

// DoneFile names the file of a skill's checks. It lies beside SKILL.md.
const DoneFile = "done.yaml"

// A Done lists what must hold when an agent says that it is done with a skill.
type Done struct {
	File   string
	Source []byte
	Checks []Check
}

// ReadDone reads the checks of the skill in a folder. Everything that is wrong with them is in the
// error; it is fs.ErrNotExist if the skill has none.
func ReadDone(folder string, compile Compiler) (*Done, error) {
	file := filepath.Join(folder, DoneFile)
	text, err := Read(folder, DoneFile, true)
	if err != nil {
		if _, gone := os.Lstat(file); gone != nil {
			return nil, gone
		}
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, "SKILL.md"), err)
	}
	d := &Done{File: file, Source: text}
	r := Reader{Reader: doc.Reader{File: file}, Compile: compile}
	d.Checks = r.Done(text)
	return d, r.Err()
}

// Done reads the text of a done.yaml.
func (r *Reader) Done(text []byte) (all []Check) {
	root := r.Parse(text)
	if root == nil {
		if r.Failed() == 0 {
			r.FaultAt(1, "no checks")
		}
		return nil
	}
	f := r.Fields(root, "the file", "checks")
	if f == nil {
		return nil
	}
	if f["checks"] == nil {
		r.Fault(root, "checks is missing")
		return nil
	}
	list := r.List(f["checks"], "checks")
	if len(list) == 0 && r.Failed() == 0 {
		r.Fault(f["checks"], "no checks")
	}
	for _, n := range list {
		c := r.Check(n)
		c.Line = n.Line
		c.Script = c.Report && c.File == ""
		if c.Judge != "" {
			r.Fault(n, "judge: a model decides nothing here; want another check")
		}
		all = append(all, c)
	}
	return all
}

// Commands lists what the checks would run.
func (d *Done) Commands() (all []string) {
	for _, c := range d.Checks {
		if c.Command != "" {
			all = append(all, c.Command)
		}
	}
	return all
}

// A Result says what came of a check.
type Result struct {
	Check string `json:"check"` // in the words of the file
	Line  int    `json:"line"`
	OK    *bool  `json:"ok"` // nil: it could not be told
	Why   string `json:"why,omitempty"`
}

// Failed reports whether a check does not hold, for sure.
func (r Result) Failed() bool { return r.OK != nil && !*r.OK }

// The limits of judging: how long all checks take together, and how many commands run side by side.
const (
	JudgeTimeout = 120 * time.Second
	sideBySide   = 4
)

// Judge says which checks hold, in their order. Commands run side by side. hide takes secrets out of
// what is said.
func (d *Done) Judge(ctx context.Context, s *Scene, hide func(string) string) []Result {
	ctx, stop := context.WithTimeout(ctx, JudgeTimeout)
	defer stop()
	all := make([]Result, len(d.Checks))
	var wg sync.WaitGroup
	slots := make(chan struct{}, sideBySide)
	for i := range d.Checks {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			all[i] = d.Checks[i].judge(ctx, s)
			all[i].Check, all[i].Why = hide(all[i].Check), hide(all[i].Why)
		})
	}
	wg.Wait()
	return all
}

func (c *Check) judge(ctx context.Context, s *Scene) Result {
	r := Result{Check: c.Text, Line: c.Line}
	ok, why, err := c.Holds(ctx, s)
	if _, unknown := errors.AsType[Unknown](err); unknown || ctx.Err() != nil {
		r.Why = cmp.Or(fmt.Sprint(cmp.Or(err, context.Cause(ctx))), why)
		return r
	}
	if err != nil {
		why = err.Error()
	}
	if r.OK = &ok; !ok {
		r.Why = why
	}
	return r
}
