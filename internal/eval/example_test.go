package eval_test

import (
	"fmt"

	"github.com/skillhand/skillhand/internal/eval"
)

func ExampleCompare() {
	with, without := eval.NewRate(9, 10), eval.NewRate(2, 10)
	fmt.Printf("with %.0f %% (%.0f to %.0f)\n", 100*with.Rate, 100*with.Low, 100*with.High)
	d := eval.Compare(with, without)
	fmt.Printf("%.0f points more, told from chance: %v\n", 100*d.Difference, d.Told)
	// Output:
	// with 90 % (60 to 98)
	// 70 points more, told from chance: true
}
