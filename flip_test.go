package skillhand_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/trust"
)

// TestFlip: a link, or a file, that changes while it is loaded or run never makes what
// nobody trusted pass for what somebody did.
func TestFlip(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(base, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o777)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("project/.git/HEAD", "")
	own := filepath.Dir(write("home/.claude/skills/own/SKILL.md", "!`echo good`\n"))
	evil := filepath.Dir(write("project/evil/SKILL.md", "!`echo pwned`\n"))
	program := write("program", "#!/bin/sh\necho good\n")
	write("home/.claude/skills/own/execute.sh", "#!/bin/sh\necho good\n")
	script := write("project/evil/execute.sh", "#!/bin/sh\necho pwned\n")
	write("home/.claude/skills/calls/SKILL.md", "!`./link`\n")
	write("pinned/a/SKILL.md", "!`echo good`\n")
	write("pinned/.git/HEAD", "")

	rt := &skillhand.Runtime{Here: here.Here{
		Dir:   filepath.Join(base, "project"),
		Home:  filepath.Join(base, "home"),
		State: filepath.Join(base, "state"),
		Env:   here.Env{"PATH=" + os.Getenv("PATH"), "HOME=" + base + "/home"},
	}, NoHistory: true}
	if _, err := (trust.Store{Dir: filepath.Join(base, "state", "trust")}).Pin(filepath.Join(base, "pinned"), ""); err != nil {
		t.Fatal(err)
	}
	link, next := filepath.Join(base, "project", "link"), filepath.Join(base, "next")
	between := func(a, b string) func(n int) error {
		return func(n int) error { return os.Symlink([]string{a, b}[n%2], next) }
	}
	skillFile := filepath.Join(base, "pinned", "a", "SKILL.md")
	text := func(page *skillhand.Page, err error) string {
		if page == nil {
			return err.Error()
		}
		return page.Text
	}
	load := func(name string) func() string {
		return func() string { return text(rt.Load(t.Context(), skillhand.LoadRequest{Skill: name})) }
	}
	for _, tt := range []struct {
		name string
		file string                // what changes
		make func(n int) error     // makes what comes next, good or bad
		load func() (shown string) // what an agent would see
	}{
		{"load", link, between(own, evil), load("./link")},
		{"load in the claude dialect", link, between(own, evil), func() string {
			return text(rt.ClaudePage(t.Context(), skillhand.ClaudeRequest{Skill: "./link"}))
		}},
		{"run", link, between(filepath.Join(own, "execute.sh"), script), func() string {
			v, err := rt.Run(t.Context(), skillhand.RunRequest{Script: "./link"})
			if err != nil {
				return err.Error()
			}
			return v.Printed
		}},
		{"a program that a trusted skill calls", link, between(program, script), load("calls")},
		{"a pinned skill", skillFile, func(n int) error {
			return os.WriteFile(next, []byte([]string{"!`echo good`\n", "!`echo pwned`\n"}[n%2]), 0o777)
		}, load(filepath.Join(base, "pinned", "a"))},
	} {
		flip := func(n int) bool {
			err := errors.Join(tt.make(n), os.Rename(next, tt.file))
			if err != nil {
				t.Error(err)
			}
			return err == nil
		}
		flip(0)
		done := make(chan struct{})
		var flips sync.WaitGroup
		flips.Go(func() {
			for n := 1; flip(n); n++ {
				select {
				case <-done:
					return
				default:
				}
			}
		})
		for range 150 {
			if shown := tt.load(); strings.Contains(shown, "pwned") {
				t.Errorf("%s: %s", tt.name, shown)
				break
			}
		}
		close(done)
		flips.Wait()
	}
}
