package words

import (
	"slices"
	"strings"
)

// DidYouMean returns the end of an error message that suggests the nearest known words, or "" if
// none is a few keystrokes away.
func DidYouMean(word string, known []string) string {
	close := Closest(word, slices.Sorted(slices.Values(known)))
	if len(close) == 0 {
		return ""
	}
	far := Distance(word, close[0])
	return ": did you mean " + strings.Join(slices.DeleteFunc(close, func(c string) bool { return Distance(word, c) > far }), " or ") + "?"
}

// Closest returns up to three of names that are a few keystrokes away from name, nearest first.
func Closest(name string, names []string) []string {
	close := Within(name, names, max(2, len(name)/3))
	return close[:min(len(close), 3)]
}

// Within returns the names that begin with name or are at most most keystrokes away from it,
// nearest first. Case does not count.
func Within(name string, names []string, most int) []string {
	name = strings.ToLower(name)
	far := map[string]int{}
	for _, n := range names {
		low := strings.ToLower(n)
		if d := Distance(name, low); strings.HasPrefix(low, name) || d <= most {
			far[n] = d
		}
	}
	close := slices.DeleteFunc(slices.Clone(names), func(n string) bool { _, ok := far[n]; return !ok })
	slices.SortStableFunc(close, func(a, b string) int { return far[a] - far[b] })
	return slices.Compact(close)
}

// Distance counts the bytes to insert, delete, replace or swap to turn a into b.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
