package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/skill"
)

// An ignore asks for findings not to be reported, and says why.
type ignore struct {
	rules      []string
	reason     string
	line       int // the line it is about; 0 means the whole file
	start, end int
	fault      string
	used       map[string]bool // those of the rules that were found
}

const ignoreField = "skillhand-ignore"

// readIgnores finds the comments and the field that ask for findings to be ignored.
func (d *document) readIgnores() {
	for _, p := range d.skill.Parts {
		rest, ok := strings.CutPrefix(p.Source, "<!--")
		if !ok || !p.InCode {
			continue
		}
		text, _, _ := strings.Cut(rest, "-->")
		said, ok := strings.CutPrefix(strings.TrimSpace(text), "skillhand")
		if !ok || !strings.HasPrefix(said, ":") && !strings.Contains(said, "ignore") {
			continue // it only speaks of us
		}
		end := min(p.Offset+len("<!--")+len(text)+len("-->"), len(d.src))
		for _, g := range readComment(said) {
			g.start, g.end, g.line = p.Offset, end, d.lineAt(end)+1
			d.ignores = append(d.ignores, g)
		}
	}
	d.stack()
	meta, ok := d.skill.Front.Field("metadata")
	if !ok {
		return
	}
	for _, f := range meta.Fields {
		if f.Key != ignoreField {
			continue
		}
		items := f.Fields
		if len(items) == 0 {
			items = []skill.Field{f}
		}
		for _, item := range items {
			all := newIgnores(item.Value)
			if len(item.Fields) > 0 || len(f.Fields) > 0 && item.Key != "" {
				all = []*ignore{{fault: ignoreField + " is neither a string nor a list of strings, so nothing is ignored"}}
			}
			for _, g := range all {
				g.start, g.end = item.ValueOffset, item.ValueEnd
				d.ignores = append(d.ignores, g)
			}
		}
	}
}

// stack has comments on lines of their own, one above the other, be about the line below them all.
func (d *document) stack() {
	for i := len(d.ignores) - 2; i >= 0; i-- {
		g, below := d.ignores[i], d.ignores[i+1]
		switch {
		case below.start == g.start:
			g.line = below.line
		case d.lineAt(below.start) == g.line && d.isAlone(below):
			g.line = below.line
		}
	}
}

// isAlone reports whether nothing else stands on the lines of a comment.
func (d *document) isAlone(g *ignore) bool {
	before := d.src[d.lines[d.lineAt(g.start)-1]:g.start]
	return strings.TrimSpace(before+d.src[g.end:d.endOfLine(g.end)]) == ""
}

// readComment reads what a comment says after skillhand: ": ignore", rules and reasons.
func readComment(said string) []*ignore {
	rest, colon := strings.CutPrefix(strings.TrimLeft(said, " \t"), ":")
	if words := strings.Fields(rest); colon && len(words) > 0 && words[0] == "ignore" {
		return newIgnores(strings.Join(words[1:], " "))
	}
	return []*ignore{{fault: "this comment is not understood, so nothing is ignored: write <!-- skillhand: ignore RULE reason -->"}}
}

// newIgnores reads rules with their reasons, several with semicolons or on lines of their own. A
// reason may have either in it: what does not begin with a rule is still the reason.
func newIgnores(text string) []*ignore {
	var pieces []string
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		words := strings.Fields(piece)
		switch {
		case len(words) == 0:
		case len(pieces) == 0, strings.HasPrefix(words[0], "SK"), ByName(strings.Trim(words[0], ",")) != nil:
			pieces = append(pieces, piece)
		default:
			pieces[len(pieces)-1] += ";" + piece
		}
	}
	if len(pieces) == 0 {
		pieces = []string{""}
	}
	var all []*ignore
	for _, piece := range pieces {
		all = append(all, newIgnore(piece))
	}
	return all
}

// newIgnore reads rules, with commas or blanks between them, and a reason.
func newIgnore(text string) *ignore {
	g := &ignore{used: map[string]bool{}}
	words := strings.Fields(text)
	for len(words) > 0 {
		r := ByName(strings.Trim(words[0], ","))
		if r == nil {
			break
		}
		g.rules = append(g.rules, r.ID)
		words = words[1:]
	}
	g.reason = strings.Join(words, " ")
	switch {
	case len(g.rules) == 0 && len(words) > 0:
		g.fault = fmt.Sprintf("%s is no rule, so nothing is ignored", words[0])
	case len(g.rules) == 0:
		g.fault = "no rule is named, so nothing is ignored"
	case g.reason == "":
		g.fault = "no reason is given, so nothing is ignored: say why after the rule"
	}
	return g
}

// ignore returns the findings that nobody asked to be ignored.
func (d *document) ignore(all []*Finding) []*Finding {
	if d.opt.NoIgnore {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(f *Finding) bool {
		ignored := false
		for _, g := range d.ignores {
			if g.fault == "" && slices.Contains(g.rules, f.Rule) && (g.line == 0 || g.line == f.anchor || g.line == f.Range.Line && f.of == nil) {
				g.used[f.Rule], ignored = true, true
			}
		}
		return ignored
	})
}

// ignoresAll reports whether a rule is to be ignored in the whole file.
func (d *document) ignoresAll(id string) bool {
	return !d.opt.NoIgnore && slices.ContainsFunc(d.ignores, func(g *ignore) bool { return g.fault == "" && g.line == 0 && slices.Contains(g.rules, id) })
}

// unusedIgnores reports what ignores nothing, or cannot.
func (d *document) unusedIgnores() []*Finding {
	r := ByName("SK002")
	if d.opt.NoIgnore || d.opt.severity(r) == Off {
		return nil
	}
	d.findings = nil
	p := &pass{doc: d, rule: r}
	needed := map[int]bool{} // comments, by where they start
	for _, g := range d.ignores {
		needed[g.start] = needed[g.start] || g.fault != "" || len(d.unused(g)) < len(g.rules)
	}
	for _, g := range d.ignores {
		switch {
		case g.fault != "":
			p.find(g.start, g.end, "%s", g.fault)
		case len(d.unused(g)) > 0:
			useless := g.line > 0 && !needed[g.start]
			what := "metadata need not say it"
			switch {
			case useless:
				what = "the comment can go"
			case g.line > 0:
				what = "the comment need not say it"
			}
			f := p.find(g.start, g.end, "%s is ignored here, but is not found: %s", strings.Join(d.unused(g), ", "), what)
			if useless {
				f.Fix = replace("remove the comment", false, g.start, d.afterComment(g.end), "")
			}
		}
	}
	return d.findings
}

// unused returns the rules of an ignore that were not found, and would have been.
func (d *document) unused(g *ignore) []string {
	return slices.DeleteFunc(slices.Clone(g.rules), func(id string) bool { return g.used[id] || d.mayBeFound(id) })
}

// mayBeFound reports whether a rule that was not found could be, were it asked otherwise: it is off,
// or is about other places or files than were asked about, or was found too often to be told.
func (d *document) mayBeFound(id string) bool {
	r := ByName(id)
	elsewhere := d.opt.As != "" && r.agent == claude
	return d.opt.severity(r) == Off || r.together != nil || elsewhere || d.made[id] >= maxAlike
}

// afterComment returns where the text goes on: on the next line, if the comment has its line to itself.
func (d *document) afterComment(end int) int {
	if eol := d.lineEnd(); strings.HasPrefix(d.src[end:], eol) {
		return end + len(eol)
	}
	return end
}
