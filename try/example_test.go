package try_test

import (
	"fmt"

	"github.com/skillhand/skillhand/try"
)

func ExampleCompare() {
	with, without := try.NewRate(9, 10), try.NewRate(2, 10)
	fmt.Printf("with %.0f %% (%.0f to %.0f)\n", 100*with.Rate, 100*with.Low, 100*with.High)
	d := try.Compare(with, without)
	fmt.Printf("%.0f points more, told from chance: %v\n", 100*d.Difference, d.Told)
	// Output:
	// with 90 % (60 to 98)
	// 70 points more, told from chance: true
}
