package eval

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// TestCoverage checks that a 95 % interval over cases contains the true rate about that often, and
// at least as often as Wilson's own interval of five trials, 0.90. This must hold whether cases are
// alike or differ from prompt to prompt, however often each is tried, and also for the interval of
// a difference.
func TestCoverage(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	const sets = 1500
	for _, b := range []struct{ alpha, beta float64 }{{1.4, 0.6}, {7, 3}, {70, 30}, {0.5, 0.5}, {0.14, 0.06}, {9, 1}} {
		for _, k := range []int{3, 5, 10, 30} {
			for _, runs := range []int{3, 20} {
				truth := b.alpha / (b.alpha + b.beta)
				held, told, width := 0, 0, 0.0
				for range sets {
					with, without := make([]Rate, k), make([]Rate, k)
					for i := range k {
						p := drawBeta(r, b.alpha, b.beta)
						with[i], without[i] = drawRuns(r, p, runs), drawRuns(r, p, runs)
					}
					rate := RateOver(with)
					held += count(rate.Low <= truth+1e-9 && truth <= rate.High+1e-9)
					width += (rate.High - rate.Low) / sets
					told += count(CompareOver(with, without).Told)
				}
				coverage, wrong := float64(held)/sets, float64(told)/sets
				if os.Getenv("COVERAGE") != "" {
					t.Logf("Beta(%v, %v), %d cases of %d runs: %.3f held, %.2f wide, %.3f told wrongly", b.alpha, b.beta, k, runs,
						coverage, width, wrong)
				}
				if coverage < 0.90 || wrong > 0.06 {
					t.Errorf("Beta(%v, %v), %d cases of %d runs: the interval holds %.3f, a difference is told wrongly in %.3f",
						b.alpha, b.beta, k, runs, coverage, wrong)
				}
			}
		}
	}
}

func drawRuns(r *rand.Rand, p float64, runs int) Rate {
	hits := 0
	for range runs {
		hits += count(r.Float64() < p)
	}
	return NewRate(hits, runs)
}

// drawBeta draws with Jöhnk's method, and for larger parameters as a share of two sums.
func drawBeta(r *rand.Rand, a, b float64) float64 {
	x, y := drawGamma(r, a), drawGamma(r, b)
	return x / (x + y)
}

// drawGamma draws with Marsaglia and Tsang's method.
func drawGamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return drawGamma(r, shape+1) * math.Pow(r.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	for {
		x := r.NormFloat64()
		v := math.Pow(1+x/math.Sqrt(9*d), 3)
		if v > 0 && math.Log(r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
