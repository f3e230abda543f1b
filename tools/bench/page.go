package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// pages measures how soon the page of all runs begins to arrive, compared to printing the same
// records.
func (b *bench) pages(binary string) error {
	ours, err := b.looks(binary, "/runs?since=all")
	if err != nil {
		return err
	}
	peer := b.medians(5, []string{"sh", "-c", `"$0" history --json | wc -l`, binary})[0]
	cost("page of runs, 100,000 records / history --json | wc", ours, peer, "at most 2")
	return b.err
}

// looks returns the median time of five requests for a part of the page.
func (b *bench) looks(binary, path string, flags ...string) (time.Duration, error) {
	server := exec.Command(binary, append([]string{"page", "--no-open"}, flags...)...)
	server.Env, server.Dir, server.Stderr = b.env, b.dir, os.Stderr
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		return 0, err
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("page: %w", err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return 0, err
	}
	browser := &http.Client{Jar: jar}
	base, _, _ := strings.Cut(strings.TrimSpace(address), "/?")
	var times []time.Duration
	for i, at := range append([]string{strings.TrimSpace(address)}, slices.Repeat([]string{base + path}, 5)...) {
		began := time.Now()
		res, err := browser.Get(at)
		if err != nil {
			return 0, err
		}
		took := time.Since(began)
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("page: %s: %s", path, res.Status)
		}
		if i > 0 {
			times = append(times, took)
		}
	}
	return median(times), nil
}
