package permit

import (
	"strings"
	"sync"
)

type variable struct{ name, value string }

// An expansion is a text whose variables were put in, and the way back to the offsets of the text
// as written.
type expansion struct {
	text  string
	marks []mark
}

// A mark says that from an offset on, the text is that of an offset of the original.
type mark struct {
	at, from int
	inside   bool // in a value: every offset is that of its end
}

func expand(s string, vars []variable) expansion {
	if !strings.Contains(s, "${CLAUDE_") {
		return expansion{text: s}
	}
	var b strings.Builder
	var marks []mark
	for i := 0; i < len(s); {
		v, ok := at(s[i:], vars)
		if !ok {
			b.WriteByte(s[i])
			i++
			continue
		}
		marks = append(marks, mark{b.Len(), i, true})
		b.WriteString(v.value)
		i += len(v.name)
		marks = append(marks, mark{b.Len(), i, false})
	}
	return expansion{b.String(), marks}
}

func at(s string, vars []variable) (variable, bool) {
	for _, v := range vars {
		if v.value != "" && strings.HasPrefix(s, v.name) {
			return v, true
		}
	}
	return variable{}, false
}

// original returns the offset in the text as written.
func (e expansion) original(off int) int {
	out := off
	for i, m := range e.marks {
		switch {
		case m.at > off:
			return out
		case m.inside && off > m.at:
			out = e.marks[i+1].from
		case m.inside:
			out = m.from
		default:
			out = m.from + off - m.at
		}
	}
	return out
}

// fields makes a set of words when it is first asked for.
func fields(s string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, f := range strings.Fields(s) {
			set[f] = true
		}
		return set
	})
}
