// Corpus answers one question: how often is check wrong about public skills?
//
// Somebody read samples of its findings in public repositories and labeled each of them once.
// repositories.tsv lists the repositories with their commits, labels.tsv the label of each finding.
// The argument is a folder with these repositories checked out as OWNER+NAME. Corpus runs check over
// them and fails if a rule is wrong too often, or if a fixed mistake is back.
//
//	go run ./tools/bench/corpus FOLDER
//
// The arguments may also be two folders with the output of two builds of check, as JSON, for each
// repository. Corpus then prints, by rule, which findings the newer build has lost and gained: make
// corpus.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/check"
)

//go:embed repositories.tsv
var repositoryList string

//go:embed labels.tsv
var labelList string

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	if len(args) == 2 {
		return compareBuilds(out, args[0], args[1])
	}
	if len(args) != 1 {
		return errors.New("want the folder in which the repositories of repositories.tsv are checked out, each as OWNER+NAME")
	}
	repositories, err := readRepositories(repositoryList)
	if err != nil {
		return err
	}
	labels, err := readLabels(labelList)
	if err != nil {
		return err
	}
	start := time.Now()
	m := measure(out, args[0], repositories)
	if m.repositories == 0 {
		return fmt.Errorf("%s: none of the %d repositories is here", args[0], len(repositories))
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	fmt.Fprintf(out, "%d of %d repositories, %d files, %d directives: %.1f s, %d MB from the system\n\n",
		m.repositories, len(repositories), m.files, m.directives, time.Since(start).Seconds(), memory.Sys>>20)
	return m.report(out, labels)
}

// A repository is a public repository whose findings were sampled.
type repository struct {
	name    string   // OWNER/NAME
	commit  string   // the commit that was read
	folders []string // folders of commands and agents outside of a .claude folder
}

func (r repository) folder(dir string) string {
	return filepath.Join(dir, strings.Replace(r.name, "/", "+", 1))
}

// A spot is a finding of one rule, whatever its message.
type spot struct {
	repository, file string
	line             int
	rule             string
}

// A label is the judgement of somebody who read the file with the finding.
type label string

const (
	right    label = "right"
	wrong    label = "wrong"    // fixed since; it must not come back
	left     label = "left"     // wrong, and check still reports it
	unsure   label = "unsure"   // two readers could differ
	useless  label = "useless"  // true, but no author would act on it
	silenced label = "silenced" // it was useless; it must not come back
)

func readRepositories(text string) ([]repository, error) {
	var all []repository
	err := eachLine(text, 3, func(f []string) error {
		all = append(all, repository{f[0], f[1], strings.Fields(f[2])})
		return nil
	})
	return all, err
}

func readLabels(text string) (map[spot]label, error) {
	all := map[spot]label{}
	err := eachLine(text, 6, func(f []string) error {
		line, err := strconv.Atoi(f[2])
		l := label(f[4])
		p := spot{f[0], f[1], line, f[3]}
		switch {
		case err != nil:
			return fmt.Errorf("%s is no line", f[2])
		case !slices.Contains([]label{right, wrong, left, unsure, useless, silenced}, l):
			return fmt.Errorf("%s is no label", l)
		case check.ByName(p.rule) == nil:
			return fmt.Errorf("%s is no rule", p.rule)
		case all[p] != "" && all[p] != l:
			return fmt.Errorf("%s:%d %s is labelled twice", p.file, p.line, p.rule)
		}
		all[p] = l
		return nil
	})
	return all, err
}

// eachLine calls f with the fields of each line; # starts a comment.
func eachLine(text string, fields int, f func([]string) error) error {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, "\t")
		err := fmt.Errorf("%d fields, want %d", len(parts), fields)
		if len(parts) == fields {
			err = f(parts)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

// A measurement is the set of findings of check today.
type measurement struct {
	repositories, files, directives int
	found                           map[string]int // errors and warnings, by rule
	spots                           map[spot]bool
}

func measure(out io.Writer, dir string, repositories []repository) measurement {
	m := measurement{found: map[string]int{}, spots: map[spot]bool{}}
	for _, r := range repositories {
		root := r.folder(dir)
		if _, err := os.Stat(root); err != nil {
			fmt.Fprintf(out, "%s is not here: its labels are not counted\n", r.name)
			continue
		}
		files, err := check.Finder{Dir: root, Fixtures: map[string]int{}}.Find(append([]string{"."}, r.folders...))
		if err != nil {
			fmt.Fprintf(out, "%s: %v\n", r.name, err)
		}
		res := check.Run(context.Background(), files, check.Options{})
		m.repositories++
		m.files += res.Files
		m.directives += res.Directives
		for _, f := range res.Findings {
			if f.Severity.Rank() < check.Warning.Rank() {
				continue
			}
			m.found[f.Rule]++
			at := f.Here()
			m.spots[spot{r.name, at.File, at.Range.Line, f.Rule}] = true
		}
	}
	return m
}

const (
	most        = 5 // percent of findings that may be wrong
	mostUseless = 8 // percent that may be useless, for a rule with so many labels that one is less than that
)

// report prints a line for each rule and returns an error for each fault.
func (m measurement) report(out io.Writer, labels map[spot]label) error {
	var faults []error
	fmt.Fprintf(out, "%-6s %-22s %9s %8s %6s %7s %7s %9s\n",
		"rule", "name", "findings", "sampled", "wrong", "useless", "unsure", "percent")
	for _, id := range slices.Sorted(maps.Keys(m.found)) {
		counts := map[label]int{}
		for p, l := range labels {
			if p.rule == id && m.spots[p] {
				counts[l]++
			}
		}
		sampled := 0
		for _, n := range counts {
			sampled += n
		}
		bad := counts[wrong] + counts[left]
		share := 100 * float64(bad) / float64(max(1, sampled))
		vain := counts[useless] + counts[silenced]
		fmt.Fprintf(out, "%-6s %-22s %9d %8d %6d %7d %7d %9.1f\n",
			id, check.ByName(id).Name, m.found[id], sampled, bad, vain, counts[unsure], share)
		switch {
		case sampled == 0:
			faults = append(faults, fmt.Errorf("%s: %d findings, and no sample is labelled", id, m.found[id]))
		case share > most:
			faults = append(faults, fmt.Errorf("%s: %.1f %% wrong, want at most %d", id, share, most))
		case sampled*mostUseless > 100 && vain*100 > sampled*mostUseless:
			faults = append(faults, fmt.Errorf("%s: %d of %d useless, want at most %d %%", id, vain, sampled, mostUseless))
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(labels), compare) {
		if was := map[label]string{wrong: "wrong", silenced: "useless"}[labels[p]]; was != "" && m.spots[p] {
			faults = append(faults, fmt.Errorf("%s/%s:%d: %s was %s and fixed, but is back",
				p.repository, p.file, p.line, p.rule, was))
		}
	}
	return errors.Join(faults...)
}

func compare(a, b spot) int {
	return strings.Compare(fmt.Sprintf("%s %s %06d %s", a.repository, a.file, a.line, a.rule),
		fmt.Sprintf("%s %s %06d %s", b.repository, b.file, b.line, b.rule))
}
