package jobs_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/batch/jobs"
	"github.com/skillhand/skillhand/internal/test"
)

// TestFileSchema checks that the schema for editors accepts and rejects the same files as Parse,
// except for facts that a schema cannot know: other jobs, and files.
func TestFileSchema(t *testing.T) {
	schema := test.OurSchema(t, "batch-file-v1")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text string
		ok   bool
	}{
		{"jobs: [{id: a, run: x}]", true},
		{"name: n\ndefaults: {timeout: 20m, retries: 3, max_budget_usd: 0.5, model: opus, args: [x], skill: s, cwd: src}\n" +
			"jobs:\n  - {id: lint, run: ./l, args: [src, 1, true]}\n  - {id: auth, ask: Q, needs: [lint]}", true},
		{"jobs: [{each: '*.go', ask: 'Review {file}'}]", true},
		{"jobs: [{id: 1, run: 2, args: one text}]", true},
		{"jobs: [{id: a, skill: s}]", true},
		{"jobs: [{id: a, ask: Q, skill: s, schema: {type: object}, max_turns: 0, allowed_tools: [Read], resume: x, idle_timeout: 1m30s, strict: true}]", true},
		{"jobs: [{id: a, run: x, timeout: 1.5h, retries: 1000}]", true},
		{"", false},
		{"jobs: []", false},
		{"jobs: {}", false},
		{"job: [{id: a, run: x}]", false},
		{"name: ''\njobs: [{id: a, run: x}]", false},
		{"jobs: [{run: x}]", false},
		{"jobs: [{id: a}]", false},
		{"jobs: [{id: '', run: x}]", false},
		{"jobs: [{id: a, run: x, ask: Q}]", false},
		{"jobs: [{id: a, run: x, model: opus}]", false},
		{"jobs: [{id: a, run: x, skill: s}]", false},
		{"jobs: [{id: a, run: x, needs: b}]", false},
		{"jobs: [{id: a, run: x, timeout: 20}]", false},
		{"jobs: [{id: a, run: x, timeout: soon}]", false},
		{"jobs: [{id: a, run: x, timeout: -1m}]", false},
		{"jobs: [{id: a, run: x, retries: -1}]", false},
		{"jobs: [{id: a, run: x, retries: 1001}]", false},
		{"jobs: [{id: a, run: x, retries: 1.5}]", false},
		{"jobs: [{id: a, ask: Q, max_budget_usd: 0}]", false},
		{"jobs: [{id: a, ask: Q, strict: 'yes'}]", false},
		{"jobs: [{id: a, ask: Q, allowed_tools: Read}]", false},
		{"jobs: [{id: a, run: x, time_out: 1m}]", false},
		{"jobs: [{id: a, run: null}]", false},
		{"jobs: [{id: a, run: [x]}]", false},
		{"defaults: {id: x}\njobs: [{id: a, run: x}]", false},
		{"defaults: {timeout: never}\njobs: [{id: a, run: x}]", false},
		{"defaults: {needs: [a]}\njobs: [{id: a, run: x}]", false},
		{"defaults: []\njobs: [{id: a, run: x}]", false},
		{"jobs: [x]", false},
		{"jobs: [{id: a, ask: x, agent: codex}]", true},
		{"jobs: [{id: a, ask: x, agent: cline}]", false},
		{"jobs: [{id: a, run: x, agent: codex}]", false},
	} {
		_, err := jobs.Parse("jobs.yaml", []byte(tt.text), dir)
		if (err == nil) != tt.ok {
			t.Errorf("%s: Parse: %v, want ok %v", tt.text, err, tt.ok)
		}
		if err := schema.FaultYAML(tt.text); (err == nil) != tt.ok {
			t.Errorf("%s: the schema: %v, want ok %v", tt.text, err, tt.ok)
		}
	}
}

// TestFileSchemaRandom checks that schema and parser agree on random files.
func TestFileSchemaRandom(t *testing.T) {
	schema := test.OurSchema(t, "batch-file-v1")
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(all ...string) string { return all[random.IntN(len(all))] }
	keys := []string{
		"id", "run", "ask", "args", "needs", "skill", "timeout", "retries", "model", "max_turns", "allowed_tools", "resume",
		"max_budget_usd", "idle_timeout", "strict", "cwd", "odd",
	}
	// a schema does not see how a number is written
	values := []string{"x", "1", "0", "-1", "1.5", "true", "null", "''", "[]", "[x]", "[1, true]", "[null]", "[[x]]", "{}", "20m",
		"90s", "'7'", "5000", "~"}
	agreed := map[bool]int{}
	for range 4_000 {
		job := "id: a"
		for range 1 + random.IntN(4) {
			if key := pick(keys...); !strings.Contains(job, key+":") {
				job += fmt.Sprintf(", %s: %s", key, pick(values...))
			}
		}
		text := "jobs: [{" + job + "}]"
		if random.IntN(4) == 0 {
			text = fmt.Sprintf("defaults: {%s: %s}\n", pick(keys...), pick(values...)) + text
		}
		_, err := jobs.Parse("jobs.yaml", []byte(text), dir)
		if err != nil && strings.Contains(err.Error(), "but no job has that id") {
			continue // the error is about other jobs
		}
		if fault := schema.FaultYAML(text); (fault == nil) != (err == nil) {
			t.Fatalf("%s\nParse: %v\nthe schema: %v", text, err, fault)
		}
		agreed[err == nil]++
	}
	if agreed[true] < 100 || agreed[false] < 100 {
		t.Errorf("the files are not of both kinds: %v", agreed)
	}
}
