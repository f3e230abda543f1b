package claudecode

import "strings"

// PricesOf is the day of the price table.
const PricesOf = "2026-11-16"

// A Price is what a million tokens cost, in dollars.
type Price struct{ Input, Output, CacheRead, CacheWrite float64 }

// prices has what Claude Code 2.1.325 itself charges for a model's tokens: its cost of requests
// whose tokens were known. A model that is not here has no price; none is guessed.
var prices = [...]struct {
	model string
	price Price
}{
	{"claude-fable-5-2", Price{8, 40, 0.2, 10}},
	{"claude-opus-5-5", Price{4, 20, 0.2, 5}},
	{"claude-opus-5", Price{5, 25, 0.5, 6.25}},
	{"claude-opus-4-5", Price{5, 25, 0.5, 6.25}},
	{"claude-sonnet-5-5", Price{2, 10, 0.1, 2.5}},
	{"claude-sonnet-5", Price{2, 10, 0.2, 2.5}},
	{"claude-sonnet-4-5", Price{3, 15, 0.3, 3.75}},
	{"claude-haiku-5-5", Price{0.1, 0.5, 0.01, 0.125}},
	{"claude-haiku-4-5", Price{1, 5, 0.1, 1.25}},
}

// UsualPrice has the proportions of most prices. It divides a cost among the tokens of a model
// without a price here.
var UsualPrice = Price{1, 5, 0.1, 1.25}

const longContext = "[1m]" // ends the name of a model that is asked with a context of a million tokens

// FindPrice returns a model's price. The model's name may end in a date.
func FindPrice(model string) (Price, bool) {
	model = strings.TrimSuffix(model, longContext)
	if i := strings.LastIndexByte(model, '-'); i > 0 && len(model)-i-1 == len("20261116") && strings.Trim(model[i+1:], "0123456789") == "" {
		model = model[:i]
	}
	for _, p := range prices {
		if p.model == model {
			return p.price, true
		}
	}
	return Price{}, false
}

// CostAtMost returns the most that a session can have cost which was cut off in the middle of a
// turn, given what the turns before it took as tokens of input. It is 0 for a model without a price.
func CostAtMost(model string, billed float64) float64 {
	p, _ := FindPrice(model)
	return p.Input*billed/1e6 + MostOfTurn(model)
}

// MostOfTurn returns the most dollars that one turn of a model can cost: a full context that is
// written to the cache for an hour, at twice the price of input, and the longest answer. It is 0
// for a model without a price.
func MostOfTurn(model string) float64 {
	const context, longest, answer = 200_000, 1_000_000, 128_000
	p, _ := FindPrice(model)
	if strings.HasSuffix(model, longContext) {
		return (2*longest*p.Input + answer*p.Output) / 1e6
	}
	return (2*context*p.Input + answer*p.Output) / 1e6
}
