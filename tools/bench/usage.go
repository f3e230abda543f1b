package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// usageArgument makes bench measure only transcripts of so many MB, without jq.
const usageArgument = "usage"

// byAttribution is the same question in jq, as people ask it: output tokens by Claude Code's own
// attribution.
const byAttribution = `reduce (inputs | select(.type == "assistant")) as $l ({}; .[$l.attributionSkill // ""] += $l.message.usage.output_tokens)`

// usages measures the first and the second reading of transcripts, compared to jq with the same
// question.
func (b *bench) usages(binary, dir string, megabytes int, peer bool) error {
	home := filepath.Join(dir, "transcripts")
	files, err := writeTranscripts(filepath.Join(home, ".claude", "projects"), megabytes)
	if err != nil {
		return err
	}
	own := &bench{dir: home, env: append(os.Environ(), "HOME="+home, "SKILLHAND_STATE_DIR="+filepath.Join(home, "state"))}
	look := func() (time.Duration, int64, error) {
		took, memory, out, err := own.spent(binary, "usage", "--since", "all", "--json")
		if err == nil && !strings.Contains(out, `"damaged":0`) {
			err = fmt.Errorf("usage: %.200s", out)
		}
		return took, memory, err
	}
	first, memory, err := look()
	if err != nil {
		return err
	}
	var second []time.Duration
	for range 5 {
		took, _, err := look()
		if err != nil {
			return err
		}
		second = append(second, took)
	}
	slices.Sort(second)
	if !peer {
		fmt.Printf("%d MB in %d files: %s, %d MB of memory; the second look %s\n",
			megabytes, len(files), first.Round(time.Millisecond), memory>>20, second[2].Round(100*time.Microsecond))
		return nil
	}
	began := time.Now()
	if out, err := exec.Command("jq", append([]string{"-n", byAttribution}, files...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("jq: %w: %s", err, out)
	}
	jq := time.Since(began)
	speed(fmt.Sprintf("usage, %d MB of transcripts / jq", megabytes), first, jq,
		fmt.Sprintf("at least 5 x faster, under 100 MB: it took %d MB", memory>>20))
	speed("the second look / jq", second[2], jq, "at least 100 x faster")
	return nil
}

// writeTranscripts writes transcripts of 1 MB each in forty projects, in the form of Claude Code's.
// They consist mostly of results of tools and copies of requests.
func writeTranscripts(dir string, megabytes int) (files []string, err error) {
	words := strings.Repeat(`some \"words\" of a file\n`, 150)
	for i := range megabytes {
		file := filepath.Join(dir, fmt.Sprint("project-", i%40), fmt.Sprintf("session-%d.jsonl", i))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return nil, err
		}
		if err := writeSession(file, i, words); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func writeSession(file string, i int, words string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	const usage = `"usage":{"input_tokens":10,"output_tokens":20,"cache_read_input_tokens":9000},`
	now := time.Now().UTC().Add(-time.Duration(i) * 7 * time.Hour)
	for n := 0; n < 1<<20; {
		now = now.Add(time.Minute)
		line := func(format string, args ...any) {
			k, _ := fmt.Fprintf(w, `{"sessionId":"session-%d","cwd":"/p/%d","version":"2.1.325","timestamp":%q,`, i, i%40,
				now.Format(time.RFC3339Nano))
			m, _ := fmt.Fprintf(w, format+"}\n", args...)
			n += k + m
		}
		skill := fmt.Sprint("skill-", n%17)
		line(`"type":"user","message":{"role":"user","content":"do it"}`)
		line(`"type":"attachment","attachment":{"type":"skill_listing","names":[%q],"content":"- %s: What it is for."}`, skill, skill)
		line(`"type":"assistant","requestRef":"%d-%d","message":{"model":"claude-opus-5-5",`+usage+
			`"content":[{"type":"tool_use","id":"t%d","name":"Skill","input":{"skill":%q}}]}`,
			i, n, n, skill)
		id := n
		line(`"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"ok"}]},`+
			`"toolUseResult":{"success":true,"commandName":%q}`, id, skill)
		for range 6 {
			line(`"type":"api-request-blob","message":{"role":"user","content":"%s"}`, words)
			line(`"type":"assistant","attributionSkill":%q,"requestRef":"%d-%d","message":{"model":"claude-opus-5-5",`+usage+
				`"content":[{"type":"tool_use","id":"b%d","name":"Bash","input":{"command":"%s"}}]}`,
				skill, i, n, n, words[:600])
			line(`"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"b%d","content":"%s"}]},"toolUseResult":{"stdout":"%s"}`,
				n, words, words)
		}
	}
	return w.Flush()
}

// runUsage measures only transcripts of so many MB.
func runUsage(binary, megabytes string) error {
	n, err := strconv.Atoi(megabytes)
	if err != nil || n < 1 {
		return fmt.Errorf("%s: want how many MB", megabytes)
	}
	binary, err = filepath.Abs(binary)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "skillhand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return (&bench{}).usages(binary, dir, n, false)
}
