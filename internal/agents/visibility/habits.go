package visibility

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// habits are how an agent lists skills.
type habits struct {
	project, user []string // places, as in Skill.Place
	order         []string // the same, ~/ for the home's: the first has a name that several have; nil means that this is not known
	namesakes     bool     // it lists all skills of one name
	root          bool     // it takes a SKILL.md in the folder of skills itself
	rootAlone     bool     // and then nothing else in that folder
	nested        bool     // it looks in folders within folders
	inner         bool     // also in those of skills
	dotted        bool     // also in those that begin with a dot

	refuses []FaultID              // it leaves such a skill out
	unsure  []FaultID              // it is not known what it does with such a skill
	bare    []FaultID              // it lists the name of such a skill
	obeys   []FaultID              // wishes that hide a skill
	names   func(name string) bool // whether it takes a skill of that name; nil means any
	longest int                    // characters of one description; 0 means any number

	plugins  string // how it comes to see a plugin's skills, as a sentence's end; "" if that is not known
	headless string // why no skill fires without a person; "" if one does

	room string                                        // how much its list holds, as a sentence's end; "" if that is not known to have an end
	fit  func(all []Skill, views []View, listed []int) // what becomes of a list that is too long; nil means that it is sent whole
}

// known are the habits of the versions that package agents names.
var known = sync.OnceValue(func() map[string]*habits {
	return map[string]*habits{
		"claude": {
			project: []string{".claude"}, user: []string{".claude"}, order: []string{"~/.claude", ".claude"}, obeys: []FaultID{Hidden, HiddenText, Paths},
			plugins: ", and in plugins once they are installed, or with claude --plugin-dir",
		},
		"codex": {
			project: []string{".agents", ".codex"}, user: []string{".agents", ".codex"},
			namesakes: true, nested: true, inner: true, root: true,
			refuses: []FaultID{NoFront, Linked, Mark, Twice, ListName, LongName, NoDescription, EmptyDescription, ListDescription, TextMetadata},
			unsure:  []FaultID{OtherYAML},
			obeys:   []FaultID{Policy}, longest: maxDescription, fit: fitCodex,
			room: "holds a fiftieth of the tokens that the model takes, 5,440 of 272,000, with its own skills in it",
		},
		"copilot": {
			project: []string{".agents", ".claude", ".github"}, user: []string{".agents", ".copilot"}, nested: true, root: true, rootAlone: true,
			order: []string{".github", ".agents", ".claude", "~/.copilot", "~/.agents"},
			refuses: []FaultID{
				NoFront, LooseYAML, OpenYAML, OtherYAML, Twice, TwiceBelow, NullName, EmptyName, NumberName, ListName, LongName,
				NumberDescription, ListDescription, LongDescription, OddHint, OddInvocable, OddHidden, OddTools,
			},
			bare: []FaultID{EmptyDescription}, obeys: []FaultID{Hidden}, names: copilotTakes, fit: fitCopilot,
			room: "holds 15,000 characters",
		},
		"gemini": {
			project: []string{".agents", ".gemini"}, user: []string{".agents", ".gemini"}, root: true,
			order:   []string{".agents", ".gemini", "~/.agents", "~/.gemini"},
			refuses: []FaultID{NoFront, Mark, BlankEnd, NoName, NullName, NoDescription},
			unsure:  []FaultID{OtherYAML},
			bare:    []FaultID{EmptyDescription}, headless: "in its default mode it has no tool that activates skills",
		},
		"opencode": {
			project: []string{".agents", ".claude", ".opencode"}, user: []string{".agents", ".claude", ".config/opencode", ".opencode"},
			nested: true, inner: true, dotted: true, root: true,
			refuses: []FaultID{
				NoFront, OpenYAML, Twice, NoName, NullName, NumberName, DateName, ListName, NoDescription, NumberDescription, ListDescription,
			},
			unsure: []FaultID{OtherYAML}, bare: []FaultID{EmptyDescription},
		},
		"pi": {
			project: []string{".agents", ".pi"}, user: []string{".agents", ".pi/agent"}, nested: true, root: true, rootAlone: true,
			order: []string{".pi", ".agents", "~/.pi/agent", "~/.agents"},
			refuses: []FaultID{
				NoFront, Mark, LooseYAML, OpenYAML, OtherYAML, Twice, TwiceBelow, NumberName, ListName,
				NoDescription, EmptyDescription, NumberDescription, ListDescription,
			},
			obeys: []FaultID{Hidden},
		},
		"qwen": {
			project: []string{".agents", ".qwen"}, user: []string{".agents", ".qwen"}, dotted: true,
			order:   []string{".qwen", ".agents", "~/.qwen", "~/.agents"},
			refuses: []FaultID{NoFront, BlankEnd, NoName, NullName, EmptyName, ListName, NoDescription, EmptyDescription, ListModel},
			unsure:  []FaultID{OtherYAML},
			obeys:   []FaultID{Hidden, HiddenText, Paths}, names: qwenTakes,
			headless: "in its default mode it asks the model whether a skill may load, and declines without a usable answer",
		},
	}
})

