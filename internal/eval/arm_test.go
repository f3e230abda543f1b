package eval

import (
	"math"
	"strings"
	"testing"
)

// TestComparePaired has intervals that another program computed by the formulas of Newcombe (1998), method 10.
func TestComparePaired(t *testing.T) {
	t.Parallel()
	d := comparePaired(36, 12, 2, 0)
	for _, tt := range []struct{ got, want float64 }{{d.Difference, 0.20}, {d.Low, 0.0569}, {d.High, 0.3404}} {
		if math.Abs(tt.got-tt.want) > 0.0001 {
			t.Errorf("%v: %.4f, want %.4f", d, tt.got, tt.want)
		}
	}
	if !d.Told {
		t.Errorf("%v: want told from chance", d)
	}
}

// TestArms: each model is an arm; those are compared by the first, the others by the arm with the skill.
func TestArms(t *testing.T) {
	t.Parallel()
	o := Options{Baseline: true, Against: true, Models: []string{"a", "b"}}
	yes, no := true, false
	var trials []Trial
	for _, arm := range o.Arms() {
		for run := 1; run <= 3; run++ {
			passed := &yes
			if arm.Kind() == Without || arm == "with@b" && run == 1 {
				passed = &no
			}
			trials = append(trials, Trial{Skill: "s", Case: "c", Arm: arm, Run: run, Fires: true, Outcome: Fired, Passed: passed})
		}
	}
	sum := Summarize([]*Subject{{Name: "s", Cases: []Case{{ID: "c", Fires: true}}}}, trials, nil)
	k := sum.Skills[0]
	var all []string
	for _, c := range k.Differences {
		if c.Of == "passed" {
			all = append(all, string(c.Arm)+"-"+string(c.Than))
		}
		if !c.Paired {
			t.Errorf("%v: not paired", c)
		}
	}
	if got, want := strings.Join(all, " "), "with@a-without@a with@a-against@a with@b-with@a with@b-without@b with@b-against@b"; got != want {
		t.Errorf("compared %s, want %s", got, want)
	}
	if text := sum.Text(nil); !strings.Contains(text, "more trials in each arm would tell a difference of 33 points") {
		t.Error(text)
	}
	if sum.Require(0, 0.9); len(sum.Below) != 1 || !strings.HasPrefix(sum.Below[0], "s with b passed in 66.67 %") {
		t.Errorf("below %q", sum.Below)
	}
}
