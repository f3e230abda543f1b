package agents

// PricesForTest returns the prices of models for input, output and the cache, and for input and
// output in long requests.
func PricesForTest() map[string][]float64 {
	all := map[string][]float64{}
	for name, p := range prices {
		all[name] = []float64{p.input, p.output, p.read, 0, 0}
		if p.long != nil {
			all[name][3], all[name][4] = p.long.input, p.long.output
		}
	}
	return all
}
