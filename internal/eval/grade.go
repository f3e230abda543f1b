package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/gate"
)

// calls returns the uses of tools in the trial, in order, including those of subagents.
func (s *scene) calls() ([]gate.ToolCall, error) {
	skills, byID := &stream{delivers: s.other != nil}, map[string]*gate.ToolCall{}
	prints := &prints{}
	if s.other != nil && s.subject != nil {
		prints = newPrints(s.subject)
	}
	var order []string
	err := events(s.transcript, s.other, func(e *event) {
		skills.event(e)
		prints.event(e)
		for _, b := range e.parts {
			switch {
			case e.Type == "assistant" && b.Type == "tool_use" && byID[b.ID] == nil:
				byID[b.ID] = &gate.ToolCall{Tool: b.Name, Input: b.Input}
				order = append(order, b.ID)
			case e.Type == "user" && b.Type == "tool_result" && byID[b.For] != nil:
				c := byID[b.For]
				if c.OK = !b.IsError; slices.Contains(gate.Shells, c.Tool) {
					c.Said = b.said()
				}
			}
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the transcript no longer exists")
	}
	var all []gate.ToolCall
	for _, id := range order {
		c := byID[id]
		if skill := skills.calls[id]; skill != nil {
			c.OK = skill.launched && skill.complete
		}
		if all = append(all, *c); prints.own[id] { // where skills have no tool, this is how an agent uses a skill
			all = append(all, gate.ToolCall{Tool: "Skill", Input: fmt.Appendf(nil, `{"skill":%q}`, s.subject.Name), OK: true})
		}
	}
	return all, err
}

// grade returns whether a grader passes, and why.
func (g *Grader) grade(ctx context.Context, s *scene, r *CheckResult) (bool, string, error) {
	switch g.Type {
	case regexGrader:
		return g.gradeRegex(s)
	case toolUsed, toolOrder:
		return g.Tools.Hold(s.shared())
	case fileExists:
		return g.gradeFile(s)
	}
	material, err := g.material(s)
	if err != nil {
		return false, "", err
	}
	if s.judge == nil {
		return false, "", gate.Unknown("not asked again")
	}
	return g.vote(ctx, s, material, r)
}

func (g *Grader) gradeRegex(s *scene) (bool, string, error) {
	re, err := Compile(g.Pattern, g.Flags)
	if err != nil {
		return false, "", gate.Unknown(err.Error())
	}
	text, err := g.Target.read(s)
	if err != nil {
		return false, "", err
	}
	what := g.Target.Source
	if g.Match == "count" {
		n, err := re.Count(text)
		if err != nil {
			return false, "", gate.Unknown(err.Error())
		}
		return n == g.Count, fmt.Sprintf("found %d matches in %s, want %d", n, what, g.Count), nil
	}
	match, found, err := re.Find(text)
	if err != nil {
		return false, "", gate.Unknown(err.Error())
	}
	if found {
		return g.Match == "contains", fmt.Sprintf("%s has %q", what, match), nil
	}
	return g.Match == "not_contains", "pattern not found in " + what, nil
}

// read returns the text that a grader checks.
func (t Target) read(s *scene) (string, error) {
	switch t.Source {
	case "trace":
		text, err := os.ReadFile(s.transcript)
		if err != nil {
			return "", gate.Unknown("the transcript no longer exists")
		}
		return string(text), nil
	case "files":
		if s.changed == nil {
			return "", gate.NotKept
		}
		changed := s.changed()
		if len(changed) == 0 {
			return "(no file changes)", nil
		}
		return strings.Join(changed, "\n"), nil
	case "file":
		if s.dir == "" {
			return "", gate.NotKept
		}
		text, err := gate.Read(s.dir, t.Path, true)
		return string(text), err
	case "mock_calls":
		return "", gate.Unknown("skillhand does not mock servers")
	}
	return s.answer, nil
}

func (g *Grader) gradeFile(s *scene) (bool, string, error) {
	if s.dir == "" {
		return false, "", gate.NotKept
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return false, "", err
	}
	defer root.Close()
	if _, err := root.Stat(filepath.FromSlash(g.Path)); err != nil {
		return g.Absent, g.Path + " does not exist", nil
	}
	return !g.Absent, g.Path + " exists", nil
}

// maxMaterial limits how much of a text a judge gets, in bytes.
const maxMaterial = 400 << 10

func (g *Grader) material(s *scene) (string, error) {
	shorten := func(text string) string {
		if len(text) > maxMaterial {
			text = text[:maxMaterial/2] + "\n[…]\n" + text[len(text)-maxMaterial/2:]
		}
		return strings.ToValidUTF8(text, "\ufffd")
	}
	if g.Type != baseline {
		text, err := g.Target.read(s)
		return fmt.Sprintf("The material (%s):\n%s\n%s\n%[2]s", g.Target.Source, fenceMark, shorten(text)), err
	}
	text, err := Target{Source: "trace"}.read(s)
	if err != nil {
		return "", err
	}
	than, err := os.ReadFile(g.BaselineFile)
	if err != nil {
		return "", gate.Unknown(err.Error())
	}
	return fmt.Sprintf("The trace of what it did:\n%s\n%s\n%[1]s\n\nThe trace of another run, to compare with:\n%[1]s\n%[3]s\n%[1]s",
		fenceMark, shorten(text), shorten(string(than))), nil
}

// decides is how many equal votes of a judge decide. If the first two votes differ, the judge is
// asked a third time.
const decides = 2

// vote asks the judge until two of its answers are the same.
func (g *Grader) vote(ctx context.Context, s *scene, material string, r *CheckResult) (bool, string, error) {
	votes := map[bool]int{}
	var reasons []string
	for max(votes[true], votes[false]) < decides {
		ok, why, err := s.judge(ctx, fmt.Sprintf("%s\n\nDoes this hold: %s", material, g.Criteria))
		if err != nil {
			return false, "", gate.Unknown("the judge: " + err.Error())
		}
		votes[ok]++
		r.Votes = append(r.Votes, ok)
		reasons = append(reasons, map[bool]string{true: "yes: ", false: "no: "}[ok]+why)
	}
	return votes[true] > votes[false], strings.Join(reasons, "; "), nil
}

// A snapshot maps the files of a folder to hashes of their content, or to the targets of links.
type snapshot map[string]string

func takeSnapshot(dir string) snapshot {
	all := snapshot{}
	_ = walkTree(dir, func(rel string) bool { return rel == ".git" || rel == ".claude" },
		func(e entry) error { // a file that cannot be read has not changed
			if e.mode.IsDir() {
				return nil
			}
			all[e.rel] = e.link
			if e.mode.IsRegular() {
				all[e.rel] = hashFile(e.path)
			}
			return nil
		})
	return all
}

// changes returns the files that are new, changed or gone.
func (s snapshot) changes(now snapshot) []string {
	var all []string
	for rel, sum := range now {
		if was, ok := s[rel]; !ok || was != sum {
			all = append(all, rel)
		}
	}
	for rel := range s {
		if _, ok := now[rel]; !ok {
			all = append(all, rel)
		}
	}
	slices.Sort(all)
	return all
}
