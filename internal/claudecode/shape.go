package claudecode

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/skillhand/skillhand/internal/doc"
)

// manifestFields returns the shape of a plugin.json, as testdata/manifests.json records it. A key that the shape lacks may
// hold anything.
func manifestFields() []member {
	return []member{
		{"name", needed, pluginName},
		{"$schema", 0, text},
		{"displayName", 0, text},
		{"version", 0, text},
		{"description", 0, text},
		{"author", 0, object(open, member{"name", needed, filledText}, member{"email", 0, text}, member{"url", 0, text})},
		{"homepage", 0, address},
		{"repository", 0, text},
		{"license", 0, text},
		{"keywords", 0, list(text)},
		{"commands", 0, paths("", command)},
		{"agents", 0, paths(".md", nil)},
		{"skills", 0, paths("", nil)},
		{"hooks", 0, paths(".json", hooks)},
		{"mcpServers", 0, serverPaths(mapOf(mcpServer))},
		{"lspServers", 0, paths(".json", mapOf(lspServer))},
		{"outputStyles", 0, paths("", nil)},
		{"themes", 0, paths("", nil)},
		{"workflows", 0, paths("", nil)},
		{"monitors", 0, monitors},
		{"dependencies", 0, list(dependency)},
		{"settings", 0, ofKind(doc.Object)},
		{"userConfig", 0, userConfig},
		{"channels", 0, list(object(closed, member{"server", needed, filledText}, member{"displayName", 0, text}, member{"userConfig", 0, userConfig}))},
		{"defaultEnabled", 0, ofKind(doc.Bool)},
		{"experimental", 0, experimental},
	}
}

// A shape reads a value and notes its faults.
type shape func(r *reader, n *doc.Node, field string)

// A member is a key of an object.
type member struct {
	name  string
	must  int // needed, or 0
	shape shape
}

const (
	needed = 1
	open   = false // other keys may hold anything
	closed = true  // there are no other keys
)

// A reader collects faults.
type reader struct{ faults []Fault }

func (r *reader) fault(n *doc.Node, field string, p Problem, want string) {
	f := Fault{Field: field, Start: n.Start, End: n.End, Problem: p, Want: want}
	switch p {
	case WrongKind:
		f.Got = n.Kind()
	case BadPath:
		if path, ok := n.Text(); ok {
			f.Got = path
		} else {
			f.Got = n.Kind()
		}
	case Missing:
		f.End = n.Start + 1
	}
	r.faults = append(r.faults, f)
}

// is notes a value of another kind.
func (r *reader) is(n *doc.Node, field, kind string) bool {
	if n.Kind() != kind {
		r.fault(n, field, WrongKind, kind)
		return false
	}
	return true
}

func (r *reader) object(n *doc.Node, field string, members []member, closed bool) {
	if !r.is(n, field, doc.Object) {
		return
	}
	for _, m := range members {
		if v := n.Get(m.name); v != nil {
			m.shape(r, v, within(field, m.name))
		} else if m.must == needed {
			r.fault(n, within(field, m.name), Missing, "")
		}
	}
	for _, item := range n.Items {
		if closed && !slices.ContainsFunc(members, func(m member) bool { return m.name == item.Key }) {
			r.fault(item, within(field, item.Key), UnknownKey, "")
		}
	}
}

func within(field, key string) string {
	if field == "" {
		return key
	}
	return field + "." + key
}

func ofKind(kind string) shape {
	return func(r *reader, n *doc.Node, field string) { r.is(n, field, kind) }
}

func text(r *reader, n *doc.Node, field string) { r.is(n, field, doc.Text) }

func filledText(r *reader, n *doc.Node, field string) {
	if r.is(n, field, doc.Text) && n.Value == "" {
		r.fault(n, field, BadValue, "a string that is not empty")
	}
}

func positive(r *reader, n *doc.Node, field string) {
	if v, ok := n.Value.(float64); r.is(n, field, doc.Number) && ok && v <= 0 {
		r.fault(n, field, BadValue, "greater than 0")
	}
}

func oneOf(values ...string) shape {
	return func(r *reader, n *doc.Node, field string) {
		if s, ok := n.Text(); !ok || !slices.Contains(values, s) {
			r.fault(n, field, BadValue, "one of "+strings.Join(values, ", "))
		}
	}
}

func list(item shape) shape {
	return func(r *reader, n *doc.Node, field string) {
		if r.is(n, field, doc.List) {
			r.items(n, field, item)
		}
	}
}

func (r *reader) items(n *doc.Node, field string, item shape) {
	for i, v := range n.Items {
		item(r, v, within(field, strconv.Itoa(i)))
	}
}

func object(closed bool, members ...member) shape {
	return func(r *reader, n *doc.Node, field string) { r.object(n, field, members, closed) }
}

