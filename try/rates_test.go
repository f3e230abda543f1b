package try

import (
	"math"
	"testing"
)

// Figures of R: binom.confint(hits, of, methods = "wilson").
func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		hits, of  int
		low, high float64
	}{
		{18, 20, 0.6989663547715128, 0.972133518786232},
		{4, 20, 0.0806576625797981, 0.4160174322518935},
		{4, 200, 0.00780442641634947, 0.05028708690582643},
		{190, 200, 0.910421851861224, 0.972617354399236},
		{1, 30, 0.005908590, 0.16670391},
		{29, 30, 0.8332961, 0.9940914},
		{0, 30, 0, 0.11351339},
		{30, 30, 0.8864866, 1},
		{0, 0, 0, 1}, // nothing is known
	} {
		r := NewRate(tt.hits, tt.of)
		if math.Abs(r.Low-tt.low) > 1e-7 || math.Abs(r.High-tt.high) > 1e-7 {
			t.Errorf("NewRate(%d, %d) = %.9f to %.9f, want %.9f to %.9f", tt.hits, tt.of, r.Low, r.High, tt.low, tt.high)
		}
	}
}

// TestScore: the ends of an interval are where its rate is just z deviations away,
// which is what Wilson's interval means, whatever the formula.
func TestScore(t *testing.T) {
	for n := 1; n <= 60; n++ {
		for hits := 0; hits <= n; hits++ {
			r := NewRate(hits, n)
			for _, end := range []float64{r.Low, r.High} {
				away := math.Abs(r.Rate-end) - z*math.Sqrt(end*(1-end)/float64(n))
				if math.Abs(away) > 1e-9 {
					t.Errorf("%d/%d: %v is off by %v", hits, n, end, away)
				}
			}
		}
	}
}

// The examples of Newcombe, Statistics in Medicine 17 (1998), method 10, to the four digits given there.
func TestNewcombe(t *testing.T) {
	for _, tt := range []struct {
		a, n, b, m int
		low, high  float64
		told       bool
	}{
		{56, 70, 48, 80, 0.0524, 0.3339, true},
		{9, 10, 3, 10, 0.1705, 0.8090, true},
		{6, 7, 2, 7, 0.0582, 0.8062, true},
		{5, 56, 0, 29, -0.0381, 0.1926, false},
		{0, 10, 0, 20, -0.1611, 0.2775, false},
		{0, 10, 0, 10, -0.2775, 0.2775, false},
		{10, 10, 0, 20, 0.6791, 1, true},
		{10, 10, 0, 10, 0.6075, 1, true},
		{1, 3, 0, 0, -1, 1, false},
	} {
		d := Compare(NewRate(tt.a, tt.n), NewRate(tt.b, tt.m))
		if !near(d.Low, tt.low) || !near(d.High, tt.high) || d.Told != tt.told {
			t.Errorf("%d/%d and %d/%d: %.4f to %.4f, %v, want %.4f to %.4f, %v", tt.a, tt.n, tt.b, tt.m, d.Low, d.High, d.Told, tt.low, tt.high, tt.told)
		}
	}
}

func near(got, want float64) bool { return math.Abs(got-want) < 0.00006 }

// FuzzRate: an interval holds its rate and lies between 0 and 1; a difference is
// the other way round if its rates are.
func FuzzRate(f *testing.F) {
	f.Add(uint16(1), uint16(3), uint16(2), uint16(9))
	f.Fuzz(func(t *testing.T, a, n, b, m uint16) {
		x, y := NewRate(int(min(a, n)), int(n)), NewRate(int(min(b, m)), int(m))
		for _, r := range []Rate{x, y} {
			if !(0 <= r.Low && r.Low <= r.Rate+1e-12 && r.Rate <= r.High+1e-12 && r.High <= 1) {
				t.Errorf("%+v", r)
			}
		}
		d, e := Compare(x, y), Compare(y, x)
		if math.Abs(d.Low+e.High) > 1e-9 || d.Low > d.High || d.Told != e.Told {
			t.Errorf("%+v, %+v", d, e)
		}
	})
}
