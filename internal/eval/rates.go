package eval

import "math"

// z is the quantile of the normal distribution for intervals of 95 %.
const z = 1.959963984540054

// A Rate is a share of trials, with its 95 % interval.
type Rate struct {
	Hits int     `json:"hits"`
	Of   int     `json:"of"`
	Rate float64 `json:"rate"` // 0 if there was no trial: see Of
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// NewRate is hits of n trials. The interval is Wilson's: with few trials, and
// near 0 and 1, it is still honest. There is no continuity correction. Of no
// trials it says nothing: 0 to 1.
func NewRate(hits, n int) Rate {
	r := Rate{Hits: hits, Of: n, High: 1}
	if n == 0 {
		return r
	}
	size := float64(n)
	r.Rate = float64(hits) / size
	middle := r.Rate + z*z/(2*size)
	reach := z * math.Sqrt(r.Rate*(1-r.Rate)/size+z*z/(4*size*size))
	scale := 1 + z*z/size
	r.Low, r.High = (middle-reach)/scale, (middle+reach)/scale
	if hits == 0 {
		r.Low = 0 // not what rounding leaves of it
	}
	if hits == n {
		r.High = 1
	}
	return r
}

// See counts a further trial.
func (r *Rate) See(hit bool) { *r = NewRate(r.Hits+count(hit), r.Of+1) }

// Plus is the rate of all trials of two rates.
func (r Rate) Plus(o Rate) Rate { return NewRate(r.Hits+o.Hits, r.Of+o.Of) }

// A Difference is how much higher one rate is than another, with its 95 % interval.
type Difference struct {
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Told       bool    `json:"told_from_chance"` // the interval does not hold 0
}

// Compare says how much higher a is than b. The interval is Newcombe's, made of
// both Wilson intervals, without a continuity correction.
func Compare(a, b Rate) Difference {
	if a.Of == 0 || b.Of == 0 {
		return Difference{Low: -1, High: 1}
	}
	d := Difference{Difference: a.Rate - b.Rate}
	d.Low = d.Difference - math.Hypot(a.Rate-a.Low, b.High-b.Rate)
	d.High = d.Difference + math.Hypot(a.High-a.Rate, b.Rate-b.Low)
	d.Told = d.Low > 0 || d.High < 0
	return d
}
