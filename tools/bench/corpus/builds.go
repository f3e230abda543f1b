package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/check"
)

// shown limits how many findings of a rule are listed that only one build has.
const shown = 5

// compareBuilds prints, as Markdown and by rule, how two builds differ. Each folder contains a file
// OWNER+NAME.json for each repository, with the output of check --json. Infos count too: a finding
// that becomes an info is no longer an error.
func compareBuilds(out io.Writer, oldDir, newDir string) error {
	before, repositories, err := readFindings(oldDir)
	if err != nil {
		return err
	}
	after, n, err := readFindings(newDir)
	if err != nil {
		return err
	}
	if repositories != n {
		return fmt.Errorf("%s is about %d repositories, %s about %d", oldDir, repositories, newDir, n)
	}
	gone, came := minus(before, after), minus(after, before)
	fmt.Fprintf(out, "%d repositories: %d findings before, %d now; %d are gone, %d are new\n",
		n, len(before), len(after), len(gone), len(came))
	if len(gone)+len(came) == 0 {
		return nil
	}
	fmt.Fprint(out, "\n| rule | before | now | gone | new |\n|---|---|---|---|---|\n")
	rules := map[string]bool{}
	for _, f := range slices.Concat(gone, came) {
		rules[f.Rule] = true
	}
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d |\n",
			ruleName(id), len(ofRule(before, id)), len(ofRule(after, id)), len(ofRule(gone, id)), len(ofRule(came, id)))
	}
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		for _, side := range []struct {
			what string
			all  []built
		}{{"gone", ofRule(gone, id)}, {"new", ofRule(came, id)}} {
			for i, f := range side.all {
				if i == shown {
					fmt.Fprintf(out, "- and %d more\n", len(side.all)-shown)
					break
				}
				if i == 0 {
					fmt.Fprintf(out, "\n%s, %s:\n\n", ruleName(id), side.what)
				}
				fmt.Fprintf(out, "- %s `%s/%s:%d` %s\n",
					f.Severity, f.repository, f.File, f.Range.Line, strings.ReplaceAll(f.Message, "\n", " "))
			}
		}
	}
	return nil
}

// A built is a finding in a build's output.
type built struct {
	repository string
	Rule       string `json:"rule"`
	Severity   string `json:"severity"`
	Message    string `json:"message"`
	File       string `json:"file"`
	Range      struct {
		Line int `json:"line"`
	} `json:"range"`
}

func readFindings(dir string) (all []built, repositories int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		var said struct {
			Findings []built `json:"findings"`
		}
		if err := json.Unmarshal(src, &said); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
		for _, f := range said.Findings {
			f.repository = strings.Replace(strings.TrimSuffix(filepath.Base(name), ".json"), "+", "/", 1)
			all = append(all, f)
		}
	}
	return all, len(names), nil
}

// minus returns the findings in a that are not in b, sorted by their position.
func minus(a, b []built) (rest []built) {
	have := map[built]int{}
	for _, f := range b {
		have[f]++
	}
	for _, f := range a {
		if have[f]--; have[f] < 0 {
			rest = append(rest, f)
		}
	}
	slices.SortStableFunc(rest, func(a, b built) int {
		return cmp.Or(cmp.Compare(a.repository, b.repository), cmp.Compare(a.File, b.File), cmp.Compare(a.Range.Line, b.Range.Line))
	})
	return rest
}

func ofRule(all []built, id string) []built {
	return slices.DeleteFunc(slices.Clone(all), func(f built) bool { return f.Rule != id })
}

// ruleName returns the name of a rule. An old build may have a rule that no longer exists.
func ruleName(id string) string {
	if r := check.ByName(id); r != nil {
		return id + " " + r.Name
	}
	return id
}
