package eval

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dlclark/regexp2/v2"

	"github.com/skillhand/skillhand/internal/words"
)

// matchTimeout limits a search, because these expressions may take exponential time.
const matchTimeout = 5 * time.Second

// A Regexp is a compiled regular expression of JavaScript.
type Regexp struct {
	re             *regexp2.Regexp
	sticky, points bool // points: it matches code points, not UTF-16 units
}

// Compile compiles a pattern with the flags that JavaScript allows: any of dgimsuvy.
func Compile(pattern, flags string) (*Regexp, error) {
	options := regexp2.ECMAScript
	for i, f := range flags {
		switch {
		case !strings.ContainsRune("dgimsuvy", f):
			return nil, fmt.Errorf("unknown flag %c, want some of dgimsuvy", f)
		case strings.ContainsRune(flags[:i], f):
			return nil, fmt.Errorf("flag %c is given twice", f)
		}
		options |= map[rune]regexp2.RegexOptions{
			'i': regexp2.IgnoreCase, 'm': regexp2.Multiline, 's': regexp2.Singleline, 'u': regexp2.Unicode, 'v': regexp2.Unicode,
		}[f]
	}
	r := &Regexp{sticky: strings.Contains(flags, "y"), points: options&regexp2.Unicode != 0}
	err := checkGroups(pattern)
	if err != nil {
		return nil, err
	}
	if !r.points {
		pattern = inUnits(pattern)
	}
	if r.re, err = regexp2.Compile(pattern, options); err != nil {
		return nil, err
	}
	r.re.MatchTimeout = matchTimeout
	return r, nil
}

// unit converts a UTF-16 unit to the rune that the engine sees. Half a character is not a rune, so
// a private-use rune stands for it.
func unit(u uint16) rune {
	if utf16.IsSurrogate(rune(u)) {
		return privatePlane + rune(u)
	}
	return rune(u)
}

const privatePlane = 0x100000

var halfEscape = words.Regexp(`(^|[^\\])((?:\\\\)*)\\u([Dd][89A-Fa-f][0-9A-Fa-f]{2})`)

// inUnits rewrites a pattern as UTF-16 units, as JavaScript reads it without the flag u.
func inUnits(pattern string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(pattern)) {
		b.WriteRune(unit(u))
	}
	replace := func(m string) string {
		u, _ := strconv.ParseUint(m[len(m)-4:], 16, 16) // the expression has matched four digits
		return m[:len(m)-6] + string(unit(uint16(u)))
	}
	text := b.String()
	for range 2 { // twice, because a match also consumes the escape right after it
		text = halfEscape.Get().ReplaceAllStringFunc(text, replace)
	}
	return text
}

// text returns the units or code points that the expression matches.
func (r *Regexp) text(text string) []rune {
	if r.points {
		return []rune(text)
	}
	units := utf16.Encode([]rune(text))
	all := make([]rune, len(units))
	for i, u := range units {
		all[i] = unit(u)
	}
	return all
}

// checkGroups refuses groups that the engine supports but JavaScript does not.
func checkGroups(pattern string) error {
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[' || c == ']':
			class = c == '['
		case !class && strings.HasPrefix(pattern[i:], "(?") && !group.Get().MatchString(pattern[i:]):
			return fmt.Errorf("invalid group at %q", pattern[i:min(len(pattern), i+8)])
		}
	}
	return nil
}

var group = words.Regexp(`^\(\?(?:[:=!]|<[=!]|<[\pL_$][\pL\pN_$]*>|[ims]*(?:-[ims]+)?:)`)

// Find returns the first match in a text, and whether there is a match.
func (r *Regexp) Find(text string) (match string, ok bool, err error) {
	m, err := r.re.FindRunesMatch(r.text(text))
	if err != nil || m == nil || r.sticky && m.RuneIndex > 0 {
		return "", false, err
	}
	if r.points {
		return m.String(), true, nil
	}
	units := make([]uint16, m.RuneLength)
	for i, u := range m.Runes() {
		units[i] = uint16(u) // drops the private plane
	}
	return string(utf16.Decode(units)), true, nil
}

// Count returns how many matches in a text do not overlap.
func (r *Regexp) Count(text string) (int, error) {
	n, end := 0, 0
	m, err := r.re.FindRunesMatch(r.text(text))
	for ; err == nil && m != nil; m, err = r.re.FindNextMatch(m) {
		if r.sticky && m.RuneIndex != end {
			break
		}
		n, end = n+1, m.RuneIndex+m.RuneLength
	}
	return n, err
}
