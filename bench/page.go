package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"strings"
	"time"
)

// pages measures how soon the page of all runs begins to arrive, beside printing the same records.
func (b *bench) pages(binary string) error {
	server := exec.Command(binary, "page", "--no-open")
	server.Env, server.Dir, server.Stderr = b.env, b.dir, os.Stderr
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		return err
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar}
	base, _, _ := strings.Cut(strings.TrimSpace(address), "/?")
	var times []time.Duration
	for i, at := range []string{
		strings.TrimSpace(address), base + "/runs?since=all", base + "/runs?since=all", base + "/runs?since=all",
		base + "/runs?since=all", base + "/runs?since=all",
	} {
		began := time.Now()
		res, err := browser.Get(at)
		if err != nil {
			return err
		}
		took := time.Since(began)
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("page: %s", res.Status)
		}
		if i > 0 {
			times = append(times, took)
		}
	}
	peer := b.medians(5, []string{"sh", "-c", `"$0" history --json | wc -l`, binary})[0]
	ours := median(times)
	row("page of runs, 100,000 records / history --json | wc", ours, peer, float64(ours)/float64(peer), "at most 2")
	return b.err
}