// copilotTakes reports whether Copilot takes a skill of that name: of ASCII, and not one that begins with a hyphen.
func copilotTakes(name string) bool {
	odd := func(r rune) bool { return r > unicode.MaxASCII || !isWord(r) && !strings.ContainsRune("-. :", r) }
	return !strings.ContainsFunc(name, odd) && isWord(rune(name[0]))
}

// qwenTakes reports whether Qwen takes a skill of that name: of letters, digits and a few marks.
func qwenTakes(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return !isWord(r) && !strings.ContainsRune("-.:", r) }) < 0
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// codexTokens is the size of Codex's list: a fiftieth of the 272,000 tokens that it takes a model's window for. A token
// is four bytes of a line. Long paths of the folders take a few more.
const codexTokens = 272_000 / 50

// codexOwn are the lines of Codex's own skills: bytes without the description, and characters of it. From the character
// dash on, one has two bytes more.
var codexOwn = []struct{ head, size, dash int }{{42, 570, 570}, {48, 459, 135}, {52, 106, 106}, {56, 225, 225}}

// fitCodex gives every description as many characters as the others, until the list is full.
func fitCodex(all []Skill, views []View, listed []int) {
	type line struct{ head, size, bytes, dash, shown, view int } // bytes are those of the whole description
	var lines []line
	for _, own := range codexOwn {
		lines = append(lines, line{own.head, own.size, own.size, own.dash, 0, -1})
	}
	for _, i := range listed {
		s := &all[i]
		head := len("- :  (file: r0//SKILL.md)\n") + len(s.CalledName()) + len(s.Folder)
		lines = append(lines, line{head, views[i].Chars, s.bytes(views[i].Chars), views[i].Chars, 0, i})
	}
	tokens := func(l line) int { return (l.head + l.shown*l.bytes/max(l.size, 1) + 2*b2i(l.shown > l.dash) + 3) / 4 }
	used, whole := 0, 0
	for _, l := range lines {
		used += tokens(l)
		l.shown = l.size
		whole += tokens(l)
	}
	if whole <= codexTokens {
		return
	}
	for more := true; more; {
		more = false
		for i := range lines {
			l := &lines[i]
			longer := *l
			longer.shown++
			if l.shown < l.size && used+tokens(longer)-tokens(*l) <= codexTokens {
				used += tokens(longer) - tokens(*l)
				l.shown, more = longer.shown, true
			}
		}
	}
	for _, l := range lines {
		if l.view >= 0 && l.shown < l.size {
			why := fmt.Sprintf("its list of %d skills has room for the first %d characters of the description", len(listed), l.shown)
			views[l.view] = View{Sight: Cut, Chars: l.shown, Cause: ByRoom, Why: why, Field: "description"}
		}
	}
}

// copilotRoom is how many characters the entries of Copilot's list may have.
const copilotRoom = 15_000

// copilotEntry is what stands around a name and a description in an entry.
const copilotEntry = "<skill>\n  <name></name>\n  <description></description>\n  <location>project</location>\n</skill>\n"

// copilotEscapes are how it writes what XML gives a meaning.
var copilotEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")

// fitCopilot lists entries until one does not fit, and names after it.
func fitCopilot(all []Skill, views []View, listed []int) {
	used, full := 0, false
	for _, i := range listed {
		used += len(copilotEntry) + len(all[i].CalledName()) + utf8.RuneCountInString(copilotEscapes.Replace(all[i].Description))
		if full = full || used > copilotRoom; full {
			why := fmt.Sprintf("its list has room for %d characters, and others come first: only the name is listed", copilotRoom)
			views[i] = View{Sight: Cut, Cause: ByRoom, Why: why, Field: "description"}
		}
	}
}
