package claudecode

import (
	"slices"

	"github.com/skillhand/skillhand/internal/doc"
)

// hooks wants an object of events. A fault in a hook that may guard permissions keeps the plugin from loading; other faults
// do not.
func hooks(r *reader, n *doc.Node, field string) {
	known := Events()
	for _, event := range n.Items {
		at := within(field, event.Key)
		switch {
		case n.Get(event.Key) != event: // a later one counts
		case slices.Contains(guards, event.Key):
			matchers(r, event, at)
		case !slices.Contains(known, event.Key) && hidesGuard(event):
			r.fault(event, at, BadValue, "an event of Claude Code: it holds hooks that may guard permissions, and none of them would run")
		}
	}
}

// HookFaults returns the faults in a JSON object of events, as a settings file, a plugin's hooks file or a frontmatter has
// one. A single fault takes every hook of the file with it. Events that do not exist are passed over.
func HookFaults(src []byte) []Fault {
	n, fault := doc.ParseJSON(string(src))
	if fault != nil {
		return []Fault{{Start: fault.Offset, End: fault.Offset + 1, Problem: NotJSON, Want: fault.Text}}
	}
	var r reader
	known := Events()
	for _, event := range n.Items {
		if slices.Contains(known, event.Key) && n.Get(event.Key) == event { // a later one counts
			matchers(&r, event, event.Key)
		}
	}
	return r.faults
}

// hidesGuard reports whether the value of a key that is no event holds hooks that may have been meant to guard something.
func hidesGuard(n *doc.Node) bool {
	known := Events()
	for _, item := range n.Items {
		inner := n.IsList() && item.IsObject() && slices.ContainsFunc(item.Items,
			func(v *doc.Node) bool { return slices.Contains(guards, v.Key) })
		switch {
		case inner && hidesGuard(item):
			return true
		case !n.IsObject():
		case slices.Contains(guards, item.Key) && item.Value != nil && !(item.IsList() && len(item.Items) == 0):
			return true
		case slices.Contains(known, item.Key):
		case item.Key == "hooks" && item.IsList() && len(item.Items) > 0, holdsHooks(item), item.IsObject() && hidesGuard(item):
			return true
		}
	}
	return false
}

// holdsHooks reports whether a value is a list of matchers, one of which has a hook.
func holdsHooks(n *doc.Node) bool {
	return n.IsList() && slices.ContainsFunc(n.Items, func(m *doc.Node) bool {
		list := m.Get("hooks")
		return list.IsList() && len(list.Items) > 0
	})
}

// matchers wants the value of an event.
func matchers(r *reader, n *doc.Node, field string) {
	if n.Value == nil {
		return
	}
	if !n.IsList() {
		r.fault(n, field, WrongKind, "a list of matchers")
		return
	}
	r.items(n, field, func(r *reader, m *doc.Node, field string) {
		r.object(m, field, []member{{"matcher", 0, text}, {"hooks", needed, list(hook)}}, open)
	})
}

func hook(r *reader, n *doc.Node, field string) {
	if !r.is(n, field, doc.Object) {
		return
	}
	kind, ok := n.Get("type").Text()
	types := HookTypes()
	i := slices.IndexFunc(types, func(t HookType) bool { return t.Name == kind })
	switch {
	case n.Get("type") == nil:
		r.fault(n, within(field, "type"), Missing, "")
		return
	case !ok || i < 0:
		r.fault(n.Get("type"), within(field, "type"), BadValue, "one of command, prompt, agent, http, mcp_tool")
		return
	}
	flag := ofKind(doc.Bool)
	members := []member{
		{"timeout", 0, positive}, {"args", 0, list(text)}, {"async", 0, flag}, {"once", 0, flag}, {"statusMessage", 0, text},
		{"if", 0, text}, {"model", 0, text}, {"shell", 0, oneOf("bash", "powershell")}, {"headers", 0, mapOf(text)},
	}
	for _, need := range types[i].Needs {
		shape := text
		if need == "url" {
			shape = address
		}
		members = append(members, member{need, needed, shape})
	}
	r.object(n, field, members, open)
}
