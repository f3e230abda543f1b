package activity

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
)

// A ToolUse is a use of a tool in a Claude Code transcript, with its outcome.
type ToolUse struct {
	Time     time.Time
	Dir      string // the working folder
	Mode     string // the permission mode of the prompt; "" if the transcript does not name it
	Tool     string
	Argument string // the command of Bash, the file of file tools, the URL of WebFetch
	Decided  Decided
}

// A Decided says who allowed or denied the use of a tool.
type Decided string

// Claude Code 2.1.325 records who decided (testdata/approvals.jsonl); earlier versions record only
// who denied.
const (
	PersonAllowed Decided = "allowed by a person"
	PersonDenied  Decided = "denied by a person"
	RulesAllowed  Decided = "allowed by rules" // or by the mode, or because it is read-only
	RulesDenied   Decided = "denied by rules"  // or by the mode, or a classifier
	NotSaid       Decided = ""                 // the tool was used, and the transcript does not say who allowed it
)

// ToolUses calls visit for each use of a tool since a time in Claude Code's transcripts. If below
// is not "", it includes only uses in that folder or below. A call that is copied to other files
// counts once.
func ToolUses(h here.Here, since time.Time, below string, visit func(ToolUse)) error {
	seen := map[string]bool{}
	var faults []error
	err := filepath.WalkDir(claudeReader.root(h), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			faults = append(faults, err)
			return nil
		}
		if info, err := d.Info(); !d.Type().IsRegular() || !claudeReader.wants(path) || err != nil || info.ModTime().Before(since) {
			return nil
		}
		faults = append(faults, toolUses(path, seen, func(u ToolUse) {
			if !u.Time.Before(since) && (below == "" || files.Inside(below, u.Dir)) {
				visit(u)
			}
		}))
		return nil
	})
	return errors.Join(append(faults, err)...)
}

func toolUses(path string, seen map[string]bool, visit func(ToolUse)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	calls, mode := map[string]ToolUse{}, ""
	for lines := bufio.NewReaderSize(f, bufferSize); ; {
		line, err := lines.ReadBytes('\n')
		if len(line) < maxLine && (bytes.Contains(line, []byte(`"tool_`)) || bytes.Contains(line, []byte(`"permission`))) {
			if e, ok := readRecord(value(bytes.TrimSpace(line)), nil); ok {
				toolLine(e, &mode, calls, seen, visit)
			}
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// toolLine reads a line. It keeps each call until the result of the call follows.
func toolLine(e record, mode *string, calls map[string]ToolUse, seen map[string]bool, visit func(ToolUse)) {
	if m := e.get("permissionMode").str(); m != "" {
		*mode = m
	}
	when, _ := time.Parse(time.RFC3339, e.get("timestamp").str())
	content := e.get("message", "content")
	if len(content) == 0 || content[0] != '[' {
		return
	}
	content.items(func(part value) {
		switch part.get("type").str() {
		case "tool_use":
			input := part.get("input")
			u := ToolUse{Time: when, Dir: e.get("cwd").str(), Mode: *mode, Tool: part.get("name").str()}
			for _, key := range []string{"command", "file_path", "url"} {
				if u.Argument == "" {
					u.Argument = input.get(key).str()
				}
			}
			calls[part.get("id").str()] = u
		case "tool_result":
			id := part.get("tool_use_id").str()
			u, ok := calls[id]
			if delete(calls, id); !ok || seen[id] {
				return
			}
			seen[id] = true
			u.Decided = whoDecided(e, part)
			visit(u)
		}
	})
}

// whoDecided returns who allowed or denied a use. If the line does not record a decision, only the
// result shows it.
func whoDecided(e record, part value) Decided {
	decision, source := e.get("permissionDecision", "decision").str(), e.get("permissionDecision", "source").str()
	said := part.get("content").str()
	switch kind := e.get("toolDenialKind").str(); {
	case kind == "user-rejected" || strings.HasPrefix(said, "The user doesn't want to proceed with this tool use"):
		return PersonDenied
	case kind != "", decision == "reject":
		return RulesDenied
	case part.get("is_error").isTrue() && (strings.Contains(said, "requested permissions") || strings.Contains(said, "has been denied")):
		return RulesDenied
	case strings.HasPrefix(source, "user"):
		return PersonAllowed
	case decision != "":
		return RulesAllowed
	}
	return NotSaid
}
