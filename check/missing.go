package check

import (
	"path/filepath"
	"strings"
)

// ownFile is a file of a skill's own, and sent are the words before one that the text sends the agent to. A name that is
// only mentioned is often another skill's, or made up to explain something: of those in public skills, more than half are.
// One that begins with ./ is the project's. Neither is searched for in the whole text, which takes a regexp long.
var (
	ownFile = compiled(`(?i)^(?:scripts|references|assets)/[\w./-]*\w\.\w{1,5}$`)
	sent    = compiled(`(?i)\b(?:see|read|refer to|consult|load|run|execute)[: *]*(?:the )?\**$`)
)

// placeholders begin names that stand for others.
var placeholders = []string{"script_name", "script-name", "your", "my_", "my-", "foo", "example", "xxx"}

func fileMissing(p *pass) {
	seen := map[string]bool{}
	start := p.doc.bodyStart()
	for line := range strings.Lines(p.doc.body()) {
		pieces := strings.Split(line, "`")
		for i, file := range pieces[:len(pieces)-1] {
			if i > 0 && ownFile().MatchString(file) && !seen[file] {
				if words := sent().FindStringIndex(pieces[i-1]); words != nil {
					seen[file] = p.sentTo(file, start, start-1-len(pieces[i-1])+words[0])
				}
			}
			start += len(file) + len("`")
		}
		start += len(pieces[len(pieces)-1])
	}
}

// sentTo looks for a file that the text names at an offset, after words at another. It reports whether it did so: names
// in examples, those that stand for others, and files that a command writes first are let be.
func (p *pass) sentTo(file string, offset, words int) bool {
	if strings.Contains(p.doc.src, "> "+file) || strings.Contains(file, "..") || standsForOthers(file) || p.doc.isInCode(words) {
		return false
	}
	if !p.doc.isThereFor(file) && !p.doc.isIgnored(file) {
		p.find(offset, offset+len(file), "%s is not there", file).Help = "add the file, or name the one that is meant"
	}
	return true
}

// standsForOthers reports whether a name is one that people make up.
func standsForOthers(file string) bool {
	base := strings.ToLower(filepath.Base(file))
	for _, p := range placeholders {
		if strings.HasPrefix(base, p) {
			return true
		}
	}
	return false
}

// isInCode reports whether an offset is in a fence or a code span.
func (d *document) isInCode(offset int) bool {
	for _, part := range d.skill.Parts {
		if part.Offset <= offset && offset < part.Offset+len(part.Source) {
			return part.InCode
		}
	}
	return false
}
