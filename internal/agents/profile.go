package agents

import "unicode"

// A profile is how an agent lists skills, in the version that its file names.
type profile struct {
	order     []string // places, ~/ for the home's: the first has a name that several have; nil means that this is not known
	namesakes bool     // it lists all skills of one name
	root      bool     // it takes a SKILL.md in the folder of skills itself
	rootAlone bool     // and then nothing else in that folder
	nested    bool     // it looks in folders within folders
	inner     bool     // also in those of skills
	dotted    bool     // also in those that begin with a dot
	lower     []string // places in which it takes a skill.md for a SKILL.md

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

// isWord reports whether a character is part of a word in the names that agents take.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
