package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// asks measures ask with a claude that only prints a transcript, compared to reading the same bytes
// from it.
func (b *bench) asks(binary, dir string) error {
	for _, size := range []int{0, 52, 208} {
		stub := filepath.Join(dir, fmt.Sprintf("claude-%d", size))
		transcript := stub + ".jsonl"
		if err := writeTranscript(transcript, size<<20); err != nil {
			return err
		}
		if err := put(dir, map[string]string{filepath.Base(stub): printing(transcript)}); err != nil {
			return err
		}
		times := 7
		if size == 0 {
			times = 50
		}
		var ours, peers []time.Duration
		var memory int64
		for range times { // in turns, so that a busy moment affects both
			began := time.Now()
			if err := readAll(stub); err != nil {
				return err
			}
			peers = append(peers, time.Since(began))
			began = time.Now()
			peak, err := b.ask(binary, stub, "done\n")
			ours = append(ours, time.Since(began))
			if err != nil {
				return err
			}
			memory = max(memory, peak)
		}
		slices.Sort(ours)
		slices.Sort(peers)
		our, peer := ours[len(ours)/2], peers[len(peers)/2]
		if size == 0 {
			cost("ask, one short answer / the stub alone", our, peer, fmt.Sprintf("%s more", (our-peer).Round(10*time.Microsecond)))
			continue
		}
		cost(fmt.Sprintf("ask around %d MB / reading them", size), our, peer,
			fmt.Sprintf("at most 5, and 40 MB: it took %d MB", memory>>20))
	}
	return b.longAnswer(binary, dir)
}

// longAnswer measures an answer of 100 MB, which is a single line. ask needs at least that much
// memory, and twice as much while it joins the parts.
func (b *bench) longAnswer(binary, dir string) error {
	stub := filepath.Join(dir, "claude-long")
	answer := strings.Repeat("words and words.\n", 100<<20/17)
	line := `{"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"s","result":"` +
		strings.ReplaceAll(answer, "\n", `\n`) + "\"}\n"
	if err := put(dir, map[string]string{"claude-long.jsonl": line, "claude-long": printing(stub + ".jsonl")}); err != nil {
		return err
	}
	began := time.Now()
	if err := readAll(stub); err != nil {
		return err
	}
	peer := time.Since(began)
	began = time.Now()
	memory, err := b.ask(binary, stub, answer)
	if err != nil {
		return err
	}
	our := time.Since(began)
	cost("ask, an answer of 100 MB / reading it", our, peer, fmt.Sprintf("300 MB of memory: it took %d MB", memory>>20))
	return nil
}

// ask asks the stub and returns the peak memory.
func (b *bench) ask(binary, stub, want string) (memory int64, err error) {
	_, memory, out, err := b.spent(binary, "ask", "hello", "--claude", stub)
	if err != nil || out != want {
		return 0, fmt.Errorf("ask around %s: %.100q, %w", stub, out, err)
	}
	return memory, nil
}

// printing returns the script of a claude that only prints a file.
func printing(file string) string { return "#!/bin/sh\ncat >/dev/null\nexec cat '" + file + "'\n" }

// readAll runs a program and reads its output.
func readAll(stub string) error {
	cmd := exec.Command(stub)
	cmd.Stdout = io.Discard
	return cmd.Run()
}

// writeTranscript writes a transcript of about size bytes: messages and the output of tools.
func writeTranscript(file string, size int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	said := fmt.Sprintf(`{"type":"assistant","message":{"id":"msg_1","model":"m","content":[{"type":"text","text":"%s"}]},"session_id":"s"}`,
		strings.Repeat(`words and \"words\" `, 50))
	shown := fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"%s"}]},"session_id":"s"}`,
		strings.Repeat(`a line of a file\n`, 240))
	fmt.Fprintln(w, `{"type":"system","subtype":"init","session_id":"s","model":"m"}`)
	for total := 0; total < size; total += len(said) + len(shown) + 2 {
		fmt.Fprintf(w, "%s\n%s\n", said, shown)
	}
	fmt.Fprintln(w, `{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"done","session_id":"s","total_cost_usd":0}`)
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