func mapOf(value shape) shape {
	return func(r *reader, n *doc.Node, field string) {
		if !r.is(n, field, doc.Object) {
			return
		}
		for _, item := range n.Items {
			value(r, item, within(field, item.Key))
		}
	}
}

// pluginName wants the plugin's own name: it becomes part of paths and of the names of skills.
func pluginName(r *reader, n *doc.Node, field string) {
	name, ok := n.Text()
	odd := func(c rune) bool {
		return unicode.IsSpace(c) || unicode.Is(unicode.C, c) || strings.ContainsRune("@:/\\", c)
	}
	if !ok {
		r.fault(n, field, WrongKind, doc.Text)
	} else if name == "" || strings.ContainsFunc(name, odd) {
		r.fault(n, field, BadValue, "a name without blanks, invisible characters, @, :, / and \\")
	}
}

// address wants what JavaScript's URL takes.
func address(r *reader, n *doc.Node, field string) {
	s, ok := n.Text()
	if !ok {
		r.fault(n, field, WrongKind, doc.Text)
	} else if !isURL(s) {
		r.fault(n, field, BadValue, "a URL")
	}
}

func isURL(s string) bool {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme == "" {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https", "ftp", "ws", "wss":
		return u.Host != "" || strings.Trim(u.Opaque+u.Path, "/") != ""
	}
	return true
}

// paths returns a path in the plugin with this ending, or a list of them. Where inline is given, an object stands for itself;
// commands have objects instead of a list, all others also in it.
func paths(end string, inline shape) shape {
	path := func(r *reader, n *doc.Node, field string) {
		switch s, ok := n.Text(); {
		case !ok:
			r.fault(n, field, BadPath, "a path")
		case !strings.HasPrefix(s, "./") && !(end == "" && s == "."):
			r.fault(n, field, BadPath, "a path that begins with ./")
		case !strings.HasSuffix(s, end):
			r.fault(n, field, BadPath, "a path that ends in "+end)
		}
	}
	return pathsOr(path, inline)
}

// serverPaths also takes bundles, which may be elsewhere.
func serverPaths(inline shape) shape {
	own := paths(".json", nil)
	return pathsOr(func(r *reader, n *doc.Node, field string) {
		s, _ := n.Text()
		bundle := strings.HasSuffix(s, ".mcpb") || strings.HasSuffix(s, ".dxt")
		if !bundle || !strings.HasPrefix(s, "./") && !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") {
			own(r, n, field)
		}
	}, inline)
}

func pathsOr(path, inline shape) shape {
	return func(r *reader, n *doc.Node, field string) {
		item := func(r *reader, n *doc.Node, field string) {
			if n.IsObject() && inline != nil {
				inline(r, n, field)
			} else {
				path(r, n, field)
			}
		}
		switch {
		case n.IsList():
			r.items(n, field, item)
		case n.IsObject() && inline != nil:
			inline(r, n, field)
		case n.Kind() == doc.Text:
			path(r, n, field)
		default:
			r.fault(n, field, BadPath, "a path or a list of paths")
		}
	}
}

// command wants an object of commands with names of their own.
func command(r *reader, n *doc.Node, field string) {
	for _, c := range n.Items {
		at := within(field, c.Key)
		if !r.is(c, at, doc.Object) {
			continue
		}
		if (c.Get("source") == nil) == (c.Get("content") == nil) {
			r.fault(c, at, BadValue, "either a source or a content")
		}
		r.object(c, at, []member{
			{"source", 0, paths("", nil)}, {"content", 0, text}, {"description", 0, text}, {"argumentHint", 0, text},
			{"model", 0, text}, {"allowedTools", 0, list(text)},
		}, open)
	}
}

// mcpServer wants a program, or an address with the type that says how to speak to it.
func mcpServer(r *reader, n *doc.Node, field string) {
	if !r.is(n, field, doc.Object) {
		return
	}
	members := []member{{"timeout", 0, positive}, {"alwaysLoad", 0, ofKind(doc.Bool)}}
	kind, ok := n.Get("type").Text()
	remote := []member{{"url", needed, text}, {"headers", 0, mapOf(text)}, {"headersHelper", 0, text}, {"oauth", 0, object(open, member{"clientId", 0, text})}}
	switch {
	case n.Get("type") != nil && !ok:
		members = append(members, member{"type", 0, text})
	case kind == "" && n.Get("command") == nil && n.Get("url") != nil:
		r.fault(n, within(field, "type"), Missing, "http or sse")
	case kind == "" || kind == "stdio":
		members = append(members, member{"command", needed, filledText}, member{"args", 0, list(text)}, member{"env", 0, mapOf(text)})
	case slices.Contains([]string{"http", "streamable-http", "sse", "ws"}, kind):
		members = append(members, remote...)
	case slices.Contains([]string{"sse-ide", "ws-ide", "claudeai-proxy", "sdk"}, kind): // Claude Code's own
	default:
		r.fault(n.Get("type"), within(field, "type"), BadValue, "one of stdio, http, sse, ws")
	}
	r.object(n, field, members, open)
}

