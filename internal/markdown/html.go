package markdown

import (
	"bytes"
	"strings"
)

// An htmlKind is CommonMark's kind of HTML block. It determines where the block ends.
type htmlKind int

const (
	notHTML           htmlKind = iota
	htmlVerbatim               // <script>, <pre>, <style>, <textarea>
	htmlComment                // <!-- -->
	htmlInstruction            // <? ?>
	htmlDeclaration            // <!X >
	htmlCharacterData          // <![CDATA[ ]]>
	htmlElement                // a tag that CommonMark lists as a block
	htmlTag                    // any other tag, alone on its line
)

var openComment = []byte("<!--")

// htmlStart returns the kind of HTML block that a line starts. The line begins at its <.
func htmlStart(line []byte) htmlKind {
	switch {
	case bytes.HasPrefix(line, openComment):
		return htmlComment
	case bytes.HasPrefix(line, []byte("<?")):
		return htmlInstruction
	case bytes.HasPrefix(line, []byte("<![CDATA[")):
		return htmlCharacterData
	case len(line) > 2 && line[1] == '!' && isLetter(line[2]):
		return htmlDeclaration
	}
	name, rest, closing := tagStart(line)
	if verbatimTags[name] {
		if !closing && (rest == "" || strings.ContainsAny(rest[:1], " \t>")) {
			return htmlVerbatim
		}
		return notHTML
	}
	if blockTags[name] && (rest == "" || strings.ContainsAny(rest[:1], " \t>") || strings.HasPrefix(rest, "/>")) {
		return htmlElement
	}
	end := openTag(line, 0)
	if end < 0 {
		end = closeTag(line, 0)
	}
	if end >= 0 && isBlank(string(line[end:])) {
		return htmlTag
	}
	return notHTML
}

// endsIn reports whether line, a line of the block, ends the block. The last two kinds end before a
// blank line instead.
func (k htmlKind) endsIn(line string) bool {
	switch k {
	case htmlVerbatim:
		for i := 0; ; {
			n := strings.Index(line[i:], "</")
			if n < 0 {
				return false
			}
			i += n + 2
			name, rest, _ := tagStart([]byte("<" + line[i:min(i+len("textarea>"), len(line))]))
			if verbatimTags[name] && strings.HasPrefix(rest, ">") {
				return true
			}
		}
	case htmlComment:
		return strings.Contains(line, "-->")
	case htmlInstruction:
		return strings.Contains(line, "?>")
	case htmlDeclaration:
		return strings.Contains(line, ">")
	case htmlCharacterData:
		return strings.Contains(line, "]]>")
	}
	return false
}

// tagStart splits a line such as "</div x>" into "div" and " x>".
func tagStart(line []byte) (name, rest string, closing bool) {
	i := 1
	if closing = len(line) > 1 && line[1] == '/'; closing {
		i++
	}
	end := tagName(line, i)
	return strings.ToLower(string(line[i:end])), string(line[end:]), closing
}

func tagName(b []byte, i int) (end int) {
	if i == len(b) || !isLetter(b[i]) {
		return i
	}
	for i < len(b) && (isLetter(b[i]) || isDigit(b[i]) || b[i] == '-') {
		i++
	}
	return i
}

// openTag returns the end of the open tag at i, or -1.
func openTag(b []byte, i int) int {
	i++
	name := tagName(b, i)
	if name == i {
		return -1
	}
	for i = name; ; {
		next := skipSpace(b, i)
		if next < len(b) && b[next] == '/' {
			next++
			if next < len(b) && b[next] == '>' {
				return next + 1
			}
			return -1
		}
		if next < len(b) && b[next] == '>' {
			return next + 1
		}
		if next == i {
			return -1
		}
		if i = attribute(b, next); i < 0 {
			return -1
		}
	}
}

// attribute returns the end of the name="value" at i, or -1.
func attribute(b []byte, i int) int {
	if i == len(b) || !isLetter(b[i]) && b[i] != '_' && b[i] != ':' {
		return -1
	}
	for i < len(b) && (isLetter(b[i]) || isDigit(b[i]) || strings.IndexByte("_:.-", b[i]) >= 0) {
		i++
	}
	value := skipSpace(b, i)
	if value == len(b) || b[value] != '=' {
		return i
	}
	value = skipSpace(b, value+1)
	if value == len(b) {
		return -1
	}
	if quote := b[value]; quote == '"' || quote == '\'' {
		n := bytes.IndexByte(b[value+1:], quote)
		if n < 0 {
			return -1
		}
		return value + 1 + n + 1
	}
	end := value
	for end < len(b) && strings.IndexByte(" \t\n\"'=<>`", b[end]) < 0 {
		end++
	}
	if end == value {
		return -1
	}
	return end
}

// closeTag returns the end of the closing tag at i, or -1.
func closeTag(b []byte, i int) int {
	if i+1 == len(b) || b[i+1] != '/' {
		return -1
	}
	end := tagName(b, i+2)
	if end == i+2 {
		return -1
	}
	end = skipSpace(b, end)
	if end == len(b) || b[end] != '>' {
		return -1
	}
	return end + 1
}

// autolink returns the end of the <scheme:link> or <mail@address> at i, or -1.
func autolink(b []byte, i int) int {
	i++
	end := uri(b, i)
	if end < 0 {
		end = mail(b, i)
	}
	if end < 0 || end == len(b) || b[end] != '>' {
		return -1
	}
	return end + 1
}

func uri(b []byte, i int) int {
	scheme := i
	for i < len(b) && (isLetter(b[i]) || i > scheme && (isDigit(b[i]) || strings.IndexByte("+.-", b[i]) >= 0)) {
		i++
	}
	if n := i - scheme; n < 2 || n > 32 || i == len(b) || b[i] != ':' {
		return -1
	}
	for i < len(b) && !isControl(b[i]) && strings.IndexByte(" <>", b[i]) < 0 {
		i++
	}
	return i
}

func mail(b []byte, i int) int {
	from := i
	for i < len(b) && (isLetter(b[i]) || isDigit(b[i]) || strings.IndexByte(".!#$%&'*+/=?^_`{|}~-", b[i]) >= 0) {
		i++
	}
	if i == from || i == len(b) || b[i] != '@' {
		return -1
	}
	for { // the labels of the domain
		i++
		from := i
		for i < len(b) && (isLetter(b[i]) || isDigit(b[i]) || b[i] == '-') {
			i++
		}
		if n := i - from; n == 0 || n > 63 || b[from] == '-' || b[i-1] == '-' {
			return -1
		}
		if i == len(b) || b[i] != '.' {
			return i
		}
	}
}

var verbatimTags = set("script pre style textarea")

var blockTags = set(`address article aside base basefont blockquote body caption center col colgroup dd details
	dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr
	html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search section summary
	table tbody td tfoot th thead title tr track ul`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
