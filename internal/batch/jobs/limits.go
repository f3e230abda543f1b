package jobs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/batch"
)

// MaxSlots is how many jobs one process can do at the same time.
const MaxSlots = 10_000

// NoLimit is the word that removes a limit.
const NoLimit = "none"

// ParseLimits reads limits as people write them: how many jobs at the same time, a rate of starts
// such as 30/m, and dollars. An empty string is 0, which keeps a limit unchanged. NoLimit is -1,
// which removes it. An error begins with the name of the limit: jobs, rate or budget-usd.
func ParseLimits(jobs, rate, budget string) (l batch.Limits, err error) {
	switch rate {
	case "":
	case NoLimit:
		l.Starts = -1
	default:
		if l.Starts, l.Window, err = parseRate(rate); err != nil {
			return l, err
		}
	}
	switch jobs {
	case "":
	case NoLimit:
		l.Concurrency = -1
	default:
		if l.Concurrency, err = strconv.Atoi(jobs); err != nil || l.Concurrency < 1 || l.Concurrency > MaxSlots {
			return l, fmt.Errorf("jobs is %s, want 1 to %d, or none", jobs, MaxSlots)
		}
	}
	switch budget {
	case "":
	case NoLimit:
		l.BudgetUSD = -1
	default:
		if l.BudgetUSD, err = strconv.ParseFloat(budget, 64); err != nil || !(l.BudgetUSD > 0) || math.IsInf(l.BudgetUSD, 0) {
			return l, fmt.Errorf("budget-usd is %s, want dollars, or none", budget)
		}
	}
	return l, nil
}

// parseRate reads a rate such as 30/m, 5/s, 100/h or 10/90s.
func parseRate(text string) (starts int, window time.Duration, err error) {
	number, unit, ok := strings.Cut(text, "/")
	starts, err = strconv.Atoi(number)
	if strings.IndexAny(unit, "0123456789") != 0 {
		unit = "1" + unit
	}
	window, werr := time.ParseDuration(unit)
	if !ok || err != nil || werr != nil || starts < 1 || window <= 0 {
		return 0, 0, fmt.Errorf("rate is %s, want a number of starts and a time, such as 30/m", text)
	}
	return starts, window, nil
}
