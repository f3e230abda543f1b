package claude

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/skillhand/skillhand/internal/words"
)

// A pauses computes the waits between attempts.
type pauses struct{ backoff *backoff.ExponentialBackOff }

func newPauses() *pauses {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.Multiplier, b.MaxInterval, b.RandomizationFactor = time.Second, 2, time.Minute, 0.5
	return &pauses{b}
}

// next returns how long to wait after a failure: at least as long as the service asked for. If that
// is more than the time left, next stores in the failure when to try again.
func (p *pauses) next(e *Error, left time.Duration) (wait time.Duration, ok bool) {
	wait = max(p.backoff.NextBackOff(), e.RetryAfter)
	if wait >= left {
		e.RetryAfter = wait
		return 0, false
	}
	return wait, true
}

func timeLeft(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline() // Ask has set one
	return time.Until(deadline)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryAfter returns how long the service wants us to wait, or 0 if that is unknown.
func retryAfter(e *Error, r *record, now time.Time) time.Duration {
	if e.Kind != UsageLimit && !e.Temporary() {
		return 0
	}
	if e.Kind == UsageLimit && r.limit.ResetsAt > 0 {
		return until(time.Unix(r.limit.ResetsAt, 0), now)
	}
	if wait := askedFor(e.Message, now); wait > 0 || e.Kind == UsageLimit {
		return wait
	}
	if r.retry != nil {
		return r.retry.delay()
	}
	return 0
}

var (
	limitHit = words.Regexp(`(?i)\b(?:hit|reached) your\b([^.\n]*?)\blimit\b|` +
		`\b(?:usage|session|weekly|daily|monthly|hour|opus|sonnet|spend\w*) limit reached\b|` +
		`\bspecified API usage limits?\b|\bexceeded (?:its|your)\b[^.\n]*\bspend\w* limit\b`)
	// These limits can be reached too. Waiting does not lift them, or a moment lifts them.
	otherLimit = words.Regexp(`(?i)\b(?:rate|context|tokens?)\b`)
	resets     = words.Regexp(`(?i)\blimit\b.*\bresets\b|\bresets (?:at|in|on|\d)`)
)

// usageLimit reports whether an error message is about a limit of the account that only time lifts.
// A limit on how fast requests follow each other is not such a limit.
func usageLimit(text string) bool {
	if m := limitHit.Get().FindStringSubmatch(text); m != nil && !otherLimit.Get().MatchString(m[1]) {
		return true
	}
	return resets.Get().MatchString(text)
}

var (
	inWords = words.Regexp(`(?i)\b(?:retry|try again|resets?|wait)(?: again)?(?: after| in| for|:)? +` +
		`((?:\d+(?:\.\d+)? ?(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b[ ,]*(?:and )?)+)`)
	quantity = words.Regexp(`(?i)(\d+(?:\.\d+)?) ?(d|h|m|s)`)
	unixTime = words.Regexp(`\|(\d{10})\b`)
	clock    = words.Regexp(`(?i)\bresets?(?: at| on)? +(?:([a-z]{3})[a-z]* (\d{1,2}),?(?: at)? ` +
		`+)?(\d{1,2})(?::(\d{2}))? ?(am|pm)?\b(?: \(([A-Za-z_+\-/0-9]+)\))?`)
)

var units = map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}

// askedFor finds in a message how long to wait: "retry after 30s", "resets in 2 hours", "resets
// 3:45pm (Europe/Berlin)", "resets Oct 9 at 5pm", "|1730000000". It returns 0 if the message does
// not say.
func askedFor(text string, now time.Time) time.Duration {
	if m := inWords.Get().FindStringSubmatch(text); m != nil {
		var sum float64
		for _, q := range quantity.Get().FindAllStringSubmatch(m[1], -1) {
			n, err := strconv.ParseFloat(q[1], 64)
			if err != nil {
				return 0
			}
			sum += n * float64(units[strings.ToLower(q[2])])
		}
		return time.Duration(min(sum, float64(maxWait)))
	}
	if m := unixTime.Get().FindStringSubmatch(text); m != nil {
		at, _ := strconv.ParseInt(m[1], 10, 64) // ten digits
		return until(time.Unix(at, 0), now)
	}
	if m := clock.Get().FindStringSubmatch(text); m != nil {
		return untilClock(m[1], m[2], m[3], m[4], m[5], m[6], now)
	}
	return 0
}

// maxWait is longer than any limit lasts. A longer wait means that the message was misread.
const maxWait = 35 * 24 * time.Hour

func until(at, now time.Time) time.Duration {
	if wait := at.Sub(now); wait > 0 && wait <= maxWait {
		return wait
	}
	return 0
}

// untilClock returns the time until a clock in a time zone next shows the given time.
func untilClock(month, day, hour, minute, half, zone string, now time.Time) time.Duration {
	if zone != "" {
		place, err := time.LoadLocation(zone)
		if err != nil {
			return 0
		}
		now = now.In(place)
	}
	h, _ := strconv.Atoi(hour) // only digits, as in the others
	min, _ := strconv.Atoi(minute)
	if half = strings.ToLower(half); half != "" {
		h %= 12
	}
	if half == "pm" {
		h += 12
	}
	if h > 23 || min > 59 || half == "" && minute == "" {
		return 0
	}
	y, mon, d := now.Date()
	if month == "" {
		at := time.Date(y, mon, d, h, min, 0, 0, now.Location())
		if !at.After(now) {
			at = time.Date(y, mon, d+1, h, min, 0, 0, now.Location())
		}
		return until(at, now)
	}
	named, err := time.Parse("Jan", strings.ToUpper(month[:1])+strings.ToLower(month[1:]))
	if err != nil {
		return 0
	}
	d, _ = strconv.Atoi(day)
	at := time.Date(y, named.Month(), d, h, min, 0, 0, now.Location())
	if !at.After(now) {
		at = at.AddDate(1, 0, 0)
	}
	return until(at, now)
}
