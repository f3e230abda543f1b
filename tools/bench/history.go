package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
)

// lines is the length of the history to read.
const lines = 100_000

// countLines is a peer that only reads a history as JSON and counts failures by skill.
const countLines = `
const fs = require("fs"), path = require("path"), failed = {};
for (const file of fs.readdirSync(process.argv[1]))
  for (const line of fs.readFileSync(path.join(process.argv[1], file), "utf8").split("\n")) {
    if (line === "") continue;
    const r = JSON.parse(line);
    if (!r.ok) failed[r.skill] = (failed[r.skill] ?? 0) + 1;
  }
console.log(JSON.stringify(failed));`

// histories measures the commands that read and write the history.
func (b *bench) histories(binary, dir string) error {
	project, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	store := activity.Store{Dir: filepath.Join(dir, "state", "history")}
	append1, err := fillHistory(store, project)
	if err != nil {
		return err
	}
	write1, err := plainWrites(filepath.Join(dir, "plain.jsonl"))
	if err != nil {
		return err
	}
	cost("append to the history / open, write and close a file", append1, write1, "at most 3")

	input, err := json.Marshal(map[string]any{
		"session_id": "s", "model": map[string]string{"display_name": "Opus"}, "workspace": map[string]string{"current_dir": project},
	})
	if err != nil {
		return err
	}
	b.dir, b.stdin = project, input
	defer func() { b.dir, b.stdin = "", nil }()
	t := b.medians(50, []string{"bash", "-c", ":"}, []string{binary, "statusline"}, []string{binary, "history", "status"})
	cost("statusline, 100,000 records / bash -c :", t[1], t[0], "at most 5")
	cost("status, 100,000 records / bash -c :", t[2], t[0], "at most 5")
	t = b.medians(5, []string{binary, "history", "retro", "--json"}, []string{"node", "-e", countLines, store.Dir})
	speed("retro, 100,000 records / Node counting them", t[0], t[1], "more than 1 x faster")
	return b.pages(binary)
}

// fillHistory writes the history and returns how long one record takes.
func fillHistory(store activity.Store, project string) (time.Duration, error) {
	began := time.Now()
	from := began.Add(-6 * 24 * time.Hour)
	for i := range lines {
		c := float64(i%100) / 100
		r := activity.Record{
			Time: from.Add(time.Duration(i) * 5 * time.Second), Kind: activity.Run, Skill: fmt.Sprint("skill-", i%50), Project: project,
			OK: i%3 != 2, Confidence: &c, DurationMS: float64(i % 5000), InputHash: activity.Hash(fmt.Sprint(i % 1000)),
			Session: "3f2a7c1e-5b60-4d10-9c3e-0123456789ab",
		}
		if !r.OK {
			r.Category = "CONFLICT"
		}
		if err := store.Append(r); err != nil {
			return 0, err
		}
	}
	return time.Since(began) / lines, nil
}

func plainWrites(file string) (time.Duration, error) {
	line := bytes.Repeat([]byte("x"), 300)
	const n = 10_000
	began := time.Now()
	for range n {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, err
		}
		if _, err := f.Write(line); err != nil {
			return 0, err
		}
		if err := f.Close(); err != nil {
			return 0, err
		}
	}
	return time.Since(began) / n, nil
}
