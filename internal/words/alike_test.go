package words

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestAlikePairs checks that AlikePairs finds the same pairs, in the same order, as a comparison of
// every pair.
func TestAlikePairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets := make([]map[string]bool, rapid.IntRange(0, 12).Draw(t, "sets"))
		for i := range sets {
			sets[i] = map[string]bool{}
			for _, w := range rapid.SliceOfN(rapid.IntRange(0, 9), 0, 8).Draw(t, "words") {
				sets[i][fmt.Sprint(w)] = true
			}
		}
		least := rapid.SampledFrom([]float64{0.1, 0.5, 0.6, 0.75, 1}).Draw(t, "least")
		var got, want []string
		AlikePairs(sets, least, func(i, j int, share float64) { got = append(got, fmt.Sprint(i, j, share)) })
		for i := range sets {
			for j := i + 1; j < len(sets); j++ {
				if share := Alike(sets[i], sets[j]); share >= least {
					want = append(want, fmt.Sprint(i, j, share))
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
