package usage

import "github.com/skillhand/skillhand/internal/claudecode"

// costOf returns what tokens cost. A cache that lasts an hour is written for twice the price of
// input.
func costOf(t Tokens, p claudecode.Price) float64 {
	return (p.Input*float64(t.Input) + p.Output*float64(t.Output) + p.CacheRead*float64(t.CacheRead) + p.CacheWrite*float64(t.CacheWrite) +
		2*p.Input*float64(t.CacheWrite1)) / 1e6
}
