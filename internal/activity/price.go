package activity

import "github.com/skillhand/skillhand/internal/claudecode"

// findPrice returns the price of the first name that has a price.
func findPrice(names ...string) (p claudecode.Price, known bool) {
	for _, name := range names {
		if p, known = claudecode.FindPrice(name); known {
			break
		}
	}
	return p, known
}

// priceFactor returns the factor by which a model's price on these terms differs from its list
// price. 0 means 1.
func priceFactor(model string, t claudecode.Terms) float64 {
	list, _ := claudecode.FindPrice(model)
	p, known := claudecode.PriceOf(model, t)
	if !known || p == list {
		return 0
	}
	return p.Output / list.Output
}

// factor returns the factor by which the price of a request differs from the list price.
func (r turn) factor() float64 {
	if r.Factor == 0 {
		return 1
	}
	return r.Factor
}

// orUsual returns p or, if p is zero, the price proportions of most models.
func orUsual(p claudecode.Price) claudecode.Price {
	if p == (claudecode.Price{}) {
		return claudecode.UsualPrice
	}
	return p
}

func costOf(t Tokens, p claudecode.Price) float64 {
	return (p.Input*float64(t.Input) + p.Output*float64(t.Output) + p.CacheRead*float64(t.CacheRead) + p.CacheWrite*float64(t.CacheWrite) +
		p.CacheWrite1*float64(t.CacheWrite1)) / 1e6
}
