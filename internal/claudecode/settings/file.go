package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/doc"
)

var errNotDir = syscall.ENOTDIR

// A File is one settings file.
type File struct {
	Name   string
	Source Source

	Env          map[string]string
	Rules        []Rule
	Mode         string          // permissions.defaultMode
	Dirs         []string        // permissions.additionalDirectories
	Plugins      map[string]bool // enabledPlugins: name@marketplace
	Hooks        []Hook
	NoSkillShell *bool // disableSkillShellExecution; nil means that the file does not say
	Listing      Listing

	values map[string]value
}

// A value is one key's, as it stands in a file.
type value struct {
	raw  json.RawMessage
	line int
}

// A Rule allows, denies or asks about the use of a tool.
type Rule struct {
	Kind   Kind
	Text   string // such as Bash(git log:*)
	File   string
	Line   int
	Source Source

	// Ignored says that Claude Code passes over the rule: it is a project's, allows something, and
	// the user never told Claude Code to trust the folder.
	Ignored bool
}

// A Kind is what a rule does.
type Kind string

// The kinds of rules.
const (
	Allow Kind = "allow"
	Deny  Kind = "deny"
	Ask   Kind = "ask"
)

// A Hook is a command that Claude Code runs on an event.
type Hook struct {
	Event   string
	Matcher string
	Command string
	Args    []string // with args, no shell reads the command
}

// Calls reports whether a hook runs a program with a word as its first argument.
func (h Hook) Calls(program, word string) bool {
	words := append(strings.Fields(strings.NewReplacer(`"`, "", "'", "").Replace(h.Command)), h.Args...)
	for i := range len(words) - 1 {
		if filepath.Base(words[i]) == program && words[i+1] == word {
			return true
		}
	}
	return false
}

// Value returns the value of a key at the file's top, or nil.
func (f *File) Value(key string) json.RawMessage { return f.values[key].raw }

// A Fault is why Claude Code passes over a whole file.
type Fault struct {
	File       string
	Line       int
	Start, End int // of what is wrong, in bytes
	Text       string
}

func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text) }

// Parse reads a settings file. If Claude Code passes over the whole file, because it is no JSON object or a key has a
// value of the wrong kind, it returns a *Fault, or several, joined. It checks the keys that File has and a few more, not all
// that Claude Code knows. A rule or a hook that is malformed is passed over alone.
func Parse(name string, src []byte) (*File, error) {
	root, err := readObject(name, src)
	if err != nil {
		return nil, err
	}
	p := parser{f: &File{Name: name, values: map[string]value{}}, src: src}
	if root == nil {
		return p.f, nil // Claude Code does not complain of an empty file
	}
	for _, m := range lastOfEach(root) {
		p.f.values[m.Key] = value{p.raw(m), lineAt(src, m.Start)}
		p.key(m)
	}
	if p.faults != nil {
		return nil, errors.Join(p.faults...)
	}
	return p.f, nil
}

type parser struct {
	f      *File
	src    []byte
	faults []error
}

func (p *parser) raw(m *doc.Node) json.RawMessage { return json.RawMessage(p.src[m.Start:m.End]) }

func (p *parser) fault(m *doc.Node, what, want string) {
	text := fmt.Sprintf("%s is not %s, so Claude Code ignores the whole file", what, want)
	p.faults = append(p.faults, &Fault{File: p.f.Name, Line: lineAt(p.src, m.Start), Start: m.KeyAt, End: m.End, Text: text})
}

// truth reads true or false.
func (p *parser) truth(m *doc.Node) *bool {
	b, ok := m.Value.(bool)
	if !ok {
		p.fault(m, m.Key, doc.Bool)
	}
	return &b
}

