package activity

import (
	"fmt"
	"strconv"
	"time"
)

// DefaultPeriod is the period of a retrospective.
const DefaultPeriod = "7d"

// Since parses a period that ends now, such as 12h, 7d or 4w, or a first day. It returns when the
// period begins.
func Since(text string, now time.Time) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, nil
	}
	fault := fmt.Errorf("%s: want a period such as 12h, 7d or 4w, or a day such as 2026-11-01", text)
	days := map[byte]int{'d': 1, 'w': 7}
	if text == "" {
		return time.Time{}, fault
	}
	if n, ok := days[text[len(text)-1]]; ok {
		count, err := strconv.Atoi(text[:len(text)-1])
		if err != nil || count <= 0 || count > 100_000 {
			return time.Time{}, fault
		}
		return now.AddDate(0, 0, -count*n), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return time.Time{}, fault
	}
	return now.Add(-d), nil
}

// Period returns the words that name a period after a noun: " since" a day, " from the last"
// period, or "" for all.
func Period(since string) string {
	if since == "all" {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, since); err == nil {
		return " since " + since
	}
	return " from the last " + since
}
