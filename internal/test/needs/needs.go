// Package needs decides what becomes of a test on a machine that lacks something.
package needs

import (
	"os"
	"testing"
)

// Lacking ends a test for want of what the machine does not have: it is skipped
// by that name, or fails with SKILLHAND_REQUIRE_ALL=1.
func Lacking(t testing.TB, what any) {
	t.Helper()
	if os.Getenv("SKILLHAND_REQUIRE_ALL") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Found ends the test if what it cannot do without was looked for in vain.
func Found(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		Lacking(t, err)
	}
}
