package words

import (
	"slices"
	"strings"
)

// DidYouMean asks about the known words that are a few keystrokes away, in words that follow an error; "" if none is.
func DidYouMean(word string, known []string) string {
	close := Closest(word, slices.Sorted(slices.Values(known)))
	if len(close) == 0 {
		return ""
	}
	far := Distance(word, close[0])
	return ": did you mean " + strings.Join(slices.DeleteFunc(close, func(c string) bool { return Distance(word, c) > far }), " or ") + "?"
}

// Closest returns up to three names that are a few keystrokes away, nearest first.
func Closest(name string, names []string) []string {
	type near struct {
		name string
		far  int
	}
	var found []near
	for _, n := range names {
		far := Distance(strings.ToLower(name), strings.ToLower(n))
		if strings.HasPrefix(n, name) || far <= max(2, len(name)/3) {
			found = append(found, near{n, far})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return a.far - b.far })
	var close []string
	for _, n := range found[:min(len(found), 3)] {
		close = append(close, n.name)
	}
	return close
}

// Distance counts the characters to insert, delete, replace or swap to turn a into b.
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
