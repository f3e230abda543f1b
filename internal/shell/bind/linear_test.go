package bind

import (
	"fmt"
	"strings"
	"testing"
)

// shapes are lines that were slow once. Time must grow in proportion to their length.
var shapes = map[string]func(n int) Line{
	"values in comments": func(n int) Line {
		var l Line
		for range n {
			l.Parts = append(l.Parts, Part{Text: "# "}, Part{Text: "$0", Value: &Value{Data: "x"}}, Part{Text: "\n"})
		}
		return l
	},
	"reversed assignments": func(n int) Line {
		var b strings.Builder
		for i := n; i > 0; i-- {
			fmt.Fprintf(&b, "x%d=$x%d\n", i, i-1)
		}
		return Line{Parts: []Part{{Text: b.String() + "x0="}, {Text: "$0", Value: &Value{Data: "7"}},
			{Text: fmt.Sprintf("\neval \"$x%d\"\n", n)}}}
	},
	"values in arithmetic": func(n int) Line {
		var l Line
		for i := range n {
			l.Parts = append(l.Parts, Part{Text: "echo $(( "}, Part{Text: "$0", Value: &Value{Data: fmt.Sprint(i)}}, Part{Text: " ))\n"})
		}
		return l
	},
	"stages of a pipeline": func(n int) Line {
		text := strings.Repeat(" | cat > /dev/stdout", n)
		return Line{Parts: []Part{{Text: "echo "}, {Text: "$0", Value: &Value{Data: "x"}}, {Text: text}}}
	},
	"files and programs": func(n int) Line {
		var l Line
		for i := range n {
			before, after := fmt.Sprintf("x=$(cat f%d); sort $x ", i), fmt.Sprintf(" > f%d.txt; make; [ $x ]\n", i)
			l.Parts = append(l.Parts, Part{Text: before}, Part{Text: "$0", Value: &Value{Data: "x"}}, Part{Text: after})
		}
		return l
	},
	"files and texts": func(n int) Line {
		var l Line
		for i := range n {
			before := fmt.Sprintf("v%d=\"$v%d/x\"; export X%d=", i, i-1, i)
			after := fmt.Sprintf("; echo $X%d > \"$v%d\"; tool 'sh x%d $X%d' f%d.txt\n", i, i, i, i, i)
			l.Parts = append(l.Parts, Part{Text: before}, Part{Text: "$0", Value: &Value{Data: "7"}}, Part{Text: after})
		}
		return l
	},
	"folders and code": func(n int) Line {
		var l Line
		for i := range n {
			l.Parts = append(l.Parts, Part{Text: fmt.Sprintf("x=sub%d/", i)}, Part{Text: "$0", Value: &Value{Data: "hello"}},
				Part{Text: "; bash -c "}, Part{Text: "$0", Value: &Value{Data: "hello"}}, Part{Text: "\n"})
		}
		return l
	},
	"values in code": func(n int) Line {
		l := Line{Parts: []Part{{Text: "python3 -c 'import os\n"}}}
		for range n {
			l.Parts = append(l.Parts, Part{Text: "os.system(\"echo a"}, Part{Text: "$0", Value: &Value{Data: "hello"}}, Part{Text: "\")\n"})
		}
		l.Parts = append(l.Parts, Part{Text: "'"})
		return l
	},
	"parts of values": func(n int) Line {
		var l Line
		for i := range n {
			l.Parts = append(l.Parts, Part{Text: fmt.Sprintf("x%d=", i)}, Part{Text: "$0", Value: &Value{Data: "a/b.c"}},
				Part{Text: fmt.Sprintf("; bash -c \"echo ${x%d##*/}\"\n", i)})
		}
		return l
	},
	"values in substitutions": func(n int) Line {
		var l Line
		for i := range n {
			l.Parts = append(l.Parts, Part{Text: "x=$(git log "}, Part{Text: "$0", Value: &Value{Data: fmt.Sprint("a", i)}},
				Part{Text: ")\n"})
		}
		return l
	},
}

// nowhere is a world without programs and files, in which all suitable words are inert.
var nowhere = World{Program: func(string) bool { return false }, File: func(string) bool { return false }}

func BenchmarkShapes(b *testing.B) {
	for name, shape := range shapes {
		for _, n := range []int{1000, 4000} {
			l := shape(n)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := Bind(l, nowhere); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
