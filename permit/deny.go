package permit

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// spokenOf finds a rule that speaks of the command, or of any command in it. Rules that deny or ask
// look deeper than those that allow: into groups and nested commands, behind every assignment,
// env, sudo and xargs, without quotes, and at the name of a program without its folder.
func (j *judge) spokenOf(rules []Rule) (*Rule, span) {
	for i, r := range rules {
		if r.Tool != "Bash" {
			continue
		}
		if r.Kind == All || r.matches(strings.TrimSpace(j.src), squeeze(j.src)) {
			return &rules[i], span{0, len(j.src)}
		}
		for _, c := range j.r.calls() {
			for _, text := range c.texts {
				if r.matches(text, text) {
					return &rules[i], c.span
				}
			}
		}
	}
	return nil, span{}
}

// A call is a command at any depth, with the texts that a rule may name it by.
type call struct {
	span
	texts []string
}

func (r *reading) calls() []call {
	if r.file == nil || r.called != nil {
		return r.called
	}
	syntax.Walk(r.file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			quiet := reading{src: r.src, home: r.home}
			var words []word
			for _, w := range c.Args {
				words = append(words, quiet.word(w, context{}))
			}
			r.called = append(r.called, call{spanOf(c), denyTexts(r.src[c.Args[0].Pos().Offset():c.End().Offset()], words)})
		}
		return true
	})
	return r.called
}

func denyTexts(written string, words []word) []string {
	texts := []string{squeeze(written)}
	for len(words) > 0 {
		vals := make([]string, len(words))
		for i, w := range words {
			vals[i] = w.val
		}
		texts = append(texts, strings.Join(vals, " "))
		if base := path.Base(vals[0]); base != vals[0] {
			vals[0] = base
			texts = append(texts, strings.Join(vals, " "))
		}
		rest, ok := launched(words)
		if !ok {
			switch vals[0] {
			case "env", "sudo", "xargs":
				rest = words[1:]
				for len(rest) > 0 && (isFlag(rest[0].val) || strings.Contains(rest[0].val, "=")) {
					rest = rest[1:]
				}
			default:
				return texts
			}
		}
		words = rest
	}
	return texts
}
