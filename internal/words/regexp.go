package words

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression that is compiled at its first use. A variable of this type costs
// nothing at a program's start, not even an allocation.
type Regexp string

var compiled sync.Map // *regexp.Regexp, by Regexp

// Get returns the compiled expression. It compiles each expression once.
func (r Regexp) Get() *regexp.Regexp {
	if re, ok := compiled.Load(r); ok {
		return re.(*regexp.Regexp)
	}
	re, _ := compiled.LoadOrStore(r, regexp.MustCompile(string(r)))
	return re.(*regexp.Regexp)
}
