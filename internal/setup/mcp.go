package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/tailscale/hujson"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
)

// MCPServer is the name of skillhand in every configuration.
const MCPServer = "skillhand"

// An MCPOwner names the user and the project whose configuration is meant.
type MCPOwner struct {
	Home    string
	Project string
	Getenv  func(string) string // nil means that no variable is set
}

func (p MCPOwner) env(name string) string {
	if p.Getenv == nil || name == "" {
		return ""
	}
	return p.Getenv(name)
}

// An MCPCommand is the command that a host starts.
type MCPCommand struct {
	Program string   `json:"command"`
	Args    []string `json:"args"`
}

// A host is an agent with a known configuration.
type host struct {
	name string
	agents.MCP
}

// hosts returns the known hosts, the best known first.
func hosts() []host {
	var all []host
	for _, a := range agents.All() {
		if a.MCP.User != "" {
			all = append(all, host{a.Name, a.MCP})
		}
	}
	return all
}

// MCPAgents lists the names of the hosts.
func MCPAgents() []string {
	var all []string
	for _, h := range hosts() {
		all = append(all, h.name)
	}
	return all
}

// An MCPChange holds the content of a host's file before and after a change.
type MCPChange struct {
	File          string
	Before, After []byte
	mode          fs.FileMode
	own           bool // the folder belongs to the agent
}

// PlanMCP returns the change that makes a host start a command, in the user's or the project's
// configuration. The rest of the file stays as it is. If the file cannot be changed, the error is a
// *ByHandError.
func PlanMCP(name string, p MCPOwner, project bool, c MCPCommand) (*MCPChange, error) {
	return plan(name, p, project, func(h host, file string, src []byte) ([]byte, error) {
		after, err := h.set(file, src, c)
		if err == nil {
			return after, nil
		}
		alone, fault := h.set(file, nil, c)
		if fault != nil {
			return nil, err
		}
		return nil, &ByHandError{err, string(alone)}
	})
}

// A ByHandError says why a file cannot be changed automatically.
type ByHandError struct {
	Err  error
	Text string // the content of a new file, for people to copy into theirs
}

func (e *ByHandError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *ByHandError) Unwrap() error { return e.Err }

// PlanMCPRemoval returns the change that stops a host from starting skillhand.
func PlanMCPRemoval(name string, p MCPOwner, project bool) (*MCPChange, error) {
	return plan(name, p, project, host.remove)
}

