package activity

import (
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// searchUSD is what a search of the web costs.
const searchUSD = 0.01

// findPrice finds the price of the first of a model's names that has one.
func findPrice(names ...string) (p claudecode.Price, known bool) {
	for _, name := range names {
		if p, known = claudecode.FindPrice(name); known {
			break
		}
	}
	return p, known
}

// plainModel returns a model's name without a date and without the size of its context.
func plainModel(model string) string {
	model, _, _ = strings.Cut(model, "[")
	if i := strings.LastIndexByte(model, '-'); i > 0 && len(model)-i-1 == len("20261116") && strings.Trim(model[i+1:], "0123456789") == "" {
		model = model[:i]
	}
	return model
}

// priceFactor returns the multiple of its price that a model costs at a speed and in a place; 0 means 1.
func priceFactor(model, speed, place string) float64 {
	factor := 1.0
	if speed == "fast" {
		switch plainModel(model) {
		case "claude-opus-5-5":
			factor = 2
		case "claude-opus-4-6":
			factor = 6
		}
	}
	if place == "us" {
		factor *= 1.1
	}
	if factor == 1 {
		return 0
	}
	return factor
}

// factor returns the multiple of its price that a request cost.
func (r turn) factor() float64 {
	if r.Factor == 0 {
		return 1
	}
	return r.Factor
}

// orUsual returns the price, or the proportions of most if there is none.
func orUsual(p claudecode.Price) claudecode.Price {
	if p == (claudecode.Price{}) {
		return claudecode.UsualPrice
	}
	return p
}

// costOf returns what tokens cost. A cache that lasts an hour is written for twice the price of
// input.
func costOf(t Tokens, p claudecode.Price) float64 {
	return (p.Input*float64(t.Input) + p.Output*float64(t.Output) + p.CacheRead*float64(t.CacheRead) + p.CacheWrite*float64(t.CacheWrite) +
		2*p.Input*float64(t.CacheWrite1)) / 1e6
}
