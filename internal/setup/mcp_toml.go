package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
)

// Codex keeps its configuration as TOML. This file reads and writes only the lines of one table. A
// user must edit by hand whatever could mean the same in another form.
var (
	ownTable   = words.Regexp(`^\s*\[\s*mcp_servers\s*\.\s*["']?` + MCPServer + `["']?\s*\]\s*(#.*)?$`)
	belowTable = words.Regexp(`^\s*\[\s*mcp_servers\s*\.\s*["']?` + MCPServer + `["']?\s*\.`)
	servers    = words.Regexp(`^\s*\[\s*mcp_servers\s*\]\s*(#.*)?$`)
	anyTable   = words.Regexp(`^\s*\[`)
	inline     = words.Regexp(`^\s*["']?mcp_servers["']?\s*[.=]`)
	inlineKey  = words.Regexp(`^\s*["']?` + MCPServer + `["']?\s*[.=]`)
	ownKey     = words.Regexp(`^\s*(command|args)\s*=\s*(.*?)\s*$`)
)

var errByHand = errors.New(MCPServer + " is there already, in a form that is not changed here")

// This part of the grammar of TOML finds files that are cut off or mistyped. It has the tokens of
// TOML, and the statements that they form, with each token as a letter. It does not check values.
var (
	word = words.Regexp(`^(?:[ \t\r]+|#[^\n]*|(\n)|(?s:"""(?:\\.|[^\\])*?"{3,5}|'''.*?'{3,5})|` +
		`"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[A-Za-z0-9_+:.-]+|([=,{}\[\]]))`)
	statementForm = words.Regexp(`^(|\[\[?w+\]\]?|w+=(w+|\[.*\]|\{.*\}))$`)
)

// checkTOML returns an error with the first line that is not TOML.
func checkTOML(src string) error {
	var statement strings.Builder
	line, began, open := 1, 1, 0
	for src = strings.TrimPrefix(src, "\ufeff") + "\n"; src != ""; {
		m := word.Get().FindStringSubmatch(src)
		if m == nil {
			return fmt.Errorf("line %d is not TOML", line)
		}
		src = src[len(m[0]):]
		line += strings.Count(m[0], "\n")
		switch {
		case m[1] != "" && (open <= 0 || src == ""):
			if !statementForm.Get().MatchString(statement.String()) || open != 0 {
				return fmt.Errorf("line %d is not TOML", began)
			}
			statement.Reset()
			began = line
		case m[2] != "":
			statement.WriteString(m[2])
			open += strings.Count("[{", m[2]) - strings.Count("]}", m[2])
		case !strings.ContainsAny(m[0][:1], " \t\r\n#"):
			statement.WriteByte('w')
		}
	}
	return nil
}

// A table is the place of the entry in a file.
type table struct {
	lines      []string // with their newlines
	start, end int      // the lines below its header; start is 0 without one
}

func findTable(src string) (table, error) {
	t := table{lines: strings.SplitAfter(src, "\n")}
	inServers, inString := false, ""
	for i, line := range t.lines {
		text := strings.TrimRight(line, "\r\n")
		if was := inString; was != "" || strings.Contains(text, `"""`) || strings.Contains(text, `'''`) {
			inString = afterStrings(text, was)
			if was != "" {
				continue
			}
		}
		switch {
		case ownTable.Get().MatchString(text) && t.start == 0:
			t.start, t.end = i+1, len(t.lines)
		case ownTable.Get().MatchString(text):
			return t, errByHand
		case anyTable.Get().MatchString(text):
			if inServers = servers.Get().MatchString(text); t.start > 0 && t.end == len(t.lines) {
				t.end = i
			}
		case inline.Get().MatchString(text) && (strings.Contains(text, MCPServer) || !strings.Contains(text, ".")),
			inServers && inlineKey.Get().MatchString(text):
			return t, errByHand
		}
	}
	if inString != "" {
		return t, fmt.Errorf("a string is not closed, want %s", inString)
	}
	return t, nil
}

// afterStrings returns the quotes of the long string that is open after a line, or "".
func afterStrings(line, open string) string {
	for {
		if open != "" {
			_, rest, ok := strings.Cut(line, open)
			if !ok {
				return open
			}
			line = rest
		}
		at := strings.IndexAny(line, `"'`)
		for at >= 0 && !strings.HasPrefix(line[at:], `"""`) && !strings.HasPrefix(line[at:], `'''`) {
			next := strings.IndexAny(line[at+1:], `"'`)
			if next < 0 {
				return ""
			}
			at += 1 + next
		}
		if at < 0 {
			return ""
		}
		open, line = line[at:at+3], line[at+3:]
	}
}

func getTable(src string) (MCPCommand, error) {
	var c MCPCommand
	t, err := findTable(src)
	if err != nil {
		return c, err
	}
	if t.start == 0 {
		return c, errNone
	}
	for _, line := range t.lines[t.start:t.end] {
		m := ownKey.Get().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		// Basic strings and lists of them are also JSON.
		if m[1] == "command" {
			err = errors.Join(err, json.Unmarshal([]byte(m[2]), &c.Program))
		} else {
			err = errors.Join(err, json.Unmarshal([]byte(m[2]), &c.Args))
		}
	}
	if err != nil {
		return c, errByHand
	}
	return c, nil
}

// setTable writes the entry, and checks that it can be read again.
func setTable(src string, c MCPCommand) (string, error) {
	out, err := addTable(src, c)
	if err != nil {
		return "", err
	}
	if got, err := getTable(out); err != nil || !same(got, c) {
		return "", errByHand
	}
	return out, nil
}

func addTable(src string, c MCPCommand) (string, error) {
	t, err := findTable(src)
	if err != nil {
		return "", err
	}
	if err := checkTOML(src); err != nil {
		return "", err
	}
	own := fmt.Sprintf("command = %s\nargs = %s\n", quote(c.Program), quote(c.Args))
	if t.start == 0 {
		if src != "" && !strings.HasSuffix(src, "\n") {
			src += "\n"
		}
		if src != "" {
			src += "\n"
		}
		return src + "[mcp_servers." + MCPServer + "]\n" + own, nil
	}
	have, err := getTable(src)
	if err != nil {
		return "", err
	}
	if same(have, c) {
		return src, nil
	}
	header := t.lines[t.start-1]
	if !strings.HasSuffix(header, "\n") {
		header += "\n"
	}
	out := strings.Join(t.lines[:t.start-1], "") + header + own
	for _, line := range t.lines[t.start:t.end] {
		if !ownKey.Get().MatchString(strings.TrimRight(line, "\r\n")) {
			out += line
		}
	}
	return out + strings.Join(t.lines[t.end:], ""), nil
}

// removeTable removes the table of the entry, its subtables, and the empty line before.
func removeTable(src string) string {
	t, err := findTable(src)
	if err != nil || t.start == 0 {
		return src
	}
	for t.end < len(t.lines) && belowTable.Get().MatchString(t.lines[t.end]) {
		t.end++
		for t.end < len(t.lines) && !anyTable.Get().MatchString(t.lines[t.end]) {
			t.end++
		}
	}
	start := t.start - 1
	if start > 0 && strings.TrimSpace(t.lines[start-1]) == "" {
		start--
	}
	return strings.Join(t.lines[:start], "") + strings.Join(t.lines[t.end:], "")
}

// quote formats a value as JSON does, which is also valid TOML.
func quote(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // cannot fail for strings
	return strings.TrimSpace(strings.ReplaceAll(b.String(), `","`, `", "`))
}
