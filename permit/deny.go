package permit

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// spokenOf finds a rule that speaks of the command, or of any command in it. Rules that deny or ask
// look deeper than those that allow: into groups and nested commands, behind every assignment,
// env, sudo and xargs, without quotes, and at the name of a program without its folder.
func (j *decision) spokenOf(rules []Rule) (*Rule, span) {
	whole := strings.TrimSpace(j.src)
	for i, r := range rules {
		if r.Tool != "Bash" {
			continue
		}
		// A prefix speaks of one command, and of several only if it is all of them.
		if r.Kind == All || r.names(whole) || (r.Kind != Prefix || len(j.r.calls()) < 2) && r.matches(whole, squeeze(j.src)) {
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

// forbidsFile finds a rule that forbids to read or to change a file which the command names. Braces and
// nested commands that Claude Code does not analyse hide it.
func (j *decision) forbidsFile() (*Rule, span) {
	for _, p := range j.r.parts {
		if p.braced {
			continue
		}
		reads, writes := j.names(p)
		if r, s := j.forbidden("Read", reads); r != nil {
			return r, s
		}
		if r, s := j.forbidden("Edit", writes); r != nil {
			return r, s
		}
	}
	for _, f := range j.r.files {
		tool := "Read"
		if f.write {
			tool = "Edit"
		}
		if r, s := j.forbidden(tool, []word{f.to}); r != nil {
			return r, s
		}
	}
	return nil, span{}
}

// names returns the files that a part reads and those that it changes.
func (j *decision) names(p part) (reads, writes []word) {
	name, args := p.name()
	_, reader := readers[name]
	switch {
	case name == "sed" && !readOnlySed(args):
		return pathArgs(name, args), pathArgs(name, args)
	case name == "cp", name == "mv":
		return positional(args), positional(args)
	case writers[name]:
		return nil, positional(args)
	case name == "git":
		return gitPathArgs(args), nil
	case reader && name != "cd" && name != "man":
		return pathArgs(name, args), nil
	}
	return nil, nil
}

func (j *decision) forbidden(tool string, paths []word) (*Rule, span) {
	for _, w := range paths {
		if w.nested() || strings.ContainsAny(w.val, "*?[") || parentAfterName(w.val) {
			continue
		}
		if r := j.named(j.deny, tool, path.Clean(j.absolute(w.val)), true); r != nil {
			return r, w.span
		}
	}
	return nil, span{}
}

// deniesFiles reports rules that forbid to read, or to change, some files.
func (j *decision) deniesFiles(tool string) bool {
	return slices.ContainsFunc(j.deny, func(r Rule) bool { return r.Tool == tool && r.Spec != "" })
}

// movesOut reports a cd to another folder.
func (j *decision) movesOut() bool {
	return slices.ContainsFunc(j.r.parts, func(p part) bool { return p.moves() && !j.stays(p) })
}

// readsUnseen finds a command that reads in a folder which the line changes to: whether a rule forbids
// it is not known.
func (j *decision) readsUnseen() *fault {
	if !j.movesOut() || !j.deniesFiles("Read") {
		return nil
	}
	for _, p := range j.r.parts {
		if name, _ := p.name(); readers[name] != "" && name != "cd" {
			return newFault(p.span, "cd, and a command that reads files, of which a rule forbids some",
				name+" reads a file by a relative path after a cd in a compound command")
		}
	}
	return nil
}
