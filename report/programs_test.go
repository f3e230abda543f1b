package report

import (
	"testing"

	"golang.org/x/tools/txtar"
)

// TestPrograms reads the output of real programs. A program that failed is never a success, alone
// or after a step that went well, even though its exit status was lost in a pipe. Few of the
// programs that succeeded count as failed, and few are unclear.
func TestPrograms(t *testing.T) {
	const maxFailed, maxUnclear = 0.03, 0.10
	failing, failed, unclear, texts := 0, 0, 0, 0
	for _, f := range programs(t, "../internal/legacy/testdata/programs-fail.txtar") {
		for _, before := range []string{"", "✅ dependencies installed\n"} {
			texts++
			switch got := verdictOf(Parse(append([]byte(before), f.Data...), Options{})); {
			case got == "unclear":
				unclear++
			case got == "success":
				t.Errorf("%s, which failed, after %q: success", f.Name, before)
			case got == "failure":
				failing++
			}
		}
	}
	passing := programs(t, "../internal/legacy/testdata/programs-pass.txtar")
	for _, f := range passing {
		texts++
		switch got := verdictOf(Parse(f.Data, Options{})); got {
		case "unclear":
			unclear++
		case "failure":
			failed++
			t.Logf("%s, which succeeded: failure", f.Name)
		}
	}
	t.Logf("%d texts: %d of the failing are failures, %d of %d passing are failures, %d unclear", texts,
		failing, failed, len(passing), unclear)
	if share := float64(failed) / float64(len(passing)); share > maxFailed {
		t.Errorf("%d of %d that succeeded are failures", failed, len(passing))
	}
	if share := float64(unclear) / float64(texts); share > maxUnclear {
		t.Errorf("%d of %d are unclear", unclear, texts)
	}
}

func programs(t *testing.T, file string) []txtar.File {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) < 60 {
		t.Fatalf("%s has %d programs", file, len(archive.Files))
	}
	return archive.Files
}

// verdictOf returns one word for a result.
func verdictOf(r Result) string {
	switch {
	case r.Report == nil && r.Faults[0].Code == Unclear:
		return "unclear"
	case r.Report == nil || !r.Stated:
		return "nothing"
	case r.Report.Success:
		return "success"
	}
	return "failure"
}
