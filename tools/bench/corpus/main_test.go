package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLabels: what is kept can be read, is about the repositories that are listed, and says that no
// rule is wrong too often.
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
		if l != wrong {
			m.found[p.rule]++
			m.spots[p] = true
		}
	}
	if err := m.report(new(bytes.Buffer), labels); err != nil {
		t.Error(err)
	}
}

// TestRun reports a wrong finding that is back, and a rule that is wrong too often.
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
			"SK201: 100.0 % wrong, want at most 5\na/b/" + name + ":4: SK201 was wrong and mended, and is found again",
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
