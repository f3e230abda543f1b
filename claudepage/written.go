package claudepage

import (
	"cmp"
	"slices"
	"strings"
)

// A Written is a directive as it stands in a file, before anything was put into it.
type Written struct {
	Offset  int    // of its first byte in the file
	End     int    // after its last byte
	Line    int    // of Offset
	Command string // without white space around it and carriage returns at line ends
	From    int    // the offset of Command
	Block   bool   // ```! … ```, not !`…`
}

// Directives returns the directives in a skill's or command's file, by where they stand. Nothing is
// run. What an argument would complete or break, such as a command in backquotes, is not seen.
func Directives(src []byte) []Written {
	text := string(src)
	_, body := splitFrontmatter(text)
	start := len(text) - len(body)
	var found []Written
	for _, block := range []bool{true, false} {
		matches := inlines(body)
		if block {
			matches = blocks(body)
		}
		for _, m := range matches {
			written := body[m.from:m.to]
			command := trimSpace(written)
			if command == "" {
				continue
			}
			found = append(found, Written{
				Offset: start + m.start, End: start + m.end, Block: block,
				From:    start + m.from + strings.Index(written, command),
				Command: strings.ReplaceAll(command, "\r\n", "\n"),
			})
		}
	}
	slices.SortStableFunc(found, func(a, b Written) int { return cmp.Compare(a.Offset, b.Offset) })
	line, at := 1, 0
	for i := range found {
		line += strings.Count(text[at:found[i].Offset], "\n")
		at, found[i].Line = found[i].Offset, line
	}
	return found
}
