package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/skill"
)

// An entry is a skill or command that is here, offered or not.
type entry struct {
	skillhand.Listed
	front skill.Frontmatter
	why   error // nobody trusted it, or it cannot be read; nil if it is offered to people
}

// forModels says why a model may not load it; nil if it may.
func (e *entry) forModels() error {
	if e.why == nil && e.front.DisableModelInvocation {
		return fmt.Errorf("%s: only people may call it: its file says disable-model-invocation", e.Name)
	}
	return e.why
}

// forPeople says why a person may not call it; nil if he may.
func (e *entry) forPeople() error {
	if e.why == nil && !e.front.UserInvocable {
		return fmt.Errorf("%s: only an agent may call it: its file says user-invocable: false", e.Name)
	}
	return e.why
}

// entry reads what the catalogue needs to know about a location.
func (sv *serving) entry(loc skill.Location) entry {
	e := entry{Listed: skillhand.Listed{Location: loc}}
	if err := sv.policy.May(loc.File); err != nil {
		e.why = fmt.Errorf("%s: %w", loc.Name, err)
		return e // what nobody trusted is not even read
	}
	e.Trusted = true
	front, summary, err := loc.Front()
	if err != nil {
		e.why, e.Error = err, err.Error()
		return e
	}
	e.front, e.Description = front, strings.Join(strings.Fields(summary), " ")
	return e
}

// offered lists what one kind of reader may have.
func (sv *serving) offered(to func(*entry) error) []entry {
	found, faults := sv.here.Finder().List()
	for _, err := range faults {
		sv.warn("%v", err)
	}
	var all []entry
	for _, loc := range found {
		if e := sv.entry(loc); to(&e) == nil {
			all = append(all, e)
		}
	}
	return all
}

// find looks a skill up by its name. A path would be any file of the user's.
func (sv *serving) find(name string, to func(*entry) error) (entry, error) {
	if name == "" {
		return entry{}, fmt.Errorf("name is empty, want that of a skill")
	}
	if name == "." || strings.ContainsAny(name, `/\`) {
		return entry{}, fmt.Errorf("%s: a path, want the name of a skill", name)
	}
	loc, err := sv.here.Finder().Find(name)
	if err != nil {
		return entry{}, err
	}
	e := sv.entry(loc)
	return e, to(&e)
}

// maxCatalogue is how long the description of load_skill may be. Claude Code
// cuts it at 4,096.
const maxCatalogue = 4000

// catalogue describes load_skill and what it can load: as much of each skill's
// description as there is room for.
func catalogue(all []entry) string {
	const head = "Load a skill: instructions for a task, with output that is made when you call. " +
		"Call this before you begin a task that one of the skills below covers, and follow what it returns.\n"
	if len(all) == 0 {
		return head + "\nThere are no skills here now."
	}
	list := func(about func(*entry) string) string {
		var b strings.Builder
		b.WriteString(head + "\nSkills:\n")
		for i := range all {
			b.WriteString("- " + all[i].Name)
			if text := about(&all[i]); text != "" {
				b.WriteString(": " + text)
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	for _, about := range []func(*entry) string{
		func(e *entry) string { return strings.TrimSpace(e.Description + " " + e.front.WhenToUse) },
		func(e *entry) string { return firstSentence(e.Description) },
	} {
		if text := list(about); characters(text) <= maxCatalogue {
			return text
		}
	}
	return names(head, all)
}

// names lists the skills by name alone, as many as there is room for.
func names(head string, all []entry) string {
	text := head + "\nWhat each is for, find_skill tells.\n\nSkills: "
	for i, e := range all {
		rest := fmt.Sprintf(" and %d more: ask find_skill", len(all)-i)
		if characters(text)+characters(e.Name)+len(rest)+2 > maxCatalogue {
			return text + rest
		}
		if i > 0 {
			text += ", "
		}
		text += e.Name
	}
	return text
}

// characters counts as hosts do that are written in JavaScript.
func characters(text string) int {
	n := 0
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// firstSentence ends at a full stop that is followed by white space.
func firstSentence(text string) string {
	for i, r := range text {
		if strings.ContainsRune(".!?。", r) {
			rest := text[i+len(string(r)):]
			if rest == "" || r == '。' || unicode.IsSpace(rune(rest[0])) {
				return text[:len(text)-len(rest)]
			}
		}
	}
	return text
}

// matching ranks skills by the words of a query that their names and
// descriptions have; without words, all match.
func matching(all []entry, query string) []entry {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return all
	}
	score := func(e entry) (n int) {
		name, text := strings.ToLower(e.Name), strings.ToLower(e.Description+" "+e.front.WhenToUse)
		for _, w := range words {
			if strings.Contains(name, w) {
				n += 3
			}
			if strings.Contains(text, w) {
				n++
			}
		}
		return n
	}
	found := slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return score(e) == 0 })
	slices.SortStableFunc(found, func(a, b entry) int { return cmp.Compare(score(b), score(a)) })
	return found
}
