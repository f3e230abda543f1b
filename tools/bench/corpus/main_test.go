package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLabels checks that the labels can be read, belong to the listed repositories, and show no
// rule that is wrong too often.
func TestLabels(t *testing.T) {
	repositories, err := readRepositories(repositoryList)
	if err != nil {
		t.Fatal("repositories.tsv:", err)
	}
	labels, err := readLabels(labelList)
	if err != nil {
		t.Fatal("labels.tsv:", err)
	}
	known := map[string]bool{}
	for _, r := range repositories {
		if known[r.name] = true; len(r.commit) != 40 {
			t.Errorf("%s: %q is no commit", r.name, r.commit)
		}
	}
	m := measurement{found: map[string]int{}, spots: map[spot]bool{}}
	for p, l := range labels {
		if !known[p.repository] {
			t.Errorf("%s is not in repositories.tsv", p.repository)
		}
		if l != wrong && l != silenced {
			m.found[p.rule]++
			m.spots[p] = true
		}
	}
	if err := m.report(new(bytes.Buffer), labels); err != nil {
		t.Error(err)
	}
}

// TestRun checks that run reports a wrong finding that is back, and a rule that is wrong too often.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a+b", ".claude", "skills", "s", "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("---\ndescription: d\n---\n[x](gone.md)\n!`find . -name \\'x\\' || true`\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	m := measure(&out, dir, []repository{{name: "a/b"}, {name: "c/d"}})
	if m.repositories != 1 || m.directives != 1 || !strings.Contains(out.String(), "c/d is not here") {
		t.Errorf("%+v\n%s", m, &out)
	}
	name := ".claude/skills/s/SKILL.md"
	for _, tt := range []struct {
		labels map[spot]label
		want   string
	}{
		{map[spot]label{{"a/b", name, 4, "SK201"}: right, {"a/b", name, 5, "SK301"}: right}, ""},
		{
			map[spot]label{{"a/b", name, 4, "SK201"}: wrong, {"a/b", name, 5, "SK301"}: right},
			"SK201: 100.0 % wrong, want at most 5\na/b/" + name + ":4: SK201 was wrong and fixed, but is back",
		},
		{map[spot]label{{"a/b", name, 4, "SK201"}: right}, "SK301: 1 findings, and no sample is labelled"},
	} {
		got := ""
		if err := m.report(new(bytes.Buffer), tt.labels); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("report(%v) = %q, want %q", tt.labels, got, tt.want)
		}
	}
}

// TestCompareBuilds checks that the findings of only one build are printed, by rule.
func TestCompareBuilds(t *testing.T) {
	dirs := map[string]string{"old": t.TempDir(), "new": t.TempDir()}
	for build, said := range map[string]string{
		"old": `{"findings": [
			{"rule": "SK201", "severity": "error", "message": "x.md does not exist", "file": "SKILL.md", "range": {"line": 4}},
			{"rule": "SK501", "severity": "warning", "message": "the text has 26163 characters", "file": "SKILL.md", "range": {"line": 5}}]}`,
		"new": `{"findings": [
			{"rule": "SK501", "severity": "info", "message": "the text has 26163 characters", "file": "SKILL.md", "range": {"line": 5}}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dirs[build], "a+b.json"), []byte(said), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := run(&out, []string{dirs["old"], dirs["new"]}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 repositories: 2 findings before, 1 now; 2 are gone, 1 are new\n",
		"| SK201 link-missing | 1 | 0 | 1 | 0 |\n| SK501 body-long | 1 | 1 | 1 | 1 |\n",
		"SK501 body-long, new:\n\n- info `a/b/SKILL.md:5` the text has 26163 characters\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, &out)
		}
	}
	if err := os.Remove(filepath.Join(dirs["new"], "a+b.json")); err != nil {
		t.Fatal(err)
	}
	if err := run(&out, []string{dirs["old"], dirs["new"]}); err == nil {
		t.Error("one build looked at fewer repositories, and nothing is said")
	}
}
