package try

import (
	"math"
	"testing"
)

// The figures are those of R 4: prop.test(hits, n, correct = FALSE)$conf.int, and
// of Newcombe, Statistics in Medicine 17 (1998): table I of page 861 (method 3)
// and table II of page 877 (method 10).
func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		hits, of  int
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
		{0, 10, 0, 0.2775},
		{10, 10, 0.7225, 1},
		{5, 10, 0.2366, 0.7634},
		{8, 10, 0.4902, 0.9433},
		{2, 10, 0.0567, 0.5098},
		{3, 3, 0.4385, 1},
		{2, 3, 0.2077, 0.9385},
		{0, 0, 0, 1},
	} {
		r := NewRate(tt.hits, tt.of)
		if !near(r.Low, tt.low) || !near(r.High, tt.high) {
			t.Errorf("NewRate(%d, %d) = %.4f to %.4f, want %.4f to %.4f", tt.hits, tt.of, r.Low, r.High, tt.low, tt.high)
		}
	}
}

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
