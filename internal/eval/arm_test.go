package eval

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestPairsByCase checks that arms are compared case by case: the numbers of runs do not matter,
// and a case that is hard in both arms hides no difference.
func TestPairsByCase(t *testing.T) {
	t.Parallel()
	with, without := []Rate{}, []Rate{}
	for i := range 8 {
		with, without = append(with, NewRate(min(i, 3), 3)), append(without, NewRate(max(min(i, 3)-1, 0), 3))
	}
	paired := CompareOver(with, without)
	slices.Reverse(without) // the same rates, but for other cases
	apart := CompareOver(with, without)
	if math.Abs(paired.Difference-apart.Difference) > 1e-12 || paired.High-paired.Low >= apart.High-apart.Low {
		t.Errorf("paired %v, apart %v", paired, apart)
	}
}

// TestArms checks that each model is an arm. Models are compared to the first one, and the other
// arms to the arm with the skill.
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
		if c.Cases != 1 {
			t.Errorf("%v: not by case", c)
		}
	}
	if got, want := strings.Join(all, " "), "with@a-without@a with@a-against@a with@b-with@a with@b-without@b with@b-against@b"; got != want {
		t.Errorf("compared %s, want %s", got, want)
	}
	if text := sum.Text(nil); !strings.Contains(text, "more cases would detect a difference of 33 points") {
		t.Error(text)
	}
	if sum.Require(Minimums{Pass: 0.9}); len(sum.Below) != 1 || !strings.HasPrefix(sum.Below[0], "s with b passed in 66.67 %") {
		t.Errorf("below %q", sum.Below)
	}
}
