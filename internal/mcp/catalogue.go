package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/skill"
)

// An entry is a skill or command that exists here, offered or not.
type entry struct {
	listed skillhand.Listed
	front  skill.Frontmatter
	why    error // the skill is not trusted or cannot be read; nil if people may see it
}

// forModels returns why a model may not load the skill, or nil.
func (e *entry) forModels() error {
	if e.why == nil && e.front.DisableModelInvocation {
		return fmt.Errorf("%s: agents cannot load it: its frontmatter sets disable-model-invocation", e.listed.Call)
	}
	return e.why
}

// forPeople returns why a person may not call the skill, or nil.
func (e *entry) forPeople() error {
	if e.why == nil && !e.front.UserInvocable {
		return fmt.Errorf("%s: people cannot call it: its frontmatter sets user-invocable: false", e.listed.Call)
	}
	return e.why
}

// entry reads what a list needs to know about the skill at loc.
func (sv *serving) entry(loc skill.Location, policy trust.Policy) entry {
	e := entry{listed: skillhand.Listed{Location: loc}}
	if err := policy.May(loc.File); err != nil {
		e.why = fmt.Errorf("%s: %w", loc.Call, err)
		return e // do not even read a file that is not trusted
	}
	e.listed.Trusted = true
	f := sv.fronts.get(loc)
	if f.err != nil {
		e.why, e.listed.Error = f.err, f.err.Error()
		return e
	}
	e.front, e.listed.Description = f.front, f.about
	return e
}

// fronts caches frontmatter as long as its file does not change.
type fronts struct {
	mu    sync.Mutex
	known map[string]front
}

type front struct {
	info  fs.FileInfo
	front skill.Frontmatter
	about string
	err   error
}

func (k *fronts) get(loc skill.Location) front {
	info, err := os.Stat(loc.File)
	// A companion skill has its description in another file.
	plain := err == nil && (loc.Command || loc.IsMain())
	if plain {
		k.mu.Lock()
		f, ok := k.known[loc.File]
		k.mu.Unlock()
		if ok && unchanged(f.info, info) {
			return f
		}
	}
	f := front{info: info}
	var summary string
	f.front, summary, f.err = loc.Front()
	f.about = strings.Join(strings.Fields(summary), " ")
	if plain && f.err == nil && time.Since(info.ModTime()) > fresh {
		k.mu.Lock()
		if len(k.known) >= maxKnown {
			clear(k.known)
		}
		if k.known == nil {
			k.known = map[string]front{}
		}
		k.known[loc.File] = f
		k.mu.Unlock()
	}
	return f
}

// maxKnown limits how many files fronts remembers.
const maxKnown = 10_000

// offered lists the skills for one kind of reader; to says why a reader may not have a skill.
func (sv *serving) offered(to func(*entry) error) []entry {
	return slices.DeleteFunc(sv.entries(), func(e entry) bool { return to(&e) != nil })
}

// whyNone returns a sentence about skills that are not offered because they are not trusted, or "".
func (sv *serving) whyNone() string {
	n, changed := 0, map[string]int{} // the skills of each pinned folder that has changed, by the reason
	for _, e := range sv.entries() {
		if refused, ok := errors.AsType[*trust.NotTrusted](e.why); ok && refused.Changed {
			changed[refused.Reason()]++
		} else if ok {
			n++
		}
	}
	text := ""
	for _, reason := range slices.Sorted(maps.Keys(changed)) {
		hidden := "1 skill is"
		if changed[reason] > 1 {
			hidden = fmt.Sprintf("%d skills are", changed[reason])
		}
		text += fmt.Sprintf(" %s hidden because %s.", hidden, reason)
	}
	if n == 0 {
		return text
	}
	if n == 1 {
		return text + " 1 skill is hidden because its folder is not trusted. To trust it, the user runs: skillhand trust"
	}
	return text + fmt.Sprintf(" %d skills are hidden because their folder is not trusted. To trust it, the user runs: skillhand trust", n)
}

func (sv *serving) entries() []entry {
	found, faults := sv.here.Finder().List()
	for _, err := range faults {
		sv.warn("%v", err)
	}
	found = slices.DeleteFunc(found, func(loc skill.Location) bool {
		path := files.Is(loc.Call)
		if path {
			sv.warn("%s: not offered: another skill has the name %s", loc.File, loc.Name)
		}
		return path
	})
	entries, policy := make([]entry, len(found)), sv.policy.Now()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(len(found), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(found)); i = next.Add(1) - 1 {
				entries[i] = sv.entry(found[i], policy)
			}
		})
	}
	wg.Wait()
	return entries
}

// find finds a skill by name. It refuses paths, because a path could be any file of the user.
func (sv *serving) find(name string, to func(*entry) error) (entry, error) {
	if name == "" {
		return entry{}, fmt.Errorf("name is empty, want the name of a skill")
	}
	if files.Is(name) {
		return entry{}, fmt.Errorf("%s: a path, want the name of a skill", name)
	}
	loc, err := sv.here.Finder().Find(name)
	if err != nil {
		return entry{}, err
	}
	loc.Call = name
	e := sv.entry(loc, sv.policy)
	return e, to(&e)
}

// maxCatalogue limits the length of load_skill's description. Claude Code cuts it at 4,096
// characters.
const maxCatalogue = 4000

// catalogue returns the description of load_skill, with the skills that it can load. It shortens
// the skills' descriptions, or leaves them out, until all skills fit.
func catalogue(all []entry) string {
	const head = "Load a skill: instructions for a task, with output from the moment of your call. " +
		"Call this before you begin a task that one of the skills below covers, and follow what it returns.\n"
	if len(all) == 0 {
		return head + "\nThere are no skills here now."
	}
	list := func(about func(*entry) string) string {
		var b strings.Builder
		b.WriteString(head + "\nSkills:\n")
		for i := range all {
			b.WriteString("- " + all[i].listed.Call)
			if text := about(&all[i]); text != "" {
				b.WriteString(": " + text)
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	for _, about := range []func(*entry) string{
		func(e *entry) string { return strings.TrimSpace(e.listed.Description + " " + e.front.WhenToUse) },
		func(e *entry) string { return firstSentence(e.listed.Description) },
	} {
		if text := list(about); characters(text) <= maxCatalogue {
			return text
		}
	}
	return names(head, all)
}

// names lists as many skills as fit, without descriptions.
func names(head string, all []entry) string {
	text := head + "\nTo see what a skill is for, call find_skill.\n\nSkills: "
	for i, e := range all {
		rest := fmt.Sprintf(" and %d more: ask find_skill", len(all)-i)
		if characters(text)+characters(e.listed.Call)+len(rest)+2 > maxCatalogue {
			return text + rest
		}
		if i > 0 {
			text += ", "
		}
		text += e.listed.Call
	}
	return text
}

// characters counts UTF-16 units, as hosts written in JavaScript do.
func characters(text string) int {
	n := 0
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// firstSentence returns text up to the first end of a sentence that white space follows.
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

// matching returns the skills whose names or descriptions contain words of the query, best first.
// Without words it returns all skills.
func matching(all []entry, query string) []entry {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return all
	}
	score := func(e entry) (n int) {
		name, text := strings.ToLower(e.listed.Call), strings.ToLower(e.listed.Description+" "+e.front.WhenToUse)
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
