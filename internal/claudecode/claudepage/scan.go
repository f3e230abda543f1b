package claudepage

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// scan returns the directives in a text: first the blocks, then the inline ones. Each kind is
// looked for by itself, so that the two can overlap.
func scan(text string) []Directive {
	var found []Directive
	for _, matches := range [][]claudecode.Match{claudecode.Blocks(text), claudecode.Inlines(text)} {
		line, at := 1, 0
		for _, m := range matches {
			line += strings.Count(text[at:m.Start], "\n")
			at = m.Start
			if command := claudecode.TrimSpace(strings.ReplaceAll(text[m.From:m.To], "\r\n", "\n")); command != "" {
				found = append(found, Directive{Source: text[m.Start:m.End], Command: command, Line: line})
			}
		}
	}
	return found
}

// checkCommands refuses commands with characters that a person could not see. Claude Code then
// runs none of them.
func (s *Skill) checkCommands(directives []Directive) error {
	for _, d := range directives {
		if strings.ContainsFunc(d.Command, hidden) {
			shown := strings.Map(func(r rune) rune {
				if hidden(r) {
					return utf8.RuneError
				}
				return r
			}, d.Command)
			return &Failure{fmt.Sprintf("No shell command in /%s was run, because the Bash tool does not accept one of them: "+
				"command contains control characters that would be hidden in the approval dialog. "+
				"Unprintable characters are shown as \uFFFD below: remove them from the skill or command file, "+
				"or from the arguments or options substituted into it.\n%s", s.Name, shown)}
		}
	}
	return nil
}

// hidden reports whether r is a control character other than a tab or a newline.
func hidden(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' || 0x7F <= r && r <= 0x9F
}

// splice puts output in the place of a directive, or rather of the first text that reads like it:
// Claude Code does not remember where the directive stood.
func splice(text, directive, output string) string {
	return strings.Replace(text, directive, output, 1)
}