func (p *parser) key(m *doc.Node) {
	switch m.Key {
	case claudecode.KeyEnv:
		if !m.IsObject() {
			p.fault(m, m.Key, "an object")
			return
		}
		p.f.Env = map[string]string{}
		for _, v := range m.Items {
			p.f.Env[v.Key] = text(p.raw(v))
		}
	case claudecode.KeyPermissions:
		p.permissions(m)
	case claudecode.KeyPlugins:
		p.plugins(m)
	case claudecode.KeyNoSkillShell:
		p.f.NoSkillShell = p.truth(m)
	case claudecode.KeyStatusLine:
		p.statusLine(m)
	case claudecode.KeyHooks:
		p.hooks(m)
	case claudecode.KeyModel:
		var ok bool
		if p.f.Listing.Model, ok = m.Text(); !ok {
			p.fault(m, m.Key, "a string")
		}
	case claudecode.KeyListingFraction, claudecode.KeyListingMaxChars, claudecode.KeyOverrides, claudecode.KeyNoBundled:
		p.listing(m)
	case claudecode.KeyCleanupDays:
		if m.Kind() != doc.Number {
			p.fault(m, m.Key, "a number")
		}
	}
}

func (p *parser) permissions(m *doc.Node) {
	if !m.IsObject() {
		p.fault(m, m.Key, "an object")
		return
	}
	for _, v := range lastOfEach(m) {
		what := "permissions." + v.Key
		switch v.Key {
		case string(Allow), string(Deny), string(Ask):
			if !v.IsList() {
				p.fault(v, what, "a list")
				continue
			}
			for _, item := range v.Items {
				if rule, ok := item.Text(); ok {
					p.f.Rules = append(p.f.Rules, Rule{Kind: Kind(v.Key), Text: rule, Line: lineAt(p.src, item.Start)})
				}
			}
		case claudecode.KeyMode:
			modes := claudecode.SettingsModes()
			if err := json.Unmarshal(p.raw(v), &p.f.Mode); err != nil || !slices.Contains(modes, p.f.Mode) {
				p.fault(v, what, "one of "+strings.Join(modes, ", "))
			}
		case claudecode.KeyDirs:
			if !stringList(p.raw(v), &p.f.Dirs) {
				p.fault(v, what, "a list of strings")
			}
		}
	}
}

func (p *parser) plugins(m *doc.Node) {
	if !m.IsObject() {
		p.fault(m, m.Key, "an object")
		return
	}
	p.f.Plugins = map[string]bool{}
	for _, v := range m.Items {
		var versions []string
		on, isBool := v.Value.(bool)
		switch {
		case isBool:
			p.f.Plugins[v.Key] = on
		case stringList(p.raw(v), &versions):
			p.f.Plugins[v.Key] = true
		default:
			p.fault(v, "enabledPlugins."+v.Key, "true or false")
		}
	}
}

func (p *parser) statusLine(m *doc.Node) {
	var line struct {
		Type    string
		Command *string
		Padding *float64
	}
	if !m.IsObject() || json.Unmarshal(p.raw(m), &line) != nil || line.Type != "command" || line.Command == nil {
		p.fault(m, m.Key, "a status line with a command")
	}
}

func (p *parser) hooks(m *doc.Node) {
	if !m.IsObject() {
		return
	}
	for _, event := range lastOfEach(m) {
		var matchers []struct {
			Matcher string
			Hooks   []struct {
				Type    string
				Command string
				Args    []string
			}
		}
		if json.Unmarshal(p.raw(event), &matchers) != nil {
			continue
		}
		for _, matcher := range matchers {
			for _, h := range matcher.Hooks {
				if h.Type == "command" && h.Command != "" {
					p.f.Hooks = append(p.f.Hooks, Hook{Event: event.Key, Matcher: matcher.Matcher, Command: h.Command, Args: h.Args})
				}
			}
		}
	}
}

func stringList(raw json.RawMessage, to *[]string) bool {
	var list []*string
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return false
	}
	for _, s := range list {
		if s == nil {
			return false
		}
		*to = append(*to, *s)
	}
	return true
}

// text returns what JavaScript's String makes of a JSON value: Claude Code takes a variable's value of
// any kind.
func text(raw json.RawMessage) string {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	if dec.Decode(&v) != nil {
		return string(raw)
	}
	return asString(v)
}

func asString(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return number(v)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			if item != nil {
				items[i] = asString(item)
			}
		}
		return strings.Join(items, ",")
	case map[string]any:
		return "[object Object]"
	}
	return "null"
}

// number writes a number as JavaScript does.
func number(f float64) string {
	abs := max(f, -f)
	if abs == 0 {
		return "0"
	}
	if 1e-6 <= abs && abs < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
}
