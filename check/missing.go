package check

import (
	"path/filepath"
	"strings"
)

// sentTo finds the files of a skill's own that its text sends the agent to. A name that is only mentioned is often another
// skill's, or made up to explain something: of those in public skills, more than half are. One that begins with ./ is the
// project's.
var sentTo = compiled("(?i)\\b(?:see|read|refer to|consult|load|run|execute)[: *]*(?:the )?\\**" +
	"`((?:scripts|references|assets)/[\\w./-]*\\w\\.\\w{1,5})`")

// placeholders begin names that stand for others.
var placeholders = []string{"script_name", "script-name", "your", "my_", "my-", "foo", "example", "xxx"}

func fileMissing(p *pass) {
	body := p.doc.bodyStart()
	seen := map[string]bool{}
	for _, at := range sentTo().FindAllStringSubmatchIndex(p.doc.src[body:], -1) {
		start, end := body+at[2], body+at[3]
		file := p.doc.src[start:end]
		if seen[file] || strings.Contains(p.doc.src, "> "+file) || // which a command before it writes
			strings.Contains(file, "..") || standsForOthers(file) || p.doc.isInCode(body+at[0]) {
			continue
		}
		seen[file] = true
		if !p.doc.isThereFor(file) && !p.doc.isIgnored(file) {
			p.find(start, end, "%s is not there", file).Help = "add the file, or name the one that is meant"
		}
	}
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
