package activity

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestAdvice checks that there is advice for every kind of failure of Claude, and that the advice
// is about that kind and not about others of its category.
func TestAdvice(t *testing.T) {
	source, err := os.ReadFile("../../claude/classify.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`Kind += "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(kinds) < 20 {
		t.Errorf("found %d kinds", len(kinds))
	}
	for _, k := range kinds {
		if advice[k[1]] == "" {
			t.Errorf("no advice for %s", k[1])
		}
	}
	for key, text := range advice {
		if strings.Count(text, "%") != 1 || !strings.Contains(text, "%s") {
			t.Errorf("%s: %q names the culprit %d times", key, text, strings.Count(text, "%s"))
		}
	}
}

// TestNext checks that two kinds of one category lead to two pieces of advice.
func TestNext(t *testing.T) {
	now := time.Now()
	ask := func(label, category, kind string) Record {
		return Record{Time: now, Kind: Ask, Label: label, Category: category, Detail: kind}
	}
	v := ReviewOf([]Record{
		ask("nightly", "logic", "refusal"), ask("nightly", "logic", "refusal"), ask("weekly", "logic", "refusal"),
		ask("weekly", "logic", "max-turns"), ask("weekly", "odd", "odder"),
	}, now.Add(-time.Hour), now)
	want := []string{
		"nightly is refused by the model: reword the prompt, or try another model (2× refusal, and 1 other)",
		"weekly runs out of turns: raise `--max-turns`, or ask for less at once (1× max-turns)",
		"weekly failed: run it again, and it prints why (1× odder)",
	}
	if got := strings.Join(v.Next, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
