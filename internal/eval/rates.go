package eval

import (
	"math"
	"slices"
)

// z is the quantile of the normal distribution for intervals of 95 %.
const z = 1.959963984540054

// A Rate is a share of trials, with its 95 % interval. The interval of a single case is about its
// runs. The interval of several cases is about what more cases would show.
type Rate struct {
	Hits  int     `json:"hits"`
	Of    int     `json:"of"`
	Cases int     `json:"cases,omitempty"` // how many cases the trials belong to; 0 for the runs of one case
	Rate  float64 `json:"rate"`            // 0 if there was no trial: see Of
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// NewRate returns the rate of hits in n independent trials: runs of one case.
func NewRate(hits, n int) Rate {
	r := Rate{Hits: hits, Of: n, High: 1}
	if n == 0 {
		return r
	}
	r.Rate = float64(hits) / float64(n)
	r.Low, r.High = wilson(r.Rate, float64(n))
	return r
}

// wilson returns Wilson's interval for a rate in n trials, without a continuity correction. It is
// still honest with few trials, and near 0 and 1.
func wilson(rate, n float64) (low, high float64) {
	middle := rate + z*z/(2*n)
	reach := z * math.Sqrt(rate*(1-rate)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	low, high = (middle-reach)/scale, (middle+reach)/scale
	if rate == 0 {
		low = 0 // exactly, without a rounding error
	}
	if rate == 1 {
		high = 1
	}
	return low, high
}

// RateOver returns the rate over cases. Each case counts the same, however often it was tried. Runs
// of one prompt are not independent: 20 of them say little about the next prompt. So the interval
// is Wilson's for the number of independent trials that would vary as much as the cases do (see
// worth). TestCoverage shows how often the interval contains the true rate.
func RateOver(cases []Rate) Rate {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c Rate) bool { return c.Of == 0 })
	r := Rate{High: 1, Cases: len(cases)}
	if len(cases) == 0 {
		return r
	}
	for _, c := range cases {
		r.Hits, r.Of = r.Hits+c.Hits, r.Of+c.Of
		r.Rate += c.Rate / float64(len(cases))
	}
	if r.Hits == r.Of {
		r.Rate = 1 // exactly, without a rounding error
	}
	r.Low, r.High = wilson(r.Rate, worth(cases, r.Rate))
	return r
}

// worth returns how many independent trials say as much about a rate as these cases do, by how much
// the cases differ. The number is at least that of the cases and at most that of the trials. If all
// cases are at 0 or all at 1, nothing shows how much others would differ, so a case counts as one
// trial. A t quantile makes up for the little that few cases say about their own variance.
func worth(cases []Rate, mean float64) float64 {
	k, trials, squares := float64(len(cases)), 0.0, 0.0
	for _, c := range cases {
		trials += float64(c.Of)
		squares += (c.Rate - mean) * (c.Rate - mean)
	}
	if k < 2 || squares == 0 && (mean == 0 || mean == 1) {
		return k
	}
	variance := squares / (k - 1) / k
	shrink := z / student(int(k)-1)
	n := mean * (1 - mean) / max(variance, 1e-12) * shrink * shrink
	return min(max(n, k), trials)
}

// student returns the quantile of Student's t distribution for intervals of 95 %.
func student(df int) float64 {
	table := [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}
	if df <= len(table) {
		return table[max(df, 1)-1]
	}
	n := float64(df) // Cornish and Fisher's expansion, accurate to three places from here on
	return z + (z*z*z+z)/(4*n) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*n*n)
}

// See adds a run.
func (r *Rate) See(hit bool) { *r = NewRate(r.Hits+count(hit), r.Of+1) }

// A Difference says how much higher one rate is than another, with its 95 % interval.
type Difference struct {
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Told       bool    `json:"told_from_chance"` // the interval does not contain 0
}

// Compare returns how much higher a is than b, two rates of one case. The interval is Newcombe's,
// which combines both Wilson intervals, without a continuity correction.
func Compare(a, b Rate) Difference {
	if a.Of == 0 || b.Of == 0 {
		return Difference{Low: -1, High: 1}
	}
	return newcombe(a, b, 0)
}

// CompareOver returns how much higher rates are in one arm than in another, over the cases that
// both have: a[i] and b[i] belong to the same case. The interval is Newcombe's for pairs. The cases
// are the pairs: a case that is hard in one arm tends to be hard in the other.
func CompareOver(a, b []Rate) Difference {
	var first, second []Rate
	for i := range a {
		if a[i].Of > 0 && b[i].Of > 0 {
			first, second = append(first, a[i]), append(second, b[i])
		}
	}
	if len(first) == 0 {
		return Difference{Low: -1, High: 1}
	}
	return newcombe(RateOver(first), RateOver(second), correlation(first, second))
}

// newcombe combines two intervals into the interval of the difference; phi is their correlation.
func newcombe(a, b Rate, phi float64) Difference {
	reach := func(x, y float64) float64 { return math.Sqrt(max(x*x-2*phi*x*y+y*y, 0)) }
	d := Difference{Difference: a.Rate - b.Rate}
	d.Low = max(d.Difference-reach(a.Rate-a.Low, b.High-b.Rate), -1)
	d.High = min(d.Difference+reach(a.High-a.Rate, b.Rate-b.Low), 1)
	d.Told = d.Low > 0 || d.High < 0
	return d
}

// correlation returns the correlation of the rates of cases, reduced by what few cases show by
// chance.
func correlation(a, b []Rate) float64 {
	k := float64(len(a))
	if k < 3 {
		return 0
	}
	var ma, mb, sa, sb, both float64
	for i := range a {
		ma, mb = ma+a[i].Rate/k, mb+b[i].Rate/k
	}
	for i := range a {
		x, y := a[i].Rate-ma, b[i].Rate-mb
		sa, sb, both = sa+x*x, sb+y*y, both+x*y
	}
	if sa*sb == 0 {
		return 0
	}
	return max(both/math.Sqrt(sa*sb)-1/math.Sqrt(k), 0)
}
