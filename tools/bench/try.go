package main

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// tries measures 1,000 trials with a claude that takes as long as the real one to start. It
// compares them to starting that program as often, and as many at a time.
func (b *bench) tries(binary, dir string) error {
	const trials, jobs = 1000, 16
	stub := filepath.Join(dir, "claude-try")
	text := `#!/bin/sh
cat >/dev/null
echo '{"type":"system","subtype":"init","session_id":"s"}'
echo '{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"a","name":"Skill","input":{"skill":"tried"}}]}}'
sleep 0.6
echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"Launching skill: tried"}]},` +
		`"tool_use_result":{"success":true,"commandName":"tried"}}'
echo '{"type":"user","message":{"content":[{"type":"text","text":"the text"}]}}'
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"done","session_id":"s"}'
`
	err := put(dir, map[string]string{
		"claude-try": text, "tried/SKILL.md": "---\ndescription: d\n---\ntext\n",
		"tried/evals/q.json": `[{"query": "q", "should_trigger": true}]`,
	})
	if err != nil {
		return err
	}
	few, _, err := b.tryAll(binary, dir, stub, trials/10, jobs)
	if err != nil {
		return err
	}
	memory, ours, err := b.tryAll(binary, dir, stub, trials, jobs)
	if err != nil {
		return err
	}
	peer := startAll(stub, trials, jobs)
	cost("try, 1,000 trials, 16 at a time / the starts alone", ours, peer,
		fmt.Sprintf("at most 1.05; memory that does not grow: %d MB after 100, %d after 1,000", few>>20, memory>>20))
	return nil
}

func (b *bench) tryAll(binary, dir, stub string, trials, jobs int) (memory int64, took time.Duration, err error) {
	took, memory, _, err = b.spent(binary, "try", filepath.Join(dir, "tried"),
		"--runs", fmt.Sprint(trials), "-j", fmt.Sprint(jobs), "--claude", stub, "--fresh", "--min-fired", "1")
	return memory, took, err
}

// startAll starts a program n times, with so many running at a time.
func startAll(program string, n, jobs int) time.Duration {
	began := time.Now()
	queue := make(chan int)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for range queue {
				_ = readAll(program) // it succeeded before
			}
		})
	}
	for i := range n {
		queue <- i
	}
	close(queue)
	workers.Wait()
	return time.Since(began)
}
