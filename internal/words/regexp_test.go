package words

import (
	"sync"
	"testing"
)

func TestRegexp(t *testing.T) {
	word := Regexp(`^\w+$`)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if re := word.Get(); !re.MatchString("word") || re != Regexp(`^\w+$`).Get() {
				t.Error("another expression")
			}
		})
	}
	wait.Wait()
	if allocs := testing.AllocsPerRun(100, func() { word.Get() }); allocs > 1 {
		t.Errorf("%v allocations for an expression that is compiled", allocs)
	}
}
