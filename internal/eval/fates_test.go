package eval

import "testing"

func TestFates(t *testing.T) {
	t.Parallel()
	r := Report{Fates: []Fate{{"greet", "claude", "fires 2/2"}, {"a|b\n<i>", "pi", "cannot fire: x"}}}
	if got, want := r.FatesText(), "greet    claude  fires 2/2\na|b <i>  pi      cannot fire: x\n"; got != want {
		t.Errorf("text:\n%swant:\n%s", got, want)
	}
	want := "| skill | agent | |\n|---|---|---|\n| greet | claude | fires 2/2 |\n| a\\|b &lt;i> | pi | cannot fire: x |\n"
	if got := r.FatesMarkdown(); got != want {
		t.Errorf("markdown:\n%swant:\n%s", got, want)
	}
}
