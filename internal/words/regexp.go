package words

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression that is compiled when it is first needed. As a variable it costs a program's start
// nothing, not even an allocation.
type Regexp string

var compiled sync.Map // *regexp.Regexp, by Regexp

// Get compiles the expression, once.
func (r Regexp) Get() *regexp.Regexp {
	if re, ok := compiled.Load(r); ok {
		return re.(*regexp.Regexp)
	}
	re, _ := compiled.LoadOrStore(r, regexp.MustCompile(string(r)))
	return re.(*regexp.Regexp)
}
