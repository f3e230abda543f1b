package usage

import "time"

// A span is something that happened, for those who collect such things.
type span struct {
	name, skill, model string
	at                 time.Time
	tokens             Tokens
}