func lspServer(r *reader, n *doc.Node, field string) {
	languages := func(r *reader, n *doc.Node, field string) {
		if !r.is(n, field, doc.Object) {
			return
		}
		if len(n.Items) == 0 {
			r.fault(n, field, BadValue, "an object with an ending, such as .go, and its language")
		}
		for _, item := range n.Items {
			if !strings.HasPrefix(item.Key, ".") {
				r.fault(item, within(field, item.Key), BadValue, "an ending that begins with a dot")
			}
			filledText(r, item, within(field, item.Key))
		}
	}
	program := func(r *reader, n *doc.Node, field string) {
		filledText(r, n, field)
		if s, _ := n.Text(); strings.Contains(s, " ") && !strings.HasPrefix(s, "/") {
			r.fault(n, field, BadValue, "a program without arguments, which belong in args")
		}
	}
	anything := func(*reader, *doc.Node, string) {}
	object(closed,
		member{"command", needed, program}, member{"extensionToLanguage", needed, languages}, member{"args", 0, list(text)},
		member{"transport", 0, oneOf("stdio", "socket")}, member{"env", 0, mapOf(text)}, member{"initializationOptions", 0, anything},
		member{"settings", 0, anything}, member{"workspaceFolder", 0, text}, member{"startupTimeout", 0, positive},
		member{"shutdownTimeout", 0, positive}, member{"restartOnCrash", 0, ofKind(doc.Bool)},
		member{"maxRestarts", 0, ofKind(doc.Number)}, member{"diagnostics", 0, anything},
	)(r, n, field)
}

// monitors wants a path, or a list of monitors, each with a name of its own.
func monitors(r *reader, n *doc.Node, field string) {
	if n.Kind() == doc.Text {
		paths(".json", nil)(r, n, field)
		return
	}
	when := func(r *reader, n *doc.Node, field string) {
		if s, _ := n.Text(); s != "always" && len(s) <= len("on-skill-invoke:") || !strings.HasPrefix(s, "on-skill-invoke:") && s != "always" {
			r.fault(n, field, BadValue, "always, or on-skill-invoke: and a skill's name")
		}
	}
	list(object(closed, member{"name", needed, filledText}, member{"command", needed, filledText}, member{"description", needed, filledText},
		member{"when", 0, when}))(r, n, field)
	seen := map[string]bool{}
	for i, item := range n.Items {
		name, ok := item.Get("name").Text()
		if ok && seen[name] {
			r.fault(item.Get("name"), within(field, strconv.Itoa(i)+".name"), BadValue, "the only monitor of its name")
		}
		seen[name] = true
	}
}

// dependency wants another plugin's name, perhaps with its marketplace.
func dependency(r *reader, n *doc.Node, field string) {
	if n.IsObject() {
		r.object(n, field, []member{{"name", needed, filledText}, {"marketplace", 0, text}}, open)
		return
	}
	name, ok := n.Text()
	plugin, market, at := strings.Cut(name, "@")
	odd := func(s string) bool { return s == "" || strings.ContainsAny(s, " \t\n@/\\:") }
	if !ok {
		r.fault(n, field, WrongKind, "a plugin's name")
	} else if odd(plugin) || at && odd(market) {
		r.fault(n, field, BadValue, "a plugin's name, or PLUGIN@MARKETPLACE")
	}
}

func userConfig(r *reader, n *doc.Node, field string) {
	if !r.is(n, field, doc.Object) {
		return
	}
	value := func(r *reader, n *doc.Node, field string) {
		if n.IsObject() || n.Value == nil {
			r.fault(n, field, WrongKind, "a plain value")
		}
	}
	number, flag := ofKind(doc.Number), ofKind(doc.Bool)
	for _, item := range n.Items {
		at := within(field, item.Key)
		if !isIdentifier(item.Key) {
			r.fault(item, at, BadValue, "named by letters, digits and _")
		}
		r.object(item, at, []member{
			{"type", needed, oneOf("string", "number", "boolean", "directory", "file")}, {"title", needed, text}, {"description", needed, text},
			{"required", 0, flag}, {"default", 0, value}, {"multiple", 0, flag}, {"sensitive", 0, flag}, {"min", 0, number}, {"max", 0, number},
		}, closed)
	}
}

func isIdentifier(s string) bool {
	for i, c := range s {
		if c != '_' && (c > unicode.MaxASCII || !unicode.IsLetter(c)) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}

// experimental holds fields that may also stand by themselves. Anything but an object is ignored.
func experimental(r *reader, n *doc.Node, field string) {
	if n.IsObject() {
		r.object(n, field, []member{{"themes", 0, paths("", nil)}, {"monitors", 0, monitors}}, open)
	}
}
