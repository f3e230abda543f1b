package usage

import "strings"

// PricesOf is the day of the price table.
const PricesOf = "2026-11-16"

// A price is what a million tokens cost, in dollars.
type price struct{ input, output, read, write float64 }

// prices has what Claude Code 2.1.325 itself charges for a model's tokens: its cost of requests whose tokens were known.
// A model that is not here has no price; none is guessed.
var prices = [...]struct {
	model string
	price price
}{
	{"claude-fable-5-2", price{8, 40, 0.2, 10}},
	{"claude-opus-5-5", price{4, 20, 0.2, 5}},
	{"claude-opus-5", price{5, 25, 0.5, 6.25}},
	{"claude-opus-4-5", price{5, 25, 0.5, 6.25}},
	{"claude-sonnet-5-5", price{2, 10, 0.1, 2.5}},
	{"claude-sonnet-5", price{2, 10, 0.2, 2.5}},
	{"claude-sonnet-4-5", price{3, 15, 0.3, 3.75}},
	{"claude-haiku-5-5", price{0.1, 0.5, 0.01, 0.125}},
	{"claude-haiku-4-5", price{1, 5, 0.1, 1.25}},
}

// priceOf finds a model's price; a name may end in a date.
func priceOf(model string) (price, bool) {
	if i := strings.LastIndexByte(model, '-'); i > 0 && len(model)-i-1 == len("20261116") && strings.Trim(model[i+1:], "0123456789") == "" {
		model = model[:i]
	}
	for _, p := range prices {
		if p.model == model {
			return p.price, true
		}
	}
	return price{}, false
}

// usual has the proportions of most prices. It divides a cost that an agent recorded for a model without a price here.
var usual = price{1, 5, 0.1, 1.25}

// of is what tokens cost. A cache that lasts an hour is written for twice the price of input.
func (p price) of(t Tokens) float64 {
	return (p.input*float64(t.Input) + p.output*float64(t.Output) + p.read*float64(t.CacheRead) + p.write*float64(t.CacheWrite) +
		2*p.input*float64(t.CacheWrite1)) / 1e6
}
