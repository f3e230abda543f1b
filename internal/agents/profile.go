package agents

import "unicode"

// A profile says how an agent lists skills, in the version that was asked.
type profile struct {
	order     []string // places, with ~/ for the home: the first wins if several have a skill of one name; nil if this is unknown
	namesakes bool     // it lists all skills of one name
	root      bool     // it accepts a SKILL.md in the folder of skills itself
	rootAlone bool     // and then it ignores everything else in that folder
	nested    bool     // it looks in folders within folders
	inner     bool     // it also looks in folders within the folders of skills
	dotted    bool     // it also looks in folders that begin with a dot
	lower     []string // places in which it accepts a skill.md as a SKILL.md

	refuses []FaultID              // it leaves out a skill with such a fault
	unsure  []FaultID              // it is unknown what it does with such a skill
	bare    []FaultID              // it lists the name of such a skill
	obeys   []FaultID              // wishes that hide a skill
	names   func(name string) bool // reports whether it accepts a skill of that name; nil means any name
	longest int                    // the most characters of one description; 0 means any number

	plugins  string // how it finds a plugin's skills, as the end of a sentence; "" if that is unknown
	headless string // why no skill fires without a person; "" if skills do

	room string                                        // how much its list holds, as the end of a sentence; "" if no limit is known
	fit  func(all []Skill, views []View, listed []int) // cuts a list that is too long; nil means that the whole list is sent
}

// isWord reports whether a character is part of a word in the names that agents accept.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
