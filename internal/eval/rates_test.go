package eval

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// TestReference compares intervals to figures from another program, which the file names.
func TestReference(t *testing.T) {
	text, err := os.ReadFile("testdata/rates.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var a, n, b, m int
		var low, high float64
		var got, want [2]float64
		switch kind, rest, _ := strings.Cut(line, " "); kind {
		case "wilson":
			_, err = fmt.Sscan(rest, &a, &n, &low, &high)
			r := NewRate(a, n)
			got = [2]float64{r.Low, r.High}
			rows[kind]++
		case "newcombe":
			_, err = fmt.Sscan(rest, &a, &n, &b, &m, &low, &high)
			d := Compare(NewRate(a, n), NewRate(b, m))
			got = [2]float64{d.Low, d.High}
			rows[kind]++
			if told := low > 1e-12 || high < -1e-12; d.Told != told {
				t.Errorf("%d/%d and %d/%d: told from chance: %v, want %v", a, n, b, m, d.Told, told)
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if want = [2]float64{low, high}; math.Abs(got[0]-want[0]) > 1e-13 || math.Abs(got[1]-want[1]) > 1e-13 {
			t.Errorf("%sgot %v, want %v", line, got, want)
		}
	}
	if rows["wilson"] < 80 || rows["newcombe"] < 150 {
		t.Errorf("rows: %v", rows)
	}
}

// TestNothing checks that without trials nothing is known.
func TestNothing(t *testing.T) {
	if r := NewRate(0, 0); r != (Rate{High: 1}) {
		t.Errorf("%+v", r)
	}
	if d := Compare(NewRate(1, 3), NewRate(0, 0)); d != (Difference{Low: -1, High: 1}) {
		t.Errorf("%+v", d)
	}
}

// TestScore checks that at the ends of an interval its rate is exactly z deviations away. Wilson's
// interval means that, whatever the formula.
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

// TestNewcombe has the examples of Newcombe, Statistics in Medicine 17 (1998), method 10, to the
// four digits given there.
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
	} {
		d := Compare(NewRate(tt.a, tt.n), NewRate(tt.b, tt.m))
		if !near(d.Low, tt.low) || !near(d.High, tt.high) || d.Told != tt.told {
			t.Errorf("%d/%d and %d/%d: %.4f to %.4f, %v, want %.4f to %.4f, %v", tt.a, tt.n, tt.b, tt.m, d.Low, d.High, d.Told,
				tt.low, tt.high, tt.told)
		}
	}
}

func near(got, want float64) bool { return math.Abs(got-want) < 0.00006 }

// FuzzRate checks that an interval contains its rate and is between 0 and 1, and that swapping the
// rates of a difference reverses it.
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
