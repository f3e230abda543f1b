package check

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
)

// TestBash: SK208 reports what bash -n refuses, and is silent about what it takes. Every kind of error has a script.
func TestBash(t *testing.T) {
	a, err := txtar.ParseFile("testdata/bash/errors.txtar")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[words.Regexp]bool{}
	for _, f := range a.Files {
		src := string(f.Data)
		_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src), "")
		fault, ours := errors.AsType[syntax.ParseError](err)
		want := strings.HasPrefix(f.Name, "refused/")
		if got := ours && isRefusedByBash(fault.Text); got != want {
			t.Errorf("%s: reported is %v: %v", f.Name, got, err)
		}
		for _, kind := range refusedByBash {
			shown[kind] = shown[kind] || kind.Get().MatchString(fault.Text)
		}
		bash := exec.CommandContext(t.Context(), "bash", "-n")
		bash.Stdin = strings.NewReader(src)
		if out, err := bash.CombinedOutput(); (err != nil) != want {
			t.Errorf("%s: bash -n: %v\n%s", f.Name, err, out)
		}
	}
	for kind, ok := range shown {
		if !ok {
			t.Errorf("no script has the error %s", kind)
		}
	}
}
