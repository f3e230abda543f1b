package find

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkName reports why nothing can be called so. The real Claude Code takes the same names
// (TestNamesByClaude), but for those with "..", which are too much like a path.
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

// unseen are characters that show nothing, though Unicode counts them among the letters and marks.
var unseen = []*unicode.RangeTable{
	unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}}},
}
