package jobs_test

import (
	"fmt"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/batch/jobs"
)

// A failure that may pass makes a job wait. A failure that cannot pass stops the batch.
func ExampleAfterAsk() {
	limited := jobs.AfterAsk(&claude.Error{Category: claude.RateLimit, Kind: claude.RateLimited, RetryAfter: time.Minute}, time.Now())
	fmt.Println(limited.Again, limited.After)
	locked := jobs.AfterAsk(&claude.Error{Category: claude.Auth, Kind: claude.Unauthorized}, time.Now())
	fmt.Println(locked.Again, locked.Stop)
	// Output:
	// true 1m0s
	// false credentials
}
