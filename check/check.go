// Package check answers one question: what is wrong with these skills, before an agent finds out?
//
// A rule proves something: that a command aborts the page, that a pattern never matches, that a
// link leads nowhere. What Claude Code does is asked of the packages that know: claudepage which
// commands it runs, permit which of them it lets run. Nothing is run here, and nothing is written.
package check

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/skillhand/skillhand/internal/agents"
)

// A Severity says how much a finding matters.
type Severity string

// The severities. A rule that is Off is not run.
const (
	Error   Severity = "error"   // it does not do what it says
	Warning Severity = "warning" // it will not, in cases that come up
	Info    Severity = "info"    // worth knowing
	Off     Severity = "off"
)

// Rank orders severities: the higher the worse.
func (s Severity) Rank() int {
	return slices.Index([]Severity{Off, Info, Warning, Error}, s)
}

// Options say what is checked, and for whom. The zero value checks all for Claude Code.
type Options struct {
	Agents   []string            // as Agents lists them; none means claude
	Rules    map[string]Severity // rules that matter more or less than they say
	As       Place               // where Claude Code loads the files from; "" means by where they lie
	Dialect  string              // "skillhand": also say where our own rendering differs
	NoIgnore bool                // report what the files ask to be ignored
	NoSkip   bool                // check folders of tests and of other people's code too
	Jobs     int                 // files read at once; 0 means one a processor

	// Settings are the user's folders, if what Claude Code's settings files say there and in the
	// files' projects counts.
	Settings *Where
	Listing  Listing // what is known of Claude Code's list of skills

	Progress func(done, all int) // called after each file, from any goroutine

	keep  bool // what files say, to be mended
	rules *settingsRules

	shelves []*shelf // see whole.shelves
}

// A Result is what a check found.
type Result struct {
	Files      int
	Directives int
	Skipped    int // files in folders of tests and of other people's code
	Ignored    int // findings that the files ask to be ignored
	Findings   []*Finding
	Verdicts   []Verdict // what Claude Code decides about each directive

	top     string            // of the repository that is worked in
	checked map[string]bool   // the files, by their names in a baseline
	sources map[string]string // of the files that have findings, by their paths
}

// Count returns how many findings are of a severity.
func (r *Result) Count(s Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Run checks files, each by itself and then together. Findings come in the order of files and lines.
func Run(ctx context.Context, files []File, opt Options) *Result {
	opt.rules = &settingsRules{}
	docs := make([]*document, len(files))
	var wait sync.WaitGroup
	var next, done atomic.Int64
	for range min(len(files), cmp.Or(opt.Jobs, runtime.GOMAXPROCS(0))) {
		wait.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(files) || ctx.Err() != nil {
					return
				}
				docs[i] = checkFile(files[i], &opt)
				if n := int(done.Add(1)); opt.Progress != nil {
					opt.Progress(n, len(files))
				}
			}
		})
	}
	wait.Wait()
	docs = slices.DeleteFunc(docs, func(d *document) bool { return d == nil }) // not reached
	for _, r := range All() {
		if r.together != nil && opt.severity(r) != Off {
			r.together(&whole{rule: r, opt: &opt, docs: docs})
		}
	}
	return collect(docs)
}

// checkFile runs the rules about one file, and keeps of it what the rules about all need.
func checkFile(f File, opt *Options) *document {
	d := open(f, opt.forFile(&f))
	if !d.opt.isFor("claude") {
		d.verdicts = nil
	}
	for _, r := range All() {
		if r.run != nil && d.opt.severity(r) != Off && r.isFor(d) && (d.fault == nil || r.ID == "SK001") {
			r.run(&pass{doc: d, rule: r})
		}
	}
	d.close()
	return d
}

// collect orders the findings and takes out what is ignored.
func collect(docs []*document) *Result {
	res := &Result{Files: len(docs), Findings: []*Finding{}, checked: map[string]bool{}, sources: map[string]string{}}
	for _, d := range docs {
		res.Directives += d.count
		res.top = cmp.Or(res.top, d.file.Top)
		for _, name := range append(d.also, d.file.FixedName()) {
			res.checked[name] = true
		}
		all := d.findings
		d.withholdFixes(all)
		kept := d.ignore(all)
		res.Ignored += len(all) - len(kept)
		kept = joinConsequences(kept)
		kept = append(kept, d.unusedIgnores()...)
		slices.SortStableFunc(kept, func(a, b *Finding) int {
			return cmp.Or(cmp.Compare(a.beside(), b.beside()), cmp.Compare(a.Range.Offset, b.Range.Offset), cmp.Compare(a.Rule, b.Rule))
		})
		fingerprint(kept)
		d.mask(kept)
		res.Verdicts = append(res.Verdicts, d.verdicts...)
		res.Findings = append(res.Findings, kept...)
		if len(kept) > 0 && d.opt.keep {
			res.sources[d.file.Path] = d.src
		}
	}
	return res
}

// severity returns how much a rule matters under the options.
func (opt *Options) severity(r *Rule) Severity {
	if s, ok := opt.Rules[r.ID]; ok {
		return s
	}
	switch {
	case r.agent == spec && !opt.isForSpec(), r.agent == others && len(opt.named()) == 0:
		return Off
	case r.agent == claude && !opt.isFor("claude"):
		return Off
	case r.dialect && opt.Dialect != "skillhand":
		return Off
	case r.Off:
		return Off
	}
	return r.Severity
}

// forFile returns the options for a file: for the agents that were asked for and those that read the file where it lies.
// Others that also read Claude Code's folders take what they find there, and count only if they were asked for.
func (opt *Options) forFile(f *File) *Options {
	owners := f.Owners
	if slices.Contains(owners, agents.Claude) {
		owners = []string{agents.Claude}
	}
	own := *opt
	own.Agents = slices.Clone(opt.Agents)
	for _, owner := range owners {
		if !slices.Contains(own.Agents, owner) {
			own.Agents = append(own.Agents, owner)
		}
	}
	return &own
}

func (opt *Options) isFor(agent string) bool {
	return slices.Contains(opt.Agents, agent) || len(opt.Agents) == 0 && agent == "claude"
}

// isForOthers reports whether an agent other than Claude Code is checked for.
func (opt *Options) isForOthers() bool {
	return slices.ContainsFunc(opt.Agents, func(a string) bool { return a != "claude" })
}

// isForSpec reports whether the Agent Skills specification is what counts: for those of whom nothing more is known.
func (opt *Options) isForSpec() bool { return opt.isFor(specification) || opt.isFor("cursor") }

// named lists the other agents that are checked for of which it is known what they do.
func (opt *Options) named() []string {
	return slices.DeleteFunc(slices.Clone(opt.Agents), func(a string) bool { return a == "claude" || !slices.Contains(agents.Names(), a) })
}

// Agents lists the agents that can be checked for.
func Agents() []string { return append(agents.Names(), "cursor", specification) }

// specification stands for the Agent Skills specification among agents.
const specification = "spec"

// A whole is all files together, seen by one rule.
type whole struct {
	rule *Rule
	opt  *Options
	docs []*document
}

// find notes a finding about one of the files.
func (w *whole) find(d *document, start, end int, format string, a ...any) *Finding {
	return (&pass{doc: d, rule: w.rule}).find(start, end, format, a...)
}

// skills lists the documents that an agent can load by name.
func (w *whole) skills() []*document {
	var all []*document
	for _, d := range w.docs {
		if d.name != "" && (d.file.Kind == Skill || d.file.Kind == Command) {
			all = append(all, d)
		}
	}
	return all
}