func plan(name string, p MCPOwner, project bool, edit func(h host, file string, src []byte) ([]byte, error)) (*MCPChange, error) {
	all := hosts()
	i := slices.IndexFunc(all, func(h host) bool { return h.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: not a known host: want %s", name, strings.Join(MCPAgents(), ", "))
	}
	h := all[i]
	ch := &MCPChange{File: h.file(p, project), mode: 0o644}
	if real, err := filepath.EvalSymlinks(ch.File); err == nil {
		ch.File = real
	}
	info, err := os.Stat(ch.File)
	if err == nil {
		ch.mode = info.Mode().Perm()
		ch.Before, err = os.ReadFile(ch.File)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	dir := filepath.Dir(ch.File)
	ch.own = dir != filepath.Clean(p.Home) && dir != filepath.Clean(p.Project)
	ch.After, err = edit(h, ch.File, ch.Before)
	return ch, err
}

// file returns the file with the servers. If a host has two names for it, with and without
// comments, file returns the existing one.
func (h host) file(p MCPOwner, project bool) string {
	if project {
		return filepath.Join(p.Project, filepath.FromSlash(h.Project))
	}
	folder := p.env(h.Variable)
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(p.Home, filepath.FromSlash(h.Folder))
	}
	file := filepath.Join(folder, filepath.FromSlash(h.User))
	if _, err := os.Stat(file); err != nil && h.Commented {
		if _, err := os.Stat(file + "c"); err == nil {
			return file + "c"
		}
	}
	return file
}

func (h host) set(file string, src []byte, c MCPCommand) ([]byte, error) {
	if c.Args == nil {
		c.Args = []string{}
	}
	if h.Key == "" {
		text, err := setTable(string(src), c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return []byte(text), nil
	}
	if have, err := h.get(src); err == nil && same(have, c) {
		return src, nil
	}
	var entry any = struct {
		Type string `json:"type,omitempty"`
		MCPCommand
	}{h.Kind, c}
	if h.OneList {
		entry = wordsEntry{h.Kind, append([]string{c.Program}, c.Args...)}
	}
	value, err := json.Marshal(entry)
	if err != nil {
		return nil, err
	}
	return h.edit(src, func(src []byte) ([]byte, error) { return settings.Set(file, src, string(value), h.Key, MCPServer) })
}

// edit changes JSON and keeps its comments. Claude Code reads no comments.
func (h host) edit(src []byte, change func(src []byte) ([]byte, error)) ([]byte, error) {
	plain := h.plain(src)
	after, err := change(slices.Clone(plain))
	if err != nil || bytes.Equal(plain, src) {
		return after, err
	}
	// The plain text has as many spaces as the comment had characters, so offsets are the same.
	before, same := 0, 0
	for before < min(len(plain), len(after)) && plain[before] == after[before] {
		before++
	}
	for same < min(len(plain), len(after))-before && plain[len(plain)-1-same] == after[len(after)-1-same] {
		same++
	}
	return slices.Concat(src[:before], after[before:len(after)-same], src[len(src)-same:]), nil
}

// plain returns JSON with spaces instead of comments and trailing commas.
func (h host) plain(src []byte) []byte {
	if h.name == "claude" {
		return src
	}
	plain, err := hujson.Standardize(slices.Clone(src))
	if err != nil {
		return src // the reader of the JSON reports the error
	}
	return plain
}

// remove returns a file without the entry.
func (h host) remove(file string, src []byte) ([]byte, error) {
	switch _, err := h.get(src); {
	case len(src) == 0, errors.Is(err, errNone):
		return src, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case h.Key == "":
		return keepText([]byte(removeTable(string(src)))), nil
	}
	after, err := h.edit(src, func(src []byte) ([]byte, error) { return settings.Remove(file, src, h.Key, MCPServer) })
	if text := strings.Join(strings.Fields(string(after)), ""); text == "{}" || text == `{"`+h.Key+`":{}}` {
		return nil, err // the file would be empty
	}
	return after, err
}

// keepText returns text, or nil if it contains only spaces and newlines.
func keepText(text []byte) []byte {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	return text
}

// wrote reports whether skillhand wrote a file's entry: if set writes the entry again, the file
// means the same.
func (h host) wrote(file string, src []byte, c MCPCommand) bool {
	program := strings.TrimSuffix(filepath.Base(c.Program), ".exe")
	if program != MCPServer || len(c.Args) == 0 || c.Args[0] != "mcp" {
		return false
	}
	without, err := h.remove(file, src)
	if err != nil {
		return false
	}
	again, err := h.set(file, without, c)
	if err != nil {
		return false
	}
	if h.Key == "" {
		return len(strings.Fields(string(again))) == len(strings.Fields(string(src)))
	}
	var was, is any
	return json.Unmarshal(h.plain(src), &was) == nil && json.Unmarshal(h.plain(again), &is) == nil && reflect.DeepEqual(was, is)
}

// A wordsEntry is an entry with the whole command as one list.
type wordsEntry struct {
	Type    string   `json:"type"`
	Command []string `json:"command"`
}

func same(a, b MCPCommand) bool { return a.Program == b.Program && slices.Equal(a.Args, b.Args) }

// errNone says that a file has no entry for skillhand.
var errNone = errors.New("no entry")

func (h host) get(src []byte) (MCPCommand, error) {
	if h.Key == "" {
		return getTable(string(src))
	}
	var doc map[string]json.RawMessage
	var servers map[string]json.RawMessage
	var c MCPCommand
	if err := json.Unmarshal(h.plain(src), &doc); err != nil {
		return c, err
	}
	if doc[h.Key] == nil {
		return c, errNone
	}
	if err := json.Unmarshal(doc[h.Key], &servers); err != nil {
		return c, fmt.Errorf("%s: %w", h.Key, err)
	}
	if servers[MCPServer] == nil {
		return c, errNone
	}
	if !h.OneList {
		return c, json.Unmarshal(servers[MCPServer], &c)
	}
	var entry wordsEntry
	if err := json.Unmarshal(servers[MCPServer], &entry); err != nil || len(entry.Command) == 0 {
		return c, err
	}
	return MCPCommand{Program: entry.Command[0], Args: entry.Command[1:]}, nil
}

// Diff returns the change as a diff, or "" if there is none.
func (c *MCPChange) Diff() string {
	if string(c.Before) == string(c.After) {
		return ""
	}
	return string(diff.Diff("before "+c.File, c.Before, "after "+c.File, c.After))
}

// Write makes the change, unless the file has changed since the plan.
func (c *MCPChange) Write() error {
	now, err := os.ReadFile(c.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if string(now) != string(c.Before) {
		return fmt.Errorf("%s: it has just been changed by somebody else: try again", c.File)
	}
	if len(c.After) == 0 && len(c.Before) > 0 {
		return c.removeFile()
	}
	if err := os.MkdirAll(filepath.Dir(c.File), 0o777); err != nil {
		return err
	}
	return files.Write(c.File, c.After, c.mode)
}

// removeFile removes a file that would be empty, and its folder if that belongs to the agent and is
// empty too.
func (c *MCPChange) removeFile() error {
	if err := os.Remove(c.File); err != nil {
		return err
	}
	if c.own {
		_ = os.Remove(filepath.Dir(c.File)) // fails if the folder is not empty
	}
	return nil
}

// An MCPEntry is an entry for skillhand in a host's configuration.
type MCPEntry struct {
	Host, File string
	Project    bool // the file is the project's
	Command    MCPCommand
	Ours       bool  // the entry is as Plan writes it for skillhand mcp
	Err        error // why the file cannot be read
}

// FindMCP returns the entries for skillhand in the configurations of all hosts.
func FindMCP(p MCPOwner) []MCPEntry {
	var all []MCPEntry
	seen := map[string]bool{}
	for _, h := range hosts() {
		for _, project := range []bool{false, true} {
			file := h.file(p, project)
			src, err := os.ReadFile(file)
			if seen[file] || errors.Is(err, fs.ErrNotExist) || project && p.Project == "" || !project && p.Home == "" {
				continue
			}
			seen[file] = true
			f := MCPEntry{Host: h.name, File: file, Project: project, Err: err}
			if err == nil {
				f.Command, f.Err = h.get(src)
				f.Ours = f.Err == nil && h.wrote(file, src, f.Command)
			}
			if !errors.Is(f.Err, errNone) {
				all = append(all, f)
			}
		}
	}
	return all
}
