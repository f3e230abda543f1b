package bind

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// A World says what exists where a line runs. In the zero World nothing is known, and only numbers
// are inert.
type World struct {
	Program func(name string) bool // whether a shell would find a program with that name
	File    func(path string) bool // whether a file or folder with that name exists, with or without an extension
}

// Inert values have no effect in any place: numbers, and plain words that name nothing. Absent
// values do not even name a data file.
var (
	inert  = kind{name: "plain words that name nothing here"}
	absent = kind{name: "plain words that name no program or file here"}
)

// maxInert limits how many words of a line are compared in pairs.
const maxInert = 32

// resolve returns what a kind means in this line. If the line makes new text of values, or reads
// something that they name, other words may occur than those that were checked. Then only numbers
// are inert.
func (l *line) resolve(k kind) kind {
	if k.name != inert.name && k.name != absent.name {
		return k
	}
	if l.world.Program == nil || l.foreign || l.changes || l.cuts || l.told || l.fetches || l.joins || l.roams || l.away > 0 ||
		len(l.sets["PATH"]) > 0 {
		return number
	}
	k.holds = func(v string) bool {
		is, known := l.inert[k.name+v]
		if !known { // a line with a thousand places asks a thousand times
			is = aNumber(v) || l.isInert(v, k.name == absent.name)
			l.inert[k.name+v] = is
		}
		return is
	}
	return k
}

// isInert reports whether text consists of plain words that name nothing. With dataToo, names of
// data files count too.
func (l *line) isInert(text string, dataToo bool) bool {
	list := strings.FieldsFunc(text, isBlank)
	if len(list) == 0 || len(l.allWords()) > maxInert {
		return false
	}
	if l.parts {
		list = taken(list)
	}
	return !slices.ContainsFunc(list, func(w string) bool {
		return strings.IndexFunc(w, func(r rune) bool { return !isInertRune(r) }) >= 0 ||
			!isInertStart(w) || runsAnything(w) || isObeyed(w) ||
			l.funcs[w] || l.namesProgram(w) || l.namesFile(w, dataToo)
	})
}

// taken returns words, and all of their parts between signs, also in upper and lower case.
func taken(list []string) (all []string) {
	for _, w := range list {
		starts, ends := []int{0}, []int{len(w)}
		for i := range len(w) {
			if !isNameChar(w[i]) || w[i] == '_' {
				starts, ends = append(starts, i+1), append(ends, i)
			}
		}
		if len(starts) > 12 {
			return []string{"-"} // this is never inert
		}
		for _, from := range starts {
			for _, to := range ends {
				if from < to {
					all = append(all, w[from:to], strings.ToLower(w[from:to]), strings.ToUpper(w[from:to]))
				}
			}
		}
	}
	return all
}

func isInertRune(r rune) bool {
	return unicode.IsLetter(r) && r != unicode.ReplacementChar || '0' <= r && r <= '9' || strings.ContainsRune("_-./:,@+", r)
}

func isInertStart(w string) bool { return !strings.ContainsAny(w[:1], "-+@,:") }

// runsAnything reports whether a word, or a part of it, is a word that languages run.
func runsAnything(w string) bool {
	between := func(r rune) bool { return !isNameChar(byte(min(r, 255))) }
	return slices.ContainsFunc(strings.FieldsFunc(w, between), func(part string) bool {
		return among("runs", strings.ToLower(part)) || among("alters", strings.ToLower(part)) || strings.HasPrefix(part, "__")
	})
}

// namesProgram reports whether a shell would run a word, alone or joined with another word of the
// line.
func (l *line) namesProgram(w string) bool {
	is := func(name string) bool { return among("shellWords", name) || l.world.Program(name) }
	return is(w) || slices.ContainsFunc(l.allWords(), func(other string) bool { return other != w && (is(w+other) || is(other+w)) })
}

// namesFile reports whether a word is the name of a file that may run, in the folder or below a
// folder in the author's text. With dataToo, a data file counts too.
func (l *line) namesFile(w string, dataToo bool) bool {
	module, _, _ := strings.Cut(w, ".")
	there := func(dir string) bool { // a module is a file without its extension
		return (dataToo || !isDataName(w)) && (l.world.File(dir+w) || module != "" && l.world.File(dir+module))
	}
	if l.writes[path.Base(w)] || dataToo && strings.Contains(w, "//") || there("") {
		return true
	}
	for dir := range l.dirs {
		if there(dir) {
			return true
		}
	}
	return false
}

func (l *line) allWords() []string {
	if l.pieces == nil {
		l.pieces = []string{}
		for _, v := range l.vals {
			if len(l.pieces) <= maxInert && !v.ours {
				l.pieces = append(l.pieces, strings.FieldsFunc(v.data, isBlank)...)
			}
		}
		slices.Sort(l.pieces)
		l.pieces = slices.Compact(l.pieces)
	}
	return l.pieces
}

// trace records the text before the values in a field: folders of the author, and other values.
func (s *scope) trace(f field) field {
	for i, x := range f.bits[min(1, len(f.bits)):] {
		switch before := f.bits[i]; {
		case !x.dirty && !x.given():
		case before.dirty || before.given():
			s.joins = true
		case before.hole:
			s.roams = true
		case strings.Contains(before.text, "/"):
			dir := before.text[strings.LastIndexAny(before.text, " =:,'\"\n\t(")+1:]
			switch {
			case i == 1 && f.bits[0].ours() && len(dir) == len(before.text):
				s.dirs[f.bits[0].text+dir] = true
			case i > 0 && len(dir) == len(before.text):
				s.roams = true // $(pwd)/x
			default:
				s.dirs[dir] = true
			}
		}
	}
	return f
}

// filed returns the kind that values must have in a line that runs files that it wrote, or that a
// program brought.
func (l *line) filed() kind {
	if l.brings || strings.Contains(l.loose, "\x00") {
		return number
	}
	return inert
}
