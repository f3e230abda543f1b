package activity_test

import (
	"fmt"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
)

// A period is a length of time or a day.
func ExampleSince() {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	for _, text := range []string{"12h", "7d", "soon"} {
		since, err := activity.Since(text, now)
		if err != nil {
			fmt.Println("no period")
			continue
		}
		fmt.Println(since.Format(time.DateTime))
	}
	// Output:
	// 2026-11-16 00:00:00
	// 2026-11-09 12:00:00
	// no period
}
