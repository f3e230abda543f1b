package claudecode

import "strings"

// UsualPrice has the proportions of most prices. It divides a cost among the tokens of a model
// without a price here.
var UsualPrice = Price{Input: 1, Output: 5, CacheRead: 0.1, CacheWrite: 1.25, CacheWrite1: 2}

// FindPrice returns a model's price on ordinary terms.
func FindPrice(model string) (Price, bool) { return PriceOf(model, Terms{}) }

// CostAtMost returns the most that a session can have cost which was cut off in the middle of a
// turn, given what the turns before it took as tokens of input. It is 0 for a model without a price.
func CostAtMost(model string, billed float64) float64 {
	p, _ := FindPrice(model)
	return p.Input*billed/1e6 + MostOfTurn(model)
}

// MostOfTurn returns the most dollars that one turn of a model can cost: a full context that is
// written to the cache for an hour, and the longest answer. It is 0 for a model without a price.
func MostOfTurn(model string) float64 {
	const answer = 128_000
	context := 200_000
	if strings.HasSuffix(model, longContext) {
		context = 1_000_000
	}
	p, _ := PriceOf(model, Terms{Prompt: context})
	return (p.CacheWrite1*float64(context) + p.Output*answer) / 1e6
}
