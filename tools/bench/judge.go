package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/shell/bind"
)

// judgements measures what it costs to judge a line's arguments, compared to bash, which only
// parses the line.
func (b *bench) judgements(_, _ string) error {
	const text = `git log --oneline -5 -- "$0" | grep -v "$0" | cut -d' ' -f2- > notes.txt; [ -s notes.txt ] || echo "nothing about $0"`
	t := b.medians(50, []string{"bash", "-n", "-c", text})
	one := judgement(200, text)
	speed("judge a line with three arguments / bash -n", one, t[0], "at least 5 x cheaper")
	few, many := judgement(5, strings.Repeat(text+"\n", 100)), judgement(5, strings.Repeat(text+"\n", 400))
	cost("judge 400 such lines / 100 such lines", many, few, "about 4")
	few, many = judgement(5, reversed(4000)), judgement(5, reversed(16000)) // both are large enough to make the garbage collector run
	cost("judge 16,000 assignments, the last one first / 4,000", many, few, "about 4")
	return b.err
}

// reversed returns a line in which each variable gets its value from the variable on the next line,
// and the last one from an argument.
func reversed(n int) string {
	var b strings.Builder
	for i := n; i > 0; i-- {
		fmt.Fprintf(&b, "x%d=$x%d\n", i, i-1)
	}
	return b.String() + "x0=$0\ngrep \"$x" + strconv.Itoa(n) + "\" f\n"
}

// judgement returns the shortest time of n judgements, because everything except the work itself
// only adds time.
func judgement(n int, text string) time.Duration {
	var l bind.Line
	for i, part := range strings.Split(text, "$0") {
		if i > 0 {
			l.Parts = append(l.Parts, bind.Part{Text: "$0", Value: &bind.Value{Data: "src/main.go"}})
		}
		l.Parts = append(l.Parts, bind.Part{Text: part})
	}
	best := time.Duration(1<<63 - 1)
	for range n {
		start := time.Now()
		bind.Judge(l, bind.World{})
		best = min(best, time.Since(start))
	}
	return best
}
