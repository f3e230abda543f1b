package bind

import (
	"fmt"
	"slices"
	"strings"
)

// options judges every word that a value can be, against a program's options.
func (s *scope) options(args []field, o options, place string) {
	for i, f := range args {
		if f.lit() == "--" || len(s.findings) > 0 {
			return
		}
		before := ""
		if i > 0 {
			before = args[i-1].lit()
		}
		flag, file, joined := strings.Cut(f.lit(), "=")
		switch {
		case joined && isFileFlag(flag) && s.written(file):
			s.all(numbers, place+" "+f.lit()+", which the line writes", whyOption, "write the options yourself")
		case f.lit() != "" && !aNumber(f.lit()) && isFileFlag(before) && s.written(f.lit()):
			s.all(plainOnly, place+" "+before+" "+f.lit()+", which the line writes", whyOption, "write the options yourself")
		case s.deeds.exports && !f.reached(s.vals): // code of the author's, which may use what is exported
			if _, takes := o.takes(before, true); takes {
				s.shellCode(ownCode(f), nil, input{}, place+" "+before)
			} else if _, takes := o.takes(f.lead(), false); takes && !strings.HasSuffix(f.lead(), "*") {
				s.shellCode(ownCode(f), nil, input{}, place)
			}
		case f.reached(s.vals):
			s.optionWord(f, before, o, place)
			if !listed(takeText, before) || f.many {
				s.isOption(f, o, place)
			}
		}
	}
}

// takeText are options that take the word behind them for text, whatever it begins with.
const takeText = "--data --data-raw --data-binary --data-urlencode --header --body --title --message"

// ownCode returns the code in an option's word: what follows the last = before the first blank.
func ownCode(f field) field {
	text := f.lit()
	head, _, _ := strings.Cut(text, " ")
	return field{bits: []bit{{text: text[strings.LastIndexByte(head, '=')+1:]}}}
}

// optionWord judges a value that is the word of an option that the author wrote: -I "$0", --pre="$0".
func (s *scope) optionWord(f field, before string, o options, place string) {
	k, takes := o.takes(before, true)
	if !takes {
		k, takes = o.takes(f.lead(), false)
	}
	if key, _, ok := strings.Cut(f.lead(), "="); ok && listed(quietSSH, key) {
		k = wordOnly
	}
	if takes {
		s.all(k, "an option of "+place+" that names a program", whyChoice, "name the program yourself")
	}
}

// quietSSH are what ssh's -o may set to a word.
const quietSSH = "User Port HostName ConnectTimeout ConnectionAttempts ServerAliveInterval ServerAliveCountMax StrictHostKeyChecking LogLevel BatchMode Compression IdentitiesOnly"

// isOption judges a value that may be an option itself.
func (s *scope) isOption(f field, o options, place string) {
	if len(s.findings) > 0 {
		return
	}
	if text := f.text(s.vals); len(f.values(s.vals)) > 0 && o.has(text) {
		s.report(f.values(s.vals)[0], "an option of "+place, whyOption, putDashes)
		return
	}
	if lead := f.lead(); !f.open() || lead != "" && lead[0] != '-' || o == (options{}) {
		return
	}
	var c change
	for _, x := range f.bits {
		c = c.or(x.change)
	}
	k := noKind
	switch {
	case c.other || c.escapes:
		k = short
	case c.replaces:
		k = spelled
	}
	if !s.all(k, "an option of "+place, whyOption, putDashes) {
		return
	}
	if i := s.option(o, c.cut, place); i >= 0 {
		s.report(i, "an option of "+place, whyOption, putDashes)
	}
}

// isFileFlag recognises options whose word is a file of options.
func isFileFlag(flag string) bool {
	switch flag {
	case "-K", "--config", "-T", "--files-from", "-f", "--from-file", "-i", "--input-file", "--rcfile", "-F", "--kubeconfig":
		return true
	}
	return false
}

// option returns the first value that has one of a program's options in it, or -1.
func (s *scope) option(o options, cut bool, place string) int {
	key := fmt.Sprint("an option of ", place, cut, len(s.deeds.leads))
	i, known := s.first[key]
	if !known {
		i = slices.IndexFunc(s.vals, func(v value) bool { return !v.place && o.within(v, cut, s.deeds.leads) })
		s.first[key] = i
	}
	return i
}

// within reports whether a value has such an option in it, at the start of any
// part that splitting could make a word; anywhere, if the line cuts it on the
// way; and behind each text that the line puts before something.
func (o options) within(v value, cut bool, leads map[string]bool) bool {
	for i := range v.data {
		if (i == 0 || cut && v.data[i] == '-' || !isNameChar(v.data[i-1])) && o.has(v.data[i:]) {
			return true
		}
	}
	for lead := range leads {
		if o.has(lead + v.data) {
			return true
		}
	}
	return slices.ContainsFunc(v.words, o.has)
}

func isNameChar(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// listed reports whether a list has a word in it; those that end with * are how one begins.
func listed(list, word string) bool {
	for token := range strings.FieldsSeq(list) {
		if begin, ok := strings.CutSuffix(token, "*"); token == word || ok && begin != "" && strings.HasPrefix(word, begin) {
			return true
		}
	}
	return false
}

// has reports whether a word is one of the options, in full, shortened, or joined to others.
func (o options) has(word string) bool {
	if word == "" || word == "-" || word == "--" || aNumber(word) {
		return false
	}
	if listed(o.but, word) {
		return false
	}
	if word[0] == '-' && listed(o.runs, "*") {
		return true
	}
	_, own, set := strings.Cut(word, "=")
	for token := range strings.FieldsSeq(o.runs + " " + o.writes) {
		token, mild := strings.CutSuffix(token, "~")
		if matches(token, word) && !(mild && set && aWord(own)) {
			return true
		}
	}
	return false
}

// matches reports whether a word is the option that a token of the table stands for.
func matches(token, word string) bool {
	if begin, ok := strings.CutSuffix(token, "*"); ok {
		return begin != "" && strings.HasPrefix(word, begin)
	}
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	if long, ok := strings.CutPrefix(word, "--"); ok {
		long, _, _ = strings.Cut(long, "=")
		return long != "" && strings.HasPrefix(token, "--"+long)
	}
	if len(token) != 2 {
		return false
	}
	for _, c := range word[1:] {
		if byte(c) == token[1] {
			return true
		}
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return false // an option's own word begins here
		}
	}
	return false
}

// takes reports whether a word that the author wrote is an option that takes a
// program, or code, and what a value may be there. A whole one takes the next word.
func (o options) takes(word string, whole bool) (k kind, ok bool) {
	if word == "" || word == "-" || word == "--" {
		return noKind, false
	}
	for token := range strings.FieldsSeq(o.runs) {
		name, mild := strings.CutSuffix(token, "~")
		begin, prefix := strings.CutSuffix(name, "*")
		switch {
		case name == "*", whole && strings.Contains(word, "="), whole && word[0] != '-':
		case prefix && strings.HasPrefix(word, begin),
			!prefix && strings.HasPrefix(name, "--") && len(word) > 3 && matches(name, word) && (whole || strings.Contains(word, "=")),
			!prefix && len(name) == 2 && word[0] == '-' && word[1:2] != "-" && matches(name, word) && (!whole || strings.HasSuffix(word, name[1:])),
			!prefix && len(name) > 2 && name == word:
			if mild {
				return wordOnly, true
			}
			return aVersion, true
		}
	}
	return noKind, false
}
