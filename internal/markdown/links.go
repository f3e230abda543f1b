package markdown

import (
	"bytes"
	"strings"
)

// A Link is a place where a document refers to something: [text](destination), ![text](destination)
// or [label]: destination.
type Link struct {
	Start, End  int    // of the destination, without <>
	Destination string // as written
}

// Links returns the links in src[from:to]. That part of the document must contain no code or
// comments: no Code span of Scan.
func Links(src string, from, to int) []Link {
	var links []Link
	if !strings.Contains(src[from:to], "](") && !strings.Contains(src[from:to], "]:") {
		return nil
	}
	b := []byte(src[from:to])
	open, text := 0, 0 // open brackets, and brackets escaped with a backslash
	for i := 0; i+1 < len(b); i++ {
		switch b[i] {
		case '\\':
			if b[i+1] == '[' {
				text++
			}
			i += escaped(b, i)
			continue
		case '[':
			open++
			continue
		case '\n':
			if b[i+1] == '\n' { // a link ends with its paragraph
				open, text = 0, 0
			}
			continue
		case ']':
		default:
			continue
		}
		if open == 0 && text > 0 {
			text--
			continue // with no open bracket at all, the link began before some code
		}
		open = max(0, open-1)
		at := i + 2
		switch b[i+1] {
		case '(':
			at = skipSpace(b, at)
			if inlineLink(b, i+1) < 0 {
				continue
			}
		case ':':
			if !defines(b, i) {
				continue
			}
			at = skipSpace(b, at)
		default:
			continue
		}
		end := destination(b, at)
		if end <= at {
			continue
		}
		l := Link{Start: from + at, End: from + end}
		if b[at] == '<' {
			l.Start++
			l.End--
		}
		l.Destination = src[l.Start:l.End]
		links = append(links, l)
		i = end - 1
	}
	return links
}

// defines reports whether the ]: at i ends the label of a link's definition.
func defines(b []byte, i int) bool {
	const most = 2 * maxLabel // a long line may contain very many labels
	from := max(0, i-most)
	n := bytes.LastIndexByte(b[from:i], '\n')
	if n < 0 && from > 0 {
		return false
	}
	start := from + n + 1
	text := append(bytes.Clone(b[start:min(len(b), i+most)]), '\n')
	indent := len(text) - len(bytes.TrimLeft(text, " "))
	_, end := definition(text, indent)
	return end >= 0
}
