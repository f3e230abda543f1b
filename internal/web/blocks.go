package web

import (
	"slices"
	"strings"
)

// A block is a group of source lines beside the lines that an agent reads in their place.
type block struct {
	Source, Page []line
	Made         int    // the directive that printed this output, or the first of several; 0 for none
	Alike        bool   // both sides have the same lines
	Text         string // in an export: the lines, if they are the same on both sides
	First        int    // the number of the first line
}

// Same reports whether an export writes the lines only once, because both sides have the same
// lines.
func (b block) Same() bool { return b.Text != "" }

// text returns a line without its marks.
func (l line) text() string {
	var b strings.Builder
	for _, s := range l.Segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

// A reach is the range of lines of a directive, or of several directives that share lines. It
// excludes to.
type reach struct{ id, from, to int }

func reaches(all []line) map[int]reach {
	found := map[int]reach{}
	for i, l := range all {
		for _, s := range l.Segments {
			if s.Directive == 0 {
				continue
			}
			r, known := found[s.Directive]
			if !known {
				r = reach{s.Directive, i, i}
			}
			r.to = i + 1
			found[s.Directive] = r
		}
	}
	return found
}

// blocks puts a source and its page side by side. Each directive is beside its output, and lines
// that both have are beside each other.
func blocks(source, page []line) []block {
	var all []block
	outputs := reaches(page)
	sources := reaches(source)
	var pairs [][2]reach
	for id, from := range sources {
		if to, ok := outputs[id]; ok {
			pairs = append(pairs, [2]reach{from, to})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]reach) int { return a[0].id - b[0].id })
	at, on := 0, 0 // the first lines that are in no block yet
	for i := 0; i < len(pairs); i++ {
		from, to := pairs[i][0], pairs[i][1]
		if from.from < at || to.from < on {
			continue // these lines are already in a block
		}
		for i+1 < len(pairs) && (pairs[i+1][0].from < from.to || pairs[i+1][1].from < to.to) { // they share a line
			i++
			from.to, to.to = max(from.to, pairs[i][0].to), max(to.to, pairs[i][1].to)
		}
		all = append(all, between(source[at:from.from], page[on:to.from])...)
		all = append(all, block{Source: source[from.from:from.to], Page: page[to.from:to.to], Made: from.id})
		at, on = from.to, to.to
	}
	return append(all, between(source[at:], page[on:])...)
}

// between puts lines without directives side by side.
func between(source, page []line) []block {
	if len(source)+len(page) == 0 {
		return nil
	}
	a, b := make([]string, len(source)), make([]string, len(page))
	for i, l := range source {
		a[i] = l.text()
	}
	for i, l := range page {
		b[i] = l.text()
	}
	var all []block
	at, on := 0, 0
	add := func(i, j int, alike bool) {
		if i > at || j > on {
			all = append(all, block{Source: source[at:i], Page: page[on:j], Alike: alike})
		}
		at, on = i, j
	}
	for _, p := range anchors(a, b) {
		i, j := p[0], p[1]
		if i < at || j < on {
			continue // these lines are already in a block
		}
		for i > at && j > on && a[i-1] == b[j-1] {
			i, j = i-1, j-1
		}
		add(i, j, false)
		for i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
		}
		add(i, j, true)
	}
	add(len(a), len(b), false)
	return all
}

// anchors returns pairs of lines that both texts have exactly once: the longest list of pairs that
// is in the same order in both.
func anchors(a, b []string) [][2]int {
	once := func(all []string) map[string]int {
		places := map[string]int{}
		for i, l := range all {
			if _, again := places[l]; again || strings.TrimSpace(l) == "" {
				places[l] = -1
			} else {
				places[l] = i
			}
		}
		return places
	}
	inB := once(b)
	inA := once(a)
	var pairs [][2]int
	for i, l := range a {
		if j, ok := inB[l]; ok && j >= 0 && inA[l] == i {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	// Find the longest sequence of pairs that grows in both texts. For each length, keep the
	// sequence that ends first.
	var ends []int
	before := make([]int, len(pairs))
	for k, p := range pairs {
		n, _ := slices.BinarySearchFunc(ends, p[1], func(end, j int) int { return pairs[end][1] - j })
		if before[k] = -1; n > 0 {
			before[k] = ends[n-1]
		}
		ends = append(ends[:n], append([]int{k}, ends[min(n+1, len(ends)):]...)...)
	}
	if len(ends) == 0 {
		return nil
	}
	var all [][2]int
	for k := ends[len(ends)-1]; k >= 0; k = before[k] {
		all = append(all, pairs[k])
	}
	slices.Reverse(all)
	return all
}

// foldSame merges lines that are the same on both sides, except lines with marks or findings. The
// script of an export shows merged lines on both sides.
func foldSame(all []block) (folded []block) {
	for _, b := range all {
		if !b.Alike {
			folded = append(folded, b)
			continue
		}
		for from, to := 0, 0; from < len(b.Source); from = to {
			plain := b.Source[from].plain() && b.Page[from].plain()
			for to < len(b.Source) && plain == (b.Source[to].plain() && b.Page[to].plain()) {
				to++
			}
			part := block{Source: b.Source[from:to], Page: b.Page[from:to], Alike: true}
			if plain {
				var text strings.Builder
				for _, l := range part.Source {
					text.WriteString(l.text() + "\n")
				}
				part = block{Alike: true, Text: text.String(), First: b.Source[from].Number}
			}
			folded = append(folded, part)
		}
	}
	return folded
}

// plain reports whether a line has neither marks nor findings.
func (l line) plain() bool {
	return len(l.Findings) == 0 && (len(l.Segments) == 0 || len(l.Segments) == 1 && l.Segments[0].Class == "")
}
