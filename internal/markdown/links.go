package markdown

import "strings"

// A Link is where a document points at something: [text](destination), ![text](destination) or
// [label]: destination.
type Link struct {
	Start, End  int    // of the destination, without <>
	Destination string // as written
}

// Links finds the links of a document that are not in code or comments.
func Links(src string) []Link {
	if !strings.Contains(src, "](") && !strings.Contains(src, "]:") {
		return nil
	}
	var links []Link
	from := 0
	for _, sp := range append(Scan(src), Span{Start: len(src)}) {
		if sp.Kind == Plain || sp.Kind == Tag {
			continue
		}
		if sp.Start > from {
			links = appendLinks(links, src, from, sp.Start)
		}
		from = max(from, sp.End)
	}
	return links
}

// appendLinks adds those whose destination starts in src[from:to], which is no code.
func appendLinks(links []Link, src string, from, to int) []Link {
	b := []byte(src[from:to])
	for i := 0; i+1 < len(b); i++ {
		switch {
		case b[i] == '\\':
			i += escaped(b, i)
			continue
		case b[i] != ']':
			continue
		}
		at := i + 2
		switch b[i+1] {
		case '(':
			at = skipSpace(b, at)
			if inlineLink(b, i+1) < 0 {
				continue
			}
		case ':':
			start := strings.LastIndexByte(string(b[:i]), '\n') + 1
			if _, end := definition(append(b[start:len(b):len(b)], '\n'), len(b[start:i])-len(strings.TrimLeft(string(b[start:i]), " "))); end < 0 {
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
