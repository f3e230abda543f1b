package check

import (
	"errors"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
)

func basicRules() []*Rule {
	all := []Kind{Skill, Command, Agent, Plugin, Marketplace, Hooks, Text, FirstUse}
	return []*Rule{
		{ID: "SK001", Name: "unreadable", Severity: Error, template: true, kinds: all, run: unreadable,
			Summary: "a file cannot be read, so nobody knows what is wrong with it"},
		{ID: "SK002", Name: "ignore", Severity: Warning, template: true, kinds: all, run: func(*pass) {}, // see unusedIgnores
			Summary: "a comment that asks for a finding to be ignored ignores nothing"},
		{ID: "SK003", Name: "encoding", Severity: Warning, template: true, kinds: all, run: encoding,
			Summary: "the text is not UTF-8, and an agent reads other characters than were written"},
		{ID: "SK004", Name: "not-loaded", Severity: Error, kinds: []Kind{Skill, Text}, agent: claude, run: notLoaded,
			Summary: "a file looks like a skill, but its name or place keeps Claude Code from loading it"},
		{ID: "SK005", Name: "empty", Severity: Warning, kinds: []Kind{Skill, Command}, run: empty,
			Summary: "a skill or command has no text, so nothing is loaded when it is used"},
	}
}

func unreadable(p *pass) {
	if p.doc.fault == nil {
		p.linkAsText()
		return
	}
	text := p.doc.fault.Error()
	f := p.find(0, 0, "%s", strings.TrimPrefix(text, p.doc.file.Path+": "))
	if dead, ok := errors.AsType[*find.DeadLink](p.doc.fault); ok {
		f.Help = dead.Help()
	}
	if _, isLink := errors.AsType[*linkError](p.doc.fault); isLink && p.doc.file.Kind == Skill {
		p.severe(f, Info) // Claude Code loads it, and nobody has checked it
	}
}

// linkAsText reports a file that holds a path and nothing else: a link of the repository, checked out on a system
// without links.
func (p *pass) linkAsText() {
	target := strings.TrimSpace(p.doc.src)
	if len(target) > 300 || !strings.Contains(target, "/") || strings.ContainsAny(target, " \t\n") ||
		!files.IsFile(filepath.Join(filepath.Dir(p.doc.file.Path), filepath.FromSlash(target))) {
		return
	}
	f := p.find(0, len(target), "the file holds nothing but the path %s: it was a link, and an agent reads the path", target)
	f.Help = "make it a link again (git config core.symlinks true), or copy the file"
}

func notLoaded(p *pass) {
	if at := p.doc.file.Misplaced; at.Text != "" && !at.Told {
		f := p.find(0, 0, "%s", at.Text)
		if f.Help = at.Help; at.Perhaps {
			p.severe(f, Info)
		}
	}
}

func encoding(p *pass) {
	if utf8.ValidString(p.doc.src) {
		return
	}
	for i := 0; i < len(p.doc.src); {
		r, n := utf8.DecodeRuneInString(p.doc.src[i:])
		if r == utf8.RuneError && n <= 1 {
			p.find(i, i+1, "invalid UTF-8 byte %#x: an agent reads \ufffd here", p.doc.src[i]).Help = "save the file as UTF-8"
			return // the first is enough
		}
		i += n
	}
}

// empty reports a text of nothing but blanks, unless the skill is used for the hooks in its frontmatter. Claude Code's
// answers are in testdata/claude/SK005-empty.txtar.
func empty(p *pass) {
	_, hasHooks := p.doc.skill.Front.Field("hooks")
	if hasHooks || strings.TrimSpace(p.doc.body()) != "" {
		return
	}
	f := p.find(0, 0, "the %s has no text, so the model gets no instructions when it is used", p.doc.file.Kind)
	f.Help = "write below the frontmatter what the agent is to do"
}
