package find

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkName returns an error if no skill or command can have this name. The real Claude Code
// accepts the same names (TestNamesByClaude), and also names with "..", which look too much like a
// path.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the skill's name is empty")
	case strings.Contains(name, ".."):
		return errors.New(`a skill's name cannot contain ".."; to name a folder, write its path with a /`)
	case !utf8.ValidString(name):
		return errors.New("a skill's name must be valid UTF-8")
	case strings.HasPrefix(name, " ") || strings.HasSuffix(name, " ") || strings.Contains(name, "  "):
		return errors.New("a skill's name cannot begin or end with a space, nor have two in a row")
	}
	for _, r := range name {
		if !unicode.IsPrint(r) || unicode.In(r, unseen...) || strings.ContainsRune("<>/", r) {
			return fmt.Errorf("a skill's name cannot contain %q", r)
		}
	}
	return nil
}

// unseen are invisible characters that Unicode counts among the letters and marks.
var unseen = []*unicode.RangeTable{
	unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}}},
}
