package check

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

// listLoses reports what the cut of an agent's list takes: the sentence that says when to use a skill, or what sets a
// description apart from another.
func listLoses(w *whole) {
	for _, s := range w.shelves() {
		for _, agent := range w.opt.named() {
			var all []shownAs
			for i, v := range s.views[agent] {
				d := s.doc(i)
				if d == nil || v.Chars == 0 || v.Sight == agents.Invisible {
					continue
				}
				whole := oneLine(strings.TrimSpace(s.found[i].Description))
				if v.Cause == agents.ByRoom && whenEnd(whole) > v.Chars {
					f := w.find(d, d.describedAt[0], d.describedAt[1], "%s's list shows the first %d characters of the description: "+
						"the sentence that says when to use the skill comes after them", agent, v.Chars)
					f.Help, f.Agent, f.Fix = "put that sentence first", agent, d.whenFirst(v.Chars)
				}
				all = append(all, shownAs{d, string([]rune(whole)[:min(v.Chars, utf8.RuneCountInString(whole))]), v.Sight == agents.Cut})
			}
			w.shownAlike(agent, all)
		}
	}
}

// A shownAs is what an agent's list shows of a description.
type shownAs struct {
	doc   *document
	text  string
	isCut bool
}

// shownAlike reports descriptions that differ only in what a list cuts off. Lists cut to the same length, give or take a few
// characters.
func (w *whole) shownAlike(agent string, all []shownAs) {
	slices.SortStableFunc(all, func(a, b shownAs) int { return strings.Compare(a.text, b.text) })
	for i, first := 1, 0; i < len(all); i++ {
		a, b := all[first], all[i]
		if b.text != a.text && !(a.isCut && strings.HasPrefix(b.text, a.text)) {
			first = i
			continue
		}
		if a.doc.description != b.doc.description {
			f := w.find(b.doc, b.doc.describedAt[0], b.doc.describedAt[1], "%s's list shows the same %d characters of this description "+
				"and of that of %s: nothing tells the model which to use", agent, utf8.RuneCountInString(a.text), a.doc.file.Name)
			f.Help, f.Agent = "put first what sets the two apart", agent
		}
	}
}

// losesWhen adds to a finding about a description that is cut that the sentence which says when to use the skill is lost.
func (d *document) losesWhen(f *Finding, most int) {
	if whenEnd(oneLine(strings.TrimSpace(d.skill.Front.Description))) > most {
		f.Message += "; the sentence that says when to use the skill is lost"
		f.Fix = d.whenFirst(most)
	}
}

// whenSaid begins what says when to use a skill.
var whenSaid = words.Regexp(`(?i)\b(?:use (?:this|it|when|whenever|if|for|before|after|proactively)|` +
	`(?:triggers?|activates?|invoke|invoked|applies|load) (?:when|whenever|on|for|if|this)|when(?:ever)? (?:the user|a user|users|someone|you|asked|working|the task))\b`)

// whenEnd returns after how many characters a description has begun to say when to use the skill, or 0.
func whenEnd(text string) int {
	at := whenSaid.Get().FindStringIndex(text)
	if at == nil {
		return 0
	}
	return utf8.RuneCountInString(text[:at[1]])
}

// whenFirst returns the fix that puts the sentence which says when to use the skill before the others; nil if that does not
// bring it into the first characters, or if it cannot be told where the sentence begins.
func (d *document) whenFirst(most int) *Fix {
	start, end := d.describedAt[0], d.describedAt[1]
	raw := strings.TrimRight(d.src[start:end], " \t\r\n")
	text, write := textOf(raw, d.lineEnd())
	moved, ok := sentenceFirst(text)
	if !ok || whenEnd(moved) > most {
		return nil
	}
	fix := replace("put that sentence first", true, start, start+len(raw), write(moved))
	front := skill.Parse(d.file.Path, []byte(fix.Apply(d.src))).Front
	if front.Broken != "" || !slices.Equal(strings.Fields(front.Description), strings.Fields(unquoted(raw, moved))) {
		return nil
	}
	return fix
}

// textOf returns the words of a value of YAML, and how others are written in their place; "" where that would take more than
// to write them.
func textOf(raw, eol string) (text string, write func(string) string) {
	lines := strings.Split(raw, eol)
	switch {
	case raw == "" || len(lines) == 1 && raw[0] == '"' && strings.Contains(raw, `\`):
	case len(lines) == 1 && (raw[0] == '"' || raw[0] == '\''):
		return raw[1 : len(raw)-1], func(s string) string { return raw[:1] + s + raw[:1] }
	case len(lines) == 1:
		return raw, func(s string) string { return s }
	case raw[0] == '>' || raw[0] == '|':
		indent := lines[1][:len(lines[1])-len(strings.TrimLeft(lines[1], " "))]
		wide := 0
		for i, line := range lines[1:] {
			lines[i+1] = strings.TrimPrefix(line, indent)
			wide = max(wide, utf8.RuneCountInString(lines[i+1]))
			if c := lines[i+1]; c == "" || strings.ContainsAny(c[:1], " \t-*#") || indent == "" {
				return "", nil // it has paragraphs or a list
			}
		}
		return strings.Join(lines[1:], " "), func(s string) string {
			return lines[0] + eol + indent + strings.Join(wrapWords(s, wide), eol+indent)
		}
	}
	return "", nil
}

// wrapWords breaks a text into lines of at most so many characters.
func wrapWords(text string, wide int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > wide {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, line)
}

// unquoted returns what a text says that stands between the quotes of a value.
func unquoted(raw, text string) string {
	if raw[0] == '\'' {
		return strings.ReplaceAll(text, "''", "'")
	}
	return text
}

var (
	sentenceEnd = words.Regexp(`[.!?]["')\]]*\s+`)
	goesOn      = words.Regexp(`^(?:(?i:also|and|or|then|but|otherwise|additionally)\b|[a-z])`) // a sentence that needs the one before it
	shortForm   = words.Regexp(`(?i)\b(?:e\.g|i\.e|etc|vs|incl|approx)\.\s+$`)
)

// sentenceFirst puts the sentence that says when to use a skill before the others.
func sentenceFirst(text string) (string, bool) {
	at := whenSaid.Get().FindStringIndex(text)
	if at == nil {
		return "", false
	}
	from, end := 0, len(text)
	for _, b := range sentenceEnd.Get().FindAllStringIndex(text, -1) {
		switch {
		case shortForm.Get().MatchString(text[:b[1]]):
		case b[1] <= at[0]:
			from = b[1]
		case b[0] >= at[1]:
			end = min(end, b[1])
		}
	}
	sentence, rest := strings.TrimSpace(text[from:end]), strings.TrimSpace(text[:from]+text[end:])
	if from == 0 || goesOn.Get().MatchString(sentence) {
		return "", false
	}
	if !strings.ContainsAny(sentence[len(sentence)-1:], `.!?)"'`) {
		sentence += "."
	}
	return sentence + " " + rest, true
}
