package migrate

import (
	"fmt"
	"strings"
)

// Diff shows the edit as a unified diff, or "" if nothing changes.
func (e *Edit) Diff() string {
	if !e.Changed() {
		return ""
	}
	return unified(e.Name, lines(string(e.Before)), lines(string(e.After)))
}

func lines(s string) []string {
	var all []string
	for line := range strings.Lines(s) {
		all = append(all, line)
	}
	return all
}

// A hunk is a run of lines that differ.
type hunk struct{ a, aEnd, b, bEnd int }

const around = 3 // lines of context

func unified(name string, a, b []string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", name, name)
	hunks := compare(a, b)
	for i := 0; i < len(hunks); {
		j := i + 1
		for j < len(hunks) && hunks[j].a-hunks[j-1].aEnd <= 2*around {
			j++
		}
		writeHunks(&out, a, b, hunks[i:j])
		i = j
	}
	return out.String()
}

// writeHunks writes hunks that are near each other as one.
func writeHunks(out *strings.Builder, a, b []string, hunks []hunk) {
	from := max(0, hunks[0].a-around)
	to := min(len(a), hunks[len(hunks)-1].aEnd+around)
	bFrom := hunks[0].b - (hunks[0].a - from)
	bTo := hunks[len(hunks)-1].bEnd + to - hunks[len(hunks)-1].aEnd
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(from, to), span(bFrom, bTo))
	for _, h := range hunks {
		writeLines(out, ' ', a[from:h.a])
		writeLines(out, '-', a[h.a:h.aEnd])
		writeLines(out, '+', b[h.b:h.bEnd])
		from = h.aEnd
	}
	writeLines(out, ' ', a[from:to])
}

func span(from, to int) string {
	if to-from == 1 {
		return fmt.Sprint(from + 1)
	}
	if to == from {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(out *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		out.WriteByte(mark)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// compare finds the runs that differ. An edit keeps most lines and their order,
// so the next line that both have and neither had before is where they meet again.
func compare(a, b []string) []hunk {
	next := map[string][]int{} // where a line stands in b, ascending
	for j, line := range b {
		next[line] = append(next[line], j)
	}
	var hunks []hunk
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
			continue
		}
		h := hunk{a: i, b: j}
		i, j = meet(a, b, next, i, j)
		h.aEnd, h.bEnd = i, j
		hunks = append(hunks, h)
	}
	return hunks
}

// meet returns where a and b go on alike.
func meet(a, b []string, next map[string][]int, i, j int) (int, int) {
	for k := i; k < len(a); k++ {
		where := next[a[k]]
		for len(where) > 0 && where[0] < j {
			where = where[1:]
		}
		next[a[k]] = where
		for _, l := range where {
			// Lines such as "}" are everywhere: what follows must agree too.
			if alike(a[k:], b[l:]) {
				return k, l
			}
		}
	}
	return len(a), len(b)
}

// alike reports whether a and b begin with the same few lines.
func alike(a, b []string) bool {
	for n := range 3 {
		if n >= len(a) || n >= len(b) {
			return len(a) == len(b)
		}
		if a[n] != b[n] {
			return n > 0 && strings.TrimSpace(a[0]) != "" && strings.TrimSpace(a[0]) != "}" && strings.TrimSpace(a[0]) != "fi" && strings.TrimSpace(a[0]) != "done"
		}
	}
	return true
}
