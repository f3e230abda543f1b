package activity

import "github.com/skillhand/skillhand/internal/claudecode"

// findPrice finds the price of the first of a model's names that has one.
func findPrice(names ...string) (p claudecode.Price, known bool) {
	for _, name := range names {
		if p, known = claudecode.FindPrice(name); known {
			break
		}
	}
	return p, known
}

// priceFactor returns the multiple of its list price that a model costs on these terms; 0 means 1.
func priceFactor(model string, t claudecode.Terms) float64 {
	list, _ := claudecode.FindPrice(model)
	p, known := claudecode.PriceOf(model, t)
	if !known || p == list {
		return 0
	}
	return p.Output / list.Output
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

func costOf(t Tokens, p claudecode.Price) float64 {
	return (p.Input*float64(t.Input) + p.Output*float64(t.Output) + p.CacheRead*float64(t.CacheRead) + p.CacheWrite*float64(t.CacheWrite) +
		p.CacheWrite1*float64(t.CacheWrite1)) / 1e6
}
