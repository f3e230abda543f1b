package check

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/files"
)

// Fixes say what becomes of files that are mended.
type Fixes struct {
	Edits       []*FileEdit          // the files that change, by their names
	Paths       map[*FileEdit]string // where they are: names can be alike
	Executables []string             // the files that become executable
	Made        int                  // how many fixes
	Each        map[string]int       // the same, by where the files are
	Unsafe      int                  // how many more could be made, but not safely, at first sight
	Findings    int                  // how many findings there were before any fix
}

// maxRounds bounds how often a file is checked again after a fix. Real files need two or three
// rounds; a fix that does not end its own finding would go on for ever.
const maxRounds = 10

// Mend mends what can be mended: safely, or also where a fix may change more than the fault. A fix
// may make room for another, so files are checked again until there is nothing left to do.
// Nothing is written.
func Mend(ctx context.Context, found []File, opt Options, unsafe bool) *Fixes {
	fixes := &Fixes{Paths: map[*files.Edit]string{}, Each: map[string]int{}}
	before := map[string][]byte{}
	opt.Progress, opt.keep = nil, true
	seen := map[[sha256.Size]byte]bool{} // what files have been: fixes that undo each other end there
	for round := 0; len(found) > 0 && round < maxRounds && ctx.Err() == nil; round++ {
		res := Run(ctx, found, opt)
		if round == 0 {
			fixes.Findings = len(res.Findings)
			for _, f := range res.Findings {
				if f.Fix != nil && f.Fix.Unsafe && !unsafe {
					fixes.Unsafe++
				}
			}
		}
		byPath := map[string][]*Finding{}
		for _, f := range res.Findings {
			byPath[f.path] = append(byPath[f.path], f)
		}
		var again []File
		for _, f := range found {
			src, made := fixes.mend(res.source(f), byPath[f.Path], unsafe)
			if made == 0 {
				continue
			}
			if before[f.Path] == nil {
				before[f.Path] = []byte(res.source(f))
			}
			fixes.Made += made
			fixes.Each[f.Path] += made
			f.Source = []byte(src)
			fixes.put(f, before[f.Path])
			if sum := sha256.Sum256([]byte(f.Path + "\x00" + src)); !seen[sum] {
				seen[sum] = true
				again = append(again, f)
			}
		}
		found = again
	}
	slices.SortFunc(fixes.Edits, func(a, b *files.Edit) int { return cmp.Compare(a.Name, b.Name) })
	return fixes
}

// mend applies the fixes of one file that do not get in each other's way, and none that would have
// Claude Code run what it does not run now.
func (x *Fixes) mend(src string, all []*Finding, unsafe bool) (mended string, made int) {
	var wanted []*Finding
	var looked looks
	for _, f := range all {
		if f.Fix != nil && (unsafe || !f.Fix.Unsafe) && !(isMarkdown(f.path) && looked.makesDirective(src, f.Fix.Edits)) {
			wanted = append(wanted, f)
		}
	}
	edits, made := x.choose(wanted)
	if len(wanted) > 0 && isMarkdown(wanted[0].path) && looked.makesDirective(src, edits) { // together they do: one a round
		first := true
		wanted = slices.DeleteFunc(wanted, func(f *Finding) bool {
			near := slices.ContainsFunc(f.Fix.Edits, func(e Edit) bool { return e.isNearMark(src) })
			drop := near && !first
			first = first && !near
			return drop
		})
		edits, made = x.choose(wanted)
	}
	if made == 0 {
		return "", 0
	}
	return apply(src, edits), made
}

// withholdFixes drops the fixes that may make a text wrong for an agent that reads it. Those of general rules never do. What
// is said to Claude Code in a skill is plain text to other agents; their commands, subagents and hooks have words of their own.
// A text without a place is nobody's but the caller's. One that nobody is known to read where it lies is Claude Code's if it
// has directives, which no other agent runs when its model calls for a skill.
func (d *document) withholdFixes(all []*Finding) {
	owners := slices.Concat(d.file.Owners, d.opt.Agents)
	if len(d.file.Owners) == 0 && d.file.Misplaced.Text == "" && d.runs {
		owners = append(owners, agents.Claude)
	}
	isOthers := func(agent string) bool { return agent != agents.Claude && agent != specification }
	isSkill := d.file.Kind == Skill || d.file.Kind == FirstUse || d.file.Kind == Text
	if d.file.Path == "" || slices.Contains(owners, agents.Claude) && (isSkill || !slices.ContainsFunc(owners, isOthers)) {
		return
	}
	for _, f := range all {
		if f.ofClaude {
			f.Fix = nil
		}
	}
}

func isMarkdown(path string) bool { return !strings.HasSuffix(path, ".json") }

// makesDirective reports whether edits of a text give Claude Code more commands to run than it has. Where that
// would take too long to find out, they may.
func (l *looks) makesDirective(src string, edits []Edit) bool {
	if !slices.ContainsFunc(edits, func(e Edit) bool { return e.isNearMark(src) }) {
		return false
	}
	after, ok := l.directives(apply(src, edits))
	before, also := l.directives(src)
	return !ok || !also || len(after) > len(before)
}

// looks counts the bytes in which directives were looked for: a text with thousands of examples is
// not read once for each of them.
type looks int

const maxLooks = 16 << 20

// directives finds the directives in a text, until too much was read.
func (l *looks) directives(text string) ([]claudecode.Written, bool) {
	if *l += looks(len(text)); *l > maxLooks {
		return nil, false
	}
	return claudecode.Directives([]byte(text)), true
}

func (e Edit) isNearMark(src string) bool {
	const near = 4
	return strings.ContainsAny(src[max(0, e.Offset-near):min(len(src), e.End+near)]+e.Text, "!`")
}

// choose takes the edits of fixes that do not get in each other's way, and counts the fixes.
func (x *Fixes) choose(all []*Finding) (edits []Edit, made int) {
	lists := map[Edit]bool{}  // those of them that add to a list
	keys := map[string]bool{} // that they make: a second one of a name would take the first one's place
	for _, found := range all {
		if found.Fix.Executable != "" {
			if !slices.Contains(x.Executables, found.Fix.Executable) {
				x.Executables = append(x.Executables, found.Fix.Executable)
				x.Made++
				x.Each[found.Fix.Executable]++
			}
			continue
		}
		if found.Fix.more && lists[found.Fix.Edits[0]] {
			made++ // another finding has added it
			continue
		}
		if keys[found.Fix.makes] || slices.ContainsFunc(found.Fix.Edits, func(e Edit) bool {
			return slices.ContainsFunc(edits, func(o Edit) bool { return e.touches(o) && !(found.Fix.more && lists[o] && e.Offset == o.Offset) })
		}) {
			continue // in the next round
		}
		if found.Fix.more {
			lists[found.Fix.Edits[0]] = true
		}
		if found.Fix.makes != "" {
			keys[found.Fix.makes] = true
		}
		edits = append(edits, found.Fix.Edits...)
		made++
	}
	return edits, made
}

// touches reports whether two edits cannot be made at once.
func (e Edit) touches(o Edit) bool { return e.Offset <= o.End && o.Offset <= e.End }

func (x *Fixes) put(f File, before []byte) {
	for _, e := range x.Edits {
		if x.Paths[e] == f.Path {
			e.After = f.Source
			return
		}
	}
	e := &files.Edit{Name: f.Name, Before: before, After: f.Source}
	x.Paths[e] = f.Path
	x.Edits = append(x.Edits, e)
}

// source returns what a file says, as it was checked.
func (r *Result) source(f File) string { return r.sources[f.Path] }
