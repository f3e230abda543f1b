package check

import (
	"fmt"
	"slices"
	"strings"
)

// An ignore asks for findings not to be reported, and says why.
type ignore struct {
	rules      []string
	reason     string
	line       int // the line it is about; 0 means the whole file
	start, end int
	fault      string
	used       bool
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
		length := len("<!--") + len(text) + len("-->")
		g := readIgnore(said)
		g.start, g.end = p.Offset, min(p.Offset+length, len(d.src))
		g.line = d.lineAt(g.end) + 1
		d.ignores = append(d.ignores, g)
	}
	meta, ok := d.skill.Front.Field("metadata")
	if !ok {
		return
	}
	for _, f := range meta.Fields {
		if f.Key != ignoreField {
			continue
		}
		for text := range strings.FieldsFuncSeq(f.Value, func(r rune) bool { return r == ';' || r == '\n' }) {
			if strings.TrimSpace(text) == "" {
				continue
			}
			g := newIgnore(text)
			g.start, g.end = f.ValueOffset, f.ValueEnd
			d.ignores = append(d.ignores, g)
		}
	}
}

// readIgnore reads what a comment says after skillhand: ": ignore", rules and a reason.
func readIgnore(said string) *ignore {
	rest, colon := strings.CutPrefix(strings.TrimLeft(said, " \t"), ":")
	if words := strings.Fields(rest); colon && len(words) > 0 && words[0] == "ignore" {
		return newIgnore(strings.Join(words[1:], " "))
	}
	return &ignore{fault: "this comment is not understood, so nothing is ignored: write <!-- skillhand: ignore RULE reason -->"}
}

// newIgnore reads rules, with commas or blanks between them, and a reason.
func newIgnore(text string) *ignore {
	g := &ignore{}
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
			if g.fault == "" && slices.Contains(g.rules, f.Rule) && (g.line == 0 || g.line == f.Range.Line || g.line == f.anchor) {
				g.used, ignored = true, true
			}
		}
		return ignored
	})
}

// unusedIgnores reports what ignores nothing, or cannot.
func (d *document) unusedIgnores() []*Finding {
	r := ByName("SK002")
	if d.opt.NoIgnore || d.opt.severity(r) == Off {
		return nil
	}
	d.findings = nil
	p := &pass{document: d, rule: r}
	for _, g := range d.ignores {
		switch {
		case g.fault != "":
			p.find(g.start, g.end, "%s", g.fault)
		case !g.used && !slices.ContainsFunc(g.rules, d.mayBeFound):
			what := "metadata need not say it"
			if g.line > 0 {
				what = "the comment can go"
			}
			f := p.find(g.start, g.end, "%s is ignored here, but is not found: %s", strings.Join(g.rules, ", "), what)
			if g.line > 0 {
				f.Fix = replace("remove the comment", false, g.start, d.afterComment(g.end), "")
			}
		}
	}
	return d.findings
}

// mayBeFound reports whether a rule that was not found could be, were it asked otherwise: it is off,
// or is about other places or files than were asked about, or was found too often to be told.
func (d *document) mayBeFound(id string) bool {
	r := ByName(id)
	elsewhere := d.opt.As != "" && r.agent == claude
	return d.opt.severity(r) == Off || r.together != nil || elsewhere || d.made[id] >= maxAlike
}

// afterComment is where the text goes on: on the next line, if the comment has its line to itself.
func (d *document) afterComment(end int) int {
	if eol := d.lineEnd(); strings.HasPrefix(d.src[end:], eol) {
		return end + len(eol)
	}
	return end
}
