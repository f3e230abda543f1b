package words

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// small lists words that say nothing about a subject.
const small = " the and for use when with this that skill you your from are "

// Content returns the words of a description that say what it is about. They are in lower case,
// without the s of a plural.
func Content(text string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if w = strings.TrimSuffix(w, "s"); len(w) > 2 && !strings.Contains(small, " "+w+" ") {
			all[w] = true
		}
	}
	return all
}

// Alike returns how many of the words of a and b are in both: 0 to 1.
func Alike(a, b map[string]bool) float64 {
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return float64(common) / float64(max(len(a)+len(b)-common, 1))
}

// AlikePairs calls f, in order, for each pair of sets whose Alike is at least least. It compares
// only two sets that share one of their rarest words, because two similar sets always do.
func AlikePairs(sets []map[string]bool, least float64, f func(i, j int, share float64)) {
	often := map[string]int{}
	for _, set := range sets {
		for w := range set {
			often[w]++
		}
	}
	rarest := make([][]string, len(sets))
	having := map[string][]int{} // the sets that have the word among their rarest
	for i, set := range sets {
		all := slices.SortedFunc(maps.Keys(set), func(a, b string) int { return cmp.Or(often[a]-often[b], strings.Compare(a, b)) })
		rarest[i] = all[:min(len(all), len(all)-int(math.Ceil(least*float64(len(all))-1e-9))+1)]
		for _, w := range rarest[i] {
			having[w] = append(having[w], i)
		}
	}
	for i, set := range sets {
		var others []int
		for _, w := range rarest[i] {
			others = append(others, having[w]...)
		}
		slices.Sort(others)
		for _, j := range slices.Compact(others) {
			if j <= i {
				continue
			}
			if share := Alike(set, sets[j]); share >= least {
				f(i, j, share)
			}
		}
	}
}
